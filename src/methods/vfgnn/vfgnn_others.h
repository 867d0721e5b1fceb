/* One role of an answer about other data: its part of the model, loaded, and its protocol. The roles are
 * processes of their own (vfgnn_others.c), or threads of one (vfgnn_open.c). */
#ifndef SOTTO_SRC_METHODS_VFGNN_VFGNN_OTHERS_H
#define SOTTO_SRC_METHODS_VFGNN_VFGNN_OTHERS_H

#include "run/joint/joint.h"
#include "vfgnn.h"
#include "vfgnn_corrected.h"

/* Set `joint`, and in one process `part` to `opened`; sotto_i_vfgnn_others_begin sets the rest. */
typedef struct sotto_i_vfgnn_others {
  const sotto_i_joint *joint;
  const sotto_dataset *part;      /* a holder's part of the job's data; NULL: all of it */
  sotto_matrix features;          /* its scaled features, owned; empty: they are still to be scaled */
  const sotto_matrix *opened;     /* as in sotto_i_vfgnn */
  sotto_i_vfgnn shared, released; /* of the run; of the release of this data */
  uint32_t rounds;                /* with counts: that are read, at most those of the run */
} sotto_i_vfgnn_others;

void sotto_i_vfgnn_others_begin(sotto_i_vfgnn_others *others);
void sotto_i_vfgnn_others_end(sotto_i_vfgnn_others *others);
/* `out` (fresh): scores of the requested nodes, only at the label holder. Errors: those of files and links,
 * of the release, and of a holder's data. */
sotto_status sotto_i_vfgnn_others_run(sotto_matrix *out, sotto_i_vfgnn_others *others, sotto_error *err);

/* The label holder's output layers and corrections, and the sets of a holder's part of the model. */
typedef struct sotto_i_vfgnn_model {
  sotto_i_vfgnn_labels labels;
  sotto_i_vfgnn_corrected corrected;
  sotto_params *sets[SOTTO_MOST_COSTS + 3], *first; /* of its model's file */
  size_t count;
  sotto_matrix base; /* with counts: log-probabilities from features alone */
  uint8_t *levels;   /* of these; NULL: all nodes have counts */
} sotto_i_vfgnn_model;

/* Columns are agreed on, the holder's part of the model is loaded, and the first layer begins. */
sotto_status sotto_i_vfgnn_others_load(sotto_i_vfgnn_others *others, sotto_i_vfgnn_holder *holder,
                                       sotto_i_vfgnn_model *model, sotto_error *err);
/* The release of this data, as the job in which this holder counts or publishes: holder->shared. */
sotto_status sotto_i_vfgnn_others_release(sotto_i_vfgnn_others *others, sotto_i_vfgnn_holder *holder,
                                          sotto_error *err);

/* securegnn_others.c: the same as sotto_i_vfgnn_others_run, with the whole network under shares. */
sotto_status sotto_i_securegnn_others_run(sotto_matrix *out, sotto_i_vfgnn_others *others, sotto_error *err);

/* vfgnn_rows.c: rows of all nodes, published once; the protocols of a holder and of the server. */
sotto_status sotto_i_vfgnn_rows_hold(sotto_i_vfgnn_others *others, sotto_i_vfgnn_holder *holder,
                                     sotto_error *err);
sotto_status sotto_i_vfgnn_rows_join(sotto_i_vfgnn_others *others, sotto_i_vfgnn_server *server,
                                     sotto_error *err);

#endif
