/* Edges of the label party (Wu et al. 2023, appendix D.1): it applies noisy message passing to its own graph,
 * and keeps an account of its own for it, against the data party. All that it makes of its edges follows from
 * that release, so it costs the same whatever is sent, or shown, afterwards. */
#ifndef SOTTO_SRC_METHODS_VESPER_LABEL_EDGES_H
#define SOTTO_SRC_METHODS_VESPER_LABEL_EDGES_H

#include "run/method/method.h"

bool sotto_i_label_edges_asked(const sotto_options *options);
/* Which edges of one dataset are whose, for runs in one process: the same ones in every run with that share.
 */
sotto_status sotto_i_label_edges_part(sotto_graph *data, sotto_graph *label, const sotto_graph *graph,
                                      double share, sotto_error *err);

/* What the ledger knows the edges by: the dataset that they are the graph of, where the label party is a
 * process of its own; else a digest of theirs. `data.name` is to be pointed at `name`. */
typedef struct sotto_i_label_account {
  sotto_dataset data; /* its digest counts */
  char name[128];
} sotto_i_label_account;
void sotto_i_label_edges_account(sotto_i_label_account *out, const sotto_dataset *data,
                                 const sotto_graph *label_graph);

/* The label party's layers of a round, of rows that came from the data party: paid for, and copied into
 * layers[0 .. K). */
SOTTO_MUST_USE sotto_status sotto_i_label_edges_layers(sotto_matrix *layers, const sotto_i_job *job,
                                                       const sotto_matrix *rows, uint64_t round,
                                                       sotto_error *err);

#endif
