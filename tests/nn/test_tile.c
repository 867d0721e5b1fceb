/* Tile kernels, of every instruction set that this machine has, against loops. */
#include <math.h>

#include "base/cpu.h"
#include "check.h"
#include "nn/tile.h"

enum { most_rows = 13, most_inner = 70, cols = 2 * SOTTO_I_TILE_COLS };

typedef struct data {
  double a[most_rows * most_inner], b[most_inner * cols], c[most_rows * cols];
} data;

static void fill(data *d, sotto_i_random *random) {
  for (size_t i = 0; i < sizeof d->a / sizeof *d->a; i++) d->a[i] = sotto_i_random_normal(random);
  for (size_t i = 0; i < sizeof d->b / sizeof *d->b; i++) d->b[i] = sotto_i_random_normal(random);
  for (size_t i = 0; i < sizeof d->c / sizeof *d->c; i++) d->c[i] = sotto_i_random_normal(random);
}

static void check_table(const sotto_i_tile_table *table, sotto_i_random *random) {
  static data d, before;
  for (size_t rows = 0; rows <= most_rows; rows++)
    for (int turned = 0; turned < 2; turned++) {
      size_t inner = rows * 5 + (size_t)turned;
      fill(&d, random);
      before = d;
      const sotto_i_tile tile = {.c = d.c,
                                 .a = d.a,
                                 .b = d.b,
                                 .row_step = turned ? 1 : most_inner,
                                 .inner_step = turned ? most_rows : 1,
                                 .rows = rows,
                                 .inner = inner,
                                 .cols = cols};
      table->multiply(&tile);
      for (size_t r = 0; r < most_rows; r++)
        for (size_t j = 0; j < cols; j++) {
          double wanted = before.c[r * cols + j];
          for (size_t t = 0; t < inner && r < rows; t++)
            wanted += d.a[r * tile.row_step + t * tile.inner_step] * d.b[t * cols + j];
          CHECK_NEAR(d.c[r * cols + j], wanted, 1e-12);
        }
    }
}

static void check_rows(const sotto_i_tile_table *table, sotto_i_random *random) {
  float from[53];
  double to[53];
  for (size_t count = 0; count <= 53; count++) {
    size_t filled, wanted = 0;
    double square = 0;
    for (size_t i = 0; i < count; i++) {
      from[i] = i % 3 == 0 ? (i % 2 == 0 ? 0.0F : -0.0F) : (float)sotto_i_random_normal(random);
      wanted += from[i] != 0;
      square += (double)from[i] * from[i];
    }
    table->widen(to, from, count);
    for (size_t i = 0; i < count; i++) assert_true(to[i] == from[i]);
    CHECK_NEAR(table->square(&filled, from, count), square, 1e-12);
    assert_int_equal(filled, wanted);
  }
}

/* What the clipped sums of DP-SGD rest on (clipped_gradient.c). */
static void check_alone(const sotto_i_tile_table *table, sotto_i_random *random) {
  static data d;
  static double alone[cols];
  fill(&d, random);
  sotto_i_tile tile = {.c = d.c,
                       .a = d.a,
                       .b = d.b,
                       .row_step = most_inner,
                       .inner_step = 1,
                       .rows = most_rows,
                       .inner = most_inner,
                       .cols = cols};
  memset(d.c, 0, sizeof d.c);
  table->multiply(&tile);
  tile.rows = 1;
  tile.c = alone;
  for (size_t r = 0; r < most_rows; r++, tile.a += most_inner) {
    memset(alone, 0, sizeof alone);
    table->multiply(&tile);
    assert_memory_equal(alone, d.c + r * cols, sizeof alone);
  }
}

static void a_row_has_the_same_bits_alone(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  const sotto_i_tile_table *const tables[] = {&sotto_i_tile_plain, &sotto_i_tile_avx2, &sotto_i_tile_avx512};
  for (int level = 0; level <= (int)sotto_i_isa(); level++) check_alone(tables[level], &random);
}

static void every_kernel_equals_the_loops(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  const sotto_i_tile_table *const tables[] = {&sotto_i_tile_plain, &sotto_i_tile_avx2, &sotto_i_tile_avx512};
  for (int level = 0; level <= (int)sotto_i_isa(); level++) {
    check_table(tables[level], &random);
    check_rows(tables[level], &random);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_kernel_equals_the_loops),
                                     cmocka_unit_test(a_row_has_the_same_bits_alone)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
