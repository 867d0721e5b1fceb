/* Sparse features of a file that ranks share: mapped, so that a rank has those pages in memory whose rows it
 * asks for. What entries promise, and the checksum of the dense table, are looked at by one rank each. */
#include <errno.h>
#include <sodium.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cancel.h"
#include "base/memory.h"
#include "base/progress.h"
#include "block.h"
#include "graph/dataset.h"
#include "graph/features.h"

enum { window_rows = 1 << 12 };

static sotto_status map_file(sotto_i_block *b, sotto_error *err) {
  void *data = mmap(NULL, (size_t)b->file.size, PROT_READ, MAP_PRIVATE, b->file.descriptor, 0);
  if (data == MAP_FAILED)
    return sotto_i_fail(err, SOTTO_IO, "%s: could not map it into memory: %s", b->file.path, strerror(errno));
  b->map = (sotto_i_map){.data = data, .size = (size_t)b->file.size, .mapped = true};
  return SOTTO_OK;
}

/* Rows first to first + rows - 1, by themselves: the border to other rows is checked with each of them. */
static sotto_status check_window(const sotto_i_block *b, uint64_t *offsets, uint64_t first, size_t rows,
                                 uint64_t total, sotto_error *err) {
  const sotto_entries *e = &b->entries;
  const uint64_t begin = e->offsets[first], end = e->offsets[first + rows];
  sotto_error why = {0};
  if (begin > end || end > total)
    return sotto_i_fail(err, SOTTO_CORRUPT, "%s: section entry_offsets: features of node %llu do not fit",
                        b->file.path, (unsigned long long)first);
  for (size_t i = 0; i <= rows; i++) offsets[i] = e->offsets[first + i] - begin;
  const sotto_i_parts window = {.nodes = rows,
                                .width = b->cols,
                                .entries = {offsets, (uint32_t *)(uintptr_t)(e->columns + begin),
                                            (float *)(uintptr_t)(e->values + begin)}};
  const sotto_status status = sotto_i_entries_check(&window, &why);
  if (status != SOTTO_OK)
    return sotto_i_fail(err, status, "%s: counted from node %llu on: %s", b->file.path,
                        (unsigned long long)first, why.text);
  return SOTTO_OK;
}

static sotto_status check_own(const sotto_i_block *b, uint64_t total, sotto_error *err) {
  const uint64_t step = (uint64_t)window_rows * sotto_ranks_count(b->ranks);
  uint64_t *offsets = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&offsets, window_rows + 1, sizeof *offsets, err));
  for (uint64_t first = (uint64_t)window_rows * sotto_ranks_number(b->ranks); first < b->nodes;
       first += step) {
    const uint64_t left = b->nodes - first;
    SOTTO_TRY(sotto_i_check_interrupt(err));
    SOTTO_TRY(check_window(b, offsets, first, left < window_rows ? (size_t)left : window_rows, total, err));
  }
done:
  sotto_i_free(offsets);
  return status;
}

sotto_status sotto_i_block_find_entries(sotto_i_block *b, const sotto_i_native_header *h, sotto_error *err) {
  const uint64_t size = h->table[SOTTO_I_NATIVE_ENTRY_VALUES].size, total = size / sizeof(float);
  sotto_status status = SOTTO_OK;
  if (h->table[SOTTO_I_NATIVE_ENTRY_OFFSETS].offset == 0) return SOTTO_OK;
  SOTTO_TRY(sotto_i_features_check_size(h->nodes, h->width, true, b->file.path, (size_t)b->file.size, err));
  SOTTO_TRY(map_file(b, err));
  const uint8_t *data = b->map.data;
  b->entries =
      (sotto_entries){(const uint64_t *)(const void *)(data + h->table[SOTTO_I_NATIVE_ENTRY_OFFSETS].offset),
                      (const uint32_t *)(const void *)(data + h->table[SOTTO_I_NATIVE_ENTRY_COLUMNS].offset),
                      (const float *)(const void *)(data + h->table[SOTTO_I_NATIVE_ENTRY_VALUES].offset)};
  if (size % sizeof(float) != 0 || b->entries.offsets[0] != 0 || b->entries.offsets[b->nodes] != total) {
    status = sotto_i_fail(err, SOTTO_CORRUPT, "%s: section entry_offsets does not fit the %llu values",
                          b->file.path, (unsigned long long)total);
    goto done;
  }
  status = check_own(b, total, err);
done:
  return status;
}

sotto_status sotto_i_block_sum_entries(uint8_t sum[32], const sotto_i_block *b, sotto_error *err) {
  const uint64_t cells = b->nodes * b->cols, each = SOTTO_I_PIECE / sizeof(float);
  const size_t pieces = (size_t)((cells + each - 1) / each);
  uint8_t(*digests)[SOTTO_I_PIECE_DIGEST] = NULL;
  float *piece = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_ranks_meet(b->ranks, err)); /* all entries are in their columns */
  SOTTO_TRY(sotto_i_new_raw(&piece, SOTTO_I_PIECE, 1, err));
  SOTTO_TRY(sotto_i_new(&digests, sotto_i_block_pieces(b, pieces), sizeof *digests, err));
  for (size_t i = sotto_ranks_number(b->ranks), k = 0; i < pieces; i += sotto_ranks_count(b->ranks), k++) {
    const uint64_t first = i * each, end = cells - first < each ? cells : first + each;
    SOTTO_TRY(sotto_i_check_interrupt(err));
    sotto_i_entries_expand(piece, &b->entries, b->cols, first, end - first);
    crypto_generichash(digests[k], sizeof digests[k], (const uint8_t *)piece,
                       (size_t)(end - first) * sizeof *piece, NULL, 0);
  }
  SOTTO_TRY(sotto_i_block_sum_pieces(sum, b, digests, pieces, err));
  SOTTO_TRY(sotto_i_ranks_give(b->ranks, sum, 32, err));
  (void)madvise((void *)(uintptr_t)b->map.data, b->map.size, MADV_DONTNEED); /* read again when asked for */
done:
  sotto_i_free(piece);
  sotto_i_free(digests);
  return status;
}
