/* The inside of a release. */
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
  sotto_i_reader file; /* of a release that is read by rows: its layers have none in memory */
  uint64_t rows, layer_at;
  uint32_t first_layer; /* in the file */
};

/* What double arithmetic in clipping rows adds to a sensitivity, relative; the truth is near 2^-44. */
#define SOTTO_I_CLIP_SLACK 0x1p-20

/* Errors: RANGE, INVALID, naming the option. */
sotto_status sotto_i_pmp_check(const sotto_pmp_options *options, sotto_error *err);
sotto_status sotto_i_check_protection(const sotto_protection *protection, sotto_error *err);

/* Rows whose degree differs between neighbours, at most. */
double sotto_i_rows_rescaled(const sotto_protection *protection);

/* The plan of a release whose mu is at most `mu`; INFINITY: without noise. */
sotto_status sotto_i_pmp_plan_for(sotto_pmp_plan *out, const sotto_pmp_options *options, uint64_t nodes,
                                  size_t cols, double mu, sotto_error *err);

/* What a row of norm sqrt(square) is multiplied by so that its norm is at most `clip` (0: not clipped). */
double sotto_i_clip_factor(double square, double clip);

/* The least noise, on a grid as fine as the noise is made for, whose sensitivity / sigma is at most mu; ideal
 * is the sensitivity before outputs are rounded, `differing` how many of them may differ, `largest` the
 * largest of them. Errors: RANGE. */
sotto_status sotto_i_settle_grid(sotto_grid *grid, double *sensitivity, double ideal, double differing,
                                 double largest, double mu, sotto_error *err);

/* Errors: INVALID unless the inputs have a row a node and the key can hide what needs hiding; RANGE when a
 * node has more neighbours than is declared. */
sotto_status sotto_i_release_check(const sotto_graph *graph, const sotto_matrix *inputs,
                                   const sotto_protection *protection, bool noisy, const sotto_key *key,
                                   sotto_error *err);

/* What a row is multiplied by before its neighbours add it up, and what the sum is multiplied by. */
double sotto_i_scale_before(const sotto_pmp_options *options, const sotto_graph *graph, uint64_t node);
double sotto_i_scale_after(const sotto_pmp_options *options, const sotto_graph *graph, uint64_t node);

/* Where the layers of a release go. */
typedef struct sotto_i_release_sink {
  sotto_matrix *layers; /* 0 to K, nodes x cols each, to be filled; or NULL: only what the next layer reads
                         * is kept, one layer for K = 2 and two for more */
  const sotto_matrix *const *weights; /* of sotto_i_release_weighted; NULL unless `layers` are kept */
  /* Or NULL; takes `count` released values, layer after layer, row after row, from the calling thread. */
  sotto_status (*take)(void *context, const float *values, size_t count, sotto_error *err);
  void *context;
} sotto_i_release_sink;

/* The computation of every release of noisy layers; as sotto_release_new. */
sotto_status sotto_i_release_layers(const sotto_pmp_plan *plan, const sotto_graph *graph,
                                    const sotto_matrix *inputs, const sotto_key *key,
                                    const sotto_i_release_sink *sink, const sotto_observer *observer,
                                    sotto_error *err);

/* Whether layer 0 may be kept beside the layers: where features are the same in neighbouring graphs. */
bool sotto_i_release_shows_inputs(const sotto_pmp_plan *plan);

/* sotto_release_load, of a release of this plan whose charge stands: it may be sent. `by_rows`: its layers
 * stay in the file, for sotto_i_release_read alone. Errors: INVALID when the file's rows were floored at 0
 * and the plan's are not, or the other way round. */
sotto_status sotto_i_release_load_charged(sotto_release **out, const char *path, const sotto_pmp_plan *plan,
                                          const sotto_i_receipt *receipt, bool by_rows, sotto_error *err);
/* Rows first to first + count - 1 of layer k. Errors: IO, of a release that is read by rows. */
sotto_status sotto_i_release_read(const sotto_release *release, uint32_t k, float *out, size_t first,
                                  size_t count, sotto_error *err);

/* A release with zeroed layers. */
sotto_status sotto_i_release_shell(sotto_release **out, const sotto_pmp_plan *plan, size_t rows, size_t cols,
                                   const char *id, const char *run, const char *description,
                                   sotto_error *err);

/* sotto_release_new with weights between layers: layer k aggregates z W_k in the place of z, W_k square as
 * wide as the rows, of operator norm at most 1 (sotto_i_to_unit_operator); `weights` is K of them, or NULL.
 * They and the inputs must follow from public numbers and from earlier releases alone, never from the graph.
 */
sotto_status sotto_i_release_weighted(sotto_release **out, const sotto_pmp_plan *plan,
                                      const sotto_graph *graph, const sotto_matrix *inputs,
                                      const sotto_matrix *const *weights, const sotto_key *key,
                                      const char *id, const char *run, const char *description,
                                      const sotto_observer *observer, sotto_error *err);

/* What the next layer adds up when it has weights: `rows` scaled to norm 1, times the weight, clipped to stay
 * in the unit ball under two more roundings to single precision. `out` is as large as `rows`. */
sotto_status sotto_i_weigh(sotto_matrix *out, const sotto_matrix *rows, const sotto_matrix *weight,
                           sotto_error *err);

#endif
