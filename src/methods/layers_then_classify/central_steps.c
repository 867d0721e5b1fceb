/* Training by one owner in three steps: encoder without edges, release, classifier. */
#include "central.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "inside/nn.h"
#include "inside/pmp.h"
#include "nn/centre.h"
#include "nn/state.h"
#include "pmp/release.h"
#include "protocols/networks/over_ranks.h"
#include "run/files/job_file.h"
#include "run/settings/options.h"

/* One seed. */
typedef struct central {
  const sotto_i_job *job;
  sotto_key key;
  sotto_i_parted parted;
  sotto_params *encoder_params, *params;
  sotto_mlp encoder, head;
  sotto_i_split_rows inputs; /* features by part */
  sotto_release *release;
} central;

/* Layer k of a seed. Layer 0 has the embeddings, which the encoder computes again for each batch. */
typedef struct central_layer {
  central *c;
  uint32_t k;
  double *moments;       /* of its columns */
  sotto_tape *tape;      /* of layer 0 */
  sotto_matrix embedded; /* of layer 0: the last batch */
  size_t batch;
  sotto_i_row_room room; /* of layer 0: features of a batch */
} central_layer;

/* Layers 0 to count - 1, and their sources. Free in any case. Errors: those of reading. */
typedef struct central_layers {
  central_layer *layers;
  sotto_i_row_source *sources;
  uint32_t count;
} central_layers;

enum { measures = 2 * SOTTO_MEASURES, pieces = SOTTO_I_DOUBLE_FLOATS, halves = 2 };

/* Options that the encoder does not depend on. Any other one is part of the cache's name. So a missing
 * entry costs a second training, and nothing else. */
static const char *const later[] = {
    "method",      "data",    "aggregator",       "layers",        "alpha",         "degree-floor",
    "contraction", "beta",    "combine",          "adjacency",     "read-share",    "epsilon",
    "delta",       "epochs",  "publish-accuracy", "batch-rate",    "clip",          "steps",
    "seeds",       "seed",    "ledger",           "account",       "insecure-seed", "anyway",
    "out",         "threads", "resume",           "encoder-cache", "record-wire",   "release-activation"};

static void hash_nodes(crypto_generichash_state *hash, const sotto_dataset *data) {
  const uint64_t nodes = data->graph.nodes, classes = data->classes;
  const uint8_t has[2] = {data->labels != NULL, data->split != NULL};
  (void)crypto_generichash_update(hash, data->features_digest, 32);
  (void)crypto_generichash_update(hash, (const uint8_t *)&classes, sizeof classes);
  (void)crypto_generichash_update(hash, has, sizeof has);
  if (has[0])
    (void)crypto_generichash_update(hash, (const uint8_t *)data->labels, nodes * sizeof *data->labels);
  if (has[1]) (void)crypto_generichash_update(hash, data->split, nodes);
}

/* The name depends on the encoder's inputs alone: if it depended on edges, it would reveal them. */
static void cache_name(char out[65], const sotto_i_job *job) {
  crypto_generichash_state hash;
  uint8_t bytes[32];
  size_t count;
  const sotto_option_info *infos = sotto_i_option_infos(&count);
  (void)crypto_generichash_init(&hash, NULL, 0, sizeof bytes);
  hash_nodes(&hash, job->data);
  (void)crypto_generichash_update(&hash, (const uint8_t *)SOTTO_VERSION, sizeof SOTTO_VERSION);
  /* A shuffle for k folds is that of the first seed. */
  const uint64_t seeds[2] = {job->seed,
                             job->options->split == SOTTO_SPLITTING_KFOLD ? job->options->seed : 0};
  (void)crypto_generichash_update(&hash, (const uint8_t *)seeds, sizeof seeds);
  for (size_t i = 0; i < count; i++) {
    char value[1024], line[1100];
    bool left_out = infos[i].group == SOTTO_GROUP_TABLES; /* what they say is in the data */
    for (size_t k = 0; k < sizeof later / sizeof *later; k++) left_out |= strcmp(infos[i].key, later[k]) == 0;
    if (left_out) continue;
    sotto_option_text(job->options, i, value, sizeof value);
    int size = snprintf(line, sizeof line, "%s=%s\n", infos[i].key, value);
    (void)crypto_generichash_update(&hash, (const uint8_t *)line, (size_t)size);
  }
  (void)crypto_generichash_final(&hash, bytes, sizeof bytes);
  sotto_i_hex(out, bytes, sizeof bytes);
}

