/* Every method in every variant, with options for a short run. */
#include "registry_cases.h"

#include "base/file.h"
#include "check.h"
#include "ledgers.h"
#include "run/settings/options.h"
#include "sotto/generate.h"

static const char *const adjacencies[] = {"none", "transfer", "edge",  "k-neighbour",
                                          "node", "graph",    "client"};
static const char *const accountings[] = {"sound", "paper"};

const char *const check_further[CHECK_FURTHER][2] = {
    {"releases", "2"},          {"label-epsilon", "2"},     {"label-edges", "0.4"},
    {"label-features", "0.4"},  {"share-features", "once"}, {"layers", "2"},
    {"prototype-noise", "4"},   {"embed-every", "1"},       {"initial", "individually"},
    {"publish-accuracy", "20"}, {"label-holder", "3"}};

/* Hundreds of runs of some milliseconds wait for nothing but the disk: they go to memory where the system has
 * such a folder, unless TMPDIR says another. */
static void write_to_memory(void) {
  if (sotto_i_is_folder("/dev/shm")) (void)setenv("TMPDIR", "/dev/shm", 0);
}

sotto_dataset check_with_transfers(const sotto_dataset *data, bool less) {
  const sotto_graph *g = &data->graph;
  uint32_t *ends = calloc(2 * g->entries, sizeof *ends);
  float *amounts = calloc(g->entries, sizeof *amounts);
  double *times = calloc(g->entries, sizeof *times);
  uint8_t *kinds = calloc(g->entries, sizeof *kinds);
  static const uint64_t starts[] = {0, 5, 10, 15};
  static const sotto_names names = {3, starts, "card\0cash\0wire"};
  uint64_t count = 0;
  sotto_dataset out;
  assert_true(ends != NULL && amounts != NULL && times != NULL && kinds != NULL);
  for (uint32_t v = 0; v < g->nodes; v++)
    for (uint64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
      ends[count] = v;
      ends[g->entries + count] = g->targets[e];
      amounts[count] = (float)(1 + e % 90);
      kinds[count] = (uint8_t)(e % 7 % 3);
      times[count++] = (double)(e % 300);
    }
  if (less) count--;
  const sotto_arrays arrays = {.name = data->name,
                               .nodes = g->nodes,
                               .sources = {ends, count, SOTTO_INDEX_U32},
                               .targets = {ends + g->entries, count, SOTTO_INDEX_U32},
                               .amounts = amounts,
                               .times = times,
                               .kinds = kinds,
                               .kind_names = &names,
                               .features = data->features.data,
                               .feature_columns = data->features.cols,
                               .labels = data->labels,
                               .numbers = data->numbers,
                               .classes = data->classes};
  CHECK_OK(sotto_dataset_from_arrays(&out, &arrays, &err));
  free(ends);
  free(amounts);
  free(times);
  free(kinds);
  return out;
}

/* A number to learn for each node of the graph: its first feature, and its class. */
static void add_numbers(check_case_data *data) {
  static float numbers[200];
  const sotto_dataset *d = &data->graph;
  assert_int_equal(d->graph.nodes, sizeof numbers / sizeof *numbers);
  for (size_t v = 0; v < d->graph.nodes; v++)
    numbers[v] = 100 + 5 * d->features.data[v * d->features.cols] + (float)d->labels[v];
  data->graph.numbers = data->transfers.numbers = numbers;
}

check_case_data check_case_data_new(void) {
  write_to_memory();
  const sotto_sbm_options sbm = {.nodes = 200,
                                 .classes = 3,
                                 .features = 5,
                                 .degree_inside = 5,
                                 .degree_outside = 1,
                                 .feature_signal = 2};
  check_case_data out = {.graph = check_communities(&sbm)};
  uint64_t most = 0;
  sotto_key key;
  sotto_key_public(&key, 2);
  CHECK_OK(sotto_split_ego(&out.collection, &out.graph, 1, 24, &key, &err));
  out.transfers = check_with_transfers(&out.graph, false);
  add_numbers(&out);
  for (uint64_t v = 0; v < out.graph.graph.nodes; v++) {
    uint64_t degree = out.graph.graph.offsets[v + 1] - out.graph.graph.offsets[v];
    if (degree > most) most = degree;
  }
  (void)snprintf(out.max_degree, sizeof out.max_degree, "%llu", (unsigned long long)most);
  return out;
}

