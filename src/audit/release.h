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

/* Draws `artifact` again, `most` times at most, by its own `show`, and compares the file at `path` with the
 * draws, and where it has `compare` with what it is without noise. Where the release reads the graph of
 * `data`, edges are taken out and put in; it is as it was afterwards. Stops as soon as the evidence passes
 * `enough`. *seen: the numbers of this release can be looked at. Free `residual`.
 */
sotto_status sotto_i_look_at(sotto_i_looked *out, bool *seen, const sotto_i_artifact *artifact,
                             const char *path, sotto_dataset *data, uint64_t most, double enough,
                             sotto_error *err);
enum { SOTTO_I_LOOKED_DRAWS = 256 };
/* The same of one more file with a release of this artifact, after sotto_i_look_at. */
sotto_status sotto_i_look_at_kept(sotto_i_looked *out, const sotto_i_artifact *artifact, const char *path,
                                  sotto_error *err);

/* release_nights.c: the releases of the run's nights, made again up to that of the latest night that the data
 * is of; nothing where the run has none. `one` gets each of them. Errors: NOT_FOUND (the data is of no
 * night), those of sotto_i_nights_open_anew. */
typedef struct sotto_i_looking_nights {
  void *context;
  void (*take)(void *context, sotto_i_looked *one);
  double enough;
} sotto_i_looking_nights;
sotto_status sotto_i_look_at_nights(const sotto_i_attacked *as, const sotto_i_looking_nights *looking,
                                    sotto_error *err);
/* release_rounds.c: sums of the rounds of a federation, each after its parts. Free it. Errors: NOMEM. */
enum { SOTTO_I_LOOKED_ROUNDS = 8 };
typedef struct sotto_i_looked_rounds {
  double *exact; /* owned: of the parts so far */
  sotto_i_residual residual;
  uint64_t rounds;
  double evidence;
  bool all; /* that an audit looks at */
} sotto_i_looked_rounds;
sotto_status sotto_i_look_at_sum(sotto_i_looked_rounds *looked, const sotto_i_round_sum *sum,
                                 sotto_error *err);
void sotto_i_looked_rounds_free(sotto_i_looked_rounds *looked);

/* release_moves.c: the largest share of the item's sensitivity that one edge of `data` moves, all else and
 * the noise being the same. */
sotto_status sotto_i_look_at_edges(sotto_i_looked *out, const sotto_i_artifact *artifact, sotto_dataset *data,
                                   sotto_error *err);

/* Does a perturbed graph show more of the pairs of the true one than epsilon? Wrong with
 * probability at most `risk`. */
bool sotto_i_shows_pairs(const sotto_graph *shown, const sotto_graph *truth, double epsilon, double risk);

#endif
