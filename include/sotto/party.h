/* Parties and what passes between them.
 *
 * Every payload has a kind that says what it may show, and the link refuses anything else: a release must
 * have been charged, an exposed payload must say why it is exposed. Bytes are counted by kind and direction.
 * A recipe is written once against a link; links within one process and links over a network behave the same.
 */
#ifndef SOTTO_PARTY_H
#define SOTTO_PARTY_H

#include "sotto/pmp.h"

#define SOTTO_WIRE_KIND_LIST(X)                                                                              \
  X(PUBLIC, "public", "known to all parties by agreement")                                                   \
  X(RELEASE, "release", "covered by a charge to the owner's ledger")                                         \
  X(SHARE, "share", "uniformly random on its own")                                                           \
  X(SEALED, "sealed", "masked or encrypted")                                                                 \
  X(EXPOSED, "exposed", "raw, and named in the privacy statement")

typedef enum sotto_wire_kind {
#define SOTTO_WIRE_KIND_ENUM(name, word, meaning) SOTTO_WIRE_##name,
  SOTTO_WIRE_KIND_LIST(SOTTO_WIRE_KIND_ENUM)
#undef SOTTO_WIRE_KIND_ENUM
      SOTTO_WIRE_KINDS
} sotto_wire_kind;

/* "public", "release", ... */
SOTTO_API const char *sotto_wire_kind_name(sotto_wire_kind kind);

/* How a release's numbers are written on the wire. Rounding comes after the noise, so it costs no privacy:
 * bf16 halves the bytes, int8 (a scale a row) quarters them. All other payloads are float32. */
typedef enum sotto_wire_format {
  SOTTO_FORMAT_FLOAT32,
  SOTTO_FORMAT_BF16,
  SOTTO_FORMAT_INT8,
  SOTTO_FORMATS
} sotto_wire_format;
/* "float32", "bf16", "int8"; parse is false for any other word. */
SOTTO_API const char *sotto_wire_format_name(sotto_wire_format format);
SOTTO_API bool sotto_wire_format_parse(sotto_wire_format *out, const char *name);

/* What one side sent and received, by kind. */
typedef struct sotto_traffic {
  uint64_t sent[SOTTO_WIRE_KINDS], received[SOTTO_WIRE_KINDS];
} sotto_traffic;

/* One payload that went out raw: what it is and why that is accepted. */
typedef struct sotto_exposure {
  char name[64], reason[160];
} sotto_exposure;

enum { SOTTO_MOST_EXPOSURES = 32 };

/* One side of a conversation between two parties. Used by one thread at a time. */
typedef struct sotto_link sotto_link;

/* Two ends in one process, e.g. one for each of two threads. Each end is freed by its own side; an end that
 * is freed or closed makes the other's calls fail with PROTOCOL, so no side waits for ever. */
SOTTO_API sotto_status sotto_link_pair(sotto_link **a, sotto_link **b, sotto_error *err);
SOTTO_API void sotto_link_free(sotto_link *link);

/* The format of releases, the same at both ends (float32 unless set). */
SOTTO_API void sotto_link_set_format(sotto_link *link, sotto_wire_format releases);

/* Sending copies the matrix. `name` (at most 63 bytes) says what it is and is compared by the receiver.
 * public: numbers that follow from nothing private. */
SOTTO_API sotto_status sotto_link_send_public(sotto_link *link, const char *name, const sotto_matrix *matrix,
                                              sotto_error *err);
/* release: layer k of a release that was charged; INVALID when it was not, and nothing is sent. */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_link_send_release(sotto_link *link, const char *name,
                                                              const sotto_release *release, uint32_t layer,
                                                              sotto_error *err);
/* exposed: raw. `reason`, at most 159 bytes, goes into the privacy statement. */
SOTTO_API sotto_status sotto_link_send_exposed(sotto_link *link, const char *name, const char *reason,
                                               const sotto_matrix *matrix, sotto_error *err);

/* What the receiver demands; a message that breaks it is refused and the link is closed. */
typedef struct sotto_expectation {
  const char *name;
  sotto_wire_kind kind;
  size_t rows, cols;
  double row_norm; /* every row's l2 norm is at most this, and what rounding adds; 0: not checked */
} sotto_expectation;
/* Waits for the next message and copies it into *out (rows x cols, the caller's; its values mean
 * nothing after a failure). Errors: PROTOCOL (another
 * name or kind, or the other side is gone), RANGE (shape, norm), NUMERIC (not finite), INTERRUPTED. */
SOTTO_API sotto_status sotto_link_receive(sotto_link *link, sotto_matrix *out,
                                          const sotto_expectation *expected, sotto_error *err);

/* Tells the other side that this one stops, and why; its next call fails with PROTOCOL and that text. */
SOTTO_API void sotto_link_close(sotto_link *link, const char *reason);

SOTTO_API sotto_traffic sotto_link_traffic(const sotto_link *link);
/* The exposed payloads that this side sent, each once; returns their number (at most SOTTO_MOST_EXPOSURES).
 */
SOTTO_API size_t sotto_link_exposures(const sotto_link *link, sotto_exposure out[SOTTO_MOST_EXPOSURES]);

#endif
