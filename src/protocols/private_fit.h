/* Perceptrons fitted by DP-SGD at node level: privacy cost and training. */
#ifndef SOTTO_SRC_PROTOCOLS_PRIVATE_FIT_H
#define SOTTO_SRC_PROTOCOLS_PRIVATE_FIT_H

#include "inside/nn.h"
#include "nn/dpsgd.h"
#include "run/method/method.h"
#include "subgraphs.h"

/* One training: every training node joins each secret batch with the same probability. Neighbouring data
 * differ in one node, whose example is replaced. A node may also be part of its neighbours' examples. With
 * `group` above 1, all nodes are in every batch, and that many gradients may change. With `sample` above 0,
 * a node joins each neighbour's example with probability sample / degree; batches and samples are secret. */
typedef struct sotto_i_sgd_plan {
  sotto_dpsgd dpsgd;
  uint64_t steps, group, sample, degree;
  size_t parameters;
} sotto_i_sgd_plan;

/* The plan for a perceptron of widths in, hidden, classes, without its noise. Errors: those of the split;
 * RANGE. */
sotto_status sotto_i_sgd_plan_new(sotto_i_sgd_plan *out, const sotto_i_job *job, size_t in, uint64_t epochs,
                                  uint64_t group, sotto_error *err);
/* Sets the least noise for which noise / sensitivity is at least `multiplier`. Errors: RANGE. */
sotto_status sotto_i_sgd_plan_noise(sotto_i_sgd_plan *plan, double multiplier, sotto_error *err);
/* The mechanism of the whole training: with noise `multiplier` at sensitivity 1, and as planned. */
sotto_mechanism sotto_i_sgd_ideal(const sotto_i_sgd_plan *plan, double multiplier);
sotto_mechanism sotto_i_sgd_mechanism(const sotto_i_sgd_plan *plan);

/* The steps of a training from `first` to before `end`. Each adds the gradient of its batch, which the
 * parameters keep until the next step. Errors: those of sotto_i_dpsgd_gradient; INTERRUPTED. */
typedef struct sotto_i_sgd_loop {
  const sotto_mlp *mlp;
  sotto_params *params;
  sotto_i_dpsgd_examples examples;
  const sotto_dpsgd *dpsgd;
  sotto_adam adam;
  void (*after)(void *context, uint64_t step); /* may be NULL */
  void *context;
} sotto_i_sgd_loop;
SOTTO_MUST_USE sotto_status sotto_i_sgd_steps(const sotto_i_sgd_loop *loop, const sotto_key *key,
                                              uint64_t first, uint64_t end, sotto_error *err);

/* A network to be fitted, its data and its charge. */
typedef struct sotto_i_private_fit {
  const sotto_i_job *job;
  const sotto_i_parted *parted;
  const sotto_matrix *table;          /* a row a node */
  const sotto_i_subgraphs *subgraphs; /* the examples' rows, of the table's width; NULL: the table's */
  const sotto_i_sgd_plan *plan;
  const char *name, *stage; /* of its parameters, and of its epochs to the recorder */
  const char *file;         /* in the seed's folder */
  size_t item;              /* of the job's cost */
  uint32_t number;          /* separates weights and noise of several networks of a seed */
  uint32_t part;            /* of several stages of one name, from 0 */
  sotto_params *earlier;    /* saved in the same file; may be NULL */
} sotto_i_private_fit;

typedef struct sotto_i_private_net {
  sotto_mlp mlp; /* two layers */
  sotto_params *params;
} sotto_i_private_net;

/* The network of a fit with this name and number, for a table of `in` columns. Free it after an error too. */
sotto_status sotto_i_private_net_new(sotto_i_private_net *out, const sotto_i_job *job, size_t in,
                                     const char *name, uint32_t number, sotto_error *err);
/* Fits the network, or loads the one in the folder: a second training would be a second release with its
 * own charge. Then measures it. Free the net after an error too. */
SOTTO_MUST_USE sotto_status sotto_i_private_fit_run(sotto_i_private_net *out, sotto_quality *validation,
                                                    sotto_quality *test, const sotto_i_private_fit *fit,
                                                    sotto_error *err);
void sotto_i_private_net_free(sotto_i_private_net *net);
/* For every row of the table: the hidden values (`hidden`), or the class probabilities. */
sotto_status sotto_i_private_net_rows(sotto_matrix *out, const sotto_i_private_net *net,
                                      const sotto_matrix *table, bool hidden, sotto_error *err);

#endif
