/* sotto-bench: the verbs utility and merge. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/progress.h"
#include "base/text.h"
#include "bench.h"
#include "cli/cli.h"
#include "common/memory.h"
#include "common/print.h"
#include "report/picture.h"
#include "sotto/ranks.h"

typedef struct request {
  const char *file, *data_folder, *out, *threads, *jobs, *format, *shard;
  bool merges, quick, plots, json, help;
} request;

static int print_help(void) {
  (void)puts(
      "usage: sotto-bench utility [BENCH.yaml] [--quick] [--data-dir DIR] [--out DIR] [--jobs N]\n"
      "                           [--threads N] [--shard I/N] [--plots] [--format svg|png] [--json]\n"
      "       sotto-bench merge [BENCH.yaml] [--out DIR] ...\n\n"
      "Trains every method on every dataset at every epsilon and level that the file names, and writes\n"
      "NAME.csv, NAME.md, plots, and NAME.jsonl with every training, NAME being the file's without its\n"
      "ending [bench/utility.yaml]. Started again, it goes on where\n"
      "it stopped. The data is taken as public: no ledger is charged but one that is thrown away.\n\n"
      "  --quick                a small part, in minutes\n"
      "  --data-dir             where the datasets' paths start [.]\n"
      "  --out                  folder of results [docs/results]\n"
      "  --jobs                 trainings side by side, 0: one a core [0]\n"
      "  --threads              threads of each training [1]\n"
      "  --shard                the I-th of N parts of the trainings, for one of N machines: writes\n"
      "                         NAME.I-of-N.jsonl alone. `sotto-bench merge` takes such files in the folder "
      "of\n"
      "                         results together, and writes the tables and plots of what they have\n"
      "  --plots                train nothing: draw the plots again from NAME.csv in the folder of results\n"
      "  --format               of the plots: svg, or png by rsvg-convert [svg]\n"
      "  --json                 the summary as one line of JSON on stdout\n\n"
      "example:\n"
      "  sotto-bench utility bench/utility.yaml --quick --data-dir data --out results");
  return EXIT_DONE;
}

/* Processes of mpirun share a bench: each has the shard of its number, and its file. */
static const char *shard_of(char own[32], const request *r) {
  const unsigned count = sotto_ranks_launched();
  const bool trains = !r->plots && !r->merges;
  if (r->shard != NULL || count < 2 || !trains) return r->shard;
  (void)snprintf(own, 32, "%u/%u", (unsigned)sotto_ranks_launched_as() + 1, count);
  return own;
}

/* "2/5"; false: said on stderr. */
static bool read_shard(app_bench *bench, const char *text) {
  uint64_t shard = 0, shards = 0;
  char first[24] = "";
  const char *slash = text == NULL ? NULL : strchr(text, '/');
  if (text == NULL) return true;
  if (slash != NULL) (void)snprintf(first, sizeof first, "%.*s", (int)(slash - text), text);
  if (slash == NULL || !cli_count(&shard, first, "shard") || !cli_count(&shards, slash + 1, "shard")) {
    (void)cli_usage("--shard is I/N, as 2/5: the second of five parts");
    return false;
  }
  if (shard < 1 || shard > shards || shards > 10000) {
    (void)cli_usage("--shard is I/N with I from 1 to N, and N at most 10000");
    return false;
  }
  char name[APP_BENCH_NAME];
  (void)snprintf(name, sizeof name, "%.40s.%u-of-%u", bench->name, (unsigned)shard, (unsigned)shards);
  (void)snprintf(bench->name, sizeof bench->name, "%s", name);
  bench->shard = (unsigned)shard;
  bench->shards = (unsigned)shards;
  return true;
}

/* Of trainings that all failed there are no results. */
static int print_summary(const request *r, const app_bench *bench) {
  const app_bench_count count = app_bench_counted(bench);
  const int code = count.done > 0 && count.failed == count.done ? EXIT_FAILED : EXIT_DONE;
  if (!r->json) {
    app_print(stdout, "  %zu trainings, %zu failed, in %zu cells; results in %s\n", count.done, count.failed,
              bench->cells.count, bench->out);
    return code;
  }
  char *text = app_bench_summary(bench);
  if (text == NULL) return EXIT_FAILED;
  (void)puts(text);
  free(text);
  return code;
}

static int run(const request *r, app_bench *bench, sotto_error *err) {
  if (app_bench_begin(bench, err) != SOTTO_OK) return cli_error(err);
  app_bench_count count = app_bench_counted(bench);
  sotto_i_log(bench->observer, SOTTO_LOG_INFO,
              "%zu trainings for %zu cells, %zu of them done; about %.0f min for the rest with %u jobs",
              count.all, bench->cells.count, count.done, count.seconds_left / 60 / bench->jobs, bench->jobs);
  sotto_status ran = app_bench_run(bench, err);
  cli_observer_end();
  if (ran != SOTTO_OK && ran != SOTTO_INTERRUPTED) return cli_error(err);
  sotto_error writing = {0};
  if (bench->shards == 0 && app_bench_write(bench, &writing) != SOTTO_OK) return cli_error(&writing);
  if (ran == SOTTO_OK) return print_summary(r, bench);
  const int code = cli_error(err);
  cli_advise("the same command goes on where it stopped");
  return code;
}

