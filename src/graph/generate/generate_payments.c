/* Payments between accounts of a bank, a few of which are mules. Accounts and their relations are like those
 * of generate_transactions.c, with more of them. Of the relations of a mule, a share that the dial sets has
 * the pattern of laundering: a few payments just under the limit for reports, most of them in the last two
 * months, in and out again. All others, and all at dial 0, are everyday payments: of any amount, at any time
 * of the year, in either direction. So the dial changes nothing but amounts, times and directions. */
#include <math.h>

#include "base/error.h"
#include "generate.h"
#include "sotto/generate.h"
#include "urn.h"

enum { width = 24, signal_columns = 8, least_nodes = 400, first_day = 9132, days = 365, late_days = 60 };

static const double mule_share = 0.08;
static const double mule_to_mule = 0.25;     /* probability that a mule's partner is one */
static const double relations_a_node = 3;    /* mean degree 6 */
static const double activity_spread = 0.8;   /* standard deviation of the log activity of an account */
static const double feature_distance = 0.84; /* between the class means, in units of the noise */
static const double limit = 1000;            /* above which payments are reported */
static const double laundered = 0.5;         /* share of a mule's relations at dial 1 */
static const double late_share = 0.8;        /* of the payments of these */
static const double back_share = 0.2;        /* of everyday payments that go the other way */

static bool draw_event(sotto_i_random *random, double probability) {
  return sotto_i_random_double(random) < probability;
}

/* Labels, class means, and the crowds: [0] and [1] by class, [2] all. */
static void draw_accounts(sotto_i_parts *parts, sotto_i_urn crowds[3], sotto_i_random *random) {
  double length = 0;
  for (int j = 0; j < signal_columns; j++) length += 1.0 / (1 + j);
  for (uint64_t v = 0; v < parts->nodes; v++) {
    const int mule = draw_event(random, mule_share);
    const double activity = exp(activity_spread * sotto_i_random_normal(random));
    parts->labels[v] = mule;
    for (int j = 0; j < signal_columns && mule; j++)
      parts->features[v * width + (size_t)j] = (float)(feature_distance / sqrt((1 + j) * length));
    sotto_i_urn_add(&crowds[mule], (uint32_t)v, activity);
    sotto_i_urn_add(&crowds[2], (uint32_t)v, activity);
  }
}

/* Both ends of each relation, in a random order. */
static void draw_relations(sotto_i_edge_arrays *pairs, const int32_t *labels, const sotto_i_urn crowds[3],
                           sotto_i_random *random) {
  const double mules_per_other = (double)crowds[1].count / (double)crowds[0].count;
  const double other_to_mule = (1 - mule_to_mule) * mules_per_other;
  for (uint64_t i = 0; i < pairs->count; i++) {
    const uint32_t a = sotto_i_urn_draw(&crowds[2], random);
    const bool mule = draw_event(random, labels[a] == 1 ? mule_to_mule : other_to_mule);
    const uint32_t b = sotto_i_urn_draw(&crowds[mule], random);
    const bool turned = draw_event(random, 0.5);
    pairs->sources[i] = turned ? b : a;
    pairs->targets[i] = turned ? a : b;
  }
}

/* At least one, with a mean of 2. */
static uint32_t draw_count(sotto_i_random *random) {
  uint32_t count = 1;
  while (count < 50 && draw_event(random, 0.5)) count++;
  return count;
}

