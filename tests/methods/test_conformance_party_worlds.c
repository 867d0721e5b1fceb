/* Every method in every variant, as parties that are processes of the program, in two worlds that differ in
 * one private item of one party: an edge, a node, a graph, a client or a label. What leaves that party, and
 * what all others print, receive, keep and send, is the same. Values under noise are left out, and the noise
 * of both worlds is the same, so that no choice after it differs by chance. */
#include <string.h>

#include "check.h"
#include "ledgers.h"
#include "programs.h"
#include "registry_cases.h"
#include "run/parties/party_roles.h"

enum { most_trials = 3, clients = 3 };

/* One party's data in both worlds. */
typedef struct items {
  sotto_dataset of[2];
} items;

typedef struct worlds {
  const check_case *c;
  const char *what;
  check_placement parties;
  items data[CHECK_MOST_PARTIES];
} worlds;

/* What is private of a party at a level: what changes in the other world. */
typedef enum change {
  no_change,
  an_edge,
  a_node,
  a_graph,
  a_graph_alike, /* of the same size, which the variant exposes */
  a_client,
  a_label
} change;

static change change_of(const worlds *w, const check_party *p) {
  const char *level = w->c->adjacency;
  if (!sotto_i_party_has_data(&p->party)) return no_change;
  if (p->party.role == SOTTO_ROLE_LABEL) {
    if (check_case_has(w->c, "label-edges") && p->options.label_edges > 0 && strcmp(level, "edge") == 0)
      return an_edge;
    return p->options.label_epsilon > 0 ? a_label : no_change;
  }
  if (p->party.role == SOTTO_ROLE_CLIENT && p->party.number > 1) return no_change; /* as the first */
  return strcmp(level, "node") == 0     ? a_node
         : strcmp(level, "graph") == 0  ? (w->c->variant->covered ? a_graph : a_graph_alike)
         : strcmp(level, "client") == 0 ? a_client
                                        : an_edge;
}

/* The nodes that change: of a node or a label the first, of a graph its own, of a client all. Sizes are
 * private too at the last two levels: the last of these nodes is missing. */
typedef struct extent {
  uint64_t changed, missing; /* UINT64_MAX: none is missing */
} extent;

static bool is_of_a_graph(change how) {
  return how == a_graph || how == a_graph_alike;
}

static extent extent_of(const sotto_dataset *data, change how) {
  const uint64_t changed = how == a_client                   ? data->graph.nodes
                           : is_of_a_graph(how)              ? data->graph_first[1]
                           : how == a_node || how == a_label ? 1
                                                             : 0;
  return (extent){changed, how == a_client || how == a_graph ? changed - 1 : UINT64_MAX};
}

static int32_t other_label(int32_t label) {
  return label < 0 ? label : label == 0 ? 1 : 0;
}

/* A world in arrays of its own. */
typedef struct arrays {
  uint32_t *sources, *targets;
  float *features;
  int32_t *labels, *kinds;
  uint64_t *first, nodes, edges;
} arrays;

static void arrays_new(arrays *a, const sotto_dataset *data) {
  const sotto_graph *g = &data->graph;
  *a = (arrays){.sources = calloc(g->entries + 1, sizeof(uint32_t)),
                .targets = calloc(g->entries + 1, sizeof(uint32_t)),
                .features = calloc(data->features.rows * data->features.cols + 1, sizeof(float)),
                .labels = calloc(g->nodes + 1, sizeof(int32_t)),
                .kinds = calloc(data->graph_count + 1, sizeof(int32_t)),
                .first = calloc(data->graph_count + 1, sizeof(uint64_t))};
  assert_true(a->sources != NULL && a->targets != NULL && a->features != NULL && a->labels != NULL &&
              a->kinds != NULL && a->first != NULL);
}

static void arrays_free(arrays *a) {
  free(a->sources);
  free(a->targets);
  free(a->features);
  free(a->labels);
  free(a->kinds);
  free(a->first);
}

/* Of changed nodes no edge is left, but where their labels alone change. */
static void fill_edges(arrays *a, const sotto_graph *g, change how, extent at) {
  uint64_t seen = 0;
  for (uint64_t v = 0; v < g->nodes; v++)
    for (uint64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
      const uint64_t to = g->targets[e];
      if (to < v || (how != a_label && v < at.changed)) continue;
      if (how == an_edge && seen++ == 0) continue;
      a->sources[a->edges] = (uint32_t)(v - (v > at.missing));
      a->targets[a->edges++] = (uint32_t)(to - (to > at.missing));
    }
}

