/* Embeddings distributed over ranks. */
#ifndef SOTTO_SRC_PROTOCOLS_NETWORKS_OVER_RANKS_H
#define SOTTO_SRC_PROTOCOLS_NETWORKS_OVER_RANKS_H

#include "graph/blocks/block.h"
#include "inside/nn.h"
#include "nn/rows/batch.h"
#include "sotto/nn.h"

/* Embeddings of this rank's rows, equal to those of sotto_i_embed_source. Rank i modulo the number of ranks
 * embeds batch i, and sends the rows to their owners. Errors: those of reading and of another rank. */
sotto_status sotto_i_embed_ranks(sotto_matrix *out, const sotto_mlp *encoder, sotto_params *params,
                                 const sotto_i_row_source *features, const sotto_key *key,
                                 const sotto_i_block *block, sotto_error *err);
/* sotto_i_centre_rows for rows distributed over ranks. */
sotto_status sotto_i_centre_ranks(sotto_matrix *own, const sotto_i_block *block, sotto_error *err);

#endif
