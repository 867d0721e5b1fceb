/* Numbers on the wire: exact where promised, within half a step elsewhere, and never made finite. */
#include <math.h>

#include "check.h"
#include "party/wire/link/transport.h"
#include "small_graph.h"

enum { rows = 40, cols = 33 };

static void round_trip(float *out, const float *in, size_t count, size_t width, sotto_wire_format format) {
  uint8_t bytes[rows * (cols + 1) * sizeof(float)];
  sotto_i_encode_rows(bytes, in, count, width, format);
  sotto_i_decode_rows(out, bytes, count, width, format);
}

static void float32_is_exact(void **state) {
  sotto_i_random random = check_random();
  sotto_matrix x = check_random_matrix(&random, rows, cols);
  float back[rows * cols];
  (void)state;
  round_trip(back, x.data, rows, cols, SOTTO_FORMAT_FLOAT32);
  assert_memory_equal(back, x.data, sizeof back);
  sotto_matrix_free(&x);
}

static void rounding_is_within_half_a_step(void **state) {
  sotto_i_random random = check_random();
  sotto_matrix x = check_random_matrix(&random, rows, cols);
  float back[rows * cols];
  (void)state;
  round_trip(back, x.data, rows, cols, SOTTO_FORMAT_BF16);
  for (size_t i = 0; i < rows * cols; i++) {
    double step = ldexp(1, ilogb(x.data[i]) - 7); /* 8 bits of mantissa */
    assert_true(fabs((double)back[i] - x.data[i]) <= step / 2);
  }
  round_trip(back, x.data, rows, cols, SOTTO_FORMAT_INT8);
  for (size_t r = 0; r < rows; r++) {
    double largest = 0;
    for (size_t j = 0; j < cols; j++) largest = fmax(largest, fabs((double)x.data[r * cols + j]));
    for (size_t j = 0; j < cols; j++)
      assert_true(fabs((double)back[r * cols + j] - x.data[r * cols + j]) <= largest / 254 * (1 + 1e-6));
  }
  sotto_matrix_free(&x);
}

/* Golden: 1 + 2^-8 lies between two numbers of bfloat16 and goes to the even one; 1 + 3 * 2^-8 goes up. */
static void bfloat16_rounds_to_even(void **state) {
  const float in[4] = {1 + 0x1p-8F, 1 + 3 * 0x1p-8F, -0.0F, 3.14159274F};
  const float wanted[4] = {1, 1 + 0x1p-6F, -0.0F, 3.140625F};
  float out[4];
  (void)state;
  round_trip(out, in, 1, 4, SOTTO_FORMAT_BF16);
  assert_memory_equal(out, wanted, sizeof out);
}

static void a_row_of_norm_1_stays_within_the_slack(void **state) {
  sotto_i_random random = check_random();
  float back[rows * cols];
  (void)state;
  for (int repeat = 0; repeat < 50; repeat++) {
    sotto_matrix x = check_random_matrix(&random, rows, cols);
    for (size_t r = 0; r < rows; r++) {
      double square = 0;
      for (size_t j = 0; j < cols; j++) square += (double)x.data[r * cols + j] * x.data[r * cols + j];
      for (size_t j = 0; j < cols; j++) x.data[r * cols + j] /= (float)sqrt(square);
    }
    for (int format = SOTTO_FORMAT_BF16; format < SOTTO_FORMATS; format++) {
      double most = 1 + sotto_i_format_slack((sotto_wire_format)format, cols) + 1e-6;
      round_trip(back, x.data, rows, cols, (sotto_wire_format)format);
      for (size_t r = 0; r < rows; r++) {
        double square = 0;
        for (size_t j = 0; j < cols; j++) square += (double)back[r * cols + j] * back[r * cols + j];
        assert_true(sqrt(square) <= most);
      }
    }
    sotto_matrix_free(&x);
  }
}

static void what_is_not_finite_stays_so(void **state) {
  const float bad[3] = {INFINITY, -INFINITY, NAN};
  float out[2];
  (void)state;
  for (int format = 0; format < SOTTO_FORMATS; format++)
    for (int i = 0; i < 3; i++) {
      const float in[2] = {bad[i], 1};
      round_trip(out, in, 1, 2, (sotto_wire_format)format);
      assert_false(isfinite(out[0]));
    }
}

static void rounded_rows_are_those_that_arrive(void **state) {
  sotto_i_random random = check_random();
  float back[rows * cols];
  (void)state;
  for (int format = SOTTO_FORMAT_FLOAT32; format < SOTTO_FORMATS; format++) {
    sotto_matrix x = check_random_matrix(&random, rows, cols);
    round_trip(back, x.data, rows, cols, (sotto_wire_format)format);
    CHECK_OK(sotto_i_round_rows(&x, (sotto_wire_format)format, &err));
    assert_memory_equal(back, x.data, sizeof back);
    sotto_matrix_free(&x);
  }
}

static void sizes_that_no_memory_holds_are_refused(void **state) {
  uint64_t bytes;
  sotto_i_header h = {.rows = (uint64_t)1 << 40, .cols = (uint64_t)1 << 30};
  (void)state;
  assert_false(sotto_i_payload_bytes(&bytes, &h));
  h.cols = UINT64_MAX;
  assert_false(sotto_i_payload_bytes(&bytes, &h));
  h = (sotto_i_header){.rows = 10, .cols = 3, .format = SOTTO_FORMAT_INT8};
  assert_true(sotto_i_payload_bytes(&bytes, &h));
  assert_int_equal(bytes, 70);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(float32_is_exact),
      cmocka_unit_test(rounding_is_within_half_a_step),
      cmocka_unit_test(bfloat16_rounds_to_even),
      cmocka_unit_test(a_row_of_norm_1_stays_within_the_slack),
      cmocka_unit_test(what_is_not_finite_stays_so),
      cmocka_unit_test(rounded_rows_are_those_that_arrive),
      cmocka_unit_test(sizes_that_no_memory_holds_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