static void fill_nodes(arrays *a, const sotto_dataset *data, change how, extent at) {
  const size_t cols = data->features.cols;
  for (uint64_t v = 0; v < data->graph.nodes; v++) {
    const float *row = data->features.data + v * cols;
    const bool changed = v < at.changed;
    if (v == at.missing) continue;
    for (size_t j = 0; j < cols; j++)
      a->features[a->nodes * cols + j] = changed && how != a_label ? -row[(j + 1) % cols] : row[j];
    if (data->labels != NULL) a->labels[a->nodes] = changed ? other_label(data->labels[v]) : data->labels[v];
    a->nodes++;
  }
}

static void fill_graphs(arrays *a, const sotto_dataset *data, change how, extent at) {
  for (uint64_t i = 0; i < data->graph_count; i++) {
    const bool other = how == a_client || (is_of_a_graph(how) && i == 0);
    a->kinds[i] = other ? other_label(data->graph_labels[i]) : data->graph_labels[i];
  }
  for (uint64_t i = 0; i <= data->graph_count && data->graph_count > 0; i++)
    a->first[i] = data->graph_first[i] - (data->graph_first[i] > at.missing);
}

/* The data of a world: rebuilt for both, so that they differ in the item alone. */
static sotto_dataset world_of(const sotto_dataset *data, change how) {
  const extent at = extent_of(data, how);
  arrays a;
  sotto_dataset out;
  arrays_new(&a, data);
  fill_edges(&a, &data->graph, how, at);
  fill_nodes(&a, data, how, at);
  fill_graphs(&a, data, how, at);
  const bool collection = data->graph_count > 0;
  const sotto_arrays all = {.name = data->name,
                            .nodes = a.nodes,
                            .sources = {a.sources, a.edges, SOTTO_INDEX_U32},
                            .targets = {a.targets, a.edges, SOTTO_INDEX_U32},
                            .features = data->features.cols == 0 ? NULL : a.features,
                            .feature_columns = data->features.cols,
                            .labels = data->labels == NULL ? NULL : a.labels,
                            .classes = data->classes,
                            .graph_count = data->graph_count,
                            .graph_first = collection ? a.first : NULL,
                            .graph_labels = collection ? a.kinds : NULL,
                            .graph_classes = data->graph_classes};
  CHECK_OK(sotto_dataset_from_arrays(&out, &all, &err));
  arrays_free(&a);
  return out;
}

static void worlds_new(worlds *w, const check_case *c, const char *what, const sotto_options *o,
                       const check_case_data *data) {
  const sotto_dataset *all = check_data_of(c, data);
  const uint64_t count = sotto_deal_items(all);
  uint32_t *owner = calloc(count, sizeof *owner);
  assert_non_null(owner);
  for (uint64_t i = 0; i < count; i++) owner[i] = (uint32_t)(i % clients);
  *w = (worlds){.c = c, .what = what};
  check_placement_new(&w->parties, o, all, owner);
  free(owner);
  for (size_t i = 0; i < w->parties.count; i++) {
    const check_party *p = &w->parties.of[i];
    sotto_dataset had;
    if (!sotto_i_party_has_data(&p->party)) continue;
    CHECK_OK(sotto_dataset_open(&had, p->options.data, NULL, &err));
    w->data[i].of[0] = world_of(&had, no_change);
    w->data[i].of[1] = world_of(&had, change_of(w, p));
    sotto_dataset_free(&had);
  }
}

static void worlds_free(worlds *w) {
  for (size_t i = 0; i < w->parties.count; i++)
    for (int k = 0; k < 2; k++) sotto_dataset_free(&w->data[i].of[k]);
}

/* Runs the world in which the party `changed` has its item changed (parties.count: nobody), and adds what
 * leaves each of `of`. */
static void live(check_trace *traces, const worlds *w, size_t changed, const bool *of, uint64_t noise) {
  int status[CHECK_MOST_PARTIES];
  for (size_t i = 0; i < w->parties.count; i++) {
    const check_party *p = &w->parties.of[i];
    (void)check_new_ledger(p->options.ledger);
    if (sotto_i_party_has_data(&p->party))
      CHECK_OK(sotto_dataset_save(&w->data[i].of[i == changed], p->options.data, &err));
  }
  if (check_programs_run(status, &w->parties, noise, NULL) > 0) {
    for (size_t i = 0; i < w->parties.count; i++) check_programs_show(&w->parties.of[i]);
    fail_msg("%s%s: the parties do not all end well", w->c->name, w->what);
  }
  for (size_t k = 0; k < w->parties.count; k++) {
    traces[k] = (check_trace){0};
    for (size_t i = 0; of[k] && i < w->parties.count; i++)
      check_programs_trace(&traces[k], &w->parties.of[i], status[i], i != k);
  }
  check_programs_remove(&w->parties);
}

