/* Folders RUN/predictions/1, 2, ...: numbers, since a name that followed from data would reveal it. */
#include "other_data.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/text.h"
#include "graph/dataset.h"
#include "run/files/folder_file.h"
#include "run/spending/cost.h"
#include "run/statement/result.h"
#include "run/storage/data_file.h"

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

/* Is the release in this folder of the same data, by the same model, with the same noise? */
static sotto_status is_same(bool *same, const sotto_i_other_data *o, const char *path,
                            const sotto_i_other_request *request, sotto_error *err) {
  sotto_options before;
  char *file = NULL;
  sotto_status status;
  *same = false;
  sotto_options_default(&before);
  SOTTO_TRY(sotto_i_join(&file, path, "run.yaml", err));
  if (!sotto_i_is_file(file)) goto done;
  SOTTO_TRY(sotto_options_read(&before, file, err));
  if (before.seed != o->options.seed || before.epsilon != o->options.epsilon) goto done;
  SOTTO_TRY(is_of_model(same, path, request->file, err));
  if (*same) SOTTO_TRY(sotto_i_data_file_is_of(same, path, request->data, err));
done:
  sotto_i_free(file);
  return status;
}

/* The folder that is there, or the first number that is free. */
static sotto_status find_folder(sotto_i_other_data *o, bool *found, const sotto_i_other_request *request,
                                sotto_error *err) {
  char *all = NULL, name[24];
  sotto_status status;
  *found = false;
  SOTTO_TRY(sotto_i_join(&all, request->run, "predictions", err));
  for (uint64_t number = 1;; number++) {
    sotto_i_free(o->path);
    o->path = NULL;
    (void)snprintf(name, sizeof name, "%llu", (unsigned long long)number);
    SOTTO_TRY(sotto_i_join(&o->path, all, name, err));
    if (!sotto_i_is_folder(o->path)) break;
    SOTTO_TRY(is_same(found, o, o->path, request, err));
    if (*found) break;
  }
done:
  sotto_i_free(all);
  return status;
}

static sotto_status choose_options(sotto_i_other_data *o, const sotto_i_other_request *request,
                                   sotto_error *err) {
  const sotto_i_method *method = sotto_i_method_of(request->options);
  sotto_status status;
  char text[40];
  o->options = *request->options;
  if (method->narrow == NULL)
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "%s: releases of other data are not made for models of %s yet; train on the other data",
        request->data->name, method->name);
  (void)snprintf(text, sizeof text, "%.17g", request->epsilon);
  SOTTO_TRY(sotto_options_set(&o->options, "epsilon", text, err));
  if (request->account != NULL) SOTTO_TRY(sotto_options_set(&o->options, "account", request->account, err));
  (void)snprintf(o->options.data, sizeof o->options.data, "%.1000s", request->data->name);
  o->options.seed = request->seed;
  o->options.seeds = 1;
  o->options.resume = false;
  if (request->layers > 0) {
    o->options.layers = request->layers;
    o->options.releases = 1; /* the last one is read */
  } else {
    SOTTO_TRY(method->narrow(&o->options, request->file, err));
  }
done:
  return status;
}

/* An edge that both datasets have is in the account of each, and no budget sees both. */
static sotto_status tell_account(const sotto_i_other_data *o, const sotto_observer *observer,
                                 sotto_error *err) {
  const sotto_dataset *data = o->run.data;
  sotto_ledger_account account;
  if (o->run.ledger == NULL) return SOTTO_OK;
  sotto_status status = sotto_ledger_account_of(o->run.ledger, &account, data->account, data->name, err);
  if (status == SOTTO_OK && memcmp(account.key, data->account, sizeof account.key) == 0)
    sotto_i_log(
        observer, SOTTO_LOG_WARNING,
        "%s pays from an account of its own. Where it is a later version of the run's data, an edge of "
        "both is released twice, and no budget adds that up: train and predict with one account",
        data->name);
  return status;
}

/* Before anything is drawn. A folder without a statement was begun, and perhaps no more than that. */
static sotto_status ask(sotto_i_other_data *o, bool found, const sotto_observer *observer, sotto_error *err) {
  char price[500], *statement = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_run_ask(&o->run, err));
  SOTTO_TRY(sotto_i_join(&statement, o->path, "statement.json", err));
  if (found && sotto_i_is_file(statement)) {
    sotto_i_log(observer, SOTTO_LOG_INFO, "the release in %s is used again; nothing is charged for it twice",
                o->path);
    goto done;
  }
  SOTTO_TRY(sotto_i_run_tell_price(price, sizeof price, &o->run, err));
  sotto_i_log(observer, SOTTO_LOG_INFO, "predictions of %s need a release: %s", o->run.data->name, price);
  SOTTO_TRY(tell_account(o, observer, err));
