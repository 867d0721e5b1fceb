/* What every method refuses at every level, before any work: nothing is trained, written or charged. */
#include <math.h>

#include "base/file.h"
#include "check.h"
#include "ledgers.h"
#include "made_run.h"
#include "sotto/generate.h"
#include "sotto/methods.h"

/* `settings` are key=value words; the run must fail with `words`. */
typedef struct row {
  const char *methods, *adjacencies, *settings, *words;
} row;

static const char *const graph_methods = "vesper gap caribou sage pertgraph dpdgc lpgnet";

static const row rows[] = {
    /* beside what methods/test_conformance_refusals.c finds at every level that adds noise */
    {"gap caribou dpdgc", "edge", "delta=0", "delta: 0 asks for pure privacy"},
    {"vesper mlp gap caribou sage pertgraph dpdgc lpgnet best", "node", "delta=0.02",
     "delta: 0.02 is not below one in 60"},
    {"dpdgc", "k-neighbour", "neighbours=0", "neighbours: 0 is outside 1"},
    {"lpgnet", "edge", "epsilon=0.01", "0.01 to 1000 each"},
    {"pertgraph", "edge", "epsilon=50", "epsilon of an adjacency release"},
    /* layers */
    {"vesper gap caribou dpdgc lpgnet", "edge", "layers=0", "layers: 0 is outside 1"},
    {"gap caribou lpgnet", "node", "layers=0", "layers: 0 is outside 1"},
    {"lpgnet", "node", "layers=40", "layers: at most 31 at node level"},
    {"caribou", "edge node none", "contraction=1", "contraction: must be below 1"},
    {"caribou", "edge node none", "contraction=1.5", "contraction: 1.5 is outside 0 to 1"},
    {"caribou", "edge node", "alpha=2", "alpha: 2 is outside 0 to 1"},
    {"caribou", "edge node", "beta=-1", "beta: -1 is outside 0"},
    {"caribou", "edge node", "aggregator=mean", "does not have 'mean', but: gcn"},
    /* a floor below 1 */
    {"gap", "edge", "aggregator=gcn degree-floor=0", "degree-floor: must be at least 1"},
    {"gap", "edge", "aggregator=mean degree-floor=0", "degree-floor: must be at least 1"},
    {"vesper", "edge", "publication=layers aggregator=gcn degree-floor=0",
     "degree-floor: must be at least 1"},
    {"vesper", "edge", "aggregator=gcn", "has no meaning with publication counts, the default here"},
    {"vesper", "edge", "partition=5:5", "counts, the default here; method vesper has it with holders 2"},
    {"vesper", "edge", "holders=2 label-epsilon=1", "label-epsilon: has no meaning with holders 2"},
    {"vesper", "edge", "holders=16", "holders: 16 is outside 1 to 15"},
    {"caribou", "edge node", "degree-floor=0", "degree-floor: must be at least 1"},
    {"vesper gap", "node", "aggregator=mean degree-floor=0", "degree-floor: must be at least 1"},
    /* vesper at node level */
    {"vesper", "node", "releases=2",
     "releases: has no meaning with adjacency node; method vesper has it with none or edge"},
    {"vesper", "node", "layer-weights=true", "layer-weights: has no meaning with adjacency node"},
    {"vesper", "node", "publication=gap", "publication: has no meaning with adjacency node"},
    {"vesper mlp", "node", "label-epsilon=1", "label-epsilon: has no meaning with adjacency node"},
    {"vesper mlp", "node", "label-features=0.5", "label-features: has no meaning with adjacency node"},
    {"vesper", "node", "release-share=0.3", "release-share: method vesper has no such option"},
    /* a paper's own accounting */
    {"mlp gap pertgraph dpdgc lpgnet", "edge", "accounting=paper",
     "does not have 'paper' with adjacency edge"},
    {"caribou", "node", "accounting=paper", "does not have 'paper' with adjacency node"},
    {"caribou", "edge", "accounting=paper degree-floor=2", "reads the least degree off the graph"},
    {"caribou", "edge", "accounting=paper contraction=0", "no edge is used"},
    {"vesper", "node", "accounting=paper", "does not have 'paper' with adjacency node"},
    {"vesper", "edge", "accounting=paper releases=2", "releases: has no meaning with accounting paper"},
    {"vesper", "edge", "accounting=paper label-epsilon=1",
     "label-epsilon: has no meaning with accounting paper"},
    {"vesper", "edge", "accounting=paper aggregator=mean", "gin or gcn"},
    {"vesper", "edge", "accounting=paper aggregator=gcn degree-floor=1", "least degree of proposition 2"},
    {"vesper", "edge", "accounting=paper layers=4", "at most 3"},
    {"vesper", "edge", "accounting=paper batch-size=50", "batch-size: 50 of 42 training nodes"},
    {"vesper", "edge", "accounting=paper epsilon=0", "epsilon: must be above 0"},
    /* trainings that a variant does not have */
    {"vesper", "edge", "accounting=paper encoder-epochs=3",
     "encoder-epochs: has no meaning with accounting paper"},
    {"vesper", "edge", "accounting=paper select-by=auc", "select-by: has no meaning with accounting paper"},
    {"vesper mlp", "node", "encoder-epochs=3", "encoder-epochs: has no meaning with adjacency node"},
    {"mlp", "none edge", "epochs=3", "epochs: has no meaning with adjacency"},
    {"mlp gap caribou sage pertgraph dpdgc lpgnet progap", "node", "select-by=auc",
     "select-by: has no meaning with adjacency node"},
    {"progap", "node", "dropout=0.2", "dropout: has no meaning with adjacency node"},
    {"progap", "node", "patience=5", "patience: has no meaning with adjacency node"},
    {"gap caribou", "node", "encoder-cache=here", "encoder-cache: has no meaning with adjacency node"},
    {"securegnn", "none", "dropout=0.1", "dropout: method securegnn has no such option"},
    /* the declared bound */
    {"vesper gap caribou sage pertgraph dpdgc lpgnet best", "node", "max-degree=2",
     "neighbours, above the declared bound 2: declare a larger one, or cut edges (degree-cut)"},
    {"vesper gap caribou pertgraph dpdgc lpgnet", "edge", "max-degree=2",
     "neighbours, above the declared bound 2: declare a larger one"},
    {"gap dpdgc", "edge", "degree-cut=true", "degree-cut: has no meaning with adjacency edge"},
    {"gap", "none", "max-degree=0 degree-cut=true", "degree-cut: needs max-degree"},
    {"mlp", "none node", "degree-cut=true", "degree-cut: method mlp has no such option"},
    /* trainings at node level */
    {"mlp gap caribou dpdgc lpgnet", "node", "batch-rate=0", "batch-rate: must be above 0"},
    {"sage pertgraph", "node", "batch-rate=0", "batch-rate: must be above 0"},
    {"mlp gap caribou sage pertgraph dpdgc lpgnet", "node", "dropout=0.2",
     "dropout: has no meaning with adjacency node"},
    {"mlp gap caribou sage pertgraph dpdgc lpgnet", "node", "patience=5",
     "patience: has no meaning with adjacency node"},
    {"sage pertgraph", "node", "layers=3", "layers: has no meaning with adjacency node"},
    {"sage", "none", "activation=relu",
     "activation: has no meaning with adjacency none; method sage has it with node"},
    {"vesper", "node", "activation=relu", "activation: has no meaning with adjacency node"},
    {"mlp gap caribou sage pertgraph dpdgc lpgnet", "node", "clip=0", "clip: 0 is outside"},
    {"vesper mlp gap caribou sage pertgraph dpdgc lpgnet best", "node", "feature-scale=standard",
     "feature-scale"},
    {"gap caribou dpdgc lpgnet", "node", "encoder-share=0.6 release-share=0.4", "leave no budget"},
    {"gap caribou", "node", "combine=sum", "combine: node level has cat alone"},
    {"gap caribou dpdgc", "node", "row-clip=-1", "row-clip: -1 is outside 0"},
    {"mlp gap caribou sage pertgraph dpdgc lpgnet", "node", "learning-rate=0", "learning-rate"},
};

