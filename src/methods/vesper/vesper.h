/* The two parties of vesper. Each side's recipe runs in a thread or a process of its own, over a link. */
#ifndef SOTTO_SRC_METHODS_VESPER_VESPER_H
#define SOTTO_SRC_METHODS_VESPER_VESPER_H

#include "label_response.h"
#include "models/networks.h"
#include "run/checkpoint.h"
#include "run/wire_log.h"

/* What both parties know of one seed. The data party never reads `parted`, nor the label party's features;
 * the label party never reads the data party's. */
typedef struct sotto_i_vesper {
  const sotto_i_job *job;
  const sotto_i_parted *parted; /* the label party's alone */
  sotto_key key;
  sotto_matrix data_features;  /* of all nodes */
  sotto_matrix label_features; /* of all nodes; no columns: the label party has none */
  sotto_i_labels_told told;
} sotto_i_vesper;

typedef struct sotto_i_data_party {
  const sotto_i_vesper *shared;
  sotto_link *link;
  sotto_split split; /* as the label party said it */
  sotto_params *params;
  sotto_mlp encoder;
  size_t weights[64]; /* between layers, numbers in params; with --layer-weights */
  sotto_i_point from; /* where this seed goes on */
  sotto_i_wire_log log;
  sotto_status status;
  sotto_error error;
} sotto_i_data_party;

typedef struct sotto_i_label_party {
  const sotto_i_vesper *shared;
  sotto_link *link;
  sotto_params *head_params, *params;
  sotto_mlp head;
  sotto_i_decoder decoder;
  sotto_matrix own[4]; /* its features, by part */
  sotto_i_point from;  /* where this seed goes on */
  sotto_i_wire_log log;
  sotto_quality baseline_validation, baseline_test, validation, test;
  sotto_status status;
  sotto_error error;
} sotto_i_label_party;

sotto_status sotto_i_vesper_data_recipe(sotto_i_data_party *party, sotto_error *err);
sotto_status sotto_i_vesper_label_recipe(sotto_i_label_party *party, sotto_error *err);

/* At node level (vesper_node.c). */
sotto_status sotto_i_vesper_node_data(sotto_i_data_party *party, sotto_error *err);
sotto_status sotto_i_vesper_node_label(sotto_i_label_party *party, sotto_error *err);

/* One step of the data party between releases: the gradients by what it released (training rows; layer 0 to K
 * side by side), sent back through its network. The graph takes no part: an aggregate's slope is taken to be
 * that of its own row, which is public. So the next release's inputs follow from features, labels and earlier
 * releases, and releases compose as if each were alone (docs/privacy.md, section 7). */
sotto_status sotto_i_vesper_step_back(sotto_i_data_party *party, const sotto_release *release,
                                      const sotto_matrix *gradients, sotto_error *err);

/* accounts.c: what is divided, and whose accounts pay, in a run of two parties. */
sotto_status sotto_i_two_parties_divide(struct sotto_i_run *run, sotto_error *err);
sotto_status sotto_i_two_parties_accounts(struct sotto_i_run *run, sotto_error *err);
sotto_status sotto_i_two_parties_state(sotto_result *out, const struct sotto_i_run *run, sotto_error *err);

/* canary.c */
sotto_status sotto_i_vesper_node_canary(struct sotto_i_canary *canary, const struct sotto_i_run *run,
                                        unsigned kind, sotto_error *err);

#endif
