/* One measure of quality by itself: training loops look at one in each epoch, and an area under a curve takes
 * a sort for each class. */
#ifndef SOTTO_SRC_NN_QUALITY_H
#define SOTTO_SRC_NN_QUALITY_H

#include "sotto/nn.h"

/* The member of sotto_quality that `measure` names, of all rows of scores, as sotto_quality_measure has it.
 * Errors: of that. */
sotto_status sotto_i_quality_one(double *out, sotto_measure measure, const sotto_matrix *scores,
                                 const int32_t *labels, size_t count, sotto_error *err);

#endif
