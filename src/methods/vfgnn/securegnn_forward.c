/* The forward pass of securegnn under shares: features and edges are shared once, and scores follow from the
 * weights that a party has. Training and answers about other data run it. The same code runs at every holder
 * and at the dealer. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "securegnn.h"
#include "vfgnn_memory.h"

const sotto_i_cubic sotto_i_securegnn_tanh = {1, -1.0 / 3}, sotto_i_securegnn_sigmoid = {0.25, -1.0 / 48};

static sotto_status share_features(sotto_i_secret *x, sotto_i_securegnn *n, const size_t *cols,
                                   sotto_error *err) {
  const sotto_matrix *own = &n->h->features;
  sotto_matrix wide = {0};
  size_t first = 0;
  sotto_status status;
  for (size_t i = 0; i < n->h->index; i++) first += cols[i];
  SOTTO_TRY(sotto_matrix_new(&wide, x->rows, x->cols, err));
  for (size_t i = 0; i < own->rows; i++)
    memcpy(wide.data + i * wide.cols + first, own->data + i * own->cols, own->cols * sizeof(float));
  SOTTO_TRY(sotto_i_secret_put(x, &n->s, &wide, sotto_i_holder_settings_of(n->c->job->options)->feature_bound,
                               err));
done:
  sotto_matrix_free(&wide);
  return status;
}

/* S X once, so that the first hop is a part of the first layer. */
static sotto_status fix_first_hop(sotto_i_securegnn *n, sotto_i_secret *x, const size_t *cols,
                                  sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_securegnn_spread_features(x, n, cols, err));
  SOTTO_TRY(sotto_i_secure_mask(&n->x, &n->s, x, err));
  SOTTO_TRY(sotto_i_secure_keep(&n->x, &n->s, err));
done:
  return status;
}

sotto_status sotto_i_securegnn_share(sotto_i_securegnn *n, const size_t *cols, sotto_error *err) {
  const sotto_i_vfgnn *c = n->c;
  sotto_i_secret x = {0};
  sotto_status status;
  n->inner = 0;
  for (size_t i = 0; i < c->holders; i++) n->inner += cols[i];
  if (!c->together)
    SOTTO_TRY(sotto_i_vfgnn_check_memory(
        "this party", (double)c->nodes,
        sotto_i_securegnn_bytes(c->job->options, (double)c->nodes, (double)n->inner, 1),
        sotto_i_vfgnn_machine_bytes(), err));
  SOTTO_TRY(sotto_i_secure_begin(&n->s, n->h == NULL ? NULL : &n->h->peers, n->s.links, c->holders,
                                 SOTTO_I_FRACTION_BITS, &c->first_key, err));
  SOTTO_TRY(sotto_i_secret_new(&x, &n->s, c->nodes, n->inner, err));
  if (n->h != NULL) SOTTO_TRY(share_features(&x, n, cols, err));
  SOTTO_TRY(sotto_i_securegnn_begin_spread(n, err));
  SOTTO_TRY(fix_first_hop(n, &x, cols, err));
done:
  sotto_i_secret_free(&x);
  return status;
}

static sotto_status activate(sotto_i_secret *out, sotto_i_secret *slope, sotto_i_securegnn *n,
                             const sotto_i_secret *x, const sotto_i_cubic *f, sotto_error *err) {
  sotto_i_factor line = {0}, square_factor = {0};
  sotto_i_secret square = {0}, cube = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_secure_mask(&line, &n->s, x, err));
  SOTTO_TRY(sotto_i_secure_elementwise(&square, &n->s, &line, &line, err));
  SOTTO_TRY(sotto_i_secure_mask(&square_factor, &n->s, &square, err));
  SOTTO_TRY(sotto_i_secure_elementwise(&cube, &n->s, &square_factor, &line, err));
  SOTTO_TRY(sotto_i_secret_new(out, &n->s, x->rows, x->cols, err));
  SOTTO_TRY(sotto_i_secure_add_scaled(out, &n->s, x, f->c1, err));
  SOTTO_TRY(sotto_i_secure_add_scaled(out, &n->s, &cube, f->c3, err));
  SOTTO_TRY(sotto_i_secret_new(slope, &n->s, x->rows, x->cols, err));
  SOTTO_TRY(sotto_i_secure_add_scaled(slope, &n->s, &square, 3 * f->c3, err));
  sotto_i_secure_add_constant(slope, &n->s, f->c1);
