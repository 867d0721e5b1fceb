/* The beginning of securegnn: each holder's features, edges, labels and part of the weights, under shares. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "securegnn.h"

/* A fixed matrix and its transpose as left factors. */
static sotto_status fix(sotto_i_factor *out, sotto_i_factor *turned, sotto_i_securegnn *n,
                        sotto_i_secret *secret, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_secure_mask(out, &n->s, secret, err));
  SOTTO_TRY(sotto_i_secure_keep(out, &n->s, err));
  SOTTO_TRY(sotto_i_secure_transpose(turned, &n->s, out, err));
done:
  sotto_i_secret_free(secret);
  return status;
}

static sotto_status put_features(sotto_i_secret *x, sotto_i_securegnn *n, const size_t *cols,
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

/* This holder's part of S. */
static sotto_status put_edges(sotto_i_secret *s, sotto_i_securegnn *n, sotto_error *err) {
  const sotto_graph *g = &n->h->data->graph;
  sotto_matrix dense_rows = {0};
  float share = 0.5F / (float)n->c->holders;
  sotto_status status = sotto_matrix_new(&dense_rows, s->rows, s->cols, err);
  if (status != SOTTO_OK) return status;
  for (uint64_t v = 0; v < g->nodes; v++) {
    dense_rows.data[v * s->cols + v] = share;
    for (uint64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++)
      dense_rows.data[v * s->cols + g->targets[e]] = share / (float)sotto_graph_degree(g, v);
  }
  status = sotto_i_secret_put(s, &n->s, &dense_rows, 1, err);
  sotto_matrix_free(&dense_rows);
  return status;
}

/* Less their mean, as hidden rows are less theirs: no output bias is needed. */
static sotto_status put_labels(sotto_i_securegnn *n, sotto_error *err) {
  sotto_matrix wanted = {0};
  sotto_status status = sotto_matrix_new(&wanted, n->labels.rows, n->labels.cols, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < wanted.rows; i++)
    for (size_t j = 0; j < wanted.cols; j++)
      wanted.data[i * wanted.cols + j] =
          (j == (size_t)n->h->labels->parted.labels[SOTTO_PART_TRAIN][i] ? 1 : 0) - 1 / (float)wanted.cols;
  status = sotto_i_secret_put(&n->labels, &n->s, &wanted, 1, err);
  sotto_matrix_free(&wanted);
  return status;
}

/* Each holder's part of the initial weights; hops begin as the identity. `reach`: of the whole weights, which
 * must keep sums small, since the cubics are near their functions below 1 alone. */
static sotto_status add_weight(sotto_i_securegnn *n, size_t k, size_t rows, size_t cols, double reach,
                               sotto_error *err) {
  sotto_matrix start = {0};
  sotto_i_random random;
  double part = reach / sqrt((double)n->c->holders);
  bool hop = k >= 1 && k <= sotto_i_securegnn_hops(n);
  sotto_status status;
  SOTTO_TRY(sotto_i_secret_new(&n->weight[k], &n->s, rows, cols, err));
  SOTTO_TRY(sotto_i_secret_new(&n->velocity[k], &n->s, rows, cols, err));
  if (n->s.dealing) goto done;
  SOTTO_TRY(sotto_matrix_new(&start, rows, cols, err));
  sotto_i_random_init(&random, &n->c->first_key, SOTTO_I_PURPOSE_INIT, (uint32_t)k, n->h->index);
  for (size_t i = 0; i < rows * cols; i++)
    start.data[i] = hop ? (i / cols == i % cols ? 1.0F / (float)n->c->holders : 0)
                        : (float)(part * (2 * sotto_i_random_double(&random) - 1));
  SOTTO_TRY(sotto_i_secret_put(&n->weight[k], &n->s, &start, SOTTO_I_WEIGHT_BOUND, err));
done:
  sotto_matrix_free(&start);
  return status;
}

static sotto_status add_weights(sotto_i_securegnn *n, size_t inner, sotto_error *err) {
  size_t width = n->c->width, classes = n->c->classes;
  sotto_status status;
  SOTTO_TRY(add_weight(n, 0, inner, width, 0.4, err));
  for (size_t k = 1; k <= sotto_i_securegnn_hops(n) + 1; k++)
    SOTTO_TRY(add_weight(n, k, width, width, 2 * sqrt(3.0 / (double)width), err));
  SOTTO_TRY(
      add_weight(n, sotto_i_securegnn_hops(n) + 2, width, classes, 0.1 * sqrt(3.0 / (double)width), err));
done:
  return status;
}

static sotto_status take_rows(sotto_i_securegnn *n, sotto_error *err) {
  sotto_status status;
  n->train = n->split.count[SOTTO_PART_TRAIN];
  for (int part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++) n->count += n->split.count[part];
  SOTTO_TRY(sotto_i_new_raw(&n->rows, n->count, sizeof *n->rows, err));
  SOTTO_TRY(sotto_i_new_raw(&n->first, n->count, sizeof *n->first, err));
  for (size_t i = 0; i < n->count; i++) n->first[i] = (uint32_t)i;
  for (size_t part = SOTTO_PART_TRAIN, at = 0; part <= SOTTO_PART_TEST; at += n->split.count[part++])
    memcpy(n->rows + at, n->split.rows[part], n->split.count[part] * sizeof *n->rows);
done:
  return status;
}

/* S X once, so that the first hop is a part of the first layer; S for the other hops. */
static sotto_status fix_hops(sotto_i_securegnn *n, sotto_i_secret *s, const sotto_i_secret *x,
                             sotto_error *err) {
  sotto_i_factor edges = {0}, features = {0}, train = {0};
  sotto_i_secret first_hop = {0};
  size_t hops = sotto_i_securegnn_hops(n);
  sotto_status status;
  SOTTO_TRY(sotto_i_secure_mask(&edges, &n->s, s, err));
  SOTTO_TRY(sotto_i_secure_keep(&edges, &n->s, err));
  SOTTO_TRY(sotto_i_secure_mask(&features, &n->s, x, err));
  SOTTO_TRY(sotto_i_secure_product(&first_hop, &n->s, &edges, &features, err));
  SOTTO_TRY(fix(&n->x, &n->x_turned, n, &first_hop, err));
  if (hops < 2) goto done;
  SOTTO_TRY(sotto_i_secure_take(&n->last, &n->s, &edges, n->rows, n->count, err));
  SOTTO_TRY(sotto_i_secure_take(&train, &n->s, &edges, n->rows, n->train, err));
  SOTTO_TRY(sotto_i_secure_transpose(&n->last_turned, &n->s, &train, err));
  if (hops < 3) goto done;
  SOTTO_TRY(sotto_i_secure_transpose(&n->spread_turned, &n->s, &edges, err));
  n->spread = edges;
  edges = (sotto_i_factor){.rows = 0};
done:
  sotto_i_factor_free(&edges);
  sotto_i_factor_free(&features);
  sotto_i_factor_free(&train);
  sotto_i_secret_free(&first_hop);
  return status;
}

sotto_status sotto_i_securegnn_share(sotto_i_securegnn *n, const size_t *cols, sotto_error *err) {
  const sotto_i_vfgnn *c = n->c;
  sotto_i_secret x = {0}, s = {0};
  size_t inner = 0;
  sotto_status status;
  for (size_t i = 0; i < c->holders; i++) inner += cols[i];
  SOTTO_TRY(sotto_i_secure_begin(&n->s, n->h == NULL ? NULL : &n->h->peers, n->s.links, c->holders,
                                 (unsigned)sotto_i_holder_settings_of(c->job->options)->fraction_bits,
                                 &c->first_key, err));
  SOTTO_TRY(take_rows(n, err));
  SOTTO_TRY(sotto_i_secret_new(&x, &n->s, c->nodes, inner, err));
  SOTTO_TRY(sotto_i_secret_new(&s, &n->s, c->nodes, c->nodes, err));
  SOTTO_TRY(sotto_i_secret_new(&n->labels, &n->s, n->train, c->classes, err));
  if (n->h != NULL) {
    SOTTO_TRY(put_features(&x, n, cols, err));
    SOTTO_TRY(put_edges(&s, n, err));
    if (n->h->labels != NULL) {
      SOTTO_TRY(put_labels(n, err));
      SOTTO_TRY(sotto_matrix_new(&n->scores, n->count, n->labels.cols, err));
    }
  }
  SOTTO_TRY(fix_hops(n, &s, &x, err));
  SOTTO_TRY(add_weights(n, inner, err));
done:
  sotto_i_secret_free(&x);
  sotto_i_secret_free(&s);
  return status;
}

void sotto_i_securegnn_free(sotto_i_securegnn *n) {
  sotto_i_factor *factors[] = {&n->x, &n->x_turned, &n->spread, &n->spread_turned, &n->last, &n->last_turned};
  for (size_t i = 0; i < 6; i++) sotto_i_factor_free(factors[i]);
  for (size_t k = 0; k < SOTTO_I_SECUREGNN_WEIGHTS; k++) {
    sotto_i_secret_free(&n->weight[k]);
    sotto_i_secret_free(&n->velocity[k]);
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
