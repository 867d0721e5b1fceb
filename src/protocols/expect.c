/* An estimate of what edges add: discriminants of counts on a made graph, with the plan's noise. */
#include "expect.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "counts.h"
#include "discriminant.h"
#include "feature_clusters.h"
#include "nn/quality.h"
#include "options.h"
#include "tensor/columns.h"

enum { draws = 5, most_classes = 64, larger_steps = 3 };
/* Below these an estimate is no gain: of AUC, and of accuracy. */
static const double least_auc = 0.01, least_accuracy = 0.002;

static sotto_measure measure_of(size_t classes) {
  return classes == 2 ? SOTTO_MEASURE_AUC : SOTTO_MEASURE_ACCURACY;
}

bool sotto_i_expected_gains(const sotto_expected *e) {
  const double least = e->measure == SOTTO_MEASURE_AUC ? least_auc : least_accuracy;
  return !e->there || e->classes >= least || e->others >= least;
}

/* scores (fresh): the first count nodes' log-probabilities from features alone. */
static sotto_status first_scores(sotto_matrix *scores, const sotto_i_made_nodes *n, size_t count,
                                 sotto_error *err) {
  const sotto_matrix *first = n->rounds->first;
  return sotto_i_take_rows(scores, first, n->nodes, count, err);
}

/* scores (fresh): with what the counts of one draw say. */
static sotto_status joint_scores(sotto_matrix *scores, const sotto_i_made_nodes *n,
                                 const sotto_i_made_draw *draw, sotto_error *err) {
  sotto_matrix x = {0}, add = {0};
  sotto_status status;
  SOTTO_TRY(first_scores(scores, n, draw->count, err));
  SOTTO_TRY(sotto_i_made_counts(&x, n, draw, err));
  SOTTO_TRY(sotto_i_discriminant_scores(&add, &x, n->labels, scores->cols, err));
  for (size_t i = 0; i < scores->rows; i++) {
    const bool deaf = !draw->pilots && n->plain[n->nodes[i]] == SOTTO_I_DEAF;
    for (size_t j = 0; j < scores->cols && !deaf; j++)
      scores->data[i * scores->cols + j] += add.data[i * scores->cols + j];
  }
done:
  sotto_matrix_free(&x);
  sotto_matrix_free(&add);
  return status;
}

/* The mean gain of some draws over features alone. */
static sotto_status gain_of(double *gain, const sotto_i_made_nodes *n, sotto_i_made_draw draw, double alone,
                            sotto_error *err) {
  sotto_matrix scores = {0};
  sotto_status status = SOTTO_OK;
  double mean = 0, value;
  for (uint32_t k = 0; k < draws; k++) {
    draw.number = 2 * k + (draw.cells > 0);
    SOTTO_TRY(joint_scores(&scores, n, &draw, err));
    SOTTO_TRY(sotto_i_quality_one(&value, measure_of(scores.cols), &scores, n->labels, scores.rows, err));
    sotto_matrix_free(&scores);
    mean += value / draws;
  }
  *gain = fmax(0, mean - alone);
done:
  sotto_matrix_free(&scores);
  return status;
}

/* The loss of a row of log-scores. */
static double loss_of(const float *row, size_t cols, int32_t label) {
  double largest = row[0], total = 0;
  for (size_t j = 1; j < cols; j++) largest = fmax(largest, (double)row[j]);
  for (size_t j = 0; j < cols; j++) total += exp((double)row[j] - largest);
  return fmin(log(total) + largest - (double)row[label], -log(1e-9));
}

/* The mean decrease of the loss on so many pilots, and its standard error, as in pilots.h. */
static sotto_status pilot_gain(double *mean, double *error, const sotto_i_made_nodes *n,
                               const sotto_i_made_draw *draw, sotto_error *err) {
  sotto_matrix alone = {0}, with = {0};
  double square = 0;
  sotto_status status;
  SOTTO_TRY(first_scores(&alone, n, draw->count, err));
  SOTTO_TRY(joint_scores(&with, n, draw, err));
  *mean = 0;
  for (size_t i = 0; i < alone.rows; i++) {
    const size_t at = i * alone.cols;
    const double less = loss_of(alone.data + at, alone.cols, n->labels[i]) -
                        loss_of(with.data + at, alone.cols, n->labels[i]);
    *mean += less / (double)alone.rows;
    square += less * less / (double)alone.rows;
  }
  *error = sqrt(fmax(0, square - *mean * *mean) / (double)alone.rows);
done:
  sotto_matrix_free(&alone);
  sotto_matrix_free(&with);
  return status;
}

