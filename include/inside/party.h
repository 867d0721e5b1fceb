/* Links, alignment and the wire between the parties of a run. Internal: other folders call these, programs
 * outside do not. */
#ifndef SOTTO_INSIDE_PARTY_H
#define SOTTO_INSIDE_PARTY_H

#include "sotto/align.h"
#include "sotto/party.h"

size_t sotto_ids_count(const sotto_ids *ids);

/* The two sides of the alignment protocol; each returns when it is over. A failure closes the link, so that
 * the other side fails too. `leaves` has count >= 1 links. Keys come from the system's generator and are
 * wiped. Memory: a hub 22 bytes for each of its ids and 4 more for each leaf; a leaf 4, and 4 for each common
 * id. Errors: PROTOCOL (a count or a point that violates the protocol, or the other side is gone), RANGE,
 * NOMEM, INTERRUPTED, those of sotto_ids_get. */
sotto_status sotto_align_hub(sotto_alignment *out, sotto_link *const *leaves, size_t count,
                             const sotto_ids *ids, const sotto_observer *observer, sotto_error *err);
sotto_status sotto_align_leaf(sotto_alignment *out, sotto_link *hub, const sotto_ids *ids,
                              const sotto_observer *observer, sotto_error *err);

/* The format of releases, the same at both ends (float32 unless set). */
void sotto_link_set_format(sotto_link *link, sotto_wire_format releases);
/* Sends a payload of kind release: layer k of a charged release. INVALID when it was not charged, and nothing
 * is sent. */
SOTTO_MUST_USE sotto_status sotto_link_send_release(sotto_link *link, const char *name,
                                                    const sotto_release *release, uint32_t layer,
                                                    sotto_error *err);
/* Sends a payload of kind exposed: raw. `reason`, at most 159 bytes, goes into the privacy statement. */
sotto_status sotto_link_send_exposed(sotto_link *link, const char *name, const char *reason,
                                     const sotto_matrix *matrix, sotto_error *err);

/* Words of 4 bytes that are not floats: group elements, shares, tags, counts. rows x cols words, row by row.
 * `reason` is for EXPOSED payloads alone, which need one. A RELEASE is never sent as words. Errors:
 * INVALID. */
typedef struct sotto_words {
  const char *name;
  sotto_wire_kind kind;
  const char *reason;
  const void *data; /* borrowed, copied by sending */
  size_t rows, cols;
} sotto_words;
sotto_status sotto_link_send_words(sotto_link *link, const sotto_words *words, sotto_error *err);

/* Receives words into out[rows * cols] of 4 bytes each. Any bits are accepted: the caller checks them.
 * INVALID when a RELEASE is expected. */
sotto_status sotto_link_receive_words(sotto_link *link, void *out, const sotto_expectation *expected,
                                      sotto_error *err);

/* Stops this side and sends the reason: the other side's next call fails with PROTOCOL and that text. */
void sotto_link_close(sotto_link *link, const char *reason);

sotto_traffic sotto_link_traffic(const sotto_link *link);
void sotto_traffic_add(sotto_traffic *to, sotto_traffic more);
/* The exposed payloads that this side sent, each once; returns their number (at most SOTTO_MOST_EXPOSURES).
 */
size_t sotto_link_exposures(const sotto_link *link, sotto_exposure out[SOTTO_MOST_EXPOSURES]);

/* Progress of a party's files: finished seeds, and finished stages of the next one. */
typedef struct sotto_progress {
  uint64_t seed;
  uint32_t stage;
} sotto_progress;

/* A connection with one other party over mutual TLS 1.3, which a thread of its own maintains. It connects or
 * listens; after a break it does so again and resends what did not arrive. When either side's program
 * restarts, a new session begins from the progress for which both have files. docs/protocol.md has the
 * messages. */
typedef struct sotto_wire sotto_wire;

typedef struct sotto_wire_options {
  const char *folder;     /* identity; not read with `insecure_loopback` */
  const char *peer;       /* the name in the other's certificate */
  const char *address;    /* HOST:PORT to connect to, or to listen on; [HOST]:PORT for IPv6 */
  bool listen;            /* on the address, instead of connecting to it */
  const char *proxy;      /* HOST:PORT of an HTTP proxy to connect through; NULL: none */
  bool insecure_loopback; /* no TLS; the address must be one of this machine's loopback */
  double connect_limit;   /* seconds for one attempt, from connection to greeting */
  double idle_limit;      /* seconds without a whole message after which a connection is given up */
  double grace;           /* seconds without a connection after which the run is given up */
  const char *role;       /* "data" and "label" go together, and "hub" and "leaf"; docs/protocol.md has all */
  const char *terms;      /* what both must agree on: `key: value` lines, ascending */
  uint8_t nodes[32];      /* digest of the node ids, in the order of rows; zeros: none */
  sotto_progress progress;
  bool check;                     /* greet, compare, and end */
  const sotto_observer *observer; /* called from the wire's own thread */
} sotto_wire_options;

/* Starts the thread. Texts are copied. Errors: INVALID, NOT_FOUND (keys, trust), IO (address), NOMEM. */
sotto_status sotto_wire_open(sotto_wire **out, const sotto_wire_options *options, sotto_error *err);
/* Closes the connection without a message: the other side waits for this one to return. */
void sotto_wire_free(sotto_wire *wire);
/* Waits for a session and enters it; both sides go on from the progress `common`. Errors: PROTOCOL (the other
 * party runs another protocol, other options or other nodes, which the text names; a time limit, by its name;
 * the other party gave up, with its reason), INTERRUPTED. */
sotto_status sotto_wire_meet(sotto_wire *wire, sotto_progress *common, sotto_error *err);
/* A link over the session that was entered. Free it like any link; the wire goes on. */
sotto_status sotto_wire_link(sotto_wire *wire, sotto_link **out, sotto_error *err);
/* Declares that this side can go on from this progress. */
void sotto_wire_reached(sotto_wire *wire, sotto_progress progress);
/* Did the last call fail only because the other party's program restarted? Then meet again. */
bool sotto_wire_anew(sotto_wire *wire);
/* Declares that this side needs nothing more, and waits until the other declares it too. */
sotto_status sotto_wire_finish(sotto_wire *wire, sotto_error *err);
/* Gives the run up: the other side's next call fails with the reason. */
void sotto_wire_stop(sotto_wire *wire, const char *reason);
/* Gives the run up after a failure. The other side gets general words alone, since an error's text may reveal
 * data or files. An interrupted party may return, so then nothing is sent. */
void sotto_wire_give_up(sotto_wire *wire, sotto_status status);
/* Bytes over the network: everything that the program passes to TLS. */
void sotto_wire_bytes(sotto_wire *wire, uint64_t *sent, uint64_t *received);

#endif
