/* The product over Z_2^64: packs the right factor into panels as wide as the kernel's tile, then
 * distributes rows of tiles to the threads. */
#include <string.h>

#include "base/cpu.h"
#include "base/memory.h"
#include "base/threads.h"
#include "inside/mpc.h"
#include "ring.h"

enum { depth_block = 128, row_block = 32 };

static void plain_tile(uint64_t *tile, const uint64_t *const *rows, const uint64_t *panel, size_t depth) {
  memset(tile, 0, 16 * sizeof *tile);
  for (size_t k = 0; k < depth; k++)
    for (size_t i = 0; i < 4; i++)
      for (size_t j = 0; j < 4; j++) tile[4 * i + j] += rows[i][k] * panel[4 * k + j];
}

const sotto_i_ring_kernel sotto_i_ring_plain = {4, 4, plain_tile};

typedef struct job {
  const sotto_i_ring_kernel *kernel;
  sotto_ring *out;
  const sotto_ring *a, *b;
  uint64_t *panels; /* [panel][k][width], zeros beyond the last column */
  bool add;
} job;

static void pack_panels(void *context, size_t begin, size_t end) {
  const job *j = context;
  size_t width = j->kernel->width, depth = j->b->rows, cols = j->b->cols;
  for (size_t p = begin; p < end; p++) {
    uint64_t *panel = j->panels + p * depth * width;
    size_t first = p * width, wide = cols - first < width ? cols - first : width;
    for (size_t k = 0; k < depth; k++) {
      memcpy(panel + k * width, j->b->data + k * cols + first, wide * sizeof *panel);
      memset(panel + k * width + wide, 0, (width - wide) * sizeof *panel);
    }
  }
}

/* Computes one tile over one block of the inner dimension. Rows beyond the last repeat it and are not
 * stored. */
static void add_tile(const job *j, size_t row, size_t row_end, size_t panel, size_t k, size_t depth) {
  size_t width = j->kernel->width, height = j->kernel->height, inner = j->a->cols, cols = j->out->cols;
  const uint64_t *rows[SOTTO_I_RING_HEIGHT] = {NULL};
  uint64_t tile[SOTTO_I_RING_HEIGHT * SOTTO_I_RING_WIDTH] __attribute__((aligned(64)));
  size_t high = row_end - row < height ? row_end - row : height;
  size_t first = panel * width, wide = cols - first < width ? cols - first : width;
  for (size_t i = 0; i < height; i++) rows[i] = j->a->data + (row + (i < high ? i : high - 1)) * inner + k;
  j->kernel->tile(tile, rows, j->panels + (panel * inner + k) * width, depth);
  for (size_t i = 0; i < high; i++) {
    uint64_t *out = j->out->data + (row + i) * cols + first;
    for (size_t c = 0; c < wide; c++) out[c] += tile[i * width + c];
  }
}

static void multiply_rows(void *context, size_t begin, size_t end) {
  const job *j = context;
  size_t width = j->kernel->width, inner = j->a->cols, cols = j->out->cols;
  if (!j->add) memset(j->out->data + begin * cols, 0, (end - begin) * cols * sizeof *j->out->data);
  for (size_t k = 0; k < inner; k += depth_block) {
    size_t depth = inner - k < depth_block ? inner - k : depth_block;
    for (size_t panel = 0; panel * width < cols; panel++)
      for (size_t row = begin; row < end; row += j->kernel->height) add_tile(j, row, end, panel, k, depth);
  }
}

sotto_status sotto_i_ring_product_by(const sotto_i_ring_kernel *kernel, sotto_ring *out, const sotto_ring *a,
                                     const sotto_ring *b, bool add, sotto_error *err) {
  job j = {kernel, out, a, b, NULL, add};
  size_t panels = (b->cols + kernel->width - 1) / kernel->width;
  if (a->cols != b->rows || out->rows != a->rows || out->cols != b->cols)
    return sotto_i_fail(err, SOTTO_RANGE,
                        "a product of %zu x %zu by %zu x %zu into %zu x %zu: the shapes do not fit", a->rows,
                        a->cols, b->rows, b->cols, out->rows, out->cols);
  SOTTO_I_CHECK(out->data != a->data && out->data != b->data);
  sotto_status status = sotto_i_new_raw(&j.panels, panels * b->rows, kernel->width * sizeof *j.panels, err);
  if (status != SOTTO_OK) return status;
  sotto_i_parallel(panels, 4, pack_panels, &j);
  if (out->cols > 0) sotto_i_parallel(out->rows, row_block, multiply_rows, &j);
  sotto_i_free(j.panels);
  return SOTTO_OK;
}

static const sotto_i_ring_kernel *best_kernel(void) {
#if defined(__x86_64__)
  if (sotto_i_isa() == SOTTO_I_ISA_AVX512) return &sotto_i_ring_avx512;
  if (sotto_i_isa() == SOTTO_I_ISA_AVX2) return &sotto_i_ring_avx2;
#endif
  return &sotto_i_ring_plain;
}

sotto_status sotto_ring_product(sotto_ring *out, const sotto_ring *a, const sotto_ring *b, bool add,
                                sotto_error *err) {
  return sotto_i_ring_product_by(best_kernel(), out, a, b, add, err);
}
