/* Models that predict: one kind for each family of methods. */
#ifndef SOTTO_SRC_RUN_TRAIN_PREDICT_H
#define SOTTO_SRC_RUN_TRAIN_PREDICT_H

#include "run.h"
#include "sotto/model.h"

/* A kind computes in two steps: first a row from each node's own features, which is stored for all nodes,
 * then scores from these rows. */
typedef struct sotto_i_predictor {
  void *self; /* owned */
  /* out (fresh): rows computed from x, the features of nodes[0..x->rows); nodes NULL: of all nodes. */
  sotto_status (*rows)(void *self, sotto_matrix *out, const sotto_matrix *x, const uint32_t *nodes,
                       sotto_error *err);
  /* out (fresh): logits of nodes[0..count), from the rows of all nodes. */
  sotto_status (*scores)(void *self, sotto_matrix *out, const sotto_matrix *rows, const uint32_t *nodes,
                         size_t count, sotto_error *err);
  void (*free)(void *self);
  bool fixed; /* a node's scores depend only on its own row */
} sotto_i_predictor;

struct sotto_i_night;
/* Inputs for opening RUN/seed-N/model.safetensors, whose path is `file`. `fresh` as in sotto_model_options;
 * the job outlives the predictor. */
typedef struct sotto_i_opening {
  const sotto_i_job *job;
  const sotto_i_parted *parted;
  const sotto_dataset *graphs; /* the collection, where the job's data are its items; else NULL */
  const char *file;
  bool fresh;
  bool alone; /* nodes without neighbours: the job has no noise, and no release is read */
  bool own;   /* the job's data is the one that the run's releases were made of */
  /* For other data: the job of the releases that predictions need, stored in its folder or to be made and
   * charged; NULL: none may be made. */
  const sotto_i_job *release;
  const struct sotto_i_night *night; /* for other data that is a night of a plan (nights.h); else NULL */
  /* Over ranks: the rows that this rank answers for. The job's features have these alone, and so do the
   * predictor's rows, by whose places it is asked for scores. Releases are read, and none is made. NULL: all.
   */
  const struct sotto_i_window *window;
} sotto_i_opening;

/* For models that predict from stored releases. Errors: INVALID, with what to do, unless the data is the
 * run's own. */
sotto_status sotto_i_opening_check(const sotto_i_opening *from, sotto_error *err);
/* Over ranks: refuses answers that read edges. Errors: UNSUPPORTED. */
sotto_status sotto_i_opening_alone(const sotto_i_opening *from, sotto_error *err);
/* For models that answer about the run's own data alone (matrix.h): refuses other data. `way`: a way out. */
sotto_status sotto_i_opening_refuse(const sotto_i_opening *from, const char *way, sotto_error *err);

#endif
