/* The folder RUN/nights: its plan, its charge, the run's own data, and the order of nights.
 *
 * Every call is a new night, whatever its data: repeating a night because its edges are the same would
 * reveal that they are.
 *
 * Order on the first night: plan, key (charged), log, the night's entry in the ledger. On every night, the
 * previous night's entry is written before tonight's edges enter the log, and both before the release is
 * made. The release follows from key and log, so a later call completes a night that was killed. */
#include "nights.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/secret.h"
#include "base/text.h"
#include "dp/ledger/draws.h"
#include "dp/ledger/home.h"
#include "dp/ledger/ledger.h"
#include "inside/dp.h"
#include "other_data.h"
#include "release/plan.h"
#include "run/statement/result.h"
#include "run/storage/accounts_file.h"
#include "run/storage/data_file.h"
#include "run/storage/seed_file.h"
#include "sotto/guarantee.h"
#include "tonight.h"

/* Id of a night's entry in the ledger, which has no privacy cost. Without entries, an old copy of the folder
 * could release a night again with other edges. The id contains the night's random mark and not its counts:
 * it identifies the folder, whatever the data is. `all`: the common prefix of the ids of that night. */
static void night_id(char out[SOTTO_I_CHARGE_ID], const sotto_i_nights *n, const sotto_i_night_log *of,
                     bool all) {
  crypto_generichash_state state;
  uint8_t digest[16];
  char hex[2 * sizeof digest + 1] = "";
  crypto_generichash_init(&state, n->key->key.bytes, sizeof n->key->key.bytes, sizeof digest);
  crypto_generichash_update(&state, of->mark, sizeof of->mark);
  crypto_generichash_update(&state, of->rows, sizeof of->rows);
  crypto_generichash_final(&state, digest, sizeof digest);
  if (!all) sotto_i_hex(hex, digest, sizeof digest);
  (void)snprintf(out, SOTTO_I_CHARGE_ID, "%.32s-night-%u-%s", n->run.id, (unsigned)of->night, hex);
}

static sotto_status nights_check(const sotto_i_nights *n, const sotto_i_night_log *of, sotto_error *err) {
  char id[SOTTO_I_CHARGE_ID];
  uint64_t all, own;
  sotto_status status;
  night_id(id, n, of, true);
  SOTTO_TRY(sotto_i_ledger_count(n->run.ledger, &all, n->own.account, "edge", id, err));
  night_id(id, n, of, false);
  SOTTO_TRY(sotto_i_ledger_count(n->run.ledger, &own, n->own.account, "edge", id, err));
  if (all > own)
    status = sotto_i_fail(
        err, SOTTO_REFUSED,
        "%s: is an old copy: the ledger has night %u of this plan from another one, and it may have been "
        "released; nothing was released now. Bring back the latest copy of the folder",
        n->path, (unsigned)of->night);
done:
  return status;
}

static sotto_status nights_record(const sotto_i_nights *n, const sotto_i_night_log *of, sotto_error *err) {
  char id[SOTTO_I_CHARGE_ID], description[80];
  night_id(id, n, of, false);
  (void)snprintf(description, sizeof description, "night %u of %llu, which the plan has paid",
                 (unsigned)of->night, (unsigned long long)n->plan.nights);
  const sotto_charge entry = {.id = id,
                              .run = n->options.out,
                              .mechanism = sotto_mechanism_name(SOTTO_MECHANISM_GAUSSIAN),
                              .adjacency = "edge",
                              .description = description,
                              .insecure = n->options.insecure_seed != SOTTO_UNSET};
  const sotto_status status = nights_check(n, of, err);
  return status == SOTTO_OK ? sotto_ledger_charge(n->run.ledger, n->own.account, n->own.name, &entry, 1, err)
                            : status;
}

/* Tonight's graph becomes a version of the run's data, under the account that pays for that. */
static sotto_status add_version(const sotto_i_nights *n, const sotto_dataset *data, sotto_error *err) {
  sotto_i_thing tonight = sotto_i_thing_of(data, true);
  const char *declared = n->options.account[0] == '\0' ? NULL : n->options.account;
  sotto_ledger_place_found found;
  sotto_status status;
  tonight.kin = n->own.account;
  SOTTO_TRY(
      sotto_i_ledger_settle(n->run.ledger, &found, data, &tonight, declared, SOTTO_PLACING_KNOW, true, err));
  status = sotto_i_ledger_remember_data(found.forgotten, n->run.ledger, data->path, err);
done:
  return status;
}

