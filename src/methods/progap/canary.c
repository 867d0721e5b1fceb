/* Canaries of ProGAP: the K releases of a run, each of the same rows. This is a run whose embeddings follow
 * from features alone, so that the change is the same in every stage. */
#include "audit/canary.h"

#include <math.h>

#include "progap.h"
#include "run/train/run.h"

/* Rows are compared directly after their noise. Scaling comes later and reveals nothing more. */
static void set_releases(sotto_i_canary *c, sotto_pmp_plan *plan) {
  plan->options.raw = true;
  c->releases = c->options.layers;
  sotto_i_canary_layers(c);
}

sotto_status sotto_i_progap_canary(sotto_i_canary *c, const sotto_i_run *run, unsigned kind,
                                   sotto_error *err) {
  enum { most_leaves = 256 };
  const sotto_options *o = &c->options;
  const sotto_i_job job = {.options = o, .data = run->data, .seed = o->seed};
  const uint64_t leaves = kind == SOTTO_I_CANARY_STARS ? (uint64_t)o->degree_floor : 0;
  sotto_i_world planned = {.inputs = {0}};
  sotto_status status = sotto_i_progap_edge_plan(&planned.plan, &job, err);
  if (status != SOTTO_OK) return status;
  set_releases(c, &planned.plan);
  return sotto_i_canary_stars(c, &planned, (uint32_t)(leaves < most_leaves ? leaves : most_leaves), o->hidden,
                              err);
}

/* The releases alone, against their share of the budget. */
sotto_status sotto_i_progap_node_canary(sotto_i_canary *c, const sotto_i_run *run, unsigned kind,
                                        sotto_error *err) {
  const sotto_options *o = &c->options;
  const sotto_i_job job = {.options = o, .data = run->data, .seed = o->seed};
  sotto_i_world planned = {.inputs = {0}};
  (void)kind;
  sotto_status status = sotto_i_progap_node_plan(&planned.plan, &job, err);
  if (status != SOTTO_OK) return status;
  c->stated.mu = planned.plan.mu * sqrt((double)o->layers);
  status = sotto_gdp_epsilon(&c->stated.epsilon, c->stated.mu, o->delta, err);
  if (status != SOTTO_OK) return status;
  set_releases(c, &planned.plan);
  return sotto_i_canary_node(c, &planned, sotto_i_canary_leaves(o), true, o->hidden, err);
}
