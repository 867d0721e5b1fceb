/* Batches of training nodes of VESPER as published. Both parties draw the same ones, from the public seed:
 * what is charged counts on no secret batch. */
#ifndef SOTTO_SRC_METHODS_VESPER_AS_PUBLISHED_VESPER_PAPER_BATCHES_H
#define SOTTO_SRC_METHODS_VESPER_AS_PUBLISHED_VESPER_PAPER_BATCHES_H

#include "run/method/method.h"

typedef struct sotto_i_paper_batches {
  sotto_key key;
  uint32_t *place; /* in the training part, of all training nodes; the first `size` are the batch */
  size_t roots, size;
} sotto_i_paper_batches;

/* Errors: NOMEM. Free it in any case. */
sotto_status sotto_i_paper_batches_new(sotto_i_paper_batches *out, const sotto_i_job *job, size_t roots,
                                       size_t size, sotto_error *err);
void sotto_i_paper_batches_free(sotto_i_paper_batches *batches);
/* The batch of a step, after those of all steps before it: a shuffle that continues from step to step. */
void sotto_i_paper_batches_draw(sotto_i_paper_batches *batches, uint64_t step);

#endif
