/* The baseline of Zhou et al. 2021: the whole network under shares, forward and backward, with features,
 * edges and labels. Hops are h = tanh(S h W), S the mean over holders of (own row + mean of neighbours)/2.
 * Then sigmoid(h V) and an output layer with squared error, which needs no exponential. tanh and sigmoid
 * are their cubic Taylor polynomials. The same code runs at every holder and at the dealer. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/random.h"
#include "inside/nn.h"
#include "run/parties/party_split.h"
#include "securegnn.h"

/* A constant matrix and its transpose as left factors. */
static sotto_status add_factors(sotto_i_factor *out, sotto_i_factor *turned, sotto_i_securegnn *n,
                                sotto_i_secret *secret, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_secure_mask(out, &n->s, secret, err));
  SOTTO_TRY(sotto_i_secure_keep(out, &n->s, err));
  SOTTO_TRY(sotto_i_secure_transpose(turned, &n->s, out, err));
done:
  sotto_i_secret_free(secret);
  return status;
}

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

/* This holder's part of S. */
static sotto_status share_edges(sotto_i_secret *s, sotto_i_securegnn *n, sotto_error *err) {
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

/* Labels minus their mean, since hidden rows are centred too: no output bias is needed. */
static sotto_status share_labels(sotto_i_securegnn *n, sotto_error *err) {
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

/* Each holder's part of the initial weights; hops begin as the identity. `reach` is that of the whole
 * weights. It must keep sums small, since the cubics approximate their functions only below 1. */
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

static sotto_status collect_rows(sotto_i_securegnn *n, sotto_error *err) {
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
  SOTTO_TRY(add_factors(&n->x, &n->x_turned, n, &first_hop, err));
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

static sotto_status securegnn_share(sotto_i_securegnn *n, const size_t *cols, sotto_error *err) {
  const sotto_i_vfgnn *c = n->c;
  sotto_i_secret x = {0}, s = {0};
  size_t inner = 0;
  sotto_status status;
  for (size_t i = 0; i < c->holders; i++) inner += cols[i];
  SOTTO_TRY(sotto_i_secure_begin(&n->s, n->h == NULL ? NULL : &n->h->peers, n->s.links, c->holders,
                                 SOTTO_I_FRACTION_BITS, &c->first_key, err));
  SOTTO_TRY(collect_rows(n, err));
  SOTTO_TRY(sotto_i_secret_new(&x, &n->s, c->nodes, inner, err));
  SOTTO_TRY(sotto_i_secret_new(&s, &n->s, c->nodes, c->nodes, err));
  SOTTO_TRY(sotto_i_secret_new(&n->labels, &n->s, n->train, c->classes, err));
  if (n->h != NULL) {
    SOTTO_TRY(share_features(&x, n, cols, err));
    SOTTO_TRY(share_edges(&s, n, err));
    if (n->h->labels != NULL) {
      SOTTO_TRY(share_labels(n, err));
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

/* Everything that is shared once: features, the graph, labels, initial weights. `cols` is by holder. */
static void securegnn_free(sotto_i_securegnn *n) {
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

enum { most_nodes = 8192 };

/* c0 + c1 x + c3 x^3 */
typedef struct cubic {
  double c0, c1, c3;
} cubic;
/* The sigmoid minus 1/2. With it, the mean of all hidden columns would be one direction with a much steeper
 * loss, and every step would have to be ten times shorter. */
static const cubic cubic_tanh = {0, 1, -1.0 / 3}, cubic_sigmoid = {0, 0.25, -1.0 / 48};

static sotto_status activate(sotto_i_secret *out, sotto_i_secret *slope, sotto_i_securegnn *n,
                             const sotto_i_secret *x, const cubic *f, sotto_error *err) {
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
  sotto_i_secure_add_constant(out, &n->s, f->c0);
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

static sotto_status multiply(sotto_i_secret *out, sotto_i_securegnn *n, const sotto_i_factor *left,
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
static sotto_status dense_forward(sotto_i_secret *value, sotto_i_securegnn *n, size_t k, const cubic *f,
                                  sotto_error *err) {
  sotto_i_secret sum = {0};
  sotto_i_securegnn_layer *l = &n->layers[k];
  sotto_status status;
  SOTTO_TRY(sotto_i_secure_mask(&l->input, &n->s, value, err));
  SOTTO_TRY(multiply(&sum, n, &l->input, &n->weight[k], err));
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

static sotto_status aggregate(sotto_i_secret *value, sotto_i_securegnn *n, const sotto_i_factor *by,
                              sotto_error *err) {
  sotto_i_secret out = {0};
  sotto_status status = multiply(&out, n, by, value, err);
  sotto_i_secret_free(value);
  *value = out;
  return status;
}

/* Scores of training, validation and test rows. */
static sotto_status forward(sotto_i_secret *scores, sotto_i_securegnn *n, sotto_error *err) {
  sotto_i_secret value = {0};
  sotto_status status;
  *scores = (sotto_i_secret){.rows = 0};
  size_t hops = sotto_i_securegnn_hops(n);
  SOTTO_TRY(multiply(&value, n, &n->x, &n->weight[0], err));
  for (size_t k = 1; k <= hops; k++) {
    if (k > 1) SOTTO_TRY(aggregate(&value, n, k == hops ? &n->last : &n->spread, err));
    SOTTO_TRY(dense_forward(&value, n, k, &cubic_tanh, err));
  }
  if (hops == 1) {
    SOTTO_TRY(sotto_i_secure_gather(scores, &n->s, &value, n->rows, n->count, err));
  } else {
    *scores = value;
    value = (sotto_i_secret){.rows = 0};
  }
  SOTTO_TRY(dense_forward(scores, n, sotto_i_securegnn_hops(n) + 1, &cubic_sigmoid, err));
  SOTTO_TRY(dense_forward(scores, n, sotto_i_securegnn_hops(n) + 2, NULL, err));
done:
  sotto_i_secret_free(&value);
  return status;
}

/* V = momentum V + gradient + decay W; W = W - rate V. */
static sotto_status update_weight(sotto_i_securegnn *n, size_t k, const sotto_i_secret *gradient,
                                  sotto_error *err) {
  const sotto_options *o = n->c->job->options;
  const sotto_i_holder_settings *own = sotto_i_holder_settings_of(o);
  sotto_i_secret velocity = {0};
  double examples = (double)n->train;
  double rate = k >= 1 && k <= sotto_i_securegnn_hops(n) ? own->hop_rate : o->learning_rate;
  sotto_status status;
  SOTTO_TRY(sotto_i_secret_new(&velocity, &n->s, gradient->rows, gradient->cols, err));
  SOTTO_TRY(sotto_i_secure_add_scaled(&velocity, &n->s, &n->velocity[k], SOTTO_I_SHARED_MOMENTUM, err));
  SOTTO_TRY(sotto_i_secure_add_scaled(&velocity, &n->s, &n->weight[k], o->weight_decay * examples, err));
  sotto_i_secure_add(&velocity, gradient);
  sotto_i_secret_free(&n->velocity[k]);
  n->velocity[k] = velocity;
  velocity = (sotto_i_secret){.rows = 0};
  SOTTO_TRY(sotto_i_secure_add_scaled(&n->weight[k], &n->s, &n->velocity[k], -rate / examples, err));
done:
  sotto_i_secret_free(&velocity);
  return status;
}

/* *gradient is that of the layer's output and becomes that of its input; the weights are updated. */
static sotto_status dense_back(sotto_i_secret *gradient, sotto_i_securegnn *n, size_t k, sotto_error *err) {
  sotto_i_securegnn_layer *l = &n->layers[k];
  sotto_i_factor by_output = {0}, slope = {0}, by_sum = {0}, turned = {0}, weight = {0};
  sotto_i_secret sum = {0}, change = {0}, weight_turned = {0};
  sotto_i_factor *factors[] = {&by_output, &slope, &by_sum, &turned, &weight, &l->input};
  sotto_i_secret *secrets[] = {&sum, &change, &weight_turned, &l->slope};
  sotto_status status;
  SOTTO_TRY(sotto_i_secure_mask(&by_output, &n->s, gradient, err));
  if (l->slope.rows > 0) {
    SOTTO_TRY(sotto_i_secure_mask(&slope, &n->s, &l->slope, err));
    SOTTO_TRY(sotto_i_secure_elementwise(&sum, &n->s, &by_output, &slope, err));
    SOTTO_TRY(sotto_i_secure_mask(&by_sum, &n->s, &sum, err));
  }
  const sotto_i_factor *back = l->slope.rows > 0 ? &by_sum : &by_output;
  SOTTO_TRY(sotto_i_secret_transpose(&weight_turned, &n->s, &n->weight[k], err));
  SOTTO_TRY(sotto_i_secure_mask(&weight, &n->s, &weight_turned, err));
  sotto_i_secret_free(gradient);
  SOTTO_TRY(sotto_i_secure_product(gradient, &n->s, back, &weight, err));
  SOTTO_TRY(sotto_i_secure_transpose(&turned, &n->s, &l->input, err));
  SOTTO_TRY(sotto_i_secure_product(&change, &n->s, &turned, back, err));
  SOTTO_TRY(update_weight(n, k, &change, err));
done:
  for (size_t i = 0; i < 6; i++) {
    sotto_i_factor_free(factors[i]);
    *factors[i] = (sotto_i_factor){.rows = 0};
  }
  for (size_t i = 0; i < 4; i++) sotto_i_secret_free(secrets[i]);
  return status;
}

/* The same for a layer over `rows`, of which only the training rows have a gradient. */
static sotto_status back_through_rows(sotto_i_secret *gradient, sotto_i_securegnn *n, size_t k,
                                      sotto_error *err) {
  sotto_i_securegnn_layer *l = &n->layers[k];
  sotto_i_factor input = {0};
  sotto_i_secret slope = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_secure_take(&input, &n->s, &l->input, n->first, n->train, err));
  if (l->slope.rows > 0) SOTTO_TRY(sotto_i_secure_gather(&slope, &n->s, &l->slope, n->first, n->train, err));
  sotto_i_factor_free(&l->input);
  sotto_i_secret_free(&l->slope);
  l->input = input;
  l->slope = slope;
  SOTTO_TRY(dense_back(gradient, n, k, err));
done:
  return status;
}

/* Squared error on training rows, which come first; the sum over examples, so that fixed point has enough
 * digits. */
static sotto_status backward(sotto_i_securegnn *n, const sotto_i_secret *scores, sotto_error *err) {
  sotto_i_secret gradient = {0}, all = {0}, change = {0};
  size_t hops = sotto_i_securegnn_hops(n);
  sotto_status status;
  SOTTO_TRY(sotto_i_secret_new(&gradient, &n->s, n->train, scores->cols, err));
  if (!n->s.dealing)
    for (size_t i = 0; i < n->train * scores->cols; i++)
      gradient.share.data[i] = scores->share.data[i] - n->labels.share.data[i];
  for (size_t k = hops + 2; k > hops; k--) SOTTO_TRY(back_through_rows(&gradient, n, k, err));
  if (hops == 1) {
    SOTTO_TRY(sotto_i_secret_new(&all, &n->s, n->c->nodes, n->c->width, err));
    sotto_i_secure_scatter(&all, &gradient, n->rows);
  } else {
    SOTTO_TRY(back_through_rows(&gradient, n, hops, err));
    SOTTO_TRY(multiply(&all, n, &n->last_turned, &gradient, err));
  }
  for (size_t k = hops == 1 ? 1 : hops - 1; k >= 1; k--) {
    SOTTO_TRY(dense_back(&all, n, k, err));
    if (k > 1) SOTTO_TRY(aggregate(&all, n, &n->spread_turned, err));
  }
  SOTTO_TRY(multiply(&change, n, &n->x_turned, &all, err));
  SOTTO_TRY(update_weight(n, 0, &change, err));
done:
  sotto_i_secret_free(&gradient);
  sotto_i_secret_free(&all);
  sotto_i_secret_free(&change);
  return status;
}

/* Nodes outside the split have rows of zeros. */
static sotto_status keep_scores(sotto_i_securegnn *n, sotto_error *err) {
  sotto_matrix *kept = &n->h->labels->scores;
  const size_t cols = n->scores.cols;
  sotto_status status = SOTTO_OK;
  if (kept->data == NULL) status = sotto_matrix_new(kept, n->c->nodes, cols, err);
  for (size_t i = 0; status == SOTTO_OK && i < n->count; i++)
    memcpy(kept->data + n->rows[i] * cols, n->scores.data + i * cols, cols * sizeof(float));
  return status;
}

/* The label holder's evaluation of an epoch's scores. */
static sotto_status evaluate_epoch(sotto_i_securegnn *n, uint64_t epoch, sotto_error *err) {
  const sotto_i_job *job = n->c->job;
  sotto_i_vfgnn_labels *l = n->h->labels;
  const sotto_i_training training = sotto_i_job_training(job->options, job->options->epochs);
  size_t validate = n->split.count[SOTTO_PART_VALIDATION], cols = n->scores.cols;
  const sotto_matrix train = {n->scores.data, n->train, cols};
  const sotto_matrix validation = {train.data + n->train * cols, validate, cols};
  const sotto_matrix test = {validation.data + validate * cols, n->count - n->train - validate, cols};
  sotto_i_stage stage = {.job = job, .name = "network", .epochs = training.epochs};
  sotto_quality quality;
  sotto_status status;
  sotto_i_targets targets = sotto_i_parted_targets(&l->parted, SOTTO_PART_VALIDATION);
  SOTTO_TRY(sotto_i_targets_quality(&quality, &validation, &targets, err));
  double value = sotto_i_quality_value(&quality, training.select_by);
  double loss = sotto_i_targets_mean_loss(&validation, &targets);
  sotto_i_decision decision = sotto_i_watch_next(&l->watch, value, loss, &training);
  if (decision.better) {
    l->validation = quality;
    targets = sotto_i_parted_targets(&l->parted, SOTTO_PART_TEST);
    SOTTO_TRY(sotto_i_targets_quality(&l->test, &test, &targets, err));
    SOTTO_TRY(keep_scores(n, err));
  }
  targets = sotto_i_parted_targets(&l->parted, SOTTO_PART_TRAIN);
  loss = sotto_i_targets_mean_loss(&train, &targets);
  sotto_i_stage_epoch(&stage, epoch + 1, loss, value);
done:
  return status;
}

static sotto_status secure_epoch(sotto_i_securegnn *n, uint64_t epoch, sotto_error *err) {
  sotto_i_secret scores = {0};
  sotto_status status;
  bool label = n->h != NULL && n->h->labels != NULL;
  SOTTO_TRY(sotto_i_check_interrupt(err));
  SOTTO_TRY(forward(&scores, n, err));
  SOTTO_TRY(sotto_i_secure_reveal(&n->scores, &n->s, &scores, n->c->label_holder, "scores", err));
  if (label) SOTTO_TRY(evaluate_epoch(n, epoch, err));
  SOTTO_TRY(backward(n, &scores, err));
done:
  sotto_i_secret_free(&scores);
  return status;
}

static sotto_status check_size(const sotto_i_vfgnn *c, sotto_error *err) {
  if (c->nodes <= most_nodes) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_RANGE, "securegnn: %zu nodes; its graph is a dense matrix, of %d at most",
                      c->nodes, most_nodes);
}

sotto_status sotto_i_securegnn_holder_recipe(sotto_i_vfgnn_holder *h, sotto_error *err) {
  sotto_i_securegnn n = {.c = h->shared, .h = h};
  size_t cols[SOTTO_MOST_HOLDERS] = {0};
  sotto_status status;
  SOTTO_TRY(check_size(h->shared, err));
  SOTTO_TRY(sotto_i_vfgnn_check_data(h, err));
  if (h->labels != NULL)
    SOTTO_TRY(sotto_i_send_split(h->peers.dealer, &h->labels->parted.split, n.c->nodes, err));
  SOTTO_TRY(sotto_i_receive_split(&n.split, h->peers.dealer, n.c->nodes, err));
  SOTTO_TRY(sotto_i_vfgnn_agree_on_columns(cols, h, err));
  SOTTO_TRY(securegnn_share(&n, cols, err));
  h->setup_bytes = sotto_i_vfgnn_sent_by_holder(h);
  double start = sotto_i_seconds();
  for (h->epochs = 0; h->epochs < n.c->job->options->epochs; h->epochs++)
    SOTTO_TRY(secure_epoch(&n, h->epochs, err));
  h->seconds = sotto_i_seconds() - start;
done:
  securegnn_free(&n);
  return status;
}

sotto_status sotto_i_securegnn_server_recipe(sotto_i_vfgnn_server *s, sotto_error *err) {
  const sotto_i_vfgnn *c = s->shared;
  sotto_i_securegnn n = {.c = c, .s = {.links = s->links}};
  size_t cols[SOTTO_MOST_HOLDERS] = {0};
  sotto_status status;
  SOTTO_TRY(check_size(c, err));
  SOTTO_TRY(sotto_i_receive_split(&n.split, s->links[c->label_holder], c->nodes, err));
  for (size_t i = 0; i < c->holders; i++) SOTTO_TRY(sotto_i_send_split(s->links[i], &n.split, c->nodes, err));
  SOTTO_TRY(sotto_i_vfgnn_tell_columns(s, cols, err));
  SOTTO_TRY(securegnn_share(&n, cols, err));
  s->setup_bytes = sotto_i_vfgnn_sent_by_server(s);
  double start = sotto_i_seconds();
  for (s->epochs = 0; s->epochs < c->job->options->epochs; s->epochs++)
    SOTTO_TRY(secure_epoch(&n, s->epochs, err));
  s->seconds = sotto_i_seconds() - start;
done:
  securegnn_free(&n);
  return status;
}
