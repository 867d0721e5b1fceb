/* Predictions of VESPER as published: with noise from the rows that the training released. */
#ifndef SOTTO_SRC_METHODS_VESPER_AS_PUBLISHED_VESPER_PAPER_ANSWER_H
#define SOTTO_SRC_METHODS_VESPER_AS_PUBLISHED_VESPER_PAPER_ANSWER_H

#include "run/joint/joint.h"
#include "run/train/predict.h"

/* The method's hook `open`. With noise, other data is refused: the weights between its layers follow from
 * edges without noise, so no charge of a release of other data alone would cover the run's edges. */
sotto_status sotto_i_vesper_paper_open(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err);

/* In two processes: the hook `answer`, about the run's own nodes. The data party sends their rows again. */
#define SOTTO_I_VESPER_PAPER_SENDS                                                                           \
  "rows of all layers, as the run released them, of the nodes that are asked for"
sotto_status sotto_i_vesper_paper_answer(sotto_matrix *out, const sotto_i_joint *joint, sotto_error *err);

#endif
