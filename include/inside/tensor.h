/* Tape operations that other rooms call and the public header does not offer. */
#ifndef SOTTO_INSIDE_TENSOR_H
#define SOTTO_INSIDE_TENSOR_H

#include "sotto/tensor.h"

/* A constant that does not change until the tape is freed, such as features in training. The tape inspects
 * it once; if it is mostly 0, products with it as the first factor skip the zeros. */
sotto_var sotto_tape_fixed(sotto_tape *tape, const sotto_matrix *value);

sotto_matrix sotto_tape_gradient(const sotto_tape *tape, sotto_var x);
/* Copies the value into new memory that the caller frees. Errors: the tape's failure, NOMEM. */
sotto_status sotto_tape_copy(sotto_matrix *out, const sotto_tape *tape, sotto_var x, sotto_error *err);

sotto_var sotto_tape_add(sotto_tape *tape, sotto_var a, sotto_var b);      /* same shape */
sotto_var sotto_tape_subtract(sotto_tape *tape, sotto_var a, sotto_var b); /* same shape */
sotto_var sotto_tape_multiply(sotto_tape *tape, sotto_var a, sotto_var b); /* same shape, by element */
sotto_var sotto_tape_scale(sotto_tape *tape, sotto_var x, float factor);
sotto_var sotto_tape_add_row(sotto_tape *tape, sotto_var x, sotto_var bias); /* bias is 1 x d */
/* x W + 1 bias in one pass: x is n x k, weight k x m, bias 1 x m. */
sotto_var sotto_tape_linear(sotto_tape *tape, sotto_var x, sotto_var weight, sotto_var bias);
sotto_var sotto_tape_tanh(sotto_tape *tape, sotto_var x);
sotto_var sotto_tape_sigmoid(sotto_tape *tape, sotto_var x);
/* [a | b]: same number of rows. */
sotto_var sotto_tape_concat(sotto_tape *tape, sotto_var a, sotto_var b);
/* Columns [begin, end) of x. */
sotto_var sotto_tape_columns(sotto_tape *tape, sotto_var x, size_t begin, size_t end);
/* Rows x[index[i]], in order; repeats are allowed (their gradients add up in a fixed order). `index` is
 * borrowed until the next reset. An entry >= n fails the tape with RANGE. */
sotto_var sotto_tape_gather_rows(sotto_tape *tape, sotto_var x, const uint32_t *index, size_t count);
/* Mean over i of -log softmax(x[rows[i]])[labels[rows[i]]]: 1 x 1. `rows` NULL: rows 0 to count - 1.
 * `labels` has one class per row of x; the used ones must be in [0, d). Both are borrowed until the next
 * reset. */
sotto_var sotto_tape_cross_entropy(sotto_tape *tape, sotto_var x, const int32_t *labels, const uint32_t *rows,
                                   size_t count);
/* Sum of all elements: 1 x 1. */
sotto_var sotto_tape_sum(sotto_tape *tape, sotto_var x);

/* An operation y = f(x) of another room; y has shape rows x cols. `forward` writes y, which is not zeroed;
 * `backward` adds to dx and may read x and y. `context` must outlive the tape's next reset. */
typedef struct sotto_tape_op {
  const char *name;
  sotto_status (*forward)(const void *context, sotto_matrix *y, const sotto_matrix *x, sotto_error *err);
  sotto_status (*backward)(const void *context, sotto_matrix *dx, const sotto_matrix *dy,
                           const sotto_matrix *x, const sotto_matrix *y, sotto_error *err);
} sotto_tape_op;
sotto_var sotto_tape_custom(sotto_tape *tape, sotto_var x, size_t rows, size_t cols, const sotto_tape_op *op,
                            const void *context);

/* Runs backward from a 1 x 1 loss. At most once between resets. Errors: the tape's first failure; INVALID
 * (shape); NUMERIC (the loss is not finite). */
sotto_status sotto_tape_backward(sotto_tape *tape, sotto_var loss, sotto_error *err);

#endif
