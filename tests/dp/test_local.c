/* Local mechanisms: randomised response and the multi-bit encoder. */
#include <math.h>

#include "check.h"
#include "chi_square.h"
#include "inside/dp.h"
#include "sotto/dp.h"

/* By the definition, from the exact probabilities. */
static double response_epsilon(const sotto_response *r) {
  double p = ldexp((double)r->flip, -64);
  return log((1 - p) * ((double)r->choices - 1) / p);
}

static void a_response_never_costs_more_than_asked(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 5000; round++) {
    uint32_t choices = 2 + (uint32_t)sotto_i_random_below(&random, 100);
    double epsilon = exp2(sotto_i_random_double(&random) * 25 - 20);
    sotto_response response;
    CHECK_OK(sotto_response_new(&response, choices, epsilon, &err));
    assert_true(response.epsilon <= epsilon && response_epsilon(&response) <= epsilon + 1e-15);
    assert_true(response.epsilon > epsilon * (1 - 1e-5));
    sotto_mechanism mechanism = sotto_response_mechanism(&response);
    CHECK_OK(sotto_mechanism_check(&mechanism, &err));
    double accounted = 0;
    CHECK_OK(sotto_account_epsilon(&accounted, &mechanism, 1, 0, SOTTO_ACCOUNTANT_PLD, &err));
    CHECK_NEAR(accounted, epsilon, 1e-3);
  }
}

static void answers_have_the_stated_probabilities(void **state) {
  (void)state;
  enum { count = 60000, choices = 5 };
  static int32_t values[count];
  sotto_i_random random = check_random();
  sotto_response response;
  sotto_key key;
  sotto_key_insecure(&key, sotto_i_random_u64(&random));
  CHECK_OK(sotto_response_new(&response, choices, 1.2, &err));
  for (int i = 0; i < count; i++) values[i] = 3;
  CHECK_OK(sotto_response_apply(values, count, &response, &key, 0, &err));
  uint64_t seen[choices] = {0};
  for (int i = 0; i < count; i++) seen[values[i]]++;
  double expected[choices], lie = (choices - 1) / (exp(1.2) + choices - 1);
  for (int c = 0; c < choices; c++) expected[c] = count * (c == 3 ? 1 - lie : lie / (choices - 1));
  assert_true(chi_square_z(seen, expected, choices) < CHI_SQUARE_LIMIT);
  expected[3] *= 1.05; /* a planted fault */
  expected[2] -= 0.05 / 1.05 * expected[3];
  assert_true(chi_square_z(seen, expected, choices) > CHI_SQUARE_LIMIT);
}

static void responses_refuse_wrong_values_and_skip_missing_ones(void **state) {
  (void)state;
  sotto_response response;
  sotto_key key;
  sotto_key_system(&key);
  CHECK_FAILS(SOTTO_RANGE, "2 or more", sotto_response_new(&response, 1, 1, &err));
  CHECK_FAILS(SOTTO_RANGE, "40", sotto_response_new(&response, 2, 41, &err));
  CHECK_OK(sotto_response_new(&response, 2, 1e-3, &err));
  int32_t values[3] = {-1, 1, 2};
  CHECK_FAILS(SOTTO_RANGE, "value 2", sotto_response_apply(values, 3, &response, &key, 0, &err));
  assert_true(values[0] == -1 && values[1] == 1);
  CHECK_OK(sotto_response_apply(values, 1, &response, &key, 0, &err));
  assert_int_equal(values[0], -1);
  sotto_key_public(&key, 1);
  CHECK_FAILS(SOTTO_INVALID, "public", sotto_response_apply(values, 2, &response, &key, 0, &err));
}

static void the_multibit_encoder_draws_m_columns_of_every_row(void **state) {
  (void)state;
  enum { rows = 500, cols = 9, sampled = 4 };
  static float data[rows * cols];
  static int8_t codes[rows * cols];
  sotto_i_random random = check_random();
  sotto_multibit encoder;
  sotto_key key;
  sotto_key_insecure(&key, sotto_i_random_u64(&random));
  CHECK_OK(sotto_multibit_new(&encoder, -1, 1, rows, cols, sampled, 50, &err));
  sotto_matrix x = {data, rows, cols};
  CHECK_OK(sotto_multibit_encode(codes, &x, &encoder, &key, 0, &err));
  uint64_t seen[cols] = {0};
  for (int i = 0; i < rows; i++) {
    int drawn = 0;
    for (int j = 0; j < cols; j++) {
      drawn += codes[i * cols + j] != 0;
      seen[j] += codes[i * cols + j] != 0;
    }
    assert_int_equal(drawn, sampled);
  }
  for (int j = 0; j < cols; j++)
    assert_true(fabs((double)seen[j] - rows * 4 / 9.0) < 5 * sqrt(rows * 4 / 9.0));
}