static sotto_status draw_laundered(sotto_i_transfers *out, uint32_t a, uint32_t b, sotto_i_random *random,
                                   sotto_error *err) {
  const uint32_t count = 1 + draw_event(random, 0.4);
  for (uint32_t k = 0; k < count; k++) {
    const double amount = floor(limit * (80 + 20 * sotto_i_random_double(random))) / 100;
    const double since = draw_event(random, late_share)
                             ? days - late_days + late_days * sotto_i_random_double(random)
                             : days * sotto_i_random_double(random);
    const sotto_status status = sotto_i_transfers_add(out, a, b, amount, first_day + floor(since), err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

static sotto_status draw_everyday(sotto_i_transfers *out, uint32_t a, uint32_t b, sotto_i_random *random,
                                  sotto_error *err) {
  const uint32_t count = draw_count(random);
  for (uint32_t k = 0; k < count; k++) {
    const bool back = draw_event(random, back_share);
    const double amount = ceil(100 * exp(4.5 + 1.2 * sotto_i_random_normal(random))) / 100;
    const double day = first_day + floor(days * sotto_i_random_double(random));
    const sotto_status status = sotto_i_transfers_add(out, back ? b : a, back ? a : b, amount, day, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

static sotto_status draw_payments(sotto_i_transfers *out, const sotto_i_edge_arrays *pairs,
                                  const int32_t *labels, double dial, sotto_i_random *random,
                                  sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (uint64_t i = 0; i < pairs->count; i++) {
    const uint32_t a = pairs->sources[i], b = pairs->targets[i];
    const bool of_mule = labels[a] == 1 || labels[b] == 1;
    if (of_mule && draw_event(random, dial * laundered))
      SOTTO_TRY(draw_laundered(out, a, b, random, err));
    else
      SOTTO_TRY(draw_everyday(out, a, b, random, err));
  }
  SOTTO_TRY(sotto_i_transfers_sort(out, err));
done:
  return status;
}

static sotto_status check_options(const sotto_payments_options *options, sotto_error *err) {
  if (options->nodes < least_nodes)
    return sotto_i_fail(err, SOTTO_RANGE, "payments: %llu nodes; at least %d are needed",
                        (unsigned long long)options->nodes, least_nodes);
  if (!(options->dial >= 0 && options->dial <= 1))
    return sotto_i_fail(err, SOTTO_RANGE, "payments: dial %g; it must be 0 to 1", options->dial);
  return SOTTO_OK;
}

sotto_status sotto_generate_payments(sotto_dataset *out, const sotto_payments_options *options,
                                     const sotto_key *key, sotto_error *err) {
  sotto_status status;
  sotto_i_parts parts = {0};
  sotto_i_edge_arrays pairs = {0};
  sotto_i_transfers transfers = {.has_amounts = true, .has_times = true};
  sotto_i_urn crowds[3] = {{0}};
  sotto_i_random random;
  *out = (sotto_dataset){0};
  SOTTO_TRY(check_options(options, err));
  SOTTO_TRY(sotto_i_generate_begin(&parts, "payments", options->nodes, width, 2, key, err));
  for (int c = 0; c < 3; c++) SOTTO_TRY(sotto_i_urn_new(&crowds[c], parts.nodes, err));
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_GENERATE, SOTTO_I_GENERATE_PAYMENT_ACCOUNTS, 0);
  draw_accounts(&parts, crowds, &random);
  if (crowds[0].count == 0 || crowds[1].count == 0) {
    /* probability below 10^-14 over keys at the minimum size */
    status = sotto_i_fail(err, SOTTO_RANGE, "payments: no account in one of the classes; use more nodes");
    goto done;
  }
  sotto_i_generate_noise(&parts, key);
  SOTTO_TRY(sotto_i_edge_arrays_new(&pairs, (uint64_t)(relations_a_node * (double)parts.nodes), err));
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_GENERATE, SOTTO_I_GENERATE_PAYMENT_RELATIONS, 0);
  draw_relations(&pairs, parts.labels, crowds, &random);
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_GENERATE, SOTTO_I_GENERATE_PAYMENTS, 0);
  SOTTO_TRY(draw_payments(&transfers, &pairs, parts.labels, options->dial, &random, err));
  parts.transfers = transfers;
  transfers = (sotto_i_transfers){.count = 0};
  SOTTO_TRY(sotto_i_generate_finish(out, &parts, &pairs, err));
done:
  sotto_i_transfers_free(&transfers);
  sotto_i_edge_arrays_free(&pairs);
  for (int c = 0; c < 3; c++) sotto_i_urn_free(&crowds[c]);
  sotto_i_parts_free(&parts);
  return status;
}
