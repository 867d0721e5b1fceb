/* sotto train. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/progress.h"
#include "cli.h"
#include "sotto/report.h"

static void print_help(void) {
  size_t count;
  const sotto_option_info *infos = sotto_option_table(&count);
  sotto_options defaults;
  sotto_options_default(&defaults);
  (void)puts("usage: sotto train [RUN.yaml] [--KEY VALUE ...] [--json]\n\n"
             "Trains a method on a dataset, with all parties in this process, and leaves a run folder with "
             "the model,\n"
             "the metrics and the privacy statement. Every option is also a key of the run file.\n");
  for (size_t i = 0; i < count; i++) {
    char value[64], flag[40];
    sotto_option_text(&defaults, i, value, sizeof value);
    (void)snprintf(flag, sizeof flag, "--%s", infos[i].key);
    (void)printf("  %-22s %s", flag, infos[i].help);
    if (infos[i].choices[0] != '\0') (void)printf(": %s", infos[i].choices);
    if (value[0] != '\0' && infos[i].type != SOTTO_SWITCH) (void)printf(" [%s]", value);
    (void)putchar('\n');
  }
  (void)puts("  --json                 the result as one line of JSON, the last on stdout\n\n"
             "example:\n"
             "  sotto data generate sbm --nodes 2000 --out sbm.sotto\n"
             "  sotto train --method vesper --data sbm.sotto --aggregator gin --layers 2 --epsilon 4");
}

typedef struct request {
  sotto_options options;
  const char *file;
  bool json, help;
} request;

/* --key VALUE, --key=VALUE; a SWITCH also stands alone. */
static bool take_option(request *r, int argc, char **argv, int *i, sotto_error *err) {
  char key[128];
  const char *name = argv[*i] + 2, *equals = strchr(name, '=');
  size_t length = equals == NULL ? strlen(name) : (size_t)(equals - name), count;
  (void)snprintf(key, sizeof key, "%.*s", (int)(length < 100 ? length : 100), name);
  const sotto_option_info *infos = sotto_option_table(&count);
  bool alone = false;
  for (size_t k = 0; k < count; k++)
    if (strcmp(infos[k].key, key) == 0 && infos[k].type == SOTTO_SWITCH) alone = true;
  const char *value = equals != NULL ? equals + 1 : alone ? "true" : *i + 1 < argc ? argv[*i + 1] : NULL;
  if (value == NULL)
    value = "";
  else if (equals == NULL && !alone)
    ++*i;
  return sotto_options_set(&r->options, key, value, err) == SOTTO_OK;
}

static bool parse(request *r, int argc, char **argv, sotto_error *err) {
  sotto_options_default(&r->options);
  for (int i = 0; i < argc; i++) {
    if (strcmp(argv[i], "--help") == 0)
      r->help = true;
    else if (strcmp(argv[i], "--json") == 0)
      r->json = true;
    else if (strncmp(argv[i], "--", 2) == 0) {
      if (!take_option(r, argc, argv, &i, err)) return false;
    } else if (r->file == NULL) {
      r->file = argv[i];
    } else {
      (void)snprintf(err->text, sizeof err->text, "'%s': one run file at most", argv[i]);
      return false;
    }
  }
  return true;
}

/* The run folder: made, or found again by --resume with the options it was started with. */
static sotto_status prepare_folder(request *r, sotto_error *err) {
  sotto_options *o = &r->options;
  sotto_status status = SOTTO_OK;
  char path[1200];
  if (o->out[0] == '\0') {
    time_t now = time(NULL);
    struct tm local;
    (void)localtime_r(&now, &local);
    for (int attempt = 0; attempt < 100; attempt++) {
      char stamp[64];
      (void)strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &local);
      (void)snprintf(o->out, sizeof o->out, attempt == 0 ? "runs/%s" : "runs/%s-%d", stamp, attempt);
      if (!sotto_i_is_folder(o->out)) break;
    }
  }
  (void)snprintf(path, sizeof path, "%s/run.yaml", o->out);
  if (sotto_i_is_file(path)) {
    if (!o->resume) {
      err->status = SOTTO_INVALID;
      (void)snprintf(err->text, sizeof err->text,
                     "%.200s: holds a run already; give --resume to go on with it, or another --out", o->out);
      return SOTTO_INVALID;
    }
    return sotto_options_read(o, path, err);
  }
  sotto_options_resolve(o);
  status = sotto_i_make_folder(o->out, err);
  return status == SOTTO_OK ? sotto_options_write(o, path, err) : status;
}

static int print_result(const request *r, const sotto_report *report, sotto_error *err) {
  char *text = NULL;
  sotto_status status =
      r->json ? sotto_report_result(&text, report, err) : sotto_report_table(&text, report, err);
  if (status != SOTTO_OK) return cli_error(err);
  (void)printf(r->json ? "%s\n" : "%s", text);
  sotto_report_free_text(text);
  return fflush(stdout) == 0 ? EXIT_DONE : EXIT_FAILED;
}

static int failed(const request *r, const sotto_error *err) {
  int code = cli_error(err);
  if (err->status == SOTTO_INTERRUPTED)
    (void)fprintf(stderr, "go on with: sotto train --resume --out %s\n", r->options.out);
  return code;
}

static int train(request *r, const sotto_dataset *data, sotto_error *err) {
  sotto_metrics *metrics = NULL;
  sotto_result result = {0};
  double begin = sotto_i_seconds();
  if (sotto_metrics_open(&metrics, r->options.out, err) != SOTTO_OK) return cli_error(err);
  const sotto_observer observer = cli_observer();
  const sotto_recorder recorder = sotto_metrics_recorder(metrics);
  sotto_status status = sotto_train(&result, &r->options, data, &observer, &recorder, err);
  sotto_metrics_close(metrics);
  cli_observer_end();
  if (status != SOTTO_OK) return failed(r, err);
  const sotto_report report = {&r->options, data, &result, sotto_i_seconds() - begin};
  int code = sotto_report_write(&report, err) == SOTTO_OK ? print_result(r, &report, err) : cli_error(err);
  sotto_result_free(&result);
  return code;
}

int cli_train(int argc, char **argv) {
  static request r;
  sotto_error err = {0};
  sotto_dataset data = {0};
  if (!parse(&r, argc, argv, &err)) return cli_usage("%s", err.text);
  if (r.help) {
    print_help();
    return EXIT_DONE;
  }
  if (r.file != NULL && sotto_options_read(&r.options, r.file, &err) != SOTTO_OK)
    return cli_usage("%s", err.text);
  if (r.options.resume && r.options.out[0] == '\0')
    return cli_usage("--resume needs --out, the run folder to go on with");
  if (!r.options.resume) sotto_options_resolve(&r.options);
  if (!r.options.resume && sotto_options_check(&r.options, &err) != SOTTO_OK)
    return cli_usage("%s", err.text);
  if (prepare_folder(&r, &err) != SOTTO_OK) return cli_error(&err);
  if (sotto_options_check(&r.options, &err) != SOTTO_OK) return cli_usage("%s", err.text);
  if (sotto_threads_set((unsigned)r.options.threads, &err) != SOTTO_OK) return cli_error(&err);
  const sotto_import_options import = {.target = r.options.target,
                                       .min_class_size = r.options.min_class_size,
                                       .nodes_table = r.options.nodes[0] == '\0' ? NULL : r.options.nodes};
  if (sotto_dataset_open(&data, r.options.data, &import, &err) != SOTTO_OK) return cli_error(&err);
  int code = train(&r, &data, &err);
  sotto_dataset_free(&data);
  return code;
}
