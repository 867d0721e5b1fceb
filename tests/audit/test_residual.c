/* Bets on repeated draws of a release: sound noise is hardly ever objected to, each fault is. */
#include <math.h>

#include "audit/statistics/residual.h"
#include "check.h"

enum { rows = 40, cols = 3, cells = rows * cols };

typedef enum fault { sound, none, half, one_row, again, alike, faults } fault;
static const char *const names[] = {"sound", "none", "half", "one row", "again", "alike"};

/* A law, and the exact table under it. */
typedef struct law {
  sotto_i_residual like;
  bool whole;
} law;

static const law gaussian = {.like = {.law = SOTTO_I_RESIDUAL_NUMBERS,
                                      .mechanism = SOTTO_MECHANISM_GAUSSIAN,
                                      .unit = 3,
                                      .rows = rows,
                                      .cols = cols}},
                 laplace = {.like = {.law = SOTTO_I_RESIDUAL_NUMBERS,
                                     .mechanism = SOTTO_MECHANISM_LAPLACE,
                                     .unit = 5,
                                     .rows = rows,
                                     .cols = cols}},
                 whole = {.like = {.law = SOTTO_I_RESIDUAL_NUMBERS,
                                   .mechanism = SOTTO_MECHANISM_LAPLACE,
                                   .unit = 2,
                                   .step = 0.5,
                                   .rows = rows,
                                   .cols = cols},
                          .whole = true};

/* A discrete Laplace draw: the difference of two geometric ones. */
static double laplace_of(sotto_i_random *random, double scale, bool whole_steps) {
  const double a = -log1p(-sotto_i_random_double(random)) * scale,
               b = -log1p(-sotto_i_random_double(random)) * scale;
  return whole_steps ? floor(a) - floor(b) : a - b;
}

static double noise_of(const law *l, sotto_i_random *random, double share) {
  if (l->like.law == SOTTO_I_RESIDUAL_NUMBERS && l->like.mechanism == SOTTO_MECHANISM_GAUSSIAN)
    return share * l->like.unit * sotto_i_random_normal(random);
  return laplace_of(random, share * l->like.unit, l->whole);
}

static void draw(float out[cells], const law *l, fault f, sotto_i_random *random) {
  const sotto_i_random before = *random;
  for (size_t i = 0; i < cells; i++) {
    double noise = noise_of(l, random, f == half ? 0.5 : 1);
    if (f == none || (f == one_row && i / cols == 7)) noise = 0;
    if (f == alike && i / cols % 2 == 1) noise = (double)out[i - cols] - (double)(i - cols);
    out[i] = (float)((double)i + noise);
  }
  if (f == again) *random = before;
}

static double evidence(sotto_i_residual *r, const law *l, fault f, sotto_i_random *random, uint64_t draws) {
  float x[cells];
  double most = 0;
  CHECK_OK(sotto_i_residual_new(r, &l->like, &err));
  for (uint64_t d = 0; d < draws; d++) {
    draw(x, l, f, random);
    sotto_i_residual_add(r, x);
    most = fmax(most, sotto_i_residual_evidence(r));
  }
  return most;
}

static void faults_are_objected_to_at_a_billionth(void **state) {
  (void)state;
  const law *const laws[] = {&gaussian, &laplace, &whole};
  sotto_i_random random = check_random();
  for (size_t i = 0; i < 3; i++)
    for (fault f = none; f < faults; f++) {
      sotto_i_residual r;
      const double shown = evidence(&r, laws[i], f, &random, 64);
      if (!(shown > log(1e11))) fail_msg("law %zu, %s: only %g", i, names[f], shown);
      sotto_i_residual_free(&r);
    }
}

/* Ville: above 20 at any time with a probability of at most 5%, of the same data above 1e4 with 1e-4. */
static void sound_noise_is_objected_to_no_more_often_than_stated(void **state) {
  (void)state;
  const law *const laws[] = {&gaussian, &laplace, &whole};
  enum { repeats = 200 };
  sotto_i_random random = check_random();
  for (size_t i = 0; i < 3; i++) {
    int alarms = 0, loud = 0;
    for (int k = 0; k < repeats; k++) {
      sotto_i_residual r;
      const double shown = evidence(&r, laws[i], sound, &random, 12);
      alarms += shown > log(20);
      loud += shown > log(1e4);
      sotto_i_residual_free(&r);
    }
    assert_true(alarms <= 23 && loud <= 2); /* Binomial(200, 5%): more once in some thousand times */
  }
}

