/* Several holders of columns and edges in one process: the parts of one dataset. */
#ifndef SOTTO_SRC_PROTOCOLS_HOLDERS_H
#define SOTTO_SRC_PROTOCOLS_HOLDERS_H

#include "run/method/method.h"

/* The share of each holder in a dataset of one process. Errors: those of sotto_vertical_shares. */
sotto_status sotto_i_holders_shares(double *share, const sotto_options *options, sotto_error *err);
/* The parts of the job's data, from the public seed. `label_holder`: index of the holder with labels; number
 * of holders: they are apart, and the part of labels alone is the last one. */
sotto_status sotto_i_holders_deal(sotto_dataset *parts, const sotto_i_job *job, size_t label_holder,
                                  sotto_error *err);
/* The same of other data than those of the training, as the training divided its own. *standard: columns of
 * the parts are the job's features, standardised by what the run kept, and are not scaled again. */
sotto_status sotto_i_holders_deal_others(sotto_dataset *parts, bool *standard, const sotto_i_job *job,
                                         size_t label_holder, sotto_error *err);

#endif
