/* The two parties of vesper. Each side's recipe runs in a thread or a process of its own, over a link. */
#ifndef SOTTO_SRC_METHODS_VESPER_VESPER_H
#define SOTTO_SRC_METHODS_VESPER_VESPER_H

#include "inside/nn.h"
#include "label_response.h"
#include "options.h"
#include "protocols/networks/networks.h"
#include "run/parties/roles.h"
#include "sotto/split.h"

/* What both parties know of one seed. The data party never reads `parted`, nor the label party's features;
 * the label party never reads the data party's. */
typedef struct sotto_i_vesper {
  const sotto_i_job *job;
  const sotto_i_parted *parted; /* the label party's alone */
  sotto_key key;
  sotto_matrix data_features;   /* of all nodes; no data where these are read by rows */
  sotto_i_row_source data_rows; /* the same */
  sotto_matrix label_features;  /* of all nodes; no columns: the label party has none */
  sotto_i_reported_labels reported;
} sotto_i_vesper;

/* Where a seed goes on. Phase 0 is the encoder's training, `step` its finished epochs; phase 1 + r is round
 * r, from the state before its release (step 0), or with the release at the label party (1). */
typedef struct sotto_i_vesper_place {
  uint32_t phase, step;
} sotto_i_vesper_place;

typedef struct sotto_i_data_party {
  const sotto_i_vesper *shared;
  sotto_i_session *session; /* NULL: no checkpoints */
  sotto_link *link;
  sotto_split split; /* as the label party said it */
  sotto_params *params;
  sotto_mlp encoder;
  size_t weights[64]; /* between layers, numbers in params; with --layer-weights */
  sotto_i_vesper_place from;
} sotto_i_data_party;

typedef struct sotto_i_label_party {
  const sotto_i_vesper *shared;
  sotto_i_session *session; /* NULL: no checkpoints */
  sotto_link *link;
  sotto_params *head_params, *params;
  sotto_mlp head;
  sotto_i_decoder decoder;
  sotto_matrix own[4]; /* its features, by part */
  sotto_i_vesper_place from;
  sotto_quality baseline_validation, baseline_test, validation, test;
} sotto_i_label_party;

extern const sotto_i_roles sotto_i_vesper_roles;
sotto_status sotto_i_vesper_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err);
/* The first stage alone: encoder and head, without edges. */
sotto_status sotto_i_two_parties_first_stage(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err);
sotto_status sotto_i_vesper_layers_data(sotto_i_data_party *party, sotto_error *err);
/* Adds the weights between layers to the party's parameters, where the options ask for some. */
sotto_status sotto_i_vesper_add_weights(sotto_i_data_party *party, sotto_error *err);

/* vesper_checkpoints.c. Those that save do nothing without a session. */
sotto_i_vesper_place sotto_i_vesper_place_of(const sotto_i_job *job, const sotto_i_session *session);
/* What a role knows before a round's release. */
sotto_status sotto_i_vesper_keep_round(const sotto_i_job *job, sotto_i_session *session, uint64_t round,
                                       const sotto_i_saved_state *state, sotto_error *err);
/* What the label party knows with it. In one process it does not keep the layers: the data party's role sends
 * the same ones again. */
sotto_status sotto_i_vesper_keep_layers(const sotto_i_vesper *shared, sotto_i_session *session,
                                        uint64_t round, const sotto_matrix *layers, uint32_t count,
                                        const sotto_i_saved_state *state, sotto_error *err);
/* Fills layers of the right shapes. */
sotto_status sotto_i_vesper_load_layers(sotto_matrix *layers, uint32_t count, const sotto_i_vesper *shared,
                                        const sotto_i_session *session, uint64_t round, sotto_error *err);
/* Of the encoder's training: every --checkpoint-every epochs, at both. */
sotto_i_keeper sotto_i_vesper_encoder_keeper(sotto_i_session *session);

/* The publication by counts of neighbours by cluster, in the place of noisy layers:
 *   1. Encoder and head are trained by split learning without edges, once for each fold of the training nodes
 *      (protocols/folds.h), so that what they say of a training node is as honest as of any other.
 *   2. In each round the label party says which cluster a node lies in, and how sure it is of that; the data
 *      party releases noisy counts of neighbours by cluster (protocols/counts.h).
 *   3. The label party learns a correction from the counts, which may make the next round's clusters. */
sotto_status sotto_i_vesper_counts_data(sotto_i_data_party *party, sotto_error *err);
sotto_status sotto_i_vesper_counts_label(sotto_i_label_party *party, sotto_error *err);

/* At node level (vesper_node.c). */
bool sotto_i_vesper_at_node_level(const sotto_options *options);
sotto_status sotto_i_vesper_node_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err);
sotto_status sotto_i_vesper_node_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err);
/* What it releases: noisy own rows, without the graph, and layers made of the same rows. */
sotto_status sotto_i_vesper_node_releases(sotto_pmp_plan *rows, sotto_pmp_plan *of_layers,
                                          const sotto_i_job *job, sotto_error *err);
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