static int merge(const request *r, app_bench *bench, sotto_error *err) {
  size_t files = 0;
  if (app_bench_begin(bench, err) != SOTTO_OK || app_bench_gather(bench, &files, err) != SOTTO_OK ||
      app_bench_write(bench, err) != SOTTO_OK)
    return cli_error(err);
  const app_bench_count count = app_bench_counted(bench);
  sotto_i_log(bench->observer, SOTTO_LOG_INFO, "%zu files of shards in %s", files, bench->out);
  if (count.done < count.all)
    sotto_i_log(bench->observer, SOTTO_LOG_WARNING,
                "%zu of %zu trainings are there; `sotto-bench utility` trains the rest", count.done,
                count.all);
  return print_summary(r, bench);
}

static int draw_again(app_bench *bench, sotto_error *err) {
  if (app_bench_begin_drawing(bench, err) != SOTTO_OK || app_bench_write_plots(bench, err) != SOTTO_OK)
    return cli_error(err);
  app_print(stdout, "  plots of %s.csv are drawn again in %s\n", bench->name, bench->out);
  return EXIT_DONE;
}

/* The file's name without folders and ending: results are called after it. */
static void name_after(app_bench_word name, const char *file) {
  const char *slash = strrchr(file, '/');
  (void)snprintf(name, APP_BENCH_NAME, "%.60s", slash == NULL ? file : slash + 1);
  char *dot = strrchr(name, '.');
  if (dot != NULL && dot != name) *dot = '\0';
}

static int work(const request *r, app_bench *bench, sotto_error *err) {
  bench->state.descriptor = -1;
  if (r->merges) return merge(r, bench, err);
  return r->plots ? draw_again(bench, err) : run(r, bench, err);
}

static int answer(const request *r) {
  static app_bench bench;
  char own[32];
  sotto_error err = {0};
  app_bench_plan *plan = NULL;
  uint64_t jobs = 0, threads = 1;
  if (r->plots && r->json) return cli_usage("--plots has no summary: leave --json out");
  if (r->shard != NULL && (r->plots || r->merges)) return cli_usage("--shard is for what is trained");
  if (r->plots && r->merges) return cli_usage("merge draws the plots: leave --plots out");
  const sotto_observer observer = cli_observer();
  if (!cli_count(&jobs, r->jobs, "jobs") || !cli_count(&threads, r->threads, "threads")) return EXIT_USAGE;
  if (!cli_named(r->out, "--out", "a folder")) return EXIT_USAGE;
  if (app_picture_format(r->format, &err) != SOTTO_OK) return cli_usage("%s", err.text);
  if (jobs > 64 || threads < 1 || threads > 256) return cli_usage("--jobs is at most 64, --threads 1 to 256");
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  if (jobs == 0) jobs = cores < 1 ? 1 : cores > 64 ? 64 : (uint64_t)cores;
  if (app_new(&plan, 1, sizeof *plan, &err) != SOTTO_OK) return cli_error(&err);
  int code = EXIT_USAGE;
  const char *file = r->file != NULL ? r->file : "bench/utility.yaml";
  if (app_bench_read(plan, file, &err) != SOTTO_OK) {
    code = cli_usage("%s", err.text);
  } else {
    if (r->quick) app_bench_make_quick(plan);
    bench = (app_bench){.plan = plan,
                        .data_folder = r->data_folder == NULL ? "" : r->data_folder,
                        .out = r->out == NULL ? "docs/results" : r->out,
                        .picture = r->format == NULL ? "svg" : r->format,
                        .jobs = (unsigned)jobs,
                        .threads = (unsigned)threads,
                        .observer = &observer};
    name_after(bench.name, file);
    code = !read_shard(&bench, shard_of(own, r)) ? EXIT_USAGE : work(r, &bench, &err);
    app_bench_end(&bench);
  }
  free(plan);
  return code;
}

static int verb(bool merges, int argc, char **argv) {
  request r = {.merges = merges};
  size_t count = 0;
  const cli_flag flags[] = {
      {"quick", NULL, &r.quick},   {"plots", NULL, &r.plots},     {"data-dir", &r.data_folder, NULL},
      {"out", &r.out, NULL},       {"threads", &r.threads, NULL}, {"jobs", &r.jobs, NULL},
      {"format", &r.format, NULL}, {"shard", &r.shard, NULL},     {"json", NULL, &r.json},
      {"help", NULL, &r.help}};
  if (!cli_parse(flags, sizeof flags / sizeof *flags, argc, argv, &r.file, 1, &count)) return EXIT_USAGE;
  return r.help ? print_help() : answer(&r);
}

int app_bench_utility(int argc, char **argv) {
  return verb(false, argc, argv);
}

int app_bench_merge(int argc, char **argv) {
  return verb(true, argc, argv);
}
