/* The record of a joint prediction: predictions.json. */
#ifndef SOTTO_SRC_RUN_JOINT_RECORD_H
#define SOTTO_SRC_RUN_JOINT_RECORD_H

#include "predicting.h"

/* Writes predictions.json into the run's folder: who learnt the predictions of how many nodes, and what
 * this party sent over its links. */
sotto_status sotto_i_joint_record(const sotto_i_predicting *p, size_t nodes, const sotto_i_links *links,
                                  sotto_error *err);

#endif
