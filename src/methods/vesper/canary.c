/* The canary of nodes for two parties. */
#include "audit/canary.h"

#include <math.h>

#include "base/memory.h"
#include "run/train/run.h"
#include "vesper.h"

/* Noisy own rows, without a graph, and the layers: what is stated covers both. */
sotto_status sotto_i_vesper_node_canary(sotto_i_canary *c, const sotto_i_run *run, unsigned kind,
                                        sotto_error *err) {
  const sotto_i_job job = {.options = &c->options, .data = run->data, .seed = c->options.seed};
  const size_t cols = sotto_i_released_width(&c->options);
  sotto_i_world rows = {.inputs = {0}}, layers = {.inputs = {0}};
  sotto_status status;
  (void)kind;
  c->whole = true;
  SOTTO_TRY(sotto_i_vesper_node_releases(&rows.plan, &layers.plan, &job, err));
  rows.plan.options.raw = layers.plan.options.raw = true;
  rows.plan.options.activation = layers.plan.options.activation = SOTTO_ACTIVATION_NONE;
  c->releases = 1;
  c->stated.mu = 0; /* the whole run is Gaussian, item by item */
  for (size_t i = 0; i < run->cost.count; i++) c->stated.mu = hypot(c->stated.mu, run->cost.items[i].mu);
  sotto_i_canary_layers(c);
  SOTTO_TRY(sotto_i_canary_node(c, &layers, sotto_i_canary_leaves(&c->options), true, cols, err));
  SOTTO_TRY(sotto_i_new(&c->beside, 1, sizeof *c->beside, err));
  c->beside->options = c->options;
  SOTTO_TRY(sotto_i_canary_node(c->beside, &rows, 1, false, cols, err));
done:
  return status;
}
