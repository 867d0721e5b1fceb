/* sotto compare: the distance table of all pairs in a collection of graphs. */
#include "compare.h"
#include "cli/output.h"

#include <stdio.h>
#include <string.h>

#include "base/progress.h"
#include "base/text.h"
#include "cli/json.h"
#include "cli/ranks.h"
#include "common/print.h"

static const char *const by_names[] = {"paths", "features", "embeddings", "fused", "kernel",
                                       "edits", "size",     "codes",      NULL};
static const char *const metric_names[] = {"euclidean", "cosine", "correlation", NULL};
static const char *const solver_names[] = {"conditional", "proximal", "entropic", NULL};

static int print_help(void) {
  (void)puts(
      "usage: sotto compare DATA --by BY --out TABLE.npz     distances of all pairs of graphs, also as .csv\n"
      "       sotto compare RUN --by codes --out TABLE.npz   of graphs that reported to the server of RUN\n"
      "       sotto compare classify TABLE.npz               SVM and kNN by nested cross-validation\n"
      "       sotto compare cluster DATA --clusters K        k-means around barycentres [--out C.csv]\n"
      "       sotto compare plot TABLE.npz --out FIGURE.svg  t-SNE, or a heat map\n\n"
      "  --by BY           paths: Gromov-Wasserstein on hops [paths]; features, embeddings: on distances of\n"
      "                    rows; fused: hops and features, or hops and embeddings; kernel: shortest-path\n"
      "                    kernel; edits: exact edit distance of small graphs; size: control, noise of\n"
      "                    the same shapes; codes: what graphs reported under local privacy\n"
      "  --metric M        of rows: euclidean, cosine, correlation [euclidean]\n"
      "  --embeddings FILE npz with a row a node of all graphs, array --array [embeddings]\n"
      "  --codes FILE      codes.npz of a run of gwldp, for all graphs of DATA; goes with --by codes\n"
      "                    Without --codes or --embeddings name the run folder of the server, or its "
      "seed-N,\n"
      "                    in the place of DATA: reports are enough, also for cluster, and classify by "
      "codes\n"
      "  --alpha A         fused: weight of the hops, 0 to 1 [0.5]\n"
      "  --starts N        plans from which the descent begins [6]\n"
      "  --solver S        conditional, proximal, entropic [conditional]; --entropy E of the latter [0.05]\n"
      "  --edit-nodes N    largest graph for edits, at most 32 [12]; --edit-seconds S for a pair [1]\n"
      "  --threads N       [one a core]\n"
      "  --folds N --inner N --seed N    classify [10, 5, 1]; --neighbours K fixes that of kNN\n"
      "  --parts FILE      classify: parts.csv of the run that made the embeddings; its test graphs are\n"
      "                    tested on, once, in the place of folds\n"
      "  --clusters K --rounds N         cluster [2, 20]\n"
      "  --kind K --perplexity P         plot: tsne or heat [tsne, 30 or what the graphs allow]\n"
      "  --colours C.csv   plot: by the clusters that `compare cluster` wrote, not by label\n"
      "  --out FILE        plot: .svg, or .png by rsvg-convert; cluster: .csv; - is standard output\n"
      "  --format F        plot: svg or png [by the ending of --out]\n"
      "  --json            results as JSON\n");
  (void)puts(
      "Ctrl-C leaves TABLE.npz.state; the same command goes on from there. The table is computed from the\n"
      "graphs as they are: it is as private as they are. By codes, distances reveal no more than the codes; "
      "of DATA,\n"
      "the labels and sizes of graphs that stand beside them are the true ones.\n\n"
      "example: sotto compare tu/MUTAG --by paths --out mutag.npz && sotto compare classify mutag.npz");
  return EXIT_DONE;
}

static bool parse(compare_request *r, int argc, char **argv) {
  const cli_flag flags[] = {{"by", &r->by, NULL},
                            {"metric", &r->metric, NULL},
                            {"embeddings", &r->embeddings, NULL},
                            {"array", &r->array, NULL},
                            {"codes", &r->codes, NULL},
                            {"alpha", &r->alpha, NULL},
                            {"starts", &r->starts, NULL},
                            {"solver", &r->solver, NULL},
                            {"entropy", &r->entropy, NULL},
                            {"edit-nodes", &r->edit_nodes, NULL},
                            {"edit-seconds", &r->edit_seconds, NULL},
                            {"out", &r->out, NULL},
                            {"threads", &r->threads, NULL},
                            {"folds", &r->folds, NULL},
                            {"inner", &r->inner, NULL},
                            {"seed", &r->seed, NULL},
                            {"clusters", &r->clusters, NULL},
                            {"rounds", &r->rounds, NULL},
                            {"kind", &r->kind, NULL},
                            {"perplexity", &r->perplexity, NULL},
                            {"parts", &r->parts, NULL},
                            {"neighbours", &r->neighbours, NULL},
                            {"colours", &r->colours, NULL},
                            {"format", &r->format, NULL},
                            {"json", NULL, &r->json},
                            {"help", NULL, &r->help}};
  return cli_parse(flags, sizeof flags / sizeof *flags, argc, argv, r->words, 2, &r->word_count);
}

