/* No failure follows from private data after a peer's numbers arrived: for every method with a peer, at every
 * level, each payload comes with hostile numbers in two worlds that differ in one private item. Both have the
 * same messages and the same end. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "faults/hostile.h"
#include "registry_cases.h"
#include "run/settings/options.h"

enum { worlds = 2, most_names = 64 };

/* Both worlds of a level: without, and with, the private item. */
typedef struct items {
  check_case_data data;
  sotto_dataset less;     /* the graph without its first edge */
  sotto_dataset less_row; /* its transfers without the last one */
} items;

/* Clients' updates go into such sums, and the two worlds differ in a feature of one client; NULL: they do
 * not.
 */
static const char *const *summed;
static const char *const checked_sums[] = {"update-bound", "2", "clients", "4", NULL},
                         *const secure_sums[] = {"secure-aggregation", "true", "clients", "4", NULL};

/* In the first world no node has feature 0; in the second one node has, and it is a training node. */
static void set_feature(sotto_dataset *data, bool one) {
  for (size_t v = 0; v < data->features.rows; v++) data->features.data[v * data->features.cols] = 0;
  for (size_t v = 0; one && v < data->features.rows; v++)
    if (data->split == NULL || data->split[v] == SOTTO_PART_TRAIN || data->graph_count > 0) {
      data->features.data[v * data->features.cols] = summed != NULL ? 1e38F : 1;
      return;
    }
}

static void remove_edge(sotto_dataset *out, const sotto_dataset *from) {
  const sotto_graph *g = &from->graph;
  uint32_t *a = calloc(g->offsets[g->nodes], sizeof *a), *b = calloc(g->offsets[g->nodes], sizeof *b);
  size_t pairs = 0;
  assert_true(a != NULL && b != NULL);
  for (uint64_t v = 0; v < g->nodes; v++)
    for (uint64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
      if (g->targets[e] < v) continue;
      a[pairs] = (uint32_t)v;
      b[pairs++] = g->targets[e];
    }
  *out = *from;
  CHECK_OK(sotto_graph_from_pairs(&out->graph, g->nodes, a + 1, b + 1, pairs - 1, &err));
  free(a);
  free(b);
}

static items items_new(void) {
  items out = {.data = check_case_data_new()};
  remove_edge(&out.less, &out.data.graph);
  out.less_row = check_with_transfers(&out.data.graph, true);
  return out;
}

static void items_free(items *i) {
  sotto_graph_free(&i->less.graph);
  sotto_dataset_free(&i->less_row);
  check_case_data_free(&i->data);
}

/* In the second world one training node has another label. */
static void set_label(const sotto_dataset *data, bool other) {
  int32_t *labels = (int32_t *)(uintptr_t)data->labels; /* the test's own */
  for (size_t v = 0; v < data->graph.nodes; v++)
    if (data->split == NULL || data->split[v] == SOTTO_PART_TRAIN) {
      labels[v] = other ? 1 : 0;
      return;
    }
}

/* Which private item the two worlds differ in: that of the case's level, or with --label-epsilon a label. */
static bool by_label;

static const sotto_dataset *world_of(items *all, const check_case *c, int world) {
  if (by_label) {
    const sotto_dataset *data = check_data_of(c, &all->data);
    set_label(data, world == 1);
    return data;
  }
  if (c->transfers) return world == 0 ? &all->less_row : &all->data.transfers;
  if (strcmp(c->adjacency, "edge") == 0) return world == 0 ? &all->less : &all->data.graph;
  sotto_dataset *data = c->collection ? &all->data.collection : &all->data.graph;
  set_feature(data, world == 1);
  return data;
}

/* How a run went. */
typedef struct trace {
  sotto_status status;
  char text[sizeof((sotto_error *)0)->text];
  size_t taken;
  char (*lines)[CHECK_TAKEN];
} trace;

static void trace_run(trace *out, items *all, const check_case *c, const char *noise, int world,
                      const char *name, check_hostile how) {
  sotto_error err = {0};
  sotto_result result;
  char folder[120];
  static unsigned number;
  const sotto_dataset *data = world_of(all, c, world);
  (void)snprintf(folder, sizeof folder, "%.80s-%u", c->name, number++);
  sotto_options o = check_case_options(c, &all->data, folder);
  /* The same noise in both worlds: what was chosen under a charge, such as clusters, is then the same too. */
  check_set(&o, "insecure-seed", "5");
  check_set_own(&o, (const char *const[]){"label-epsilon", "2", "noise", noise, NULL});
  if (c->collection) check_set_own(&o, (const char *const[]){"layers", "2", NULL});
  if (summed != NULL) check_set_own(&o, summed);
  check_plant_hostile(name, how);
  out->status = sotto_train(&result, &o, data, NULL, NULL, &err);
  (void)snprintf(out->text, sizeof out->text, "%s", out->status == SOTTO_OK ? "" : err.text);
  out->lines = calloc(CHECK_MOST_TAKEN, sizeof *out->lines);
  assert_non_null(out->lines);
  out->taken = check_taken(out->lines);
  if (out->status == SOTTO_OK) sotto_result_free(&result);
}

/* When a run fails, how far its other parties came by then follows from the machine. */
static void compare(const check_case *c, const char *name, check_hostile how, const trace t[worlds]) {
  if (t[0].status != t[1].status)
    fail_msg("%s: '%s' in form %d ends as %d (%s) and %d (%s)", c->name, name, (int)how, (int)t[0].status,
             t[0].text, (int)t[1].status, t[1].text);
  if (t[0].status != SOTTO_OK) return;
  if (t[0].taken != t[1].taken)
    fail_msg("%s: '%s' in form %d: %zu and %zu payloads", c->name, name, (int)how, t[0].taken, t[1].taken);
  for (size_t i = 0; i < t[0].taken; i++)
    if (strcmp(t[0].lines[i], t[1].lines[i]) != 0)
      fail_msg("%s: '%s' in form %d: '%s' and '%s'", c->name, name, (int)how, t[0].lines[i], t[1].lines[i]);
}

