/* Work and memory of counts of neighbours. */
#include "counts_work.h"

#include <math.h>

#include "correction.h"
#include "feature_clusters.h"
#include "folds.h"
#include "networks/work.h"
#include "nn/rows/batch.h"
#include "rounds.h"
#include "run/method/method.h"

/* Values that are held for each node, beside its features: probabilities, counts, and what corrections read,
 * for each class; parts, levels, folds and clusters. And for each row of a batch, in hidden columns. Runs on
 * made graphs of 20,000 to 500,000 nodes set these numbers. */
static const double of_class = 6.6, of_node = 18, of_batch = 3.5;

/* Logarithms of probabilities, counts and their sums are what a correction reads. */
static const double read_columns = 2;

/* What is done once with the scores of all nodes: their quality, counts that are made up for what edges are
 * expected to add, and pilots, who are as many rows. In scores that are measured, as runs needed them. */
static const double of_scores = 280, of_pilots = 6e4, least_training = 1000;

static double count_once(const sotto_options *o, double rows) {
  return of_scores * (rows + (o->train_share * rows >= least_training ? of_pilots : 0));
}

static void count_networks(sotto_plan_work *out, const sotto_options *o, const sotto_plan_shape *shape,
                           double most) {
  sotto_options fold = *o;
  fold.train_share *= (SOTTO_I_MOST_FOLDS - 1.0) / SOTTO_I_MOST_FOLDS;
  sotto_i_work_encoder(out, &fold, shape, most);
  out->phases[out->count - 1].times *= SOTTO_I_MOST_FOLDS;
}

static void count_correction(sotto_plan_phase *p, const sotto_options *o, const sotto_plan_shape *shape,
                             double in) {
  const double train = o->train_share * (double)shape->nodes,
               validation = o->validation_share * (double)shape->nodes, hidden = (double)o->hidden,
               classes = shape->classes;
  sotto_i_work_linear(p, train, validation, in, hidden, false);
  sotto_i_work_activation(p, SOTTO_ACTIVATION_RELU, train, validation, hidden);
  sotto_i_work_dropout(p, train, hidden, o->dropout, true);
  sotto_i_work_linear(p, train, validation, hidden, classes, true);
  sotto_i_work_scores(p, train, validation, classes);
}

void sotto_i_work_rounds(sotto_plan_work *out, const sotto_options *o, const sotto_plan_shape *shape) {
  const double rows = (double)shape->nodes, classes = shape->classes, in = (double)shape->features;
  sotto_plan_phase *p = sotto_i_work_phase(out, "scores", 1, rows, in);
  for (int k = 0; k < SOTTO_I_MOST_FOLDS; k++) {
    sotto_i_work_embed(p, o, shape);
    sotto_i_work_product(p, rows, (double)sotto_i_embedding_width(o), classes, 1);
  }
  p->scores += count_once(o, rows) * classes;
  p = sotto_i_work_phase(out, "counts", o->layers, rows, classes);
  p->sums += 2 * (double)shape->edges; /* one cell for each end of an edge */
  p->passes += rows * classes;
  if (sotto_i_job_wants_privacy(o)) p->normals += rows * classes;
  p = sotto_i_work_phase(out, "correction", o->epochs * o->layers, rows, read_columns * classes);
  count_correction(p, o, shape, read_columns * classes);
  if (in <= SOTTO_I_MOST_OWN_COLUMNS) count_correction(p, o, shape, read_columns * classes + in);
  out->released_bytes += (double)o->layers * rows * classes * (double)sizeof(float);
}

void sotto_i_work_counts(sotto_plan_work *out, const sotto_options *o, const sotto_plan_shape *shape,
                         double most) {
  const double in = (double)shape->features;
  const double batch = fmin((double)shape->nodes, (double)sotto_i_batch_rows());
  count_networks(out, o, shape, most);
  sotto_i_work_rounds(out, o, shape);
  out->node_values = in + of_class * shape->classes + of_node;
  out->batch_values = batch * (in + of_batch * (double)o->hidden);
}
