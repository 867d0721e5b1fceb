/* A release in the privacy statement, by the descriptor of its mechanism. */
#include "stated.h"

#include <string.h>

#include "dp/mechanisms/mechanism.h"

static const char *const accounts[SOTTO_ACCOUNTS] = {"data", "labels", "label edges"};

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

json_t *sotto_i_item_stated(const sotto_cost *cost, size_t number, uint64_t planned, const uint64_t *made) {
  const sotto_cost_item *item = &cost->items[number];
  json_t *object = json_pack(
      "{s:s,s:s,s:s,s:s,s:f,s:I,s:I,s:o}", "mechanism", sotto_mechanism_name(item->mechanism.kind), "what",
      item->what, "account", accounts[item->account], "adjacency",
      item->adjacency != NULL ? item->adjacency : cost->adjacency, "sensitivity", item->mechanism.sensitivity,
      "steps", (json_int_t)item->mechanism.count, "releases_planned", (json_int_t)planned, "releases_made",
      made != NULL ? json_integer((json_int_t)*made) : json_null());
  if (object != NULL) add_numbers(object, item);
  return object;
}
