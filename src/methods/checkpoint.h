/* Stages of a party's seed, and the files that let it go on from them: 1, the encoder is trained; 2, the
 * release has arrived. Runs in one process have none: every call does nothing. */
#ifndef SOTTO_SRC_METHODS_CHECKPOINT_H
#define SOTTO_SRC_METHODS_CHECKPOINT_H

#include "method.h"

/* The stage from which this seed goes on; 0 in one process. */
uint32_t sotto_i_checkpoint_stage(const sotto_i_job *job);
/* The stage that a seed's files reach. */
uint32_t sotto_i_checkpoint_found(const char *folder, sotto_role role);

/* Stage 1: this party's half, and what it measured (the label party). */
sotto_status sotto_i_checkpoint_encoder_save(const sotto_i_job *job, const sotto_params *params,
                                             const sotto_quality *validation, const sotto_quality *test,
                                             sotto_error *err);
sotto_status sotto_i_checkpoint_encoder_load(const sotto_i_job *job, sotto_params *params,
                                             sotto_quality *validation, sotto_quality *test,
                                             sotto_error *err);
/* Stage 2, of the label party: the layers that came. */
sotto_status sotto_i_checkpoint_layers_save(const sotto_i_job *job, const sotto_matrix *layers,
                                            uint32_t count, sotto_error *err);
/* Fills layers of the right shapes. */
sotto_status sotto_i_checkpoint_layers_load(const sotto_i_job *job, sotto_matrix *layers, uint32_t count,
                                            sotto_error *err);

#endif
