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

/* The same without a file: at rank 0, where `take` of the sink gets all layers, in the order of nodes. */
sotto_status sotto_i_release_layers_ranks(const sotto_pmp_plan *plan, const sotto_i_block *block,
                                          const sotto_matrix *inputs, const sotto_key *key,
                                          const sotto_i_release_sink *sink, const sotto_observer *observer,
                                          sotto_error *err);

/* contractive_ranks.c: sotto_i_contractive_write over ranks, in the same way. The inputs are overwritten. */
sotto_status sotto_i_contractive_write_ranks(const char *path, const sotto_contractive_plan *plan,
                                             const sotto_i_block *block, sotto_matrix *inputs,
                                             const sotto_key *key, const char *run, const char *description,
                                             const sotto_observer *observer, sotto_error *err);
sotto_status sotto_i_contractive_layers_ranks(const sotto_contractive_plan *plan, const sotto_i_block *block,
                                              sotto_matrix *inputs, const sotto_key *key,
                                              const sotto_i_release_sink *sink,
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
/* The context is a sotto_i_release_out: `take` of a sink. */
sotto_status sotto_i_release_out_take(void *context, const float *values, size_t count, sotto_error *err);
sotto_status sotto_i_release_out_finish(sotto_i_release_out *out, sotto_error *err);
void sotto_i_release_out_free(sotto_i_release_out *out);

/* gather_ranks.c: layers whose rows lie at several ranks come to rank 0, whose sink takes them in the order
 * of nodes. `layer` has the rows of this rank. */
typedef struct sotto_i_gather {
  const sotto_i_block *block;
  const sotto_i_release_sink *sink;
  size_t cols;
  float *slab, *sent; /* at rank 0: rows of a slab in their order, and those of one rank */
} sotto_i_gather;
sotto_status sotto_i_gather_begin(sotto_i_gather *out, const sotto_i_release_sink *sink,
                                  const sotto_i_block *block, size_t cols, sotto_error *err);
sotto_status sotto_i_gather_layer(sotto_i_gather *gather, float *layer, sotto_error *err);
void sotto_i_gather_free(sotto_i_gather *gather);
/* Of so many columns, how many pass at once in a halo: so rows of others take less memory than own ones. */
size_t sotto_i_columns_at_once(size_t cols);
/* How many of the columns from `first` on pass in the next turn of a halo. */
size_t sotto_i_columns_left(const sotto_i_halo *halo, size_t cols, size_t first);

#endif
