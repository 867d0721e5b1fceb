/* Reads the edges of a rank's own rows from the file, in windows of rows. */
#include "base/cancel.h"
#include "base/memory.h"
#include "base/progress.h"
#include "block.h"
#include "graph/csr.h"

enum { window_rows = 1 << 12 };

typedef struct edge_reading {
  sotto_i_block *block;
  uint64_t offsets_at, targets_at, entries;
  uint64_t *ends;   /* window_rows + 1 offsets of the window */
  uint32_t *window; /* targets of the window */
  size_t room;
  uint32_t *targets; /* of own rows */
  size_t used, stored;
  uint64_t sum; /* hash sum; 0 over all ranks when every edge is stored twice */
} edge_reading;

static sotto_status read_ends(edge_reading *r, uint64_t first, size_t rows, sotto_error *err) {
  const sotto_i_reader *file = &r->block->file;
  sotto_status status = sotto_i_reader_at(file, r->ends, (rows + 1) * sizeof *r->ends,
                                          r->offsets_at + first * sizeof *r->ends, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i <= rows; i++)
    if (r->ends[i] > r->entries || (i > 0 && r->ends[i] < r->ends[i - 1]) ||
        (first + i == 0 && r->ends[i] != 0) || (first + i == r->block->nodes && r->ends[i] != r->entries))
      return sotto_i_fail(err, SOTTO_CORRUPT,
                          "%s: section offsets: the offset of node %llu does not fit the number of entries",
                          file->path, (unsigned long long)(first + i));
  return SOTTO_OK;
}

static sotto_status count_own(edge_reading *r, uint64_t *offsets, sotto_error *err) {
  const sotto_i_block *b = r->block;
  size_t row = 0;
  for (uint64_t first = 0; first < b->nodes; first += window_rows) {
    const uint64_t left = b->nodes - first;
    const size_t rows = left < window_rows ? left : window_rows;
    const sotto_status status = read_ends(r, first, rows, err);
    if (status != SOTTO_OK) return status;
    for (; row < b->count && b->own[row] < first + rows; row++) {
      const size_t i = b->own[row] - first;
      offsets[row + 1] = offsets[row] + (r->ends[i + 1] - r->ends[i]);
    }
  }
  return SOTTO_OK;
}

static sotto_status keep_row(edge_reading *r, uint64_t node, const uint32_t *targets, size_t degree,
                             sotto_error *err) {
  const sotto_i_block *b = r->block;
  for (size_t i = 0; i < degree; i++) {
    if (targets[i] >= b->nodes || targets[i] == node || (i > 0 && targets[i] <= targets[i - 1]))
      return sotto_i_fail(err, SOTTO_CORRUPT,
                          "%s: section targets: entry %zu of node %llu is %u, which is not ascending, is the "
                          "node itself or is no node",
                          b->file.path, i, (unsigned long long)node, targets[i]);
    r->sum += sotto_i_edge_sign(node, targets[i], b->key);
    r->targets[r->used++] = targets[i];
  }
  return SOTTO_OK;
}

static sotto_status read_window(edge_reading *r, uint64_t first, size_t rows, size_t *row, sotto_error *err) {
  const sotto_i_block *b = r->block;
  sotto_status status;
  SOTTO_TRY(sotto_i_check_interrupt(err));
  SOTTO_TRY(read_ends(r, first, rows, err));
  const uint64_t begin = r->ends[0], count = r->ends[rows] - begin;
  SOTTO_TRY(sotto_i_grow(&r->window, &r->room, count, sizeof *r->window, err));
  SOTTO_TRY(sotto_i_reader_at(&b->file, r->window, count * sizeof *r->window,
                              r->targets_at + begin * sizeof *r->window, err));
  for (; *row < b->count && b->own[*row] < first + rows; ++*row) {
    const size_t i = b->own[*row] - first;
    SOTTO_TRY(keep_row(r, b->own[*row], r->window + (r->ends[i] - begin), r->ends[i + 1] - r->ends[i], err));
  }
done:
  return status;
}

sotto_status sotto_i_block_read_edges(sotto_i_block *b, uint64_t offsets_at, uint64_t targets_at,
                                      uint64_t entries, sotto_error *err) {
  edge_reading r = {.block = b, .offsets_at = offsets_at, .targets_at = targets_at, .entries = entries};
  uint64_t *offsets = NULL;
  size_t row = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&r.ends, window_rows + 1, sizeof *r.ends, err));
  SOTTO_TRY(sotto_i_new(&offsets, b->count + 1, sizeof *offsets, err));
  SOTTO_TRY(count_own(&r, offsets, err));
  SOTTO_TRY(sotto_i_new_raw(&r.targets, offsets[b->count], sizeof *r.targets, err));
  for (uint64_t first = 0; first < b->nodes; first += window_rows) {
    const uint64_t left = b->nodes - first;
    SOTTO_TRY(read_window(&r, first, left < window_rows ? left : window_rows, &row, err));
  }
  SOTTO_TRY(sotto_i_ranks_sum(b->ranks, &r.sum, 1, err));
  if (r.sum != 0) {
    status = sotto_i_fail(err, SOTTO_CORRUPT,
                          "%s: section targets: an edge is stored in only one of its two rows", b->file.path);
    goto done;
  }
  b->graph = (sotto_graph){b->count, offsets[b->count], offsets, r.targets};
  offsets = NULL;
  status = sotto_i_block_find_halo(b, r.targets, err);
  r.targets = NULL;
done:
  sotto_i_free(r.ends);
  sotto_i_free(r.window);
  sotto_i_free(r.targets);
  sotto_i_free(offsets);
  return status;
}
