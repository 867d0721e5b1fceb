/* Graphs and tables as artifacts: checksummed by their format, written whole or not. */
#include "artifact_table.h"

#include <string.h>

#include "base/error.h"

typedef struct using {
  const sotto_i_table_artifact *table;
  sotto_dataset *out;
  sotto_i_receipt receipt;
}
using;

static sotto_status make(void *context, const char *path, const sotto_key *key, sotto_error *err) {
  const using *u = context;
  sotto_status status;
  sotto_graph graph = {0};
  sotto_matrix table = {0};
  SOTTO_TRY(u->table->make(u->table->context, &graph, &table, key, err));
  if (!sotto_i_ranks_first(sotto_i_job_ranks(u->table->artifact.job))) goto done; /* rank 0 writes it */
  if (graph.offsets == NULL) SOTTO_TRY(sotto_graph_from_pairs(&graph, u->table->rows, NULL, NULL, 0, err));
  const sotto_dataset made = {.name = u->table->artifact.file, .graph = graph, .features = table};
  SOTTO_TRY(sotto_dataset_save(&made, path, err));
done:
  sotto_graph_free(&graph);
  sotto_matrix_free(&table);
  return status;
}

static sotto_status show(void *context, sotto_graph *graph, sotto_matrix *table, const sotto_key *key,
                         sotto_error *err) {
  const sotto_i_table_artifact *t = ((using *)context)->table;
  return (t->show != NULL ? t->show : t->make)(t->context, graph, table, key, err);
}

static sotto_status compare(void *context, const char *path, uint32_t layer, sotto_matrix *kept,
                            sotto_matrix *exact, bool *scaled, sotto_error *err) {
  const sotto_i_table_artifact *t = ((using *)context)->table;
  sotto_dataset file = {0};
  sotto_status status;
  *scaled = true;
  if (layer > 1 || t->exact == NULL) return SOTTO_OK;
  SOTTO_TRY(sotto_dataset_open(&file, path, NULL, err));
  SOTTO_TRY(t->exact(t->context, exact, err));
  const sotto_matrix *rows = &file.features; /* of memory that goes with the file */
  SOTTO_TRY(sotto_matrix_new(kept, rows->rows, rows->cols, err));
  memcpy(kept->data, rows->data, rows->rows * rows->cols * sizeof *rows->data);
done:
  sotto_dataset_free(&file);
  return status;
}

static sotto_status load(void *context, const char *path, const sotto_i_receipt *receipt, sotto_error *err) {
  using *u = context;
  u->receipt = *receipt;
  sotto_status status = sotto_dataset_open(u->out, path, NULL, err);
  if (status == SOTTO_OK && u->out->graph.nodes != u->table->rows)
    status = sotto_i_fail(err, SOTTO_CORRUPT, "%s: has %llu rows, not %zu", path,
                          (unsigned long long)u->out->graph.nodes, u->table->rows);
  return status;
}

sotto_status sotto_i_table_use(sotto_dataset *out, sotto_i_receipt *receipt,
                               const sotto_i_table_artifact *table, sotto_error *err) {
  using u = {.table = table, .out = out};
  sotto_i_artifact artifact = table->artifact;
  *out = (sotto_dataset){0};
  artifact.context = &u;
  artifact.make = make;
  artifact.show = show;
  artifact.compare = compare;
  artifact.apart = table->show != NULL;
  artifact.is_table = true;
  artifact.load = load;
  sotto_status status = sotto_i_artifact_use(&artifact, err);
  if (status != SOTTO_OK) sotto_dataset_free(out);
  if (receipt != NULL) *receipt = u.receipt;
  return status;
}
