/* The choice by what holders count neighbours. Pilots choose (protocols/pilots.h), and every party draws them
 * itself: a peer that named them could have an edge counted too often. */
#ifndef SOTTO_SRC_METHODS_VFGNN_VFGNN_CHOICE_H
#define SOTTO_SRC_METHODS_VFGNN_VFGNN_CHOICE_H

#include "protocols/feature_clusters.h"
#include "vfgnn.h"

void sotto_i_vfgnn_cells_free(sotto_i_vfgnn_cells *cells);

/* Whether there is a choice: with 1,000 training nodes or more, where all holders have few enough columns.
 * All of this is public. */
sotto_i_cluster_choice sotto_i_vfgnn_choice(const sotto_i_vfgnn *shared, const size_t *cols, size_t training);
/* The choice and the pilots of all parties, at a holder or at a party of labels alone. Errors: NOMEM. */
SOTTO_MUST_USE sotto_status sotto_i_vfgnn_cells_draw(sotto_i_vfgnn_holder *holder, const size_t *cols,
                                                     const sotto_split *split, sotto_error *err);
/* The same at the server, which needs no more than how many pilots there are. */
void sotto_i_vfgnn_cells_settle(sotto_i_vfgnn_server *server, const size_t *cols, size_t training);
/* Clusters of the holder's columns, where there is a choice. Errors: NOMEM. */
SOTTO_MUST_USE sotto_status sotto_i_vfgnn_cells_fit(sotto_i_vfgnn_holder *holder, sotto_error *err);

/* Keeps the centres of these holders in owner-only/, for answers about other data, if neighbours were counted
 * by them. `whole`: the file has those of all holders. Errors: IO, NOMEM. */
SOTTO_MUST_USE sotto_status sotto_i_vfgnn_cells_keep(const sotto_i_vfgnn_holder *holders, size_t count,
                                                     bool whole, sotto_error *err);
/* Other data: the kind that the label holder names, by the centres that were kept. Errors: NOT_FOUND, those
 * of files; PROTOCOL (another kind). */
SOTTO_MUST_USE sotto_status sotto_i_vfgnn_cells_open(sotto_i_vfgnn_holder *holder, uint32_t kind, bool whole,
                                                     sotto_error *err);
/* Errors: PROTOCOL (there are no counts of this kind). */
SOTTO_MUST_USE sotto_status sotto_i_vfgnn_cells_check(uint32_t kind, sotto_error *err);

/* Those of a round, in their order; returns how many. */
size_t sotto_i_vfgnn_stages(sotto_i_vfgnn_stage out[SOTTO_I_STAGES], const sotto_i_vfgnn_cells *cells,
                            uint32_t round);
/* The shape of one holder's table, and of that of all: sums by class, but clusters of features side by side.
 */
size_t sotto_i_vfgnn_stage_rows(const sotto_i_vfgnn_stage *stage, const sotto_i_vfgnn *shared,
                                const sotto_i_vfgnn_cells *cells);
size_t sotto_i_vfgnn_kind_cols(sotto_i_cluster_kind kind, const sotto_i_vfgnn *shared);
size_t sotto_i_vfgnn_kind_cols_of_all(sotto_i_cluster_kind kind, const sotto_i_vfgnn *shared);

#endif
