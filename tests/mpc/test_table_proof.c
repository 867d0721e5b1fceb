/* Proofs on tables: complete, linear in shares, and refused when what they say is wrong. */
#include "check.h"
#include "mpc/table_proof.h"

enum { most = 1200 };

typedef struct made {
  sotto_i_table table;
  bool bits;
  uint64_t *values, *free_rows, *proof;
} made;

static uint64_t *numbers_new(size_t count) {
  uint64_t *out;
  CHECK_OK(sotto_i_new(&out, count, sizeof *out, &err));
  return out;
}

static void fill(uint64_t *out, size_t count, sotto_i_random *random, uint64_t bound) {
  for (size_t i = 0; i < count; i++) out[i] = sotto_i_random_below(random, bound);
}

static made make(sotto_i_random *random, size_t values, bool bits) {
  made m = {.table = bits ? sotto_i_table_of_bits(values) : sotto_i_table_of_squares(values), .bits = bits};
  m.values = numbers_new(values);
  m.free_rows = numbers_new(2 * m.table.width);
  m.proof = numbers_new(2 * m.table.nodes);
  fill(m.values, values, random, bits ? 2 : SOTTO_I_PRIME);
  fill(m.free_rows, 2 * m.table.width, random, SOTTO_I_PRIME);
  CHECK_OK(sotto_i_table_prove(m.proof, &m.table, m.values, m.free_rows, m.bits, &err));
  return m;
}

static void unmake(made *m) {
  sotto_i_free(m->values);
  sotto_i_free(m->free_rows);
  sotto_i_free(m->proof);
}

/* G at r by the proof, less what follows from the columns at r. */
static uint64_t gap_at(const made *m, uint64_t r) {
  uint64_t *small = numbers_new(m->table.nodes), *large = numbers_new(2 * m->table.nodes);
  uint64_t *columns = numbers_new(m->table.width), gap;
  sotto_i_lagrange(small, m->table.nodes, r);
  sotto_i_lagrange(large, 2 * m->table.nodes, r);
  sotto_i_table_at(columns, &m->table, m->values, m->free_rows, small);
  gap = sotto_i_prime_best()->dot(m->proof, large, 2 * m->table.nodes);
  for (size_t c = 0; c < m->table.width; c++) {
    const uint64_t f = columns[c];
    const uint64_t term = sotto_i_prime_mul(f, m->bits ? sotto_i_prime_sub(f, 1) : f);
    gap = sotto_i_prime_sub(gap, term);
  }
  sotto_i_free(small);
  sotto_i_free(large);
  sotto_i_free(columns);
  return gap;
}

static const size_t sizes[] = {1, 2, 3, 4, 5, 29, 63, 64, 65, 200, most};
enum { size_count = sizeof sizes / sizeof *sizes };

static void tables_hold_their_values(void **state) {
  (void)state;
  for (size_t values = 1; values < 3000; values++) {
    const sotto_i_table t = sotto_i_table_of_squares(values), bits = sotto_i_table_of_bits(values);
    assert_true(bits.width == 1 && bits.nodes >= values + 2 && (bits.nodes & (bits.nodes - 1)) == 0);
    assert_true((t.nodes & (t.nodes - 1)) == 0 && (t.nodes - 2) * t.width >= values);
    assert_true((t.nodes - 2) * (t.width - 1) < values && (t.nodes == 4 || t.nodes * t.nodes / 4 < values));
  }
}

static void honest_proofs_hold_at_any_point(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (size_t s = 0; s < size_count; s++)
    for (int bits = 0; bits < 2; bits++) {
      made m = make(&random, sizes[s], bits);
      uint64_t sum = 0, wanted = sotto_i_prime_best()->dot(m.values, m.values, sizes[s]);
      for (int i = 0; i < 5; i++) assert_true(gap_at(&m, sotto_i_random_below(&random, SOTTO_I_PRIME)) == 0);
      for (size_t row = 2; row < m.table.nodes; row++) {
        sum = sotto_i_prime_add(sum, m.proof[2 * row]);
        if (bits) assert_true(m.proof[2 * row] == 0);
      }
      if (!bits) assert_true(sum == wanted);
      unmake(&m);
    }
}

static void a_changed_number_anywhere_is_noticed(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  made m = make(&random, 200, false);
  struct {
    uint64_t *numbers;
    size_t count;
  } parts[] = {{m.values, 200}, {m.free_rows, 2 * m.table.width}, {m.proof, 2 * m.table.nodes}};
  for (size_t part = 0; part < 3; part++)
    for (size_t i = 0; i < parts[part].count; i++) {
      const uint64_t before = parts[part].numbers[i];
      parts[part].numbers[i] =
          sotto_i_prime_add(before, 1 + sotto_i_random_below(&random, SOTTO_I_PRIME - 1));
      assert_true(gap_at(&m, sotto_i_random_below(&random, SOTTO_I_PRIME)) != 0);
      parts[part].numbers[i] = before;
    }
  unmake(&m);
}

static void a_value_that_is_no_bit_is_noticed_in_its_row(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  made m = make(&random, 200, true);
  for (size_t i = 0; i < 200; i++) {
    const uint64_t before = m.values[i];
    m.values[i] = 2 + sotto_i_random_below(&random, SOTTO_I_PRIME - 2);
    CHECK_OK(sotto_i_table_prove(m.proof, &m.table, m.values, m.free_rows, m.bits, &err));
    assert_true(m.proof[2 * (2 + i)] != 0);
    m.values[i] = before;
  }
  unmake(&m);
}

/* Two shares of a table give shares of its columns at a point. */
static void columns_at_a_point_are_linear(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  made a = make(&random, 100, false), b = make(&random, 100, false);
  const size_t width = a.table.width;
  uint64_t *lagrange = numbers_new(a.table.nodes), *of[3];
  for (int i = 0; i < 3; i++) of[i] = numbers_new(width);
  sotto_i_lagrange(lagrange, a.table.nodes, sotto_i_random_below(&random, SOTTO_I_PRIME));
  sotto_i_table_at(of[0], &a.table, a.values, a.free_rows, lagrange);
  sotto_i_table_at(of[1], &b.table, b.values, b.free_rows, lagrange);
  sotto_i_prime_best()->add(a.values, b.values, 100);
  sotto_i_prime_best()->add(a.free_rows, b.free_rows, 2 * width);
  sotto_i_table_at(of[2], &a.table, a.values, a.free_rows, lagrange);
  for (size_t c = 0; c < width; c++) assert_true(of[2][c] == sotto_i_prime_add(of[0][c], of[1][c]));
  for (int i = 0; i < 3; i++) sotto_i_free(of[i]);
  sotto_i_free(lagrange);
  unmake(&a);
  unmake(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tables_hold_their_values),
      cmocka_unit_test(honest_proofs_hold_at_any_point),
      cmocka_unit_test(a_changed_number_anywhere_is_noticed),
      cmocka_unit_test(a_value_that_is_no_bit_is_noticed_in_its_row),
      cmocka_unit_test(columns_at_a_point_are_linear),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
