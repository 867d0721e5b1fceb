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
#include "transfer_weights.h"

enum { draws = 5, most_classes = 64, larger_steps = 3 };
/* Numbers that separate draws. */
enum { first_of_pilots = 100, first_of_weights = 200 };
/* The share of the rarest class's relations that are in cells of their own in made payments at dial 1: half
 * of them are of laundering, and four fifths of these late. */
static const double apart_at_dial = 0.4;
/* Below these an estimate is no gain: of AUC, and of accuracy. */
static const double least_auc = 0.01, least_accuracy = 0.002;

static sotto_measure measure_of(size_t classes) {
  return classes == 2 ? SOTTO_MEASURE_AUC : SOTTO_MEASURE_ACCURACY;
}

static double least_of(const sotto_expected *e) {
  return e->measure == SOTTO_MEASURE_AUC ? least_auc : least_accuracy;
}

bool sotto_i_expected_gains(const sotto_expected *e) {
  return !e->there || e->classes >= least_of(e) || e->others >= least_of(e);
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
    const bool hears = sotto_i_made_hears(n, draw, i);
    for (size_t j = 0; j < scores->cols && hears; j++)
      scores->data[i * scores->cols + j] += add.data[i * scores->cols + j];
  }
done:
  sotto_matrix_free(&x);
  sotto_matrix_free(&add);
  return status;
}

/* What the nodes that are no pilots release, if pilots have chosen its cells. */
typedef struct release {
  sotto_i_made_draw draw;
  const sotto_laplace_grid *of_sums; /* where relations are weighed; NULL: they are counted */
  size_t pilots;                     /* in each group, from which weights are learnt */
} release;

/* The scores of draw k, with weights of its own pilots. */
static sotto_status scores_of(sotto_matrix *scores, const sotto_i_made_nodes *n, const release *r, uint32_t k,
                              sotto_error *err) {
  sotto_i_made_draw draw = r->draw;
  sotto_params *weights = NULL;
  sotto_status status;
  if (r->of_sums != NULL) {
    draw.number = first_of_weights + 2 * k;
    SOTTO_TRY(sotto_i_made_weights(&weights, n, &draw, r->pilots, err));
    draw.weights = sotto_params_value(weights, 0);
    draw.noise = r->of_sums;
  }
  draw.number = 2 * k + (draw.cells > 0);
  SOTTO_TRY(joint_scores(scores, n, &draw, err));
done:
  sotto_params_free(weights);
  return status;
}

/* The mean gain of some draws over features alone. */
static sotto_status gain_of(double *gain, const sotto_i_made_nodes *n, const release *r, double alone,
                            sotto_error *err) {
  sotto_matrix scores = {0};
  sotto_status status = SOTTO_OK;
  double mean = 0, value;
  for (uint32_t k = 0; k < draws; k++) {
    SOTTO_TRY(scores_of(&scores, n, r, k, err));
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
    of_class.number = first_of_pilots + 2 * k;
    draw.number = first_of_pilots + 2 * k + 1;
    SOTTO_TRY(pilot_gain(&gain[0], &error[0], n, &of_class, err));
    SOTTO_TRY(pilot_gain(&gain[1], &error[1], n, &draw, err));
    times += gain[1] > 0 && gain[1] - gain[0] > margin * hypot(error[0], error[1]);
  }
  *chosen = 2 * times > draws;
done:
  return status;
}

/* Under the usual odds a class has one cell of its own. Finer bins would only add cells that say nothing. */
static size_t cells_of(const sotto_i_made_nodes *n, sotto_i_pilot_stage stage, bool apart) {
  const sotto_options *o = n->rounds->job->options;
  if (stage == SOTTO_I_STAGE_KINDS) return n->rounds->kind_cells;
  if (stage != SOTTO_I_STAGE_TRANSFERS) return SOTTO_I_FEATURE_CLUSTERS;
  return apart && sotto_i_is_fine(n->clusters.count, o) ? SOTTO_I_MOST_TRANSFER_CELLS
                                                        : SOTTO_I_TRANSFER_CELLS;
}

