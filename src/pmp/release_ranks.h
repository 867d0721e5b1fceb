/* Releases of noisy layers whose rows lie at several ranks. */
#ifndef SOTTO_SRC_PMP_RELEASE_RANKS_H
#define SOTTO_SRC_PMP_RELEASE_RANKS_H

#include "graph/blocks/block.h"
#include "release.h"

/* sotto_release_write over ranks: `inputs` has the rows of this rank, and rank 0 writes the file, which is
 * that of one process, byte for byte, whatever the number of ranks. All ranks have the same key. Errors also:
 * UNSUPPORTED (other plans than of signed sums at edge level); those of another rank. */
sotto_status sotto_i_release_write_ranks(const char *path, const sotto_pmp_plan *plan,
                                         const sotto_i_block *block, const sotto_matrix *inputs,
                                         const sotto_key *key, const char *run, const char *description,
                                         const sotto_observer *observer, sotto_error *err);

/* release_layers.c: what both forms of a pass compute of one row. `y` becomes the noisy aggregate, shown. */
double sotto_i_unit_factor(const float *row, size_t cols);
/* An input as layer 0 shows it, and what scaled it; false: it is not finite. */
bool sotto_i_input_row(float *shown, double *factor, const float *row, size_t cols);
void sotto_i_noisy_row(float *y, const int64_t *sum, const int32_t *noise, const sotto_pmp_plan *plan,
                       double scale_after, size_t cols);

/* release_file.c: the file, as rows come. */
typedef struct sotto_i_release_out sotto_i_release_out;
sotto_status sotto_i_release_out_new(sotto_i_release_out **out, const char *path, const sotto_pmp_plan *plan,
                                     size_t rows, size_t cols, const sotto_key *key, const char *run,
                                     const char *description, sotto_error *err);
sotto_status sotto_i_release_out_take(sotto_i_release_out *out, const float *values, size_t count,
                                      sotto_error *err);
sotto_status sotto_i_release_out_finish(sotto_i_release_out *out, sotto_error *err);
void sotto_i_release_out_free(sotto_i_release_out *out);

#endif