static double *measure_of(sotto_i_outcome *out, int i) {
  sotto_quality *q = i < SOTTO_MEASURES ? &out->quality.baseline_validation : &out->quality.baseline_test;
  return &q->of[i % SOTTO_MEASURES];
}

static sotto_status measures_new(sotto_params **out, const sotto_key *key, sotto_error *err) {
  size_t number;
  sotto_status status;
  SOTTO_TRY(sotto_params_new(out, err));
  SOTTO_TRY(
      sotto_params_add(*out, &number, "cache.baseline", measures, pieces, SOTTO_INIT_ZERO, false, key, err));
done:
  return status;
}

/* Computes a batch of the embeddings, equal to the first time. */
static sotto_status embed_batch(central_layer *l, size_t batch, sotto_error *err) {
  central *c = l->c;
  const sotto_i_row_source *features = c->job->rows;
  const sotto_i_batch rows = sotto_i_batch_at(SOTTO_PART_NONE, features->rows, batch);
  const sotto_status status = sotto_i_embed_rows(&l->embedded, &l->room, l->tape, &c->encoder,
                                                 c->encoder_params, features, &rows, &c->key, err);
  l->batch = status == SOTTO_OK ? batch : SIZE_MAX;
  return status;
}

static sotto_status read_embeddings(central_layer *l, float *out, size_t first, size_t count,
                                    sotto_error *err) {
  const size_t most = sotto_i_batch_rows();
  for (size_t end; count > 0; first = end) {
    const size_t batch = first / most;
    if (batch != l->batch) {
      const sotto_status status = embed_batch(l, batch, err);
      if (status != SOTTO_OK) return status;
    }
    end = first + count < (batch + 1) * most ? first + count : (batch + 1) * most;
    const size_t values = (end - first) * l->embedded.cols;
    memcpy(out, l->embedded.data + (first - batch * most) * l->embedded.cols, values * sizeof *out);
    out += values;
    count -= end - first;
  }
  return SOTTO_OK;
}

static sotto_status read_rows(void *context, float *out, size_t first, size_t count, sotto_error *err) {
  central_layer *l = context;
  sotto_matrix rows = {out, count, sotto_i_embedding_width(l->c->job->options)};
  const sotto_status status = l->k == 0 ? read_embeddings(l, out, first, count, err)
                                        : sotto_i_release_read(l->c->release, l->k, out, first, count, err);
  if (status != SOTTO_OK) return status;
  if (l->k > 0) sotto_i_rows_to_unit(&rows);
  if (l->moments != NULL) sotto_i_columns_by_moments(&rows, l->moments);
  return SOTTO_OK;
}

static sotto_status find_moments(central_layer *l, const sotto_i_row_source *source, float *window,
                                 sotto_error *err) {
  const size_t nodes = l->c->job->data->graph.nodes;
  double *moments = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&moments, 2 * source->cols, sizeof *moments, err));
  sotto_ranks *ranks = sotto_i_job_ranks(l->c->job);
  for (int squares = 0; sotto_i_ranks_first(ranks) && squares < 2; squares++)
    for (size_t first = 0; first < nodes; first += SOTTO_I_WINDOW_ROWS) {
      const size_t count = nodes - first < SOTTO_I_WINDOW_ROWS ? nodes - first : SOTTO_I_WINDOW_ROWS;
      const sotto_matrix rows = {window, count, source->cols};
      SOTTO_TRY(source->read(source->context, window, first, count, err));
      sotto_i_column_moments_add(moments, &rows, (double)nodes, squares == 1);
    }
  SOTTO_TRY(sotto_i_ranks_give(ranks, moments, 2 * source->cols * sizeof *moments, err));
  l->moments = moments;
  moments = NULL;
done:
  sotto_i_free(moments);
  return status;
}

