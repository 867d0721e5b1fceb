/* A run: all checks, then one seed after the other, each stored in the run folder when it is done. */
#include <stdio.h>
#include <string.h>

#include "alerts.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/reader.h"
#include "choice.h"
#include "graph/blocks/block.h"
#include "handle.h"
#include "inside/base.h"
#include "inside/graph.h"
#include "party_train.h"
#include "published.h"
#include "ranks.h"
#include "run/parties/party_roles.h"
#include "run/parties/roles.h"
#include "run/settings/alert_rule.h"
#include "run/settings/options.h"
#include "run/settings/suit.h"
#include "run/statement/result.h"
#include "run/storage/accounts_file.h"
#include "run/storage/begun.h"
#include "run/storage/checkpoints.h"
#include "run/storage/data_file.h"
#include "run/storage/facts_file.h"
#include "run/storage/metrics.h"
#include "run/storage/run_folder.h"
#include "run/storage/schema_file.h"
#include "run/storage/seed_file.h"

sotto_status sotto_i_seed_folder(char **out, const sotto_i_run *r, uint64_t index, sotto_error *err) {
  return sotto_i_seed_path(out, r->options->out, r->options->seed + index, err);
}

sotto_status sotto_i_run_seed(sotto_result *out, const sotto_i_run *r, uint64_t index,
                              const sotto_i_seat *seat, bool taken_over, const sotto_observer *observer,
                              const sotto_recorder *recorder, sotto_error *err) {
  const sotto_options *o = r->options;
  sotto_i_outcome outcome = {.exposure_count = 0};
  char *folder = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_seed_folder(&folder, r, index, err));
  SOTTO_TRY(sotto_i_make_folder(folder, err));
  sotto_seed_result *result = &out->seeds[index];
  sotto_i_job job = sotto_i_run_job(r, folder, o->seed + index);
  if (taken_over) {
    job.kept = true;
    SOTTO_TRY(sotto_i_seed_file_read(&outcome, folder, err));
    outcome.quality.resumed = true;
    SOTTO_TRY(sotto_i_published_release(&job, &outcome.quality, err));
  } else {
    job.seat = seat;
    if (r->party != NULL && sotto_i_party_of_several(r->party, r->options)) job.facts = &r->facts;
    job.observer = observer;
    job.recorder = recorder;
    sotto_i_checkpoints kept = {.folder = folder, .role = "owner", .every = o->checkpoint_every};
    if (r->party == NULL) job.checkpoints = &kept;
    if (r->party == NULL && !o->resume) sotto_i_checkpoints_forget(folder);
    SOTTO_TRY(sotto_i_run_tell_seed(r, &index, err));
    if (r->variant->roles != NULL)
      SOTTO_TRY(sotto_i_roles_run(&outcome, &job, r->variant->roles, err));
    else
      SOTTO_TRY(r->variant->run(&outcome, &job, err));
    SOTTO_TRY(sotto_i_published_release(&job, &outcome.quality, err));
    SOTTO_TRY(sotto_i_seed_file_write(&outcome, folder, o, err));
    if (r->party == NULL) sotto_i_checkpoints_forget(folder);
  }
  *result = outcome.quality;
  out->graph_epsilon = outcome.graph_epsilon;
  memcpy(out->left_out, outcome.left_out, sizeof out->left_out);
  sotto_traffic_add(&out->data_party, outcome.data_party);
  sotto_traffic_add(&out->label_party, outcome.label_party);
  if (outcome.rounds > 0) {
    out->setup_bytes = outcome.setup_bytes;
    out->round_bytes = outcome.round_bytes;
    out->round_seconds = outcome.round_seconds;
  }
  if (outcome.exposure_count > 0) {
    memcpy(out->exposures, outcome.exposures, outcome.exposure_count * sizeof *out->exposures);
    out->data_exposures = outcome.data_exposures;
    out->exposure_count = outcome.exposure_count;
  }
  if (recorder != NULL && recorder->seed != NULL) recorder->seed(recorder->context, result);
done:
  sotto_i_free(folder);
  return status;
}

/* Number of feature columns that the model reads. For graphs without features the method makes some. */
static size_t inputs_of(const sotto_i_run *r, const sotto_dataset *data) {
  size_t (*const inputs)(const sotto_dataset *) = sotto_i_method_of(r->options)->inputs;
  return data->graph_count > 0 && inputs != NULL ? inputs(data) : data->features.cols;
}

static sotto_status choose_model(sotto_i_seeds_state *t, sotto_error *err) {
  const sotto_i_run *r = t->r;
  size_t best = t->best;
  if (r->party == NULL && sotto_i_choice_free(r)) best = sotto_i_choice_best(t->out, r->options);
  if (sotto_i_choice_asked(r)) sotto_i_choice_note(t->out, r);
  return sotto_i_choice_keep_model(t->out, r, best, err);
}

