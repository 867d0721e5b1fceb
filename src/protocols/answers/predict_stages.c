#include "predict_stages.h"

#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "inside/nn.h"
#include "inside/tensor.h"
#include "nn/centre.h"
#include "pmp/release.h"
#include "protocols/networks/networks.h"
#include "release/plan.h"
#include "run/train/window.h"
#include "tensor/columns.h"

enum { most_layers = 65 };

typedef struct stages {
  const sotto_i_job *job;
  bool central, fixed;
  sotto_params *first, *head_params, *last;
  sotto_mlp encoder, head;
  sotto_i_decoder decoder;
  uint32_t count;                   /* layers that the decoder reads; 0: there is no decoder */
  size_t weights[64];               /* with layer-weights: numbers in `first` of the weights between layers */
  sotto_matrix medians;             /* central: of the embeddings of the model's own data */
  double *moments[most_layers];     /* central: column moments of each layer */
  sotto_matrix layers[most_layers]; /* inputs of the decoder; layer 0 is made for each query */
  const sotto_i_window *window;     /* over ranks: the nodes whose rows these are; NULL: all nodes */
  sotto_key key;
} stages;

static sotto_status embed_rows(void *self, sotto_matrix *out, const sotto_matrix *x, const uint32_t *nodes,
                               sotto_error *err) {
  const stages *s = self;
  (void)nodes;
  return sotto_i_embed_all(out, &s->encoder, s->first, x, &s->key, err);
}

/* Releases these embeddings, with noise where the plan has it. The job `charged` is charged for the
 * release; without one it serves this prediction alone. */
static sotto_status release_layers(sotto_release **out, const stages *s, const sotto_matrix *rows,
                                   const sotto_i_job *charged, sotto_error *err) {
  const sotto_options *o = s->job->options;
  const sotto_matrix *weights[64] = {NULL};
  sotto_matrix inputs = {0};
  sotto_key key;
  sotto_status status;
  sotto_key_system(&key);
  for (uint64_t k = 0; o->layer_weights && k < o->layers; k++)
    weights[k] = sotto_params_value(s->first, s->weights[k]);
  if (s->central)
    SOTTO_TRY(sotto_i_centred_by(&inputs, rows, &s->medians, err));
  else
    SOTTO_TRY(sotto_i_add_constant(&inputs, rows, o->constant, err));
  sotto_i_release_request request = {.inputs = &inputs, .weights = o->layer_weights ? weights : NULL};
  if (charged != NULL) {
    request.item = sotto_i_cost_item_of(charged->cost, SOTTO_ACCOUNT_DATA);
    SOTTO_TRY(sotto_i_job_release(out, charged, &request, err));
  } else {
    SOTTO_TRY(sotto_i_job_compute(out, s->job, &request, &key, "not charged", "an answer", err));
  }
done:
  sotto_matrix_free(&inputs);
  sotto_key_wipe(&key);
  return status;
}

/* Prepares layer k for the decoder, by moments known before, or by its own, which are then stored. */
static sotto_status prepare_layer(stages *s, sotto_matrix *out, const sotto_matrix *from, uint32_t k,
                                  sotto_error *err) {
  const double constant = k == 0 && !s->central ? s->job->options->constant : 0;
  sotto_status status = s->central && k > 0 ? sotto_i_unit_rows(out, from, err)
                                            : sotto_i_add_constant(out, from, constant, err);
  if (status != SOTTO_OK || !s->central) return status;
  if (s->moments[k] == NULL)
    status = s->window == NULL ? sotto_i_column_moments(&s->moments[k], out, err)
                               : sotto_i_window_moments(&s->moments[k], s->window, out, err);
  if (status == SOTTO_OK) sotto_i_columns_by_moments(out, s->moments[k]);
  return status;
}

static sotto_status prepare_released(stages *s, const sotto_release *release, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (uint32_t k = 1; k < s->count; k++) {
    sotto_matrix_free(&s->layers[k]);
    SOTTO_TRY(prepare_layer(s, &s->layers[k], sotto_release_layer(release, k), k, err));
  }
done:
  return status;
}

/* Without a kept release, all layers follow from the rows of all nodes. */
static sotto_status prepare_query(stages *s, const sotto_matrix *rows, sotto_error *err) {
  sotto_status status;
  sotto_release *release = NULL;
  if (s->fixed) return SOTTO_OK;
  SOTTO_TRY(release_layers(&release, s, rows, NULL, err));
  SOTTO_TRY(prepare_released(s, release, err));
done:
  sotto_release_free(release);
  return status;
}

