/* Told labels: one answer a node, kept in the run folder, charged to the account of the labels. */
#include "label_response.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "run/cost.h"
#include "run/kept.h"

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

void sotto_i_labels_digest(uint8_t digest[32], const sotto_dataset *data) {
  static const char domain[] = "sotto labels";
  crypto_generichash_state state;
  crypto_generichash_init(&state, NULL, 0, 32);
  crypto_generichash_update(&state, (const uint8_t *)domain, sizeof domain);
  crypto_generichash_update(&state, (const uint8_t *)&data->classes, sizeof data->classes);
  crypto_generichash_update(&state, (const uint8_t *)data->labels, data->graph.nodes * sizeof *data->labels);
  crypto_generichash_final(&state, digest, 32);
}

static sotto_charge charge_of(char id[SOTTO_I_ID_SIZE], const sotto_response *response,
                              const sotto_options *options, const char *run_id) {
  (void)snprintf(id, SOTTO_I_ID_SIZE, "%.32s-labels", run_id);
  return (sotto_charge){.id = id,
                        .run = options->out,
                        .mechanism = "randomized-response",
                        .adjacency = "node",
                        .description = "labels of all nodes, each by randomised response",
                        .epsilon = response->epsilon,
                        .insecure = options->insecure_seed != SOTTO_UNSET};
}

static void account_name(char *out, size_t size, const sotto_dataset *data) {
  (void)snprintf(out, size, "labels of %.100s", data->name);
}

sotto_status sotto_i_labels_ask(sotto_ledger *ledger, const sotto_options *options, const sotto_dataset *data,
                                const char *run_id, sotto_error *err) {
  sotto_response response;
  uint8_t digest[32];
  char id[SOTTO_I_ID_SIZE], name[128];
  sotto_status status = sotto_i_labels_price(&response, options, data, err);
  if (status != SOTTO_OK) return status;
  const sotto_charge charge = charge_of(id, &response, options, run_id);
  sotto_i_labels_digest(digest, data);
  account_name(name, sizeof name, data);
  return sotto_ledger_would_accept(ledger, digest, name, &charge, 1, err);
}

typedef struct telling {
  const sotto_i_job *job;
  const sotto_response *response;
} telling;

static sotto_status tell(void *context, sotto_graph *graph, sotto_matrix *table, sotto_error *err) {
  const telling *t = context;
  const sotto_dataset *data = t->job->data;
  sotto_status status;
  sotto_key key;
  int32_t *labels = NULL;
  (void)graph;
  /* Told once a run: with a fixed seed too it is the run's, not one training's. */
  sotto_i_job job = *t->job;
  job.seed = job.options->seed;
  sotto_i_job_noise_key(&key, &job);
  SOTTO_TRY(sotto_i_new(&labels, data->graph.nodes, sizeof *labels, err));
  memcpy(labels, data->labels, data->graph.nodes * sizeof *labels);
  SOTTO_TRY(sotto_response_tell(labels, data->graph.nodes, t->response, &key, label_stream, err));
  SOTTO_TRY(sotto_matrix_new(table, data->graph.nodes, 1, err));
  for (uint64_t v = 0; v < data->graph.nodes; v++) table->data[v] = (float)labels[v];
done:
  sotto_key_wipe(&key);
  sotto_i_free(labels);
  return status;
}

static sotto_status pay(const sotto_i_job *job, const sotto_response *response, sotto_error *err) {
  uint8_t digest[32];
  char id[SOTTO_I_ID_SIZE], name[128];
  const sotto_charge charge = charge_of(id, response, job->options, job->run_id);
  sotto_i_labels_digest(digest, job->data);
  account_name(name, sizeof name, job->data);
  return sotto_ledger_charge(job->ledger, digest, name, &charge, 1, err);
}

sotto_status sotto_i_labels_told_new(sotto_i_labels_told *out, const sotto_i_job *job,
                                     const sotto_i_parted *parted, sotto_error *err) {
  sotto_status status;
  sotto_dataset kept = {0};
  sotto_response response;
  char name[80];
  *out = (sotto_i_labels_told){0};
  SOTTO_TRY(sotto_i_labels_price(&response, job->options, job->data, err));
  sotto_i_job run = *job;
  run.folder = job->options->out;
  telling context = {&run, &response};
  (void)snprintf(name, sizeof name, "labels told at epsilon %.17g", job->options->label_epsilon);
  const sotto_i_keeping keeping = {
      .file = "labels-told.sotto", .name = name, .context = &context, .make = tell};
  SOTTO_TRY(sotto_i_kept(&kept, &run, &keeping, err));
  SOTTO_TRY(pay(job, &response, err));
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++) {
    size_t count = parted->split.count[part];
    SOTTO_TRY(sotto_i_new(&out->labels[part], count, sizeof(int32_t), err));
    for (size_t i = 0; i < count; i++)
      out->labels[part][i] = (int32_t)kept.features.data[parted->split.rows[part][i]];
  }
  out->lie = (double)response.lie * 0x1p-64;
done:
  if (status != SOTTO_OK) sotto_i_labels_told_free(out);
  sotto_dataset_free(&kept);
  return status;
}

void sotto_i_labels_told_free(sotto_i_labels_told *told) {
  for (int part = 0; part < 4; part++) sotto_i_free(told->labels[part]);
  *told = (sotto_i_labels_told){0};
}
