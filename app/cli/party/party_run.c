/* sotto run RUN.yaml. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "common/print.h"
#include "party.h"
#include "sotto/statement.h"

/* Was the run in the folder started with the same terms? Otherwise it is another run. */
static sotto_status check_same_run(const party_request *r, const char *path, sotto_error *err) {
  static sotto_options before;
  sotto_options_default(&before);
  sotto_status status = sotto_options_read(&before, path, err);
  if (status != SOTTO_OK) return status;
  sotto_options_resolve(&before); /* the run file leaves out options that the run does not use */
  size_t count;
  const sotto_option_info *infos = sotto_option_table(&count);
  for (size_t i = 0; i < count; i++) {
    char then[1024], now[1024];
    if (!sotto_option_is_shared(infos[i].key)) continue;
    sotto_option_text(&before, i, then, sizeof then);
    sotto_option_text(&r->options, i, now, sizeof now);
    if (strcmp(then, now) == 0) continue;
    err->status = SOTTO_INVALID;
    (void)snprintf(err->text, sizeof err->text,
                   "%.200s: holds a run with '%s' %.60s, and now it is %.60s; give another --out",
                   r->options.out, infos[i].key, then, now);
    return SOTTO_INVALID;
  }
  return SOTTO_OK;
}

/* A folder with a run in it must hold this run. The folder is created when training begins, so that a
 * refused run leaves nothing behind. */
static sotto_status check_folder(const party_request *r, sotto_error *err) {
  char path[1200];
  (void)snprintf(path, sizeof path, "%s/run.yaml", r->options.out);
  return sotto_i_is_file(path) ? check_same_run(r, path, err) : SOTTO_OK;
}

static int run(const party_request *r, const sotto_dataset *data, const uint8_t nodes[32], sotto_error *err) {
  sotto_result result = {0};
  char *text = NULL, role[SOTTO_ROLE_SIZE];
  const sotto_observer observer = cli_observer();
  sotto_party_role_name(role, &r->party);
  cli_watch_run(&r->options, data, role);
  sotto_status status = sotto_train_party(&result, &r->options, data, nodes, &r->party, &observer, NULL, err);
  cli_observer_end();
  if (status != SOTTO_OK) {
    int code = cli_error(err);
    if (status == SOTTO_INTERRUPTED) cli_advise("go on with the same command");
    return code;
  }
  cli_leave_report(r->options.out);
  status = sotto_result_json(&text, &r->options, data, &result, err);
  int code = status == SOTTO_OK ? cli_print_result(text, r->json, err) : cli_error(err);
  sotto_statement_free(text);
  sotto_result_free(&result);
  return code;
}

int party_refused(const party_request *r, const sotto_error *err) {
  const sotto_observer observer = cli_observer();
  const int code = cli_error(err);
  (void)fflush(stderr);
  if (err->status != SOTTO_INTERRUPTED)
    sotto_party_decline(&r->options, &r->party, SOTTO_DECLINE_TABLE, &observer);
  return code;
}

int party_run(int argc, char **argv) {
  static party_request r;
  sotto_error err = {0};
  sotto_dataset data = {0};
  uint8_t nodes[32];
  const sotto_observer observer = cli_observer();
  if (!party_parse(&r, argc, argv) || !cli_named(r.options.out, "out", "a folder")) return EXIT_USAGE;
  if (sotto_party_role_check(&r.party, &r.options, &err) != SOTTO_OK) return cli_error(&err);
  if (sotto_threads_set((unsigned)r.options.threads, &err) != SOTTO_OK) return cli_error(&err);
  if (sotto_party_dataset_open(&data, nodes, &r.options, &r.party, NULL, &observer, &err) != SOTTO_OK)
    return party_refused(&r, &err);
  if (r.align) {
    const int code = party_take_common(&r, &data);
    sotto_dataset_free(&data);
    if (code != EXIT_DONE) return code;
    if (sotto_party_dataset_open(&data, nodes, &r.options, &r.party, NULL, NULL, &err) != SOTTO_OK)
      return party_refused(&r, &err);
  }
  sotto_party_settle(&r.options, &r.party, &data);
  const char *warning = sotto_options_warning(&r.options);
  if (warning != NULL) cli_warn("%s", warning);
  if (check_folder(&r, &err) != SOTTO_OK) {
    sotto_dataset_free(&data);
    return cli_error(&err);
  }
  if (!r.party.insecure_loopback) cli_watch_certificate(r.party.folder);
  int code = run(&r, &data, nodes, &err);
  sotto_dataset_free(&data);
  return code;
}
