/* Code shared by both sides of an alignment: sessions, masking, tags, messages. */
#ifndef SOTTO_SRC_PARTY_PSI_PSI_H
#define SOTTO_SRC_PARTY_PSI_PSI_H

#include "graph/io/read.h"
#include "sotto/align.h"

enum { SOTTO_I_PSI_CHUNK = 2048, SOTTO_I_TAG_BYTES = 16 };

/* Reads ids from bytes in memory, as sotto_ids_open does from a file. */
sotto_status sotto_i_ids_read(sotto_ids **out, const sotto_i_source *source, const char *column,
                              sotto_error *err);

/* The session between the hub and one leaf. Wipe it at the end. */
typedef struct sotto_i_psi {
  sotto_link *link;
  uint8_t salt[32]; /* of this session, from both sides' random bytes; known to both */
  uint8_t *scalar;  /* this side's key of the session: 32 bytes, a secret (base/secret.h) */
  size_t own, peer; /* ids */
  sotto_alignment *account;
  /* a chunk of each */
  uint8_t *hashes, *points, *tags;
} sotto_i_psi;

/* Greets the other side: a fresh key, the salt, the sizes. The hub sends first. */
sotto_status sotto_i_psi_open(sotto_i_psi *psi, sotto_link *link, bool hub, size_t own,
                              sotto_alignment *account, sotto_error *err);
/* Wipes the key and frees the chunks. */
void sotto_i_psi_close(sotto_i_psi *psi);

/* points[0..count) = key * H(id), for the ids order[begin ..), or begin .. when order is NULL. Errors: those
 * of reading the ids again. */
sotto_status sotto_i_psi_mask(sotto_i_psi *psi, const sotto_ids *ids, const uint32_t *order, size_t begin,
                              size_t count, sotto_error *err);
/* tags[0..count) of key * points[0..count). Errors: PROTOCOL, naming an invalid point. */
sotto_status sotto_i_psi_tag(sotto_i_psi *psi, size_t begin, size_t count, sotto_error *err);

sotto_status sotto_i_psi_send_points(sotto_i_psi *psi, size_t count, sotto_error *err);
sotto_status sotto_i_psi_receive_points(sotto_i_psi *psi, size_t count, sotto_error *err);

/* out[64]: what the map to the group takes of an id. */
void sotto_i_psi_hash(uint8_t *out, const uint8_t *id, size_t size, const uint8_t salt[32]);
/* tags[count] of points that both sides multiplied. */
void sotto_i_psi_tags(uint8_t *tags, const uint8_t *points, size_t count, const uint8_t salt[32]);

static inline size_t sotto_i_psi_chunk(size_t begin, size_t count) {
  return count - begin < SOTTO_I_PSI_CHUNK ? count - begin : SOTTO_I_PSI_CHUNK;
}

/* sotto_align_hub and sotto_align_leaf without their end: a failure leaves the links open. */
sotto_status sotto_i_align_hub(sotto_alignment *out, sotto_link *const *leaves, size_t count,
                               const sotto_ids *ids, const sotto_observer *observer, sotto_error *err);
sotto_status sotto_i_align_leaf(sotto_alignment *out, sotto_link *link, const sotto_ids *ids,
                                const sotto_observer *observer, sotto_error *err);

/* Adds the link's byte counts to the account. */
void sotto_i_psi_note_link(sotto_alignment *account, const sotto_link *link);

/* Maps the upper half of a hash to a number below `room`, at most 2^32. */
static inline size_t sotto_i_slot_below(uint64_t hash, size_t room) {
  return (size_t)(((hash >> 32) * room) >> 32);
}

/* A hash table that finds a tag's row among the hub's own. */
typedef struct sotto_i_tag_table {
  const uint8_t *tags; /* borrowed */
  size_t count;
  uint32_t *slots; /* [room], row + 1, or 0 */
  size_t room;     /* half as many again as tags: 6 bytes a tag */
  uint8_t key[16];
} sotto_i_tag_table;

#endif
