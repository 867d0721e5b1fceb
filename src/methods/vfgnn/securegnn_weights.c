/* The weights of securegnn that answers about other data read: those of the best epoch, whose shares each
 * holder stores. The label holder's validation scores say which epoch that is, and nobody else may know. So
 * it shares one bit in each epoch, and the weights are selected under shares. */
#include <stdio.h>

#include "base/error.h"
#include "inside/nn.h"
#include "run/files/job_file.h"
#include "securegnn.h"

static const char weights_file[] = "weights.safetensors";
enum { name_size = 64 };

void sotto_i_securegnn_weight_shape(size_t *rows, size_t *cols, const sotto_i_vfgnn *c, size_t inner,
                                    size_t number) {
  *rows = number == 0 ? inner : c->width;
  *cols = number + 1 == sotto_i_securegnn_weights(c) ? c->classes : c->width;
}

sotto_status sotto_i_securegnn_select(sotto_i_securegnn *n, bool better, sotto_error *err) {
  sotto_i_secret bit = {0};
  sotto_i_factor chosen = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_secret_new(&bit, &n->s, 1, 1, err));
  if (better) bit.share.data[0] = 1; /* a whole number, so that nothing is rounded */
  SOTTO_TRY(sotto_i_secure_mask(&chosen, &n->s, &bit, err));
  for (size_t k = 0; k < sotto_i_securegnn_weights(n->c); k++)
    SOTTO_TRY(sotto_i_secure_select(&n->best[k], &n->s, &chosen, &n->weight[k], err));
done:
  sotto_i_secret_free(&bit);
  sotto_i_factor_free(&chosen);
  return status;
}

void sotto_i_securegnn_give_best(sotto_i_vfgnn_holder *h, sotto_i_securegnn *n) {
  for (size_t k = 0; k < sotto_i_securegnn_weights(n->c); k++) {
    sotto_ring_free(&h->best_weights[k]);
    h->best_weights[k] = n->best[k].share;
    n->best[k].share = (sotto_ring){.data = NULL};
  }
}

/* A file of one process has the shares of all holders, by number; that of a holder alone has its own. */
static void name_share(char out[name_size], size_t weight, size_t holder, bool whole) {
  if (whole)
    (void)snprintf(out, name_size, "weight%zu.share%zu", weight, holder + 1);
  else
    (void)snprintf(out, name_size, "weight%zu.share", weight);
}

sotto_status sotto_i_securegnn_store(const sotto_i_vfgnn_holder *holders, size_t count, bool whole,
                                     sotto_error *err) {
  const sotto_i_vfgnn *c = holders->shared;
  char name[name_size];
  sotto_params *set = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_params_new(&set, err));
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < sotto_i_securegnn_weights(c); k++) {
      name_share(name, k, i, whole);
      SOTTO_TRY(sotto_i_vfgnn_add_ring(set, name, &holders[i].best_weights[k], err));
    }
  SOTTO_TRY(sotto_i_job_save_table(c->job, weights_file, set, err));
done:
  sotto_params_free(set);
  return status;
}

/* The stored shares of `count` holders, as parameters by holder and weight. */
static sotto_status load_shares(sotto_params **out, const sotto_i_vfgnn *c, size_t inner, size_t count,
                                bool whole, sotto_error *err) {
  char name[name_size];
  sotto_ring shape = {.data = NULL};
  sotto_status status;
  SOTTO_TRY(sotto_params_new(out, err));
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < sotto_i_securegnn_weights(c); k++) {
      size_t rows, cols;
      sotto_i_securegnn_weight_shape(&rows, &cols, c, inner, k);
      name_share(name, k, i, whole);
      sotto_ring_free(&shape);
      SOTTO_TRY(sotto_ring_new(&shape, rows, cols, err));
      SOTTO_TRY(sotto_i_vfgnn_add_ring(*out, name, &shape, err));
    }
  SOTTO_TRY(sotto_i_job_load_table(*out, c->job, weights_file, false, err));
done:
  sotto_ring_free(&shape);
  return status;
}

sotto_status sotto_i_securegnn_load(sotto_i_securegnn *n, sotto_error *err) {
  sotto_params *set = NULL;
  sotto_status status = SOTTO_OK;
  if (!n->s.dealing) SOTTO_TRY(load_shares(&set, n->c, n->inner, 1, false, err));
  for (size_t k = 0; k < sotto_i_securegnn_weights(n->c); k++) {
    size_t rows, cols;
    sotto_i_securegnn_weight_shape(&rows, &cols, n->c, n->inner, k);
    SOTTO_TRY(sotto_i_secret_new(&n->weight[k], &n->s, rows, cols, err));
    if (!n->s.dealing) sotto_i_vfgnn_read_ring(&n->weight[k].share, set, k);
  }
done:
  sotto_params_free(set);
  return status;
}

/* *weight becomes the sum of all holders' shares of weight k. */
static sotto_status join_shares(sotto_matrix *weight, sotto_params *set, const sotto_i_vfgnn *c, size_t inner,
                                size_t k, sotto_error *err) {
  sotto_ring sum = {.data = NULL}, share = {.data = NULL};
  size_t rows, cols;
  sotto_status status;
  sotto_i_securegnn_weight_shape(&rows, &cols, c, inner, k);
  SOTTO_TRY(sotto_ring_new(&sum, rows, cols, err));
  SOTTO_TRY(sotto_ring_new(&share, rows, cols, err));
  SOTTO_TRY(sotto_matrix_new(weight, rows, cols, err));
  for (size_t i = 0; i < c->holders; i++) {
    sotto_i_vfgnn_read_ring(&share, set, i * sotto_i_securegnn_weights(c) + k);
    sotto_ring_add(&sum, &sum, &share);
  }
  sotto_fixed_decode(weight, &sum, SOTTO_I_FRACTION_BITS);
done:
  sotto_ring_free(&sum);
  sotto_ring_free(&share);
  return status;
}

sotto_status sotto_i_securegnn_load_all(sotto_matrix *weights, const sotto_i_vfgnn *c, size_t inner,
                                        sotto_error *err) {
  sotto_params *set = NULL;
  sotto_status status;
  SOTTO_TRY(load_shares(&set, c, inner, c->holders, true, err));
  for (size_t k = 0; k < sotto_i_securegnn_weights(c); k++)
    SOTTO_TRY(join_shares(&weights[k], set, c, inner, k, err));
done:
  sotto_params_free(set);
  return status;
}