/* Takes those out of `of` whose worlds are the same; returns a party whose worlds differ, with a line of each
 * world, or parties.count. */
static size_t compare(char line[2][400], const worlds *w, bool *of, uint64_t noise) {
  check_trace one[CHECK_MOST_PARTIES], other[CHECK_MOST_PARTIES];
  size_t found = w->parties.count;
  live(one, w, w->parties.count, of, noise);
  for (size_t k = 0; k < w->parties.count; k++) {
    bool alone[CHECK_MOST_PARTIES] = {false};
    if (!of[k]) continue;
    alone[k] = true;
    live(other, w, k, alone, noise);
    of[k] = check_trace_differ(line, &one[k], &other[k]);
    check_trace_free(&other[k]);
    if (!of[k]) continue;
    found = k;
    break;
  }
  for (size_t k = 0; k < w->parties.count; k++) check_trace_free(&one[k]);
  return found;
}

/* Of how many parties two worlds were compared. `leaks`: a fault is planted, and they have to differ. */
static size_t compare_all(const worlds *w, bool leaks) {
  char line[2][400];
  bool of[CHECK_MOST_PARTIES];
  size_t count = 0, found = 0;
  for (size_t k = 0; k < w->parties.count; k++) {
    of[k] = change_of(w, &w->parties.of[k]) != no_change;
    count += of[k];
    if (of[k]) (void)printf("  %s%s: %s\n", w->c->name, w->what, w->parties.of[k].role);
  }
  for (uint64_t trial = 1; count > 0 && found < w->parties.count && trial <= most_trials; trial++)
    found = compare(line, w, of, trial);
  const bool differ = count > 0 && found < w->parties.count;
  if (leaks && !differ) fail_msg("%s: what is planted is not seen", w->c->name);
  if (differ && !leaks)
    fail_msg("%s%s, %s: the worlds differ:\n  %s\n  %s", w->c->name, w->what, w->parties.of[found].role,
             line[0], line[1]);
  return count;
}

static size_t try_case(const check_case *c, const check_case_data *data, const char *const further[2],
                       bool leaks) {
  static worlds w;
  static const char *const shorter[] = {"epochs", "1", "rounds", "1", "encoder-epochs", "1", NULL};
  char what[80] = "";
  sotto_options o = check_case_options(c, data, c->name);
  check_set_own(&o, shorter);
  if (further != NULL) {
    check_set(&o, further[0], further[1]);
    check_set_own(&o, (const char *const[]){"max-degree", data->max_degree, NULL});
    (void)snprintf(what, sizeof what, ", %s %s", further[0], further[1]);
  }
  if (!check_has_parties(&o)) return 0;
  worlds_new(&w, c, what, &o, data);
  const size_t compared = compare_all(&w, leaks);
  worlds_free(&w);
  return compared;
}

/* Sums of clients that their server does not see one by one; and who adds the noise. */
static const char *const of_sums[][2] = {
    {"secure-aggregation", "true"}, {"noise", "local"}, {"noise", "central"}};

static void a_party_shows_the_same_in_two_worlds_that_differ_in_its_item(void **state) {
  size_t count, compared = 0;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  const char *only = getenv("SOTTO_TEST_CASE");
  (void)state;
  for (size_t i = 0; i < count; i++) {
    if (strcmp(cases[i].adjacency, "none") == 0) continue; /* nothing is protected */
    if (only != NULL && strstr(cases[i].name, only) == NULL) continue;
    compared += try_case(&cases[i], &data, NULL, false);
    for (size_t k = 0; k < CHECK_FURTHER; k++)
      if (check_case_has(&cases[i], check_further[k][0]))
        compared += try_case(&cases[i], &data, check_further[k], false);
    for (size_t k = 0; k < sizeof of_sums / sizeof *of_sums; k++)
      if (check_case_has(&cases[i], of_sums[k][0])) compared += try_case(&cases[i], &data, of_sums[k], false);
  }
  assert_true(only != NULL || compared > 20);
  check_case_data_free(&data);
}

/* The program then states the number of nodes where it is private. */
static void a_size_in_a_statement_is_seen(void **state) {
  size_t count, tried = 0;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  (void)state;
  assert_int_equal(setenv("SOTTO_SIZES", "shown", 1), 0);
  for (size_t i = 0; i < count; i++)
    if (strcmp(cases[i].adjacency, "client") == 0) tried += try_case(&cases[i], &data, NULL, true);
  assert_int_equal(unsetenv("SOTTO_SIZES"), 0);
  assert_true(tried > 0);
  check_case_data_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_party_shows_the_same_in_two_worlds_that_differ_in_its_item),
      cmocka_unit_test(a_size_in_a_statement_is_seen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
