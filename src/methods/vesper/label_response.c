/* Reported labels: one randomised answer a node, cached in the run folder and charged to the account of the
 * labels. */
#include "label_response.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "protocols/labels_account.h"
#include "release/artifact.h"

enum { label_stream = 2 };

bool sotto_i_labels_asked(const sotto_options *o) {
  return o->label_epsilon > 0;
}

sotto_status sotto_i_labels_price(sotto_response *out, const sotto_options *options,
                                  const sotto_dataset *data, sotto_error *err) {
  if (data->labels == NULL || data->classes < 2)
    return sotto_i_fail(err, SOTTO_INVALID, "label-epsilon: %s has no labels of two classes or more",
                        data->name);
  return sotto_response_new(out, data->classes, options->label_epsilon, err);
}

sotto_status sotto_i_labels_plan(sotto_cost *cost, const sotto_options *options, const sotto_dataset *data,
                                 sotto_error *err) {
  sotto_response response;
  uint8_t digest[32];
  char name[128];
  sotto_status status = sotto_i_labels_price(&response, options, data, err);
  if (status != SOTTO_OK) return status;
  const sotto_mechanism mechanism = sotto_response_mechanism(&response);
  sotto_cost_item *item = sotto_i_cost_add(cost, "labels of all nodes, each by randomised response",
                                           &mechanism, 0, response.epsilon);
  item->once = true;
  item->account = SOTTO_ACCOUNT_LABELS;
  item->adjacency = "node";
  sotto_i_labels_account(digest, name, data);
  sotto_i_cost_account(cost, SOTTO_ACCOUNT_LABELS, digest, name);
  return SOTTO_OK;
}

typedef struct reporting {
  const sotto_i_job *job;
  const sotto_response *response;
} reporting;

/* Labels are reported once a run, so with a fixed seed too this is the run's key, not that of one training.
 */
static sotto_status report_labels(void *context, sotto_graph *graph, sotto_matrix *table,
                                  const sotto_key *key, sotto_error *err) {
  const reporting *t = context;
  const sotto_dataset *data = t->job->data;
  sotto_status status;
  int32_t *labels = NULL;
  (void)graph;
  SOTTO_TRY(sotto_i_new(&labels, data->graph.nodes, sizeof *labels, err));
  memcpy(labels, data->labels, data->graph.nodes * sizeof *labels);
  SOTTO_TRY(sotto_response_apply(labels, data->graph.nodes, t->response, key, label_stream, err));
  SOTTO_TRY(sotto_matrix_new(table, data->graph.nodes, 1, err));
  for (uint64_t v = 0; v < data->graph.nodes; v++) table->data[v] = (float)labels[v];
done:
  sotto_i_free(labels);
  return status;
}

sotto_status sotto_i_reported_labels_new(sotto_i_reported_labels *out, const sotto_i_job *job,
                                         const sotto_i_parted *parted, sotto_error *err) {
  sotto_status status;
  sotto_dataset kept = {0};
  sotto_response response;
  char name[80];
  *out = (sotto_i_reported_labels){0};
  SOTTO_TRY(sotto_i_labels_price(&response, job->options, job->data, err));
  reporting context = {job, &response};
  (void)snprintf(name, sizeof name, "labels reported at epsilon %.17g", job->options->label_epsilon);
  const sotto_i_table_artifact table = {
      .artifact = {.owner = sotto_i_job_owner(job),
                   .item = sotto_i_cost_item_of(job->cost, SOTTO_ACCOUNT_LABELS),
                   .file = "reported-labels.sotto",
                   .made_with = name,
                   .run_key = true},
      .rows = job->data->graph.nodes,
      .context = &context,
      .make = report_labels};
  SOTTO_TRY(sotto_i_table_use(&kept, NULL, &table, err));
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++) {
    size_t count = parted->split.count[part];
    SOTTO_TRY(sotto_i_new(&out->labels[part], count, sizeof(int32_t), err));
    for (size_t i = 0; i < count; i++)
      out->labels[part][i] = (int32_t)kept.features.data[parted->split.rows[part][i]];
  }
  out->flip = (double)response.flip * 0x1p-64;
done:
  if (status != SOTTO_OK) sotto_i_reported_labels_free(out);
  sotto_dataset_free(&kept);
  return status;
}

void sotto_i_reported_labels_free(sotto_i_reported_labels *labels) {
  for (int part = 0; part < 4; part++) sotto_i_free(labels->labels[part]);
  *labels = (sotto_i_reported_labels){0};
}