static const char what[] = "counts of neighbours by cluster in all nights of a plan";

static sotto_status check_kind(const sotto_options *o, const sotto_dataset *data, sotto_error *err) {
  const bool kept = data->schema != NULL && data->schema->moments != NULL; /* statistics of the training */
  if (!sotto_i_method_of(o)->nights)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "nightly: models of %s do not answer night after night",
                        o->method);
  if (o->adjacency == SOTTO_ADJACENCY_TRANSFER)
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "nightly: a plan of nights protects edges, and the run protects single transfers alone; "
        "train at edge level");
  if (!sotto_i_job_wants_privacy(o))
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "nightly: the run was trained without noise, so there is nothing to protect by a plan");
  if (o->feature_scale == SOTTO_FEATURE_SCALE_STANDARD && !kept)
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "feature-scale: with standard, and without the statistics of the training in schema.yaml, "
        "a node's row changes with every node that is added; "
        "train with l2 or none to answer night after night");
  return SOTTO_OK;
}

static sotto_status check_asked(const sotto_i_nights *n, const sotto_i_nights_request *request,
                                sotto_error *err) {
  const sotto_i_night_plan *p = &n->plan;
  const sotto_model_options *asked = request->asked;
  if (asked->account != NULL)
    return sotto_i_fail(err, SOTTO_INVALID, "account: the account of the run pays for a plan of nights");
  if (asked->epsilon != 0 && !(asked->epsilon > 0 && asked->epsilon <= 1e3))
    return sotto_i_fail(err, SOTTO_RANGE, "epsilon: %g; it must be above 0, and 1000 at most",
                        asked->epsilon);
  if (!n->planned) {
    if (asked->epsilon > 0 && asked->nights > 0) return SOTTO_OK;
    return sotto_i_fail(err, SOTTO_INVALID,
                        "nightly: %s has no plan yet; give epsilon, of the training and all nights together, "
                        "and the number of nights",
                        n->path);
  }
  const bool other = (asked->epsilon > 0 && asked->epsilon != p->epsilon) ||
                     (asked->nights > 0 && asked->nights != p->nights) ||
                     (asked->edge_changes > 0 && asked->edge_changes != p->changes);
  if (other)
    return sotto_i_fail(
        err, SOTTO_INVALID,
        "nightly: %s has a plan of %llu nights at epsilon %g, %llu change%s an edge, and it was "
        "charged; a plan cannot change. Leave these out",
        n->path, (unsigned long long)p->nights, p->epsilon, (unsigned long long)p->changes,
        p->changes == 1 ? "" : "s");
  if (p->seed != request->seed)
    return sotto_i_fail(err, SOTTO_INVALID, "seed: the plan in %s is for the model of seed %llu", n->path,
                        (unsigned long long)p->seed);
  return SOTTO_OK;
}

/* Opens the run's own data: the plan's copy, or before there is one, the data of the run. */
static sotto_status open_own(sotto_i_nights *n, const sotto_i_nights_request *request, sotto_error *err) {
  const sotto_options *o = request->options;
  char *owners = NULL;
  bool same;
  sotto_status status;
  SOTTO_TRY(sotto_i_join(&owners, n->path, "owner-only", err));
  SOTTO_TRY(sotto_i_join(&n->own_path, owners, "trained-on.sotto", err));
  SOTTO_TRY(sotto_i_join(&n->log_path, owners, "edges.bin", err));
  SOTTO_TRY(n->planned ? sotto_dataset_open(&n->own, n->own_path, NULL, err)
                       : sotto_run_data_open(&n->own, o, request->run, NULL, err));
  if (n->planned) n->own.path = NULL; /* it is a copy: the ledger knows the data by its own file */
  SOTTO_TRY(sotto_i_data_file_is_of(&same, request->run, &n->own, o, true, err));
  if (!same) {
    status = sotto_i_fail(err, SOTTO_INVALID, "%s: is not the data that %s was trained on",
                          n->planned ? n->own_path : o->data, request->run);
    goto done;
  }
  SOTTO_TRY(sotto_i_accounts_take_data(&n->own, request->run, err));
  n->trained = (sotto_i_run){
      .options = o, .data = &n->own, .variant = sotto_i_variant_of(o), .releases = sotto_i_job_releases(o)};
  SOTTO_TRY(sotto_i_run_check_domain(&n->trained, err));
  SOTTO_TRY(sotto_i_run_plan(&n->trained, err));
  SOTTO_TRY(sotto_i_scaled_features(&n->trained.features, o, n->trained.data, err));
  n->own_job = sotto_i_run_job(&n->trained, n->seed_folder, request->seed);
  SOTTO_TRY(sotto_i_parted_new(&n->parted, &n->own_job, err));
done:
  sotto_i_free(owners);
  return status;
}

