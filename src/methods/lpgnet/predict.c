/* Predictions of LPGNet: features and the cached counts, through the last perceptron. */
#include <stdio.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "lpgnet.h"
#include "nn/inside/nn.h"
#include "recipes/networks/networks.h"
#include "recipes/table.h"
#include "tensor/columns.h"

typedef struct stack {
  const sotto_i_job *job;
  sotto_params *params;
  sotto_mlp mlp[SOTTO_MOST_COSTS + 1]; /* the last one answers */
  sotto_matrix counts;                 /* of all nodes and rounds, as the perceptron reads them */
  sotto_key key;
} stack;

static sotto_status rows_of(void *self, sotto_matrix *out, const sotto_matrix *x, const uint32_t *nodes,
                            sotto_error *err) {
  (void)self, (void)nodes;
  return sotto_i_table_join(out, x, &(sotto_matrix){0}, err);
}

static sotto_status scores_of(void *self, sotto_matrix *out, const sotto_matrix *rows, const uint32_t *nodes,
                              size_t count, sotto_error *err) {
  const stack *s = self;
  sotto_status status;
  sotto_matrix own = {0}, read = {0}, table = {0};
  SOTTO_TRY(sotto_i_take_rows(&own, rows, nodes, count, err));
  SOTTO_TRY(sotto_i_take_rows(&read, &s->counts, nodes, count, err));
  SOTTO_TRY(sotto_i_table_join(&table, &own, &read, err));
  SOTTO_TRY(sotto_i_embed_all(out, &s->mlp[s->job->options->layers], s->params, &table, &s->key, err));
done:
  sotto_matrix_free(&own);
  sotto_matrix_free(&read);
  sotto_matrix_free(&table);
  return status;
}

static void free_stack(void *self) {
  stack *s = self;
  sotto_params_free(s->params);
  sotto_matrix_free(&s->counts);
  sotto_i_free(s);
}

static sotto_status add_counts(stack *s, uint32_t round, sotto_error *err) {
  const sotto_dataset *data = s->job->data;
  sotto_status status;
  sotto_dataset counts = {0};
  sotto_matrix scaled = {0}, wider = {0};
  char file[32], *path = NULL;
  sotto_i_counts_file(file, round);
  SOTTO_TRY(sotto_i_join(&path, s->job->folder, file, err));
  SOTTO_TRY(sotto_dataset_open(&counts, path, NULL, err));
  if (counts.features.rows != data->graph.nodes || counts.features.cols != data->classes) {
    status = sotto_i_fail(err, SOTTO_INVALID, "%s: is not of %s", path, data->name);
    goto done;
  }
  SOTTO_TRY(sotto_matrix_new(&scaled, counts.features.rows, counts.features.cols, err));
  sotto_i_lpgnet_scale(&scaled, &counts.features);
  if (round == 0) {
    s->counts = scaled;
    scaled = (sotto_matrix){0};
    goto done;
  }
  SOTTO_TRY(sotto_i_table_join(&wider, &s->counts, &scaled, err));
  sotto_matrix_free(&s->counts);
  s->counts = wider;
done:
  sotto_matrix_free(&scaled);
  sotto_dataset_free(&counts);
  sotto_i_free(path);
  return status;
}

static sotto_status make_networks(stack *s, const sotto_i_opening *from, sotto_error *err) {
  const sotto_i_job *job = s->job;
  sotto_status status;
  SOTTO_TRY(sotto_params_new(&s->params, err));
  for (uint32_t k = 0; k <= job->options->layers; k++) {
    char name[32];
    (void)snprintf(name, sizeof name, "stack%u", k);
    const sotto_i_table_fit fit = {.job = job, .parted = from->parted, .name = name, .number = k};
    SOTTO_TRY(sotto_i_table_net_new(&s->mlp[k], s->params, job->features->cols + k * job->data->classes, &fit,
                                    err));
  }
  SOTTO_TRY(sotto_params_load(&s->params, 1, from->file, err));
done:
  return status;
}

/* Counts of other data, by what each perceptron thinks of its nodes. */
static sotto_status make_counts(stack *s, const sotto_i_job *release, sotto_error *err) {
  const size_t own = s->job->features->cols;
  sotto_status status;
  sotto_matrix table = {0}, scores = {0};
  sotto_laplace_grid grid;
  SOTTO_TRY(sotto_i_counts_grid(&grid, release->options, err));
  SOTTO_TRY(sotto_i_table_join(&table, s->job->features, &(sotto_matrix){0}, err));
  for (uint32_t round = 0; round < s->job->options->layers; round++) {
    const sotto_i_counts counts = {
        .job = release, .scores = &scores, .noise = &grid, .round = round, .item = round};
    sotto_matrix_free(&scores);
    SOTTO_TRY(sotto_i_embed_all(&scores, &s->mlp[round], s->params, &table, &s->key, err));
    SOTTO_TRY(sotto_i_lpgnet_widen(&table, &counts, err));
  }
  SOTTO_TRY(sotto_i_take_columns(&s->counts, &table, own, table.cols, err));
done:
  sotto_matrix_free(&table);
  sotto_matrix_free(&scores);
  return status;
}

sotto_status sotto_i_lpgnet_narrow(sotto_options *options, const char *file, sotto_error *err) {
  (void)options, (void)file, (void)err;
  return SOTTO_OK;
}

sotto_status sotto_i_lpgnet_open(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err) {
  sotto_status status;
  stack *s = NULL;
  SOTTO_TRY(sotto_i_new(&s, 1, sizeof *s, err));
  *out =
      (sotto_i_predictor){.self = s, .rows = rows_of, .scores = scores_of, .free = free_stack, .fixed = true};
  s->job = from->job;
  sotto_i_job_key(&s->key, from->job);
  if (from->fresh)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "fresh: lpgnet answers from the counts that it keeps alone");
  if (from->release == NULL) SOTTO_TRY(sotto_i_opening_check(from, err));
  SOTTO_TRY(make_networks(s, from, err));
  if (from->release != NULL) return make_counts(s, from->release, err);
  for (uint32_t round = 0; round < from->job->options->layers; round++) SOTTO_TRY(add_counts(s, round, err));
done:
  return status;
}
