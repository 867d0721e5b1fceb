/* The hub's side of an alignment: a table of its ids' tags, the matches of each leaf's ids, and the common
 * order. */
#include <sodium.h>
#include <string.h>

#include "base/cancel.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/random.h"
#include "inside/party.h"
#include "psi.h"

/* The slot with the tag, or the free one for it. */
static size_t slot_of(const sotto_i_tag_table *table, const uint8_t *tag) {
  uint64_t hash;
  crypto_shorthash((uint8_t *)&hash, tag, SOTTO_I_TAG_BYTES, table->key);
  size_t slot = sotto_i_slot_below(hash, table->room);
  for (; table->slots[slot] != 0; slot = slot + 1 == table->room ? 0 : slot + 1)
    if (memcmp(table->tags + SOTTO_I_TAG_BYTES * (size_t)(table->slots[slot] - 1), tag, SOTTO_I_TAG_BYTES) ==
        0)
      break;
  return slot;
}

static sotto_status tag_table_new(sotto_i_tag_table *out, const uint8_t *tags, size_t count,
                                  sotto_error *err) {
  *out = (sotto_i_tag_table){.tags = tags, .count = count, .room = count + count / 2 + 1};
  crypto_shorthash_keygen(out->key);
  sotto_status status = sotto_i_new(&out->slots, out->room, sizeof *out->slots, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < count; i++) {
    size_t slot = slot_of(out, tags + SOTTO_I_TAG_BYTES * i);
    if (out->slots[slot] != 0)
      return sotto_i_fail(err, SOTTO_PROTOCOL,
                          "align.tags: tags %u and %zu are the same, and the ids are not",
                          out->slots[slot] - 1, i);
    out->slots[slot] = (uint32_t)i + 1;
  }
  return SOTTO_OK;
}

static uint32_t tag_table_find(const sotto_i_tag_table *table, const uint8_t *tag) {
  return table->slots[slot_of(table, tag)] - 1; /* a free slot has 0 */
}

/* Errors: NOMEM, PROTOCOL (a tag twice). */
static void tag_table_free(sotto_i_tag_table *table) {
  sotto_i_free(table->slots);
  *table = (sotto_i_tag_table){0};
}

enum { nowhere = UINT32_MAX };

typedef struct hub {
  const sotto_ids *ids;
  const sotto_observer *observer;
  sotto_alignment *out;
  uint8_t *tags;                                /* of its own ids, in the current session */
  uint32_t *position[SOTTO_MOST_ALIGN_PARTIES]; /* [leaf][own row]: place among the leaf's points */
} hub;

static sotto_status receive_tags(sotto_i_psi *psi, uint8_t *tags, size_t count, sotto_error *err) {
  const sotto_expectation expected = {"align.tags", SOTTO_WIRE_SEALED, count, SOTTO_I_TAG_BYTES / 4, 0};
  return sotto_link_receive_words(psi->link, tags, &expected, err);
}

/* The hub's ids are sent masked and return as tags. So many chunks are under way that neither side waits for
 * the other on a slow network. Not more, since both sides wait when a link within a process is full. */
enum { chunks_ahead = 8 };

static sotto_status tag_own(hub *h, sotto_i_psi *psi, sotto_error *err) {
  size_t sent = 0, back = 0;
  sotto_status status = SOTTO_OK;
  while (back < psi->own) {
    while (sent < psi->own && sent - back < (size_t)chunks_ahead * SOTTO_I_PSI_CHUNK) {
      size_t count = sotto_i_psi_chunk(sent, psi->own);
      SOTTO_TRY(sotto_i_psi_mask(psi, h->ids, NULL, sent, count, err));
      SOTTO_TRY(sotto_i_psi_send_points(psi, count, err));
      sent += count;
    }
    size_t count = sotto_i_psi_chunk(back, psi->own);
    SOTTO_TRY(receive_tags(psi, h->tags + SOTTO_I_TAG_BYTES * back, count, err));
    back += count;
    sotto_i_progress(h->observer, "own ids", back, psi->own, NULL);
  }
done:
  return status;
}

/* Records the matches of one chunk of points. */
static sotto_status note_matches(sotto_i_psi *psi, const sotto_i_tag_table *table, uint32_t *position,
                                 size_t begin, size_t count, size_t *shared, sotto_error *err) {
  for (size_t i = 0; i < count; i++) {
    uint32_t row = tag_table_find(table, psi->tags + SOTTO_I_TAG_BYTES * i);
    if (row == nowhere) continue;
    if (position[row] != nowhere) {
      sotto_link_close(psi->link, "the same id was sent twice");
      return sotto_i_fail(err, SOTTO_PROTOCOL, "align.points: points %u and %zu are of the same id",
                          position[row], begin + i);
    }
    position[row] = (uint32_t)(begin + i);
    (*shared)++;
  }
  return SOTTO_OK;
}

static sotto_status match_peer(hub *h, sotto_i_psi *psi, uint32_t *position, size_t *shared,
                               sotto_error *err) {
  sotto_i_tag_table table = {0};
  sotto_status status;
  SOTTO_TRY(tag_table_new(&table, h->tags, psi->own, err));
  for (size_t begin = 0; begin < psi->peer;) {
    size_t count = sotto_i_psi_chunk(begin, psi->peer);
    SOTTO_TRY(sotto_i_psi_receive_points(psi, count, err));
    SOTTO_TRY(sotto_i_psi_tag(psi, begin, count, err));
    SOTTO_TRY(note_matches(psi, &table, position, begin, count, shared, err));
    begin += count;
    sotto_i_progress(h->observer, "their ids", begin, psi->peer, NULL);
  }
done:
  tag_table_free(&table);
  return status;
}

