/* Products with a narrow second factor: a tile of sums in registers, without copying a factor. Part of
 * kernels_body.h.
 *
 * Each step of a tile reads NARROW_VECTORS vectors of b and narrow_rows numbers of a, and makes their
 * product of multiply-adds. OpenBLAS copies blocks of both factors first, which is faster only when a
 * block of a meets many columns of b. */
#if defined(__AVX512F__)
#define NARROW_LANES      16
#define NARROW_VECTORS    4
#define NARROW_MOST       256
#define NARROW_INNER      1024
#define NARROW_TRANSPOSED 128
#define NARROW_FETCHES    0 /* 1: later rows of a are prefetched */
#elif defined(__AVX2__)
#define NARROW_LANES      8
#define NARROW_VECTORS    2
#define NARROW_MOST       64
#define NARROW_INNER      1024
#define NARROW_TRANSPOSED 32
#define NARROW_FETCHES    1
#else
#define NARROW_LANES      4
#define NARROW_VECTORS    4
#define NARROW_MOST       0 /* OpenBLAS has its own kernels for this processor */
#define NARROW_INNER      1024
#define NARROW_TRANSPOSED 128
#define NARROW_FETCHES    0
#endif

enum {
  narrow_rows = 6,
  narrow_run = 16, /* columns are a multiple of this */
  /* columns processed for a few rows before the next rows, so that a is read from memory once */
  narrow_band = 64,
  narrow_line = 16, /* floats per cache line */
};

/* As wide as a register: compilers keep wider sums in memory. */
typedef float narrow_vector __attribute__((vector_size(NARROW_LANES * 4), aligned(4), may_alias));

/* `rows` and `vectors` are constants once inlined, so that the sums stay in registers. */
static inline __attribute__((always_inline)) void
narrow_tile(const sotto_i_narrow *t, size_t first, size_t col, const size_t rows, const size_t vectors) {
  narrow_vector sum[narrow_rows][NARROW_VECTORS];
  const float *a = t->a + first * t->row_step, *b = t->b + col;
  const float *start = t->start == NULL ? NULL : t->start + first * t->start_step + col;
  float *c = t->c + first * t->cols + col;
  /* Prefetches a share of the next rows of a at the same terms; the tile's columns choose the share. */
  const bool fetches = NARROW_FETCHES && t->inner_step == 1 && first + 2 * rows <= t->rows;
  const size_t tiles = t->cols / (vectors * NARROW_LANES), tile = col / (vectors * NARROW_LANES);
  const size_t fetch = tile * rows / tiles, fetch_end = fetches ? (tile + 1) * rows / tiles : 0;
  for (size_t r = 0; r < rows; r++)
    for (size_t v = 0; v < vectors; v++)
      sum[r][v] = start == NULL ? (narrow_vector){0}
                                : *(const narrow_vector *)(start + r * t->start_step + v * NARROW_LANES);
  for (size_t k = 0; k < t->inner; k++, b += t->cols, a += t->inner_step) {
    narrow_vector row[NARROW_VECTORS];
    for (size_t v = 0; v < vectors; v++) row[v] = *(const narrow_vector *)(b + v * NARROW_LANES);
    if (t->ahead > 0) __builtin_prefetch(a + t->ahead, 0, 2);
    if (fetches && k % narrow_line == 0)
      for (size_t r = fetch; r < fetch_end; r++) __builtin_prefetch(a + (rows + r) * t->row_step, 0, 2);
    for (size_t r = 0; r < rows; r++)
      for (size_t v = 0; v < vectors; v++) sum[r][v] += a[r * t->row_step] * row[v];
  }
  for (size_t r = 0; r < rows; r++)
    for (size_t v = 0; v < vectors; v++) *(narrow_vector *)(c + r * t->cols + v * NARROW_LANES) = sum[r][v];
}

/* Columns [from, to) of `rows` rows. */
static inline __attribute__((always_inline)) void
narrow_row_block(const sotto_i_narrow *t, size_t first, size_t from, size_t to, const size_t rows) {
  const size_t most = NARROW_LANES * NARROW_VECTORS;
  size_t col = from;
  for (; col + most <= to; col += most) narrow_tile(t, first, col, rows, NARROW_VECTORS);
  for (; col < to; col += narrow_run) narrow_tile(t, first, col, rows, narrow_run / NARROW_LANES);
}

static void narrow(const sotto_i_narrow *t) {
  for (size_t from = 0; from < t->cols; from += narrow_band) {
    const size_t to = t->cols - from < narrow_band ? t->cols : from + narrow_band;
    size_t r = 0;
    for (; r + narrow_rows <= t->rows; r += narrow_rows) narrow_row_block(t, r, from, to, narrow_rows);
    for (; r + 2 <= t->rows; r += 2) narrow_row_block(t, r, from, to, 2);
    if (r < t->rows) narrow_row_block(t, r, from, to, 1);
  }
}
#undef NARROW_LANES
#undef NARROW_VECTORS
#undef NARROW_FETCHES
