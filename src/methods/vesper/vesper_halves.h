/* Halves of the networks of the publication by counts, and the names of payloads. */
#ifndef SOTTO_SRC_METHODS_VESPER_VESPER_HALVES_H
#define SOTTO_SRC_METHODS_VESPER_VESPER_HALVES_H

#include "inside/nn.h"
#include "protocols/counts.h"
#include "protocols/folds.h"
#include "vesper.h"

/* One party's halves of the networks, by fold. Each has its own parameters, so that an optimiser does not
 * change the others. */
typedef struct sotto_i_halves {
  sotto_mlp mlp[SOTTO_I_MOST_FOLDS];
  sotto_params *params[SOTTO_I_MOST_FOLDS];
  sotto_key key[SOTTO_I_MOST_FOLDS]; /* of weights and dropout */
  uint32_t count;
} sotto_i_halves;
/* Lower halves of `in` features. `holder`: number of one of several holders, whose networks have names and
 * keys of their own; 0: there is one data party. */
sotto_status sotto_i_halves_encoders(sotto_i_halves *out, uint32_t folds, const sotto_i_job *job, size_t in,
                                     uint32_t holder, sotto_error *err);
/* Upper halves, which also read `own` feature columns. */
sotto_status sotto_i_halves_heads(sotto_i_halves *out, uint32_t folds, const sotto_i_job *job, size_t own,
                                  sotto_error *err);
void sotto_i_halves_free(sotto_i_halves *halves);

/* The progress of the training of all of them; checkpoints are made between epochs. */
typedef struct sotto_i_halves_place {
  const sotto_i_halves *halves;
  sotto_i_session *session; /* NULL: no checkpoints */
  uint64_t epochs;          /* of each network */
  uint32_t fold;            /* the current network */
} sotto_i_halves_place;
/* A keeper for the training of network `fold`. `place` must outlive it. */
sotto_i_keeper sotto_i_halves_keeper(sotto_i_halves_place *place);
/* Stores that network `fold` is trained. */
sotto_status sotto_i_halves_keep(const sotto_i_halves_place *place, sotto_error *err);
/* Loads the trained networks, and sets `fold` to the next one. */
sotto_status sotto_i_halves_find(sotto_i_halves_place *place, sotto_error *err);
/* Tells the observer what this place has left to exchange; `columns` as of the shape. */
void sotto_i_halves_tell(const sotto_i_halves_place *place, const sotto_i_job *job, sotto_link *link,
                         const sotto_split *split, uint32_t classes, size_t columns);
/* Copies all of them into one set, to be saved. */
sotto_status sotto_i_halves_join(sotto_params *to, const sotto_i_halves *halves, sotto_error *err);

/* Inputs of the correction from the first encoder's embeddings, where features have few columns: sums of the
 * embeddings' columns with random signs (Johnson and Lindenstrauss 1984). */
enum { SOTTO_I_PROJECTED = 16 };
/* Fills rows first to first + rows->rows - 1 of out (nodes x SOTTO_I_PROJECTED). */
void sotto_i_halves_project(sotto_matrix *out, size_t first, const sotto_matrix *rows,
                            const sotto_i_job *job);

/* The label party's message about each node: its cluster and its level (protocols/counts.h). */
#define SOTTO_I_CLASSES_NAME "classes"
/* The number of classes that the label party sent. Errors: PROTOCOL. */
sotto_status sotto_i_counts_classes(uint32_t *out, float number, sotto_error *err);
#define SOTTO_I_CLUSTERS_NAME "clusters"
/* The data party's number of clusters of features (0: none), and whether its columns are few. Then the kind
 * of clusters that the label party's pilots chose (protocols/pilots.h). */
#define SOTTO_I_FEATURE_CLUSTERS_NAME "clusters.features"
#define SOTTO_I_CLUSTER_KIND_NAME     "clusters.kind"
/* The label party's weights of cells of transfers (protocols/transfer_weights.h). */
#define SOTTO_I_CLUSTER_WEIGHTS_NAME "clusters.weights"
#define SOTTO_I_COUNTS_NAME          "counts"
#define SOTTO_I_ALL_NAME             "embeddings.all"
#endif
