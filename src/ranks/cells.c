/* Cells of a computation over ranks: each rank computes a block, rank 0 collects and saves them. */
#include "cells.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"

/* Ranks with other data or options stop here, before they exchange results. */
static sotto_status check_identity(const sotto_i_cells *c, sotto_error *err) {
  uint8_t first[sizeof c->identity];
  memcpy(first, c->identity, sizeof first);
  const sotto_status status = sotto_i_ranks_give(c->ranks, first, sizeof first, err);
  if (status == SOTTO_OK && memcmp(first, c->identity, sizeof first) != 0)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "its options or data differ from those of rank 0; give all ranks the same");
  return status;
}

sotto_status sotto_i_cells_open(sotto_i_cells *c, sotto_error *err) {
  sotto_status status;
  c->done = 0;
  c->descriptor = -1;
  c->is_open = true;
  SOTTO_TRY(check_identity(c, err));
  if (c->path != NULL && sotto_i_ranks_first(c->ranks)) SOTTO_TRY(sotto_i_cells_load(c, err));
  SOTTO_TRY(sotto_i_ranks_give(c->ranks, &c->done, sizeof c->done, err));
  SOTTO_TRY(sotto_i_ranks_give(c->ranks, c->lead, c->lead_bytes, err));
done:
  return status;
}

/* The blocks of one turn: the block size, this rank's first cell and number of cells, and the cells of all
 * ranks. */
typedef struct turn {
  size_t block, own_at, own, all;
} turn;

static turn next_turn(const sotto_i_cells *c) {
  const size_t left = c->total - c->done, count = c->ranks == NULL ? 1 : sotto_ranks_count(c->ranks);
  const size_t share = (left + count - 1) / count, block = share < c->block ? share : c->block;
  const size_t at = block * (c->ranks == NULL ? 0 : sotto_ranks_number(c->ranks));
  turn t = {.block = block, .own_at = at < left ? at : left, .all = block * count};
  if (t.all > left) t.all = left;
  if (t.own_at > t.all) t.own_at = t.all;
  t.own = t.all - t.own_at < block ? t.all - t.own_at : block;
  return t;
}

/* Sends the values of a turn to rank 0. */
static sotto_status collect_values(const sotto_i_cells *c, uint8_t *values, const turn *t, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (!sotto_i_ranks_first(c->ranks)) {
    const sotto_i_parcel sent = {.data = values + t->own_at * c->bytes, .bytes = t->own * c->bytes};
    return sotto_i_ranks_pass(c->ranks, &sent, 1, err);
  }
  for (uint32_t r = 1; c->ranks != NULL && r < sotto_ranks_count(c->ranks); r++) {
    const size_t at = r * t->block < t->all ? r * t->block : t->all;
    const size_t count = t->all - at < t->block ? t->all - at : t->block;
    const sotto_i_parcel taken = {
        .peer = r, .take = true, .data = values + at * c->bytes, .bytes = count * c->bytes};
    SOTTO_TRY(sotto_i_ranks_pass(c->ranks, &taken, 1, err));
  }
done:
  return status;
}

sotto_status sotto_i_cells_run(sotto_i_cells *c, sotto_i_cells_make make, void *context, const char *stage,
                               const sotto_observer *observer, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  while (c->done < c->total) {
    const turn t = next_turn(c);
    uint8_t *values = (uint8_t *)c->values + c->done * c->bytes;
    size_t finished = 0;
    if (t.own > 0)
      status = make(context, values + t.own_at * c->bytes, c->done + t.own_at, t.own, &finished, err);
    if (status == SOTTO_OK) status = collect_values(c, values, &t, err);
    /* After a failed turn, rank 0's own cells are saved: they are the first ones. */
    if (status == SOTTO_OK) finished = t.all;
    if (sotto_i_ranks_first(c->ranks)) {
      const sotto_status kept = sotto_i_cells_append(c, values, finished, status != SOTTO_OK, err);
      if (status == SOTTO_OK) status = kept;
    }
    if (status != SOTTO_OK) return status;
    c->done += t.all;
    sotto_i_progress(observer, stage, c->done, c->total, NULL);
  }
  return SOTTO_OK;
}

sotto_status sotto_i_cells_share(const sotto_i_cells *c, sotto_error *err) {
  return sotto_i_ranks_give(c->ranks, c->values, c->total * c->bytes, err);
}
