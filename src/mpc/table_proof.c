/* Polynomials through the columns of a table: proofs of squares and of bits, and values at a point. */
#include "table_proof.h"

#include <string.h>

#include "base/memory.h"
#include "base/threads.h"

enum { strip = 32, most_strips = 16 }; /* columns transformed at once; number of partial results */

sotto_i_table sotto_i_table_of_squares(size_t values) {
  sotto_i_table table = {.values = values, .nodes = 2 * SOTTO_I_TABLE_FREE};
  while (table.nodes * table.nodes < values) table.nodes *= 2;
  const size_t rows = table.nodes - SOTTO_I_TABLE_FREE;
  table.width = (values + rows - 1) / rows;
  return table;
}

sotto_i_table sotto_i_table_of_bits(size_t values) {
  sotto_i_table table = {.values = values, .nodes = 2 * SOTTO_I_TABLE_FREE, .width = 1};
  while (table.nodes - SOTTO_I_TABLE_FREE < values) table.nodes *= 2;
  return table;
}

typedef struct proof {
  const sotto_i_table *table;
  const uint64_t *values, *free_rows;
  bool bits;
  const sotto_i_prime_powers *powers;
  uint64_t *scratch; /* per range: nodes x strip numbers, then G at 2 nodes points */
  size_t grain;
} proof;

static size_t scratch_size(const sotto_i_table *table) {
  return table->nodes * (strip + 2);
}

/* Copies columns [first, first + count) of the table as rows of `count`. */
static void copy_strip(uint64_t *out, const proof *p, size_t first, size_t count) {
  const sotto_i_table *t = p->table;
  for (size_t m = 0; m < t->nodes; m++) {
    const bool is_free = m < SOTTO_I_TABLE_FREE;
    const size_t at = (is_free ? m : m - SOTTO_I_TABLE_FREE) * t->width + first;
    const size_t there = is_free                  ? count
                         : at >= t->values        ? 0
                         : t->values - at < count ? t->values - at
                                                  : count;
    if (there > 0) memcpy(out + m * count, (is_free ? p->free_rows : p->values) + at, there * sizeof *out);
    memset(out + m * count + there, 0, (count - there) * sizeof *out);
  }
}

/* The contribution of one row of a strip to G. */
static uint64_t row_sum(const uint64_t *row, size_t count, bool bits) {
  uint64_t sum = sotto_i_prime_best()->dot(row, row, count);
  for (size_t j = 0; bits && j < count; j++) sum = sotto_i_prime_sub(sum, row[j]);
  return sum;
}

static void prove_strips(void *context, size_t begin, size_t end) {
  const proof *p = context;
  const sotto_i_table *t = p->table;
  uint64_t *rows = p->scratch + begin / p->grain * scratch_size(t), *sums = rows + t->nodes * strip;
  memset(sums, 0, 2 * t->nodes * sizeof *sums);
  for (size_t i = begin; i < end; i++) {
    const size_t first = i * strip, count = t->width - first < strip ? t->width - first : strip;
    copy_strip(rows, p, first, count);
    for (size_t m = 0; m < t->nodes; m++)
      sums[2 * m] = sotto_i_prime_add(sums[2 * m], row_sum(rows + m * count, count, p->bits));
    sotto_i_prime_best()->shift(rows, count, p->powers);
    for (size_t m = 0; m < t->nodes; m++)
      sums[2 * m + 1] = sotto_i_prime_add(sums[2 * m + 1], row_sum(rows + m * count, count, p->bits));
  }
}

sotto_status sotto_i_table_prove(uint64_t *out, const sotto_i_table *table, const uint64_t *values,
                                 const uint64_t *free_rows, bool bits, sotto_error *err) {
  const size_t strips = (table->width + strip - 1) / strip;
  sotto_i_prime_powers powers = {0};
  proof p = {.table = table, .values = values, .free_rows = free_rows, .bits = bits, .powers = &powers};
  sotto_status status;
  p.grain = (strips + most_strips - 1) / most_strips;
  const size_t parts = (strips + p.grain - 1) / p.grain;
  SOTTO_TRY(sotto_i_prime_powers_new(&powers, table->nodes, err));
  SOTTO_TRY(sotto_i_new_raw(&p.scratch, parts * scratch_size(table), sizeof *p.scratch, err));
  sotto_i_parallel(strips, p.grain, prove_strips, &p);
  memset(out, 0, 2 * table->nodes * sizeof *out);
  for (size_t part = 0; part < parts; part++)
    sotto_i_prime_best()->add(out, p.scratch + part * scratch_size(table) + table->nodes * strip,
                              2 * table->nodes);
done:
  sotto_i_prime_powers_free(&powers);
  sotto_i_free(p.scratch);
  return status;
}

/* l_m(r) = w^m (r^n - 1) / (n (r - w^m)). One inversion inverts all differences. */
void sotto_i_lagrange(uint64_t *out, size_t n, uint64_t r) {
  const uint64_t w = sotto_i_prime_root(n);
  const uint64_t scale = sotto_i_prime_mul(sotto_i_prime_sub(sotto_i_prime_power(r, n), 1), //
                                           sotto_i_prime_inverse(n));
  SOTTO_I_CHECK(scale != 0);
  uint64_t product = 1, root = 1;
  for (size_t m = 0; m < n; m++) { /* products of the differences before m */
    out[m] = product;
    product = sotto_i_prime_mul(product, sotto_i_prime_sub(r, root));
    root = sotto_i_prime_mul(root, w);
  }
  uint64_t after = sotto_i_prime_inverse(product);
  const uint64_t back = sotto_i_prime_inverse(w);
  for (size_t m = n; m-- > 0;) {
    root = sotto_i_prime_mul(root, back);
    out[m] = sotto_i_prime_mul(sotto_i_prime_mul(out[m], after), sotto_i_prime_mul(root, scale));
    after = sotto_i_prime_mul(after, sotto_i_prime_sub(r, root));
  }
}

void sotto_i_table_at(uint64_t *out, const sotto_i_table *table, const uint64_t *values,
                      const uint64_t *free_rows, const uint64_t *lagrange) {
  const sotto_i_prime_kernels *k = sotto_i_prime_best();
  memset(out, 0, table->width * sizeof *out);
  for (size_t m = 0; m < SOTTO_I_TABLE_FREE; m++)
    k->add_scaled(out, free_rows + m * table->width, lagrange[m], table->width);
  for (size_t first = 0, m = SOTTO_I_TABLE_FREE; first < table->values; first += table->width, m++) {
    const size_t count = table->values - first < table->width ? table->values - first : table->width;
    k->add_scaled(out, values + first, lagrange[m], count);
  }
}
