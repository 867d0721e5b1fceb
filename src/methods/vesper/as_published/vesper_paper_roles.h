/* The two roles of a training as published, over a link. */
#ifndef SOTTO_SRC_METHODS_VESPER_AS_PUBLISHED_VESPER_PAPER_ROLES_H
#define SOTTO_SRC_METHODS_VESPER_AS_PUBLISHED_VESPER_PAPER_ROLES_H

#include "run/parties/roles.h"
#include "vesper_paper_network.h"
#include "vesper_paper_plan.h"

/* Rows of layers: of a batch in each step, and of all nodes after the last one. */
#define SOTTO_I_PAPER_ROWS_NAME      "layer"
#define SOTTO_I_PAPER_GRADIENTS_NAME "gradients.train"
/* The latter of the nodes that a prediction asks for. */
#define SOTTO_I_PAPER_ASKED_NAME "layer.asked"
/* Why rows are exposed. */
extern const char sotto_i_paper_no_noise[];

/* What the roles of this process know together. */
typedef struct sotto_i_paper_shared {
  const sotto_i_job *job;
  const sotto_i_paper_plan *plan;
  bool again;  /* an audit repeats a training in a folder of its own, which nothing leaves */
  bool loaded; /* the same with the run's model: no network is trained */
} sotto_i_paper_shared;

typedef struct sotto_i_paper_data {
  const sotto_i_paper_shared *shared;
  sotto_link *link; /* NULL: in another process */
  sotto_i_paper_network net;
} sotto_i_paper_data;

typedef struct sotto_i_paper_label {
  const sotto_i_paper_shared *shared;
  sotto_link *link; /* NULL: in another process */
  sotto_i_paper_network net;
  sotto_i_parted parted;
  sotto_quality validation, test;
} sotto_i_paper_label;

/* vesper_paper_data.c: receives the split, is charged for all steps, and sends rows with noise in each. */
sotto_status sotto_i_paper_data_run(sotto_i_paper_data *party, sotto_error *err);
/* vesper_paper_label.c: classifies the rows that it receives, and sends their gradients. */
sotto_status sotto_i_paper_label_run(sotto_i_paper_label *party, sotto_error *err);
/* Quality of a part from noisy rows of all nodes, or from encoded rows if the network is alone. */
sotto_status sotto_i_paper_measure(sotto_quality *out, sotto_i_paper_network *network,
                                   const sotto_i_parted *parted, const sotto_matrix *rows, sotto_part part,
                                   sotto_error *err);

#endif
