/* A sparse fraud graph with the published statistics of the Finance data of Wu et al. 2023: about half of
 * the users have no neighbour, the mean degree is about 2.2, and few users are risky. Features alone find
 * risky users with an AUC near 0.71, features with neighbours near 0.80. Risky users trade more often, and
 * often with one another. */
#include <math.h>

#include "base/error.h"
#include "generate.h"
#include "payments.h"
#include "sotto/generate.h"
#include "urn.h"

enum { usual_width = 24, signal_columns = 8, least_nodes = 400 };

static const double usual_share = 0.08;
static const double active_share = 0.5;    /* share of users with a neighbour */
static const double active_fraud = 0.80;   /* share of risky users with a neighbour */
static const double fraud_to_fraud = 0.42; /* probability that a risky user's partner is risky */
static const double edges_a_node = 1.1;    /* mean degree 2.2 */
/* standard deviation of the log activity of a user; makes degrees heavy-tailed */
static const double activity_spread = 0.8;
static const double feature_distance = 0.84; /* between the class means, in units of the noise */

/* Draws labels, class means and active users: crowds[0] and [1] by class, [2] all. */
static void draw_users(sotto_i_parts *parts, sotto_i_urn crowds[3], double fraud_share,
                       sotto_i_random *random) {
  const double active_normal = (active_share - fraud_share * active_fraud) / (1 - fraud_share);
  double length = 0;
  for (int j = 0; j < signal_columns; j++) length += 1.0 / (1 + j);
  for (uint64_t v = 0; v < parts->nodes; v++) {
    int risky = sotto_i_draw_event(random, fraud_share);
    parts->labels[v] = risky;
    for (int j = 0; j < signal_columns && risky; j++)
      parts->features[v * parts->width + (size_t)j] = (float)(feature_distance / sqrt((1 + j) * length));
    if (!sotto_i_draw_event(random, risky ? active_fraud : active_normal)) continue;
    double activity = exp(activity_spread * sotto_i_random_normal(random));
    sotto_i_urn_add(&crowds[risky], (uint32_t)v, activity);
    sotto_i_urn_add(&crowds[2], (uint32_t)v, activity);
  }
}

/* Every active user trades at least once; the other trades are drawn by activity. */
static void draw_trades(sotto_i_edge_arrays *pairs, const int32_t *labels, const sotto_i_urn crowds[3],
                        sotto_i_random *random) {
  const double fraud_per_normal = (double)crowds[1].count / (double)crowds[0].count;
  const double normal_to_fraud = 0.5 * (1 - fraud_to_fraud) * fraud_per_normal;
  for (uint64_t i = 0; i < pairs->count; i++) {
    uint32_t source = i < crowds[2].count ? crowds[2].ids[i] : sotto_i_urn_draw(&crowds[2], random);
    bool risky = sotto_i_draw_event(random, labels[source] == 1 ? fraud_to_fraud : normal_to_fraud);
    pairs->sources[i] = source;
    pairs->targets[i] = sotto_i_urn_draw(&crowds[risky], random);
  }
}

sotto_status sotto_generate_transactions(sotto_dataset *out, const sotto_transactions_options *options,
                                         const sotto_key *key, sotto_error *err) {
  sotto_status status;
  sotto_i_parts parts = {0};
  sotto_i_edge_arrays pairs = {0};
  sotto_i_urn crowds[3] = {{0}};
  sotto_i_random random;
  *out = (sotto_dataset){0};
  if (options->nodes < least_nodes)
    return sotto_i_fail(err, SOTTO_RANGE, "transactions: %llu nodes; at least %d are needed",
                        (unsigned long long)options->nodes, least_nodes);
  if (!(options->share >= 0 && options->share <= 0.5))
    return sotto_i_fail(err, SOTTO_RANGE,
                        "transactions: share %g of risky users; it is above 0 and at most 0.5",
                        options->share);
  const size_t width = options->features > 0 ? options->features : usual_width;
  if (width < signal_columns)
    return sotto_i_fail(err, SOTTO_RANGE, "transactions: %zu features; at least %d are needed", width,
                        signal_columns);
  SOTTO_TRY(sotto_i_generate_begin(&parts, "transactions", options->nodes, width, 2, key, err));
  for (int c = 0; c < 3; c++) SOTTO_TRY(sotto_i_urn_new(&crowds[c], parts.nodes, err));
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_GENERATE, SOTTO_I_GENERATE_TRANSACTION_NODES, 0);
  draw_users(&parts, crowds, options->share > 0 ? options->share : usual_share, &random);
  if (crowds[0].count == 0 || crowds[1].count == 0) {
    /* probability about 10^-11 over keys at the minimum size */
    status =
        sotto_i_fail(err, SOTTO_RANGE, "transactions: no active user in one of the classes; use more nodes");
    goto done;
  }
  sotto_i_generate_noise(&parts, key);
  uint64_t trades = (uint64_t)(edges_a_node * (double)parts.nodes);
  SOTTO_TRY(sotto_i_edge_arrays_new(&pairs, trades > crowds[2].count ? trades : crowds[2].count, err));
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_GENERATE, SOTTO_I_GENERATE_TRANSACTION_EDGES, 0);
  draw_trades(&pairs, parts.labels, crowds, &random);
  SOTTO_TRY(sotto_i_generate_finish(out, &parts, &pairs, err));
done:
  sotto_i_edge_arrays_free(&pairs);
  for (int c = 0; c < 3; c++) sotto_i_urn_free(&crowds[c]);
  sotto_i_parts_free(&parts);
  return status;
}
