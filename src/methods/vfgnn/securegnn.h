/* State of a party of securegnn: the whole network under shares. */
#ifndef SOTTO_SRC_METHODS_VFGNN_SECUREGNN_H
#define SOTTO_SRC_METHODS_VFGNN_SECUREGNN_H

#include "party/shares/secure_graph.h"
#include "sotto/split.h"
#include "vfgnn.h"

/* c1 x + c3 x^3: the activations. That of the last hidden layer is the sigmoid minus 1/2: with it, the mean
 * of all hidden columns would be one direction with a much steeper loss, and every step would have to be ten
 * times shorter. */
typedef struct sotto_i_cubic {
  double c1, c3;
} sotto_i_cubic;
extern const sotto_i_cubic sotto_i_securegnn_tanh, sotto_i_securegnn_sigmoid;

/* Values of one layer for its backward pass. */
typedef struct sotto_i_securegnn_layer {
  sotto_i_factor input; /* the left factor of the weights */
  sotto_i_secret slope; /* of the activation */
} sotto_i_securegnn_layer;

typedef struct sotto_i_securegnn {
  const sotto_i_vfgnn *c;
  sotto_i_vfgnn_holder *h; /* NULL at the dealer */
  sotto_i_secure s;
  sotto_split split;
  uint32_t *rows;  /* scored: training, validation and test nodes, concatenated; those that are asked for */
  uint32_t *first; /* 0, 1, 2, ...: positions of training rows in `rows` */
  size_t count, train, inner; /* scored rows; training rows, which come first; columns of all holders */
  sotto_i_secure_graph graphs[SOTTO_MOST_HOLDERS]; /* by holder */
  sotto_i_factor x, x_turned;                      /* S X */
  sotto_i_secret weight[SOTTO_I_SECUREGNN_WEIGHTS], velocity[SOTTO_I_SECUREGNN_WEIGHTS], labels;
  sotto_i_secret best[SOTTO_I_SECUREGNN_WEIGHTS]; /* the weights of the best epoch */
  sotto_i_securegnn_layer layers[SOTTO_I_SECUREGNN_WEIGHTS];
  sotto_matrix scores; /* only at the label holder */
} sotto_i_securegnn;

static inline size_t sotto_i_securegnn_hops(const sotto_i_securegnn *n) {
  return (size_t)n->c->job->options->layers;
}

/* Weights by number: the first layer's, those of the hops, and those of the two layers after them. */
static inline size_t sotto_i_securegnn_weights(const sotto_i_vfgnn *shared) {
  return (size_t)shared->job->options->layers + 3;
}
void sotto_i_securegnn_weight_shape(size_t *rows, size_t *cols, const sotto_i_vfgnn *shared, size_t inner,
                                    size_t number);

/* securegnn_spread.c. RANGE: a holder has more edges than all agreed on. Called before anything is sent. */
sotto_status sotto_i_securegnn_check_edges(const sotto_options *options, size_t holder,
                                           const sotto_graph *graph, sotto_error *err);
/* Memory of `sides` of a run (holders and the server) in one process, by public numbers alone. */
double sotto_i_securegnn_bytes(const sotto_options *options, double nodes, double columns, size_t sides);
/* Shows all holders' disguised graphs. */
sotto_status sotto_i_securegnn_begin_spread(sotto_i_securegnn *n, sotto_error *err);
/* *value becomes S or its transpose times *value, and of that the given rows (NULL: all). */
sotto_status sotto_i_securegnn_spread(sotto_i_secret *value, sotto_i_securegnn *n, bool transposed,
                                      const uint32_t *rows, size_t count, sotto_error *err);
/* The same for features, of which each holder has its own columns alone. */
sotto_status sotto_i_securegnn_spread_features(sotto_i_secret *value, sotto_i_securegnn *n,
                                               const size_t *cols, sotto_error *err);
/* securegnn_forward.c. Begins the shares of `n`, whose c, h, rows and count are set, and at the dealer
 * s.links: features, edges, and the factors of a forward pass. `cols` is by holder. */
sotto_status sotto_i_securegnn_share(sotto_i_securegnn *n, const size_t *cols, sotto_error *err);
/* scores (fresh) of n->rows by n->weight. */
sotto_status sotto_i_securegnn_forward(sotto_i_secret *scores, sotto_i_securegnn *n, sotto_error *err);
/* out = left right. */
sotto_status sotto_i_securegnn_multiply(sotto_i_secret *out, sotto_i_securegnn *n, const sotto_i_factor *left,
                                        const sotto_i_secret *right, sotto_error *err);
void sotto_i_securegnn_free(sotto_i_securegnn *n);

/* securegnn_weights.c. After each epoch's scores: n->best becomes n->weight if `better`, which the label
 * holder alone says and knows; the others pass false. */
sotto_status sotto_i_securegnn_select(sotto_i_securegnn *n, bool better, sotto_error *err);
/* Moves this holder's shares of the best weights to the holder, which stores them. */
void sotto_i_securegnn_give_best(sotto_i_vfgnn_holder *holder, sotto_i_securegnn *n);
/* n->weight: at a holder its stored shares, at the dealer shapes. Errors: NOT_FOUND, those of files. */
sotto_status sotto_i_securegnn_load(sotto_i_securegnn *n, sotto_error *err);
/* Of a run of one process, which has all shares: the weights themselves (fresh, sotto_i_securegnn_weights of
 * them). */
sotto_status sotto_i_securegnn_load_all(sotto_matrix *weights, const sotto_i_vfgnn *shared, size_t inner,
                                        sotto_error *err);

/* securegnn_clear.c: scores (fresh) of all nodes in the clear. `graph`: of each holder, with its own edges;
 * `features`: of all holders' columns. */
sotto_status sotto_i_securegnn_clear(sotto_matrix *scores, const sotto_i_vfgnn *shared,
                                     const sotto_graph *const *graph, const sotto_matrix *features,
                                     const sotto_matrix *weights, sotto_error *err);

#endif
