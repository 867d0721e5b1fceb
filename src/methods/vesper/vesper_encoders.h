/* The side of split learning that has the features, for the networks of the publication by counts: the data
 * party, or with --share-features once a thread of the label party (vesper_features_once.h). */
#ifndef SOTTO_SRC_METHODS_VESPER_VESPER_ENCODERS_H
#define SOTTO_SRC_METHODS_VESPER_VESPER_ENCODERS_H

#include "vesper_halves.h"

typedef struct sotto_i_encoders {
  const sotto_i_job *job;
  sotto_link *link; /* to the side with the labels */
  const sotto_split *split;
  const sotto_i_row_source *rows; /* features of all nodes; borrowed, as all above */
  uint32_t holder;                /* number of one of several holders; 0: there is one data party */
  sotto_ranks *ranks;             /* that wait for this side; NULL: none */
  sotto_i_folds folds;
  sotto_i_halves halves;
} sotto_i_encoders;

/* Folds and new networks of what was set before. Call sotto_i_encoders_free in any case. */
sotto_status sotto_i_encoders_new(sotto_i_encoders *e, sotto_error *err);
void sotto_i_encoders_free(sotto_i_encoders *e);

/* Trains the networks from number place->fold on, and keeps each where the place has a session. */
sotto_status sotto_i_encoders_train(sotto_i_encoders *e, sotto_i_halves_place *place, sotto_error *err);
/* Sends embeddings of all nodes, of each network. */
sotto_status sotto_i_encoders_send(sotto_i_encoders *e, sotto_error *err);

#endif
