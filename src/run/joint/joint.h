/* Answers of a finished run that two parties give together: each with its part of the model and its own data.
 */
#ifndef SOTTO_SRC_RUN_JOINT_JOINT_H
#define SOTTO_SRC_RUN_JOINT_JOINT_H

#include "run/method/method.h"

/* One role's end of a prediction. All members are borrowed. */
typedef struct sotto_i_joint {
  const sotto_i_job *job;       /* of the seed that answers; its cost is the plan of the training */
  const sotto_i_parted *parted; /* of the label party; NULL at the data party */
  sotto_role role;
  sotto_link *link;
  const char *file;      /* this party's part of the model */
  const uint32_t *nodes; /* that were asked for, ascending, each once */
  size_t count;
} sotto_i_joint;

#endif
