/* Predictions of a finished run by its parties together: each with its part of the model and its own data. */
#ifndef SOTTO_SRC_RUN_JOINT_JOINT_H
#define SOTTO_SRC_RUN_JOINT_JOINT_H

#include "run/method/method.h"

/* One role's end of a prediction. All members are borrowed. */
typedef struct sotto_i_joint {
  const sotto_i_job *job;       /* of the seed that answers; its cost is the plan of the training */
  const sotto_i_parted *parted; /* of the label party or holder; NULL elsewhere */
  sotto_role role;
  uint32_t number;       /* of a holder, from 1 */
  sotto_link *link;      /* of two parties */
  sotto_link **links;    /* of several: as in a session (run/parties/roles.h) */
  const char *file;      /* this party's part of the model */
  const uint32_t *nodes; /* that were asked for, ascending, each once */
  size_t count;
  /* Of other data than the run's own: every node is one that did not train. Then, at the data party: the job
   * of its release, of so many layers or rounds, kept or begun. NULL: it is the run's own data. */
  sotto_status (*release)(void *context, const sotto_i_job **out, uint64_t layers, sotto_error *err);
  void *context;
  double epsilon; /* of that release, on which both agreed */
} sotto_i_joint;

#endif
