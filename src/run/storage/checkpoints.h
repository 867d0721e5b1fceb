/* Checkpoints of one training repetition at one role. The files are in SEED_FOLDER/owner-only/stages and
 * are written completely or not at all.
 *
 * ROLE-NUMBER-TOKEN.safetensors is a checkpoint: the state from which the role resumes.
 *
 * ROLE-NUMBER-TOKEN-STAGE-DRAWS-EPOCH.safetensors is a training of this role alone that continues after
 * that checkpoint. DRAWS identifies the random draws of all releases before it: if one of them is made
 * again, it is another training.
 *
 * ROLE-NUMBER-TOKEN-FILE is a further file of the checkpoint.
 *
 * The role of a method with a single owner is "owner". Number 0 is the beginning, which has no file. */
#ifndef SOTTO_SRC_RUN_STORAGE_CHECKPOINTS_H
#define SOTTO_SRC_RUN_STORAGE_CHECKPOINTS_H

#include "inside/party.h"
#include "nn/state.h"
#include "run/method/method.h"

/* Checkpoints that a role stores: one role may be ahead of another by one, or by two during a release. */
enum { SOTTO_I_KEPT_CHECKPOINTS = 3 };

/* Unused places are {0, 0}. */
typedef struct sotto_i_checkpoint_list {
  sotto_i_checkpoint of[SOTTO_I_KEPT_CHECKPOINTS];
} sotto_i_checkpoint_list;

typedef struct sotto_i_checkpoints {
  const char *folder; /* of the seed */
  char role[SOTTO_ROLE_SIZE];
  uint64_t every;         /* epochs between two of them; 0: none during a training */
  uint32_t before;        /* epochs of earlier trainings, added to the epoch in a checkpoint's number */
  sotto_i_checkpoint at;  /* the checkpoint that the repetition resumes from; later the latest one saved */
  uint32_t token;         /* of checkpoints that will be saved */
  _Atomic uint32_t draws; /* identifies the draws of all releases used so far; 0: none */
  sotto_wire *wire;       /* of two parties: reports the latest checkpoint to the other one; else NULL */
  uint64_t index;         /* of the seed, for the wire */
} sotto_i_checkpoints;

/* Must the state after this epoch be saved? False if `c` is NULL. */
bool sotto_i_checkpoint_due(const sotto_i_checkpoints *c, uint64_t epoch);
/* Saves a checkpoint, and removes all but the last few. No effect if `c` is NULL. */
sotto_status sotto_i_checkpoint_save(sotto_i_checkpoints *c, uint32_t number,
                                     const sotto_i_saved_state *state, sotto_error *err);
/* Fills the state from the checkpoint that the repetition resumes from. Errors: those of
 * sotto_i_state_load. */
sotto_status sotto_i_checkpoint_load(const sotto_i_checkpoints *c, const sotto_i_saved_state *state,
                                     sotto_error *err);
/* The same for a training between two epochs; its number is its epoch after those of earlier trainings. */
sotto_status sotto_i_checkpoint_save_training(sotto_i_checkpoints *c, const sotto_i_training_state *state,
                                              sotto_error *err);
sotto_status sotto_i_checkpoint_load_training(const sotto_i_checkpoints *c,
                                              const sotto_i_training_state *state, sotto_error *err);
/* Path of a further file of this checkpoint, fresh. Write it before the checkpoint is saved: then every
 * loaded checkpoint has it. */
sotto_status sotto_i_checkpoint_file(char **out, const sotto_i_checkpoints *c, uint32_t number,
                                     const char *file, sotto_error *err);

/* The latest checkpoints among the role's files. */
void sotto_i_checkpoints_found(sotto_i_checkpoint_list *out, const char *folder, const char *role);
/* Keeps in `known` only those that are in the other list too; that list may contain anything. */
void sotto_i_checkpoints_join(sotto_i_checkpoint_list *known, const sotto_i_checkpoint_list *other);
/* The one with the largest number; {0, 0} if there is none. */
sotto_i_checkpoint sotto_i_checkpoints_latest(const sotto_i_checkpoint_list *list);
/* Removes the role's files beyond the agreed checkpoint: they may depend on what another role has lost. */
void sotto_i_checkpoints_cut(const char *folder, const char *role, sotto_i_checkpoint agreed);
/* Removes the files of all roles. */
void sotto_i_checkpoints_forget(const char *folder);

/* Records the use of a release, on whose draw later trainings depend. No effect if `c` is NULL. */
void sotto_i_checkpoints_drawn(sotto_i_checkpoints *c, const char *token);
/* Save and load a training of this role alone that began at the latest checkpoint. Saving replaces earlier
 * epochs of `name`; loading changes nothing if there is none. No effect if `c` is NULL. */
sotto_status sotto_i_training_keep(const sotto_i_checkpoints *c, const char *name,
                                   const sotto_i_training_state *state, sotto_error *err);
sotto_status sotto_i_training_find(const sotto_i_checkpoints *c, const char *name,
                                   const sotto_i_training_state *state, sotto_error *err);

#endif