static sotto_status run_session(hub *h, sotto_link *link, size_t leaf, sotto_error *err) {
  sotto_i_psi psi;
  uint32_t *position;
  sotto_status status;
  size_t own = sotto_ids_count(h->ids);
  SOTTO_TRY(sotto_i_psi_open(&psi, link, true, own, h->out, err));
  SOTTO_TRY(sotto_i_new_raw(&h->position[leaf], own, sizeof *position, err));
  position = h->position[leaf];
  for (size_t i = 0; i < own; i++) position[i] = nowhere;
  h->out->peer_ids[leaf] = psi.peer;
  SOTTO_TRY(tag_own(h, &psi, err));
  SOTTO_TRY(match_peer(h, &psi, position, &h->out->shared[leaf], err));
done:
  sotto_i_psi_close(&psi);
  return status;
}

/* The rows that every leaf has, in a random order. */
static sotto_status intersect(hub *h, sotto_error *err) {
  sotto_alignment *out = h->out;
  sotto_key key;
  sotto_i_random random;
  sotto_status status = sotto_i_new_raw(&out->rows, out->own, sizeof *out->rows, err);
  if (status != SOTTO_OK) return status;
  for (size_t row = 0; row < out->own; row++) {
    size_t leaf = 0;
    while (leaf < out->peers && h->position[leaf][row] != nowhere) leaf++;
    if (leaf == out->peers) out->rows[out->count++] = (uint32_t)row;
  }
  sotto_key_system(&key);
  sotto_i_random_init(&random, &key, SOTTO_I_PURPOSE_ALIGN, 0, 1);
  sotto_i_random_shuffle(&random, out->rows, out->count);
  sotto_key_wipe(&key);
  return SOTTO_OK;
}

/* Sends one leaf the positions of the common ids among its points. */
static sotto_status send_result(const hub *h, sotto_link *link, size_t leaf, sotto_error *err) {
  static const char *const reason =
      "the result: which of the receiver's ids all parties have, and their order";
  const sotto_alignment *out = h->out;
  const uint32_t total = (uint32_t)out->count;
  uint32_t places[SOTTO_I_PSI_CHUNK];
  const sotto_words size = {"align.common", SOTTO_WIRE_EXPOSED, reason, &total, 1, 1};
  sotto_status status;
  SOTTO_TRY(sotto_link_send_words(link, &size, err));
  for (size_t begin = 0; begin < out->count;) {
    size_t count = sotto_i_psi_chunk(begin, out->count);
    const sotto_words words = {"align.places", SOTTO_WIRE_EXPOSED, reason, places, 1, count};
    for (size_t i = 0; i < count; i++) places[i] = h->position[leaf][out->rows[begin + i]];
    SOTTO_TRY(sotto_link_send_words(link, &words, err));
    begin += count;
  }
done:
  return status;
}

sotto_status sotto_i_align_hub(sotto_alignment *out, sotto_link *const *leaves, size_t count,
                               const sotto_ids *ids, const sotto_observer *observer, sotto_error *err) {
  hub h = {.ids = ids, .observer = observer, .out = out};
  double start = sotto_i_seconds();
  sotto_status status;
  *out = (sotto_alignment){.hub = true, .own = sotto_ids_count(ids), .peers = count};
  if (count < 1 || count >= SOTTO_MOST_ALIGN_PARTIES) {
    status = sotto_i_fail(err, SOTTO_RANGE, "%zu leaves; an alignment takes 1 to %d", count,
                          SOTTO_MOST_ALIGN_PARTIES - 1);
    goto done;
  }
  SOTTO_TRY(sotto_i_new_raw(&h.tags, out->own, SOTTO_I_TAG_BYTES, err));
  for (size_t m = 0; m < count; m++) SOTTO_TRY(run_session(&h, leaves[m], m, err));
  sotto_i_free(h.tags);
  h.tags = NULL;
  SOTTO_TRY(intersect(&h, err));
  for (size_t m = 0; m < count; m++) SOTTO_TRY(send_result(&h, leaves[m], m, err));
  for (size_t m = 0; m < count; m++) sotto_i_psi_note_link(out, leaves[m]);
  out->seconds = sotto_i_seconds() - start;
done:
  for (size_t m = 0; m < SOTTO_MOST_ALIGN_PARTIES; m++) sotto_i_free(h.position[m]);
  sotto_i_free(h.tags);
  if (status != SOTTO_OK) sotto_alignment_free(out);
  return status;
}

sotto_status sotto_align_hub(sotto_alignment *out, sotto_link *const *leaves, size_t count,
                             const sotto_ids *ids, const sotto_observer *observer, sotto_error *err) {
  SOTTO_I_CANCELLED_BY(observer);
  sotto_status status = sotto_i_align_hub(out, leaves, count, ids, observer, err);
  for (size_t m = 0; status != SOTTO_OK && m < count; m++)
    sotto_link_close(leaves[m], "the hub of the alignment failed");
  return status;
}

void sotto_alignment_free(sotto_alignment *alignment) {
  sotto_i_free(alignment->rows);
  *alignment = (sotto_alignment){0};
}
