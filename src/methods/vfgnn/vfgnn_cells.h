/* By what a party of vfgnn has the neighbours of each node counted: by the label holder's classes, or by
 * clusters of each holder's own columns (vfgnn_choice.h). */
#ifndef SOTTO_SRC_METHODS_VFGNN_VFGNN_CELLS_H
#define SOTTO_SRC_METHODS_VFGNN_VFGNN_CELLS_H

#include "inside/nn.h"
#include "protocols/clusters.h"
#include "protocols/pilots.h"

/* One party's. Zeroed: all count by class, and there are no pilots. */
typedef struct sotto_i_vfgnn_cells {
  sotto_i_cluster_choice choice;
  sotto_i_pilots pilots;     /* of the server: their numbers alone */
  sotto_i_cluster_kind kind; /* of the first round, once it is chosen */
  sotto_params *centres; /* owned, like the next one: of a holder's columns; NULL: these are not clustered */
  sotto_i_clusters by_features; /* or empty */
} sotto_i_vfgnn_cells;

/* One release of counts of every holder. */
typedef struct sotto_i_vfgnn_stage {
  uint32_t round;
  sotto_i_pilot_stage number; /* SOTTO_I_STAGE_OTHERS: of all that are in no group */
  bool after_pilots;          /* its kind is told before it */
  sotto_i_cluster_kind kind;
} sotto_i_vfgnn_stage;

#endif