/* What is assumed: noise, features alone, and what is told by cells. */
typedef struct assumed {
  sotto_i_made_draw draw;
  const sotto_laplace_grid *of_sums;
  double alone;
} assumed;

/* The gain by the cells of this stage, if pilots would choose them: the larger of it and *best. */
static sotto_status try_cells(double *best, const sotto_i_made_nodes *n, const assumed *a,
                              sotto_i_pilot_stage stage, sotto_error *err) {
  const sotto_i_pilots *pilots = &n->rounds->pilots;
  const sotto_i_cluster_kind kind = sotto_i_pilots_kind(stage);
  const bool weighed = sotto_i_is_weighed(kind, n->clusters.count, n->rounds->job->options);
  release r = {.draw = a->draw, .of_sums = weighed ? a->of_sums : NULL};
  bool chosen = false;
  double gain = 0;
  sotto_status status = SOTTO_OK;
  if (pilots->group == NULL || pilots->nodes[stage] == NULL) return SOTTO_OK;
  r.draw.cells = cells_of(n, stage, a->draw.apart > 0);
  r.pilots = pilots->count[stage];
  SOTTO_TRY(would_choose(&chosen, n, r.draw, r.pilots, sotto_i_pilots_margin(kind), err));
  if (chosen) SOTTO_TRY(gain_of(&gain, n, &r, a->alone, err));
  *best = fmax(*best, gain);
done:
  return status;
}

