/* The rows of a graph, built by all ranks from the edges that each of them found. */
#include "rows.h"

#include <string.h>

#include "base/memory.h"
#include "graph/csr.h"

enum { block_pairs = 1 << 18 };

sotto_status sotto_i_rows_new(sotto_i_rows *out, sotto_ranks *ranks, const uint64_t *first,
                              sotto_error *err) {
  *out = (sotto_i_rows){.first = first};
  return sotto_i_exchange_new(&out->mail, ranks, err);
}

static void free_blocks(sotto_i_rows *rows) {
  for (size_t i = 0; i * block_pairs < rows->held; i++) sotto_i_free(rows->blocks[i]);
  sotto_i_free(rows->blocks);
  rows->blocks = NULL;
  rows->held = rows->block_room = 0;
}

void sotto_i_rows_free(sotto_i_rows *rows) {
  free_blocks(rows);
  sotto_i_exchange_free(&rows->mail);
  sotto_i_free(rows->offsets);
  sotto_i_free(rows->targets);
  *rows = (sotto_i_rows){0};
}

static uint32_t find_owner(const sotto_i_rows *rows, uint32_t node) {
  uint32_t low = 0, high = rows->mail.count - 1;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (node < rows->first[middle + 1])
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

sotto_status sotto_i_rows_add(sotto_i_rows *rows, uint32_t u, uint32_t v, sotto_error *err) {
  const uint32_t pair[2] = {u, v}, owners[2] = {find_owner(rows, u), find_owner(rows, v)};
  sotto_status status = SOTTO_OK;
  rows->pairs++;
  rows->loops += u == v;
  if (u == v) return SOTTO_OK;
  SOTTO_TRY(sotto_i_exchange_put(&rows->mail, owners[0], pair, sizeof pair, err));
  if (owners[1] != owners[0]) SOTTO_TRY(sotto_i_exchange_put(&rows->mail, owners[1], pair, sizeof pair, err));
done:
  return status;
}

static sotto_status store_pair(sotto_i_rows *rows, const uint32_t pair[2], sotto_error *err) {
  const size_t block = rows->held / block_pairs, at = rows->held % block_pairs;
  if (at == 0) {
    sotto_status status =
        sotto_i_grow(&rows->blocks, &rows->block_room, block + 1, sizeof *rows->blocks, err);
    if (status == SOTTO_OK)
      status = sotto_i_new_raw(&rows->blocks[block], block_pairs, sizeof *rows->blocks[block], err);
    if (status != SOTTO_OK) return status;
  }
  memcpy(rows->blocks[block][at], pair, 2 * sizeof *pair);
  rows->held++;
  return SOTTO_OK;
}

sotto_status sotto_i_rows_pass(sotto_i_rows *rows, bool *more, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_exchange_pass(&rows->mail, more, err));
  for (uint32_t r = 0; r < rows->mail.count; r++)
    for (const void *pair = NULL;
         (pair = sotto_i_exchange_take(&rows->mail, r, 2 * sizeof(uint32_t))) != NULL;) {
      uint32_t ends[2];
      memcpy(ends, pair, sizeof ends);
      SOTTO_TRY(store_pair(rows, ends, err));
    }
done:
  return status;
}

/* Counts: offsets[row + 1] becomes the number of entries of a row, then its end. */
static void count_rows(sotto_i_rows *rows, uint64_t first, uint64_t own) {
  for (size_t i = 0; i < rows->held; i++) {
    const uint32_t *pair = rows->blocks[i / block_pairs][i % block_pairs];
    for (int k = 0; k < 2; k++)
      if (pair[k] - first < own) rows->offsets[pair[k] - first + 1]++;
  }
  for (uint64_t v = 0; v < own; v++) rows->offsets[v + 1] += rows->offsets[v];
}

