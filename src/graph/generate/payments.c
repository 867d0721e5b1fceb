/* Amounts, days and directions of the payments of one relation. */
#include "payments.h"

#include <math.h>

#include "base/error.h"

enum { first_day = 9132, days = 365, late_days = 60, months = 12 };

static const double limit = 1000;       /* above which payments are reported */
static const double late_share = 0.8;   /* of payments under the limit */
static const double back_share = 0.2;   /* of everyday payments that go the other way */
static const double passed_share = 0.9; /* of what was received; the rest is the mule's */
static const double passed_days = 2;    /* within which it is passed on */
static const double cycle_days = 7;     /* within which the money is back */

bool sotto_i_draw_event(sotto_i_random *random, double probability) {
  return sotto_i_random_double(random) < probability;
}

static uint8_t draw_kind(const sotto_i_payments *all) {
  static const double below[SOTTO_I_PAYMENT_KINDS] = {0.4, 0.5, 0.55, 1}; /* card, cash, cheque, transfer */
  uint8_t kind = 0;
  if (all->kinds == NULL) return 0;
  const double at = sotto_i_random_double(all->kinds);
  while (kind + 1 < SOTTO_I_PAYMENT_KINDS && at >= below[kind]) kind++;
  return all->in_cash ? SOTTO_I_CASH : kind;
}

static sotto_status pay(sotto_i_payments *all, uint32_t from, uint32_t to, double amount, double since,
                        sotto_error *err) {
  const sotto_i_transfer payment = {.source = from,
                                    .target = to,
                                    .amount = amount,
                                    .time = first_day + floor(since),
                                    .kind = draw_kind(all)};
  return sotto_i_transfers_add(&all->transfers, payment, err);
}

/* At least one, with a mean of 2. */
static uint32_t draw_count(sotto_i_random *random) {
  uint32_t count = 1;
  while (count < 50 && sotto_i_draw_event(random, 0.5)) count++;
  return count;
}

static double draw_amount(sotto_i_random *random, double log_mean, double spread) {
  return ceil(100 * exp(log_mean + spread * sotto_i_random_normal(random))) / 100;
}

sotto_status sotto_i_pay_everyday(sotto_i_payments *all, uint32_t a, uint32_t b, sotto_error *err) {
  const uint32_t count = draw_count(all->random);
  for (uint32_t k = 0; k < count; k++) {
    const bool back = sotto_i_draw_event(all->random, back_share);
    const double amount = draw_amount(all->random, 4.5, 1.2);
    const double since = days * sotto_i_random_double(all->random);
    const sotto_status status = pay(all, back ? b : a, back ? a : b, amount, since, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

sotto_status sotto_i_pay_salaries(sotto_i_payments *all, uint32_t a, uint32_t b, sotto_error *err) {
  const double amount = draw_amount(all->random, 7.6, 0.4);
  for (int month = 0; month < months; month++) {
    const sotto_status status = pay(
        all, a, b, amount, (month + 1) * days / (double)months - 2 * sotto_i_random_double(all->random), err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

/* A few payments just under the limit, most of them in the last two months. */
static sotto_status pay_under_limit(sotto_i_payments *all, uint32_t a, uint32_t b, sotto_error *err) {
  const uint32_t count = 1 + sotto_i_draw_event(all->random, 0.4);
  for (uint32_t k = 0; k < count; k++) {
    const double amount = floor(limit * (80 + 20 * sotto_i_random_double(all->random))) / 100;
    const double since = sotto_i_draw_event(all->random, late_share)
                             ? days - late_days + late_days * sotto_i_random_double(all->random)
                             : days * sotto_i_random_double(all->random);
    const sotto_status status = pay(all, a, b, amount, since, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

/* What a mule received by the relation before goes out by this one, nine tenths of it, within two days. */
static sotto_status pass_on(sotto_i_payments *all, uint32_t mule, uint32_t other, sotto_error *err) {
  sotto_i_received *last = &all->passed[mule];
  if (last->amount > 0) {
    const double amount = floor(100 * passed_share * last->amount) / 100;
    const double since = last->day + passed_days * sotto_i_random_double(all->random);
    *last = (sotto_i_received){.amount = 0};
    return pay(all, mule, other, amount, since, err);
  }
  *last = (sotto_i_received){.amount = draw_amount(all->random, 6.5, 0.5),
                             .day = (days - passed_days) * sotto_i_random_double(all->random)};
  return pay(all, other, mule, last->amount, last->day, err);
}

/* The same money goes out and is back within a week, twice. */
static sotto_status pay_in_cycles(sotto_i_payments *all, uint32_t mule, uint32_t other, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (int k = 0; k < 2 && status == SOTTO_OK; k++) {
    const double amount = draw_amount(all->random, 6, 0.5);
    const double since = (days - cycle_days) * sotto_i_random_double(all->random);
    const double back = since + cycle_days * sotto_i_random_double(all->random);
    status = pay(all, mule, other, amount, since, err);
    if (status == SOTTO_OK) status = pay(all, other, mule, amount, back, err);
  }
  return status;
}

sotto_status sotto_i_pay_laundered(sotto_i_payments *all, sotto_payments_pattern pattern, uint32_t a,
                                   uint32_t b, bool first, sotto_error *err) {
  const uint32_t mule = first ? a : b, other = first ? b : a;
  if (pattern == SOTTO_PAYMENTS_PASSING) return pass_on(all, mule, other, err);
  if (pattern == SOTTO_PAYMENTS_CYCLES) return pay_in_cycles(all, mule, other, err);
  return pay_under_limit(all, a, b, err);
}
