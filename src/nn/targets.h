/* What a fit learns, and the loss that follows: the mean squared error of numbers, or the cross entropy of
 * classes, also of labels that went through randomised response (forward correction: Patrini et al. 2017). */
#ifndef SOTTO_SRC_NN_TARGETS_H
#define SOTTO_SRC_NN_TARGETS_H

#include "sotto/nn.h"

/* What the rows of a part should give: classes, or numbers. With a flip, classes are as reported by
 * randomised response: the true one with probability 1 - flip, else each other class with equal probability.
 * flip 0: true classes. */
typedef struct sotto_i_targets {
  const int32_t *classes; /* one per row; borrowed */
  const float *numbers;   /* not NULL: instead of classes, one per row, finite; borrowed */
  size_t count;
  double flip;
  const double *weights; /* of classes, one per column of the outputs, above 0: how much a row of the class
                            counts; NULL: all alike. Not together with a flip. Borrowed */
  double deviation;      /* of numbers: losses count differences in it; 0: in the numbers' own unit */
} sotto_i_targets;

/* Rows begin to begin + count - 1 of them. */
sotto_i_targets sotto_i_targets_rows(const sotto_i_targets *targets, size_t begin, size_t count);

/* The loss of a training step, 1 x 1. Of classes: the mean over i < count of -log q_i[classes[i]], with
 * q = (1 - flip) p + flip (1 - p)/(columns - 1) and p the softmax of row i of `outputs`, count x columns.
 * Over many reports its mean is least where p is the distribution of the true class. With weights w: the mean
 * of -w[c] log softmax(outputs[i] + log w)[c], c = classes[i]; its mean is least at that p too, since the
 * shift by log w takes out what the factor w[c] brings in. Of numbers: the mean of
 * ((outputs[i] - numbers[i]) / deviation)^2, with outputs count x 1. `targets` is borrowed until the next
 * reset of the tape. The tape fails with RANGE for a class that is not below the number of columns and for a
 * number that is not finite, and with INVALID for outputs of another shape. */
sotto_var sotto_i_targets_loss(sotto_tape *tape, sotto_var outputs, const sotto_i_targets *targets);

/* The loss of validation: the mean of -log softmax(outputs[i])[classes[i]], whatever the flip, or the mean
 * squared error of numbers. Classes and shapes have to be right, which both calls below check. */
double sotto_i_targets_mean_loss(const sotto_matrix *outputs, const sotto_i_targets *targets);
/* The measure that selects an epoch, of which more is better: any measure of classes, or R2 of numbers.
 * Errors: those of all measures, below; INVALID (another measure). */
sotto_status sotto_i_targets_value(double *out, sotto_measure measure, const sotto_matrix *outputs,
                                   const sotto_i_targets *targets, sotto_error *err);
/* All measures. Errors: those of sotto_quality_measure, or of sotto_number_quality. */
sotto_status sotto_i_targets_quality(sotto_quality *out, const sotto_matrix *outputs,
                                     const sotto_i_targets *targets, sotto_error *err);

#endif