/* Fills rows backwards, so that `ends` become the starts of the rows; frees blocks as they are read. */
static void fill_rows(sotto_i_rows *rows, uint64_t *ends, uint64_t first, uint64_t own) {
  for (size_t i = 0; i < rows->held; i++) {
    const uint32_t *pair = rows->blocks[i / block_pairs][i % block_pairs];
    for (int k = 0; k < 2; k++)
      if (pair[k] - first < own) rows->targets[--ends[pair[k] - first]] = pair[1 - k];
    if (i % block_pairs != block_pairs - 1) continue;
    sotto_i_free(rows->blocks[i / block_pairs]);
    rows->blocks[i / block_pairs] = NULL;
  }
}

/* Sorts each row, removes repeats, and moves it up to the previous row. */
static void sort_rows(sotto_i_rows *rows, uint64_t own) {
  uint64_t used = 0;
  for (uint64_t v = 0; v < own; v++) {
    uint32_t *row = rows->targets + rows->offsets[v];
    const size_t kept = sotto_i_row_sort_unique(row, rows->offsets[v + 1] - rows->offsets[v]);
    memmove(rows->targets + used, row, kept * sizeof *row);
    rows->offsets[v] = used;
    used += kept;
  }
  rows->offsets[own] = used;
}

/* Checks that every edge is in both of its rows, at whichever rank. If not, the sum of hashes is 0 with
 * probability 2^-64. */
static sotto_status check_symmetry(sotto_i_rows *rows, uint64_t first, uint64_t own, sotto_error *err) {
  const uint64_t key = UINT64_C(0x9E3779B97F4A7C15);
  uint64_t sum = 0;
  for (uint64_t v = 0; v < own; v++)
    for (uint64_t e = rows->offsets[v]; e < rows->offsets[v + 1]; e++)
      sum += sotto_i_edge_sign(first + v, rows->targets[e], key);
  const sotto_status status = sotto_i_ranks_sum(rows->mail.ranks, &sum, 1, err);
  if (status != SOTTO_OK || sum == 0) return status;
  return sotto_i_fail(err, SOTTO_CORRUPT,
                      "an edge is in only one of its two rows: a rank lost it; start again, and "
                      "report this");
}

/* Computes the position of own entries among those of all ranks, and the total of pairs. */
static sotto_status locate_entries(sotto_i_rows *rows, uint64_t own, sotto_error *err) {
  uint64_t *entries = NULL, sums[2] = {rows->pairs, rows->loops};
  size_t size = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_exchange_all((void **)&entries, &size, rows->mail.ranks, &rows->offsets[own],
                                 sizeof *entries, err));
  SOTTO_TRY(sotto_i_ranks_sum(rows->mail.ranks, sums, 2, err));
  rows->pairs = sums[0];
  rows->loops = sums[1];
  for (uint32_t r = 0; r < rows->mail.count; r++) {
    if (r < rows->mail.number) rows->before += entries[r];
    rows->entries += entries[r];
  }
done:
  sotto_i_free(entries);
  return status;
}

sotto_status sotto_i_rows_finish(sotto_i_rows *rows, sotto_error *err) {
  const uint64_t first = rows->first[rows->mail.number], own = rows->first[rows->mail.number + 1] - first;
  uint64_t *ends = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&rows->offsets, own + 1, sizeof *rows->offsets, err));
  count_rows(rows, first, own);
  SOTTO_TRY(sotto_i_new_raw(&ends, own, sizeof *ends, err));
  if (own > 0) memcpy(ends, rows->offsets + 1, own * sizeof *ends);
  SOTTO_TRY(sotto_i_new_raw(&rows->targets, rows->offsets[own], sizeof *rows->targets, err));
  fill_rows(rows, ends, first, own);
  free_blocks(rows);
  sort_rows(rows, own);
  SOTTO_TRY(check_symmetry(rows, first, own, err));
  SOTTO_TRY(locate_entries(rows, own, err));
done:
  sotto_i_free(ends);
  return status;
}
