/* How each step of a run stands at each place, from the facts of a method's table entry. */
#include "matrix.h"

#include <stddef.h>

static const char
    no_answers[] = "its models do not answer queries yet",
    node_level[] = "models at node level do not answer queries yet",
    no_release[] = "releases of other data are not made for its models yet",
    under_paper[] = "releases of other data are made under sound accounting alone",
    own_nodes[] =
        "its parties answer about the nodes that it was trained on: no release of other data is made at "
        "node level",
    whole_graph[] = "holds the whole graph in one process",
    no_attack[] = "no attack fits: its models do not answer queries, and it has no canary",
    apart[] = "its parties do not answer together yet",
    no_attack_on_graphs[] = "no attack fits: its models answer about whole graphs, and no noise is tested",
    no_attack_on_numbers[] = "no attack fits: its models predict numbers, and no noise is tested",
    no_attack_of_one[] = "no attack fits: each party has a part of the model, and it has no canary",
    one_owner[] = "it has one owner, so it has no parties",
    comparison[] = "it is a comparison in which nothing passes between clients",
    one_reader[] = "a finished run is read by one process, whatever it was trained on",
    whole_answers[] = "its answers are computed in one process, which holds all of the data";

sotto_i_case sotto_i_case_of(const sotto_options *options) {
  return (sotto_i_case){sotto_i_method_of(options), sotto_i_variant_of(options),
                        sotto_i_adjacency_bit(options)};
}

/* Does a run of this case have noise by default? */
static bool is_noisy(const sotto_i_case *c) {
  return sotto_i_variant_has_noise(c->variant) && c->adjacency != SOTTO_I_NONE;
}

static bool is_of_clients(const sotto_i_case *c) {
  return c->method->topology == SOTTO_CLIENTS_AND_SERVER;
}

const char *sotto_i_unanswered(const sotto_i_case *c) {
  if (c->method->open == NULL) return no_answers;
  return c->adjacency == SOTTO_I_NODE && !c->variant->own_rows ? node_level : c->variant->unanswered;
}

const char *sotto_i_unreleased(const sotto_i_case *c) {
  if (c->method->narrow == NULL) return no_release;
  if (c->variant->unreleased != NULL) return c->variant->unreleased;
  const bool published = (c->variant->accountings & SOTTO_I_PAPER) != 0;
  return published && !c->variant->released_as_published ? under_paper : NULL;
}

const char *sotto_i_own_alone(const sotto_i_case *c) {
  return c->variant->own_alone;
}

const char *sotto_i_together_alone(const sotto_i_variant *variant, bool noisy) {
  if (variant->other_sends[0] != NULL && (noisy || variant->other_bare)) return NULL;
  return (variant->accountings & SOTTO_I_PAPER) != 0 ? under_paper : own_nodes;
}

const char sotto_i_served_graphs[] =
    "answers read whole graphs without noise, and a service would give them to others";
const char sotto_i_served_rows[] =
    "answers read rows of features without noise, and a service would give them to others";

static bool answers_about_graphs(const sotto_i_case *c) {
  return c->method->items != NULL && (!c->method->nodes_too || c->adjacency == SOTTO_I_GRAPH);
}

static const char *unserved(const sotto_i_case *c) {
  const char *why = sotto_i_unanswered(c);
  if (why == NULL && c->adjacency == SOTTO_I_NODE) return sotto_i_served_rows;
  return why == NULL && answers_about_graphs(c) && c->adjacency != SOTTO_I_NONE ? sotto_i_served_graphs : why;
}

/* The model of a federation answers about other data without a release, as about a client's own data. */
static const char *new_in_one_process(const sotto_i_case *c) {
  const char *why = sotto_i_unanswered(c);
  if (why != NULL) return why;
  const bool releases = is_noisy(c) && !is_of_clients(c) && c->adjacency != SOTTO_I_NODE;
  return releases ? sotto_i_unreleased(c) : sotto_i_own_alone(c);
}

static bool has_canary(const sotto_i_case *c) {
  return c->adjacency != SOTTO_I_NONE && c->variant->canaries != 0;
}

/* Attacks need predicted classes of nodes. A canary needs noise, and so does a release whose numbers are
 * tested. */
static const char *audit(const sotto_i_case *c) {
  if (has_canary(c)) return NULL;
  if (c->variant->numbers) return is_noisy(c) ? NULL : no_attack_on_numbers;
  if (answers_about_graphs(c)) return no_attack_on_graphs;
  return sotto_i_unanswered(c) == NULL ? NULL : no_attack;
}

