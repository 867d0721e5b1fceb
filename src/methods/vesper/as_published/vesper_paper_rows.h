/* VESPER as published, after the training: noisy rows of all nodes, layer by layer, from which nodes are
 * classified. Each layer reads the noisy layer before it, so that a node has one noisy row in each. */
#ifndef SOTTO_SRC_METHODS_VESPER_AS_PUBLISHED_VESPER_PAPER_ROWS_H
#define SOTTO_SRC_METHODS_VESPER_AS_PUBLISHED_VESPER_PAPER_ROWS_H

#include "release/receipt.h"
#include "vesper_paper_network.h"
#include "vesper_paper_plan.h"

#define SOTTO_I_PAPER_ROWS_FILE "layers.sotto"

/* The network's encoder and layers over the whole graph, with the plan's noise. */
typedef struct sotto_i_paper_rows {
  sotto_i_paper_network *network;
  const sotto_i_paper_plan *plan;
  const sotto_matrix *encoded; /* of all nodes, by sotto_i_paper_encode_all */
  bool unlike; /* an audit's network, of other weights than the one whose rows the folder keeps */
} sotto_i_paper_rows;

/* Unit-norm rows of the encoder for features x, in a fresh matrix; as they are if the network is alone. */
sotto_status sotto_i_paper_encode_all(sotto_matrix *out, sotto_i_paper_network *network,
                                      const sotto_matrix *x, sotto_error *err);
/* out (fresh, nodes x layers * hidden): noisy rows of the first `layers` layers, before they are scaled. The
 * key decides the noise; without noise it may be NULL. Sampled neighbours follow from the seed: what is
 * charged counts on no secret sample. */
sotto_status sotto_i_paper_rows_compute(sotto_matrix *out, const sotto_i_paper_rows *rows, uint32_t layers,
                                        const sotto_key *key, sotto_error *err);
/* The same of all layers as the job's release: charged, with the receipt for it, and kept in its folder.
 * Errors: those of sotto_i_artifact_use. */
SOTTO_MUST_USE sotto_status sotto_i_paper_rows_release(sotto_dataset *out, sotto_i_receipt *receipt,
                                                       const sotto_i_paper_rows *rows, sotto_error *err);
/* That of a finished run, from its folder alone: nothing is drawn. */
SOTTO_MUST_USE sotto_status sotto_i_paper_rows_kept(sotto_dataset *out, sotto_i_receipt *receipt,
                                                    const sotto_i_job *job, const sotto_i_paper_plan *plan,
                                                    sotto_error *err);
/* out (fresh, count x classes): logits of nodes[0..count) from noisy rows of all nodes, or from encoded rows
 * if the network is alone. */
sotto_status sotto_i_paper_logits(sotto_matrix *out, sotto_i_paper_network *network, const sotto_matrix *rows,
                                  const uint32_t *nodes, size_t count, sotto_error *err);

#endif