/* All kinds of gain, with this much of epsilon. */
static sotto_status gains_at(sotto_expected *out, const sotto_i_made_nodes *n, double times,
                             sotto_error *err) {
  const sotto_options *o = n->rounds->job->options;
  const double epsilon = times * o->epsilon / (double)o->layers;
  sotto_laplace_grid noise, of_sums;
  sotto_status status;
  SOTTO_TRY(sotto_i_counts_grid_of(&noise, epsilon, err));
  SOTTO_TRY(sotto_i_sums_grid_of(&of_sums, epsilon, err));
  assumed a = {
      .draw = {.graph = sotto_i_made_usual(n->clusters.count, n->rarest), .noise = &noise, .count = n->count},
      .of_sums = &of_sums,
      .alone = out->alone};
  out->others = out->transfers = 0;
  out->homophily = a.draw.graph.homophily;
  SOTTO_TRY(gain_of(&out->classes, n, &(release){.draw = a.draw}, out->alone, err));
  SOTTO_TRY(try_cells(&out->others, n, &a, SOTTO_I_STAGE_FEATURES, err));
  SOTTO_TRY(try_cells(&out->others, n, &a, SOTTO_I_STAGE_SUMS, err));
  SOTTO_TRY(try_cells(&out->others, n, &a, SOTTO_I_STAGE_TRANSFERS, err));
  SOTTO_TRY(try_cells(&out->others, n, &a, SOTTO_I_STAGE_KINDS, err));
  a.draw.apart = apart_at_dial;
  SOTTO_TRY(try_cells(&out->transfers, n, &a, SOTTO_I_STAGE_TRANSFERS, err));
  SOTTO_TRY(try_cells(&out->transfers, n, &a, SOTTO_I_STAGE_KINDS, err));
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

enum { others_room = 240 };

static const char *measure_word(const sotto_expected *e) {
  return e->measure == SOTTO_MEASURE_AUC ? "AUC" : "accuracy";
}

/* ", and up to 3.1 where ...", or nothing. */
static void describe_others(char out[others_room], const sotto_expected *e) {
  int used = 0;
  out[0] = '\0';
  if (e->others > e->classes)
    used = snprintf(out, others_room,
                    ", and up to %.1f where features of neighbours or transfers tell the class",
                    100 * e->others);
  if (e->transfers > fmax(e->classes, e->others))
    (void)snprintf(out + used, others_room - (size_t)used,
                   ", and up to %.1f where transfers tell it as in made payments at dial 1",
                   100 * e->transfers);
}

void sotto_i_expected_tell(const sotto_expected *e, const sotto_i_job *job, bool sums) {
  char others[others_room];
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

static void describe_larger(char out[160], const sotto_expected *e, const sotto_options *o) {
  if (e->larger > 0)
    (void)snprintf(out, 160, "or ask for epsilon %.4g", e->larger * o->epsilon);
  else
    (void)snprintf(out, 160, "a larger epsilon is not expected to help");
}

/* What nobody can know before a charge, and how to find out whether it is worth one. */
static sotto_status ask_about_transfers(const sotto_expected *e, const sotto_options *o, sotto_error *err) {
  return sotto_i_fail(
      err, SOTTO_REFUSED,
      "neighbours' classes are expected to add %.1f points of %s to %.1f by features alone at epsilon %.4g. "
      "Whether transfers tell the class is not known before a charge: as in made payments at dial 1 they "
      "would add %.1f points, and at dial 0 nothing; nothing was charged. If you know that they do, train "
      "with anyway gain, into the same folder. If not, train on features alone, or first on made payments "
      "with this share of the rarer class, at both dials",
      100 * e->classes, measure_word(e), 100 * e->alone, o->epsilon, 100 * e->transfers);
}

sotto_status sotto_i_expected_ask(const sotto_expected *e, const sotto_i_job *job, bool sums,
                                  sotto_error *err) {
  const sotto_options *o = job->options;
  char larger[160];
  if (sotto_i_expected_gains(e) || !is_first(job) || o->anyway == SOTTO_ANYWAY_GAIN) return SOTTO_OK;
  if (e->transfers >= least_of(e)) return ask_about_transfers(e, o, err);
  describe_larger(larger, e, o);
  return sotto_i_fail(
      err, SOTTO_REFUSED,
      "edges are expected to add %.1f points of %s to %.1f by features alone at epsilon "
      "%.4g, if a node has %g "
      "neighbours and homophily is %.2g; nothing was charged. Train on features alone; or train "
      "in any case with anyway gain, into the same folder; %s. %s",
      100 * e->classes, measure_word(e), 100 * e->alone, o->epsilon, sotto_i_made_usual(2, 0).degree,
      e->homophily, larger,
      sums ? "Sums of neighbours' features would be tried too" : "Noisy layers, as of gap, were not tried");
}

void sotto_i_expected_write(float out[SOTTO_I_EXPECTED_NUMBERS], const sotto_expected *e) {
  out[0] = e->there;
  out[1] = (float)e->alone;
  out[2] = (float)e->classes;
  out[3] = (float)e->others;
  out[4] = (float)e->transfers;
  out[5] = (float)e->homophily;
  out[6] = (float)e->larger;
}

sotto_status sotto_i_expected_read(sotto_expected *out, const float from[SOTTO_I_EXPECTED_NUMBERS],
                                   size_t classes, sotto_error *err) {
  const float larger = from[6];
  bool holds = from[0] == 0 || from[0] == 1;
  for (int i = 1; i < 6; i++) holds = holds && from[i] >= 0 && from[i] <= 1;
  holds = holds && (larger == 0 || larger == 2 || larger == 4 || larger == 8);
  if (!holds)
    return sotto_i_fail(
        err, SOTTO_PROTOCOL,
        "%s: the label party says %g, %g, %g, %g, %g, %g and %g; these must be 0 or 1, five numbers "
        "from 0 to 1, and 0, 2, 4 or 8",
        SOTTO_I_EXPECTED_NAME, (double)from[0], (double)from[1], (double)from[2], (double)from[3],
        (double)from[4], (double)from[5], (double)larger);
  *out = (sotto_expected){.there = from[0] == 1,
                          .measure = measure_of(classes),
                          .alone = (double)from[1],
                          .classes = (double)from[2],
                          .others = (double)from[3],
                          .transfers = (double)from[4],
                          .homophily = (double)from[5],
                          .larger = (double)larger};
  return SOTTO_OK;
}
