/* sotto compare classify, cluster, plot. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json.h"
#include "cli/output.h"
#include "common/file.h"
#include "common/memory.h"
#include "common/print.h"
#include "compare.h"
#include "report/chart.h"
#include "report/picture.h"

/* A single test has no standard deviation. */
static void print_judgement(const sotto_gw_judgement *j, bool reports, bool once, bool json) {
  char spread[2][32] = {"", ""};
  if (json) {
    (void)cli_print_json(json_pack("{s:f,s:o,s:f,s:o,s:f,s:f,s:f,s:i,s:I}", "svm", j->svm, "svm_std",
                                   once ? json_null() : json_real(j->svm_deviation), "knn", j->knn, "knn_std",
                                   once ? json_null() : json_real(j->knn_deviation), "majority", j->majority,
                                   "C", j->penalty, "gamma", j->gamma, "neighbours", (int)j->neighbours,
                                   "graphs", (json_int_t)j->graphs));
    return;
  }
  const double deviations[2] = {j->svm_deviation, j->knn_deviation};
  for (int k = 0; !once && k < 2; k++)
    (void)snprintf(spread[k], sizeof spread[k], "+- %.2f", 100 * deviations[k]);
  app_print(stdout,
            "                  accuracy %s %s, per cent\n"
            "  SVM             %6.2f %-10s(C %g, gamma %g%s)\n"
            "  kNN             %6.2f %-10s(k %u%s)\n"
            "  largest class   %6.2f           of %zu graphs\n",
            reports ? "of anchors' classes, estimated from reports on test" : "on test",
            once ? "graphs" : "folds", 100 * j->svm, spread[0], j->penalty, j->gamma,
            once ? "" : " most often", 100 * j->knn, spread[1], j->neighbours, once ? "" : " most often",
            100 * j->majority, j->graphs);
}

static sotto_status classify_parts(sotto_gw_judgement *out, const sotto_gw_table *table, const char *path,
                                   uint32_t neighbours, sotto_error *err) {
  uint8_t *parts = NULL;
  sotto_status status = app_new(&parts, table->count, 1, err);
  if (status == SOTTO_OK) status = sotto_gw_parts_open(parts, table->count, path, err);
  if (status == SOTTO_OK) status = sotto_gw_classify_parts(out, table, parts, neighbours, err);
  free(parts);
  return status;
}

/* How many folds, and their key. */
typedef struct folding {
  uint64_t folds, inner, seed, neighbours;
  sotto_key key;
} folding;

/* From reports alone: nobody knows a label, and the accuracy is an estimate. */
static sotto_status classify_reports(sotto_gw_judgement *out, const compare_request *r, const folding *f,
                                     const sotto_observer *observer, sotto_error *err) {
  sotto_gw_plan plan = {.by = SOTTO_GW_BY_CODES};
  compare_inputs in = {.graphs = NULL};
  sotto_status status = compare_open(&in, &plan, r, r->words[1], err);
  if (status == SOTTO_OK)
    status = sotto_gw_classify_codes(out, plan.codes, (uint32_t)f->folds, (uint32_t)f->inner,
                                     (uint32_t)f->neighbours, &f->key, observer, err);
  compare_close(&in);
  return status;
}

static sotto_status classify_table(sotto_gw_judgement *out, const compare_request *r, const folding *f,
                                   const sotto_observer *observer, sotto_error *err) {
  sotto_gw_table table = {0};
  sotto_status status = sotto_gw_table_open(&table, r->words[1], err);
  if (status == SOTTO_OK)
    status = r->parts != NULL ? classify_parts(out, &table, r->parts, (uint32_t)f->neighbours, err)
                              : sotto_gw_classify(out, &table, (uint32_t)f->folds, (uint32_t)f->inner,
                                                  (uint32_t)f->neighbours, &f->key, observer, err);
  sotto_gw_table_free(&table);
  return status;
}

int compare_classify(const compare_request *r) {
  uint64_t threads = 0;
  folding f = {.folds = 10, .inner = 5, .seed = 1};
  sotto_error err = {0};
  sotto_gw_judgement judgement;
  if (!cli_count(&f.folds, r->folds, "folds") || !cli_count(&f.inner, r->inner, "inner") ||
      !cli_count(&f.seed, r->seed, "seed") || !cli_count(&threads, r->threads, "threads") ||
      !cli_count(&f.neighbours, r->neighbours, "neighbours"))
    return EXIT_USAGE;
  if (r->parts != NULL && (r->folds != NULL || r->inner != NULL))
    return cli_usage("parts: the file says what is tested; leave --folds and --inner out");
  if (f.neighbours > 1000) return cli_usage("neighbours: at most 1000");
  if (f.folds > 100 || f.inner > 100) return cli_usage("folds, inner: at most 100");
  const bool reports = r->by != NULL;
  if (reports && (strcmp(r->by, "codes") != 0 || r->codes != NULL || r->parts != NULL))
    return cli_usage(
        "classify: a table has how it was compared; --by codes alone classifies the reports in a run");
  sotto_key_public(&f.key, f.seed);
  sotto_observer observer = cli_observer();
  sotto_status status = SOTTO_OK;
  if (r->threads != NULL) status = sotto_threads_set(threads > 1000 ? 1000 : (unsigned)threads, &err);
  if (status == SOTTO_OK)
    status = reports ? classify_reports(&judgement, r, &f, &observer, &err)
                     : classify_table(&judgement, r, &f, &observer, &err);
  cli_observer_end();
  if (status == SOTTO_OK) print_judgement(&judgement, reports, r->parts != NULL, r->json);
  return status == SOTTO_OK ? EXIT_DONE : cli_error(&err);
}

