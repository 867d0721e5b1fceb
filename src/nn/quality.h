/* One of the measures of quality, as training loops select epochs by it. */
#ifndef SOTTO_SRC_NN_QUALITY_H
#define SOTTO_SRC_NN_QUALITY_H

#include "sotto/nn.h"

/* Nothing was measured: all are NAN. */
sotto_quality sotto_i_quality_none(void);
double sotto_i_quality_value(const sotto_quality *quality, sotto_measure measure);
/* One measure alone, of all rows of scores. Training loops need one in each epoch, and an area under a curve
 * sorts once for each class (quality.c). Errors: those of sotto_quality_measure; INVALID (a measure of
 * numbers). */
sotto_status sotto_i_quality_one(double *out, sotto_measure measure, const sotto_matrix *scores,
                                 const int32_t *labels, size_t count, sotto_error *err);

/* The measures of numbers, over all rows of `predicted`, count x 1. Errors: INVALID (another shape); RANGE (a
 * number that is not finite), naming the row. */
sotto_status sotto_i_number_quality(sotto_quality *out, const sotto_matrix *predicted, const float *numbers,
                                    size_t count, sotto_error *err);

#endif
