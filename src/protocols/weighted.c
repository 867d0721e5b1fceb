/* Corrections with few parameters: a weight for the base and one for the counts of each round, by Newton's
 * method. */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "correction.h"
#include "cross_fit.h"
#include "inside/nn.h"
#include "unsure.h"

/* Ridge penalty towards the weights that leave the base unchanged. It keeps weights finite when labels are
 * separable. */
static const double ridge = 1e-3;
enum { most_weights = SOTTO_MOST_COSTS + 1, most_steps = 100, most_halvings = 40 };

typedef struct problem {
  const sotto_matrix *base, *inputs;
  size_t weights;
} problem;

/* The factor of weight k at node v and class j: the base, or the centred count in units of its noise, whose
 * asinh is in the inputs (nn/readings.h). */
static double term_value(const problem *p, size_t k, size_t v, size_t j) {
  const size_t classes = p->base->cols;
  if (k == 0) return p->base->data[v * classes + j];
  return sinh((double)p->inputs->data[v * p->inputs->cols + classes * (2 * k - 1) + j]);
}

static double score(const problem *p, const double *w, size_t v, size_t j) {
  double sum = 0;
  for (size_t k = 0; k < p->weights; k++) sum += w[k] * term_value(p, k, v, j);
  return sum;
}

/* Returns one node's loss, and adds its gradient and Hessian where these are not NULL. */
static double add_node(double *gradient, double *hessian, const problem *p, const double *w, size_t v,
                       size_t label) {
  const size_t classes = p->base->cols;
  double largest = -INFINITY, total = 0, mean[most_weights] = {0};
  for (size_t j = 0; j < classes; j++) largest = fmax(largest, score(p, w, v, j));
  for (size_t j = 0; j < classes; j++) total += exp(score(p, w, v, j) - largest);
  for (size_t j = 0; gradient != NULL && j < classes; j++) {
    const double chance = exp(score(p, w, v, j) - largest) / total;
    for (size_t k = 0; k < p->weights; k++) {
      mean[k] += chance * term_value(p, k, v, j);
      for (size_t l = 0; l < p->weights; l++)
        hessian[k * p->weights + l] += chance * term_value(p, k, v, j) * term_value(p, l, v, j);
    }
  }
  for (size_t k = 0; gradient != NULL && k < p->weights; k++) {
    gradient[k] += mean[k] - term_value(p, k, v, label);
    for (size_t l = 0; l < p->weights; l++) hessian[k * p->weights + l] -= mean[k] * mean[l];
  }
  return log(total) + largest - score(p, w, v, label);
}

static double loss_at(double *gradient, double *hessian, const problem *p, const double *w,
                      const sotto_i_correction *c) {
  const size_t rows = c->parted->split.count[SOTTO_PART_TRAIN];
  double loss = 0;
  for (size_t k = 0; k < p->weights; k++) {
    const double offset = w[k] - (k == 0);
    loss += ridge * offset * offset / 2;
    if (gradient == NULL) continue;
    gradient[k] = ridge * offset;
    for (size_t l = 0; l < p->weights; l++) hessian[k * p->weights + l] = k == l ? ridge : 0;
  }
  for (size_t i = 0; i < rows; i++)
    loss += add_node(gradient, hessian, p, w, c->parted->split.rows[SOTTO_PART_TRAIN][i],
                     (size_t)c->parted->labels[SOTTO_PART_TRAIN][i]);
  return loss;
}

/* Solves a y = x by Gaussian elimination, with a positive definite; x becomes y, and a is destroyed. */
static void solve_linear(double *a, double *x, size_t n) {
  for (size_t k = 0; k < n; k++)
    for (size_t i = k + 1; i < n; i++) {
      const double factor = a[i * n + k] / a[k * n + k];
      for (size_t j = k; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
      x[i] -= factor * x[k];
    }
  for (size_t k = n; k-- > 0;) {
    for (size_t j = k + 1; j < n; j++) x[k] -= a[k * n + j] * x[j];
    x[k] /= a[k * n + k];
  }
}

/* Newton's method on a convex loss: each step is halved until the loss falls. */
static void fit_weights(double *w, const problem *p, const sotto_i_correction *c) {
  double gradient[most_weights], hessian[most_weights * most_weights], tried[most_weights];
  for (size_t k = 0; k < p->weights; k++) w[k] = k == 0;
  for (int step = 0; step < most_steps; step++) {
    const double loss = loss_at(gradient, hessian, p, w, c);
    double size = 1, lower = loss;
    solve_linear(hessian, gradient, p->weights);
    for (int halved = 0; halved < most_halvings; halved++, size /= 2) {
      for (size_t k = 0; k < p->weights; k++) tried[k] = w[k] - size * gradient[k];
      lower = loss_at(NULL, NULL, p, tried, c);
      if (lower < loss) break;
    }
    if (!(lower < loss)) return;
    for (size_t k = 0; k < p->weights; k++) w[k] = tried[k];
  }
}

sotto_status sotto_i_weighted_fit(sotto_quality *validation, sotto_quality *test, sotto_matrix *scores,
                                  sotto_params *params, const sotto_matrix *base, const sotto_matrix *inputs,
                                  const sotto_i_correction *correction, sotto_error *err) {
  const size_t classes = base->cols;
  const problem p = {base, inputs, 1 + (inputs->cols - classes) / (2 * classes)};
  double w[most_weights];
  char name[32];
  size_t number;
  sotto_key key;
  sotto_status status;
  SOTTO_I_CHECK(p.weights <= most_weights);
  sotto_i_job_key(&key, correction->job);
  (void)snprintf(name, sizeof name, "weights%u", correction->round);
  fit_weights(w, &p, correction);
  SOTTO_TRY(sotto_params_add(params, &number, name, 1, p.weights, SOTTO_INIT_ZERO, true, &key, err));
  for (size_t k = 0; k < p.weights; k++) sotto_params_value(params, number)->data[k] = (float)w[k];
  SOTTO_TRY(sotto_matrix_new(scores, base->rows, classes, err));
  for (size_t v = 0; v < base->rows; v++) {
    const bool hears = correction->levels == NULL || correction->levels[v] != SOTTO_I_DEAF;
    for (size_t j = 0; j < classes; j++)
      scores->data[v * classes + j] = (float)(hears ? score(&p, w, v, j) : term_value(&p, 0, v, j));
  }
  SOTTO_TRY(sotto_i_scores_measure(validation, test, scores, correction->job, correction->parted, err));
done:
  return status;
}
