/* The number of correct predictions on test nodes, with discrete Laplace noise. A method's predictions
 * follow from its releases, which are charged, and from private data of few nodes. With the releases fixed,
 * one node changes at most `answers_moved` predictions (docs/privacy/one-owner.md). */
#include "published.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/progress.h"
#include "base/random.h"
#include "inside/dp.h"
#include "release/artifact.h"
#include "run/files/folder_file.h"
#include "run/statement/statement.h"

static const char what[] = "how many answers about test nodes are right (publish-accuracy)";
enum { most_nodes = 1 << 23 }; /* floats represent these whole numbers exactly, with room for noise */
enum { stream = 4096 };        /* separates this key from those of other releases with an insecure seed */

typedef struct count {
  const sotto_laplace_grid *grid;
  double right;
} count;

/* Share of draws in which noise may exceed its stated width; and the largest width as a share of all
 * predictions: at a half an interval would be meaningless. */
static const double miss = 0.05, widest = 0.25;

static double changed_answers(const sotto_options *o) {
  return (double)sotto_i_variant_of(o)->answers_moved(o);
}

static sotto_status grid_of(sotto_laplace_grid *out, const sotto_options *o, sotto_error *err) {
  const double scale = changed_answers(o) / o->publish_accuracy * (1 + 0x1p-40);
  if (o->publish_accuracy >= 1e-2 && scale <= 1e5) return sotto_laplace_grid_whole(out, scale, err);
  return sotto_i_fail(
      err, SOTTO_RANGE,
      "publish-accuracy: epsilon %g for a count that one node moves by %g is too little; give "
      "at least %.2g",
      o->publish_accuracy, changed_answers(o), fmax(1e-2, changed_answers(o) / 1e5));
}

/* In predictions: the smallest k that noise exceeds in at most 5 of 100 draws. Under the discrete Laplace
 * law with q = exp(-1 / scale), more than k on either side has probability 2 q^(k + 1) / (1 + q). */
static double half_width(double scale) {
  return fmax(ceil(scale * log(2 / (miss * (1 + exp(-1 / scale))))) - 1, 0);
}

/* The smallest epsilon, rounded up to three digits, whose noise is at most `most` predictions wide. */
static double sufficient_epsilon(const sotto_options *o, double most) {
  double low = 0,
         high = changed_answers(o) * log(2 / miss) / (most + 1); /* an upper bound, since 1 + q > 1 above */
  for (int i = 0; i < 60; i++) {
    const double middle = (low + high) / 2;
    *(half_width(changed_answers(o) / middle) <= most ? &high : &low) = middle;
  }
  high *= 1 + 1e-6;
  const double digit = pow(10, floor(log10(high)) - 2);
  return ceil(high / digit) * digit;
}

/* Number of test nodes in the seed with the fewest. */
static sotto_status test_nodes(uint64_t *out, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  sotto_i_job one = *job;
  sotto_status status = SOTTO_OK;
  *out = UINT64_MAX;
  for (uint64_t i = 0; i < o->seeds; i++) {
    sotto_i_parted parted = {0};
    one.seed = o->seed + i;
    SOTTO_TRY(sotto_i_parted_new(&parted, &one, err));
    if (parted.split.count[SOTTO_PART_TEST] < *out) *out = parted.split.count[SOTTO_PART_TEST];
    sotto_i_parted_free(&parted);
  }
done:
  return status;
}

/* Width of the noise; an error if the noise hides the accuracy that it is charged for. */
static sotto_status width_of(double *width, uint64_t *nodes, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  sotto_laplace_grid grid = {.scale = 0};
  char further[64] = "";
  sotto_status status;
  SOTTO_TRY(grid_of(&grid, o, err));
  SOTTO_TRY(test_nodes(nodes, job, err));
  *width = half_width(grid.scale);
  if (*width <= widest * (double)*nodes) goto done;
  const double epsilon = sufficient_epsilon(o, floor(widest * (double)*nodes));
  if (epsilon <= 100) (void)snprintf(further, sizeof further, "epsilon %.3g or more here, or ", epsilon);
  status = sotto_i_fail(
      err, SOTTO_RANGE,
      "publish-accuracy: noise of epsilon %g moves the right answers about %llu test nodes by up to %.0f in "
      "95 "
      "of 100 draws; the published accuracy would be known to +- %.2f, and at most %g is of use. Nothing was "
      "charged. Give %s%.0f test nodes or more (smaller train-share or validation-share)",
      o->publish_accuracy, (unsigned long long)*nodes, *width, fmin(*width / (double)*nodes, 1), widest,
      further, ceil(*width / widest));
done:
  return status;
}

