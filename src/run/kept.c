/* Releases kept in a seed's folder, in the native format of datasets: checksummed, written whole or not. */
#include "kept.h"

#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

static sotto_status make(const char *path, const sotto_i_job *job, const sotto_i_keeping *keeping,
                         sotto_error *err) {
  sotto_status status;
  sotto_graph graph = {0};
  sotto_matrix table = {0};
  SOTTO_TRY(keeping->make(keeping->context, &graph, &table, err));
  if (graph.offsets == NULL)
    SOTTO_TRY(sotto_graph_from_pairs(&graph, job->data->graph.nodes, NULL, NULL, 0, err));
  const sotto_dataset made = {.name = keeping->name, .graph = graph, .features = table};
  SOTTO_TRY(sotto_dataset_save(&made, path, err));
done:
  sotto_graph_free(&graph);
  sotto_matrix_free(&table);
  return status;
}

sotto_status sotto_i_kept(sotto_dataset *out, const sotto_i_job *job, const sotto_i_keeping *keeping,
                          sotto_error *err) {
  sotto_status status;
  char *path = NULL;
  *out = (sotto_dataset){0};
  SOTTO_TRY(sotto_i_join(&path, job->folder, keeping->file, err));
  if (!sotto_i_is_file(path)) SOTTO_TRY(make(path, job, keeping, err));
  SOTTO_TRY(sotto_dataset_open(out, path, NULL, err));
  if (out->graph.nodes != job->data->graph.nodes || strcmp(out->name, keeping->name) != 0)
    status = sotto_i_fail(err, SOTTO_INVALID, "%s: was made with other options; use a new run folder", path);
done:
  if (status != SOTTO_OK) sotto_dataset_free(out);
  sotto_i_free(path);
  return status;
}
