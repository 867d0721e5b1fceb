/* The baseline of Zhou et al. 2021: the whole network under shares, forward and backward, with features,
 * edges and labels. Hops are h = tanh(S h W), with S in securegnn_spread.c.
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
static sotto_status add_weight(sotto_i_securegnn *n, size_t k, double reach, sotto_error *err) {
  sotto_matrix start = {0};
  sotto_i_random random;
  size_t rows, cols;
  double part = reach / sqrt((double)n->c->holders);
  bool hop = k >= 1 && k <= sotto_i_securegnn_hops(n);
  sotto_status status;
  sotto_i_securegnn_weight_shape(&rows, &cols, n->c, n->inner, k);
  SOTTO_TRY(sotto_i_secret_new(&n->weight[k], &n->s, rows, cols, err));
  SOTTO_TRY(sotto_i_secret_new(&n->velocity[k], &n->s, rows, cols, err));
  SOTTO_TRY(sotto_i_secret_new(&n->best[k], &n->s, rows, cols, err));
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

static sotto_status add_weights(sotto_i_securegnn *n, sotto_error *err) {
  const size_t hops = sotto_i_securegnn_hops(n);
  const double wide = sqrt(3.0 / (double)n->c->width);
  sotto_status status;
  SOTTO_TRY(add_weight(n, 0, 0.4, err));
  for (size_t k = 1; k <= hops + 1; k++) SOTTO_TRY(add_weight(n, k, 2 * wide, err));
  SOTTO_TRY(add_weight(n, hops + 2, 0.1 * wide, err));
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

/* Everything that is shared once: features, the graph, labels, initial weights. `cols` is by holder. */
static sotto_status begin_training(sotto_i_securegnn *n, const size_t *cols, sotto_error *err) {
  const sotto_i_vfgnn *c = n->c;
  sotto_status status;
  SOTTO_TRY(collect_rows(n, err));
  SOTTO_TRY(sotto_i_securegnn_share(n, cols, err));
  SOTTO_TRY(sotto_i_secure_transpose(&n->x_turned, &n->s, &n->x, err));
  SOTTO_TRY(sotto_i_secret_new(&n->labels, &n->s, n->train, c->classes, err));
  if (n->h != NULL && n->h->labels != NULL) {
    SOTTO_TRY(share_labels(n, err));
    SOTTO_TRY(sotto_matrix_new(&n->scores, n->count, n->labels.cols, err));
  }
  SOTTO_TRY(add_weights(n, err));
done:
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
  if (hops > 1) SOTTO_TRY(back_through_rows(&gradient, n, hops, err));
  SOTTO_TRY(sotto_i_secret_new(&all, &n->s, n->c->nodes, n->c->width, err));
  sotto_i_secure_scatter(&all, &gradient, n->rows);
  if (hops > 1) SOTTO_TRY(sotto_i_securegnn_spread(&all, n, true, NULL, 0, err));
  for (size_t k = hops == 1 ? 1 : hops - 1; k >= 1; k--) {
    SOTTO_TRY(dense_back(&all, n, k, err));
    if (k > 1) SOTTO_TRY(sotto_i_securegnn_spread(&all, n, true, NULL, 0, err));
  }
  SOTTO_TRY(sotto_i_securegnn_multiply(&change, n, &n->x_turned, &all, err));
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
static sotto_status evaluate_epoch(bool *better, sotto_i_securegnn *n, uint64_t epoch, sotto_error *err) {
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
  *better = decision.better;
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
  bool label = n->h != NULL && n->h->labels != NULL, better = false;
  SOTTO_TRY(sotto_i_check_interrupt(err));
  SOTTO_TRY(sotto_i_securegnn_forward(&scores, n, err));
  SOTTO_TRY(sotto_i_secure_reveal(&n->scores, &n->s, &scores, n->c->label_holder, "scores", err));
  if (label) SOTTO_TRY(evaluate_epoch(&better, n, epoch, err));
  SOTTO_TRY(sotto_i_securegnn_select(n, better, err));
  SOTTO_TRY(backward(n, &scores, err));
done:
  sotto_i_secret_free(&scores);
  return status;
}

sotto_status sotto_i_securegnn_holder_protocol(sotto_i_vfgnn_holder *h, sotto_error *err) {
  sotto_i_securegnn n = {.c = h->shared, .h = h};
  size_t cols[SOTTO_MOST_HOLDERS] = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_vfgnn_check_data(h, err));
  if (h->labels != NULL)
    SOTTO_TRY(sotto_i_send_split(h->peers.dealer, &h->labels->parted.split, n.c->nodes, err));
  SOTTO_TRY(sotto_i_receive_split(&n.split, h->peers.dealer, n.c->nodes, err));
  SOTTO_TRY(sotto_i_vfgnn_agree_on_columns(cols, h, err));
  SOTTO_TRY(begin_training(&n, cols, err));
  h->setup_bytes = sotto_i_vfgnn_sent_by_holder(h);
  double start = sotto_i_seconds();
  for (h->epochs = 0; h->epochs < n.c->job->options->epochs; h->epochs++)
    SOTTO_TRY(secure_epoch(&n, h->epochs, err));
  h->seconds = sotto_i_seconds() - start;
  sotto_i_securegnn_give_best(h, &n);
done:
  sotto_i_securegnn_free(&n);
  return status;
}

sotto_status sotto_i_securegnn_server_protocol(sotto_i_vfgnn_server *s, sotto_error *err) {
  const sotto_i_vfgnn *c = s->shared;
  sotto_i_securegnn n = {.c = c, .s = {.links = s->links}};
  size_t cols[SOTTO_MOST_HOLDERS] = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_receive_split(&n.split, s->links[c->label_holder], c->nodes, err));
  for (size_t i = 0; i < c->holders; i++) SOTTO_TRY(sotto_i_send_split(s->links[i], &n.split, c->nodes, err));
  SOTTO_TRY(sotto_i_vfgnn_tell_columns(s, cols, s->shared->holders, err));
  SOTTO_TRY(begin_training(&n, cols, err));
  s->setup_bytes = sotto_i_vfgnn_sent_by_server(s);
  double start = sotto_i_seconds();
  for (s->epochs = 0; s->epochs < c->job->options->epochs; s->epochs++)
    SOTTO_TRY(secure_epoch(&n, s->epochs, err));
  s->seconds = sotto_i_seconds() - start;
done:
  sotto_i_securegnn_free(&n);
  return status;
}
