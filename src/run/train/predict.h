/* Models that answer: one kind for each family of methods. */
#ifndef SOTTO_SRC_RUN_TRAIN_PREDICT_H
#define SOTTO_SRC_RUN_TRAIN_PREDICT_H

#include "run.h"
#include "sotto/model.h"

/* A kind reads features in two steps: what a node's own features make of each row by itself, which is kept
 * for all nodes, and what the rest makes of that. */
typedef struct sotto_i_predictor {
  void *self; /* owned */
  /* out (fresh): rows of x, the features of nodes[0..x->rows); nodes NULL: of all. */
  sotto_status (*rows)(void *self, sotto_matrix *out, const sotto_matrix *x, const uint32_t *nodes,
                       sotto_error *err);
  /* out (fresh): logits of nodes[0..count), from the rows of all. */
  sotto_status (*scores)(void *self, sotto_matrix *out, const sotto_matrix *rows, const uint32_t *nodes,
                         size_t count, sotto_error *err);
  void (*free)(void *self);
  bool fixed; /* scores of a node read its own row alone */
} sotto_i_predictor;

struct sotto_i_night;
/* Each opens RUN/seed-N/model.safetensors, whose path is `file`. `fresh` as in sotto_model_options; the job
 * lives as long as the predictor. */
typedef struct sotto_i_opening {
  const sotto_i_job *job;
  const sotto_i_parted *parted;
  const char *file;
  bool fresh;
  bool own; /* the job's data is what the run's releases were made of */
  /* Of other data: the job of the releases that the answers need, kept in its folder or to be made and
   * charged; NULL: none may be made. */
  const sotto_i_job *release;
  const struct sotto_i_night *night; /* of other data, as a night of a plan (nights.h); NULL: it is none */
} sotto_i_opening;

/* For models that answer from what the run keeps. Errors: INVALID, and what to do, unless the data is its
 * own.
 */
sotto_status sotto_i_opening_check(const sotto_i_opening *from, sotto_error *err);

#endif
