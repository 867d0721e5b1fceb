/* The network of securegnn in the clear, for answers of a run of one process about other data. That folder
 * has the shares of all holders, so that computing under shares would hide nothing; and fresh masks would
 * round every answer in another way. */
#include "base/error.h"
#include "inside/graph.h"
#include "inside/nn.h"
#include "inside/tensor.h"
#include "securegnn.h"

typedef struct clear {
  sotto_tape *tape;
  sotto_operator *means[SOTTO_MOST_HOLDERS]; /* of neighbours, over each holder's edges */
  size_t holders;
} clear;

static sotto_var multiply(const clear *c, sotto_var x, const sotto_matrix *weight) {
  return sotto_tape_matmul(c->tape, x, sotto_tape_constant(c->tape, weight));
}

/* S x: the mean over holders of (own row + mean of neighbours) / 2. */
static sotto_var spread(const clear *c, sotto_var x) {
  const float share = 0.5F / (float)c->holders;
  sotto_var sum = sotto_tape_scale(c->tape, x, 0.5F);
  for (size_t i = 0; i < c->holders; i++)
    sum = sotto_tape_add(c->tape, sum,
                         sotto_tape_scale(c->tape, sotto_operator_var(c->means[i], c->tape, x), share));
  return sum;
}

static sotto_var activate(const clear *c, sotto_var x, const sotto_i_cubic *f) {
  const sotto_var square = sotto_tape_multiply(c->tape, x, x), cube = sotto_tape_multiply(c->tape, square, x);
  return sotto_tape_add(c->tape, sotto_tape_scale(c->tape, x, (float)f->c1),
                        sotto_tape_scale(c->tape, cube, (float)f->c3));
}

/* S is linear, so its first use is after the first layer, whose rows are shorter. */
static sotto_var network(const clear *c, const sotto_matrix *features, const sotto_matrix *weights,
                         size_t hops) {
  sotto_var h = multiply(c, sotto_tape_constant(c->tape, features), &weights[0]);
  for (size_t k = 1; k <= hops; k++)
    h = activate(c, multiply(c, spread(c, h), &weights[k]), &sotto_i_securegnn_tanh);
  h = activate(c, multiply(c, h, &weights[hops + 1]), &sotto_i_securegnn_sigmoid);
  return multiply(c, h, &weights[hops + 2]);
}

sotto_status sotto_i_securegnn_clear(sotto_matrix *scores, const sotto_i_vfgnn *shared,
                                     const sotto_graph *const *graph, const sotto_matrix *features,
                                     const sotto_matrix *weights, sotto_error *err) {
  clear c = {.holders = shared->holders};
  sotto_status status;
  SOTTO_TRY(sotto_tape_new(&c.tape, err));
  for (size_t i = 0; i < c.holders; i++)
    SOTTO_TRY(sotto_operator_new(&c.means[i], graph[i], SOTTO_AGGREGATOR_MEAN, 0, false, err));
  const sotto_var out = network(&c, features, weights, (size_t)shared->job->options->layers);
  SOTTO_TRY(sotto_tape_check(c.tape, err));
  SOTTO_TRY(sotto_tape_copy(scores, c.tape, out, err));
done:
  sotto_tape_free(c.tape);
  for (size_t i = 0; i < c.holders; i++) sotto_operator_free(c.means[i]);
  return status;
}
