/* Prototypes under Gaussian noise, private at node level (docs/privacy/parts.md). */
#ifndef SOTTO_SRC_METHODS_FEDDEP_NOISY_PROTOTYPES_H
#define SOTTO_SRC_METHODS_FEDDEP_NOISY_PROTOTYPES_H

#include "methods/federated/federated.h"
#include "options.h"
#include "release/receipt.h"

/* Number of releases of each client: clusters need steps of k-means on own rows and one of embeddings,
 * classes only the last. */
enum { SOTTO_I_PROTOTYPE_STEPS = 2 };

/* public_embed.c. Rows of single nodes: features times public random numbers, clipped to norm 1. And L-hop
 * embeddings: L means of these over closed neighbourhoods, with degrees floored at max-degree. Both are
 * fresh, n x width, and without trained parameters. */
sotto_status sotto_i_public_embed(sotto_matrix *own, sotto_matrix *deep, const sotto_i_fed_client *client,
                                  size_t width, sotto_error *err);
/* Clips rows to norm 1. */
void sotto_i_cut_rows(sotto_matrix *x);
/* The l2 sensitivity of [sums of L-hop embeddings | counts] to one node with its edges, where a count
 * weighs SOTTO_I_COUNT_WEIGHT. */
double sotto_i_deep_sensitivity(uint64_t layers, uint64_t max_degree);
#define SOTTO_I_COUNT_WEIGHT 0.5

/* Fills out (C x width, rows of norm at most 1): an artifact of the client, found or made, and charged. */
SOTTO_MUST_USE sotto_status sotto_i_noisy_prototypes(sotto_matrix *out, sotto_i_receipt *receipt,
                                                     const sotto_matrix *own, const sotto_matrix *deep,
                                                     const sotto_i_fed_client *client, sotto_error *err);
/* The cost: one release a client. */
sotto_status sotto_i_prototypes_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err);
bool sotto_i_prototypes_are_noisy(const sotto_options *options);

#endif
