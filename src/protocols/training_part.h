/* Subsets of a split's training nodes. */
#ifndef SOTTO_SRC_PROTOCOLS_TRAINING_PART_H
#define SOTTO_SRC_PROTOCOLS_TRAINING_PART_H

#include "run/method/method.h"

/* order (fresh): the training nodes in a random order of the seed; `purpose` separates several orders. */
sotto_status sotto_i_training_order(uint32_t **order, const sotto_i_job *job, const sotto_i_parted *parted,
                                    uint32_t purpose, sotto_error *err);

/* out: `from` with only those training nodes for which keep[node] is not 0; keep NULL: all. Its other parts
 * are borrowed from `from`. If `from` has neither labels nor numbers, the labels of
 * `out` are 0. Free with
 * sotto_i_training_part_free. */
sotto_status sotto_i_training_part(sotto_i_parted *out, const sotto_i_parted *from, const uint8_t *keep,
                                   sotto_error *err);
void sotto_i_training_part_free(sotto_i_parted *part);

#endif