done:
  sotto_i_free(statement);
  return status;
}

static sotto_status begin(sotto_i_other_data *o, const sotto_i_other_request *request, sotto_error *err) {
  char *all = NULL, digest[digits + 1];
  sotto_status status;
  SOTTO_TRY(sotto_i_model_digest(digest, request->file, err));
  SOTTO_TRY(sotto_i_join(&all, request->run, "predictions", err));
  SOTTO_TRY(sotto_i_make_folder(all, err));
  SOTTO_TRY(sotto_i_run_folder_begin(&o->folder, &o->options, o->run.id, err));
  SOTTO_TRY(sotto_i_data_file_keep(o->path, o->run.data, err));
  SOTTO_TRY(sotto_i_folder_write(o->path, &digest_file, model_file, NULL, digest, digits, err));
  SOTTO_TRY(sotto_i_make_folder(o->seed_folder, err));
  SOTTO_TRY(sotto_i_run_record_unprotected(&o->run, err));
  o->job = sotto_i_run_job(&o->run, o->seed_folder, o->options.seed);
done:
  sotto_i_free(all);
  return status;
}

sotto_status sotto_i_other_data_open(sotto_i_other_data *out, const sotto_i_other_request *request,
                                     sotto_error *err) {
  sotto_i_run *r = &out->run;
  char name[40];
  bool found;
  sotto_status status;
  *out = (sotto_i_other_data){.folder = {.lock = -1}};
  SOTTO_TRY(choose_options(out, request, err));
  *r = (sotto_i_run){.options = &out->options,
                     .data = request->data,
                     .party = request->party,
                     .observer = request->observer,
                     .variant = sotto_i_variant_of(&out->options),
                     .releases = sotto_i_job_releases(&out->options)};
  SOTTO_TRY(sotto_i_run_check_domain(r, err));
  SOTTO_TRY(sotto_i_run_plan(r, err));
  if (r->cost.count == 0) goto done;
  SOTTO_TRY(find_folder(out, &found, request, err));
  (void)snprintf(out->options.out, sizeof out->options.out, "%.1000s", out->path);
  (void)snprintf(name, sizeof name, "seed-%llu", (unsigned long long)request->seed);
  SOTTO_TRY(sotto_i_join(&out->seed_folder, out->path, name, err));
  SOTTO_TRY(sotto_i_run_folder_open(&out->folder, out->path, err));
  SOTTO_TRY(sotto_i_run_folder_id(r->id, out->path, err));
  SOTTO_TRY(ask(out, found, request->observer, err));
  if (request->ask) goto done;
  SOTTO_TRY(begin(out, request, err));
  out->has_job = true;
done:
  return status;
}

sotto_status sotto_i_other_data_state(sotto_i_other_data *o, const sotto_link *link, sotto_error *err) {
  sotto_result result = {.seed_count = 1, .of_answers = true};
  char *path = NULL;
  sotto_status status;
  if (!o->has_job) return SOTTO_OK;
  SOTTO_TRY(sotto_i_join(&path, o->path, "statement.json", err));
  if (sotto_i_is_file(path)) goto done;
  if (link != NULL) {
    result.data_party = sotto_link_traffic(link);
    memcpy(result.label_party.sent, result.data_party.received, sizeof result.label_party.sent);
    memcpy(result.label_party.received, result.data_party.sent, sizeof result.label_party.received);
    result.exposure_count = result.data_exposures = sotto_link_exposures(link, result.exposures);
  }
  SOTTO_TRY(sotto_i_run_state(&result, &o->run, err));
  SOTTO_TRY(sotto_i_statement_write(&o->options, o->run.data, &result, err));
done:
  sotto_i_free(path);
  return status;
}

void sotto_i_other_data_free(sotto_i_other_data *o) {
  if (o->path != NULL) sotto_i_run_folder_close(&o->folder, true);
  sotto_i_run_end(&o->run);
  sotto_i_free(o->path);
  sotto_i_free(o->seed_folder);
  *o = (sotto_i_other_data){.folder = {.lock = -1}};
}
