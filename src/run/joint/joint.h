/* Joint predictions of a finished run by its parties, each with its part of the model and its own data. */
#ifndef SOTTO_SRC_RUN_JOINT_JOINT_H
#define SOTTO_SRC_RUN_JOINT_JOINT_H

#include "run/method/method.h"

/* One role's inputs to a prediction. All members are borrowed. */
typedef struct sotto_i_joint {
  const sotto_i_job *job;       /* of the predicting seed; its cost is the plan of the training */
  const sotto_i_parted *parted; /* at the label party or holder; NULL elsewhere */
  sotto_role role;
  uint32_t number;       /* number of a holder, from 1 */
  sotto_link *link;      /* if there are two parties */
  sotto_link **links;    /* if there are several: as in a session (run/parties/roles.h) */
  const char *file;      /* this party's part of the model */
  bool together;         /* all parties are in this process: the file has all parts, and one account pays */
  const uint32_t *nodes; /* requested nodes, ascending, each once */
  size_t count;
  /* Set for other data than the run's own, none of whose nodes trained. At the data party it gives the job of
   * that data's release with so many layers or rounds, which is stored or begun. NULL: the run's own data. */
  sotto_status (*release)(void *context, const sotto_i_job **out, uint64_t layers, sotto_error *err);
  void *context;
  double epsilon; /* of that release, agreed on by both parties */
} sotto_i_joint;

#endif