static sotto_status make_plan(sotto_i_nights *n, const sotto_i_nights_request *request, sotto_error *err) {
  const sotto_model_options *asked = request->asked;
  char model[SOTTO_I_MODEL_DIGITS + 1];
  sotto_status status;
  SOTTO_TRY(sotto_i_model_digest(model, request->file, err));
  if (n->planned) {
    if (strcmp(model, n->plan.model) == 0) return SOTTO_OK;
    return sotto_i_fail(err, SOTTO_INVALID, "%s: is another model than the plan in %s was made for",
                        request->file, n->path);
  }
  n->plan = (sotto_i_night_plan){.nights = asked->nights,
                                 .changes = asked->edge_changes > 0 ? asked->edge_changes : 1,
                                 .seed = request->seed,
                                 .epsilon = asked->epsilon,
                                 .delta = request->options->delta};
  memcpy(n->plan.model, model, sizeof model);
  if (n->plan.changes > SOTTO_I_MOST_CHANGES)
    return sotto_i_fail(err, SOTTO_RANGE, "changes: %llu; an edge changes once, or appears and goes: 1 or 2",
                        (unsigned long long)n->plan.changes);
  SOTTO_TRY(sotto_i_run_open_account(&n->trained, err));
  SOTTO_TRY(sotto_i_ledger_check_memory(n->trained.ledger, request->run, err));
  SOTTO_TRY(sotto_i_night_plan_noise(&n->plan, &n->trained, request->run, err));
done:
  sotto_ledger_close(n->trained.ledger); /* the plan's run opens it next, and it cannot be open twice */
  n->trained.ledger = NULL;
  return status;
}

/* Plans the nights as a run with one item. */
static sotto_status plan_run(sotto_i_nights *n, const sotto_i_nights_request *request, sotto_error *err) {
  sotto_grid grid;
  const sotto_mechanism mechanism = sotto_i_night_mechanism(&n->plan);
  sotto_status status;
  SOTTO_TRY(sotto_grid_new(&grid, n->plan.sigma, err));
  SOTTO_TRY(sotto_i_continual_new(&n->mechanism, (uint32_t)n->plan.nights, grid.step, err));
  n->options = *request->options;
  n->options.seed = n->plan.seed;
  n->options.seeds = 1;
  n->options.epsilon = n->plan.epsilon;
  n->options.delta = n->plan.delta;
  n->options.resume = false;
  (void)snprintf(n->options.out, sizeof n->options.out, "%.1000s", n->path);
  n->run = (sotto_i_run){.options = &n->options,
                         .data = n->trained.data,
                         .observer = request->asked->observer,
                         .variant = n->trained.variant,
                         .releases = 1,
                         .charges = true};
  n->run.cost = (sotto_cost){.adjacency = "edge", .nights = n->plan.nights, .by_mu = true};
  sotto_i_cost_add(&n->run.cost, what, &mechanism, mechanism.sensitivity / mechanism.noise, 0)->once = true;
  sotto_i_cost_account(&n->run.cost, SOTTO_ACCOUNT_DATA, n->own.account, n->own.name);
  sotto_i_cost_complete(&n->run.cost);
  SOTTO_TRY(sotto_i_run_folder_id(n->run.id, n->path, err));
done:
  return status;
}

/* The night to make or repeat: as requested, or the next one. */
static sotto_status choose_night(sotto_i_nights *n, const sotto_i_nights_request *request, sotto_error *err) {
  sotto_status status;
  n->begun = sotto_i_is_file(n->log_path);
  n->repeats = request->asked->night > 0;
  SOTTO_TRY(n->begun ? sotto_i_night_log_load(&n->log, n->log_path, err)
                     : sotto_i_night_log_begin(&n->log, &n->own, err));
  n->before = n->log;
  n->before.nodes = NULL;
  n->before.edges = NULL;
  if (n->repeats) return sotto_i_night_log_return(&n->log, request->asked->night, request->data, err);
  if (n->log.night >= n->plan.nights) {
    status =
        sotto_i_fail(err, SOTTO_REFUSED,
                     "%s: all %llu nights of the plan are over, and what they cost is spent; nothing was "
                     "released. Train again for the next period",
                     n->path, (unsigned long long)n->plan.nights);
    goto done;
  }
  SOTTO_TRY(sotto_i_night_log_advance(&n->log, request->data, (uint32_t)n->plan.changes, err));
done:
  return status;
}