/* Discrete Laplace noise composes like any release of this pure epsilon (inside/dp.h). */
sotto_status sotto_i_published_price(sotto_cost *cost, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  sotto_laplace_grid grid = {.scale = 0};
  double width;
  uint64_t nodes;
  sotto_status status;
  if (!(o->publish_accuracy > 0)) return SOTTO_OK;
  if (cost->count == SOTTO_MOST_COSTS)
    return sotto_i_fail(err, SOTTO_RANGE, "publish-accuracy: the run has %d releases already, the most",
                        SOTTO_MOST_COSTS);
  SOTTO_TRY(grid_of(&grid, o, err));
  SOTTO_TRY(width_of(&width, &nodes, job, err));
  const sotto_mechanism laplace = sotto_laplace_grid_mechanism(&grid, changed_answers(o), 0);
  sotto_cost_item *item = sotto_i_cost_add(cost, what, &laplace, 0, o->publish_accuracy);
  item->charged = sotto_mechanism_default(SOTTO_MECHANISM_RANDOMIZED_RESPONSE);
  item->charged.epsilon = o->publish_accuracy;
done:
  return status;
}

sotto_status sotto_i_published_tell(const sotto_i_job *job, const sotto_observer *observer,
                                    sotto_error *err) {
  double width;
  uint64_t nodes;
  if (!(job->options->publish_accuracy > 0)) return SOTTO_OK;
  const sotto_status status = width_of(&width, &nodes, job, err);
  if (status == SOTTO_OK)
    sotto_i_log(
        observer, SOTTO_LOG_INFO,
        "publish-accuracy: the accuracy on %llu test nodes will be published to +- %.4f (95 of 100 draws "
        "of its noise)",
        (unsigned long long)nodes, width / (double)nodes);
  return status;
}

static sotto_status make_count(void *context, sotto_graph *unused, sotto_matrix *table, const sotto_key *key,
                               sotto_error *err) {
  const count *c = context;
  sotto_key own;
  sotto_status status = sotto_matrix_new(table, 1, 1, err);
  (void)unused;
  if (status != SOTTO_OK) return status;
  table->data[0] = (float)c->right;
  sotto_i_key_derive(&own, key, stream);
  status = sotto_laplace_grid_add_noise(table, c->grid, &own, 0, err);
  sotto_key_wipe(&own);
  return status;
}

static size_t item_of(const sotto_cost *cost) {
  size_t item = 0;
  while (item < cost->count && cost->items[item].what != what) item++;
  return item < cost->count ? item : SOTTO_I_NO_ITEM;
}

static const sotto_i_folder_file accuracy_file = {
    "seed-*/accuracy.json", SOTTO_I_FOR_ANYONE,
    "a noisy count of right answers about test nodes, which was charged"};

sotto_status sotto_i_published_release(const sotto_i_job *job, sotto_seed_result *result, sotto_error *err) {
  const sotto_options *o = job->options;
  sotto_laplace_grid grid = {.scale = 0};
  sotto_i_parted parted = {0};
  sotto_dataset released = {0};
  char made_with[200];
  sotto_status status;
  if (!(o->publish_accuracy > 0)) return SOTTO_OK;
  SOTTO_TRY(grid_of(&grid, o, err));
  SOTTO_TRY(sotto_i_parted_new(&parted, job, err));
  const size_t nodes = parted.split.count[SOTTO_PART_TEST];
  if (nodes > most_nodes) {
    status =
        sotto_i_fail(err, SOTTO_RANGE, "publish-accuracy: %zu test nodes; at most %d", nodes, most_nodes);
    goto done;
  }
  count c = {&grid, isfinite(result->test.of[SOTTO_MEASURE_ACCURACY])
                        ? nearbyint(result->test.of[SOTTO_MEASURE_ACCURACY] * (double)nodes)
                        : 0};
  (void)snprintf(made_with, sizeof made_with,
                 "%s, right answers about %zu test nodes: epsilon %.17g, sensitivity %.17g, scale %.17g",
                 o->method, nodes, o->publish_accuracy, changed_answers(o), grid.scale);
  const sotto_i_table_artifact table = {.artifact = {.owner = sotto_i_job_owner(job),
                                                     .item = item_of(job->cost),
                                                     .file = "accuracy.sotto",
                                                     .made_with = made_with,
                                                     .kept = job->kept},
                                        .rows = 1,
                                        .context = &c,
                                        .make = make_count};
  SOTTO_TRY(sotto_i_table_use(&released, NULL, &table, err));
  result->published = (sotto_published){
      .nodes = nodes, .right = released.features.data[0], .half_width = half_width(grid.scale)};
  SOTTO_TRY(sotto_i_folder_save_json(sotto_i_published_json(o, result), job->folder, &accuracy_file, o,
                                     JSON_INDENT(2), err));
done:
  sotto_dataset_free(&released);
  sotto_i_parted_free(&parted);
  return status;
}
