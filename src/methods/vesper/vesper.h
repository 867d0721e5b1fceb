/* The two parties of vesper. Each side's protocol runs in its own thread or process, over a link. */
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
  const sotto_i_parted *parted; /* only for the label party */
  sotto_key key;
  sotto_matrix data_features;   /* of all nodes; without data if these are read by rows */
  sotto_i_row_source data_rows; /* the same */
  sotto_matrix label_features;  /* of all nodes; without columns if the label party has none */
  sotto_i_reported_labels reported;
} sotto_i_vesper;

/* The progress of a seed. Phase 0 is the encoder's training, with `step` finished epochs. Phase 1 + r is
 * round r, from the state before its release (step 0), or with the release at the label party (1). */
typedef struct sotto_i_vesper_place {
  uint32_t phase, step;
} sotto_i_vesper_place;

typedef struct sotto_i_data_party {
  const sotto_i_vesper *shared;
  uint32_t holder;          /* its number among several holders (vesper_holders.c); 0: it is the only one */
  uint32_t part;            /* of an account that several holders share in one process (counts.h); else 0 */
  sotto_i_session *session; /* NULL: no checkpoints */
  sotto_link *link;
  sotto_split split; /* as received from the label party */
  sotto_params *params;
  sotto_mlp encoder;
  sotto_expected expected; /* as the label party says */
  size_t weights[64];      /* with --layer-weights: numbers in params of the weights between layers */
  sotto_i_vesper_place from;
} sotto_i_data_party;

typedef struct sotto_i_label_party {
  const sotto_i_vesper *shared;
  sotto_i_session *session; /* NULL: no checkpoints */
  sotto_link *link;         /* to the data party, or the first of several holders */
  sotto_link *const *links; /* to all of these, by number */
  size_t holders;           /* number of links */
  sotto_params *head_params, *params;
  sotto_mlp head;
  sotto_i_decoder decoder;
  sotto_matrix own[4]; /* its features, by part */
  sotto_i_vesper_place from;
  sotto_quality baseline_validation, baseline_test, validation, test;
  sotto_expected expected; /* from counts */
  sotto_matrix scores;     /* of all nodes, owned; with several holders */
} sotto_i_label_party;

/* Roles by publication: noisy layers, counts (below), and what node level publishes. */
extern const sotto_i_roles sotto_i_vesper_layers_roles, sotto_i_vesper_counts_roles,
    sotto_i_vesper_node_roles;
/* vesper_holders.c: several holders and the label party, and the table of scores that this one keeps. */
extern const sotto_i_roles sotto_i_vesper_holders_roles;
extern const char sotto_i_vesper_scores[];
/* A seed of the publication by layers. */
sotto_status sotto_i_vesper_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err);
/* The first stage alone: encoder and head, without edges. */
sotto_status sotto_i_two_parties_first_stage(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err);
/* Roles of the publication by layers. */
sotto_status sotto_i_vesper_layers_data(sotto_i_session *session, sotto_error *err);
sotto_status sotto_i_vesper_layers_label(sotto_i_session *session, sotto_error *err);
/* Adds the weights between layers to the party's parameters, if the options request them. */
sotto_status sotto_i_vesper_add_weights(sotto_i_data_party *party, sotto_error *err);

/* vesper_checkpoints.c. The functions that save do nothing without a session. */
sotto_i_vesper_place sotto_i_vesper_place_of(const sotto_i_job *job, const sotto_i_session *session);
/* Tells the observer what this place of a training without counts has left to exchange. */
void sotto_i_vesper_place_tell(sotto_i_vesper_place place, const sotto_i_job *job, sotto_link *link,
                               const sotto_split *split);
/* A role's state before a round's release. */
sotto_status sotto_i_vesper_keep_round(const sotto_i_job *job, sotto_i_session *session, uint64_t round,
                                       const sotto_i_saved_state *state, sotto_error *err);
/* The label party's state with the release. In one process it does not store the layers: the data party's
 * role sends the same ones again. */
