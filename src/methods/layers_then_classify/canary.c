/* The canary of nodes for methods that release sums at node level. */
#include "audit/canary.h"

#include "central.h"
#include "run/train/run.h"

/* The plan is raw, as for layers; statistics read one layer if the others are hidden. */
sotto_status sotto_i_central_node_canary(sotto_i_canary *c, const sotto_i_run *run, unsigned kind,
                                         sotto_error *err) {
  const sotto_i_job job = {.options = &c->options, .data = run->data, .seed = c->options.seed};
  sotto_i_world planned = {.inputs = {0}};
  size_t item;
  (void)kind;
  sotto_status status =
      sotto_i_central_node_release(&planned.plan, &planned.contractive, &c->is_contractive, &item, &job, err);
  if (status != SOTTO_OK) return status;
  c->one_shot = c->is_contractive;
  c->releases = 1;
  c->stated.mu = run->cost.items[item].mu;
  status = sotto_gdp_epsilon(&c->stated.epsilon, c->stated.mu, c->options.delta, err);
  if (status != SOTTO_OK) return status;
  planned.plan.options.raw = !c->one_shot;
  planned.plan.options.activation = SOTTO_ACTIVATION_NONE;
  sotto_i_canary_layers(c);
  return sotto_i_canary_node(c, &planned, sotto_i_canary_leaves(&c->options), true, c->options.hidden, err);
}