static sotto_dataset make_data(void) {
  const sotto_sbm_options sbm = {
      .nodes = 60, .classes = 3, .features = 4, .degree_inside = 5, .degree_outside = 2, .feature_signal = 1};
  return check_communities(&sbm);
}

static void no_epoch(void *context, const sotto_epoch *epoch) {
  fail_msg("%s: %s was trained", (const char *)context, epoch->stage);
}

/* Sets each word of "key=value key=value"; stops at the first that is refused. */
static sotto_status set_all(sotto_options *o, const char *settings, sotto_error *err) {
  char text[128], *rest = text;
  (void)snprintf(text, sizeof text, "%s", settings);
  for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
    char *value = strchr(word, '=');
    assert_non_null(value);
    *value = '\0';
    sotto_status status = sotto_options_set(o, word, value + 1, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

static sotto_options options_for(const char *method, const char *adjacency, const char *folder) {
  sotto_options o;
  sotto_options_default(&o);
  check_set(&o, "method", method);
  check_set(&o, "adjacency", adjacency);
  check_set(&o, "data", "made");
  check_set(&o, "hidden", "4");
  check_set_own(&o, (const char *const[]){"epochs", "2", "max-degree", "59", NULL});
  check_set(&o, "out", check_path(folder));
  CHECK_OK(sotto_i_make_folder(o.out, &err));
  (void)snprintf(o.ledger, sizeof o.ledger, "%.900s/ledger.db", o.out);
  return o;
}

static sotto_status run(const sotto_options *o, const sotto_dataset *data, sotto_error *err) {
  char what[80];
  (void)snprintf(what, sizeof what, "%.32s, %.32s", o->method, sotto_adjacency_name(o->adjacency));
  const sotto_recorder recorder = {.context = what, .epoch = no_epoch};
  sotto_result result = {0};
  sotto_status status = sotto_train(&result, o, data, NULL, &recorder, err);
  sotto_result_free(&result);
  return status;
}

static void refuse(const row *r, const char *method, const char *adjacency, const sotto_dataset *data) {
  sotto_error err = {0};
  char path[1200];
  sotto_options o = options_for(method, adjacency, "refused");
  sotto_status status = set_all(&o, r->settings, &err);
  if (status == SOTTO_OK) status = run(&o, data, &err);
  if (status == SOTTO_OK) fail_msg("%s, %s, %s: was not refused", method, adjacency, r->settings);
  if (strstr(err.text, r->words) == NULL)
    fail_msg("%s, %s, %s: '%s' lacks '%s'", method, adjacency, r->settings, err.text, r->words);
  (void)snprintf(path, sizeof path, "%.1000s/seed-1", o.out);
  assert_false(sotto_i_is_folder(path));
  assert_false(sotto_i_is_file(o.ledger));
}

static void wrong_parameters_are_refused_by_every_method_at_every_level(void **state) {
  (void)state;
  sotto_dataset data = make_data();
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char methods[128], adjacencies[64], *at = methods;
    (void)snprintf(methods, sizeof methods, "%s", rows[i].methods);
    for (char *m = strtok_r(methods, " ", &at); m != NULL; m = strtok_r(NULL, " ", &at)) {
      char *other = adjacencies;
      (void)snprintf(adjacencies, sizeof adjacencies, "%s", rows[i].adjacencies);
      for (char *a = strtok_r(adjacencies, " ", &other); a != NULL; a = strtok_r(NULL, " ", &other))
        refuse(&rows[i], m, a, &data);
    }
  }
  sotto_dataset_free(&data);
}

/* The same runs without the fault are not refused: the table's other settings are sound. */
static void the_same_runs_without_the_fault_are_taken(void **state) {
  (void)state;
  sotto_dataset data = make_data();
  char methods[128], *rest = methods;
  (void)snprintf(methods, sizeof methods, "%s", graph_methods);
  for (char *m = strtok_r(methods, " ", &rest); m != NULL; m = strtok_r(NULL, " ", &rest)) {
    sotto_options o = options_for(m, "node", m);
    sotto_result result;
    (void)check_new_ledger(o.ledger);
    check_set_own(&o, (const char *const[]){"encoder-epochs", "2", "steps", "3", NULL});
    CHECK_OK(sotto_train(&result, &o, &data, NULL, NULL, &err));
    assert_true(result.private_edges && result.epsilon <= 4 && result.epsilon > 3.9);
    assert_string_equal(result.cost.adjacency, "node");
    assert_int_equal(result.spent.charges, result.cost.count);
    sotto_result_free(&result);
  }
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_parameters_are_refused_by_every_method_at_every_level),
      cmocka_unit_test(the_same_runs_without_the_fault_are_taken),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