static sotto_status ask_ledger(sotto_i_nights *n, sotto_error *err) {
  char price[500], delta[SOTTO_DELTA_WORDS];
  const sotto_observer *observer = n->run.observer;
  sotto_status status;
  SOTTO_TRY(sotto_i_run_ask(&n->run, err));
  if (n->begun) goto done;
  SOTTO_TRY(sotto_i_run_tell_price(price, sizeof price, &n->run, err));
  sotto_delta_words(delta, n->plan.delta);
  sotto_i_log(observer, SOTTO_LOG_INFO,
              "a plan of %llu nights: %s. With the training, epsilon %.4g at delta %s in all",
              (unsigned long long)n->plan.nights, price, n->plan.epsilon, delta);
done:
  return status;
}

/* Draws the key of all nights once, and charges them all. */
static sotto_status use_key(sotto_i_nights *n, sotto_error *err) {
  char made_with[200];
  n->plan_job = sotto_i_run_job(&n->run, n->path, n->options.seed);
  (void)snprintf(
      made_with, sizeof made_with, "key of the noise of %llu nights: noise %.17g, %llu changes, model %.64s",
      (unsigned long long)n->plan.nights, n->plan.sigma, (unsigned long long)n->plan.changes, n->plan.model);
  const sotto_i_artifact artifact = {.owner = sotto_i_job_owner(&n->plan_job),
                                     .file = "owner-only/noise.key",
                                     .made_with = made_with,
                                     .kept = n->begun};
  sotto_status status = sotto_i_new_secret(&n->key, 1, sizeof *n->key, err);
  return status == SOTTO_OK ? sotto_i_artifact_key_use(n->key, &artifact, 0, err) : status;
}

/* Records a night. The entries have no gap: an entry of a night implies those of all earlier nights. */
static sotto_status record_night(sotto_i_nights *n, const sotto_dataset *data, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (n->before.night > 0) SOTTO_TRY(nights_record(n, &n->before, err));
  if (n->repeats) goto done;
  SOTTO_TRY(nights_check(n, &n->log, err));
  SOTTO_TRY(add_version(n, data, err));
  SOTTO_TRY(sotto_i_tonight_keep(n->path, data, err));
  SOTTO_TRY(sotto_i_night_log_save(&n->log, n->log_path, err));
  SOTTO_TRY(nights_record(n, &n->log, err));
done:
  return status;
}

static sotto_status begin_plan(sotto_i_nights *n, const sotto_dataset *data, sotto_error *err) {
  char name[24];
  sotto_status status;
  SOTTO_TRY(sotto_i_run_folder_begin(&n->folder, &n->options, n->run.id, err));
  if (!n->planned) {
    char *owners = NULL;
    status = sotto_i_join(&owners, n->path, "owner-only", err);
    if (status == SOTTO_OK) status = sotto_i_make_folder(owners, err);
    sotto_i_free(owners);
    if (status != SOTTO_OK) goto done;
    SOTTO_TRY(sotto_dataset_save(&n->own, n->own_path, err));
    SOTTO_TRY(sotto_i_night_plan_save(&n->plan, n->path, err));
  }
  SOTTO_TRY(sotto_i_run_remember(&n->run, n->path, err));
  SOTTO_TRY(sotto_i_run_record_unprotected(&n->run, err));
  SOTTO_TRY(use_key(n, err));
  SOTTO_TRY(record_night(n, data, err));
  (void)snprintf(name, sizeof name, "%u", (unsigned)n->log.night);
  SOTTO_TRY(sotto_i_join(&n->folder_of_night, n->path, name, err));
  SOTTO_TRY(sotto_i_make_folder(n->folder_of_night, err));
  sotto_i_log(n->run.observer, SOTTO_LOG_INFO, "night %u of %llu%s; nothing more is charged",
              (unsigned)n->log.night, (unsigned long long)n->plan.nights,
              n->repeats ? " again, from its release: the edges of the data are not read" : "");
done:
  return status;
}

