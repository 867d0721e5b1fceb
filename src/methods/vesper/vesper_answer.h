/* Answers of a finished run by its two parties together: one role of a prediction, and what the data party
 * sends in it. */
#ifndef SOTTO_SRC_METHODS_VESPER_VESPER_ANSWER_H
#define SOTTO_SRC_METHODS_VESPER_VESPER_ANSWER_H

#include "run/joint/joint.h"

extern const char sotto_i_vesper_counts_sends[];
sotto_status sotto_i_vesper_counts_answer(sotto_matrix *out, const sotto_i_joint *joint, sotto_error *err);
/* Of layers; of a perceptron on features alone, which is another method's. */
extern const char sotto_i_vesper_layers_sends[], sotto_i_two_parties_sends[];
sotto_status sotto_i_vesper_layers_answer(sotto_matrix *out, const sotto_i_joint *joint, sotto_error *err);

#endif