/* What an honest run takes: names, and whether they are of numbers. */
typedef struct payload {
  char name[CHECK_TAKEN];
  bool numbers;
} payload;

static size_t payloads_of(payload *out, const trace *honest) {
  size_t count = 0;
  for (size_t i = 0; i < honest->taken; i++) {
    const char *line = honest->lines[i], *end = strchr(line, ':');
    payload p = {.numbers = strstr(end, "numbers") != NULL};
    memcpy(p.name, line, (size_t)(end - line));
    if (count > 0 && strcmp(out[count - 1].name, p.name) == 0) continue;
    assert_true(count < most_names);
    out[count++] = p;
  }
  return count;
}

static size_t pairs, failures;

static void try_payload(items *all, const check_case *c, const char *noise, const char *name,
                        check_hostile how) {
  trace t[worlds];
  for (int w = 0; w < worlds; w++) trace_run(&t[w], all, c, noise, w, name, how);
  compare(c, name, how, t);
  pairs++;
  failures += t[0].status != SOTTO_OK;
  if (t[0].status != SOTTO_OK && getenv("SOTTO_SHOW") != NULL)
    (void)printf("%s, %s: %s in form %d: %s\n", c->name, noise, name, (int)how, t[0].text);
  for (int w = 0; w < worlds; w++) free(t[w].lines);
}

/* Words are of protocols, which look at each: one form of them stands for all. */
static void try_case(items *all, const check_case *c, const char *noise) {
  payload *payloads = calloc(most_names, sizeof *payloads);
  trace honest;
  assert_non_null(payloads);
  trace_run(&honest, all, c, noise, 1, NULL, CHECK_HONEST);
  if (honest.status != SOTTO_OK) fail_msg("%s, %s: %s", c->name, noise, honest.text);
  const size_t count = payloads_of(payloads, &honest);
  for (size_t i = 0; i < count; i++)
    for (int how = CHECK_HUGE; how < (payloads[i].numbers ? CHECK_HOSTILE_KINDS : CHECK_CHOSEN); how++)
      try_payload(all, c, noise, payloads[i].name, (check_hostile)how);
  free(payloads);
  free(honest.lines);
}

/* Something is private: what the level protects, or labels alone. */
static bool has_peers(const check_case *c) {
  return c->method->topology != SOTTO_ONE_OWNER && !c->method->apart && strcmp(c->accounting, "sound") == 0 &&
         !c->variant->one_owner && (strcmp(c->adjacency, "none") != 0 || check_case_has(c, "label-epsilon"));
}

static void hostile_numbers_end_alike_in_both_worlds(void **state) {
  static const char *const noises[] = {"distributed", "central", "local"};
  size_t count, tried = 0;
  const check_case *cases = check_cases(&count);
  items all = items_new();
  (void)state;
  for (size_t i = 0; i < count; i++) {
    if (!has_peers(&cases[i])) continue;
    for (size_t k = 0;
         strcmp(cases[i].adjacency, "none") != 0 && k < (check_case_has(&cases[i], "noise") ? 3 : 1); k++)
      try_case(&all, &cases[i], noises[k]);
    by_label = check_case_has(&cases[i], "label-epsilon");
    if (by_label) try_case(&all, &cases[i], "");
    by_label = false;
    tried++;
  }
  check_plant_hostile(NULL, CHECK_HONEST);
  (void)printf("%zu variants, %zu pairs of runs, %zu of them end in a public condition\n", tried, pairs,
               failures);
  check_seen(tried >= 8);
  items_free(&all);
}

/* No level is in force: the sum alone is shown, and no failure says whose data made the model overflow. The
 * data of the second world do so with an honest model too. */
static void try_sums(const char *const *how_summed) {
  size_t count, tried = 0;
  const check_case *cases = check_cases(&count);
  items all = items_new();
  summed = how_summed;
  for (size_t i = 0; i < count; i++) {
    if (cases[i].method->topology == SOTTO_ONE_OWNER || cases[i].method->apart ||
        !check_case_has(&cases[i], summed[0]) || strcmp(cases[i].adjacency, "none") != 0 ||
        (summed == checked_sums && (cases[i].method->helper == NULL || cases[i].collection)))
      continue;
    for (int how = CHECK_HUGE; how < CHECK_HOSTILE_KINDS; how++) /* a helper has another model: public */
      try_payload(&all, &cases[i], "", "model", (check_hostile)how);
    const size_t before = failures;
    try_payload(&all, &cases[i], "", NULL, CHECK_HONEST);
    if (failures > before) fail_msg("%s: data that overflow end a run of %s", cases[i].name, summed[0]);
    tried++;
  }
  summed = NULL;
  check_plant_hostile(NULL, CHECK_HONEST);
  check_seen(tried > 0);
  items_free(&all);
}

static void hostile_models_of_checked_sums_end_alike_in_both_worlds(void **state) {
  (void)state;
  try_sums(checked_sums);
}

static void hostile_models_of_secure_sums_end_alike_in_both_worlds(void **state) {
  (void)state;
  try_sums(secure_sums);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hostile_numbers_end_alike_in_both_worlds),
      cmocka_unit_test(hostile_models_of_checked_sums_end_alike_in_both_worlds),
      cmocka_unit_test(hostile_models_of_secure_sums_end_alike_in_both_worlds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
