/* A training as one party of several: what the engine of parties asks of a run, as callbacks. */
#include "party_train.h"

#include "base/error.h"
#include "base/progress.h"
#include "choice.h"
#include "inside/graph.h"
#include "run/parties/party_roles.h"
#include "run/parties/party_run.h"
#include "run/settings/options.h"
#include "run/settings/suit.h"
#include "run/storage/facts_file.h"

static sotto_status party_seed(void *context, uint64_t index, const sotto_i_seat *seat, bool taken_over,
                               sotto_error *err) {
  sotto_i_seeds_state *t = context;
  sotto_status status =
      sotto_i_run_seed(t->out, t->r, index, seat, taken_over, t->observer, t->recorder, err);
  if (status == SOTTO_OK) t->out->seed_count = index + 1;
  return status;
}

static sotto_status party_folder(void *context, char **out, uint64_t index, sotto_error *err) {
  return sotto_i_seed_folder(out, ((sotto_i_seeds_state *)context)->r, index, err);
}

static sotto_status party_choose(void *context, sotto_link *link, sotto_error *err) {
  sotto_i_seeds_state *t = context;
  return sotto_i_choice_settle(&t->best, t->r, t->out, link, err);
}

static sotto_status party_chosen(void *context, sotto_error *err) {
  sotto_i_seeds_state *t = context;
  return sotto_i_choice_load(&t->best, t->r->options, err);
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
static sotto_status plan_by_facts(sotto_i_seeds_state *t, sotto_error *err) {
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
  own_facts(own, ((sotto_i_seeds_state *)context)->r);
}

static sotto_status party_naming(void *context, sotto_i_naming *own, sotto_error *err) {
  const sotto_i_run *r = ((sotto_i_seeds_state *)context)->r;
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
  sotto_i_run *r = ((sotto_i_seeds_state *)context)->r;
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
  return ((sotto_i_seeds_state *)context)->r->data;
}

static sotto_status party_suited(void *context, const double *all, sotto_error *err) {
  sotto_i_run *r = ((sotto_i_seeds_state *)context)->r;
  sotto_schema_free(r->suited);
  r->suited = NULL;
  const sotto_status status = sotto_i_suit_together(&r->suited, all, r->data, r->observer, err);
  if (status == SOTTO_OK && r->suited != NULL) r->arranged.view.schema = r->suited;
  return status;
}

static sotto_status receive_facts(void *context, const sotto_i_facts *facts, sotto_error *err) {
  sotto_i_seeds_state *t = context;
  t->r->facts = *facts;
  if (sotto_i_party_has_data(t->r->party)) return sotto_i_facts_save(facts, t->r->options, err);
  sotto_status status = plan_by_facts(t, err);
  return status == SOTTO_OK ? sotto_i_facts_save(facts, t->r->options, err) : status;
}

/* A server that resumes a finished run meets no party, but must state the same plan. */
static sotto_status plan_again(sotto_i_seeds_state *t, sotto_error *err) {
  if (t->planned || sotto_i_party_has_data(t->r->party)) return SOTTO_OK;
  sotto_status status = sotto_i_facts_load(&t->r->facts, t->r->options->out, err);
  return status == SOTTO_OK ? plan_by_facts(t, err) : status;
}

static uint32_t party_best(void *context) {
  const sotto_i_seeds_state *t = context;
  const sotto_result *result = t->out;
  if (!sotto_i_choice_free(t->r)) return 1;
  if (result->seed_count == 0 || !sotto_i_measured(&result->seeds[0].validation)) return 0;
  return (uint32_t)sotto_i_choice_best(result, t->r->options) + 1;
}

static sotto_status party_keep(void *context, uint32_t number, sotto_error *err) {
  sotto_i_seeds_state *t = context;
  if (number < 1 || number > t->r->options->seeds)
    return sotto_i_fail(err, SOTTO_PROTOCOL, "training %u is chosen, of %llu", (unsigned)number,
                        (unsigned long long)t->r->options->seeds);
  t->best = number - 1;
  return sotto_i_choice_save(t->best, t->r->options, err);
}

sotto_status sotto_i_party_train(sotto_i_seeds_state *t, sotto_error *err) {
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
