/* A perceptron with one hidden layer over a table with a row a node; LPGNet and DPDGC stack several. */
#ifndef SOTTO_SRC_PROTOCOLS_TABLE_H
#define SOTTO_SRC_PROTOCOLS_TABLE_H

#include "inside/nn.h"
#include "networks/networks.h"
#include "run/method/method.h"

typedef struct sotto_i_table_fit {
  const sotto_i_job *job;
  const sotto_i_parted *parted;
  const char *name, *stage; /* name of its parameters, and name of its epochs in the records */
  uint32_t number;          /* separates weights and dropout of several */
  uint32_t part;            /* of several stages of one name, from 0 */
  uint64_t epochs;
  float input_dropout; /* of the table's values */
} sotto_i_table_fit;

/* Adds the network's parameters to the set and fits them on the training rows; other parameters stay
 * unchanged. `scores` (fresh) gets the class probabilities of every node, or its predicted number. */
sotto_status sotto_i_table_fit_run(sotto_quality *validation, sotto_quality *test, sotto_matrix *scores,
                                   sotto_params *params, const sotto_i_row_source *table,
                                   const sotto_i_table_fit *fit, sotto_error *err);

/* The same, and `scores` takes them batch by batch. */
sotto_status sotto_i_table_fit_each(sotto_quality *validation, sotto_quality *test,
                                    const sotto_i_embedded *scores, sotto_params *params,
                                    const sotto_i_row_source *table, const sotto_i_table_fit *fit,
                                    sotto_error *err);

/* The network of such a fit, in `params`, for a table of `in` columns. */
sotto_status sotto_i_table_net_new(sotto_mlp *out, sotto_params *params, size_t in,
                                   const sotto_i_table_fit *fit, sotto_error *err);

/* Adds copies of all parameters of `from` to `to`, which has none of their names. */
sotto_status sotto_i_hand_over(sotto_params *to, sotto_params *from, const sotto_key *key, sotto_error *err);

/* Copies `from` into the columns of `to` from `first` on; both have as many rows. */
void sotto_i_table_put(sotto_matrix *to, size_t first, const sotto_matrix *from);
/* [a | b] in fresh memory; b may have no columns. */
sotto_status sotto_i_table_join(sotto_matrix *out, const sotto_matrix *a, const sotto_matrix *b,
                                sotto_error *err);

#endif