/* Is this seed already done in a resumed run? */
static sotto_status seed_is_done(bool *done, const sotto_i_seeds_state *t, uint64_t index, sotto_error *err) {
  const sotto_options *o = t->r->options;
  char *folder = NULL;
  sotto_i_progress(t->observer, "seed", index, o->seeds, NULL);
  const sotto_status status = sotto_i_seed_folder(&folder, t->r, index, err);
  if (status != SOTTO_OK) return status;
  *done = o->resume && sotto_i_seed_file_exists(folder);
  sotto_i_free(folder);
  return SOTTO_OK;
}

static bool is_server(const sotto_i_run *r) {
  return r->party != NULL && !sotto_i_party_has_data(r->party);
}

/* Checks the options, and the data against them. */
static sotto_status check_data(sotto_result *out, sotto_i_run *r, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_options_check(r->options, err));
  const bool server = is_server(r);
  if (r->party != NULL) SOTTO_TRY(sotto_party_role_check(r->party, r->options, err));
  if (server) {
    r->told = (sotto_dataset){.name = r->data->name};
    r->data = &r->told;
  }
  if (r->party != NULL && sotto_i_party_of_several(r->party, r->options))
    sotto_party_role_name(out->role, r->party);
  r->variant = sotto_i_variant_of(r->options);
  r->releases = sotto_i_job_releases(r->options);
  SOTTO_TRY(sotto_i_run_check_ranks(r, err));
  SOTTO_TRY(sotto_i_run_check_data(r, err));
done:
  return status;
}

/* Plans by public numbers alone, and asks the ledger. Where numbers of graphs or nodes are private no other
 * party hears of a bound. */
static sotto_status plan_and_ask(sotto_i_run *r, sotto_error *err) {
  sotto_status status = sotto_i_run_plan(r, err);
  const bool bound = status == SOTTO_RANGE || status == SOTTO_INVALID;
  if (r->party != NULL && bound && !sotto_options_hide_sizes(r->options)) r->declines = SOTTO_DECLINE_BOUND;
  if (status != SOTTO_OK) return status;
  status = sotto_i_run_ask(r, err);
  if (r->party != NULL && status == SOTTO_REFUSED) r->declines = SOTTO_DECLINE_LEDGER;
  return status;
}

/* All other checks that can refuse the run, before it writes or sends anything. */
static sotto_status check_run(sotto_result *out, sotto_i_run *r, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_run_tell_classes(r, err));
  if (r->options->resume || r->party != NULL)
    SOTTO_TRY(sotto_i_check_begun(r->options, r->options->out, err));
  SOTTO_TRY(sotto_i_run_folder_id(r->id, r->options->out, err));
  if (!is_server(r)) {
    SOTTO_TRY(plan_and_ask(r, err));
    const sotto_i_job any = {.options = r->options, .data = r->data};
    SOTTO_TRY(sotto_i_published_tell(&any, r->observer, err));
    SOTTO_TRY(sotto_i_run_record_unprotected(r, err));
    sotto_i_run_tell_published(r);
    sotto_i_run_tell_planned(r);
    sotto_i_run_tell_spent(r);
  }
  if (sotto_i_run_owns_edges(r) && !sotto_i_has_clients(r->options))
    SOTTO_TRY(sotto_i_features_take(&r->rows, &r->features, r->variant->by_rows, r->options, r->data, err));
  SOTTO_TRY(sotto_i_new(&out->seeds, r->options->seeds, sizeof *out->seeds, err));
done:
  return status;
}

/* Completes a run after its last seed: public numbers, schema, chosen model, statement and result. */
static sotto_status end_seeds(sotto_i_seeds_state *t, const sotto_dataset *data, double begin,
                              sotto_error *err) {
  sotto_i_run *r = t->r;
  sotto_status status = SOTTO_OK;
  sotto_i_progress(t->observer, "seed", r->options->seeds, r->options->seeds, NULL);
  if (r->party == NULL || !sotto_i_party_of_several(r->party, r->options))
    SOTTO_TRY(sotto_i_facts_keep(data, inputs_of(r, data), r->options, err));
  const bool met = r->party == NULL || r->party->role != SOTTO_ROLE_CLIENT || r->unarranged != NULL;
  if (met && (r->party == NULL || sotto_i_party_has_data(r->party)))
    SOTTO_TRY(sotto_i_schema_keep(r->unarranged == NULL ? data : r->data, r->rows.moments, r->options, err));
  if (r->party != NULL) SOTTO_TRY(sotto_i_role_keep(r->party, r->options, err));
  SOTTO_TRY(choose_model(t, err));
  SOTTO_TRY(sotto_i_alerts_keep(t->out, r, err));
  SOTTO_TRY(sotto_i_run_state(t->out, r, err));
  t->out->seconds = sotto_i_seconds() - begin;
  SOTTO_TRY(sotto_i_result_write(r->options, data, t->out, &(sotto_i_signer){r->party, r->ledger}, err));
  SOTTO_TRY(sotto_i_run_end_ranks(r, err));
done:
  return status;
}

