/* sotto train. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/clock.h"
#include "common/file.h"
#include "run.h"

static void print_help(const char *method) {
  if (method == NULL) {
    (void)puts(
        "usage: sotto train [RUN.yaml] [--KEY VALUE ...] [--json]\n\n"
        "Trains a method on a dataset, with all parties in this process, and leaves a run folder with "
        "the model,\n"
        "the metrics and the privacy statement. Every option is also a key of the run file. Each method "
        "has options\n"
        "of its own: sotto methods lists the methods, sotto train --method NAME --help the options of "
        "one.\n");
    cli_print_common_options();
  } else {
    (void)printf("usage: sotto train --method %s [RUN.yaml] [--KEY VALUE ...] [--json]\n", method);
    cli_print_method_options(method);
    (void)puts("");
  }
  (void)puts("  --json                the result as one line of JSON, the last on stdout\n\n"
             "example:\n"
             "  sotto data generate sbm --nodes 2000 --out sbm.sotto\n"
             "  sotto train --method vesper --data sbm.sotto --layers 2 --epsilon 4");
}

/* Was a method named on the command line? */
static const char *named_method(int argc, char **argv) {
  for (int i = 0; i < argc; i++) {
    if (strcmp(argv[i], "--method") == 0 && i + 1 < argc) return argv[i + 1];
    if (strncmp(argv[i], "--method=", 9) == 0) return argv[i] + 9;
  }
  return NULL;
}

typedef struct request {
  sotto_options options;
  const char *file;
  bool json, help;
} request;

static bool parse(request *r, int argc, char **argv, sotto_error *err) {
  sotto_options_default(&r->options);
  for (int i = 0; i < argc; i++) {
    if (strcmp(argv[i], "--help") == 0)
      r->help = true;
    else if (strcmp(argv[i], "--json") == 0)
      r->json = true;
    else if (strncmp(argv[i], "--", 2) == 0) {
      if (!cli_take_option(&r->options, argc, argv, &i, err)) return false;
    } else if (r->file == NULL) {
      r->file = argv[i];
    } else {
      (void)snprintf(err->text, sizeof err->text, "'%s': one run file at most", argv[i]);
      return false;
    }
  }
  return true;
}

/* Names the run folder, or reads the options of the run that --resume goes on with. The folder is made when
 * the training begins, so that a run that is refused leaves nothing behind. */
static sotto_status choose_folder(request *r, sotto_error *err) {
  sotto_options *o = &r->options;
  char path[1200];
  if (o->out[0] == '\0') {
    time_t now = time(NULL);
    struct tm local;
    (void)localtime_r(&now, &local);
    for (int attempt = 0; attempt < 100; attempt++) {
      char stamp[64];
      (void)strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &local);
      (void)snprintf(o->out, sizeof o->out, attempt == 0 ? "runs/%s" : "runs/%s-%d", stamp, attempt);
      if (!app_is_folder(o->out)) break;
    }
  }
  (void)snprintf(path, sizeof path, "%s/run.yaml", o->out);
  if (app_is_file(path)) {
    if (o->resume) return sotto_options_read(o, path, err);
    err->status = SOTTO_INVALID;
    (void)snprintf(err->text, sizeof err->text,
                   "%.200s: holds a run already; give --resume to go on with it, or another --out", o->out);
    return SOTTO_INVALID;
  }
  sotto_options_resolve(o);
  return SOTTO_OK;
}

static int failed(const request *r, const sotto_error *err) {
  int code = cli_error(err);
  if (err->status == SOTTO_INTERRUPTED && app_is_folder(r->options.out))
    (void)fprintf(stderr, "go on with: sotto train --resume --out %s\n", r->options.out);
  return code;
}

static int train(request *r, const sotto_dataset *data, sotto_error *err) {
  sotto_metrics *metrics = NULL;
  sotto_result result = {0};
  double begin = app_seconds();
  if (sotto_metrics_open(&metrics, r->options.out, err) != SOTTO_OK) return cli_error(err);
  const sotto_observer observer = cli_observer();
  const sotto_recorder recorder = sotto_metrics_recorder(metrics);
  sotto_status status = sotto_train(&result, &r->options, data, &observer, &recorder, err);
  sotto_metrics_close(metrics);
  cli_observer_end();
  if (status != SOTTO_OK) return failed(r, err);
  const app_report report = {&r->options, data, &result, app_seconds() - begin};
  int code =
      sotto_report_write(&report, err) == SOTTO_OK ? cli_print_result(&report, r->json, err) : cli_error(err);
  sotto_result_free(&result);
  return code;
}

int cli_train(int argc, char **argv) {
  static request r;
  sotto_error err = {0};
  sotto_dataset data = {0};
  if (!parse(&r, argc, argv, &err)) return cli_usage("%s", err.text);
  if (r.help) {
    print_help(named_method(argc, argv));
    return EXIT_DONE;
  }
  if (r.file != NULL && sotto_options_read(&r.options, r.file, &err) != SOTTO_OK)
    return cli_usage("%s", err.text);
  if (r.options.resume && r.options.out[0] == '\0')
    return cli_usage("--resume needs --out, the run folder to go on with");
  if (!r.options.resume) sotto_options_resolve(&r.options);
  if (!r.options.resume && sotto_options_check(&r.options, &err) != SOTTO_OK)
    return cli_usage("%s", err.text);
  if (choose_folder(&r, &err) != SOTTO_OK) return cli_error(&err);
  if (sotto_options_check(&r.options, &err) != SOTTO_OK) return cli_usage("%s", err.text);
  if (sotto_threads_set((unsigned)r.options.threads, &err) != SOTTO_OK) return cli_error(&err);
  if (cli_open_data(&data, &r.options, &err) != SOTTO_OK) return cli_error(&err);
  int code = train(&r, &data, &err);
  sotto_dataset_free(&data);
  return code;
}
