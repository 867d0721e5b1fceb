/* Points of a party's seed, and the files that let it go on from them. Runs in one process have none: every
 * call does nothing. */
#ifndef SOTTO_SRC_RUN_CHECKPOINT_H
#define SOTTO_SRC_RUN_CHECKPOINT_H

#include "method.h"
#include "nn/state.h"

/* Where the two parties of a seed stand. Phase 0 is the encoder's training, `step` its finished epochs; phase
 * 1 + r is round r, from the state before its release (step 0), or with the release at the label party (1).
 */
typedef struct sotto_i_point {
  uint32_t phase, step;
} sotto_i_point;

/* The last point that a seed's files reach, as a number that grows with the point; 0: the beginning. */
uint32_t sotto_i_checkpoint_found(const char *folder, sotto_role role);
/* Both parties tell which points they can go on from; *out is the last that both have. Files beyond it are
 * removed: they may follow from a release that the other party has lost. Errors: those of the link. */
sotto_status sotto_i_checkpoint_agree(sotto_i_point *out, const sotto_i_job *job, sotto_link *link,
                                      sotto_error *err);

/* What a party knows before a round's release. */
sotto_status sotto_i_checkpoint_round_save(const sotto_i_job *job, uint64_t round, const sotto_i_state *state,
                                           sotto_error *err);
sotto_status sotto_i_checkpoint_round_load(const sotto_i_job *job, uint64_t round, const sotto_i_state *state,
                                           sotto_error *err);

/* The layers of a round, which came to the label party; those of earlier rounds go. */
sotto_status sotto_i_checkpoint_layers_save(const sotto_i_job *job, uint64_t round,
                                            const sotto_matrix *layers, uint32_t count, sotto_error *err);
/* Fills layers of the right shapes. */
sotto_status sotto_i_checkpoint_layers_load(const sotto_i_job *job, uint64_t round, sotto_matrix *layers,
                                            uint32_t count, sotto_error *err);

/* Within a training: every --checkpoint-every epochs. Of the encoder's, the last two are kept, since one
 * party may be ahead of the other by one; of a decoder's, which is the label party's own affair, the last. */
typedef struct sotto_i_kept_training {
  const sotto_i_job *job;
  sotto_i_point from; /* the agreed point */
  uint64_t round;     /* of the decoder */
} sotto_i_kept_training;
sotto_i_keeper sotto_i_checkpoint_encoder(sotto_i_kept_training *training);
sotto_i_keeper sotto_i_checkpoint_decoder(sotto_i_kept_training *training);

#endif
