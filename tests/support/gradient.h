/* Checks an operation of a tape against what it should be: its function in double precision, and the central
 * differences of that function. */
#ifndef SOTTO_TESTS_SUPPORT_GRADIENT_H
#define SOTTO_TESTS_SUPPORT_GRADIENT_H

#include "base/random.h"
#include "sotto/tensor.h"

enum { GRADIENT_INPUTS = 3 };
#define GRADIENT_VALUE SIZE_MAX

/* A matrix in double precision. */
typedef struct gradient_matrix {
  double *data;
  size_t rows, cols;
} gradient_matrix;

/* An operation of `inputs` matrices. `reference` writes y, whose shape is that of the tape's value. */
typedef struct gradient_op {
  const char *name;
  size_t inputs;
  sotto_var (*apply)(const void *context, sotto_tape *tape, const sotto_var *x);
  void (*reference)(const void *context, gradient_matrix *y, const gradient_matrix *x);
  const void *context;
  double slack; /* values and gradients may be off by this, times max(1, |right|); 0 means 2e-5 */
} gradient_op;

/* Whether value and gradient are right for these inputs; otherwise `why` says what is not. The gradient is
 * checked at up to 16 random elements of each input, once where it is written (inputs) and once where it is
 * added to what stands (parameters). */
bool gradient_holds(const gradient_op *op, const sotto_matrix *x, sotto_i_random *random, char *why,
                    size_t size);

/* For an operation of one input that gives one number: a bound on the error of single precision in gradient
 * `at`, times `above`, added to `before`; or in the value, `at` GRADIENT_VALUE. */
typedef double (*gradient_error)(const void *context, const gradient_matrix *x, size_t at, double above,
                                 double before);
/* The same with such a bound in the place of the operation's slack. */
bool gradient_holds_within(const gradient_op *op, gradient_error error, const sotto_matrix *x,
                           sotto_i_random *random, char *why, size_t size);

/* Fails the test unless it does, for standard normal inputs of these shapes. Values nearer to 0 than 1e-3
 * are moved to 1e-3, away from kinks. */
void check_gradient(const gradient_op *op, const size_t shapes[][2], sotto_i_random *random);
void check_gradient_within(const gradient_op *op, gradient_error error, const size_t shapes[][2],
                           sotto_i_random *random);

#endif