/* The layers of the wanted nodes. */
static sotto_status take_layers(sotto_matrix *taken, stages *s, const sotto_matrix *rows,
                                const uint32_t *nodes, size_t count, sotto_error *err) {
  sotto_matrix first = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_take_rows(&first, rows, nodes, count, err));
  SOTTO_TRY(prepare_layer(s, &taken[0], &first, 0, err));
  for (uint32_t k = 1; k < s->count; k++)
    SOTTO_TRY(sotto_i_take_rows(&taken[k], &s->layers[k], nodes, count, err));
done:
  sotto_matrix_free(&first);
  return status;
}

static sotto_status decode(stages *s, sotto_matrix *out, const sotto_matrix *rows, const uint32_t *nodes,
                           size_t count, sotto_error *err) {
  sotto_status status;
  sotto_tape *tape = NULL;
  sotto_matrix taken[most_layers] = {{0}};
  uint32_t *places = NULL;
  SOTTO_TRY(sotto_i_new_raw(&places, count + 1, sizeof *places, err));
  for (size_t i = 0; i < count; i++) places[i] = (uint32_t)i;
  const sotto_i_parted wanted = {
      .split = {.rows = {[SOTTO_PART_TEST] = places}, .count = {[SOTTO_PART_TEST] = count}}};
  SOTTO_TRY(take_layers(taken, s, rows, nodes, count, err));
  SOTTO_TRY(sotto_i_decoder_read(&s->decoder, taken, NULL, &wanted, err));
  const sotto_i_task task = sotto_i_decoder_task(&s->decoder, s->last, &wanted, &s->key);
  SOTTO_TRY(sotto_tape_new(&tape, err));
  const sotto_pass pass = {.tape = tape, .key = &s->key};
  const sotto_i_batch all = {SOTTO_PART_TEST, 0, count};
  sotto_var logits = task.forward(task.model, &pass, &all);
  SOTTO_TRY(sotto_tape_copy(out, tape, logits, err));
done:
  sotto_tape_free(tape);
  for (uint32_t k = 0; k < s->count; k++) sotto_matrix_free(&taken[k]);
  sotto_i_free(places);
  return status;
}

static sotto_status scores_of(void *self, sotto_matrix *out, const sotto_matrix *rows, const uint32_t *nodes,
                              size_t count, sotto_error *err) {
  stages *s = self;
  sotto_matrix taken = {0};
  sotto_status status;
  if (s->count > 0) {
    SOTTO_TRY(prepare_query(s, rows, err));
    SOTTO_TRY(decode(s, out, rows, nodes, count, err));
  } else {
    SOTTO_TRY(sotto_i_take_rows(&taken, rows, nodes, count, err));
    SOTTO_TRY(sotto_i_embed_all(out, &s->head, s->head_params, &taken, &s->key, err));
  }
done:
  sotto_matrix_free(&taken);
  return status;
}

static void free_stages(void *self) {
  stages *s = self;
  sotto_params_free(s->first);
  if (s->head_params != s->first) sotto_params_free(s->head_params);
  sotto_params_free(s->last);
  if (s->count > 0) sotto_i_decoder_free(&s->decoder);
  sotto_matrix_free(&s->medians);
  for (int k = 0; k < most_layers; k++) {
    sotto_i_free(s->moments[k]);
    sotto_matrix_free(&s->layers[k]);
  }
  sotto_i_free(s);
}

static sotto_status add_weights(stages *s, sotto_error *err) {
  const sotto_options *o = s->job->options;
  size_t width = sotto_i_released_width(o);
  sotto_status status = SOTTO_OK;
  for (uint64_t k = 0; o->layer_weights && k < o->layers; k++) {
    char name[SOTTO_I_WEIGHT_NAME];
    sotto_i_layer_weight_name(name, k);
    SOTTO_TRY(
        sotto_params_add(s->first, &s->weights[k], name, width, width, SOTTO_INIT_ZERO, true, &s->key, err));
  }
done:
  return status;
}

static sotto_status make_networks(stages *s, const sotto_i_opening *from, sotto_error *err) {
  const sotto_i_job *job = s->job;
  const sotto_options *o = job->options;
  sotto_status status;
  SOTTO_TRY(sotto_params_new(&s->first, err));
  SOTTO_TRY(sotto_params_new(&s->head_params, err));
  SOTTO_TRY(sotto_params_new(&s->last, err));
  SOTTO_TRY(sotto_i_encoder_new(&s->encoder, s->first, "encoder", o, job->features->cols, &s->key, err));
  SOTTO_TRY(
      sotto_i_head_new(&s->head, s->head_params, "head", o, 0, sotto_i_outputs(o, job->data), &s->key, err));
  SOTTO_TRY(add_weights(s, err));
  if (job->plan != NULL) {
    uint32_t count = job->plan->options.layers + 1;
    SOTTO_TRY(sotto_i_decoder_new(&s->decoder, s->last, o, count, sotto_i_released_width(o), 0,
                                  sotto_i_outputs(o, job->data), &s->key, err));
    s->count = count;
  }
  sotto_params *sets[] = {s->first, s->head_params, s->last};
  SOTTO_TRY(sotto_params_load(sets, 3, from->file, err));
done:
  return status;
}

