/* One stage of a training repetition: its epochs go to the recorder, its state to checkpoints. */
#include <stdio.h>

#include "base/progress.h"
#include "checkpoints.h"

static void name_of(char out[SOTTO_I_STAGE_NAME], const sotto_i_stage *stage) {
  const char *second = stage->weighted ? "-weighted" : "";
  if (stage->part == 0)
    (void)snprintf(out, SOTTO_I_STAGE_NAME, "%.18s%s", stage->name, second);
  else
    (void)snprintf(out, SOTTO_I_STAGE_NAME, "%.18s%s-%u", stage->name, second, (unsigned)stage->part + 1);
}

void sotto_i_stage_epoch(void *context, uint64_t epoch, double loss, double validation) {
  const sotto_i_stage *stage = context;
  const sotto_recorder *recorder = stage->job->recorder;
  char name[SOTTO_I_STAGE_NAME];
  name_of(name, stage);
  if (recorder != NULL && recorder->epoch != NULL)
    recorder->epoch(recorder->context, &(sotto_epoch){stage->job->seed, name, epoch, loss, validation});
  sotto_i_event(stage->job->observer, &(sotto_event){.kind = SOTTO_EVENT_EPOCH,
                                                     .stage = name,
                                                     .done = epoch,
                                                     .total = stage->epochs,
                                                     .loss = loss,
                                                     .validation = validation});
  sotto_i_progress(stage->job->observer, name, epoch, stage->epochs, NULL);
}

static sotto_status save_state(void *context, uint64_t epoch, const sotto_i_training_state *state,
                               sotto_error *err) {
  const sotto_i_stage *stage = context;
  char name[SOTTO_I_STAGE_NAME];
  (void)epoch; /* the state contains it */
  name_of(name, stage);
  return sotto_i_training_keep(stage->checkpoints, name, state, err);
}

static sotto_status load_state(void *context, const sotto_i_training_state *state, sotto_error *err) {
  const sotto_i_stage *stage = context;
  char name[SOTTO_I_STAGE_NAME];
  name_of(name, stage);
  sotto_status status = sotto_i_training_find(stage->checkpoints, name, state, err);
  if (status == SOTTO_OK && state->watch->epoch > 0)
    sotto_i_log(stage->job->observer, SOTTO_LOG_INFO, "%s: going on after epoch %llu", name,
                (unsigned long long)state->watch->epoch);
  return status;
}

sotto_i_training sotto_i_stage_training(sotto_i_stage *stage) {
  const sotto_i_job *job = stage->job;
  sotto_i_training training = sotto_i_job_training(job->options, stage->epochs);
  if (stage->checkpoints == NULL) stage->checkpoints = job->checkpoints;
  if (stage->checkpoints == NULL) return training;
  stage->keeper = (sotto_i_keeper){stage, stage->checkpoints->every, save_state, load_state};
  training.keeper = &stage->keeper;
  return training;
}
