/* Trainings of an audit: the run's method again, on other data, in a temporary folder. */
#ifndef SOTTO_SRC_AUDIT_SHADOW_H
#define SOTTO_SRC_AUDIT_SHADOW_H

#include "run/method/method.h"
#include "sotto/attack.h"

/* Trains `options` with this seed on a dataset and opens the model over that data. The training has a fresh
 * temporary folder and its own ledger; the folder is removed before this returns. Free the model. */
sotto_status sotto_i_shadow(sotto_model **out, const sotto_options *options, const sotto_dataset *data,
                            uint64_t seed, const sotto_observer *observer, sotto_error *err);

/* Trains `options` once on `data` in a fresh folder, with its own ledger. The run stays in folder, which
 * has run.yaml, until sotto_i_scratch_end; call that in any case. */
enum { SOTTO_I_SCRATCH = 512 };
sotto_status sotto_i_scratch_train(char folder[SOTTO_I_SCRATCH], const sotto_options *options,
                                   const sotto_dataset *data, uint64_t seed, const sotto_observer *observer,
                                   sotto_error *err);
/* The parts of this: a fresh folder, in which files may be put, and the training there. `probe` may be
 * NULL. */
struct sotto_i_probe;
sotto_status sotto_i_scratch_begin(char folder[SOTTO_I_SCRATCH], sotto_error *err);
sotto_status sotto_i_scratch_train_in(const char *folder, const sotto_options *options,
                                      const sotto_dataset *data, uint64_t seed,
                                      const struct sotto_i_probe *probe, const sotto_observer *observer,
                                      sotto_error *err);
void sotto_i_scratch_end(const char *folder);

#endif
