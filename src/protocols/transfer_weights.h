/* Weights of cells of transfers: what a relation adds to the sum of each of its ends, in place of a count in
 * its cell. One number a node then has the noise that each of many cells would have. A weight follows from
 * the cell and from the cluster of the other end, and is learnt from the noisy counts of pilots (pilots.h).
 * It is a whole number of at most SOTTO_I_SUM_UNITS, which stands for one neighbour. So a relation moves sums
 * as many units as an edge moves counts, whatever the weights are. */
#ifndef SOTTO_SRC_PROTOCOLS_TRANSFER_WEIGHTS_H
#define SOTTO_SRC_PROTOCOLS_TRANSFER_WEIGHTS_H

#include "pilots.h"
#include "transfer_cells.h"

#define SOTTO_I_WEIGHTS_PARAMETER "transfer-weights"
/* Room for the cells of any bins. */
enum { SOTTO_I_WEIGHED_CLASSES = 2, SOTTO_I_WEIGHT_ROWS = SOTTO_I_MOST_KIND_CELLS };

/* Are relations weighed, where pilots choose this kind of cells? With noise, and of two classes. */
bool sotto_i_is_weighed(sotto_i_cluster_kind kind, size_t classes, const sotto_options *options);
/* Are amounts in fine bins (transfer_cells.h)? Where single transfers may be weighed. */
bool sotto_i_is_fine(size_t classes, const sotto_options *options);
/* out (fresh): a set of the parameter "transfer-weights", SOTTO_I_WEIGHT_ROWS x classes zeros. Errors: NOMEM.
 */
SOTTO_MUST_USE sotto_status sotto_i_transfer_weights_new(sotto_params **out, sotto_error *err);
/* Sets the weight of each cell and class to the sum of a number of the cell and one of the class, in units of
 * `most` root mean squares of all. Larger ones are clipped, and all are rounded towards 0. The number of a
 * cell is shrunk towards that of the other direction. All are zero where a number is not finite. */
void sotto_i_transfer_weights_set(sotto_matrix *out, const sotto_matrix *of_cells,
                                  const sotto_matrix *of_classes, double most);
/* How many root mean squares one neighbour is worth. */
double sotto_i_transfer_weights_most(const sotto_options *options);
/* Weights of a file or of another party. Errors: `otherwise` (not all are such whole numbers). */
sotto_status sotto_i_transfer_weights_check(const sotto_matrix *weights, sotto_status otherwise,
                                            sotto_error *err);

#endif
