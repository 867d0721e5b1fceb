/* Canaries of made runs: drawn from as they are, or with a fault in them. */
#include "canaries.h"
#include "audit/statistics/audit.h"

#include "check.h"
#include "inside/audit.h"
#include "made_run.h"

const char *const check_canary_gap[] = {"method", "gap", "epsilon", "4", "hidden", "8", "layers", "1", NULL};
const char *const check_canary_gcn[] = {"method",       "vesper",  "publication", "layers", "aggregator",
                                        "gcn",          "epsilon", "4",           "hidden", "8",
                                        "degree-floor", "3",       "layers",      "1",      NULL};
const char *const check_canary_caribou[] = {"method", "caribou", "epsilon", "1",           "hidden",
                                            "8",      "layers",  "2",       "contraction", "0.9",
                                            "beta",   "1",       NULL};
const char *const check_canary_best[] = {"method", "best", "epsilon", "2", "layers", "2", NULL};

sotto_options check_canary_options(const char *const *settings) {
  sotto_options options;
  sotto_options_default(&options);
  CHECK_OK(sotto_options_set(&options, "data", "canary", &err));
  for (size_t i = 0; settings[i] != NULL; i += 2)
    CHECK_OK(sotto_options_set(&options, settings[i], settings[i + 1], &err));
  sotto_options_resolve(&options);
  return options;
}

sotto_options check_canary_node_options(const char *method, const char *layers) {
  const char *const settings[] = {"method",
                                  method,
                                  "adjacency",
                                  "node",
                                  "max-degree",
                                  "6",
                                  "epsilon",
                                  "8",
                                  "hidden",
                                  "8",
                                  "layers",
                                  layers,
                                  "delta",
                                  "1e-3",
                                  "release-share",
                                  "0.8",
                                  "encoder-share",
                                  "0.1",
                                  "epochs",
                                  "4",
                                  "encoder-epochs",
                                  "4",
                                  NULL};
  return check_canary_options(settings);
}

/* A ring with chords: every node has three or four neighbours. */
sotto_dataset check_ring(uint32_t nodes, uint32_t step) {
  static int32_t labels[200];
  sotto_dataset data = {.name = "ring", .classes = 2, .labels = labels};
  uint32_t from[400], to[400], count = 0;
  assert_true(nodes <= 200);
  for (uint32_t v = 0; v < nodes; v++) {
    from[count] = v;
    to[count++] = (v + 1) % nodes;
    if (v % 2 == 0) continue;
    from[count] = v;
    to[count++] = (v + step) % nodes;
  }
  for (uint32_t v = 0; v < nodes; v++) labels[v] = (int32_t)(v % 2);
  CHECK_OK(sotto_graph_from_pairs(&data.graph, nodes, from, to, count, &err));
  CHECK_OK(sotto_matrix_new(&data.features, nodes, 4, &err));
  return data;
}

void check_ring_free(sotto_dataset *data) {
  sotto_graph_free(&data->graph);
  sotto_matrix_free(&data->features);
}

typedef struct stated {
  double epsilon, mu;
} stated;

static stated stated_by(const sotto_options *o) {
  stated s = {.epsilon = o->epsilon};
  const bool clients = strcmp(o->method, "fedavg") == 0 && o->adjacency == SOTTO_ADJACENCY_EDGE;
  bool counts = strcmp(o->method, "best") == 0 || clients || o->accounting == SOTTO_ACCOUNTING_PAPER;
  if (!counts) CHECK_OK(sotto_gdp_mu(&s.mu, o->epsilon, o->delta, &err));
  return s;
}

sotto_canary_result check_judged(sotto_i_canary *canary, uint64_t trials) {
  sotto_canary_result result;
  CHECK_OK(sotto_i_audit_canary(&result, &canary->stated, trials, &(sotto_i_cells){0}, NULL, &err));
  return result;
}

void check_canary(sotto_i_canary *canary, const sotto_options *options, sotto_i_canary_kind kind,
                  const sotto_dataset *data) {
  const stated s = stated_by(options);
  CHECK_OK(sotto_i_canary_new(canary, options, data, kind, s.epsilon, s.mu, &err));
}

sotto_canary_result check_drawn(const sotto_options *options, sotto_i_canary_kind kind, check_fault plant,
                                uint64_t trials) {
  sotto_i_canary canary;
  sotto_dataset data = check_ring(60, 7);
  check_canary(&canary, options, kind, &data);
  if (plant != NULL) plant(&canary);
  sotto_canary_result result = check_judged(&canary, trials);
  sotto_i_canary_free(&canary);
  check_ring_free(&data);
  return result;
}

void check_halve_noise(sotto_i_canary *canary) {
  for (int which = 0; which < 2; which++) canary->world[which].plan.grid.sigma /= 2;
}

void check_halve_beside(sotto_i_canary *canary) {
  check_halve_noise(canary->beside);
}

void check_say(const char *what, const sotto_canary_result *r) {
  (void)printf("  %-44s epsilon %.3f of %.3f, mu %.3f of %.3f%s\n", what, r->lower, r->stated, r->mu_lower,
               r->mu_stated, r->holds ? "" : "  FAILED");
}

/* A bound may be above by chance, or show little: up to four times. */
void check_honest(const char *what, const sotto_options *options, sotto_i_canary_kind kind, double least_mu,
                  uint64_t trials) {
  sotto_canary_result r = {0};
  bool enough = false;
  for (int attempt = 0; attempt < 4 && !enough; attempt++) {
    r = check_drawn(options, kind, NULL, trials);
    enough = r.holds && r.mu_lower >= least_mu * r.mu_stated;
  }
  check_say(what, &r);
  if (!r.holds) fail_msg("%s: objects to an honest run", what);
  if (!enough) fail_msg("%s: shows only mu %.3f", what, r.mu_lower);
}

void check_caught(const char *what, const sotto_options *options, sotto_i_canary_kind kind, check_fault plant,
                  uint64_t trials) {
  sotto_canary_result r = check_drawn(options, kind, plant, trials);
  if (r.holds) r = check_drawn(options, kind, plant, trials);
  check_say(what, &r);
  if (r.holds) fail_msg("%s: not caught", what);
}