/* Is the task of classes, while the data have only numbers to learn? */
static bool learns_nothing_given(const sotto_i_run *r) {
  return !sotto_i_learns_numbers(r->options) && r->data->numbers != NULL && r->data->labels == NULL;
}

static sotto_status fail_other_task(const sotto_i_run *r, sotto_error *err) {
  return sotto_i_fail(err, SOTTO_INVALID,
                      "%s: has no labels of nodes to learn; it has numbers: learn them with task regression",
                      r->data->name);
}

/* Roles are threads, and the wire's thread runs concurrently: the observer is guarded. */
sotto_status sotto_i_run_train(sotto_result *out, sotto_i_run *r, const sotto_observer *given,
                               const sotto_recorder *recorder, sotto_error *err) {
  SOTTO_I_CANCELLED_BY(given);
  sotto_ranks *ranks = sotto_i_run_ranks(r);
  if (!sotto_i_ranks_first(ranks)) return sotto_i_run_help(out, r, given, err);
  sotto_i_guard guard;
  const sotto_observer observer = sotto_i_guard_begin(&guard, given);
  sotto_status status;
  sotto_i_run_folder folder = {.lock = -1};
  sotto_i_metrics *metrics = NULL;
  sotto_i_seeds_state t = {.out = out, .r = r, .observer = &observer};
  sotto_recorder to_file;
  sotto_dataset paid = *r->data;
  uint64_t none = SOTTO_I_NO_SEED;
  const bool other_task = learns_nothing_given(r);
  sotto_i_forget_other_task(&paid, r->options);
  const sotto_dataset *data = r->data = &paid;
  const double begin = sotto_i_seconds();
  *out = (sotto_result){0};
  r->observer = &observer;
  SOTTO_TRY(sotto_i_metrics_open(&metrics, r->options->out, r->options, recorder, err));
  to_file = sotto_i_metrics_recorder(metrics);
  t.recorder = &to_file;
  SOTTO_TRY(sotto_i_run_folder_open(&folder, r->options->out, err));
  SOTTO_TRY(sotto_i_accounts_take_data(&paid, r->options->out, err));
  SOTTO_TRY(sotto_i_suit_columns(&r->suited, r->options, data, r->party != NULL, r->observer, err));
  if (r->suited != NULL) paid.schema = r->suited;
  if (other_task) SOTTO_TRY(fail_other_task(r, err));
  SOTTO_TRY(check_data(out, r, err));
  SOTTO_TRY(check_run(out, r, err));
  SOTTO_TRY(sotto_i_run_folder_begin(&folder, r->options, r->id, err));
  sotto_i_spill_into(r->options->out);
  SOTTO_TRY(sotto_i_run_keep_data(r, data, err));
  SOTTO_TRY(sotto_i_run_remember(r, r->options->out, err));
  SOTTO_TRY(sotto_i_run_agree(r, err));
  if (r->party != NULL) SOTTO_TRY(sotto_i_party_train(&t, err));
  for (uint64_t i = 0; r->party == NULL && i < r->options->seeds; i++) {
    bool done;
    SOTTO_TRY(seed_is_done(&done, &t, i, err));
    SOTTO_TRY(sotto_i_run_seed(out, r, i, NULL, done, &observer, &to_file, err));
    out->seed_count = i + 1;
  }
  SOTTO_TRY(sotto_i_run_tell_seed(r, &none, err));
  SOTTO_TRY(end_seeds(&t, data, begin, err));
done:
  sotto_i_spill_into(NULL);
  sotto_i_metrics_close(metrics);
  sotto_i_run_folder_close(&folder, status != SOTTO_OK && status != SOTTO_INTERRUPTED);
  sotto_i_run_end(r);
  if (status != SOTTO_OK) sotto_result_free(out);
  if (status != SOTTO_OK) sotto_ranks_fail(ranks, err);
  sotto_i_guard_end(&guard);
  return status;
}

sotto_status sotto_train(sotto_result *out, const sotto_options *options, const sotto_dataset *data,
                         const sotto_observer *observer, const sotto_recorder *recorder, sotto_error *err) {
  sotto_options resolved = *options;
  sotto_options_resolve(&resolved);
  sotto_i_run r = {.options = &resolved, .data = data};
  return sotto_i_run_train(out, &r, observer, recorder, err);
}

