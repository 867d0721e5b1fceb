/* Embeddings of graphs under local privacy: what the multi-bit encoder makes of them, as a release. */
#ifndef SOTTO_SRC_PARTY_CODED_H
#define SOTTO_SRC_PARTY_CODED_H

#include "sotto/party.h"

/* The encoder of one graph of `rows` nodes whose embeddings lie in [0, 1]: m = max(1, min(cols, floor(epsilon
 * / 2.18))) columns a row (Sajadmanesh and Gatica-Perez 2021; paper 004, section 4). epsilon 0 stands for 1 /
 * rows. Errors: those of sotto_multibit_new, saying what the graph is. */
sotto_status sotto_i_coded_encoder(sotto_multibit *out, size_t rows, size_t cols, double epsilon,
                                   sotto_error *err);

/* Codes of some graphs, which must be paid for before they are sent. */
typedef struct sotto_i_coded sotto_i_coded;
/* Graph g has rows [first[g], first[g + 1]) of x, and streams of its own under the key. Errors: also INVALID
 * (an empty key), NUMERIC. */
sotto_status sotto_i_coded_new(sotto_i_coded **out, const sotto_matrix *x, const uint64_t *first,
                               size_t graphs, double epsilon, const sotto_key *key, sotto_error *err);
void sotto_i_coded_free(sotto_i_coded *coded);
/* Of the graph that costs most. Graphs are disjoint, so that is what another graph in one's place can change.
 */
double sotto_i_coded_epsilon(const sotto_i_coded *coded);

/* Who pays: the dataset, as the ledger knows it, and a name of this release that no other one has. */
typedef struct sotto_i_coded_bill {
  sotto_ledger *ledger;
  const uint8_t *digest;
  const char *name, *id, *run;
  bool insecure;
} sotto_i_coded_bill;
/* Charges it, at node and at edge level, of which another graph is more than either. Errors: REFUSED, and
 * others of the ledger. */
SOTTO_MUST_USE sotto_status sotto_i_coded_pay(sotto_i_coded *coded, const sotto_i_coded_bill *bill,
                                              sotto_error *err);
/* The same for `releases` releases at once, before they are made; with `ask`, nothing is charged. */
SOTTO_MUST_USE sotto_status sotto_i_coded_charge(double epsilon, uint64_t releases,
                                                 const sotto_i_coded_bill *bill, bool ask, sotto_error *err);
/* INVALID when it was not paid for. */
SOTTO_MUST_USE sotto_status sotto_i_coded_send(sotto_link *link, const char *name, const sotto_i_coded *coded,
                                               sotto_error *err);
/* Receives codes into out (rows x cols, the caller's). Errors: those of sotto_link_receive; RANGE
 * (a value that is no code). */
sotto_status sotto_i_coded_receive(sotto_matrix *out, sotto_link *link, const char *name, sotto_error *err);
/* Unbiased estimates in the place of codes, for graphs of these sizes. */
sotto_status sotto_i_coded_decode(sotto_matrix *codes, const uint64_t *first, size_t graphs, double epsilon,
                                  sotto_error *err);

#endif
