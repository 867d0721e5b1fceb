/* Folders RUN/predictions/1, 2, ...: numbered, since a name that follows from the data would reveal it. */
#include "other_data.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/text.h"
#include "dp/ledger/home.h"
#include "graph/dataset.h"
#include "inside/party.h"
#include "release/plan.h"
#include "run/files/folder_file.h"
#include "run/method/matrix.h"
#include "run/settings/options.h"
#include "run/statement/result.h"
#include "run/storage/accounts_file.h"
#include "run/storage/data_file.h"
#include "run/storage/seed_file.h"

enum { digits = 64 };
static const char model_file[] = "model.digest";
static const sotto_i_folder_file digest_file = {"predictions/*/model.digest", SOTTO_I_FOR_ANYONE,
                                                "the model: its digest"};

sotto_status sotto_i_model_digest(char *out, const char *file, sotto_error *err) {
  sotto_i_map map;
  uint8_t digest[digits / 2];
  sotto_status status = sotto_i_map_open(&map, file, err);
  if (status != SOTTO_OK) return status;
  status = sotto_i_checksum(digest, map.data, map.size, err);
  sotto_i_hex(out, digest, sizeof digest);
  sotto_i_map_close(&map);
  return status;
}

static sotto_status is_of_model(bool *same, const char *path, const char *file, sotto_error *err) {
  char now[digits + 1], *kept = NULL;
  sotto_i_map map = {0};
  sotto_status status;
  *same = false;
  SOTTO_TRY(sotto_i_model_digest(now, file, err));
  SOTTO_TRY(sotto_i_join(&kept, path, model_file, err));
  if (!sotto_i_is_file(kept)) goto done;
  SOTTO_TRY(sotto_i_map_open(&map, kept, err));
  *same = map.size == digits && memcmp(map.data, now, digits) == 0;
done:
  sotto_i_map_close(&map);
  sotto_i_free(kept);
  return status;
}

static sotto_status folder_of(char **out, const char *run, uint64_t number, sotto_error *err) {
  char name[40];
  (void)snprintf(name, sizeof name, "predictions/%llu", (unsigned long long)number);
  return sotto_i_join(out, run, name, err);
}

/* The first free number: one more than the releases begun so far. */
static sotto_status choose_folder(sotto_i_other_data *o, const char *run, sotto_error *err) {
  sotto_status status;
  for (o->number = 1;; o->number++) {
    SOTTO_TRY(folder_of(&o->path, run, o->number, err));
    if (!sotto_i_is_folder(o->path)) break;
    sotto_i_free(o->path);
    o->path = NULL;
  }
done:
  return status;
}

/* Settings of a finished release. An unfinished one may lack random draws, which are not made now. */
static sotto_status read_made(sotto_options *out, const char *path, uint64_t number, sotto_error *err) {
  char *yaml = NULL, *statement = NULL;
  sotto_status status;
  sotto_i_options_default(out);
  SOTTO_TRY(sotto_i_join(&yaml, path, "run.yaml", err));
  SOTTO_TRY(sotto_i_join(&statement, path, "statement.json", err));
  if (sotto_i_is_file(yaml) && sotto_i_is_file(statement))
    status = sotto_options_read(out, yaml, err);
  else
    status =
        sotto_i_fail(err, SOTTO_INVALID,
                     "again: there is no finished release %llu in %s to repeat; give epsilon to make one",
                     (unsigned long long)number, path);
done:
  sotto_i_free(yaml);
  sotto_i_free(statement);
  return status;
}

/* Opens the requested release, with the account that paid for it. */
static sotto_status find_made(sotto_i_other_data *o, sotto_options *made,
                              const sotto_i_other_request *request, sotto_error *err) {
  const char *run = request->run;
  bool same;
  sotto_status status;
  SOTTO_I_CHECK(request->data->graph.entries == 0);
  o->number = request->again;
  SOTTO_TRY(folder_of(&o->path, run, o->number, err));
  SOTTO_TRY(read_made(made, o->path, o->number, err));
  SOTTO_TRY(is_of_model(&same, o->path, request->file, err));
  if (!same || made->seed != request->seed) {
    status = sotto_i_fail(err, SOTTO_INVALID, "again: %s was made for another model than %s", o->path,
                          request->file);
    goto done;
  }
  SOTTO_TRY(sotto_i_data_file_is_of(&same, o->path, &o->data, made, false, err));
  if (!same) {
    status =
        sotto_i_fail(err, SOTTO_INVALID,
                     "again: %s was made of data with other nodes or features than %s; give epsilon for a "
                     "release of this",
                     o->path, request->data->name);
    goto done;
  }
  SOTTO_TRY(sotto_i_accounts_take_data(&o->data, o->path, err));
done:
  return status;
}

sotto_status sotto_i_other_data_check_labels(const sotto_options *options, sotto_error *err) {
  if (!(options->label_epsilon > 0)) return SOTTO_OK;
  return sotto_i_fail(
      err, SOTTO_UNSUPPORTED,
      "epsilon: true labels, which label-epsilon protects, chose what is read of other data; train on it");
}

