/* Data for predictions, with columns and classes in the order of the training data, matched by name. */
#ifndef SOTTO_SRC_RUN_TRAIN_MATCHED_H
#define SOTTO_SRC_RUN_TRAIN_MATCHED_H

#include "sotto/options.h"
#include "sotto/schema.h"

typedef struct sotto_i_matched {
  const sotto_dataset *given; /* as it was read */
  const sotto_dataset *data;  /* as the model reads it */
  sotto_schema *schema;       /* of the training data; NULL: it has no names */
  sotto_dataset ordered;      /* columns and classes reordered; empty: the order was the same */
  sotto_dataset scaled;       /* scaled with the statistics of the training; borrows the rest */
  sotto_unseen unseen;
} sotto_i_matched;

/* Reorders `data` (borrowed) by the schema in the run's folder, and logs unknown words. If the training
 * data had no names, columns are matched by position, and data with names must be the run's own unless
 * `any`. Errors: INVALID (different columns, by name), and those of files. */
sotto_status sotto_i_matched_open(sotto_i_matched *out, const sotto_dataset *data, const char *run,
                                  const sotto_options *options, bool any, const sotto_observer *observer,
                                  sotto_error *err);
/* Is it the run's own data, in the order in which it was read or in that of the training? */
sotto_status sotto_i_matched_is_own(bool *own, const sotto_i_matched *matched, const char *run,
                                    const sotto_options *options, sotto_error *err);
void sotto_i_matched_free(sotto_i_matched *matched);

#endif
