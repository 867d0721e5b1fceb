/* Alignment: which ids several parties have in common, found without showing the others.
 *
 * Private set intersection by Diffie-Hellman over ristretto255. One party is the hub, the others are members;
 * with two parties, either may be the hub. docs/align.md has the protocol and who learns what: each member
 * the ids common to all parties and the hub's size; the hub also every member's size and, with several
 * members, what it shares with each of them. Parties are taken to follow the protocol.
 */
#ifndef SOTTO_ALIGN_H
#define SOTTO_ALIGN_H

#include "sotto/party.h"

enum {
  SOTTO_MOST_ID_BYTES = 1024,   /* of one id */
  SOTTO_MOST_IDS = 1 << 28,     /* of one party */
  SOTTO_MOST_ALIGN_PARTIES = 17 /* the hub and 16 members */
};

/* Distinct, non-empty ids, numbered from 0 in the order of their file. */
typedef struct sotto_ids sotto_ids;

/* Reads ids: one a line, or, when `column` is not NULL, the fields of that column of a CSV file whose first
 * line names its columns. Line ends LF or CRLF. Errors: NOT_FOUND (file, column), IO, PARSE (an empty id, an
 * id twice, each with its line numbers), RANGE (an id too long, or too many). */
SOTTO_API sotto_status sotto_ids_open(sotto_ids **out, const char *path, const char *column,
                                      sotto_error *err);
SOTTO_API void sotto_ids_free(sotto_ids *ids);
SOTTO_API size_t sotto_ids_count(const sotto_ids *ids);
/* The bytes of id `row` < count, borrowed; not zero-terminated. */
SOTTO_API const uint8_t *sotto_ids_get(const sotto_ids *ids, size_t row, size_t *size);

/* What one party ends with, for its statement. */
typedef struct sotto_alignment {
  uint32_t *rows; /* [count], own rows in the order that all parties share; owned */
  size_t count;
  bool hub;
  size_t own;                                /* ids of this party */
  size_t peers;                              /* members if this is the hub, else 1 */
  size_t peer_ids[SOTTO_MOST_ALIGN_PARTIES]; /* sizes this party was told: each member's, or the hub's */
  size_t shared[SOTTO_MOST_ALIGN_PARTIES];   /* hub alone: ids it has in common with each member */
  uint64_t hashes, products;                 /* ids hashed to the group, scalar multiplications */
  sotto_traffic traffic;                     /* over all links of this party */
  sotto_exposure exposures[SOTTO_MOST_EXPOSURES];
  size_t exposure_count;
  double seconds;
} sotto_alignment;
SOTTO_API void sotto_alignment_free(sotto_alignment *alignment);

/* One side of the protocol each; they return when it is over. A failure closes the link, so that the other
 * side fails too. `members` has count >= 1 links. Keys come from the system's generator and are wiped.
 * Memory: 56 bytes an id of this party and, for the hub, 4 more a member. Errors: PROTOCOL (a count or a
 * point that no party that follows the protocol sends, or the other side is gone), RANGE, NOMEM, INTERRUPTED.
 */
SOTTO_API sotto_status sotto_align_hub(sotto_alignment *out, sotto_link *const *members, size_t count,
                                       const sotto_ids *ids, const sotto_observer *observer,
                                       sotto_error *err);
SOTTO_API sotto_status sotto_align_member(sotto_alignment *out, sotto_link *hub, const sotto_ids *ids,
                                          const sotto_observer *observer, sotto_error *err);

/* All parties in this process, one thread each: ids[0] is the hub's. Fills out[count], count >= 2. */
SOTTO_API sotto_status sotto_align_local(sotto_alignment *out, const sotto_ids *const *ids, size_t count,
                                         const sotto_observer *observer, sotto_error *err);

#endif
