/* Embeddings whose rows lie at several ranks. */
#ifndef SOTTO_SRC_PROTOCOLS_NETWORKS_OVER_RANKS_H
#define SOTTO_SRC_PROTOCOLS_NETWORKS_OVER_RANKS_H

#include "graph/blocks/block.h"
#include "inside/nn.h"
#include "nn/rows/batch.h"
#include "sotto/nn.h"

/* Embeddings of the rows of this rank, as sotto_i_embed_source makes them of all: batch i is made by rank i
 * modulo their number, and its rows go to their owners. Errors: those of reading and of another rank. */
sotto_status sotto_i_embed_ranks(sotto_matrix *out, const sotto_mlp *encoder, sotto_params *params,
                                 const sotto_i_row_source *features, const sotto_key *key,
                                 const sotto_i_block *block, sotto_error *err);
/* sotto_i_centre_rows of rows that lie at several ranks. */
sotto_status sotto_i_centre_ranks(sotto_matrix *own, const sotto_i_block *block, sotto_error *err);

#endif
