/* The releases of a plan of nights: growing counts of neighbours by cluster, with noise. */
#ifndef SOTTO_SRC_PROTOCOLS_NIGHTS_NIGHT_COUNTS_H
#define SOTTO_SRC_PROTOCOLS_NIGHTS_NIGHT_COUNTS_H

#include "run/train/nights.h"

/* Tonight's nodes, and the cluster of each, which follows from features and labels. */
typedef struct sotto_i_night_counts {
  const sotto_i_night *night;
  const uint32_t *clusters;
  size_t classes; /* clusters are less than this */
} sotto_i_night_counts;

/* Makes the missing releases of all nights so far; the same edges give the same bytes. An audit's probe
 * looks at each of them. */
SOTTO_MUST_USE sotto_status sotto_i_night_counts_make(const sotto_i_night_counts *counts, sotto_error *err);
/* The release of night t, from 1: a row a node of that night, a column a cluster. Free with
 * sotto_dataset_free. */
SOTTO_MUST_USE sotto_status sotto_i_night_counts_open(sotto_dataset *out, const sotto_i_night_counts *counts,
                                                      uint32_t night, sotto_error *err);

/* Draws the table of a night, from 1, with noise of this key. */
SOTTO_MUST_USE sotto_status sotto_i_night_counts_draw(sotto_matrix *out, const sotto_i_night_counts *counts,
                                                      uint32_t night, const sotto_key *key, sotto_error *err);
/* The counts without noise, in steps of the mechanism's grid: steps (nodes of the night x classes), zeroed.
 */
void sotto_i_night_counts_fill(int64_t *steps, const sotto_i_night_counts *counts, uint32_t night);

#endif
