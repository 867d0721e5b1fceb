/* Embeddings of graphs under local privacy: the multi-bit encoder's output, as a release. */
#ifndef SOTTO_SRC_PARTY_CODED_H
#define SOTTO_SRC_PARTY_CODED_H

#include "inside/dp.h"
#include "sotto/party.h"

/* The encoder of one graph of `rows` nodes whose embeddings are in [0, 1]: m = max(1, min(cols, floor(epsilon
 * / 2.18))) columns a row (Sajadmanesh and Gatica-Perez 2021; Jin and Chen 2022, section 4). epsilon 0 means
 * 1 / rows. Errors: those of sotto_multibit_new, naming the graph's size. */
sotto_status sotto_i_coded_encoder(sotto_multibit *out, size_t rows, size_t cols, double epsilon,
                                   sotto_error *err);

/* Codes of some graphs: out (fresh, as large as x) gets -1, 0 or 1. Graph g has rows [first[g], first[g + 1])
 * of x, and its own streams under the key. Errors: also INVALID (an empty key), NUMERIC. */
sotto_status sotto_i_coded_rows(sotto_matrix *out, const sotto_matrix *x, const uint64_t *first,
                                size_t graphs, double epsilon, const sotto_key *key, sotto_error *err);

/* Receives codes into out (rows x cols, the caller's). Errors: those of sotto_link_receive; RANGE (a value
 * that is not a code). */
sotto_status sotto_i_coded_receive(sotto_matrix *out, sotto_link *link, const char *name, sotto_error *err);
/* Replaces codes by unbiased estimates, for graphs of these sizes. */
sotto_status sotto_i_coded_decode(sotto_matrix *codes, const uint64_t *first, size_t graphs, double epsilon,
                                  sotto_error *err);

#endif
