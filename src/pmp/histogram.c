/* The degree histogram with Laplace noise. */
#include <math.h>

#include "base/error.h"
#include "base/random.h"
#include "dp/ledger/home.h"
#include "dp/ledger/ledger.h"
#include "dp/noise/exact.h"
#include "inside/dp.h"
#include "sotto/pmp.h"

enum { edge_sensitivity = 4 };

sotto_status sotto_degree_histogram(int64_t *counts, size_t bins, const sotto_dataset *data, double epsilon,
                                    const sotto_key *key, const char *id, sotto_ledger *ledger,
                                    sotto_error *err) {
  if (!(epsilon >= 1e-5 && epsilon <= 1000))
    return sotto_i_fail(err, SOTTO_RANGE, "epsilon %g of a histogram is outside 1e-5 to 1000", epsilon);
  if (bins < 2)
    return sotto_i_fail(err, SOTTO_RANGE, "a histogram of %zu bins shows nothing; use 2 or more", bins);
  if (key->origin != SOTTO_KEY_SYSTEM && key->origin != SOTTO_KEY_INSECURE)
    return sotto_i_fail(err, SOTTO_INVALID, "noise needs a secret system key; a public key was given");
  const sotto_charge charge = {.id = id,
                               .run = "data histogram",
                               .mechanism = "laplace",
                               .adjacency = "edge",
                               .description = "degree histogram",
                               .epsilon = epsilon,
                               .insecure = key->origin == SOTTO_KEY_INSECURE};
  const sotto_i_thing itself = sotto_i_thing_of(data, true);
  sotto_ledger_place_found found;
  sotto_status status =
      sotto_i_ledger_settle(ledger, &found, data, &itself, NULL, SOTTO_PLACING_KNOW, true, err);
  if (status == SOTTO_OK) status = sotto_i_ledger_remember_data(found.forgotten, ledger, data->path, err);
  if (status == SOTTO_OK) status = sotto_ledger_charge(ledger, data->account, data->name, &charge, 1, err);
  if (status != SOTTO_OK) return status;
  sotto_i_random random;
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_HISTOGRAM, 0, 0);
  uint64_t rate =
      (uint64_t)(epsilon / edge_sensitivity * 0x1p20); /* rounded down: never less noise than charged */
  for (size_t k = 0; k < bins; k++) counts[k] = 0;
  for (uint64_t v = 0; v < data->graph.nodes; v++) {
    uint64_t degree = sotto_graph_degree(&data->graph, v);
    counts[degree < bins - 1 ? degree : bins - 1]++;
  }
  for (size_t k = 0; k < bins; k++) counts[k] += sotto_i_discrete_laplace(&random, rate, (uint64_t)1 << 20);
  return SOTTO_OK;
}
