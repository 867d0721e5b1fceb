/* One training by DP-SGD at node level: a perceptron on a node's features, alone or with the mean of its
 * neighbours' features (Abadi et al. 2016; Daigavane et al. 2021). */
#ifndef SOTTO_SRC_PROTOCOLS_PRIVATE_MLP_H
#define SOTTO_SRC_PROTOCOLS_PRIVATE_MLP_H

#include "run/method/method.h"

/* What differs between the variants. */
typedef struct sotto_i_private_mlp {
  const char *name; /* of the network, in the model's file */
  bool neighbours;  /* reads the mean of its neighbours too */
} sotto_i_private_mlp;

/* Defaults at node level where neighbours are read: one of them joins an example on average, and small
 * batches. Chosen on validation nodes (docs/methods.md, "sage"). */
#define SOTTO_I_PRIVATE_MLP_DEFAULTS                                                                         \
  {"weight-decay", "0", .adjacencies = SOTTO_I_NODE}, {"fan-out", "1", .adjacencies = SOTTO_I_NODE},         \
      {"batch-rate", "0.02", .adjacencies = SOTTO_I_NODE, .when = {SOTTO_I_UNLESS("fan-out", "0")}}, {       \
    "epochs", "20", .adjacencies = SOTTO_I_NODE, .when = { SOTTO_I_UNLESS("fan-out", "0") }                  \
  }
/* The option fan-out of such a training. */
#define SOTTO_I_PRIVATE_MLP_FAN_OUT                                                                          \
  {                                                                                                          \
    .key = "fan-out", .adjacencies = SOTTO_I_NODE,                                                           \
    .help =                                                                                                  \
        "neighbours that join a node's example in a batch, of max-degree: each by chance; 0: all, and all "  \
        "training nodes in every batch"                                                                      \
  }
sotto_status sotto_i_private_mlp_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err);
/* Errors: INVALID, without features or labels; RANGE. */
sotto_status sotto_i_private_mlp_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err);

#endif