/* Finds the folder and its plan. */
static sotto_status find_plan(sotto_i_nights *n, const sotto_i_nights_request *request, bool locks,
                              sotto_error *err) {
  char *plan = NULL;
  sotto_status status;
  *n = (sotto_i_nights){.folder = {.lock = -1}};
  SOTTO_TRY(check_kind(request->options, request->data, err));
  SOTTO_TRY(sotto_i_join(&n->path, request->run, "nights", err));
  SOTTO_TRY(sotto_i_join(&plan, n->path, "plan.json", err));
  SOTTO_TRY(sotto_i_seed_path(&n->seed_folder, request->run, request->seed, err));
  if (locks) SOTTO_TRY(sotto_i_run_folder_open(&n->folder, n->path, err));
  n->planned = sotto_i_is_file(plan);
  if (n->planned) SOTTO_TRY(sotto_i_night_plan_load(&n->plan, n->path, err));
  SOTTO_TRY(check_asked(n, request, err));
  SOTTO_TRY(open_own(n, request, err));
  SOTTO_TRY(make_plan(n, request, err));
  SOTTO_TRY(plan_run(n, request, err));
  SOTTO_TRY(choose_night(n, request, err));
done:
  sotto_i_free(plan);
  return status;
}

static void fill_night(sotto_i_nights *n, const char *folder, const sotto_observer *observer) {
  n->night = (sotto_i_night){.own = &n->own_job,
                             .parted = &n->parted,
                             .mechanism = &n->mechanism,
                             .sigma = n->plan.sigma,
                             .log = &n->log,
                             .key = &n->key->key,
                             .path = folder,
                             .plan = &n->plan_job,
                             .observer = observer};
}

sotto_status sotto_i_nights_open(sotto_i_nights *out, const sotto_i_nights_request *request,
                                 sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(find_plan(out, request, true, err));
  SOTTO_TRY(ask_ledger(out, err));
  SOTTO_TRY(begin_plan(out, request->data, err));
  fill_night(out, out->path, request->asked->observer);
done:
  return status;
}

sotto_status sotto_i_nights_open_anew(sotto_i_nights *out, const sotto_i_nights_request *request,
                                      const char *folder, const struct sotto_i_probe *probe,
                                      sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(find_plan(out, request, false, err));
  if (!out->begun) return sotto_i_fail(err, SOTTO_NOT_FOUND, "%s: has no night that was made", out->path);
  SOTTO_TRY(sotto_i_new_secret(&out->key, 1, sizeof *out->key, err));
  sotto_key_system(&out->key->key);
  out->plan_job = sotto_i_run_job(&out->run, folder, out->plan.seed);
  out->plan_job.probe = probe;
  fill_night(out, folder, request->asked->observer);
done:
  return status;
}

sotto_status sotto_i_nights_state(sotto_i_nights *n, sotto_error *err) {
  sotto_result result = {.seed_count = 1, .of_answers = true};
  char *path = NULL;
  sotto_status status;
  if (n->key == NULL) return SOTTO_OK;
  SOTTO_TRY(sotto_i_join(&path, n->path, "statement.json", err));
  if (sotto_i_is_file(path)) goto done;
  SOTTO_TRY(sotto_i_run_state(&result, &n->run, err));
  SOTTO_TRY(sotto_i_statement_write(&n->options, n->run.data, &result,
                                    &(sotto_i_signer){n->run.party, n->run.ledger}, err));
done:
  sotto_i_free(path);
  return status;
}

void sotto_i_nights_free(sotto_i_nights *n) {
  if (n->path == NULL) return; /* never opened */
  sotto_i_run_folder_close(&n->folder, true);
  sotto_i_run_end(&n->run);
  sotto_i_run_end(&n->trained);
  sotto_i_parted_free(&n->parted);
  sotto_i_continual_free(&n->mechanism);
  sotto_i_night_log_free(&n->log);
  sotto_i_free_secret(n->key);
  sotto_dataset_free(&n->own);
  sotto_i_free(n->path);
  sotto_i_free(n->folder_of_night);
  sotto_i_free(n->log_path);
  sotto_i_free(n->own_path);
  sotto_i_free(n->seed_folder);
  *n = (sotto_i_nights){.folder = {.lock = -1}};
}
