/* Messages about the epochs of split learning, from rank 0 to the other ranks. */
#include "epoch_relay.h"

#include "ranks/ranks.h"

sotto_i_epoch_relay sotto_i_epoch_relay_of(sotto_i_stage *stage) {
  return (sotto_i_epoch_relay){.stage = stage, .ranks = sotto_i_job_ranks(stage->job)};
}

static void relay_epoch(void *context, uint64_t epoch, double loss, double validation) {
  sotto_i_epoch_relay *r = context;
  bool more = true;
  if (r->stage != NULL) sotto_i_stage_epoch(r->stage, epoch, loss, validation);
  if (r->status == SOTTO_OK) r->status = sotto_i_ranks_give(r->ranks, &more, sizeof more, &r->error);
}

sotto_i_epoch_hook sotto_i_epoch_relay_hook(sotto_i_epoch_relay *relay) {
  return (sotto_i_epoch_hook){relay, relay_epoch};
}

sotto_status sotto_i_epoch_relay_check(const sotto_i_epoch_relay *relay, sotto_error *err) {
  if (relay->status != SOTTO_OK && err != NULL) *err = relay->error;
  return relay->status;
}

sotto_status sotto_i_epoch_relay_end(sotto_ranks *ranks, sotto_error *err) {
  bool more = false;
  return sotto_i_ranks_give(ranks, &more, sizeof more, err);
}

sotto_status sotto_i_epoch_relay_await(sotto_ranks *ranks, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (bool more = true; more && status == SOTTO_OK;)
    status = sotto_i_ranks_give(ranks, &more, sizeof more, err);
  return status;
}