static sotto_status central_layers_new(central_layers *out, central *c, uint32_t count, sotto_error *err) {
  const size_t width = sotto_i_embedding_width(c->job->options);
  float *window = NULL;
  sotto_status status;
  *out = (central_layers){.count = count};
  SOTTO_TRY(sotto_i_new(&out->layers, count, sizeof *out->layers, err));
  SOTTO_TRY(sotto_i_new(&out->sources, count, sizeof *out->sources, err));
  SOTTO_TRY(sotto_i_new_raw(&window, width * SOTTO_I_WINDOW_ROWS, sizeof *window, err));
  for (uint32_t k = 0; k < count; k++) {
    central_layer *l = &out->layers[k];
    *l = (central_layer){.c = c, .k = k, .batch = SIZE_MAX};
    if (k == 0) SOTTO_TRY(sotto_tape_new(&l->tape, err));
    out->sources[k] =
        (sotto_i_row_source){.rows = c->job->rows->rows, .cols = width, .read = read_rows, .context = l};
    SOTTO_TRY(find_moments(l, &out->sources[k], window, err));
  }
done:
  sotto_i_free(window);
  return status;
}

static void central_layers_free(central_layers *layers) {
  for (uint32_t k = 0; layers->layers != NULL && k < layers->count; k++) {
    sotto_i_free(layers->layers[k].moments);
    sotto_tape_free(layers->layers[k].tape);
    sotto_i_row_room_free(&layers->layers[k].room);
  }
  sotto_i_free(layers->layers);
  sotto_i_free(layers->sources);
}

static sotto_var encoder_forward(void *model, const sotto_pass *pass, const sotto_i_batch *batch) {
  central *c = model;
  sotto_var x = sotto_i_split_rows_var(&c->inputs, pass->tape, batch);
  return sotto_mlp_apply(&c->head, c->encoder_params, pass,
                         sotto_mlp_apply(&c->encoder, c->encoder_params, pass, x));
}

static sotto_status train_encoder(central *c, sotto_i_outcome *out, sotto_error *err) {
  const sotto_options *o = c->job->options;
  sotto_i_stage stage = {.job = c->job, .name = "encoder", .epochs = o->encoder_epochs};
  sotto_i_task task = {
      .model = c, .params = c->encoder_params, .forward = encoder_forward, .batched = true, .key = &c->key};
  task.ranks = sotto_i_job_ranks(c->job);
  sotto_i_parted_learn(&task, &c->parted);
  return sotto_i_fit_and_measure(&out->quality.baseline_validation, &out->quality.baseline_test, &task,
                                 &stage, err);
}

/* Fills c->encoder_params and the baseline of `out`: from the cache, if it has the encoder of the same
 * data, seed and options, else by training, and stores the result there. The run's results are the same
 * either way. Without a cache, and at node level, where an encoder is a release, it is always trained. */
static sotto_status encoder_cached(central *c, sotto_i_outcome *out, sotto_error *err) {
  const sotto_options *o = c->job->options;
  char name[65], file[96];
  char *path = NULL;
  sotto_params *kept = NULL;
  sotto_status status;
  if (o->encoder_cache[0] == '\0' || o->adjacency == SOTTO_ADJACENCY_NODE) return train_encoder(c, out, err);
  cache_name(name, c->job);
  (void)snprintf(file, sizeof file, "%s.safetensors", name);
  SOTTO_TRY(sotto_i_make_folder(o->encoder_cache, err));
  SOTTO_TRY(sotto_i_join(&path, o->encoder_cache, file, err));
  SOTTO_TRY(measures_new(&kept, &c->key, err));
  float *values = sotto_params_value(kept, 0)->data;
  sotto_params *sets[halves] = {c->encoder_params, kept};
  if (sotto_i_is_file(path)) {
    SOTTO_TRY(sotto_params_load(sets, halves, path, err));
    for (int i = 0; i < measures; i++)
      *measure_of(out, i) = sotto_i_double_from_floats(values + pieces * (size_t)i);
  } else {
    SOTTO_TRY(train_encoder(c, out, err));
    for (int i = 0; i < measures; i++)
      sotto_i_double_to_floats(values + pieces * (size_t)i, *measure_of(out, i));
    SOTTO_TRY(sotto_params_save((const sotto_params *const *)sets, halves, path, NULL, 0, err));
  }
done:
  sotto_params_free(kept);
  sotto_i_free(path);
  return status;
}

/* Trains encoder and head on own features and labels alone, which costs nothing at edge level; measures
 * them (the baseline of `out`) and embeds all nodes. */
