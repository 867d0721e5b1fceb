/* A release and its plan: internal structure and functions. */
#ifndef SOTTO_SRC_PMP_RELEASE_H
#define SOTTO_SRC_PMP_RELEASE_H

#include "base/reader.h"
#include "release/receipt.h"
#include "sotto/pmp.h"

enum { SOTTO_I_MOST_LAYERS = 64, SOTTO_I_INPUT_BITS = 24 };
#define SOTTO_I_INPUT_STEP 0x1p-24 /* grid of the rows that enter an aggregate */

struct sotto_release {
  sotto_pmp_plan plan;
  sotto_matrix layers[SOTTO_I_MOST_LAYERS + 1];
  char *id, *run, *description;
  bool insecure;
  bool paid;
  sotto_i_reader file; /* of a release that is read by rows: its layers have no rows in memory */
  uint64_t rows, layer_at;
  uint32_t first_layer; /* in the file */
};

/* Relative increase of a sensitivity by double arithmetic in clipping; the true one is near 2^-44. */
#define SOTTO_I_CLIP_SLACK 0x1p-20

/* Errors: RANGE, INVALID, naming the option. */
sotto_status sotto_i_pmp_check(const sotto_pmp_options *options, sotto_error *err);
sotto_status sotto_i_check_protection(const sotto_protection *protection, sotto_error *err);

/* The plan of a release whose mu is at most `mu`; INFINITY: without noise. */
sotto_status sotto_i_pmp_plan_for(sotto_pmp_plan *out, const sotto_pmp_options *options, uint64_t nodes,
                                  size_t cols, double mu, sotto_error *err);

/* The factor that clips a row of norm sqrt(square) to norm `clip` (0: no clipping). */
double sotto_i_clip_factor(double square, double clip);

/* The least noise, on the finest grid that the noise supports, whose sensitivity / sigma is at most mu.
 * `ideal` is the sensitivity before outputs are rounded, `differing` the number of outputs that may differ,
 * `largest` the largest of them. Errors: RANGE. */
sotto_status sotto_i_settle_grid(sotto_grid *grid, double *sensitivity, double ideal, double differing,
                                 double largest, double mu, sotto_error *err);

/* Errors: INVALID unless the inputs have one row a node and the key is secret where noise needs it; RANGE
 * when a node has more neighbours than declared. */
sotto_status sotto_i_release_check(const sotto_graph *graph, const sotto_matrix *inputs,
                                   const sotto_protection *protection, bool noisy, const sotto_key *key,
                                   sotto_error *err);

/* The factor of a row before its neighbours add it up, and the factor of the sum. */
double sotto_i_scale_before(const sotto_pmp_options *options, const sotto_graph *graph, uint64_t node);
double sotto_i_scale_after(const sotto_pmp_options *options, const sotto_graph *graph, uint64_t node);

/* Destination of a release's layers. */
typedef struct sotto_i_release_sink {
  sotto_matrix *layers; /* 0 to K, nodes x cols each, to be filled; or NULL: only layers that the next one
                           reads are in memory, one layer for K = 2 and two for more */
  const sotto_matrix *const *weights; /* of sotto_i_release_weighted; NULL without `layers` */
  /* Or NULL. Called with `count` released values, layer by layer and row by row, on the calling thread. */
  sotto_status (*take)(void *context, const float *values, size_t count, sotto_error *err);
  void *context;
} sotto_i_release_sink;

/* Computes every release of noisy layers; as sotto_release_new. */
sotto_status sotto_i_release_layers(const sotto_pmp_plan *plan, const sotto_graph *graph,
                                    const sotto_matrix *inputs, const sotto_key *key,
                                    const sotto_i_release_sink *sink, const sotto_observer *observer,
                                    sotto_error *err);

/* May layer 0 be saved with the layers? Yes where features are the same in neighbouring graphs. */
bool sotto_i_release_shows_inputs(const sotto_pmp_plan *plan);

/* Loads a release of this plan whose charge is recorded, so that it may be sent; as sotto_release_load.
 * `by_rows`: its layers stay in the file, for sotto_i_release_read alone. Errors: INVALID when only one of
 * the file and the plan has rows clamped at 0. */
sotto_status sotto_i_release_load_charged(sotto_release **out, const char *path, const sotto_pmp_plan *plan,
                                          const sotto_i_receipt *receipt, bool by_rows, sotto_error *err);
/* Opens a release of `rows` rows whose layers stay in the file, for sotto_i_release_read alone. Errors:
 * INVALID (other rows), and those of sotto_release_load. */
sotto_status sotto_i_release_open(sotto_release **out, const char *path, size_t rows, sotto_error *err);
/* Rows first to first + count - 1 of layer k. Errors: IO, for a release that is read by rows. */
sotto_status sotto_i_release_read(const sotto_release *release, uint32_t k, float *out, size_t first,
                                  size_t count, sotto_error *err);

/* A release with zeroed layers. */
sotto_status sotto_i_release_shell(sotto_release **out, const sotto_pmp_plan *plan, size_t rows, size_t cols,
                                   const char *id, const char *run, const char *description,
                                   sotto_error *err);

/* sotto_release_new with weights between layers: layer k aggregates z W_k instead of z. W_k is square, as
 * wide as the rows, and of operator norm at most 1 (sotto_i_to_unit_operator). `weights` has K of them, or is
 * NULL. Weights and inputs must depend on public numbers and earlier releases alone, never on the graph. */
sotto_status sotto_i_release_weighted(sotto_release **out, const sotto_pmp_plan *plan,
                                      const sotto_graph *graph, const sotto_matrix *inputs,
                                      const sotto_matrix *const *weights, const sotto_key *key,
                                      const char *id, const char *run, const char *description,
                                      const sotto_observer *observer, sotto_error *err);

/* The input of the next layer when it has weights: `rows` normalised, times the weight, clipped so that two
 * more roundings to single precision leave them in the unit ball. `out` is as large as `rows`. */
sotto_status sotto_i_weigh(sotto_matrix *out, const sotto_matrix *rows, const sotto_matrix *weight,
                           sotto_error *err);

#endif
