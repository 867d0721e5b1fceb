/* The mechanisms of a statement: each planned release, and the charges that were made for it. */
#include <string.h>

#include "dp/inside/dp.h"
#include "dp/mechanisms/mechanism.h"
#include "statement.h"

static const char *const accounts[SOTTO_ACCOUNTS] = {"data", "labels", "label edges"};
static const char *const aggregators[] = {"gin", "mean", "gcn"};

size_t sotto_i_statement_figures(sotto_i_figure out[SOTTO_I_FIGURES], const sotto_mechanism *m,
                                 double epsilon, double mu) {
  const bool sample = (sotto_i_descriptor_of(m->kind)->unstated & SOTTO_I_FIELD_SAMPLE) == 0;
  const sotto_i_figure figures[] = {{"sensitivity", m->sensitivity},
                                    {"steps", (double)m->count},
                                    {"noise", m->noise},
                                    {"rate", m->rate},
                                    {"population", (double)m->population},
                                    {"batch", (double)m->batch},
                                    {"sample", sample ? (double)m->sample : 0},
                                    {"degree", sample ? (double)m->degree : 0},
                                    {"lipschitz", m->lipschitz},
                                    {"epsilon", epsilon},
                                    {"mu", mu}};
  _Static_assert(sizeof figures == SOTTO_I_FIGURES * sizeof *figures, "one place for each figure");
  memcpy(out, figures, sizeof figures);
  return SOTTO_I_FIGURES;
}

static void add_numbers(json_t *object, const sotto_cost_item *item) {
  const sotto_mechanism *m = &item->mechanism;
  const sotto_i_descriptor *d = sotto_i_descriptor_of(m->kind);
  sotto_i_figure figures[SOTTO_I_FIGURES];
  const size_t count = sotto_i_statement_figures(figures, m, item->epsilon, item->mu);
  for (size_t i = 0; i < count; i++)
    if (figures[i].value > 0 && json_object_get(object, figures[i].name) == NULL)
      json_object_set_new(object, figures[i].name, json_real(figures[i].value));
  if (d->fields & ~d->unstated & SOTTO_I_FIELD_LAYERS)
    json_object_set_new(object, "layers", json_integer((json_int_t)m->layers));
}

/* Of a release of layers: how they were made. */
static void add_layers(json_t *object, const sotto_result *r) {
  const sotto_pmp_plan *plan = &r->plan;
  if (r->contractive) {
    const sotto_contractive_options *c = &r->contractive_plan.options;
    json_object_set_new(object, "contraction", json_real(c->contraction));
    json_object_set_new(object, "graph_weight", json_real(c->graph_weight));
    json_object_set_new(object, "residual", json_real(c->residual));
    json_object_set_new(object, "degree_floor", json_integer((json_int_t)c->degree_floor));
  } else {
    json_object_set_new(object, "layers", json_integer((json_int_t)plan->options.layers));
    json_object_set_new(object, "degree_floor", json_integer((json_int_t)plan->options.degree_floor));
  }
  json_object_set_new(object, "aggregator",
                      json_string(r->contractive ? "gcn" : aggregators[plan->options.aggregator]));
  json_object_set_new(object, "grid_step",
                      json_real(r->contractive ? r->contractive_plan.grid.step : plan->grid.step));
}

static json_t *mechanism(const sotto_report *report, size_t number) {
  const sotto_result *r = report->result;
  const sotto_cost_item *item = &r->cost.items[number];
  const uint64_t times = item->times == 0 ? 1 : item->times;
  const bool here = r->cost.accounts[item->account].here;
  json_t *object =
      json_pack("{s:s,s:s,s:s,s:s,s:f,s:I,s:I,s:o}", "mechanism", sotto_mechanism_name(item->mechanism.kind),
                "what", item->what, "account", accounts[item->account], "adjacency",
                item->adjacency != NULL ? item->adjacency : r->cost.adjacency, "sensitivity",
                item->mechanism.sensitivity, "steps", (json_int_t)item->mechanism.count, "releases_planned",
                (json_int_t)(times * (item->once ? 1 : r->seed_count)), "releases_made",
                here ? json_integer((json_int_t)r->made.count[number]) : json_null());
  if (object == NULL) return NULL;
  add_numbers(object, item);
  if (!r->central && item->account != SOTTO_ACCOUNT_LABELS) add_layers(object, r);
  return object;
}

json_t *sotto_i_statement_mechanisms(const sotto_report *report) {
  json_t *list = json_array();
  for (size_t i = 0; i < report->result->cost.count; i++) json_array_append_new(list, mechanism(report, i));
  return list;
}