static const char *in_one_process(const sotto_i_case *c, sotto_step step) {
  switch (step) {
  case SOTTO_STEP_RESUME:
    return is_noisy(c) ? c->variant->begins_anew : NULL;
  case SOTTO_STEP_PREDICT_OWN:
    return sotto_i_unanswered(c);
  case SOTTO_STEP_SERVE:
    return unserved(c);
  case SOTTO_STEP_PREDICT_NEW:
    return new_in_one_process(c);
  case SOTTO_STEP_AUDIT:
    return audit(c);
  case SOTTO_STEP_TRAIN:
  case SOTTO_STEP_REPORT:
    break;
  }
  return NULL;
}

const char *sotto_i_unanswered_together(const sotto_i_variant *variant) {
  return variant->answer == NULL ? apart : NULL;
}

/* A client has the whole model, and answers by itself. */
static const char *of_client(const sotto_i_case *c, sotto_step step) {
  const char *why = sotto_i_unanswered(c);
  if (step == SOTTO_STEP_AUDIT) return audit(c);
  if (step == SOTTO_STEP_SERVE) return unserved(c);
  return why == NULL && step == SOTTO_STEP_PREDICT_NEW ? c->variant->own_alone : why;
}

/* Parties with a part of the model each answer together. */
static const char *of_part(const sotto_i_case *c, sotto_step step) {
  const char *why = sotto_i_unanswered_together(c->variant);
  if (step == SOTTO_STEP_AUDIT) return has_canary(c) ? NULL : no_attack_of_one;
  if (why != NULL) return why;
  return step == SOTTO_STEP_PREDICT_NEW ? sotto_i_together_alone(c->variant, is_noisy(c)) : NULL;
}

static const char *between_parties(const sotto_i_case *c, sotto_step step) {
  if (step == SOTTO_STEP_TRAIN || step == SOTTO_STEP_REPORT) return NULL;
  if (step == SOTTO_STEP_RESUME) return is_noisy(c) ? c->variant->begins_anew : NULL;
  return is_of_clients(c) ? of_client(c, step) : of_part(c, step);
}

static sotto_i_standing of_parties(const sotto_i_case *c, sotto_step step) {
  if (c->method->topology == SOTTO_ONE_OWNER || c->variant->one_owner)
    return (sotto_i_standing){.why = one_owner};
  if (c->method->apart) return (sotto_i_standing){.why = comparison};
  return (sotto_i_standing){true, between_parties(c, step)};
}

static bool runs_over_ranks(const sotto_i_method *method) {
  for (size_t i = 0; i < method->variant_count; i++)
    if (method->variants[i].ranks) return true;
  return false;
}

/* Ranks answer row by row from a release that was kept: without noise counts of the run's own data are. */
static const char *answered_by_ranks(const sotto_i_case *c, sotto_step step) {
  const char *why = in_one_process(c, step);
  if (why != NULL) return why;
  const bool from_release =
      is_noisy(c) || !c->variant->edges || (step == SOTTO_STEP_PREDICT_OWN && !c->method->central);
  return c->variant->ranks && from_release ? NULL : whole_answers;
}

/* Ranks share a training, an audit and predictions. A service is one process. */
static sotto_i_standing over_ranks(const sotto_i_case *c, sotto_step step) {
  const bool predicts = step == SOTTO_STEP_PREDICT_OWN || step == SOTTO_STEP_PREDICT_NEW;
  if (step == SOTTO_STEP_AUDIT) return (sotto_i_standing){true, audit(c)};
  if (predicts && runs_over_ranks(c->method)) return (sotto_i_standing){true, answered_by_ranks(c, step)};
  if (step != SOTTO_STEP_TRAIN && step != SOTTO_STEP_RESUME) return (sotto_i_standing){.why = one_reader};
  return (sotto_i_standing){true, c->variant->ranks ? NULL : whole_graph};
}

sotto_i_standing sotto_i_standing_of(const sotto_i_case *c, sotto_step step, sotto_place place) {
  switch (place) {
  case SOTTO_PLACE_PARTIES:
    return of_parties(c, step);
  case SOTTO_PLACE_RANKS:
    return over_ranks(c, step);
  case SOTTO_PLACE_ONE_PROCESS:
    break;
  }
  return (sotto_i_standing){true, in_one_process(c, step)};
}
