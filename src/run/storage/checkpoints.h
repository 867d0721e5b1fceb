/* Checkpoints of one training repetition, as one role of it keeps them. They are files in
 * SEED_FOLDER/owner-only/stages, written whole or not at all: ROLE-NUMBER-TOKEN.safetensors               a
 * checkpoint: what the role needs to go on from it ROLE-NUMBER-TOKEN-STAGE-DRAWS-EPOCH.safetensors a training
 * that goes on after that checkpoint, at the role alone ROLE-NUMBER-TOKEN-FILE                      more that
 * belongs to the checkpoint The role of a method with one owner is "owner"; number 0 is the beginning, which
 * has no file of its own. DRAWS stands for the draws of all releases before the training: one of them made
 * anew is another training. */
#ifndef SOTTO_SRC_RUN_STORAGE_CHECKPOINTS_H
#define SOTTO_SRC_RUN_STORAGE_CHECKPOINTS_H

#include "inside/party.h"
#include "nn/state.h"
#include "run/method/method.h"

/* How many a role keeps: one role may be ahead of another by one, or by two of a release. */
enum { SOTTO_I_KEPT_CHECKPOINTS = 3 };

/* {0, 0} in empty places. */
typedef struct sotto_i_checkpoint_list {
  sotto_i_checkpoint of[SOTTO_I_KEPT_CHECKPOINTS];
} sotto_i_checkpoint_list;

typedef struct sotto_i_checkpoints {
  const char *folder; /* of the seed */
  char role[SOTTO_ROLE_SIZE];
  uint64_t every;         /* epochs between two of them; 0: none within a training */
  uint32_t before;        /* numbers of earlier trainings: a training's numbers are this and its epoch */
  sotto_i_checkpoint at;  /* where the repetition goes on; then the latest one that was saved */
  uint32_t token;         /* of those to be saved */
  _Atomic uint32_t draws; /* of the releases that were used so far; 0: none */
  sotto_wire *wire; /* of two parties: it tells the other one how far this one's files reach; else NULL */
  uint64_t index;   /* of the seed, for the wire */
} sotto_i_checkpoints;

/* Is the state after so many epochs to be kept? Not when `c` is NULL. */
bool sotto_i_checkpoint_due(const sotto_i_checkpoints *c, uint64_t epoch);
/* Saves one, and removes what is older than the last few. Does nothing when `c` is NULL. */
sotto_status sotto_i_checkpoint_save(sotto_i_checkpoints *c, uint32_t number,
                                     const sotto_i_saved_state *state, sotto_error *err);
/* Fills the state from the one that the repetition goes on from. Errors: those of sotto_i_state_load. */
sotto_status sotto_i_checkpoint_load(const sotto_i_checkpoints *c, const sotto_i_saved_state *state,
                                     sotto_error *err);
/* The same for a training between two epochs, numbered by its epoch after those of earlier ones. */
sotto_status sotto_i_checkpoint_save_training(sotto_i_checkpoints *c, const sotto_i_training_state *state,
                                              sotto_error *err);
sotto_status sotto_i_checkpoint_load_training(const sotto_i_checkpoints *c,
                                              const sotto_i_training_state *state, sotto_error *err);
/* In fresh memory: the path of a file that belongs to the checkpoint of this number. It is there for those
 * who load the checkpoint when it was written before that was saved. */
sotto_status sotto_i_checkpoint_file(char **out, const sotto_i_checkpoints *c, uint32_t number,
                                     const char *file, sotto_error *err);

/* The latest that the role's files reach. */
void sotto_i_checkpoints_found(sotto_i_checkpoint_list *out, const char *folder, const char *role);
/* Leaves in `known` what is in the other list too, which may hold anything. */
void sotto_i_checkpoints_join(sotto_i_checkpoint_list *known, const sotto_i_checkpoint_list *other);
/* The one with the greatest number; {0, 0} when there is none. */
sotto_i_checkpoint sotto_i_checkpoints_latest(const sotto_i_checkpoint_list *list);
/* Removes the role's files beyond the one that was agreed on: they may follow from what another role has
 * lost. */
void sotto_i_checkpoints_cut(const char *folder, const char *role, sotto_i_checkpoint agreed);
/* Removes those of all roles. */
void sotto_i_checkpoints_forget(const char *folder);

/* A release was used: trainings after it are kept with its draw. Does nothing when `c` is NULL. */
void sotto_i_checkpoints_drawn(sotto_i_checkpoints *c, const char *token);
/* A training at this role alone, which began at the latest checkpoint: saved as `name`, in the place of its
 * epochs before; and loaded, unless there is none. Both do nothing when `c` is NULL. */
sotto_status sotto_i_training_keep(const sotto_i_checkpoints *c, const char *name,
                                   const sotto_i_training_state *state, sotto_error *err);
sotto_status sotto_i_training_find(const sotto_i_checkpoints *c, const char *name,
                                   const sotto_i_training_state *state, sotto_error *err);

#endif
