/* Dense float32 matrices, and reverse-mode differentiation on a tape. */
#ifndef SOTTO_TENSOR_H
#define SOTTO_TENSOR_H

#include "sotto/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A row-major matrix; element (i, j) is data[i * cols + j]. Who made it with sotto_matrix_new frees it; a
 * matrix that a comment calls borrowed points into memory that somebody else owns. */
typedef struct sotto_matrix {
  float *data;
  size_t rows, cols;
} sotto_matrix;

/* A zeroed matrix, its data aligned to 64 bytes. Errors: NOMEM. */
SOTTO_API sotto_status sotto_matrix_new(sotto_matrix *out, size_t rows, size_t cols, sotto_error *err);
/* Frees and zeroes; a zeroed matrix is fine. */
SOTTO_API void sotto_matrix_free(sotto_matrix *matrix);

/* A tape records operations as they are computed, and runs them backwards. Its memory is kept by a reset, so
 * a training loop allocates only in its first step. A failed operation (no memory, shapes that do not fit) is
 * remembered and makes every later one void; it is reported once, by sotto_tape_backward or sotto_tape_check,
 * so that model code reads like the mathematics. One tape belongs to one thread at a time; kernels run on the
 * pool. Results do not depend on the number of threads. */
typedef struct sotto_tape sotto_tape;

/* A value on a tape, good until the next reset. */
typedef struct sotto_var {
  uint32_t index;
} sotto_var;

SOTTO_API sotto_status sotto_tape_new(sotto_tape **out, sotto_error *err);
SOTTO_API void sotto_tape_free(sotto_tape *tape);
/* Forgets all values and any failure; keeps the memory. */
SOTTO_API void sotto_tape_reset(sotto_tape *tape);
/* The first failure since the last reset, or SOTTO_OK. */
SOTTO_API sotto_status sotto_tape_check(const sotto_tape *tape, sotto_error *err);

/* Leaves. The matrices are borrowed until the next reset (one that is fixed until the tape is freed). A
 * parameter's gradient is added to *gradient, which has the shape of *value; a constant has no gradient. An
 * input is a constant whose gradient is wanted and kept on the tape (read it with sotto_tape_gradient after
 * backward). */
SOTTO_API sotto_var sotto_tape_constant(sotto_tape *tape, const sotto_matrix *value);
SOTTO_API sotto_var sotto_tape_input(sotto_tape *tape, const sotto_matrix *value);
SOTTO_API sotto_var sotto_tape_parameter(sotto_tape *tape, const sotto_matrix *value, sotto_matrix *gradient);

/* The value (n x m) and, after backward, the gradient of a variable: borrowed, good until the next reset. The
 * gradient of a variable that the loss does not depend on is zero; that of a constant has no data. */
SOTTO_API sotto_matrix sotto_tape_value(const sotto_tape *tape, sotto_var x);

/* Operations. Shapes: x is n x d unless said otherwise. */
SOTTO_API sotto_var sotto_tape_matmul(sotto_tape *tape, sotto_var a, sotto_var b); /* (n x k)(k x m) */
SOTTO_API sotto_var sotto_tape_relu(sotto_tape *tape, sotto_var x);
SOTTO_API sotto_var sotto_tape_selu(sotto_tape *tape, sotto_var x); /* Klambauer et al. 2017 */
/* Each element is kept with probability 1 - rate and scaled by 1 / (1 - rate). 0 <= rate < 1. The mask is the
 * stream (key, dropout, sub = layer, index = step * 2^24 + block of rows): repeatable, thread-independent. Of
 * a fixed matrix that is mostly 0, entries alone are drawn for. */
SOTTO_API sotto_var sotto_tape_dropout(sotto_tape *tape, sotto_var x, float rate, const sotto_key *key,
                                       uint32_t layer, uint64_t step);
/* Rows scaled to unit Euclidean norm; a row whose norm is below 1e-12 stays zero (its gradient is zero). */
SOTTO_API sotto_var sotto_tape_normalise_rows(sotto_tape *tape, sotto_var x);
/* Batch normalisation over rows (Ioffe and Szegedy 2015), eps 1e-5. gamma, beta: 1 x d. With `training`, uses
 * the batch's mean and biased variance and moves the running ones (1 x d each, borrowed) by `momentum`
 * towards the batch's mean and unbiased variance; otherwise uses the running ones. */
SOTTO_API sotto_var sotto_tape_batch_norm(sotto_tape *tape, sotto_var x, sotto_var gamma, sotto_var beta,
                                          sotto_matrix *running_mean, sotto_matrix *running_variance,
                                          float momentum, bool training);

/* Runs backwards from a 1 x 1 loss, or from any variable with a given gradient of its shape (borrowed): the
 * two sides of split learning. May be called once between resets. Errors: the tape's first failure; INVALID
 * when the shape is wrong; NUMERIC when the loss is not finite. */
SOTTO_API sotto_status sotto_tape_backward_from(sotto_tape *tape, sotto_var x, const sotto_matrix *gradient,
                                                sotto_error *err);

#ifdef __cplusplus
}
#endif

#endif
