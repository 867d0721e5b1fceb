/* A run folder follows from its releases: every method of one owner that protects something is trained, then
 * its models, measures and statement are taken away, and made again from the releases that are kept and from
 * data with an edge less (at node level: another node, at graph level: another graph; or other labels). All
 * files that may be handed on have the same bytes, digits of measures and models included, as from the data
 * as it was. Clients
 * have accounts by their own parts of the data: of a federation, two worlds have the same counts. */
#include <dirent.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "check.h"
#include "registry_cases.h"
#include "run_files.h"
#include "small_graph.h"

enum { most_files = 64 };

/* What may be handed on of a folder: names in order, and bytes. */
typedef struct shown {
  char *names[most_files];
  sotto_i_map files[most_files];
  size_t count;
} shown;

static bool ends_with(const char *name, const char *ending) {
  const size_t size = strlen(name), last = strlen(ending);
  return size >= last && strcmp(name + size - last, ending) == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

/* Calls `each` with every file below a folder, in the order of names. */
static void visit(const char *folder, bool owners, void (*each)(void *context, const char *path),
                  void *context) {
  struct dirent **entries;
  const int count = scandir(folder, &entries, NULL, by_name);
  assert_true(count >= 0);
  for (int i = 0; i < count; i++) {
    char path[1400];
    const char *name = entries[i]->d_name;
    (void)snprintf(path, sizeof path, "%.1000s/%.300s", folder, name);
    if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && (owners || strcmp(name, "owner-only") != 0)) {
      if (sotto_i_is_folder(path))
        visit(path, owners, each, context);
      else
        each(context, path);
    }
    free(entries[i]);
  }
  free(entries);
}

/* Dates, times and signatures are others each time; statement.json is compared by its digits elsewhere. */
static void show(void *context, const char *path) {
  static const char *const others[] = {"/evidence.json", "/report.html", "/statement.json", "/run.id",
                                       "/lock"};
  shown *s = context;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (ends_with(path, others[i])) return;
  if (ends_with(path, "/result.json") && strstr(path, "/seed-") == NULL)
    return; /* means of those of the seeds */
  assert_true(s->count < most_files);
  CHECK_OK(sotto_i_map_open(&s->files[s->count], path, &err));
  s->names[s->count++] = strdup(path);
}

static void shown_free(shown *s) {
  for (size_t i = 0; i < s->count; i++) {
    sotto_i_map_close(&s->files[i]);
    free(s->names[i]);
  }
  *s = (shown){.count = 0};
}

/* All but releases, keys, and what says which run it is. */
static void strip(void *context, const char *path) {
  static const char *const made_again[] = {
      "/result.json",     "/metrics.jsonl", "/rounds.jsonl",  "/model.safetensors",
      "/statement.json",  "/report.html",   "/evidence.json", "/predictions.csv",
      "/correction.json", "/chosen",        "/finished"};
  char made[1500];
  (void)context;
  (void)snprintf(made, sizeof made, "%.1400s.made", path);
  for (size_t i = 0; i < sizeof made_again / sizeof *made_again; i++)
    if (ends_with(path, made_again[i]) && access(made, F_OK) != 0) assert_int_equal(remove(path), 0);
}

/* Releases, too: they are drawn anew. */
static void strip_all(void *context, const char *path) {
  char made[1500];
  (void)snprintf(made, sizeof made, "%.1400s.made", path);
  if (strstr(path, "/seed-") != NULL && strstr(path, "/owner-only/") == NULL && access(made, F_OK) == 0) {
    assert_int_equal(remove(path), 0);
    assert_int_equal(remove(made), 0);
  } else if (!ends_with(path, ".made")) {
    strip(context, path);
  }
}

static sotto_options options_of(const check_case *c, const check_case_data *data, const char *folder) {
  sotto_options o = check_case_options(c, data, folder);
  sotto_ledger *ledger;
  CHECK_OK(sotto_ledger_open(&ledger, o.ledger, &err));
  CHECK_OK(sotto_ledger_account_new(ledger, "customers", "a test", &err));
  sotto_ledger_close(ledger);
  check_set(&o, "account", "customers");
  return o;
}

static void train(const sotto_options *o, const sotto_dataset *data) {
  sotto_result result;
  CHECK_OK(sotto_train(&result, o, data, NULL, NULL, &err));
  sotto_result_free(&result);
}

/* From the folder `from`: the same with all made again from its releases and `data`. */
static shown again(const sotto_options *of, const char *from, const sotto_dataset *data, bool anew) {
  shown out = {.count = 0};
  sotto_options o = *of;
  check_remove_folder(o.out);
  check_copy_folder(from, o.out);
  visit(o.out, true, anew ? strip_all : strip, NULL);
  check_set(&o, "resume", "true");
  train(&o, data);
  visit(o.out, false, show, &out);
  return out;
}

