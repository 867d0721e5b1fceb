/* sotto plan. */
#include <stdio.h>
#include <string.h>

#include "cli/output.h"
#include "json.h"
#include "plan/estimate.h"
#include "plan/plan.h"
#include "run.h"
#include "sotto/run.h"

typedef struct request {
  sotto_run *run;
  const char *file, *nodes, *edges, *features, *classes, *ranks, *bandwidth, *latency, *cut, *scaling, *plot,
      *machine;
  bool measure, trainings, json, help;
  uint64_t rank_count;
  double gigabytes, microseconds;
} request;

enum { most_ranks = 1 << 20 };
static const double most_scale = 1e15;

static int print_help(void) {
  (void)puts(
      "usage: sotto plan [RUN.yaml] --method M (--data D | --nodes N --edges M) [--KEY VALUE ...] [--json]\n"
      "       sotto plan [RUN.yaml] --method M --data D --trainings [--KEY VALUE ...] [--json]\n"
      "       sotto plan --measure [--threads N]     prints what operations cost on this machine, as JSON\n\n"
      "Predicts time, memory and traffic of a run from counts of its work and from measured constants of\n"
      "this machine. No data is read but the size of --data. Options of the method are those of sotto "
      "train.\n\n"
      "  --trainings       by short trainings on made data of the same shape: any method, and the disk, too\n"
      "  --nodes N         nodes                   --edges M      undirected edges\n"
      "  --features F      columns [64]            --classes C    [8]\n"
      "  --ranks P         processes that the nodes are partitioned over [1]\n"
      "  --bandwidth GB/S  that each rank sends, and receives at the same time [1.25]\n"
      "  --latency US      microseconds of a message [20]\n"
      "  --cut SHARE       of edges between ranks [1 - 1/P, as of a random partition]\n"
      "  --scaling S       strong; or weak: nodes and edges are those of each rank [strong]\n"
      "  --plot FILE       time against ranks as a picture, .svg or .png\n"
      "  --machine FILE    constants of another machine, from --measure or --json there\n"
      "  --json            points at 1, 2, 4, ... P ranks as JSON\n\n"
      "example:\n"
      "  sotto plan --method gnn --aggregator gcn --nodes 1e6 --edges 1e7 --ranks 16 --bandwidth 1.25");
  return EXIT_DONE;
}

static bool parse(request *r, int argc, char **argv) {
  const cli_flag flags[] = {
      {"nodes", &r->nodes, NULL},     {"edges", &r->edges, NULL},     {"features", &r->features, NULL},
      {"classes", &r->classes, NULL}, {"ranks", &r->ranks, NULL},     {"bandwidth", &r->bandwidth, NULL},
      {"latency", &r->latency, NULL}, {"cut", &r->cut, NULL},         {"scaling", &r->scaling, NULL},
      {"plot", &r->plot, NULL},       {"machine", &r->machine, NULL}, {"help", NULL, &r->help},
      {"json", NULL, &r->json},       {"measure", NULL, &r->measure}, {"trainings", NULL, &r->trainings}};
  return cli_take_run(r->run, &r->file, flags, sizeof flags / sizeof *flags, argc, argv);
}

/* A count up to most_scale. */
static bool read_count(uint64_t *out, const char *text, const char *name) {
  if (!cli_count(out, text, name)) return false;
  return (double)*out <= most_scale || (cli_usage("%s: '%s' is above 1e15", name, text), false);
}

static bool read_shape(plan_question *q, const request *r) {
  uint64_t classes = q->shape.classes;
  if (!read_count(&q->shape.nodes, r->nodes, "nodes") || !read_count(&q->shape.edges, r->edges, "edges") ||
      !read_count(&q->shape.features, r->features, "features") ||
      !read_count(&classes, r->classes, "classes"))
    return false;
  if (classes > UINT32_MAX) return (void)cli_usage("classes: at most %u", UINT32_MAX), false;
  q->shape.classes = (uint32_t)classes;
  return true;
}

static bool read_ranks(plan_question *q, request *r) {
  q->ranks = (plan_ranks){.cut = -1};
  r->rank_count = 1;
  r->gigabytes = 1.25;
  r->microseconds = 20;
  if (!read_count(&r->rank_count, r->ranks, "ranks") || !cli_real(&r->gigabytes, r->bandwidth, "bandwidth") ||
      !cli_real(&r->microseconds, r->latency, "latency") || !cli_real(&q->ranks.cut, r->cut, "cut"))
    return false;
  if (r->rank_count < 1 || r->rank_count > most_ranks)
    return (void)cli_usage("ranks: 1 to %d are possible", (int)most_ranks), false;
  if (!(r->gigabytes > 0)) return (void)cli_usage("bandwidth: must be above 0 GB/s"), false;
  if (!(r->microseconds >= 0)) return (void)cli_usage("latency: must be at least 0 microseconds"), false;
  if (r->cut != NULL && !(q->ranks.cut >= 0 && q->ranks.cut <= 1))
    return (void)cli_usage("cut: a share of edges lies in [0, 1]"), false;
  if (r->scaling != NULL && strcmp(r->scaling, "strong") != 0 && strcmp(r->scaling, "weak") != 0)
    return (void)cli_usage("scaling: '%s' is neither strong nor weak", r->scaling), false;
  q->ranks.ranks = r->rank_count;
  q->ranks.bandwidth = r->gigabytes * 1e9;
  q->ranks.latency = r->microseconds * 1e-6;
  q->weak = r->scaling != NULL && strcmp(r->scaling, "weak") == 0;
  return true;
}