/* Would pilots choose this kind in most draws? */
static sotto_status would_choose(bool *chosen, const sotto_i_made_nodes *n, sotto_i_made_draw draw,
                                 size_t pilots, double margin, sotto_error *err) {
  int times = 0;
  sotto_status status = SOTTO_OK;
  draw.pilots = true;
  draw.count = pilots < n->count ? pilots : n->count;
  for (uint32_t k = 0; k < draws; k++) {
    sotto_i_made_draw of_class = draw;
    double gain[2], error[2];
    of_class.cells = 0;
    of_class.number = 100 + 2 * k;
    draw.number = 101 + 2 * k;
    SOTTO_TRY(pilot_gain(&gain[0], &error[0], n, &of_class, err));
    SOTTO_TRY(pilot_gain(&gain[1], &error[1], n, &draw, err));
    times += gain[1] > 0 && gain[1] - gain[0] > margin * hypot(error[0], error[1]);
  }
  *chosen = 2 * times > draws;
done:
  return status;
}

static sotto_status try_cells(double *best, const sotto_i_made_nodes *n, sotto_i_made_draw draw,
                              sotto_i_pilot_stage stage, double alone, sotto_error *err) {
  const sotto_i_pilots *pilots = &n->rounds->pilots;
  bool chosen = false;
  double gain = 0;
  sotto_status status = SOTTO_OK;
  if (pilots->group == NULL || pilots->nodes[stage] == NULL) return SOTTO_OK;
  draw.cells = stage == SOTTO_I_STAGE_TRANSFERS ? SOTTO_I_TRANSFER_CELLS
               : stage == SOTTO_I_STAGE_KINDS   ? n->rounds->kind_cells
                                                : SOTTO_I_FEATURE_CLUSTERS;
  SOTTO_TRY(would_choose(&chosen, n, draw, pilots->count[stage],
                         sotto_i_pilots_margin(sotto_i_pilots_kind(stage)), err));
  if (chosen) SOTTO_TRY(gain_of(&gain, n, draw, alone, err));
  *best = fmax(*best, gain);
done:
  return status;
}

/* Both kinds of gain, with this much of epsilon. */
static sotto_status gains_at(sotto_expected *out, const sotto_i_made_nodes *n, double times,
                             sotto_error *err) {
  const sotto_options *o = n->rounds->job->options;
  sotto_laplace_grid noise;
  sotto_status status;
  SOTTO_TRY(sotto_i_counts_grid_of(&noise, times * o->epsilon / (double)o->layers, err));
  const sotto_i_made_draw draw = {
      .graph = sotto_i_made_usual(n->clusters.count, n->rarest), .noise = &noise, .count = n->count};
  out->others = 0;
  out->homophily = draw.graph.homophily;
  SOTTO_TRY(gain_of(&out->classes, n, draw, out->alone, err));
  SOTTO_TRY(try_cells(&out->others, n, draw, SOTTO_I_STAGE_FEATURES, out->alone, err));
  SOTTO_TRY(try_cells(&out->others, n, draw, SOTTO_I_STAGE_SUMS, out->alone, err));
  SOTTO_TRY(try_cells(&out->others, n, draw, SOTTO_I_STAGE_TRANSFERS, out->alone, err));
  SOTTO_TRY(try_cells(&out->others, n, draw, SOTTO_I_STAGE_KINDS, out->alone, err));
done:
  return status;
}

static sotto_status find_larger(sotto_expected *out, const sotto_i_made_nodes *n, sotto_error *err) {
  const double epsilon = n->rounds->job->options->epsilon;
  sotto_status status = SOTTO_OK;
  for (int k = 1; k <= larger_steps && out->larger == 0; k++) {
    sotto_expected more = *out;
    const double times = pow(2, k);
    if (times * epsilon > 1e3) break;
    SOTTO_TRY(gains_at(&more, n, times, err));
    if (sotto_i_expected_gains(&more)) out->larger = times;
  }
done:
  return status;
}

