/* Bets against randomised answers: fair where answers are as stated, and won where they are not. */
#include <math.h>

#include "audit/statistics/noise.h"
#include "check.h"
#include "inside/audit.h"

enum { cells = 64, rounds = 256 };

static void put(sotto_noise_draw *d, double flip, bool untrue) {
  d->rows = d->cols = 1;
  d->flip = flip;
  d->values[0] = untrue ? 1 : 0;
}

/* Over the four pairs of answers, each with its probability, no kind of bet wins or loses on average. */
static void every_bet_is_fair_where_answers_are_as_stated(void **state) {
  (void)state;
  static const double flips[] = {1e-3, 0.05, 0.3, 0.5, 0.98};
  static sotto_noise_draw draws[2];
  for (size_t f = 0; f < sizeof flips / sizeof *flips; f++) {
    double mean[SOTTO_I_NOISE_KINDS] = {0}, cell[SOTTO_I_NOISE_CELL_KINDS] = {0};
    for (int pair = 0; pair < 4; pair++) {
      sotto_i_noise_bets bets = {.cells = 0};
      double chance = 1;
      for (int which = 0; which < 2; which++) {
        const bool untrue = (pair >> which & 1) != 0;
        put(&draws[which], flips[f], untrue);
        chance *= untrue ? flips[f] : 1 - flips[f];
      }
      sotto_i_noise_bet(&bets, draws);
      for (int kind = 0; kind < SOTTO_I_NOISE_KINDS; kind++)
        mean[kind] += chance * exp(bets.log_capital[kind]);
      for (int kind = 0; kind < SOTTO_I_NOISE_CELL_KINDS; kind++)
        cell[kind] += chance * exp(bets.cell[kind][0]);
    }
    for (int kind = 0; kind < SOTTO_I_NOISE_CELL_KINDS; kind++) CHECK_NEAR(cell[kind], 1, 1e-12);
    for (int kind = 0; kind < SOTTO_I_NOISE_KINDS; kind++) CHECK_NEAR(mean[kind], 1, 1e-12);
  }
}

/* The evidence after so many rounds; `again`: the second draw is the first one. */
static double evidence(double stated, double real, bool again) {
  static sotto_noise_draw draws[2];
  sotto_i_random random = check_random();
  sotto_i_noise_bets bets = {.cells = 0};
  for (int round = 0; round < rounds; round++) {
    for (int which = 0; which < 2; which++) {
      draws[which] = (sotto_noise_draw){.rows = cells, .cols = 1, .flip = stated};
      for (size_t i = 0; i < cells; i++)
        draws[which].values[i] =
            again && which == 1 ? draws[0].values[i] : (sotto_i_random_double(&random) < real ? 1 : 0);
    }
    sotto_i_noise_bet(&bets, draws);
  }
  return sotto_i_noise_evidence(&bets);
}

static void answers_that_are_untrue_half_as_often_or_repeated_are_objected_to(void **state) {
  (void)state;
  const double enough = log(1e6);
  for (double stated = 0.05; stated < 0.5; stated += 0.1) {
    assert_true(evidence(stated, stated, false) < enough);
    assert_true(evidence(stated, stated / 2, false) > enough);
    assert_true(evidence(stated, stated, true) > enough);
  }
}

/* Of numbers, of which one cell has so much of its noise in all rounds. */
static double evidence_of_numbers(bool laplace, double left) {
  static sotto_noise_draw draws[2];
  static sotto_i_noise_bets bets;
  enum { many = 2048 };
  sotto_i_random random = check_random();
  bets = (sotto_i_noise_bets){.cells = 0};
  for (int round = 0; round < rounds; round++) {
    for (int which = 0; which < 2; which++) {
      draws[which] = (sotto_noise_draw){.rows = many, .cols = 1, .laplace = laplace, .step = 0x1p-11};
      for (size_t i = 0; i < many; i++) {
        const double sign = sotto_i_random_double(&random) < 0.5 ? -1 : 1;
        const double z =
            laplace ? -sign * log(1 - sotto_i_random_double(&random)) : sotto_i_random_normal(&random);
        draws[which].values[i] = (i == many / 3 ? left : 1) * z;
      }
    }
    sotto_i_noise_bet(&bets, draws);
  }
  return sotto_i_noise_evidence(&bets);
}

static void one_cell_of_many_that_has_less_noise_is_objected_to(void **state) {
  (void)state;
  const double enough = log(1e6);
  for (int laplace = 0; laplace < 2; laplace++) {
    assert_true(evidence_of_numbers(laplace == 1, 1) < enough);
    assert_true(evidence_of_numbers(laplace == 1, 0) > enough);
    assert_true(evidence_of_numbers(laplace == 1, 0.5) > enough);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_bet_is_fair_where_answers_are_as_stated),
      cmocka_unit_test(answers_that_are_untrue_half_as_often_or_repeated_are_objected_to),
      cmocka_unit_test(one_cell_of_many_that_has_less_noise_is_objected_to),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
