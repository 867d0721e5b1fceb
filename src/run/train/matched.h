/* Data of answers in the columns and classes of the training: names decide which is which. */
#ifndef SOTTO_SRC_RUN_TRAIN_MATCHED_H
#define SOTTO_SRC_RUN_TRAIN_MATCHED_H

#include "sotto/options.h"
#include "sotto/schema.h"

typedef struct sotto_i_matched {
  const sotto_dataset *given; /* as it was read */
  const sotto_dataset *data;  /* as the model reads it */
  sotto_schema *schema;       /* of the data of the training; NULL: it has no names */
  sotto_dataset ordered;      /* columns and classes in that order; empty: they were */
  sotto_dataset scaled;       /* with the statistics of the training; borrows the rest */
  sotto_unseen unseen;
} sotto_i_matched;

/* Puts `data`, which is borrowed, in the order of the schema that the run's folder keeps, and logs what it
 * does not know. Where the training had no names, columns go by number, and data with names is the run's own
 * alone; `any` allows others too. Errors: INVALID (columns that differ, by name), and those of files. */
sotto_status sotto_i_matched_open(sotto_i_matched *out, const sotto_dataset *data, const char *run,
                                  const sotto_options *options, bool any, const sotto_observer *observer,
                                  sotto_error *err);
/* Is it the run's own data, in the order in which it was read or in that of the training? */
sotto_status sotto_i_matched_is_own(bool *own, const sotto_i_matched *matched, const char *run,
                                    const sotto_options *options, sotto_error *err);
void sotto_i_matched_free(sotto_i_matched *matched);

#endif