/* Where the two differ, or NULL. */
static const char *difference(const shown *a, const shown *b) {
  if (a->count != b->count) return "the number of files";
  for (size_t i = 0; i < a->count; i++)
    if (strcmp(a->names[i], b->names[i]) != 0 || a->files[i].size != b->files[i].size ||
        memcmp(a->files[i].data, b->files[i].data, a->files[i].size) != 0)
      return a->names[i];
  return NULL;
}

static bool has_release(const shown *s) {
  for (size_t i = 0; i < s->count; i++)
    if (ends_with(s->names[i], ".made")) return true;
  return false;
}

/* One node, or the first graph, as it is not: other features and one edge less; or one transfer less. Labels
 * and nodes stay. */
static sotto_dataset changed(const check_case *c, const sotto_dataset *data) {
  if (c->transfers) return check_with_transfers(data, true);
  sotto_dataset out = check_without_edge(data);
  if (strcmp(c->adjacency, "edge") != 0 && strcmp(c->adjacency, "k-neighbour") != 0)
    for (size_t j = 0; j < out.features.cols; j++) out.features.data[j] = 0.5F + (float)j;
  return out;
}

/* What a paper claims does not hold, and parties draw masks of their own for each share. */
static bool is_looked_at(const check_case *c) {
  return strcmp(c->accounting, "sound") == 0 && c->method->topology != SOTTO_HOLDERS_AND_SERVER &&
         !check_case_has(c, "clients");
}

/* Trains on `data`, and then compares what follows from its releases with `data` and with `other`. Releases
 * that are `drawn` have no key in the folder by which they would be the same again. */
static void compare(const check_case *c, const sotto_options *o, const sotto_dataset *data,
                    const sotto_dataset *other, bool drawn) {
  const char *kept = check_path("kept");
  train(o, data);
  check_copy_folder(o->out, kept);
  shown before = again(o, kept, data, false), after = again(o, kept, other, false);
  const char *where = difference(&before, &after);
  if (where != NULL) fail_msg("%s: follows from private data beyond the releases: %s", c->name, where);
  shown_free(&after);
  after = again(o, kept, data, true);
  if (drawn && has_release(&before) && difference(&before, &after) == NULL)
    fail_msg("%s: releases that were drawn anew are not seen", c->name);
  shown_free(&before);
  shown_free(&after);
  check_remove_folder(kept);
  check_remove_folder(o->out);
  assert_int_equal(remove(o->ledger), 0);
}

static void a_folder_follows_from_its_releases(void **state) {
  size_t count, seen = 0;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  (void)state;
  for (size_t i = 0; i < count; i++) {
    const check_case *c = &cases[i];
    if (!is_looked_at(c) || strcmp(c->adjacency, "none") == 0) continue;
    const sotto_dataset *all = check_data_of(c, &data);
    sotto_dataset other = changed(c, all);
    const sotto_options o = options_of(c, &data, "given");
    compare(c, &o, all, &other, true);
    sotto_dataset_free(&other);
    seen++;
  }
  check_seen(seen >= 20);
  check_case_data_free(&data);
}

/* The same graph, whose nodes have other labels, of all parts of the split. */
static void turn_labels(const sotto_dataset *data) {
  int32_t *labels = (int32_t *)(uintptr_t)data->labels; /* the test's own */
  for (size_t v = 0; v < data->graph.nodes; v += 7) labels[v] = (labels[v] + 1) % (int32_t)data->classes;
}

static void so_it_does_where_labels_are_private(void **state) {
  size_t count, seen = 0;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new(), other = check_case_data_new();
  (void)state;
  turn_labels(&other.graph);
  turn_labels(&other.transfers);
  for (size_t i = 0; i < count; i++) {
    const check_case *c = &cases[i];
    if (!is_looked_at(c) || !check_case_has(c, "label-epsilon")) continue;
    sotto_options o = options_of(c, &data, "labels");
    check_set(&o, "label-epsilon", "2");
    compare(c, &o, check_data_of(c, &data), check_data_of(c, &other), false);
    seen++;
  }
  check_seen(seen >= 3);
  check_case_data_free(&data);
  check_case_data_free(&other);
}

/* Pairs of nodes, each edge once. */
typedef struct pair_list {
  uint32_t *a, *b;
  uint64_t count;
} pair_list;

static pair_list pairs_of(const sotto_graph *g) {
  pair_list out = {calloc(g->entries, sizeof *out.a), calloc(g->entries, sizeof *out.b), 0};
  assert_true(out.a != NULL && out.b != NULL);
  for (uint64_t v = 0; v < g->nodes; v++)
    for (uint64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++)
      if (v < g->targets[e]) {
        out.a[out.count] = (uint32_t)v;
        out.b[out.count++] = g->targets[e];
      }
  return out;
}

static uint64_t client_of(const sotto_dataset *data, uint64_t node) {
  return 3 * node / data->graph.nodes;
}