done:
  sotto_i_factor_free(&line);
  sotto_i_factor_free(&square_factor);
  sotto_i_secret_free(&square);
  sotto_i_secret_free(&cube);
  return status;
}

sotto_status sotto_i_securegnn_multiply(sotto_i_secret *out, sotto_i_securegnn *n, const sotto_i_factor *left,
                                        const sotto_i_secret *right, sotto_error *err) {
  sotto_i_factor factor = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_secure_mask(&factor, &n->s, right, err));
  SOTTO_TRY(sotto_i_secure_product(out, &n->s, left, &factor, err));
done:
  sotto_i_factor_free(&factor);
  return status;
}

/* *value becomes activation(value W_k), or value W_k without an activation (the output). */
static sotto_status dense_forward(sotto_i_secret *value, sotto_i_securegnn *n, size_t k,
                                  const sotto_i_cubic *f, sotto_error *err) {
  sotto_i_secret sum = {0};
  sotto_i_securegnn_layer *l = &n->layers[k];
  sotto_status status;
  SOTTO_TRY(sotto_i_secure_mask(&l->input, &n->s, value, err));
  SOTTO_TRY(sotto_i_securegnn_multiply(&sum, n, &l->input, &n->weight[k], err));
  sotto_i_secret_free(value);
  if (f != NULL) {
    SOTTO_TRY(activate(value, &l->slope, n, &sum, f, err));
  } else {
    *value = sum;
    sum = (sotto_i_secret){.rows = 0};
  }
done:
  sotto_i_secret_free(&sum);
  return status;
}

sotto_status sotto_i_securegnn_forward(sotto_i_secret *scores, sotto_i_securegnn *n, sotto_error *err) {
  sotto_i_secret value = {0};
  sotto_status status;
  *scores = (sotto_i_secret){.rows = 0};
  size_t hops = sotto_i_securegnn_hops(n);
  SOTTO_TRY(sotto_i_securegnn_multiply(&value, n, &n->x, &n->weight[0], err));
  for (size_t k = 1; k <= hops; k++) {
    if (k > 1)
      SOTTO_TRY(sotto_i_securegnn_spread(&value, n, false, k == hops ? n->rows : NULL, n->count, err));
    SOTTO_TRY(dense_forward(&value, n, k, &sotto_i_securegnn_tanh, err));
  }
  if (hops == 1) {
    SOTTO_TRY(sotto_i_secure_gather(scores, &n->s, &value, n->rows, n->count, err));
  } else {
    *scores = value;
    value = (sotto_i_secret){.rows = 0};
  }
  SOTTO_TRY(dense_forward(scores, n, sotto_i_securegnn_hops(n) + 1, &sotto_i_securegnn_sigmoid, err));
  SOTTO_TRY(dense_forward(scores, n, sotto_i_securegnn_hops(n) + 2, NULL, err));
done:
  sotto_i_secret_free(&value);
  return status;
}

void sotto_i_securegnn_free(sotto_i_securegnn *n) {
  for (size_t i = 0; i < n->c->holders; i++) sotto_i_secure_graph_free(&n->graphs[i]);
  sotto_i_factor_free(&n->x);
  sotto_i_factor_free(&n->x_turned);
  for (size_t k = 0; k < SOTTO_I_SECUREGNN_WEIGHTS; k++) {
    sotto_i_secret_free(&n->weight[k]);
    sotto_i_secret_free(&n->velocity[k]);
    sotto_i_secret_free(&n->best[k]);
    sotto_i_factor_free(&n->layers[k].input);
    sotto_i_secret_free(&n->layers[k].slope);
  }
  sotto_i_secret_free(&n->labels);
  sotto_matrix_free(&n->scores);
  sotto_split_free(&n->split);
  sotto_i_free(n->rows);
  sotto_i_free(n->first);
  sotto_i_secure_free(&n->s);
}
