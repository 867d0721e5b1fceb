/* Choosing some of a node's neighbours. */
#ifndef SOTTO_SRC_PMP_NEIGHBOUR_SAMPLE_H
#define SOTTO_SRC_PMP_NEIGHBOUR_SAMPLE_H

#include "base/random.h"

/* out[0..sample): so many of row[0..degree), uniform without replacement, in their order. sample <= degree.
 */
void sotto_i_choose_neighbours(uint32_t *out, const uint32_t *row, uint64_t degree, uint32_t sample,
                               sotto_i_random *random);

#endif