sotto_status sotto_i_expected_of(sotto_expected *out, const sotto_i_rounds *r, sotto_error *err) {
  const size_t classes = r->first->cols;
  sotto_i_made_nodes nodes = {.rounds = NULL};
  sotto_matrix scores = {0};
  sotto_status status = SOTTO_OK;
  *out = (sotto_expected){.measure = measure_of(classes)};
  if (r->levels == NULL || !sotto_i_can_choose(r->parted) || classes > most_classes) return SOTTO_OK;
  SOTTO_TRY(sotto_i_made_nodes_new(&nodes, r, err));
  SOTTO_TRY(first_scores(&scores, &nodes, nodes.count, err));
  SOTTO_TRY(sotto_i_quality_one(&out->alone, measure_of(classes), &scores, nodes.labels, nodes.count, err));
  if (isnan(out->alone)) goto done;
  out->there = true;
  SOTTO_TRY(gains_at(out, &nodes, 1, err));
  if (!sotto_i_expected_gains(out)) SOTTO_TRY(find_larger(out, &nodes, err));
done:
  sotto_matrix_free(&scores);
  sotto_i_made_nodes_free(&nodes);
  return status;
}

static bool is_first(const sotto_i_job *job) {
  return job->seed == job->options->seed;
}

static const char *measure_word(const sotto_expected *e) {
  return e->measure == SOTTO_MEASURE_AUC ? "AUC" : "accuracy";
}

/* ", and up to 3.1 where ...", or nothing. */
static void describe_others(char out[160], const sotto_expected *e) {
  out[0] = '\0';
  if (e->others > e->classes)
    (void)snprintf(out, 160, ", and up to %.1f where features of neighbours or transfers tell the class",
                   100 * e->others);
}

void sotto_i_expected_tell(const sotto_expected *e, const sotto_i_job *job, bool sums) {
  char others[160];
  if (!e->there || !is_first(job)) return;
  describe_others(others, e);
  sotto_i_log(job->observer, SOTTO_LOG_INFO,
              "edges are expected to add %.1f points of %s to %.1f by features alone, at epsilon %.4g%s "
              "(assumed: %g neighbours a node, homophily %.2g)%s",
              100 * e->classes, measure_word(e), 100 * e->alone, job->options->epsilon, others,
              sotto_i_made_usual(2, 0).degree, e->homophily,
              sums ? "; sums of neighbours' features are tried too"
                   : "; noisy layers, as of gap, are not tried");
}

sotto_status sotto_i_expected_ask(const sotto_expected *e, const sotto_i_job *job, bool sums,
                                  sotto_error *err) {
  char larger[80] = "a larger epsilon is not expected to help";
  if (sotto_i_expected_gains(e) || !is_first(job) || job->options->anyway == SOTTO_ANYWAY_GAIN)
    return SOTTO_OK;
  if (e->larger > 0)
    (void)snprintf(larger, sizeof larger, "or ask for epsilon %.4g", e->larger * job->options->epsilon);
  return sotto_i_fail(
      err, SOTTO_REFUSED,
      "edges are expected to add %.1f points of %s to %.1f by features alone at epsilon "
      "%.4g, if a node has %g "
      "neighbours and homophily is %.2g; nothing was charged. Train on features alone; or train "
      "in any case with anyway gain, into the same folder; %s. %s",
      100 * e->classes, measure_word(e), 100 * e->alone, job->options->epsilon,
      sotto_i_made_usual(2, 0).degree, e->homophily, larger,
      sums ? "Sums of neighbours' features would be tried too" : "Noisy layers, as of gap, were not tried");
}

void sotto_i_expected_write(float out[SOTTO_I_EXPECTED_NUMBERS], const sotto_expected *e) {
  out[0] = e->there;
  out[1] = (float)e->alone;
  out[2] = (float)e->classes;
  out[3] = (float)e->others;
  out[4] = (float)e->homophily;
  out[5] = (float)e->larger;
}

sotto_status sotto_i_expected_read(sotto_expected *out, const float from[SOTTO_I_EXPECTED_NUMBERS],
                                   size_t classes, sotto_error *err) {
  const float larger = from[5];
  bool holds = from[0] == 0 || from[0] == 1;
  for (int i = 1; i < 5; i++) holds = holds && from[i] >= 0 && from[i] <= 1;
  holds = holds && (larger == 0 || larger == 2 || larger == 4 || larger == 8);
  if (!holds)
    return sotto_i_fail(
        err, SOTTO_PROTOCOL,
        "%s: the label party says %g, %g, %g, %g, %g and %g; these must be 0 or 1, four numbers "
        "from 0 to 1, and 0, 2, 4 or 8",
        SOTTO_I_EXPECTED_NAME, (double)from[0], (double)from[1], (double)from[2], (double)from[3],
        (double)from[4], (double)larger);
  *out = (sotto_expected){.there = from[0] == 1,
                          .measure = measure_of(classes),
                          .alone = (double)from[1],
                          .classes = (double)from[2],
                          .others = (double)from[3],
                          .homophily = (double)from[4],
                          .larger = (double)larger};
  return SOTTO_OK;
}