static void write_parts(const sotto_dataset *data, const char *path) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  for (uint64_t v = 0; v < data->graph.nodes; v++)
    assert_true(fprintf(file, "%d\n", (int)client_of(data, v) + 1) > 0);
  assert_int_equal(fclose(file), 0);
}

/* Do edges i and j lie at one client, between nodes of the same classes, so that they may change ends? */
static bool may_swap(const sotto_dataset *data, const pair_list *p, uint64_t i, uint64_t j) {
  const int32_t *of = data->labels;
  const uint32_t nodes[] = {p->a[i], p->b[i], p->a[j], p->b[j]};
  for (int k = 0; k < 4; k++)
    for (int m = 0; m < k; m++)
      if (nodes[k] == nodes[m] || client_of(data, nodes[k]) != client_of(data, nodes[m])) return false;
  return of[nodes[0]] == of[nodes[2]] && of[nodes[1]] == of[nodes[3]] &&
         !check_has_edge(&data->graph, nodes[0], nodes[3]) &&
         !check_has_edge(&data->graph, nodes[2], nodes[1]);
}

/* The `number`-th world in which two edges have changed ends: as many neighbours of each class everywhere. */
static sotto_dataset rewired(const sotto_dataset *data, size_t number) {
  pair_list p = pairs_of(&data->graph);
  sotto_dataset out = {0};
  bool found = false;
  for (uint64_t i = 0; !found && i < p.count; i++)
    for (uint64_t j = 0; !found && j < i; j++) {
      if (!may_swap(data, &p, i, j) || number-- > 0) continue;
      const uint32_t end = p.b[i];
      p.b[i] = p.b[j];
      p.b[j] = end;
      found = true;
    }
  assert_true(found);
  const sotto_arrays arrays = {.name = data->name,
                               .nodes = data->graph.nodes,
                               .sources = {p.a, p.count, SOTTO_INDEX_U32},
                               .targets = {p.b, p.count, SOTTO_INDEX_U32},
                               .features = data->features.data,
                               .feature_columns = data->features.cols,
                               .labels = data->labels,
                               .classes = data->classes};
  CHECK_OK(sotto_dataset_from_arrays(&out, &arrays, &err));
  free(p.a);
  free(p.b);
  return out;
}

static shown shown_of(const check_case *c, const check_case_data *data, const sotto_dataset *trained) {
  shown out = {.count = 0};
  sotto_options o = options_of(c, data, "rewired");
  char parts[1100];
  (void)snprintf(parts, sizeof parts, "file:%.1000s", check_path("parts"));
  check_set(&o, "partition", parts);
  check_set(&o, "insecure-seed", "7");
  train(&o, trained);
  visit(o.out, false, show, &out);
  check_remove_folder(o.out);
  assert_int_equal(remove(o.ledger), 0);
  return out;
}

/* Whether the counts of the two are the same; predicted classes may tell ends apart. */
static bool same_counts(const shown *a, const shown *b) {
  for (size_t i = 0; i < a->count; i++)
    if (strstr(a->names[i], "/counts-") != NULL && !ends_with(a->names[i], ".made") &&
        (a->files[i].size != b->files[i].size ||
         memcmp(a->files[i].data, b->files[i].data, a->files[i].size) != 0))
      return false;
  return true;
}

/* Clients' releases are counts by class, and with fixed noise those of the two worlds are the same. So is all
 * else, in which their edges would show. A world with an edge less shows that the counts are read. */
static void clients_show_nothing_of_edges_beyond_their_counts(void **state) {
  enum { worlds = 4 };
  size_t count, seen = 0;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  sotto_dataset less = check_without_edge(&data.graph);
  (void)state;
  write_parts(&data.graph, check_path("parts"));
  for (size_t i = 0; i < count; i++) {
    const check_case *c = &cases[i];
    size_t same = 0;
    if (strcmp(c->adjacency, "edge") != 0 || strcmp(c->accounting, "sound") != 0 ||
        !check_case_has(c, "clients"))
      continue;
    shown before = shown_of(c, &data, &data.graph);
    for (size_t k = 0; k < worlds; k++) {
      sotto_dataset other = rewired(&data.graph, 40 * k);
      shown after = shown_of(c, &data, &other);
      const char *where = difference(&before, &after);
      same += same_counts(&before, &after);
      if (where != NULL && same_counts(&before, &after))
        fail_msg("%s: follows from edges beyond the counts: %s", c->name, where);
      shown_free(&after);
      sotto_dataset_free(&other);
    }
    shown after = shown_of(c, &data, &less);
    if (same == 0 || same_counts(&before, &after)) fail_msg("%s: the comparison is blind", c->name);
    shown_free(&after);
    shown_free(&before);
    seen++;
  }
  check_seen(seen >= 3);
  sotto_dataset_free(&less);
  check_case_data_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_folder_follows_from_its_releases),
                                     cmocka_unit_test(so_it_does_where_labels_are_private),
                                     cmocka_unit_test(clients_show_nothing_of_edges_beyond_their_counts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
