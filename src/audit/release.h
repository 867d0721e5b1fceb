/* The audit of a run's releases: each is drawn again by the code that made it, and compared with what is kept
 * and what is stated. */
#ifndef SOTTO_SRC_AUDIT_RELEASE_H
#define SOTTO_SRC_AUDIT_RELEASE_H

#include "attack.h"
#include "audit/statistics/residual.h"
#include "release/artifact.h"

/* What one release showed. */
typedef struct sotto_i_looked {
  double evidence; /* log of the capital against its noise; above log(1 / risk) the noise is faulty */
  double moved;    /* the largest change by one edge, as a share of the stated sensitivity; NAN: not tried */
  uint64_t draws, edges;
  bool compared;             /* the release in the folder was */
  sotto_i_residual residual; /* owned; of the release in the folder */
} sotto_i_looked;

/* Draws `artifact` again, by its own `show`, and compares the file at `path` with the draws, and where it has
 * `compare` with what it is without noise. Where the release reads the graph of `data`, edges are taken out
 * and put in; it is as it was afterwards. Stops as soon as the evidence passes `enough`. *seen: the numbers
 * of this release can be looked at. Free `residual`.
 */
sotto_status sotto_i_look_at(sotto_i_looked *out, bool *seen, const sotto_i_artifact *artifact,
                             const char *path, sotto_dataset *data, double enough, sotto_error *err);

/* release_moves.c: the largest share of the item's sensitivity that one edge of `data` moves, all else and
 * the noise being the same. */
sotto_status sotto_i_look_at_edges(sotto_i_looked *out, const sotto_i_artifact *artifact, sotto_dataset *data,
                                   sotto_error *err);

/* Does a perturbed graph show more of the pairs of the true one than epsilon? Wrong with
 * probability at most `risk`. */
bool sotto_i_shows_pairs(const sotto_graph *shown, const sotto_graph *truth, double epsilon, double risk);

#endif