static sotto_status shape_of_data(plan_question *q, sotto_error *err) {
  sotto_dataset data = {0};
  q->shape = (sotto_plan_shape){.features = 64, .classes = 8};
  if (q->options->data[0] == '\0') return SOTTO_OK;
  const sotto_status status = cli_open_data(&data, q->options, err);
  if (status == SOTTO_OK)
    q->shape = (sotto_plan_shape){data.graph.nodes, data.graph.entries / 2, data.features.cols, data.classes};
  sotto_dataset_free(&data);
  return status;
}

static int print_prediction(const plan_question *q, const request *r, sotto_error *err) {
  json_t *document = NULL;
  if (r->plot != NULL && plan_plot(q, r->plot, err) != SOTTO_OK) return cli_error(err);
  if (!r->json) return plan_print(q, err) == SOTTO_OK ? EXIT_DONE : cli_error(err);
  return plan_json(&document, q, err) == SOTTO_OK ? cli_print_json(document) : cli_error(err);
}

/* Reads only the size of the data, and charges nothing. */
static int train_made_data(const request *r, sotto_error *err) {
  const sotto_options *options = sotto_run_options(r->run);
  const char *const of_counts[] = {r->nodes,   r->edges, r->features, r->classes, r->ranks,  r->bandwidth,
                                   r->latency, r->cut,   r->scaling,  r->plot,    r->machine};
  sotto_dataset data = {0};
  for (size_t i = 0; i < sizeof of_counts / sizeof *of_counts; i++)
    if (of_counts[i] != NULL)
      return cli_usage("trainings: are as large as --data; leave sizes, ranks, --machine and --plot out");
  if (options->data[0] == '\0') return cli_usage("data: no dataset was named; give one with --data PATH");
  sotto_status status = sotto_threads_set((unsigned)options->threads, err);
  if (status == SOTTO_OK) status = cli_open_data(&data, options, err);
  if (status == SOTTO_OK) status = estimate_run(options, &data, r->json, err);
  sotto_dataset_free(&data);
  return status == SOTTO_OK ? EXIT_DONE : cli_error(err);
}

static int print_plan(request *r, sotto_error *err) {
  plan_question q = {.options = sotto_run_options(r->run)};
  sotto_plan_work work;
  if (sotto_threads_set((unsigned)q.options->threads, err) != SOTTO_OK) return cli_error(err);
  if (shape_of_data(&q, err) != SOTTO_OK) return cli_error(err);
  if (!read_shape(&q, r) || !read_ranks(&q, r)) return EXIT_USAGE;
  if (q.shape.nodes == 0) return cli_usage("nodes: how many are there? Give --nodes and --edges, or --data");
  if (r->edges == NULL && q.options->data[0] == '\0')
    return cli_usage("edges: how many are there? Give --edges beside --nodes, 0 without any, or --data");
  const double nodes = (double)q.shape.nodes, pairs = nodes * (nodes - 1) / 2;
  if ((double)q.shape.edges > pairs)
    return cli_usage("edges: %g nodes have at most %g pairs, and %g edges are more", nodes, pairs,
                     (double)q.shape.edges);
  if (sotto_plan_count(&work, q.options, &q.shape, err) != SOTTO_OK) return cli_usage("%s", err->text);
  if (work.all_bytes > 0 && r->rank_count > 1)
    return cli_usage("ranks: the parties of %s are counted in one process; leave --ranks out",
                     q.options->method);
  const sotto_status status =
      r->machine == NULL ? plan_measure(&q.machine, err) : plan_machine_read(&q.machine, r->machine, err);
  return status == SOTTO_OK ? print_prediction(&q, r, err) : cli_error(err);
}

static int print_measurements(const request *r, sotto_error *err) {
  plan_machine machine;
  if (sotto_threads_set((unsigned)sotto_run_options(r->run)->threads, err) != SOTTO_OK ||
      plan_measure(&machine, err) != SOTTO_OK)
    return cli_error(err);
  return cli_print_json(json_pack("{s:o}", "machine", plan_machine_json(&machine)));
}

static int run_request(request *r, int argc, char **argv, sotto_error *err) {
  if (!parse(r, argc, argv)) return EXIT_USAGE;
  if (r->help) return print_help();
  if (r->measure) return print_measurements(r, err);
  if (!cli_one_stdout(r->plot, "--plot", r->json) ||
      !cli_may_write(r->plot, &(cli_output){.flag = "--plot",
                                            .inputs = (const char *const[]){r->file},
                                            .input_count = 1,
                                            .kind = CLI_PICTURE}))
    return EXIT_USAGE;
  if (r->file != NULL && sotto_run_read(r->run, r->file, err) != SOTTO_OK) return cli_usage("%s", err->text);
  if (sotto_run_check(r->run, err) != SOTTO_OK) return cli_usage("%s", err->text);
  return r->trainings ? train_made_data(r, err) : print_plan(r, err);
}

int cli_plan(int argc, char **argv) {
  request r = {0};
  sotto_error err = {0};
  if (sotto_run_new(&r.run, &err) != SOTTO_OK) return cli_error(&err);
  const int code = run_request(&r, argc, argv, &err);
  sotto_run_free(r.run);
  return code;
}
