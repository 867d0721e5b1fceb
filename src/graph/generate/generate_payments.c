/* Payments between accounts of a bank, a few of which are mules. Accounts and their relations are like those
 * of generate_transactions.c, with more of them. Of the relations of a mule, a share that the dial sets has a
 * pattern of laundering (payments.c). All others, and all at dial 0, are everyday payments, or salaries. So
 * the dial changes nothing but amounts, times and directions. Kinds have a dial and a random stream of their
 * own, and change nothing else. */
#include <math.h>

#include "base/memory.h"
#include "generate.h"
#include "payments.h"
#include "sotto/generate.h"
#include "urn.h"

enum { width = 24, signal_columns = 8, least_nodes = 400 };

static const double usual_share = 0.08;      /* of mules */
static const double mule_to_mule = 0.25;     /* probability that a mule's partner is one */
static const double relations_a_node = 3;    /* mean degree 6 */
static const double activity_spread = 0.8;   /* standard deviation of the log activity of an account */
static const double feature_distance = 0.84; /* between the class means, in units of the noise */
static const double laundered = 0.5;         /* share of a mule's relations at dial 1 */
static const double in_cash = 0.5;           /* the same at a dial of kinds of 1 */

/* Labels, class means, and the crowds: [0] and [1] by class, [2] all. */
static void draw_accounts(sotto_i_parts *parts, sotto_i_urn crowds[3], double share, sotto_i_random *random) {
  double length = 0;
  for (int j = 0; j < signal_columns; j++) length += 1.0 / (1 + j);
  for (uint64_t v = 0; v < parts->nodes; v++) {
    const int mule = sotto_i_draw_event(random, share > 0 ? share : usual_share);
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
    const bool mule = sotto_i_draw_event(random, labels[a] == 1 ? mule_to_mule : other_to_mule);
    const uint32_t b = sotto_i_urn_draw(&crowds[mule], random);
    const bool turned = sotto_i_draw_event(random, 0.5);
    pairs->sources[i] = turned ? b : a;
    pairs->targets[i] = turned ? a : b;
  }
}

static sotto_status draw_payments(sotto_i_payments *all, const sotto_i_edge_arrays *pairs,
                                  const int32_t *labels, const sotto_payments_options *options,
                                  sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (uint64_t i = 0; i < pairs->count; i++) {
    const uint32_t a = pairs->sources[i], b = pairs->targets[i];
    const bool of_mule = labels[a] == 1 || labels[b] == 1;
    const bool cash = all->kinds != NULL && sotto_i_draw_event(all->kinds, options->kind_dial * in_cash);
    all->in_cash = of_mule && cash;
    if (of_mule && sotto_i_draw_event(all->random, options->dial * laundered))
      SOTTO_TRY(sotto_i_pay_laundered(all, options->pattern, a, b, labels[a] == 1, err));
    else if (options->salaries > 0 && sotto_i_draw_event(all->random, options->salaries))
      SOTTO_TRY(sotto_i_pay_salaries(all, a, b, err));
    else
      SOTTO_TRY(sotto_i_pay_everyday(all, a, b, err));
  }
  SOTTO_TRY(sotto_i_transfers_sort(&all->transfers, err));
done:
  return status;
}

static sotto_status check_options(const sotto_payments_options *options, sotto_error *err) {
  if (options->nodes < least_nodes)
    return sotto_i_fail(err, SOTTO_RANGE, "payments: %llu nodes; at least %d are needed",
                        (unsigned long long)options->nodes, least_nodes);
  if (!(options->dial >= 0 && options->dial <= 1))
    return sotto_i_fail(err, SOTTO_RANGE, "payments: dial %g; it must be 0 to 1", options->dial);
  if (!(options->salaries >= 0 && options->salaries <= 1))
    return sotto_i_fail(err, SOTTO_RANGE, "payments: salaries %g; it must be 0 to 1", options->salaries);
  if (!(options->kind_dial >= 0 && options->kind_dial <= 1))
    return sotto_i_fail(err, SOTTO_RANGE, "payments: kind dial %g; it must be 0 to 1", options->kind_dial);
  if (!(options->share >= 0 && options->share <= 0.5))
    return sotto_i_fail(err, SOTTO_RANGE, "payments: share %g; it must be above 0 and at most 0.5",
                        options->share);
  if ((unsigned)options->pattern > SOTTO_PAYMENTS_CYCLES)
    return sotto_i_fail(err, SOTTO_RANGE, "payments: pattern %u; there are 0 to %d",
                        (unsigned)options->pattern, SOTTO_PAYMENTS_CYCLES);
  return SOTTO_OK;
}

/* Payments have kinds, by a random stream of their own. */
static sotto_status name_kinds(sotto_i_payments *all, sotto_i_random *random, const sotto_key *key,
                               sotto_error *err) {
  static const uint64_t starts[SOTTO_I_PAYMENT_KINDS + 1] = {0, 5, 10, 17, 26};
  static const sotto_names names = {SOTTO_I_PAYMENT_KINDS, starts, "card\0cash\0cheque\0transfer"};
  sotto_i_random_init(random, key, SOTTO_I_PURPOSE_GENERATE, SOTTO_I_GENERATE_PAYMENT_KINDS, 0);
  all->kinds = random;
  return sotto_i_names_take(&all->transfers.kind_names, &names, NULL, 0, err);
}

sotto_status sotto_generate_payments(sotto_dataset *out, const sotto_payments_options *options,
                                     const sotto_key *key, sotto_error *err) {
  sotto_status status;
  sotto_i_parts parts = {0};
  sotto_i_edge_arrays pairs = {0};
  sotto_i_urn crowds[3] = {{0}};
  sotto_i_random random, of_kinds;
  sotto_i_payments all = {.random = &random, .transfers = {.has_amounts = true, .has_times = true}};
  *out = (sotto_dataset){0};
  SOTTO_TRY(check_options(options, err));
  SOTTO_TRY(sotto_i_generate_begin(&parts, "payments", options->nodes, width, 2, key, err));
  for (int c = 0; c < 3; c++) SOTTO_TRY(sotto_i_urn_new(&crowds[c], parts.nodes, err));
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_GENERATE, SOTTO_I_GENERATE_PAYMENT_ACCOUNTS, 0);
  draw_accounts(&parts, crowds, options->share, &random);
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
  SOTTO_TRY(sotto_i_new(&all.passed, parts.nodes, sizeof *all.passed, err));
  if (options->kinds) SOTTO_TRY(name_kinds(&all, &of_kinds, key, err));
  SOTTO_TRY(draw_payments(&all, &pairs, parts.labels, options, err));
  parts.transfers = all.transfers;
  all.transfers = (sotto_i_transfers){.count = 0};
  SOTTO_TRY(sotto_i_generate_finish(out, &parts, &pairs, err));
done:
  sotto_i_transfers_free(&all.transfers);
  sotto_i_free(all.passed);
  sotto_i_edge_arrays_free(&pairs);
  for (int c = 0; c < 3; c++) sotto_i_urn_free(&crowds[c]);
  sotto_i_parts_free(&parts);
  return status;
}