sotto_status sotto_train_party(sotto_result *out, const sotto_options *options, const sotto_dataset *data,
                               const uint8_t nodes[32], const sotto_party *party,
                               const sotto_observer *observer, const sotto_recorder *recorder,
                               sotto_error *err) {
  sotto_options resolved = *options;
  sotto_options_resolve(&resolved);
  sotto_i_run r = {.options = &resolved, .data = data, .nodes = nodes, .party = party};
  const sotto_status status = sotto_i_run_train(out, &r, observer, recorder, err);
  if (!sotto_i_ranks_first(party->ranks)) return status; /* rank 0 speaks with the other parties */
  sotto_party_decline(&resolved, party, r.declines, observer);
  return status;
}

/* Is this a rank other than rank 0, which writes the folder? */
static bool is_helper(const sotto_dataset *data) {
  const sotto_i_block *block = sotto_i_block_of(data);
  return block != NULL && !sotto_i_ranks_first(block->ranks);
}

static sotto_status begin_training(sotto_run *run, const sotto_dataset *data, const sotto_observer *observer,
                                   sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (run->phase == SOTTO_I_RUN_DONE)
    return sotto_i_fail(err, SOTTO_INVALID, "the run is done; make another one to train again");
  if (run->phase == SOTTO_I_RUN_BEGUN) {
    run->resolved.resume = true;
    bool alike;
    SOTTO_TRY(sotto_i_data_is_alike(&alike, run->data, data, &run->resolved, err));
    if (!alike)
      return sotto_i_fail(err, SOTTO_INVALID, "the run was begun on other data; go on with the same");
  } else {
    SOTTO_TRY(sotto_i_run_resolve(run, err));
    sotto_options_settle(&run->resolved, data->graph.nodes);
    SOTTO_TRY(sotto_i_choose_measure(&run->resolved, data, err));
    if (!sotto_i_option_given(&run->asked, "feature-scale"))
      SOTTO_TRY(sotto_i_suit_scaling(&run->resolved, data, observer, err));
    SOTTO_TRY(is_helper(data) ? sotto_i_handle_share_folder(run, err)
                              : sotto_i_handle_choose_folder(run, err));
  }
  run->data = data;
  run->phase = SOTTO_I_RUN_BEGUN;
done:
  return status;
}

static void progress(void *context, const char *stage, uint64_t done, uint64_t total, const char *note) {
  const sotto_observer *to = &((sotto_run *)context)->observer;
  to->progress(to->context, stage, done, total, note);
}

static void pass_event(void *context, const sotto_event *event) {
  const sotto_observer *to = &((sotto_run *)context)->observer;
  to->event(to->context, event);
}

static void log_line(void *context, sotto_log_level level, const char *text) {
  const sotto_observer *to = &((sotto_run *)context)->observer;
  to->log(to->context, level, text);
}

static bool cancelled(void *context) {
  sotto_run *run = context;
  const sotto_observer *to = &run->observer;
  return atomic_load(&run->cancel) || (to->cancelled != NULL && to->cancelled(to->context));
}

/* After a refusal the options may be changed. A run that has begun can only be resumed, with the releases
 * that it paid for. */
static void end_failed(sotto_run *run, sotto_status status) {
  bool begun;
  sotto_i_handle_forget_texts(run);
  sotto_result_free(&run->result);
  if (status == SOTTO_INTERRUPTED) atomic_store(&run->cancel, false);
  if (sotto_i_holds_run(&begun, run->folder, NULL) == SOTTO_OK && !begun) {
    sotto_i_handle_forget_folder(run);
    run->phase = SOTTO_I_RUN_OPEN;
  } else {
    (void)sotto_i_handle_read(&run->metrics, run, "metrics.jsonl", NULL);
  }
}

sotto_status sotto_run_train(sotto_run *run, const sotto_dataset *data, const sotto_observer *observer,
                             sotto_error *err) {
  sotto_status status = begin_training(run, data, observer, err);
  if (status != SOTTO_OK) return status;
  run->observer = observer == NULL ? (sotto_observer){0} : *observer;
  const sotto_observer own = {.context = run,
                              .progress = run->observer.progress == NULL ? NULL : progress,
                              .log = run->observer.log == NULL ? NULL : log_line,
                              .event = run->observer.event == NULL ? NULL : pass_event,
                              .cancelled = cancelled};
  sotto_options resolved = run->resolved;
  sotto_options_resolve(&resolved);
  sotto_i_run trained = {.options = &resolved, .data = data};
  sotto_i_handle_forget_texts(run);
  status = sotto_i_run_train(&run->result, &trained, &own, NULL, err);
  run->observer = (sotto_observer){0};
  if (status == SOTTO_OK && !is_helper(data)) status = sotto_i_handle_read_texts(run, err);
  if (status == SOTTO_OK)
    run->phase = SOTTO_I_RUN_DONE;
  else
    end_failed(run, status);
  return status;
}