/* A bet is fair on average: one cell after a draw, over the law of the next one. */
static void a_bet_on_whole_numbers_is_fair_for_every_mean(void **state) {
  (void)state;
  for (int shift = 0; shift < 3; shift++) {
    double mean = 0, all = 0;
    for (int k = -80; k <= 80; k++) {
      const sotto_i_residual like = {.law = SOTTO_I_RESIDUAL_NUMBERS,
                                     .mechanism = SOTTO_MECHANISM_LAPLACE,
                                     .unit = 2,
                                     .step = 0.5,
                                     .rows = 1,
                                     .cols = 1};
      const float before = (float)shift, next = (float)k;
      sotto_i_residual r;
      CHECK_OK(sotto_i_residual_new(&r, &like, &err));
      sotto_i_residual_add(&r, &before);
      sotto_i_residual_add(&r, &next);
      const double chance = exp(-fabs((double)k) / 2) * tanh(0.25);
      mean += chance * exp(sotto_i_residual_evidence(&r));
      all += chance;
      sotto_i_residual_free(&r);
    }
    CHECK_NEAR(all, 1, 1e-12);
    assert_true(mean < 1 + 1e-9);
  }
}

static void answers_and_scaled_rows_without_noise_are_objected_to(void **state) {
  (void)state;
  const sotto_i_residual answers = {.law = SOTTO_I_RESIDUAL_ANSWERS,
                                    .agree = {0.58, 0.745, 1}, /* two choices, a flip of 0.3 */
                                    .rows = 200,
                                    .cols = 1},
                         scaled = {.law = SOTTO_I_RESIDUAL_PROCESSED, .rows = 20, .cols = 4};
  sotto_i_random random = check_random();
  for (int faulty = 0; faulty < 2; faulty++) {
    sotto_i_residual r;
    float x[200];
    CHECK_OK(sotto_i_residual_new(&r, &answers, &err));
    for (int d = 0; d < 32; d++) {
      for (size_t i = 0; i < 200; i++) x[i] = faulty == 0 && sotto_i_random_double(&random) < 0.3;
      sotto_i_residual_add(&r, x);
    }
    assert_true((sotto_i_residual_evidence(&r) > log(1e11)) == (faulty == 1));
    sotto_i_residual_free(&r);
    CHECK_OK(sotto_i_residual_new(&r, &scaled, &err));
    for (int d = 0; d < 16; d++) { /* one row alone has none */
      for (size_t i = 0; i < 80; i++)
        x[i] = faulty == 1 && i / 4 == 3 ? 0.5F : (float)sotto_i_random_double(&random);
      sotto_i_residual_add(&r, x);
    }
    assert_true((sotto_i_residual_evidence(&r) > log(1e11)) == (faulty == 1));
    sotto_i_residual_free(&r);
  }
}

/* Rows around exact ones, scaled to norm 1: only their directions are there. */
static void directions_of_rows_with_less_noise_are_objected_to(void **state) {
  (void)state;
  enum { many = 400, wide = 8 };
  const sotto_i_residual like = {.law = SOTTO_I_RESIDUAL_DIRECTIONS, .unit = 0.5, .rows = many, .cols = wide};
  static float exact[many * wide], shown[many * wide];
  sotto_i_random random = check_random();
  for (size_t i = 0; i < many * wide; i++) exact[i] = (float)sotto_i_random_normal(&random);
  for (int halves = 2; halves >= 0; halves--) {
    sotto_i_residual r;
    for (size_t v = 0; v < many; v++) {
      double square = 0;
      for (size_t i = v * wide; i < (v + 1) * wide; i++) {
        shown[i] = exact[i] + (float)(0.25 * halves * sotto_i_random_normal(&random));
        square += (double)shown[i] * shown[i];
      }
      for (size_t i = v * wide; i < (v + 1) * wide; i++) shown[i] = (float)(shown[i] / sqrt(square));
    }
    CHECK_OK(sotto_i_residual_new(&r, &like, &err));
    sotto_i_residual_centre(&r, exact);
    sotto_i_residual_add(&r, shown);
    assert_true((sotto_i_residual_evidence(&r) > log(1e9)) == (halves < 2));
    sotto_i_residual_free(&r);
  }
}

static void two_releases_with_the_same_noise_are_objected_to(void **state) {
  (void)state;
  sotto_i_random random = check_random(), same;
  sotto_i_residual one, other;
  (void)evidence(&one, &whole, sound, &random, 16);
  (void)evidence(&other, &whole, sound, &random, 16);
  assert_true(sotto_i_residual_repeated(&one, &other) < log(1e9));
  float x[cells], y[cells];
  same = random;
  draw(x, &whole, sound, &random);
  draw(y, &whole, sound, &same);
  sotto_i_residual_add(&one, x);
  sotto_i_residual_add(&other, y);
  assert_true(sotto_i_residual_repeated(&one, &other) > log(1e9));
  sotto_i_residual_free(&one);
  sotto_i_residual_free(&other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(faults_are_objected_to_at_a_billionth),
      cmocka_unit_test(sound_noise_is_objected_to_no_more_often_than_stated),
      cmocka_unit_test(a_bet_on_whole_numbers_is_fair_for_every_mean),
      cmocka_unit_test(answers_and_scaled_rows_without_noise_are_objected_to),
      cmocka_unit_test(directions_of_rows_with_less_noise_are_objected_to),
      cmocka_unit_test(two_releases_with_the_same_noise_are_objected_to),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
