/* sotto train. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "common/print.h"
#include "memory.h"
#include "ranks.h"
#include "run.h"
#include "sotto/run.h"

static const char machine_help[] =
    "  --memory              as 500M or 4G: large data and tables lie on the disk, in the run folder and\n"
    "                        without a name; a run that would need more even so is refused\n"
    "  --rank-parts          over processes of mpirun: random blocks of nodes, or metis\n"
    "  --json                the result as one line of JSON, the last on stdout\n";

/* The help of a method, with the option values that a run of these words would use. */
static void print_method_help(const sotto_options *options, bool whole) {
  app_print(stdout, "usage: sotto train --method %s [RUN.yaml] [--KEY VALUE ...] [--json]\n\n%s",
            options->method,
            whole ? "In brackets: what a run of these words takes, then the default where it goes by other "
                    "options.\n"
                  : "In brackets: what a run of these words takes.\n");
  const size_t left_out = cli_print_method_options(options, whole);
  if (whole)
    app_print(stdout, "\n%s", machine_help);
  else
    app_print(stdout,
              "\n%zu more options, and when their defaults change: sotto train --method %s --help all\n",
              left_out, options->method);
}

static void print_help(const sotto_options *options, bool whole) {
  if (options->given[cli_option_number("method")]) {
    print_method_help(options, whole);
  } else {
    (void)puts(
        "usage: sotto train [RUN.yaml] [--KEY VALUE ...] [--json]\n\n"
        "Trains a method on a dataset, with all parties in this process, and leaves a run folder with "
        "the model,\n"
        "the metrics and the privacy statement. Every option is also a key of the run file. Each method "
        "has options\n"
        "of its own: sotto methods lists the methods, sotto train --method NAME --help the main options of "
        "one,\n"
        "--help all every option.\n");
    cli_print_common_options(options);
    app_print(stdout, "%s", machine_help);
  }
  (void)puts("\nexample:\n"
             "  sotto data generate sbm --nodes 2000 --out sbm.sotto\n"
             "  sotto train --method vesper --data sbm.sotto --layers 2 --epsilon 4");
}

/* Is it `--help all`, whose second word is no run file? */
static bool is_all(const char *word) {
  return word != NULL && strcmp(word, "all") == 0;
}

typedef struct request {
  sotto_run *run;
  const char *file;
  bool json, help;
  uint64_t memory;    /* bytes; 0: no limit but the machine's memory */
  sotto_ranks *ranks; /* NULL: one process */
  sotto_rank_parts parts;
} request;

static bool parse(request *r, int argc, char **argv, sotto_error *err) {
  const char *memory = NULL, *parts = NULL;
  bool estimate = false;
  const cli_flag flags[] = {{"help", NULL, &r->help},
                            {"json", NULL, &r->json},
                            {"estimate", NULL, &estimate},
                            {"memory", &memory, NULL},
                            {"rank-parts", &parts, NULL}};
  if (!cli_take_run(r->run, &r->file, flags, sizeof flags / sizeof *flags, argc, argv)) return false;
  if (estimate)
    return (void)cli_usage("estimate: `sotto plan --trainings` says what the same words would need"), false;
  if ((memory != NULL && cli_memory_parse(&r->memory, memory, err) != SOTTO_OK) ||
      (parts != NULL && cli_ranks_parts(&r->parts, parts, err) != SOTTO_OK))
    return (void)cli_usage("%s", err->text), false;
  return true;
}

/* Sends the folder that rank 0 chose to all ranks. */
static sotto_status share_folder(const request *r, sotto_error *err) {
  char path[sizeof sotto_run_options(r->run)->out];
  (void)snprintf(path, sizeof path, "%s", sotto_run_options(r->run)->out);
  const sotto_status status = sotto_ranks_text(r->ranks, path, sizeof path, err);
  return status == SOTTO_OK ? sotto_run_set(r->run, "out", path, err) : status;
}

/* Names the run folder after the time, unless it was named. The folder is created when training begins, so
 * that a refused run leaves nothing behind. */