int compare_choice(const char *word, const char *const *names, const char *what) {
  size_t count = 0;
  for (; names[count] != NULL; count++)
    if (strcmp(word, names[count]) == 0) return (int)count;
  char all[200] = "";
  for (size_t i = 0, used = 0; i < count && used < sizeof all; i++)
    used += (size_t)snprintf(all + used, sizeof all - used, " %s", names[i]);
  const char *nearest = sotto_i_nearest(word, names, count);
  (void)cli_usage("%s: '%s' is none of:%s%s%s%s", what, word, all, nearest == NULL ? "" : "; did you mean '",
                  nearest == NULL ? "" : nearest, nearest == NULL ? "" : "'?");
  return -1;
}

static bool parse_numbers(sotto_gw_plan *plan, sotto_gw_options *gw, const compare_request *r) {
  uint64_t starts = gw->starts, nodes = 0, threads = 0;
  sotto_error err = {0};
  if (!cli_count(&starts, r->starts, "starts") || !cli_count(&nodes, r->edit_nodes, "edit-nodes") ||
      !cli_count(&threads, r->threads, "threads") || !cli_real(&gw->alpha, r->alpha, "alpha") ||
      !cli_real(&gw->entropy, r->entropy, "entropy") ||
      !cli_real(&plan->edit_seconds, r->edit_seconds, "edit-seconds"))
    return false;
  gw->starts = starts > 65 ? 65 : (uint32_t)starts;
  plan->edit_nodes = nodes > UINT32_MAX ? UINT32_MAX : (uint32_t)nodes;
  if (r->threads == NULL) return true;
  if (sotto_threads_set(threads > 1000 ? 1000 : (unsigned)threads, &err) == SOTTO_OK) return true;
  (void)cli_usage("%s", err.text);
  return false;
}

bool compare_plan(sotto_gw_plan *plan, sotto_gw_options *gw, const compare_request *r) {
  *gw = sotto_gw_defaults();
  const int by = compare_choice(r->by == NULL ? "paths" : r->by, by_names, "by");
  const int metric =
      by < 0 ? -1 : compare_choice(r->metric == NULL ? "euclidean" : r->metric, metric_names, "metric");
  const int solver =
      metric < 0 ? -1 : compare_choice(r->solver == NULL ? "conditional" : r->solver, solver_names, "solver");
  if (solver < 0) return false;
  *plan = (sotto_gw_plan){.by = (sotto_gw_by)by, .metric = (sotto_gw_metric)metric, .gw = gw};
  gw->solver = (sotto_gw_solver)solver;
  if (!parse_numbers(plan, gw, r)) return false;
  if (plan->by != SOTTO_GW_BY_EMBEDDINGS && plan->by != SOTTO_GW_BY_FUSED && r->embeddings != NULL) {
    (void)cli_usage("--embeddings FILE goes with --by embeddings or --by fused");
    return false;
  }
  if (plan->by != SOTTO_GW_BY_CODES && r->codes != NULL) {
    (void)cli_usage("--codes FILE goes with --by codes");
    return false;
  }
  return true;
}

static void print_table(const sotto_gw_table *t, const compare_request *r, const sotto_gw_options *gw,
                        double seconds) {
  const uint64_t pairs = (uint64_t)t->count * (t->count - 1) / 2;
  double sum = 0;
  for (size_t k = 0; k < t->count * t->count; k++) sum += t->distance[k];
  const double mean = pairs == 0 ? 0 : sum / (2 * (double)pairs),
               rate = (double)(pairs - t->resumed) / seconds;
  const char *by = r->by == NULL ? "paths" : r->by;
  if (r->json) {
    (void)cli_print_json(json_pack("{s:s,s:I,s:I,s:I,s:I,s:f,s:f,s:i,s:s}", "by", by, "graphs",
                                   (json_int_t)t->count, "pairs", (json_int_t)pairs, "resumed",
                                   (json_int_t)t->resumed, "upper_bounds", (json_int_t)t->bounds, "mean",
                                   mean, "seconds", seconds, "starts", (int)gw->starts, "out", r->out));
    return;
  }
  app_print(stdout,
            "  compared by     %s\n  graphs          %zu\n  pairs           %llu (%llu from the state file), "
            "%.0f a second\n  mean distance   %.6g\n",
            by, t->count, (unsigned long long)pairs, (unsigned long long)t->resumed, rate, mean);
  if (strcmp(by, "edits") == 0)
    app_print(stdout,
              "  limits          graphs of %s nodes, %s s a pair; %llu pairs ran out of time: upper bounds\n",
              r->edit_nodes == NULL ? "12" : r->edit_nodes, r->edit_seconds == NULL ? "1" : r->edit_seconds,
              (unsigned long long)t->bounds);
  app_print(stdout, "  table           %s and .csv; %s\n", r->out,
            compare_by_reports(r, (sotto_gw_by)compare_choice(by, by_names, "by"))
                ? "as private as the reports; it has no labels"
            : strcmp(by, "codes") == 0
                ? "distances are as private as the codes, labels and sizes as the graphs"
                : "as private as the graphs");
}

