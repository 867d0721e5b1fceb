/* Dense float32 matrices, and reverse-mode automatic differentiation on a tape. */
#ifndef SOTTO_TENSOR_H
#define SOTTO_TENSOR_H

#include "sotto/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A row-major matrix: element (i, j) is data[i * cols + j]. The caller of sotto_matrix_new frees it. A
 * matrix that a comment calls borrowed points to memory of another owner. */
typedef struct sotto_matrix {
  float *data;
  size_t rows, cols;
} sotto_matrix;

/* Makes a zeroed matrix, aligned to 64 bytes. Errors: NOMEM. */
SOTTO_API sotto_status sotto_matrix_new(sotto_matrix *out, size_t rows, size_t cols, sotto_error *err);
/* Frees and zeroes; a zeroed matrix is allowed. */
SOTTO_API void sotto_matrix_free(sotto_matrix *matrix);

/* A tape records operations as they are computed, and differentiates them in reverse.
 *
 * - A reset keeps the memory, so a training loop allocates only in its first step.
 * - The first failure (no memory, shapes that do not fit) makes every later operation void.
 *   sotto_tape_backward or sotto_tape_check reports it once, so model code reads like the mathematics.
 * - One thread at a time may use a tape; kernels run on the thread pool. Results do not depend on the
 *   number of threads. */
typedef struct sotto_tape sotto_tape;

/* A value on a tape, valid until the next reset. */
typedef struct sotto_var {
  uint32_t index;
} sotto_var;

SOTTO_API sotto_status sotto_tape_new(sotto_tape **out, sotto_error *err);
SOTTO_API void sotto_tape_free(sotto_tape *tape);
/* Forgets all values and any failure; keeps the memory. */
SOTTO_API void sotto_tape_reset(sotto_tape *tape);
/* The first failure since the last reset, or SOTTO_OK. */
SOTTO_API sotto_status sotto_tape_check(const sotto_tape *tape, sotto_error *err);

/* Leaves of the tape. Matrices are borrowed until the next reset (fixed ones until the tape is freed).
 *
 * - parameter: its gradient is added to *gradient, which has the shape of *value.
 * - constant: has no gradient.
 * - input: a constant with a gradient on the tape; read it with sotto_tape_gradient after backward. */
SOTTO_API sotto_var sotto_tape_constant(sotto_tape *tape, const sotto_matrix *value);
SOTTO_API sotto_var sotto_tape_input(sotto_tape *tape, const sotto_matrix *value);
SOTTO_API sotto_var sotto_tape_parameter(sotto_tape *tape, const sotto_matrix *value, sotto_matrix *gradient);

/* The value (n x m) and, after backward, the gradient of a variable: borrowed, valid until the next reset.
 * The gradient of a variable that the loss does not depend on is zero; that of a constant has no data. */
SOTTO_API sotto_matrix sotto_tape_value(const sotto_tape *tape, sotto_var x);

/* Operations. Shapes: x is n x d unless stated otherwise. */
SOTTO_API sotto_var sotto_tape_matmul(sotto_tape *tape, sotto_var a, sotto_var b); /* (n x k)(k x m) */
SOTTO_API sotto_var sotto_tape_relu(sotto_tape *tape, sotto_var x);
SOTTO_API sotto_var sotto_tape_selu(sotto_tape *tape, sotto_var x); /* Klambauer et al. 2017 */
/* Keeps each element with probability 1 - rate and scales it by 1 / (1 - rate); 0 <= rate < 1. The mask is
 * the stream (key, dropout, sub = layer, index = step * 2^24 + block of rows): reproducible for any number
 * of threads. For a fixed matrix that is mostly 0, only its entries are drawn. */
SOTTO_API sotto_var sotto_tape_dropout(sotto_tape *tape, sotto_var x, float rate, const sotto_key *key,
                                       uint32_t layer, uint64_t step);
/* Scales rows to unit Euclidean norm. A row whose norm is below 1e-12 becomes zero, with gradient zero. */
SOTTO_API sotto_var sotto_tape_normalise_rows(sotto_tape *tape, sotto_var x);
/* Batch normalisation over rows (Ioffe and Szegedy 2015), eps 1e-5. gamma, beta: 1 x d. With `training`:
 * uses the mean and biased variance of the batch, and moves the running ones (1 x d each, borrowed) by
 * `momentum` towards its mean and unbiased variance. Otherwise: uses the running ones. */
SOTTO_API sotto_var sotto_tape_batch_norm(sotto_tape *tape, sotto_var x, sotto_var gamma, sotto_var beta,
                                          sotto_matrix *running_mean, sotto_matrix *running_variance,
                                          float momentum, bool training);

/* Runs backward from any variable with a given gradient of its shape (borrowed), as in split learning. At
 * most once between resets. Errors: the tape's first failure; INVALID (shape). */
SOTTO_API sotto_status sotto_tape_backward_from(sotto_tape *tape, sotto_var x, const sotto_matrix *gradient,
                                                sotto_error *err);

#ifdef __cplusplus
}
#endif

#endif