static sotto_status begin_seed(central *c, sotto_i_outcome *out, sotto_error *err) {
  const sotto_i_job *job = c->job;
  sotto_status status;
  out->quality.seed = job->seed;
  sotto_i_job_key(&c->key, job);
  SOTTO_TRY(sotto_i_parted_new(&c->parted, job, err));
  sotto_i_split_rows_set(&c->inputs, job->rows, 1, NULL, &c->parted.split);
  SOTTO_TRY(sotto_params_new(&c->encoder_params, err));
  SOTTO_TRY(sotto_params_new(&c->params, err));
  SOTTO_TRY(sotto_i_encoder_new(&c->encoder, c->encoder_params, "encoder", job->options, job->features->cols,
                                &c->key, err));
  c->encoder.options.input_dropout = (float)job->options->dropout;
  SOTTO_TRY(sotto_i_head_new(&c->head, c->encoder_params, "head", job->options, 0, job->data->classes,
                             &c->key, err));
  SOTTO_TRY(encoder_cached(c, out, err));
  sotto_i_split_rows_free(&c->inputs);
done:
  return status;
}

/* Makes or finds the release of the centred embeddings, and charges it. */
static sotto_status make_release(central *c, sotto_error *err) {
  sotto_matrix rows = {0};
  sotto_status status;
  const sotto_i_release_request request = {.inputs = &rows, .spent = true, .by_rows = true};
  const sotto_i_block *block = sotto_i_block_of(c->job->data);
  if (block != NULL) {
    SOTTO_TRY(sotto_i_embed_ranks(&rows, &c->encoder, c->encoder_params, c->job->rows, &c->key, block, err));
    SOTTO_TRY(sotto_i_centre_ranks(&rows, block, err));
  } else {
    SOTTO_TRY(sotto_i_embed_source(&rows, &c->encoder, c->encoder_params, c->job->rows, &c->key, err));
    SOTTO_TRY(sotto_i_centre_rows(&rows, err));
  }
  SOTTO_TRY(sotto_i_job_release(&c->release, c->job, &request, err));
done:
  sotto_matrix_free(&rows);
  return status;
}

/* Trains the classifier on the embeddings and every released layer but the first, which the embeddings
 * replace; measures it and saves the model. */
static sotto_status train_classifier(central *c, sotto_i_outcome *out, sotto_error *err) {
  const sotto_i_job *job = c->job;
  const uint32_t count = job->plan->options.layers + 1;
  sotto_status status;
  sotto_i_decoder decoder = {.params = NULL};
  central_layers layers = {.count = 0};
  sotto_i_stage stage = {.job = job, .name = "decoder", .epochs = job->options->epochs};
  SOTTO_I_CHECK(job->plan->grid.sigma == 0 || sotto_release_paid(c->release));
  SOTTO_TRY(central_layers_new(&layers, c, count, err));
  SOTTO_TRY(sotto_i_decoder_new(&decoder, c->params, job->options, count, layers.sources[0].cols, 0,
                                job->data->classes, &c->key, err));
  sotto_i_decoder_read_from(&decoder, layers.sources, NULL, &c->parted);
  sotto_i_task task = sotto_i_decoder_task(&decoder, c->params, &c->parted, &c->key);
  task.ranks = sotto_i_job_ranks(job);
  SOTTO_TRY(sotto_i_decoder_moments(&decoder, task.ranks, err));
  SOTTO_TRY(sotto_i_fit_and_measure(&out->quality.validation, &out->quality.test, &task, &stage, err));
  const sotto_params *sets[] = {c->encoder_params, c->params};
  SOTTO_TRY(sotto_i_job_save_model(job, sets, 2, err));
done:
  sotto_i_decoder_free(&decoder);
  central_layers_free(&layers);
  return status;
}

sotto_status sotto_i_central_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  central c = {.job = job};
  sotto_status status;
  SOTTO_TRY(begin_seed(&c, out, err));
  SOTTO_TRY(make_release(&c, err));
  SOTTO_TRY(train_classifier(&c, out, err));
done:
  sotto_i_parted_free(&c.parted);
  sotto_i_split_rows_free(&c.inputs);
  sotto_params_free(c.encoder_params);
  sotto_params_free(c.params);
  sotto_release_free(c.release);
  sotto_key_wipe(&c.key);
  return status;
}
