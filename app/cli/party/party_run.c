/* sotto run RUN.yaml. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "cli/ranks.h"
#include "common/print.h"
#include "party.h"
#include "sotto/statement.h"

/* Is this the process that speaks with the peers? */
static bool is_first(const party_request *r) {
  return r->party.ranks == NULL || sotto_ranks_number(r->party.ranks) == 0;
}

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
  if (status == SOTTO_OK && !is_first(r)) {
    sotto_result_free(&result);
    return EXIT_DONE;
  }
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
  if (err->status != SOTTO_INTERRUPTED && is_first(r))
    sotto_party_decline(&r->options, &r->party, SOTTO_DECLINE_TABLE, &observer);
  return code;
}

/* One process that a launcher started is no rank here. */
static sotto_status check_ranks(party_request *r, sotto_ranks *ranks, sotto_error *err) {
  const char *parts = r->parts == NULL ? "random" : r->parts;
  if (ranks == NULL || sotto_ranks_count(ranks) == 1) return SOTTO_OK;
  r->party.ranks = ranks;
  if (r->align)
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "--align: ranks read all rows as they lie in the file; make a file of the common rows in "
        "one process, or start the run without mpirun");
  const sotto_status status = cli_ranks_parts(&r->party.rank_parts, parts, err);
  return status == SOTTO_OK ? cli_ranks_check_tables(&r->options, err) : status;
}

static int run_on(party_request *r, sotto_dataset *data, sotto_error *err) {
  uint8_t nodes[32] = {0}; /* rank 0 alone reads the names of nodes */
  const sotto_observer observer = cli_observer();
  if (sotto_party_dataset_open(data, nodes, &r->options, &r->party, NULL, &observer, err) != SOTTO_OK)
    return party_refused(r, err);
  if (r->align) {
    const int code = party_take_common(r, data);
    sotto_dataset_free(data);
    if (code != EXIT_DONE) return code;
    if (sotto_party_dataset_open(data, nodes, &r->options, &r->party, NULL, NULL, err) != SOTTO_OK)
      return party_refused(r, err);
  }
  sotto_party_settle(&r->options, &r->party, data);
  const char *warning = sotto_options_warning(&r->options);
  if (warning != NULL) cli_warn("%s", warning);
  if (is_first(r) && check_folder(r, err) != SOTTO_OK) return cli_error(err);
  if (!r->party.insecure_loopback) cli_watch_certificate(r->party.folder);
  return run(r, data, nodes, err);
}

static int run_over(party_request *r, sotto_ranks *ranks, int argc, char **argv, sotto_error *err) {
  sotto_dataset data = {0};
  if (!party_parse(r, argc, argv) || !cli_named(r->options.out, "out", "a folder")) return EXIT_USAGE;
  if (check_ranks(r, ranks, err) != SOTTO_OK) return cli_error(err);
  if (sotto_party_role_check(&r->party, &r->options, err) != SOTTO_OK) return cli_error(err);
  if (sotto_threads_set((unsigned)r->options.threads, err) != SOTTO_OK) return cli_error(err);
  const int code = run_on(r, &data, err);
  sotto_dataset_free(&data);
  return code;
}

int party_run(int argc, char **argv) {
  static party_request r;
  sotto_error err = {0};
  sotto_ranks *ranks;
  if (cli_ranks_begin(&ranks, &err) != SOTTO_OK) return cli_ranks_end(ranks, cli_error(&err), &err);
  return cli_ranks_end(ranks, run_over(&r, ranks, argc, argv, &err), &err);
}
