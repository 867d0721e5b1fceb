/* A run folder follows from its releases: every method of one owner that protects something is trained, then
 * its models, measures and statement are taken away, and made again from the releases that are kept and from
 * data with an edge less (at node level: another node, at graph level: another graph; or other labels). All
 * files that may be handed on have the same bytes, digits of measures and models included, as from the data
 * as it was. */
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

/* One node, or the first graph, as it is not: other features and one edge less. Labels and nodes stay. */
static sotto_dataset changed(const check_case *c, const sotto_dataset *data) {
  sotto_dataset out = check_without_edge(data);
  if (strcmp(c->adjacency, "edge") != 0 && strcmp(c->adjacency, "k-neighbour") != 0)
    for (size_t j = 0; j < out.features.cols; j++) out.features.data[j] = 0.5F + (float)j;
  return out;
}

/* What a paper claims does not hold, and parties draw masks of their own for each share. */
static bool is_looked_at(const check_case *c) {
  return strcmp(c->accounting, "sound") == 0 && !check_case_has(c, "holders") &&
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
  for (size_t i = 0; i < count; i++) {
    const check_case *c = &cases[i];
    if (!is_looked_at(c) || !check_case_has(c, "label-epsilon")) continue;
    sotto_options o = options_of(c, &data, "labels");
    check_set(&o, "label-epsilon", "2");
    compare(c, &o, &data.graph, &other.graph, false);
    seen++;
  }
  check_seen(seen >= 3);
  check_case_data_free(&data);
  check_case_data_free(&other);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_folder_follows_from_its_releases),
                                     cmocka_unit_test(so_it_does_where_labels_are_private)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
