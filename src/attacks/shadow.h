/* Trainings of an audit: the run's method again, on other data, out of sight. */
#ifndef SOTTO_SRC_ATTACKS_SHADOW_H
#define SOTTO_SRC_ATTACKS_SHADOW_H

#include "run/method/method.h"
#include "sotto/attack.h"

/* Trains `options` with this seed on a dataset, in a fresh folder beside the system's temporary files, with a
 * ledger of its own, and opens the model over `asked` (with as many columns and classes; noise is made anew
 * when that is not what was trained on). The folder is gone when this returns. Free the model. */
sotto_status sotto_i_shadow(sotto_model **out, const sotto_options *options, const sotto_dataset *data,
                            const sotto_dataset *asked, uint64_t seed, const sotto_observer *observer,
                            sotto_error *err);

#endif