sotto_status sotto_i_vesper_keep_layers(const sotto_i_vesper *shared, sotto_i_session *session,
                                        uint64_t round, const sotto_matrix *layers, uint32_t count,
                                        const sotto_i_saved_state *state, sotto_error *err);
/* Fills layers of the right shapes. */
sotto_status sotto_i_vesper_load_layers(sotto_matrix *layers, uint32_t count, const sotto_i_vesper *shared,
                                        const sotto_i_session *session, uint64_t round, sotto_error *err);
/* Checkpoints of the encoder's training: every --checkpoint-every epochs, at both parties. */
sotto_i_keeper sotto_i_vesper_encoder_keeper(sotto_i_session *session);

/* The publication by counts of neighbours by cluster, instead of noisy layers.
 *
 * 1. Encoder and head are trained by split learning without edges, once for each fold of the training nodes
 * (protocols/folds.h). Their predictions of training nodes are then as reliable as those of other nodes.
 *
 * 2. In each round the label party sends each node's cluster and confidence; the data party releases noisy
 * counts of neighbours by cluster (protocols/counts.h).
 *
 * 3. The label party learns a correction from the counts, which may define the next round's clusters. */
sotto_status sotto_i_vesper_counts_data(sotto_i_session *session, sotto_error *err);
sotto_status sotto_i_vesper_counts_label(sotto_i_session *session, sotto_error *err);
/* A seed at a rank other than the first, while rank 0 runs both parties (vesper_counts_ranks.h). */
sotto_status sotto_i_vesper_counts_help(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err);

/* At node level (vesper_node.c). */
sotto_status sotto_i_vesper_node_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err);
sotto_status sotto_i_vesper_node_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err);
/* Its releases: noisy own rows, without the graph, and layers from the same rows. */
sotto_status sotto_i_vesper_node_releases(sotto_pmp_plan *rows, sotto_pmp_plan *of_layers,
                                          const sotto_i_job *job, sotto_error *err);
sotto_status sotto_i_vesper_node_data(sotto_i_session *session, sotto_error *err);
sotto_status sotto_i_vesper_node_label(sotto_i_session *session, sotto_error *err);

/* One step of the data party between releases. The gradients for its release (training rows; layers 0 to K
 * concatenated) go back through its network. The graph takes no part: an aggregate's derivative is taken to
 * be that of its own row, which is public. So the next release's inputs follow from features, labels and
 * earlier releases, and releases compose as if each were alone (docs/privacy/vesper.md). */
sotto_status sotto_i_vesper_step_back(sotto_i_data_party *party, const sotto_release *release,
                                      const sotto_matrix *gradients, sotto_error *err);

/* accounts.c: the division of data, and the charged accounts, in a run of two parties. */
sotto_status sotto_i_two_parties_divide(struct sotto_i_run *run, sotto_error *err);
sotto_status sotto_i_two_parties_accounts(struct sotto_i_run *run, sotto_error *err);
sotto_status sotto_i_two_parties_state(sotto_result *out, const struct sotto_i_run *run, sotto_error *err);

/* exchange.c: hooks `exchange` of variants. The first is of the first stage alone. */
bool sotto_i_vesper_first_exchange(sotto_i_exchanged *out, const sotto_options *options,
                                   const sotto_i_exchange_shape *shape);
bool sotto_i_vesper_layers_exchange(sotto_i_exchanged *out, const sotto_options *options,
                                    const sotto_i_exchange_shape *shape);
bool sotto_i_vesper_paper_exchange(sotto_i_exchanged *out, const sotto_options *options,
                                   const sotto_i_exchange_shape *shape);
/* Counts of pilots (protocols/pilots.h), a few thousand numbers, are left out. */
bool sotto_i_vesper_counts_exchange(sotto_i_exchanged *out, const sotto_options *options,
                                    const sotto_i_exchange_shape *shape);

/* canary.c */
sotto_status sotto_i_vesper_node_canary(struct sotto_i_canary *canary, const struct sotto_i_run *run,
                                        unsigned kind, sotto_error *err);

#endif
