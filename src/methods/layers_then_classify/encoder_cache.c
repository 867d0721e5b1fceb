/* The cache of encoders: a safetensors file each, with the baseline's measures as one more tensor. */
#include "encoder_cache.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "nn/inside/nn.h"
#include "nn/state.h"
#include "run/settings/options.h"

enum { measures = 6, pieces = SOTTO_I_DOUBLE_FLOATS, halves = 2 };

/* Options that come after the encoder, or that name places. Any other one is part of the name, so an option
 * that is not known here costs a training and nothing else. */
static const char *const later[] = {"method",
                                    "data",
                                    "target",
                                    "min-class-size",
                                    "nodes",
                                    "aggregator",
                                    "layers",
                                    "degree-floor",
                                    "contraction",
                                    "alpha",
                                    "beta",
                                    "decoder",
                                    "combine",
                                    "adjacency",
                                    "read-share",
                                    "epsilon",
                                    "delta",
                                    "epochs",
                                    "perturbation",
                                    "density-share",
                                    "batch-rate",
                                    "clip",
                                    "steps",
                                    "seeds",
                                    "seed",
                                    "insecure-seed",
                                    "ledger",
                                    "account",
                                    "not-private",
                                    "out",
                                    "threads",
                                    "resume",
                                    "encoder-cache",
                                    "record-wire",
                                    "release-activation",
                                    "decoder-activation"};

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

/* By what the encoder is made of, and by nothing else: a name that followed from edges would show them. */
static void name_of(char out[65], const sotto_i_job *job) {
  crypto_generichash_state hash;
  uint8_t bytes[32];
  size_t count;
  const sotto_option_info *infos = sotto_i_option_infos(&count);
  (void)crypto_generichash_init(&hash, NULL, 0, sizeof bytes);
  hash_nodes(&hash, job->data);
  (void)crypto_generichash_update(&hash, (const uint8_t *)SOTTO_VERSION, sizeof SOTTO_VERSION);
  /* A shuffle for k folds is the first seed's. */
  const uint64_t seeds[2] = {job->seed,
                             job->options->split == SOTTO_SPLITTING_KFOLD ? job->options->seed : 0};
  (void)crypto_generichash_update(&hash, (const uint8_t *)seeds, sizeof seeds);
  for (size_t i = 0; i < count; i++) {
    char value[1024], line[1100];
    bool left_out = false;
    for (size_t k = 0; k < sizeof later / sizeof *later; k++) left_out |= strcmp(infos[i].key, later[k]) == 0;
    if (left_out) continue;
    sotto_option_text(job->options, i, value, sizeof value);
    int size = snprintf(line, sizeof line, "%s=%s\n", infos[i].key, value);
    (void)crypto_generichash_update(&hash, (const uint8_t *)line, (size_t)size);
  }
  (void)crypto_generichash_final(&hash, bytes, sizeof bytes);
  sotto_i_hex(out, bytes, sizeof bytes);
}

static double *measure(sotto_i_outcome *out, int i) {
  sotto_quality *q = i < 3 ? &out->quality.baseline_validation : &out->quality.baseline_test;
  double *const values[3] = {&q->accuracy, &q->auc, &q->macro_f1};
  return values[i % 3];
}

static sotto_status measures_new(sotto_params **out, const sotto_key *key, sotto_error *err) {
  size_t number;
  sotto_status status;
  SOTTO_TRY(sotto_params_new(out, err));
  SOTTO_TRY(sotto_params_add(*out, &number, "cache.baseline", measures, pieces, SOTTO_INIT_ZERO, 0, false,
                             key, err));
done:
  return status;
}

sotto_status sotto_i_encoder_cached(sotto_i_central *c, sotto_i_outcome *out,
                                    sotto_status (*train)(sotto_i_central *c, sotto_i_outcome *out,
                                                          sotto_error *err),
                                    sotto_error *err) {
  const sotto_options *o = c->job->options;
  char name[65], file[96];
  char *path = NULL;
  sotto_params *kept = NULL;
  sotto_status status;
  if (o->encoder_cache[0] == '\0' || o->adjacency == SOTTO_ADJACENCY_NODE) return train(c, out, err);
  name_of(name, c->job);
  (void)snprintf(file, sizeof file, "%s.safetensors", name);
  SOTTO_TRY(sotto_i_make_folder(o->encoder_cache, err));
  SOTTO_TRY(sotto_i_join(&path, o->encoder_cache, file, err));
  SOTTO_TRY(measures_new(&kept, &c->key, err));
  float *values = sotto_params_value(kept, 0)->data;
  sotto_params *sets[halves] = {c->encoder_params, kept};
  if (sotto_i_is_file(path)) {
    SOTTO_TRY(sotto_params_load(sets, halves, path, err));
    for (int i = 0; i < measures; i++)
      *measure(out, i) = sotto_i_double_from_floats(values + pieces * (size_t)i);
  } else {
    SOTTO_TRY(train(c, out, err));
    for (int i = 0; i < measures; i++)
      sotto_i_double_to_floats(values + pieces * (size_t)i, *measure(out, i));
    SOTTO_TRY(sotto_params_save((const sotto_params *const *)sets, halves, path, NULL, 0, err));
  }
done:
  sotto_params_free(kept);
  sotto_i_free(path);
  return status;
}
