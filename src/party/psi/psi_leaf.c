/* A leaf's side of an alignment: it tags the hub's points, sends its own points in a random order, and
 * receives the result. */
#include "base/cancel.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/random.h"
#include "inside/party.h"
#include "psi.h"

typedef struct leaf {
  const sotto_ids *ids;
  const sotto_observer *observer;
  uint32_t *order; /* row of each point sent */
} leaf;

static sotto_status shuffled_rows(uint32_t **out, size_t count, sotto_error *err) {
  sotto_key key;
  sotto_i_random random;
  sotto_status status = sotto_i_new_raw(out, count, sizeof **out, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < count; i++) (*out)[i] = (uint32_t)i;
  sotto_key_system(&key);
  sotto_i_random_init(&random, &key, SOTTO_I_PURPOSE_ALIGN, 0, 0);
  sotto_i_random_shuffle(&random, *out, count);
  sotto_key_wipe(&key);
  return SOTTO_OK;
}

static sotto_status tag_theirs(const leaf *m, sotto_i_psi *psi, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (size_t begin = 0; begin < psi->peer;) {
    size_t count = sotto_i_psi_chunk(begin, psi->peer);
    const sotto_words tags = {"align.tags", SOTTO_WIRE_SEALED, NULL, psi->tags, count, SOTTO_I_TAG_BYTES / 4};
    SOTTO_TRY(sotto_i_psi_receive_points(psi, count, err));
    SOTTO_TRY(sotto_i_psi_tag(psi, begin, count, err));
    SOTTO_TRY(sotto_link_send_words(psi->link, &tags, err));
    begin += count;
    sotto_i_progress(m->observer, "their ids", begin, psi->peer, NULL);
  }
done:
  return status;
}

static sotto_status send_own(const leaf *m, sotto_i_psi *psi, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (size_t begin = 0; begin < psi->own;) {
    size_t count = sotto_i_psi_chunk(begin, psi->own);
    SOTTO_TRY(sotto_i_psi_mask(psi, m->ids, m->order, begin, count, err));
    SOTTO_TRY(sotto_i_psi_send_points(psi, count, err));
    begin += count;
    sotto_i_progress(m->observer, "own ids", begin, psi->own, NULL);
  }
done:
  return status;
}

/* Converts positions among the sent points into rows. Each may occur once; used positions are marked in
 * `order`. */
static sotto_status rows_of_positions(uint32_t *rows, size_t count, uint32_t *order, size_t own,
                                      sotto_error *err) {
  for (size_t i = 0; i < count; i++) {
    uint32_t place = rows[i];
    if (place >= own || order[place] == UINT32_MAX)
      return sotto_i_fail(err, SOTTO_PROTOCOL, "align.places: place %u is %s", place,
                          place >= own ? "none of those sent" : "there twice");
    rows[i] = order[place];
    order[place] = UINT32_MAX;
  }
  return SOTTO_OK;
}

static sotto_status receive_result(const leaf *m, sotto_i_psi *psi, sotto_alignment *out, sotto_error *err) {
  static const sotto_expectation size = {"align.common", SOTTO_WIRE_EXPOSED, 1, 1, 0};
  uint32_t total = 0;
  sotto_status status;
  SOTTO_TRY(sotto_link_receive_words(psi->link, &total, &size, err));
  if (total > psi->own || total > psi->peer) {
    status = sotto_i_fail(err, SOTTO_PROTOCOL, "align.common: %u ids are said to be common, of %zu and %zu",
                          total, psi->own, psi->peer);
    goto done;
  }
  SOTTO_TRY(sotto_i_new_raw(&out->rows, total, sizeof *out->rows, err));
  for (size_t begin = 0; begin < total;) {
    size_t count = sotto_i_psi_chunk(begin, total);
    const sotto_expectation places = {"align.places", SOTTO_WIRE_EXPOSED, 1, count, 0};
    SOTTO_TRY(sotto_link_receive_words(psi->link, out->rows + begin, &places, err));
    SOTTO_TRY(rows_of_positions(out->rows + begin, count, m->order, psi->own, err));
    begin += count;
  }
  out->count = total;
done:
  return status;
}

sotto_status sotto_i_align_leaf(sotto_alignment *out, sotto_link *link, const sotto_ids *ids,
                                const sotto_observer *observer, sotto_error *err) {
  leaf m = {.ids = ids, .observer = observer};
  sotto_i_psi psi = {0};
  double start = sotto_i_seconds();
  sotto_status status;
  *out = (sotto_alignment){.own = sotto_ids_count(ids), .peers = 1};
  SOTTO_TRY(shuffled_rows(&m.order, out->own, err));
  SOTTO_TRY(sotto_i_psi_open(&psi, link, false, out->own, out, err));
  out->peer_ids[0] = psi.peer;
  SOTTO_TRY(tag_theirs(&m, &psi, err));
  SOTTO_TRY(send_own(&m, &psi, err));
  SOTTO_TRY(receive_result(&m, &psi, out, err));
  sotto_i_psi_note_link(out, link);
  out->seconds = sotto_i_seconds() - start;
done:
  sotto_i_psi_close(&psi);
  sotto_i_free(m.order);
  if (status != SOTTO_OK) sotto_alignment_free(out);
  return status;
}

sotto_status sotto_align_leaf(sotto_alignment *out, sotto_link *link, const sotto_ids *ids,
                              const sotto_observer *observer, sotto_error *err) {
  SOTTO_I_CANCELLED_BY(observer);
  sotto_status status = sotto_i_align_leaf(out, link, ids, observer, err);
  if (status != SOTTO_OK) sotto_link_close(link, "a leaf of the alignment failed");
  return status;
}