static sotto_status choose_options(sotto_i_other_data *o, const sotto_i_other_request *request,
                                   double epsilon, const char *account, sotto_error *err) {
  const sotto_i_method *method = sotto_i_method_of(request->options);
  sotto_status status;
  char text[40];
  o->options = *request->options;
  const sotto_i_case of = sotto_i_case_of(request->options);
  const char *why = request->layers == 0 ? sotto_i_unreleased(&of) : NULL;
  if (why != NULL)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "%s: %s; train on %s", method->name, why,
                        request->data->name);
  (void)snprintf(text, sizeof text, "%.17g", epsilon);
  SOTTO_TRY(sotto_options_set(&o->options, "epsilon", text, err));
  if (account != NULL) SOTTO_TRY(sotto_options_set(&o->options, "account", account, err));
  (void)snprintf(o->options.data, sizeof o->options.data, "%.1000s", request->data->name);
  o->options.seed = request->seed;
  o->options.seeds = 1;
  o->options.resume = false;
  o->options.publish_accuracy = 0; /* no accuracy is measured on other data */
  if (request->layers > 0) {
    o->options.layers = request->layers;
    o->options.releases = 1; /* only the last release is read */
  } else {
    SOTTO_TRY(method->narrow(&o->options, request->file, err));
  }
done:
  return status;
}

/* Logs the account. Whether the ledger already knew the data is not logged: it would follow from the edges.
 */
static void log_account(const sotto_i_other_data *o, const sotto_observer *observer) {
  if (o->options.account[0] != '\0' || o->run.kin == NULL) return;
  sotto_i_log(observer, SOTTO_LOG_INFO,
              "%s is charged as a later version of the run's data. If it is another thing, name its account "
              "(account)",
              o->run.data->name);
}

/* Asks the ledger before anything is drawn. */
static sotto_status ask_ledger(sotto_i_other_data *o, const sotto_i_other_request *request,
                               sotto_error *err) {
  const sotto_observer *observer = request->observer;
  char price[500];
  sotto_status status;
  SOTTO_TRY(sotto_i_run_ask(&o->run, err));
  if (o->run.ledger != NULL) SOTTO_TRY(sotto_i_ledger_check_memory(o->run.ledger, request->run, err));
  if (request->again > 0) {
    sotto_i_log(observer, SOTTO_LOG_INFO,
                "release %llu in %s answers again: nothing is charged, and the edges of %s are not read",
                (unsigned long long)o->number, o->path, o->run.data->name);
    goto done;
  }
  SOTTO_TRY(sotto_i_run_tell_price(price, sizeof price, &o->run, err));
  sotto_i_log(observer, SOTTO_LOG_INFO, "predictions of %s need a release: %s. It is release %llu of the run",
              o->run.data->name, price, (unsigned long long)o->number);
  log_account(o, observer);
done:
  return status;
}

/* Creates the folder for this process only: another process with the same number would find a release of
 * other data. */
static sotto_status claim_folder(const char *path, sotto_error *err) {
  if (mkdir(path, 0700) == 0) return SOTTO_OK;
  if (errno == EEXIST)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "%s: another process made a release here just now; nothing was released by this one. "
                        "Give the command again",
                        path);
  return sotto_i_fail(err, SOTTO_IO, "%s: could not make this folder: %s", path, strerror(errno));
}

static sotto_status begin_release(sotto_i_other_data *o, const sotto_i_other_request *request,
                                  sotto_error *err) {
  char *all = NULL, digest[digits + 1];
  sotto_status status;
  SOTTO_TRY(sotto_i_model_digest(digest, request->file, err));
  SOTTO_TRY(sotto_i_join(&all, request->run, "predictions", err));
  SOTTO_TRY(sotto_i_make_folder(all, err));
  SOTTO_TRY(claim_folder(o->path, err));
  SOTTO_TRY(sotto_i_run_folder_begin(&o->folder, &o->options, o->run.id, err));
  SOTTO_TRY(sotto_i_data_file_keep(o->path, o->run.data, &o->options, false, err));
  SOTTO_TRY(sotto_i_accounts_keep(&o->run.cost, o->path, err));
  SOTTO_TRY(sotto_i_run_remember(&o->run, o->path, err));
  SOTTO_TRY(sotto_i_folder_write(o->path, &digest_file, model_file, NULL, digest, digits, err));
  SOTTO_TRY(sotto_i_make_folder(o->seed_folder, err));
  SOTTO_TRY(sotto_i_run_record_unprotected(&o->run, err));
done:
  sotto_i_free(all);
  return status;
}

static sotto_status plan_release(sotto_i_other_data *o, const sotto_i_other_request *request,
                                 sotto_error *err) {
  sotto_i_run *r = &o->run;
  sotto_options made;
  sotto_status status = SOTTO_OK;
  if (request->again > 0) SOTTO_TRY(find_made(o, &made, request, err));
  SOTTO_TRY(request->again > 0 ? choose_options(o, request, made.epsilon, made.account, err)
                               : choose_options(o, request, request->epsilon, request->account, err));
  *r = (sotto_i_run){.options = &o->options,
                     .data = &o->data,
                     .party = request->party,
                     .observer = request->observer,
                     .variant = sotto_i_variant_of(&o->options),
                     .releases = sotto_i_job_releases(&o->options)};
  SOTTO_TRY(sotto_i_run_check_domain(r, err));
  SOTTO_TRY(sotto_i_run_plan(r, err));
done:
  return status;
}

