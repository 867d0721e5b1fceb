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
#include "inside/base.h"
#include "inside/graph.h"
#include "published.h"
#include "ranks.h"
#include "run.h"
#include "run/parties/party_roles.h"
#include "run/parties/party_run.h"
#include "run/parties/roles.h"
#include "run/settings/options.h"
#include "run/settings/suit.h"
#include "run/statement/result.h"
#include "run/storage/accounts_file.h"
#include "run/storage/begun.h"
#include "run/storage/checkpoints.h"
#include "run/storage/facts_file.h"
#include "run/storage/metrics.h"
#include "run/storage/run_folder.h"
#include "run/storage/schema_file.h"
#include "run/storage/seed_file.h"

static sotto_status seed_folder(char **out, const sotto_i_run *r, uint64_t index, sotto_error *err) {
  char name[40];
  (void)snprintf(name, sizeof name, "seed-%llu", (unsigned long long)(r->options->seed + index));
  return sotto_i_join(out, r->options->out, name, err);
}

/* Runs one seed, or reads the result of a finished one (`taken_over`). */
static sotto_status run_seed(sotto_result *out, const sotto_i_run *r, uint64_t index,
                             const sotto_i_seat *seat, bool taken_over, const sotto_observer *observer,
                             const sotto_recorder *recorder, sotto_error *err) {
  const sotto_options *o = r->options;
  sotto_i_outcome outcome = {.exposure_count = 0};
  char *folder = NULL;
  sotto_status status;
  SOTTO_TRY(seed_folder(&folder, r, index, err));
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

/* State shared by the callbacks of a party's run. */
typedef struct training {
  sotto_result *out;
  sotto_i_run *r;
  const sotto_observer *observer;
  const sotto_recorder *recorder;
  size_t best;  /* of a party's seeds, as chosen by the label party */
  bool planned; /* by a server, which first needs the facts of the data */
} training;

static sotto_status party_seed(void *context, uint64_t index, const sotto_i_seat *seat, bool taken_over,
                               sotto_error *err) {
  training *t = context;
  sotto_status status = run_seed(t->out, t->r, index, seat, taken_over, t->observer, t->recorder, err);
  if (status == SOTTO_OK) t->out->seed_count = index + 1;
  return status;
}

static sotto_status party_folder(void *context, char **out, uint64_t index, sotto_error *err) {
  return seed_folder(out, ((training *)context)->r, index, err);
}

static sotto_status party_choose(void *context, sotto_link *link, sotto_error *err) {
  training *t = context;
  return sotto_i_choice_settle(&t->best, t->r, t->out, link, err);
}

static sotto_status party_chosen(void *context, sotto_error *err) {
  training *t = context;
  return sotto_i_choice_load(&t->best, t->r->options, err);
}

/* Number of feature columns that the model reads. For graphs without features the method makes some. */
static size_t inputs_of(const sotto_i_run *r, const sotto_dataset *data) {
  size_t (*const inputs)(const sotto_dataset *) = sotto_i_method_of(r->options)->inputs;
  return data->graph_count > 0 && inputs != NULL ? inputs(data) : data->features.cols;
}

/* The public numbers that this party knows itself. */
static void own_facts(sotto_i_facts *out, const sotto_i_run *r) {
  size_t (*const inputs)(const sotto_dataset *) = sotto_i_method_of(r->options)->inputs;
  const sotto_dataset *d = r->data;
  bool graphs = d->graph_count > 0;
  *out = (sotto_i_facts){{0}};
  if (!sotto_i_party_has_data(r->party)) return;
  out->words[SOTTO_I_FACT_CLASSES] = graphs ? d->graph_classes : d->classes;
  if (r->party->role == SOTTO_ROLE_HOLDER) {
    out->words[SOTTO_I_FACT_NODES] = (uint32_t)d->graph.nodes;
    return;
  }
  out->words[SOTTO_I_FACT_INPUTS] = (uint32_t)(inputs == NULL ? d->features.cols : inputs(d));
  out->words[SOTTO_I_FACT_KIND] = graphs ? 2 : 1;
}

/* A server plans once it knows the number of nodes. */
static sotto_status plan_by_facts(training *t, sotto_error *err) {
  sotto_i_run *r = t->r;
  r->told.graph.nodes = r->facts.words[SOTTO_I_FACT_NODES];
  r->told.classes = r->facts.words[SOTTO_I_FACT_CLASSES];
  t->planned = true;
  const sotto_status status = sotto_i_run_plan(r, err);
  if (status != SOTTO_OK) return status;
  sotto_i_run_tell_published(r);
  sotto_i_run_tell_planned(r);
  return status;
}

static void party_facts(void *context, sotto_i_facts *own) {
  own_facts(own, ((training *)context)->r);
}

static sotto_status party_naming(void *context, sotto_i_naming *own, sotto_error *err) {
  const sotto_i_run *r = ((training *)context)->r;
  size_t (*const inputs)(const sotto_dataset *) = sotto_i_method_of(r->options)->inputs;
  const sotto_dataset *d = r->unarranged == NULL ? r->data : r->unarranged;
  *own = (sotto_i_naming){0};
  if (!sotto_i_party_has_data(r->party)) return SOTTO_OK;
  *own = sotto_i_naming_of(d, inputs == NULL ? d->features.cols : inputs(d), r->options->classes > 0);
  own->suited = sotto_i_offers_statistics(r->options, d);
  return sotto_i_naming_scaling(own->scaling, d, err);
}

/* A mean is this client's own, of its training nodes, and is not sent. */
static void log_fills(const sotto_i_run *r, const sotto_dataset *own) {
  const sotto_schema *s = own->schema;
  const char *first = NULL;
  uint64_t means = 0;
  for (uint64_t j = 0; s != NULL && j < s->column_count; j++) {
    if (s->columns[j].feature_count == 0 || s->columns[j].missing != SOTTO_MISSING_MEAN) continue;
    if (means++ == 0) first = s->columns[j].name;
  }
  if (means > 0)
    sotto_i_log(
        r->observer, SOTTO_LOG_INFO,
        "missing cells of '%.60s'%s are filled with the mean of this client's own training nodes, which "
        "no other client receives",
        first, means > 1 ? " and other columns" : "");
}

static void log_arranged(const sotto_i_run *r, const sotto_i_naming *own, const sotto_i_naming *agreed) {
  if (agreed->columns > own->columns)
    sotto_i_log(r->observer, SOTTO_LOG_INFO,
                "columns: other clients have %llu words of categories that this table lacks; they are 0 here",
                (unsigned long long)(agreed->columns - own->columns));
  if (own->classes > 0 && agreed->classes > own->classes)
    sotto_i_log(r->observer, SOTTO_LOG_INFO,
                "classes: all clients together have %u, and this table has examples of %u",
                (unsigned)agreed->classes, (unsigned)own->classes);
}

static sotto_status party_named(void *context, const sotto_i_naming *agreed, sotto_error *err) {
  sotto_i_run *r = ((training *)context)->r;
  sotto_i_arranged now = {0};
  sotto_i_naming own;
  if (!sotto_i_party_has_data(r->party)) return SOTTO_OK;
  if (r->unarranged == NULL) r->unarranged = r->data;
  sotto_status status = party_naming(context, &own, err);
  if (status == SOTTO_OK) status = sotto_i_dataset_arrange(&now, r->unarranged, agreed, err);
  if (status != SOTTO_OK) return status;
  log_arranged(r, &own, agreed);
  log_fills(r, r->unarranged);
  sotto_i_arranged_free(&r->arranged);
  r->arranged = now;
  r->data = &r->arranged.view;
  return SOTTO_OK;
}

static const sotto_dataset *party_arranged(void *context) {
  return ((training *)context)->r->data;
}

static sotto_status party_suited(void *context, const double *all, sotto_error *err) {
  sotto_i_run *r = ((training *)context)->r;
  sotto_schema_free(r->suited);
  r->suited = NULL;
  const sotto_status status = sotto_i_suit_together(&r->suited, all, r->data, r->observer, err);
  if (status == SOTTO_OK && r->suited != NULL) r->arranged.view.schema = r->suited;
  return status;
}

static sotto_status receive_facts(void *context, const sotto_i_facts *facts, sotto_error *err) {
  training *t = context;
  t->r->facts = *facts;
  if (sotto_i_party_has_data(t->r->party)) return sotto_i_facts_save(facts, t->r->options, err);
  sotto_status status = plan_by_facts(t, err);
  return status == SOTTO_OK ? sotto_i_facts_save(facts, t->r->options, err) : status;
}

/* A server that resumes a finished run meets no party, but must state the same plan. */
static sotto_status plan_again(training *t, sotto_error *err) {
  if (t->planned || sotto_i_party_has_data(t->r->party)) return SOTTO_OK;
  sotto_status status = sotto_i_facts_load(&t->r->facts, t->r->options->out, err);
  return status == SOTTO_OK ? plan_by_facts(t, err) : status;
}

static uint32_t party_best(void *context) {
  const training *t = context;
  const sotto_result *result = t->out;
  if (!sotto_i_choice_free(t->r)) return 1;
  if (result->seed_count == 0 || !sotto_i_measured(&result->seeds[0].validation)) return 0;
  return (uint32_t)sotto_i_choice_best(result, t->r->options) + 1;
}

static sotto_status party_keep(void *context, uint32_t number, sotto_error *err) {
  training *t = context;
  if (number < 1 || number > t->r->options->seeds)
    return sotto_i_fail(err, SOTTO_PROTOCOL, "training %u is chosen, of %llu", (unsigned)number,
                        (unsigned long long)t->r->options->seeds);
  t->best = number - 1;
  return sotto_i_choice_save(t->best, t->r->options, err);
}

static sotto_status choose_model(training *t, sotto_error *err) {
  const sotto_i_run *r = t->r;
  size_t best = t->best;
  if (r->party == NULL && sotto_i_choice_free(r)) best = sotto_i_choice_best(t->out, r->options);
  if (sotto_i_choice_asked(r)) sotto_i_choice_note(t->out, r);
  return sotto_i_choice_keep_model(t->out, r, best, err);
}

static sotto_status party_seeds(training *t, sotto_error *err) {
  const bool several = sotto_i_party_of_several(t->r->party, t->r->options),
             clients = sotto_i_has_clients(t->r->options);
  const sotto_i_party_run party = {.options = t->r->options,
                                   .party = t->r->party,
                                   .nodes = t->r->nodes,
                                   .observer = t->observer,
                                   .context = t,
                                   .seed = party_seed,
                                   .folder = party_folder,
                                   .choose = sotto_i_choice_asked(t->r) ? party_choose : NULL,
                                   .chosen = party_chosen,
                                   .naming = several && clients ? party_naming : NULL,
                                   .named = party_named,
                                   .arranged = party_arranged,
                                   .suited = party_suited,
                                   .facts = party_facts,
                                   .learnt = receive_facts,
                                   .best = party_best,
                                   .keep = party_keep};
  const sotto_status status = sotto_i_party_seeds(&party, err);
  return status == SOTTO_OK ? plan_again(t, err) : status;
}

/* Is this seed already done in a resumed run? All ranks get the answer. */
static sotto_status seed_is_done(bool *done, const training *t, uint64_t index, sotto_error *err) {
  const sotto_options *o = t->r->options;
  char *folder = NULL;
  sotto_i_progress(t->observer, "seed", index, o->seeds, NULL);
  const sotto_status status = seed_folder(&folder, t->r, index, err);
  if (status != SOTTO_OK) return status;
  *done = o->resume && sotto_i_seed_file_exists(folder);
  sotto_i_free(folder);
  return sotto_i_ranks_give(sotto_i_run_ranks(t->r), done, sizeof *done, err);
}

static bool is_server(const sotto_i_run *r) {
  return r->party != NULL && !sotto_i_party_has_data(r->party);
}

/* Checks the options, and the data against them. Other parties do not learn that private data exceed a bound;
 * r->declines has the reasons that they do learn. */
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
  if (r->data->features.cols == 0 && sotto_i_run_owns_edges(r) && !sotto_i_has_clients(r->options)) {
    r->declines = SOTTO_DECLINE_TABLE;
    return sotto_i_fail(err, SOTTO_INVALID, "%s: its nodes have no features to learn from", r->data->name);
  }
  SOTTO_TRY(sotto_i_run_check_table(r, err));
  SOTTO_TRY(sotto_i_run_check_domain(r, err));
  status = sotto_i_run_check_words(r, err);
  if (status != SOTTO_OK) r->declines = SOTTO_DECLINE_TABLE;
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
static sotto_status end_seeds(training *t, const sotto_dataset *data, double begin, sotto_error *err) {
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
  training t = {.out = out, .r = r, .observer = &observer};
  sotto_recorder to_file;
  sotto_dataset paid = *r->data;
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
  if (r->party != NULL) SOTTO_TRY(party_seeds(&t, err));
  for (uint64_t i = 0; r->party == NULL && i < r->options->seeds; i++) {
    bool done;
    SOTTO_TRY(seed_is_done(&done, &t, i, err));
    SOTTO_TRY(run_seed(out, r, i, NULL, done, &observer, &to_file, err));
    out->seed_count = i + 1;
  }
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
  sotto_party_decline(&resolved, party, r.declines, observer);
  return status;
}