static sotto_status choose_folder(sotto_run *run, sotto_error *err) {
  char stamp[64], path[128];
  time_t now = time(NULL);
  struct tm local;
  if (sotto_run_options(run)->out[0] != '\0') return SOTTO_OK;
  (void)localtime_r(&now, &local);
  (void)strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &local);
  for (int attempt = 0; attempt < 100; attempt++) {
    (void)snprintf(path, sizeof path, attempt == 0 ? "runs/%s" : "runs/%s-%d", stamp, attempt);
    if (!sotto_i_is_folder(path)) break;
  }
  return sotto_run_set(run, "out", path, err);
}

/* Opens the data, and handles the requests that need no training: *train is then false. */
static int open_data(sotto_dataset *data, bool *train, const request *r, sotto_error *err) {
  const sotto_options *options = sotto_run_options(r->run);
  *train = false;
  if (sotto_threads_set((unsigned)options->threads, err) != SOTTO_OK) return cli_error(err);
  sotto_memory_set(r->memory);
  const sotto_status opened = r->ranks == NULL ? cli_open_data(data, options, err)
                                               : cli_ranks_open(data, r->ranks, options, r->parts, err);
  if (opened != SOTTO_OK) return cli_error(err);
  if (r->memory > 0 && cli_memory_check(r->memory, options, data, err) != SOTTO_OK) return cli_error(err);
  *train = true;
  cli_watch_run(options, data, "");
  return EXIT_DONE;
}

static int print_trained(const request *r, sotto_status status, sotto_error *err) {
  const bool first = r->ranks == NULL || sotto_ranks_number(r->ranks) == 0;
  if (status == SOTTO_OK && !first) return EXIT_DONE;
  if (status == SOTTO_OK) cli_leave_report(sotto_run_folder(r->run));
  const int code =
      status == SOTTO_OK ? cli_print_result(sotto_run_result(r->run), r->json, err) : cli_error(err);
  if (status == SOTTO_INTERRUPTED && sotto_run_folder(r->run) != NULL)
    cli_advise("go on with: sotto train --resume --out %s", sotto_run_folder(r->run));
  return code;
}

/* Checks the request; *go_on: a run is to be trained. */
static int check_request(bool *go_on, request *r, int argc, char **argv, sotto_error *err) {
  *go_on = false;
  if (!parse(r, argc, argv, err)) return EXIT_USAGE;
  const bool whole = r->help && is_all(r->file);
  if (whole) r->file = NULL;
  if (r->file != NULL && sotto_run_read(r->run, r->file, err) != SOTTO_OK) return cli_usage("%s", err->text);
  if (r->help) {
    print_help(sotto_run_options(r->run), whole);
    if (whole) cli_watch_help(CLI_SHOWN);
    return EXIT_DONE;
  }
  const sotto_options *options = sotto_run_options(r->run);
  if (options->out[0] != '\0' && !cli_named(options->out, "out", "a folder")) return EXIT_USAGE;
  if (sotto_run_check(r->run, err) != SOTTO_OK) return cli_usage("%s", err->text);
  options = sotto_run_options(r->run);
  if (options->data[0] == '\0') return cli_usage("data: no dataset was named; give one with --data PATH");
  if (r->ranks != NULL && r->memory > 0)
    return cli_usage("memory: reckons with one process; leave it out, or start without mpirun");
  if (choose_folder(r->run, err) != SOTTO_OK) return cli_error(err);
  if (r->ranks != NULL && share_folder(r, err) != SOTTO_OK) return cli_error(err);
  *go_on = true;
  return EXIT_DONE;
}

int cli_train(int argc, char **argv) {
  request r = {0};
  sotto_error err = {0};
  if (cli_ranks_begin(&r.ranks, &err) != SOTTO_OK || sotto_run_new(&r.run, &err) != SOTTO_OK)
    return cli_ranks_end(r.ranks, cli_error(&err), &err);
  bool go_on;
  sotto_dataset data = {0};
  int code = check_request(&go_on, &r, argc, argv, &err);
  if (go_on) code = open_data(&data, &go_on, &r, &err);
  if (go_on) {
    const sotto_observer observer = cli_observer();
    const sotto_status status = sotto_run_train(r.run, &data, &observer, &err);
    cli_observer_end();
    code = print_trained(&r, status, &err);
  }
  sotto_dataset_free(&data);
  sotto_run_free(r.run);
  return cli_ranks_end(r.ranks, code, &err);
}
