/* Parties over ranks: rank 0 runs both parties, or the data party, and tells the other ranks of every epoch
 * of split learning, so that none of them takes rank 0 for dead. */
#ifndef SOTTO_SRC_METHODS_VESPER_EPOCH_RELAY_H
#define SOTTO_SRC_METHODS_VESPER_EPOCH_RELAY_H

#include "inside/nn.h"
#include "run/method/method.h"

/* The epochs of one stage at rank 0. Without ranks it is the stage alone. */
typedef struct sotto_i_epoch_relay {
  sotto_i_stage
      *stage; /* borrowed; the hook of a fit that reports to the recorder; NULL: it reports nothing */
  sotto_ranks *ranks;
  sotto_status status; /* of the first message that failed */
  sotto_error error;
} sotto_i_epoch_relay;

/* The relay of a stage; it must outlive the hook. */
sotto_i_epoch_relay sotto_i_epoch_relay_of(sotto_i_stage *stage);
sotto_i_epoch_hook sotto_i_epoch_relay_hook(sotto_i_epoch_relay *relay);
/* Whether all messages were sent. Errors: those of another rank. */
sotto_status sotto_i_epoch_relay_check(const sotto_i_epoch_relay *relay, sotto_error *err);
/* At rank 0, after the last stage. */
sotto_status sotto_i_epoch_relay_end(sotto_ranks *ranks, sotto_error *err);
/* At the other ranks: waits for sotto_i_epoch_relay_end. */
sotto_status sotto_i_epoch_relay_await(sotto_ranks *ranks, sotto_error *err);

#endif
