/* metrics.jsonl in a run folder: one line for each epoch, one for each seed. */
#ifndef SOTTO_SRC_RUN_STORAGE_METRICS_H
#define SOTTO_SRC_RUN_STORAGE_METRICS_H

#include "sotto/methods.h"

typedef struct sotto_i_metrics sotto_i_metrics;

/* The file is created with the first line, in the folder or its owner-only/ as the options require.
 * `options` and `also` (may be NULL; called after each line) are borrowed. */
sotto_status sotto_i_metrics_open(sotto_i_metrics **out, const char *folder, const sotto_options *options,
                                  const sotto_recorder *also, sotto_error *err);
void sotto_i_metrics_close(sotto_i_metrics *metrics);
/* The recorder of a run. A line that cannot be written is skipped: metrics never fail a run. */
sotto_recorder sotto_i_metrics_recorder(sotto_i_metrics *metrics);

#endif
