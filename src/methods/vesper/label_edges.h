/* Edges of the label party (Wu et al. 2023, appendix D.1): it applies noisy message passing to its own
 * graph, with its own account against the data party. Everything that depends on its edges follows from
 * that release, so it costs the same whatever is sent later. */
#ifndef SOTTO_SRC_METHODS_VESPER_LABEL_EDGES_H
#define SOTTO_SRC_METHODS_VESPER_LABEL_EDGES_H

#include "run/method/method.h"

bool sotto_i_label_edges_asked(const sotto_options *options);
/* Divides the edges of one dataset for runs in one process: the same way in every run with that share. */
sotto_status sotto_i_label_edges_part(sotto_graph *data, sotto_graph *label, const sotto_graph *graph,
                                      double share, sotto_error *err);

/* The identity of the edges in the ledger: the dataset with this graph if the label party has its own
 * process, else a digest of its edges. The caller sets `data.name` to `name`. */
typedef struct sotto_i_label_account {
  sotto_dataset data; /* only its digest is used */
  char name[128];
} sotto_i_label_account;
void sotto_i_label_edges_account(sotto_i_label_account *out, const sotto_dataset *data,
                                 const sotto_graph *label_graph);

/* The label party's layers of a round, from rows of the data party: charged, and copied into layers[0 ..
 * K). */
SOTTO_MUST_USE sotto_status sotto_i_label_edges_layers(sotto_matrix *layers, const sotto_i_job *job,
                                                       const sotto_matrix *rows, uint64_t round,
                                                       sotto_error *err);

#endif
