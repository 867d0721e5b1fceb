/* What a prediction leaves behind beside its answers: predictions.json. */
#ifndef SOTTO_SRC_RUN_JOINT_RECORD_H
#define SOTTO_SRC_RUN_JOINT_RECORD_H

#include "sotto/methods.h"

const char *sotto_i_learns_name(sotto_learns learns);

/* Writes FOLDER/predictions.json: who learnt the answers, and what this party sent over the link. */
sotto_status sotto_i_joint_record(const char *folder, const sotto_asking *asking, uint64_t seed, size_t nodes,
                                  const char *role, const sotto_link *link, sotto_error *err);

#endif
