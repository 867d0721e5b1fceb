/* Releases two noisy layers of a graph, charges the ledger first, and prints what was paid. */
#include "sotto/generate.h"
#include <math.h>
#include <sotto/pmp.h>
#include <stdio.h>
#include <unistd.h>

static int failed(const sotto_error *err) {
  fprintf(stderr, "%s\n", err->text);
  return 1;
}

int main(void) {
  sotto_error err = {0};
  sotto_key seed, noise;
  sotto_dataset data;
  sotto_ledger *ledger;
  sotto_pmp_plan plan;
  sotto_release *release;
  const sotto_sbm_options graph = {.nodes = 1000,
                                   .classes = 3,
                                   .features = 8,
                                   .degree_inside = 10,
                                   .degree_outside = 5,
                                   .feature_signal = 1};
  const sotto_pmp_options layers = {.aggregator = SOTTO_AGGREGATOR_SUM, .layers = 2, .self = true};

  sotto_key_public(&seed, 1); /* the graph may be known to all; noise needs a secret key */
  sotto_key_system(&noise);
  if (sotto_generate_sbm(&data, &graph, &seed, &err) != SOTTO_OK) return failed(&err);
  if (access("example-ledger.db", F_OK) != 0 && sotto_ledger_init("example-ledger.db", &err) != SOTTO_OK)
    return failed(&err);
  if (sotto_ledger_open(&ledger, "example-ledger.db", &err) != SOTTO_OK) return failed(&err);
  if (sotto_pmp_plan_new(&plan, &layers, data.graph.nodes, data.features.cols, 2.0, 1e-6, &err) != SOTTO_OK)
    return failed(&err);
  if (sotto_release_new(&release, &plan, &data.graph, &data.features, &noise, "example-1", "example",
                        "two noisy layers", NULL, &err) != SOTTO_OK)
    return failed(&err);
  if (sotto_release_pay(release, ledger, &data, &err) != SOTTO_OK) return failed(&err);
  printf("paid mu %.4f for %u layers with noise %.3f; the first value is %.4f\n", plan.mu,
         plan.options.layers, plan.grid.sigma, (double)sotto_release_layer(release, 1)->data[0]);

  sotto_release_free(release);
  sotto_ledger_close(ledger);
  sotto_dataset_free(&data);
  sotto_key_wipe(&noise);
  return 0;
}
