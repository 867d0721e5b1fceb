/* Predictions from a table of all nodes' class probabilities. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "sotto/model.h"
#include "source.h"

typedef struct table {
  size_t classes;
  float *rows; /* nodes x classes; constant after loading, like the rest */
  char *run;   /* its folder, by which rows of new nodes are answered */
  uint64_t seed;
  sotto_options options;
  sotto_schema *schema;
  const sotto_schema_column **columns;
} table;

static sotto_status look_up(void *context, float *out, const uint32_t *nodes, size_t count, size_t classes,
                            sotto_error *err) {
  const table *t = context;
  (void)err;
  for (size_t i = 0; i < count; i++)
    memcpy(out + i * classes, t->rows + (size_t)nodes[i] * classes, classes * sizeof *out);
  return SOTTO_OK;
}

/* The model is opened for each request: levels and scales are then those of these rows, and requests do not
 * wait for each other. Cells without a value are those of the training, but numbers of JSON have points. */
static sotto_status answer_rows(void *context, serve_answered *out, const char *csv, size_t size,
                                sotto_error *err) {
  const table *t = context;
  const sotto_model_options alone = {.seed = t->seed, .alone = true};
  sotto_import_options trained;
  sotto_dataset data = {0};
  sotto_model *model = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_table_options(&trained, &t->options, err));
  const sotto_import_options import = {
      .schema = t->schema, .others = true, .missing_words = trained.missing_words};
  SOTTO_TRY(sotto_dataset_of_table(&data, SERVE_ROWS_NAME, csv, size, &import, err));
  SOTTO_TRY(sotto_model_open(&model, t->run, &data, &alone, err));
  const size_t count = (size_t)data.graph.nodes;
  SOTTO_TRY(app_new(&out->rows, count, t->classes * sizeof *out->rows, err));
  SOTTO_TRY(sotto_model_predict(model, out->rows, count * t->classes, NULL, count, err));
  out->unseen = *sotto_model_unseen(model);
done:
  sotto_model_free(model);
  sotto_dataset_free(&data);
  return status;
}

static sotto_status open_columns(table *t, const char *run, uint64_t seed, const sotto_model *model,
                                 sotto_error *err) {
  sotto_status status;
  t->seed = seed;
  t->options = *sotto_model_run(model);
  SOTTO_TRY(app_strdup(&t->run, run, err));
  SOTTO_TRY(sotto_model_read_schema(&t->schema, run, err));
  if (t->schema != NULL) SOTTO_TRY(serve_columns_sort(&t->columns, t->schema, err));
done:
  return status;
}

static void free_table(void *context) {
  table *t = context;
  if (t == NULL) return;
  free(t->rows);
  free(t->run);
  free(t->columns);
  sotto_schema_free(t->schema);
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
  const sotto_model_options options = {.seed = seed, .served = true};
  *out = (serve_source){.nodes = 0};
  SOTTO_TRY(sotto_model_open(&model, run, NULL, &options, err));
  SOTTO_TRY(app_new(&t, 1, sizeof *t, err));
  const size_t nodes = (size_t)sotto_model_data(model)->graph.nodes;
  t->classes = sotto_model_classes(model);
  SOTTO_TRY(app_new(&t->rows, nodes, t->classes * sizeof *t->rows, err));
  SOTTO_TRY(sotto_model_predict(model, t->rows, nodes * t->classes, NULL, nodes, err));
  SOTTO_TRY(serve_names_copy(&ids, &sotto_model_data(model)->node_ids, true, err));
  SOTTO_TRY(serve_names_copy(&class_names, sotto_model_class_names(model), false, err));
  SOTTO_TRY(open_columns(t, run, seed, model, err));
  read_facts(facts, model);
  SOTTO_TRY(sotto_alerts_read(&alerts, &has_alerts, run,
                              seed == SOTTO_UNSET ? sotto_model_run(model)->seed : seed, err));
  has_alerts = has_alerts && (size_t)alerts.class_number < t->classes;
  *out = (serve_source){.context = t,
                        .nodes = nodes,
                        .classes = t->classes,
                        .ids = ids,
                        .class_names = class_names,
                        .numbers = sotto_model_run(model)->task == SOTTO_TASK_REGRESSION,
                        .has_alerts = has_alerts,
                        .alerts = alerts,
                        .answer = look_up,
                        .answer_rows = answer_rows,
                        .schema = t->schema,
                        .columns = t->columns,
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