/* The rows of this rank, from the release of the run or of other data. */
static sotto_status read_window(stages *s, const sotto_i_opening *from, sotto_error *err) {
  const sotto_i_job *job = from->own ? s->job : from->release;
  const sotto_i_window *w = s->window;
  sotto_release *release = NULL;
  sotto_matrix rows = {0};
  char file[40], *path = NULL;
  sotto_status status;
  sotto_i_release_file(file, job->options, sotto_i_job_releases(job->options) - 1, false);
  SOTTO_TRY(sotto_i_join(&path, job->folder, file, err));
  SOTTO_TRY(sotto_i_release_open(&release, path, w->nodes, err));
  for (uint32_t k = 1; k < s->count; k++) {
    SOTTO_TRY(sotto_matrix_new(&rows, w->count, sotto_i_released_width(job->options), err));
    SOTTO_TRY(sotto_i_release_read(release, k, rows.data, w->first, w->count, err));
    SOTTO_TRY(prepare_layer(s, &s->layers[k], &rows, k, err));
    sotto_matrix_free(&rows);
  }
done:
  sotto_release_free(release);
  sotto_matrix_free(&rows);
  sotto_i_free(path);
  return status;
}

/* The release in the run folder, if it is of this data; NULL otherwise. */
static sotto_status load_release(sotto_release **out, const stages *s, const sotto_i_opening *from,
                                 sotto_error *err) {
  const sotto_options *o = s->job->options;
  char file[40], *path = NULL;
  sotto_status status;
  if (!from->own) return SOTTO_OK;
  sotto_i_release_file(file, o, sotto_i_job_releases(o) - 1, false);
  SOTTO_TRY(sotto_i_join(&path, s->job->folder, file, err));
  if (!sotto_i_is_file(path)) goto done;
  SOTTO_TRY(sotto_release_load(out, path, err));
  if (sotto_release_layer(*out, 0)->rows != s->job->data->graph.nodes) {
    sotto_release_free(*out);
    *out = NULL;
  }
done:
  sotto_i_free(path);
  return status;
}

/* Medians and moments are those of the model's own data; other data has its own. */
static sotto_status prepare_layers(stages *s, const sotto_i_opening *from, sotto_error *err) {
  sotto_status status;
  sotto_release *release = NULL;
  sotto_matrix rows = {0};
  const bool noisy = s->job->plan->grid.sigma > 0;
  if (noisy && !from->fresh && from->release == NULL) SOTTO_TRY(sotto_i_opening_check(from, err));
  if (s->window != NULL && !noisy) return sotto_i_opening_alone(from, err);
  SOTTO_TRY(embed_rows(s, &rows, s->job->features, NULL, err));
  SOTTO_TRY(prepare_layer(s, &s->layers[0], &rows, 0, err)); /* for its moments */
  sotto_matrix_free(&s->layers[0]);
  s->fixed = noisy && !from->fresh;
  if (s->window != NULL) {
    status = read_window(s, from, err);
    goto done;
  }
  if (s->central) SOTTO_TRY(sotto_i_column_medians(&s->medians, &rows, err));
  SOTTO_TRY(load_release(&release, s, from, err));
  if (release == NULL && noisy && !from->fresh && from->release == NULL) {
    status =
        sotto_i_fail(err, SOTTO_INVALID,
                     "%s: keeps no release of %s; noise for other data is another release, to be made and "
                     "charged by a run of its own",
                     s->job->folder, s->job->data->name);
    goto done;
  }
  if (release == NULL)
    SOTTO_TRY(release_layers(&release, s, &rows, noisy && !from->fresh ? from->release : NULL, err));
  SOTTO_TRY(prepare_released(s, release, err));
done:
  sotto_release_free(release);
  sotto_matrix_free(&rows);
  return status;
}

sotto_status sotto_i_narrow_stages(sotto_options *options, const char *file, sotto_error *err) {
  (void)file;
  (void)err;
  options->releases = 1;
  return SOTTO_OK;
}

sotto_status sotto_i_predict_stages(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err) {
  sotto_status status;
  stages *s = NULL;
  SOTTO_TRY(sotto_i_new(&s, 1, sizeof *s, err));
  *out = (sotto_i_predictor){.self = s, .rows = embed_rows, .scores = scores_of, .free = free_stages};
  s->job = from->job;
  s->window = from->window;
  s->central = sotto_i_method_of(from->job->options)->central;
  sotto_i_job_key(&s->key, from->job);
  SOTTO_TRY(make_networks(s, from, err));
  if (s->count > 0) SOTTO_TRY(prepare_layers(s, from, err));
  out->fixed = s->count == 0 || s->fixed;
done:
  return status;
}
