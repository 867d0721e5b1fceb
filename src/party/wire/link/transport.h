/* Transports of links: between two threads (local.c) or two machines (wire.c). */
#ifndef SOTTO_SRC_PARTY_WIRE_LINK_TRANSPORT_H
#define SOTTO_SRC_PARTY_WIRE_LINK_TRANSPORT_H

#include "inside/party.h"
#include "nn/rows/source.h"
#include "release/receipt.h"
#include "sotto/party.h"

enum { SOTTO_I_NAME_SIZE = 64 };
/* Why a party closes a link on which it received what it may not have; the other party's error is this. */
#define SOTTO_I_BREACH_REASON "what was received breaks the protocol"

/* The header of a payload; it determines the number of bytes that follow (sotto_i_payload_bytes). */
typedef struct sotto_i_header {
  uint8_t kind, format;
  char name[SOTTO_I_NAME_SIZE];
  uint64_t rows, cols;
} sotto_i_header;

/* A sender passes a header and then exactly its bytes, in pieces of any size. A receiver takes a header,
 * checks it, and only then takes the bytes, so that no memory is allocated for an unchecked claim. */
typedef struct sotto_i_transport {
  sotto_status (*send_header)(void *state, const sotto_i_header *header, sotto_error *err);
  sotto_status (*send_bytes)(void *state, const void *bytes, size_t size, sotto_error *err);
  /* These wait, and stop when interrupted. */
  sotto_status (*receive_header)(void *state, sotto_i_header *out, sotto_error *err);
  sotto_status (*receive_bytes)(void *state, void *out, size_t size, sotto_error *err);
  /* Ends the link for good; the other side's next call fails with the reason. */
  void (*close)(void *state, const char *reason);
  void (*free)(void *state);
  /* Is the other side gone for good, so that it may be left out? NULL: never. */
  bool (*lost)(void *state);
  /* Calls that wait beyond this time (sotto_i_seconds; 0: no limit) end the link. NULL: no limit is
   * supported. */
  void (*limit)(void *state, double until);
  /* sotto_i_link_stands. NULL: it stands until it is closed. */
  sotto_status (*stands)(void *state, sotto_error *err);
} sotto_i_transport;

/* Takes ownership of `state` on success. */
sotto_status sotto_i_link_new(sotto_link **out, const sotto_i_transport *transport, void *state,
                              sotto_error *err);

/* After a failure of the link: may the other side be left out? */
bool sotto_i_link_lost(const sotto_link *link);
/* Gives the other side this many seconds from now; 0: no limit. A call that waits longer ends the link for
 * good. */
void sotto_i_link_limit(sotto_link *link, double seconds);
/* Does its session still go on? For a side with nothing to send or receive at the moment. Errors: PROTOCOL
 * (it failed, or another one began), INTERRUPTED. */
sotto_status sotto_i_link_stands(sotto_link *link, sotto_error *err);
/* Error text of a call that reached the limit. */
#define SOTTO_I_LATE "no answer came in the time that it may take"
/* `take` gets every complete payload of rows from now on, in order, on the receiving thread; its failure
 * becomes that of the receive. NULL ends that. */
typedef struct sotto_i_record {
  void *context;
  sotto_status (*take)(void *context, const char *name, sotto_wire_kind kind, const sotto_matrix *rows,
                       sotto_error *err);
} sotto_i_record;
void sotto_i_link_record(sotto_link *link, const sotto_i_record *record);
/* Reports the bytes of every payload to the observer from now on; the observer outlives the link. NULL ends
 * that. */
void sotto_i_link_watch(sotto_link *link, const sotto_observer *observer);

/* So many bytes are expected over this link from its beginning, in both directions together: events of
 * payloads say from now on how many are done. */
void sotto_i_link_plan(sotto_link *link, uint64_t bytes);

/* Adds a payload to the list of this side's exposures. Errors: RANGE (SOTTO_MOST_EXPOSURES). */
sotto_status sotto_i_link_note(sotto_link *link, const char *name, const char *reason, sotto_error *err);
/* Sends rows as a release. Errors: INVALID when the receipt does not prove a charge. */
sotto_status sotto_i_link_send_charged(sotto_link *link, const char *name, const sotto_matrix *rows,
                                       const sotto_i_receipt *receipt, sotto_error *err);
/* The same, and an exposed payload, of rows that may be read in windows. Errors: those of the source as well.
 */
sotto_status sotto_i_link_send_charged_rows(sotto_link *link, const char *name,
                                            const sotto_i_row_source *rows, const sotto_i_receipt *receipt,
                                            sotto_error *err);
sotto_status sotto_i_link_send_exposed_rows(sotto_link *link, const char *name, const char *reason,
                                            const sotto_i_row_source *rows, sotto_error *err);
/* Checks all rows of a payload, and keeps those in `held` alone: row i of `out` is row held->nodes[i]. The
 * link is not recorded. Errors: those of sotto_link_receive. */
sotto_status sotto_i_link_receive_held(sotto_link *link, sotto_matrix *out, const sotto_i_rank_rows *held,
                                       const sotto_expectation *expected, sotto_error *err);
/* Sends rows of a layer of this charged release. Errors: INVALID. */
sotto_status sotto_i_link_send_paid(sotto_link *link, const char *name, const sotto_matrix *rows,
                                    const sotto_release *release, sotto_error *err);
/* Exposed rows that need no more than a byte a value: embeddings, and gradients of them. */
#define SOTTO_I_ROUNDED SOTTO_FORMAT_INT8
sotto_status sotto_i_link_send_rounded(sotto_link *link, const char *name, const char *reason,
                                       const sotto_matrix *matrix, sotto_error *err);
sotto_status sotto_i_link_receive_rounded(sotto_link *link, sotto_matrix *out,
                                          const sotto_expectation *expected, sotto_error *err);
/* Forwards a release that its owner sent and was charged for. */
sotto_status sotto_i_link_pass_on(sotto_link *link, const char *name, const sotto_matrix *rows,
                                  sotto_error *err);

/* The id of the wire's current session, the same on both sides. */
enum { SOTTO_I_SESSION_ID = 16 };
void sotto_i_wire_session_id(sotto_wire *wire, uint8_t out[SOTTO_I_SESSION_ID]);

/* Bytes of a row in a format, and of a whole payload; false when that exceeds 2^62. */
size_t sotto_i_row_bytes(sotto_wire_format format, size_t cols);
bool sotto_i_payload_bytes(uint64_t *out, const sotto_i_header *header);
/* Encoding and decoding of rows with `cols` floats. Values that are not finite stay so. */
void sotto_i_encode_rows(uint8_t *out, const float *rows, size_t count, size_t cols,
                         sotto_wire_format format);
void sotto_i_decode_rows(float *out, const uint8_t *rows, size_t count, size_t cols,
                         sotto_wire_format format);
/* What arrives when these rows are sent in the format, in their place. Errors: NOMEM. */
sotto_status sotto_i_round_rows(sotto_matrix *rows, sotto_wire_format format, sotto_error *err);
/* Largest growth of a unit-norm row by rounding. */
double sotto_i_format_slack(sotto_wire_format format, size_t cols);

#endif