/* Writes PATH.npz and PATH.csv. */
static sotto_status save_table(const sotto_gw_table *t, const char *path, sotto_error *err) {
  char csv[4096];
  sotto_status status = sotto_gw_table_save(t, path, err);
  if (status != SOTTO_OK) return status;
  (void)snprintf(csv, sizeof csv, "%.*s.csv", (int)strlen(path) - 4, path);
  return sotto_gw_table_save(t, csv, err);
}

/* All ranks wait until rank 0 has written the files, and get its status. */
static sotto_status share_write_status(sotto_ranks *ranks, sotto_error *err) {
  char word[] = "written";
  return ranks == NULL ? SOTTO_OK : sotto_ranks_text(ranks, word, sizeof word, err);
}

static int share_pairs(const compare_request *r, sotto_ranks *ranks, sotto_error *err) {
  sotto_gw_plan plan;
  sotto_gw_options gw;
  compare_inputs in = {.graphs = NULL};
  sotto_gw_table table = {0};
  char state[4096];
  const bool first = ranks == NULL || sotto_ranks_number(ranks) == 0;
  if (!cli_named(r->out, "--out", "the first of two files, .npz and .csv")) return EXIT_USAGE;
  const size_t length = r->out == NULL ? 0 : strlen(r->out);
  if (length < 5 || length > 4000 || strcmp(r->out + length - 4, ".npz") != 0)
    return cli_usage("--out is the table to write, and ends in .npz");
  const char *const inputs[] = {r->words[0], r->embeddings, r->codes};
  cli_output as = {"--out", inputs, sizeof inputs / sizeof *inputs, NULL, CLI_ARCHIVE};
  (void)snprintf(state, sizeof state, "%.*s.csv", (int)length - 4, r->out);
  if (!cli_may_write(r->out, &as)) return EXIT_USAGE;
  as.kind = CLI_TABLE;
  if (!cli_may_write(state, &as)) return EXIT_USAGE;
  if (!compare_plan(&plan, &gw, r)) return EXIT_USAGE;
  (void)snprintf(state, sizeof state, "%s.state", r->out);
  plan.state = state;
  plan.ranks = ranks;
  sotto_observer observer = cli_observer();
  const double begin = sotto_i_seconds();
  sotto_status status = compare_open(&in, &plan, r, r->words[0], err);
  if (status == SOTTO_OK) status = sotto_gw_compare(&table, in.graphs, &plan, &observer, err);
  if (status == SOTTO_OK && first) status = save_table(&table, r->out, err);
  if (status == SOTTO_OK) status = share_write_status(ranks, err);
  cli_observer_end();
  const int code = status == SOTTO_OK ? EXIT_DONE : cli_error(err);
  if (status == SOTTO_OK && first) print_table(&table, r, &gw, sotto_i_seconds() - begin);
  if (status == SOTTO_INTERRUPTED) cli_advise("the same command goes on from %s", state);
  sotto_gw_table_free(&table);
  compare_close(&in);
  return code;
}

static int compare_pairs(const compare_request *r) {
  sotto_ranks *ranks = NULL;
  sotto_error err = {0};
  if (cli_ranks_begin(&ranks, &err) != SOTTO_OK) return cli_ranks_end(ranks, cli_error(&err), &err);
  const int code = share_pairs(r, ranks, &err);
  return cli_ranks_end(ranks, code, &err);
}

int cli_compare(int argc, char **argv) {
  compare_request r = {.words = {NULL}};
  if (argc < 1) {
    (void)print_help();
    return EXIT_USAGE;
  }
  if (!parse(&r, argc, argv)) return EXIT_USAGE;
  if (r.help) return print_help();
  if (r.word_count == 0) return cli_usage("name a collection of graphs, or classify, cluster, plot");
  if (r.word_count == 1) return compare_pairs(&r);
  static const char *const names[] = {"classify", "cluster", "plot", NULL};
  switch (compare_choice(r.words[0], names, "compare")) {
  case 0:
    return compare_classify(&r);
  case 1:
    return compare_cluster(&r);
  case 2:
    return compare_plot(&r);
  default:
    return EXIT_USAGE;
  }
}
