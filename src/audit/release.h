/* The audit of a run's releases: each is drawn again by the code that made it, and compared with the stored
 * copy and with the stated noise. */
#ifndef SOTTO_SRC_AUDIT_RELEASE_H
#define SOTTO_SRC_AUDIT_RELEASE_H

#include "attack.h"
#include "audit/statistics/residual.h"
#include "release/artifact.h"

/* The result for one release. */
typedef struct sotto_i_looked {
  double evidence; /* log of the capital against its noise; above log(1 / risk) the noise is faulty */
  double moved;    /* the largest change by one edge, as a share of the stated sensitivity; NAN: not tested */
  uint64_t draws, edges;
  bool compared;             /* the release in the folder was compared */
  sotto_i_residual residual; /* owned; of the release in the folder */
} sotto_i_looked;

/* Draws `artifact` again by its own `show`, `most` times at most. Compares the file at `path` with these
 * draws, and, if the artifact has `compare`, with the exact values. If the release reads the graph of
 * `data`, edges are removed and added; afterwards the graph is as before. Stops when the evidence exceeds
 * `enough`. *seen: the numbers of this release can be tested. Free `residual`. */
sotto_status sotto_i_look_at(sotto_i_looked *out, bool *seen, const sotto_i_artifact *artifact,
                             const char *path, sotto_dataset *data, uint64_t most, double enough,
                             sotto_error *err);
enum { SOTTO_I_LOOKED_DRAWS = 256 };
/* The same for one more file with a release of this artifact, after sotto_i_look_at. */
sotto_status sotto_i_look_at_kept(sotto_i_looked *out, const sotto_i_artifact *artifact, const char *path,
                                  sotto_error *err);

/* release_nights.c: the releases of the run's nights, made again up to the latest night of the data;
 * nothing if the run has none. `take` receives the result of each. Errors: NOT_FOUND (the data is of no
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
  double *exact; /* owned: exact sum of the parts so far */
  sotto_i_residual residual;
  uint64_t rounds;
  double evidence;
  bool all; /* enough rounds were tested */
} sotto_i_looked_rounds;
sotto_status sotto_i_look_at_sum(sotto_i_looked_rounds *looked, const sotto_i_round_sum *sum,
                                 sotto_error *err);
void sotto_i_looked_rounds_free(sotto_i_looked_rounds *looked);

/* release_moves.c: the largest change by one edge of `data` as a share of the item's sensitivity, with the
 * same noise and everything else equal. */
sotto_status sotto_i_look_at_edges(sotto_i_looked *out, const sotto_i_artifact *artifact, sotto_dataset *data,
                                   sotto_error *err);

/* Does a perturbed graph reveal more about the pairs of the true graph than epsilon allows? Wrong with
 * probability at most `risk`. */
bool sotto_i_shows_pairs(const sotto_graph *shown, const sotto_graph *truth, double epsilon, double risk);

#endif
