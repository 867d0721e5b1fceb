/* Measures of quality: accuracy, F1, AUC, confusion matrix and calibration of classes; R2, RMSE and MAE of
 * numbers. */
#ifndef SOTTO_NN_H
#define SOTTO_NN_H

#include "sotto/choices.h"
#include "sotto/dp.h"
#include "sotto/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Measures over rows[0..count) of n x classes scores; `labels` has one class per row of scores.
 * - accuracy: share of rows whose largest score (first on ties) is the label.
 * - macro_f1: mean of the F1 score over the classes that are present or predicted, as in scikit-learn. A
 * class of which neither holds, such as a declared one without nodes, has none.
 * - auc: area under the ROC curve, ties counted half. Two classes: score of class 1 for label 1. More: the
 *   mean of one-against-rest over the classes that have both members and non-members among the rows. It uses
 *   the softmax of each row.
 *
 * Scores should be probabilities or logits. A measure is NAN where it is undefined: without rows, and auc
 * also with one class or with scores that are NAN.
 *
 * Of numbers, in the unit of the numbers, over n rows of predictions p and numbers y:
 * - r2: 1 - sum (y - p)^2 / sum (y - mean of y)^2, as in scikit-learn. Where all y are equal it is 1 if every
 * p is right, else 0.
 * - rmse: square root of the mean of (y - p)^2.
 * - mae: mean of |y - p|.
 * They are NAN without rows, and where a prediction is not finite. Measures of classes are NAN for numbers,
 * and those of numbers for classes. */
typedef struct sotto_quality {
  double of[SOTTO_MEASURES]; /* by sotto_measure */
} sotto_quality;
/* The measures of numbers, over all rows of `predicted`, count x 1. Errors: INVALID (another shape); RANGE (a
 * number that is not finite), naming the row. */
SOTTO_API sotto_status sotto_number_quality(sotto_quality *out, const sotto_matrix *predicted,
                                            const float *numbers, size_t count, sotto_error *err);
/* Accuracy alone, without allocation. */
SOTTO_API double sotto_accuracy(const sotto_matrix *scores, const int32_t *labels, const uint32_t *rows,
                                size_t count);

/* Confusion matrix over rows as above: counts[true][predicted] of the listed classes, ascending. Up to
 * SOTTO_CONFUSION_CLASSES classes are all listed. Of more, the SOTTO_CONFUSION_LARGEST classes with the most
 * rows are listed (lower numbers first on ties), and one last line and column has all other classes together:
 * its diagonal entry includes errors among these. Errors: RANGE (a label), naming the row; NOMEM. */
enum { SOTTO_CONFUSION_CLASSES = 20, SOTTO_CONFUSION_LARGEST = 10 };
typedef struct sotto_confusion {
  size_t listed, lines; /* lines is listed, or one more with the rest */
  uint32_t classes[SOTTO_CONFUSION_CLASSES];
  uint64_t counts[SOTTO_CONFUSION_CLASSES][SOTTO_CONFUSION_CLASSES];
} sotto_confusion;
SOTTO_API sotto_status sotto_confusion_measure(sotto_confusion *out, const sotto_matrix *scores,
                                               const int32_t *labels, const uint32_t *rows, size_t count,
                                               sotto_error *err);

/* Calibration over rows as above (Guo et al. 2017, equation 5). bins[b] has the rows whose predicted class
 * has a probability above b / 10 and up to (b + 1) / 10; without rows its mean probability and accuracy are
 * NAN. error: the expected calibration error, the mean over rows of |accuracy - mean probability| of their
 * bin; NAN without rows. The scores are probabilities. Errors: RANGE (a label, or a predicted class's
 * probability outside 0 to 1), naming the row. */
enum { SOTTO_CALIBRATION_BINS = 10 };
typedef struct sotto_calibration {
  double error;
  struct sotto_calibration_bin {
    uint64_t count;
    double probability, accuracy;
  } bins[SOTTO_CALIBRATION_BINS];
} sotto_calibration;
SOTTO_API sotto_status sotto_calibration_measure(sotto_calibration *out, const sotto_matrix *probabilities,
                                                 const int32_t *labels, const uint32_t *rows, size_t count,
                                                 sotto_error *err);

#ifdef __cplusplus
}
#endif

#endif