static sotto_status save_clusters(const sotto_gw_clusters *c, const sotto_dataset *data, const char *path,
                                  sotto_error *err) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (out == NULL) return SOTTO_NOMEM;
  (void)fputs("graph,label,cluster\n", out);
  for (size_t g = 0; g < c->count; g++)
    (void)fprintf(out, "%zu,%d,%u\n", g, data->graph_labels == NULL ? -1 : (int)data->graph_labels[g],
                  c->cluster[g]);
  sotto_status status = fclose(out) == 0 ? app_write_file(path, text, size, err) : SOTTO_NOMEM;
  free(text);
  return status;
}

static void print_clusters(const sotto_gw_clusters *c, uint64_t clusters, bool json) {
  if (json) {
    json_t *list = json_array();
    json_t *medoids = json_array();
    for (size_t g = 0; g < c->count; g++) json_array_append_new(list, json_integer(c->cluster[g]));
    for (uint32_t k = 0; k < clusters; k++)
      json_array_append_new(medoids, c->medoid[k] == UINT32_MAX ? json_null() : json_integer(c->medoid[k]));
    (void)cli_print_json(json_pack("{s:I,s:f,s:i,s:o,s:o,s:o}", "clusters", (json_int_t)clusters, "spread",
                                   c->spread, "rounds", (int)c->rounds, "rand_index",
                                   isnan(c->rand_index) ? json_null() : json_real(c->rand_index), "cluster",
                                   list, "medoid", medoids));
    return;
  }
  app_print(stdout, "  clusters        %llu, of", (unsigned long long)clusters);
  for (uint32_t k = 0; k < clusters; k++) {
    size_t size = 0;
    for (size_t g = 0; g < c->count; g++) size += c->cluster[g] == k;
    app_print(stdout, " %zu", size);
  }
  app_print(stdout, " graphs after %u rounds\n  mean distance   %.6g to the own centre\n", c->rounds,
            c->spread);
  app_print(stdout, "  medoids         graphs");
  for (uint32_t k = 0; k < clusters; k++)
    if (c->medoid[k] != UINT32_MAX) app_print(stdout, " %u", c->medoid[k]);
  app_print(stdout, ": of each cluster that nearest to its centre\n");
  if (!isnan(c->rand_index)) app_print(stdout, "  with the labels adjusted Rand index %.4f\n", c->rand_index);
}

int compare_cluster(const compare_request *r) {
  sotto_gw_plan plan;
  sotto_gw_options gw;
  compare_inputs in = {.graphs = NULL};
  sotto_gw_clusters clusters = {0};
  uint64_t count = 2, rounds = 20, seed = 1;
  sotto_error err = {0};
  sotto_key key;
  const char *const inputs[] = {r->words[1], r->embeddings, r->codes};
  const cli_output as = {"--out", inputs, sizeof inputs / sizeof *inputs, NULL, CLI_TABLE};
  if (!cli_one_stdout(r->out, "--out", r->json) || !cli_may_write(r->out, &as)) return EXIT_USAGE;
  if (!cli_count(&count, r->clusters, "clusters") || !cli_count(&rounds, r->rounds, "rounds") ||
      !cli_count(&seed, r->seed, "seed") || !compare_plan(&plan, &gw, r))
    return EXIT_USAGE;
  sotto_key_public(&key, seed);
  sotto_observer observer = cli_observer();
  sotto_status status = compare_open(&in, &plan, r, r->words[1], &err);
  if (status == SOTTO_OK)
    status = sotto_gw_cluster(&clusters, in.graphs, &plan, count > UINT32_MAX ? UINT32_MAX : (uint32_t)count,
                              rounds > 1000 ? 1000 : (uint32_t)rounds, &key, &observer, &err);
  if (status == SOTTO_OK && r->out != NULL) status = save_clusters(&clusters, in.graphs, r->out, &err);
  cli_observer_end();
  if (status == SOTTO_OK && !cli_is_stdout(r->out)) print_clusters(&clusters, count, r->json);
  sotto_gw_clusters_free(&clusters);
  compare_close(&in);
  return status == SOTTO_OK ? EXIT_DONE : cli_error(&err);
}