/* Begins a new release, or holds the folder of an earlier one. */
static sotto_status hold_folder(sotto_i_other_data *o, const sotto_i_other_request *request,
                                sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_run_folder_open(&o->folder, o->path, err));
  SOTTO_TRY(sotto_i_run_folder_id(o->run.id, o->path, err));
  SOTTO_TRY(ask_ledger(o, request, err));
  if (request->again == 0 && !request->ask) SOTTO_TRY(begin_release(o, request, err));
done:
  return status;
}

sotto_status sotto_i_other_data_open(sotto_i_other_data *out, const sotto_i_other_request *request,
                                     sotto_error *err) {
  sotto_i_run *r = &out->run;
  bool known;
  sotto_status status;
  *out = (sotto_i_other_data){.data = *request->data, .folder = {.lock = -1}};
  SOTTO_TRY(plan_release(out, request, err));
  SOTTO_TRY(sotto_i_accounts_data_key(out->kin, &known, request->run, err));
  if (known) r->kin = out->kin; /* charged as a later version, unless its owner decides otherwise */
  if (r->cost.count == 0) goto done;
  if (request->again == 0) SOTTO_TRY(choose_folder(out, request->run, err));
  (void)snprintf(out->options.out, sizeof out->options.out, "%.1000s", out->path);
  SOTTO_TRY(sotto_i_seed_path(&out->seed_folder, out->path, request->seed, err));
  if (!request->reads) SOTTO_TRY(hold_folder(out, request, err));
  if (request->ask) goto done;
  out->job = sotto_i_run_job(r, out->seed_folder, out->options.seed);
  out->job.kept = request->again > 0;
  out->has_job = true;
done:
  return status;
}

sotto_status sotto_i_other_data_epsilon(double *out, const char *run, uint64_t again, sotto_error *err) {
  sotto_options made;
  char *path = NULL;
  sotto_status status;
  SOTTO_TRY(folder_of(&path, run, again, err));
  SOTTO_TRY(read_made(&made, path, again, err));
  *out = made.epsilon;
done:
  sotto_i_free(path);
  return status;
}

/* Of two parties, the other one received what this one sent. */
static void add_link(sotto_result *result, const sotto_link *link, bool only) {
  sotto_exposure list[SOTTO_MOST_EXPOSURES];
  const size_t most = sizeof result->exposures / sizeof *result->exposures;
  const size_t count = sotto_link_exposures(link, list);
  sotto_traffic_add(&result->data_party, sotto_link_traffic(link));
  for (size_t i = 0; i < count; i++) {
    bool known = false;
    for (size_t j = 0; j < result->exposure_count; j++)
      known = known || strcmp(result->exposures[j].name, list[i].name) == 0;
    if (!known && result->exposure_count < most) result->exposures[result->exposure_count++] = list[i];
  }
  result->data_exposures = result->exposure_count;
  if (!only) return;
  memcpy(result->label_party.sent, result->data_party.received, sizeof result->label_party.sent);
  memcpy(result->label_party.received, result->data_party.sent, sizeof result->label_party.received);
}

sotto_status sotto_i_other_data_state(sotto_i_other_data *o, sotto_link *const *links, size_t count,
                                      sotto_error *err) {
  sotto_result result = {.seed_count = 1, .of_answers = true};
  char *path = NULL;
  sotto_status status;
  if (!o->has_job) return SOTTO_OK;
  SOTTO_TRY(sotto_i_join(&path, o->path, "statement.json", err));
  if (sotto_i_is_file(path)) goto done;
  for (size_t i = 0; i < count; i++) add_link(&result, links[i], count == 1);
  SOTTO_TRY(sotto_i_run_state(&result, &o->run, err));
  SOTTO_TRY(sotto_i_statement_write(&o->options, o->run.data, &result,
                                    &(sotto_i_signer){o->run.party, o->run.ledger}, err));
done:
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_edgeless_new(sotto_dataset *out, const sotto_dataset *data, sotto_error *err) {
  sotto_graph none = {0};
  const sotto_status status = sotto_graph_from_pairs(&none, data->graph.nodes, NULL, NULL, 0, err);
  *out = *data;
  out->graph = none;
  out->transfers = (sotto_transfers){.count = 0};
  return status;
}

void sotto_i_edgeless_free(sotto_dataset *data) {
  sotto_graph_free(&data->graph);
  *data = (sotto_dataset){0};
}

void sotto_i_other_data_free(sotto_i_other_data *o) {
  if (o->path != NULL) sotto_i_run_folder_close(&o->folder, true);
  sotto_i_run_end(&o->run);
  sotto_i_free(o->path);
  sotto_i_free(o->seed_folder);
  *o = (sotto_i_other_data){.folder = {.lock = -1}};
}