void check_case_data_free(check_case_data *data) {
  sotto_dataset_free(&data->graph);
  sotto_dataset_free(&data->collection);
  sotto_dataset_free(&data->transfers);
}

static const char *chosen_cases(void) {
  return getenv("SOTTO_TEST_CASE");
}

void check_seen(bool enough) {
  assert_true(enough || chosen_cases() != NULL);
}

const check_case *check_cases(size_t *count) {
  const char *only = chosen_cases();
  static check_case cases[CHECK_MOST_CASES];
  size_t n = 0;
  for (size_t m = 0; sotto_i_methods()[m] != NULL; m++)
    for (size_t v = 0; v < sotto_i_methods()[m]->variant_count; v++)
      for (unsigned a = 0; a < sizeof adjacencies / sizeof *adjacencies; a++)
        for (unsigned p = 0; p < sizeof accountings / sizeof *accountings; p++) {
          const sotto_i_method *method = sotto_i_methods()[m];
          const sotto_i_variant *variant = &method->variants[v];
          if ((variant->adjacencies & 1U << a) == 0 || (variant->accountings & 1U << p) == 0) continue;
          assert_true(n < CHECK_MOST_CASES);
          check_case *c = &cases[n++];
          *c = (check_case){.method = method,
                            .variant = variant,
                            .adjacency = adjacencies[a],
                            .accounting = accountings[p],
                            .collection = (variant->adjacencies & SOTTO_I_GRAPH) != 0,
                            .transfers = a == SOTTO_ADJACENCY_TRANSFER};
          (void)snprintf(c->name, sizeof c->name, "%.30s%s%.20s-%s-%s", method->name,
                         variant->key == NULL ? "" : "-", variant->key == NULL ? "" : variant->word,
                         c->adjacency, c->accounting);
          if (only != NULL && strncmp(c->name, only, strlen(only)) != 0) n--;
        }
  *count = n;
  return cases;
}

const sotto_dataset *check_data_of(const check_case *c, const check_case_data *data) {
  return c->collection ? &data->collection : c->transfers ? &data->transfers : &data->graph;
}

static sotto_options chosen(const check_case *c) {
  sotto_options o;
  sotto_options_default(&o);
  check_set(&o, "method", c->method->name);
  check_set(&o, "adjacency", c->adjacency);
  if (strcmp(c->accounting, "sound") != 0) check_set(&o, "accounting", c->accounting);
  if (c->variant->key != NULL) check_set(&o, c->variant->key, c->variant->word);
  return o;
}

bool check_case_has(const check_case *c, const char *key) {
  sotto_i_option row;
  const sotto_options o = chosen(c);
  return sotto_i_option_has(&row, &o, key);
}

bool check_case_takes(const check_case *c, const char *const further[2]) {
  if (strcmp(further[0], "label-holder") == 0 && strcmp(c->method->name, "securegnn") == 0) return false;
  return check_case_has(c, further[0]);
}

sotto_options check_case_options(const check_case *c, const check_case_data *data, const char *folder) {
  static const char *const tiny[][2] = {
      {"hidden", "4"},  {"encoder-epochs", "3"},   {"epochs", "3"},
      {"rounds", "3"},  {"embed-epochs", "2"},     {"generator-epochs", "2"},
      {"steps", "6"},   {"batch-rate", "0.5"},     {"clients", "3"},
      {"fan-out", "3"}, {"checkpoint-every", "1"}, {"threads", "1"}};
  char ledger[120];
  sotto_options o = chosen(c);
  check_set(&o, "data", "made");
  check_set(&o, "out", check_path(folder));
  (void)snprintf(ledger, sizeof ledger, "%.100s.db", folder);
  check_set(&o, "ledger", check_new_ledger(check_path(ledger)));
  for (size_t i = 0; i < sizeof tiny / sizeof *tiny; i++)
    check_set_own(&o, (const char *const[]){tiny[i][0], tiny[i][1], NULL});
  if (check_case_has(c, "rounds")) check_set_own(&o, (const char *const[]){"epochs", "1", NULL});
  if (strcmp(c->adjacency, "node") == 0)
    check_set_own(&o, (const char *const[]){"max-degree", data->max_degree, NULL});
  if (o.accounting == SOTTO_ACCOUNTING_PAPER && strcmp(o.method, "vesper") == 0)
    check_set_own(&o, (const char *const[]){"batch-size", "8", NULL});
  if (strcmp(c->adjacency, "none") == 0) check_set_own(&o, (const char *const[]){"epsilon", "inf", NULL});
  return o;
}