/* Orders rows by label; rows of one label keep their order. */
static void order_by_label(uint32_t *order, const sotto_gw_table *t) {
  for (uint32_t g = 0; g < t->count; g++) {
    size_t at = g;
    for (; at > 0 && t->labels[order[at - 1]] > t->labels[g]; at--) order[at] = order[at - 1];
    order[at] = g;
  }
}

static sotto_status draw_heat(const sotto_gw_table *t, const char *path, sotto_error *err) {
  uint32_t *order = NULL;
  sotto_status status = app_new(&order, t->count, sizeof *order, err);
  if (status != SOTTO_OK) return status;
  order_by_label(order, t);
  status =
      app_heat_map_write("distances of graphs, ordered by label", t->distance, order, t->count, path, err);
  free(order);
  return status;
}

/* Reads the groups that `compare cluster` wrote: one line "graph,label,cluster" for each row of the table. */
static sotto_status read_groups(int32_t *groups, size_t count, const char *path, sotto_error *err) {
  char line[128];
  size_t at = 0;
  FILE *in = fopen(path, "r");
  if (in == NULL) return sotto_i_fail(err, SOTTO_NOT_FOUND, "%s: there is no such file", path);
  bool good = fgets(line, sizeof line, in) != NULL && strcmp(line, "graph,label,cluster\n") == 0;
  for (; good && fgets(line, sizeof line, in) != NULL; at++) {
    char *end = line;
    const unsigned long graph = strtoul(line, &end, 10);
    end = strrchr(line, ',');
    good = at < count && graph == at && end != NULL;
    if (good) groups[at] = (int32_t)strtol(end + 1, NULL, 10);
  }
  (void)fclose(in);
  if (good && at == count) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_PARSE,
                      "%s: a line graph,label,cluster and then one for each of %zu graphs is wanted", path,
                      count);
}

static sotto_status draw_places(const sotto_gw_table *t, double perplexity, uint64_t seed,
                                const char *colours, const char *path, sotto_error *err) {
  sotto_key key;
  double *places = NULL;
  sotto_observer observer = cli_observer();
  sotto_key_public(&key, seed);
  if (perplexity <= 0) perplexity = fmax(1, fmin(30, ((double)t->count - 1) / 3));
  sotto_status status = app_new(&places, 2 * t->count, sizeof *places, err);
  if (status == SOTTO_OK) status = sotto_gw_places(places, t, perplexity, &key, &observer, err);
  if (status == SOTTO_OK && colours != NULL) status = read_groups(t->labels, t->count, colours, err);
  const app_scatter scatter = {colours == NULL ? "t-SNE of the distances of graphs, coloured by label"
                                               : "t-SNE of the distances of graphs, coloured by cluster",
                               colours == NULL ? "label" : "cluster", places, t->labels, t->count};
  if (status == SOTTO_OK) status = app_scatter_write(&scatter, path, err);
  free(places);
  return status;
}

int compare_plot(const compare_request *r) {
  static const char *const kinds[] = {"tsne", "heat", NULL};
  double perplexity = 0;
  uint64_t seed = 1;
  char path[APP_PICTURE_PATH];
  sotto_gw_table table = {0};
  sotto_error err = {0};
  if (!cli_real(&perplexity, r->perplexity, "perplexity") || !cli_count(&seed, r->seed, "seed"))
    return EXIT_USAGE;
  const int kind = compare_choice(r->kind == NULL ? "tsne" : r->kind, kinds, "kind");
  if (kind < 0) return EXIT_USAGE;
  if (r->out == NULL) return cli_usage("plot needs --out, the figure to write");
  if (!cli_one_stdout(r->out, "--out", r->json)) return EXIT_USAGE;
  if (app_picture_path(path, r->out, r->format, &err) != SOTTO_OK) return cli_usage("%s", err.text);
  const char *const inputs[] = {r->words[1], r->colours};
  if (!cli_may_write(path, &(cli_output){"--out", inputs, sizeof inputs / sizeof *inputs, NULL, CLI_PICTURE}))
    return EXIT_USAGE;
  sotto_status status = sotto_gw_table_open(&table, r->words[1], &err);
  if (status == SOTTO_OK)
    status = kind == 1 ? draw_heat(&table, path, &err)
                       : draw_places(&table, perplexity, seed, r->colours, path, &err);
  cli_observer_end();
  sotto_gw_table_free(&table);
  if (status != SOTTO_OK) return cli_error(&err);
  if (r->json) return cli_print_json(json_pack("{s:s}", "figure", r->out));
  if (!cli_is_stdout(r->out)) app_print(stdout, "  figure          %s\n", r->out);
  return EXIT_DONE;
}
