/* Predictions from a table of all nodes' class probabilities. */
#include <stdio.h>
#include <string.h>

#include "common/memory.h"
#include "sotto/model.h"
#include "source.h"

typedef struct table {
  size_t classes;
  float *rows; /* nodes x classes; constant after loading */
} table;

static sotto_status look_up(void *context, float *out, const uint32_t *nodes, size_t count, size_t classes,
                            sotto_error *err) {
  const table *t = context;
  (void)err;
  for (size_t i = 0; i < count; i++)
    memcpy(out + i * classes, t->rows + (size_t)nodes[i] * classes, classes * sizeof *out);
  return SOTTO_OK;
}

static void free_table(void *context) {
  table *t = context;
  if (t == NULL) return;
  free(t->rows);
  free(t);
}

static void read_facts(serve_facts *facts, const sotto_model *model) {
  const sotto_options *options = sotto_model_run(model);
  (void)snprintf(facts->method, sizeof facts->method, "%.63s", options->method);
  (void)snprintf(facts->adjacency, sizeof facts->adjacency, "%.15s",
                 sotto_adjacency_name(options->adjacency));
}

sotto_status serve_table_open(serve_source *out, serve_facts *facts, const char *run, uint64_t seed,
                              sotto_error *err) {
  sotto_model *model = NULL;
  table *t = NULL;
  sotto_alerts alerts = {.class_number = -1};
  bool has_alerts = false;
  serve_names ids = {.names = NULL}, class_names = {.names = NULL};
  sotto_status status;
  const sotto_model_options options = {.seed = seed};
  *out = (serve_source){.nodes = 0};
  SOTTO_TRY(sotto_model_open(&model, run, NULL, &options, err));
  SOTTO_TRY(app_new(&t, 1, sizeof *t, err));
  const size_t nodes = (size_t)sotto_model_data(model)->graph.nodes;
  t->classes = sotto_model_classes(model);
  SOTTO_TRY(app_new(&t->rows, nodes, t->classes * sizeof *t->rows, err));
  SOTTO_TRY(sotto_model_predict(model, t->rows, nodes * t->classes, NULL, nodes, err));
  SOTTO_TRY(serve_names_copy(&ids, &sotto_model_data(model)->node_ids, true, err));
  SOTTO_TRY(serve_names_copy(&class_names, sotto_model_class_names(model), false, err));
  read_facts(facts, model);
  SOTTO_TRY(sotto_alerts_read(&alerts, &has_alerts, run,
                              seed == SOTTO_UNSET ? sotto_model_run(model)->seed : seed, err));
  has_alerts = has_alerts && (size_t)alerts.class_number < t->classes;
  *out = (serve_source){.context = t,
                        .nodes = nodes,
                        .classes = t->classes,
                        .ids = ids,
                        .class_names = class_names,
                        .has_alerts = has_alerts,
                        .alerts = alerts,
                        .answer = look_up,
                        .free = free_table};
  t = NULL;
done:
  if (status != SOTTO_OK) {
    serve_names_free(&ids);
    serve_names_free(&class_names);
  }
  free_table(t);
  sotto_model_free(model);
  return status;
}