static void the_multibit_decoder_is_unbiased(void **state) {
  (void)state;
  enum { rounds = 40000, cols = 4 };
  static float data[rounds * cols], back[rounds * cols];
  static int8_t codes[rounds * cols];
  static const float truth[cols] = {-2, 0.5F, 3, 1};
  sotto_i_random random = check_random();
  sotto_multibit encoder;
  sotto_key key;
  sotto_key_insecure(&key, sotto_i_random_u64(&random));
  for (int i = 0; i < rounds * cols; i++) data[i] = truth[i % cols];
  sotto_matrix x = {data, rounds, cols}, y = {back, rounds, cols};
  CHECK_OK(sotto_multibit_new(&encoder, -2, 3, rounds, cols, 2, 2.0 * rounds, &err));
  CHECK_OK(sotto_multibit_encode(codes, &x, &encoder, &key, 0, &err));
  CHECK_OK(sotto_multibit_decode(&y, codes, &encoder, &err));
  double reach = 2 * 2.5 * (exp(1) + 1) / (exp(1) - 1); /* a decoded value is 0.5 +- reach, or 0.5 */
  for (int j = 0; j < cols; j++) {
    double sum = 0;
    for (int i = 0; i < rounds; i++) sum += back[i * cols + j];
    assert_true(fabs(sum / rounds - truth[j]) < 5 * reach / sqrt(2.0 * rounds));
  }
}

/* Pr[code = 1] at the ends of the range: the ratio is exp(epsilon / (n m)), and no more. */
static void a_bit_costs_its_share_of_epsilon(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 2000; round++) {
    size_t rows = 1 + sotto_i_random_below(&random, 300), sampled = 1 + sotto_i_random_below(&random, 8);
    double epsilon = exp2(sotto_i_random_double(&random) * 10 - 6), bits = (double)(rows * sampled);
    sotto_multibit encoder;
    CHECK_OK(sotto_multibit_new(&encoder, 0, 1, rows, 8, sampled, epsilon, &err));
    double f = ldexp((double)encoder.flip, -64);
    assert_true(bits * log((1 - f) / f) <= epsilon + bits * 3e-16);
    assert_true(encoder.epsilon <= epsilon && encoder.epsilon > epsilon * (1 - 1e-6));
    sotto_mechanism mechanism = sotto_multibit_mechanism(&encoder);
    CHECK_OK(sotto_mechanism_check(&mechanism, &err));
    assert_true(mechanism.sampled == rows * sampled);
  }
}

static void the_multibit_encoder_refuses_what_does_not_fit(void **state) {
  (void)state;
  sotto_multibit encoder;
  sotto_key key;
  sotto_key_system(&key);
  float data[4] = {0, 1, NAN, 1};
  int8_t codes[4];
  sotto_matrix x = {data, 2, 2}, tall = {data, 4, 1};
  CHECK_FAILS(SOTTO_RANGE, "low < high", sotto_multibit_new(&encoder, 1, 1, 2, 2, 1, 1, &err));
  CHECK_FAILS(SOTTO_RANGE, "columns", sotto_multibit_new(&encoder, 0, 1, 2, 2, 3, 1, &err));
  CHECK_FAILS(SOTTO_RANGE, "a bit", sotto_multibit_new(&encoder, 0, 1, 2, 2, 1, INFINITY, &err));
  CHECK_OK(sotto_multibit_new(&encoder, 0, 1, 2, 2, 1, 1, &err));
  CHECK_FAILS(SOTTO_NUMERIC, "row 1", sotto_multibit_encode(codes, &x, &encoder, &key, 0, &err));
  CHECK_FAILS(SOTTO_INVALID, "4 x 1", sotto_multibit_encode(codes, &tall, &encoder, &key, 0, &err));
  CHECK_FAILS(SOTTO_INVALID, "4 x 1", sotto_multibit_decode(&tall, codes, &encoder, &err));
  sotto_key_public(&key, 1);
  CHECK_FAILS(SOTTO_INVALID, "public", sotto_multibit_encode(codes, &x, &encoder, &key, 0, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_response_never_costs_more_than_asked),
      cmocka_unit_test(answers_have_the_stated_probabilities),
      cmocka_unit_test(responses_refuse_wrong_values_and_skip_missing_ones),
      cmocka_unit_test(the_multibit_encoder_draws_m_columns_of_every_row),
      cmocka_unit_test(the_multibit_decoder_is_unbiased),
      cmocka_unit_test(a_bit_costs_its_share_of_epsilon),
      cmocka_unit_test(the_multibit_encoder_refuses_what_does_not_fit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
