/* best: noisy counts of neighbours by predicted class, and a correction learnt from them. */
#include <math.h>

#include "audit/canary.h"

#include "base/error.h"
#include "base/memory.h"
#include "best_node.h"
#include "best_numbers.h"
#include "inside/nn.h"
#include "protocols/answers/predict_counts.h"
#include "protocols/counts.h"
#include "protocols/counts_work.h"
#include "protocols/cross_fit.h"
#include "protocols/expect.h"
#include "protocols/feature_clusters.h"
#include "protocols/feature_sums.h"
#include "protocols/nights/night_answers.h"
#include "protocols/node_budget.h"
#include "protocols/options.h"
#include "protocols/rounds.h"
#include "run/files/job_file.h"
#include "run/settings/options.h"
#include "run/settings/rows.h"
#include "run/statement/statement.h"
#include "run/train/predict.h"

typedef struct state {
  const sotto_i_job *job;
  sotto_i_parted parted;
  sotto_matrix first; /* log-probabilities from features alone */
  sotto_i_clusters by_features;
  sotto_params *perceptrons, *centres, *bins;
  sotto_i_rounds rounds;
} state;

static bool is_noisy(const state *s) {
  return s->job->cost->count > 0;
}

/* Pilots may choose clusters of features. */
static sotto_status cluster_features(state *s, sotto_error *err) {
  const sotto_i_row_source *rows = s->job->rows;
  sotto_key key;
  sotto_status status = SOTTO_OK;
  sotto_i_job_key(&key, s->job);
  if (!sotto_i_can_cluster_features(rows->cols) || !sotto_i_can_choose(&s->parted)) goto done;
  SOTTO_TRY(sotto_params_new(&s->centres, err));
  SOTTO_TRY(sotto_i_feature_clusters_fit(s->centres, rows, &key, err));
  if (sotto_i_ranks_first(sotto_i_job_ranks(s->job)))
    SOTTO_TRY(sotto_i_feature_clusters_of(&s->by_features, s->centres, rows, err));
done:
  return status;
}

/* Ranks have no transfers. */
static bool has_transfers(const state *s) {
  return sotto_i_has_transfers(s->job->data) && sotto_i_job_ranks(s->job) == NULL;
}

/* Are sums of neighbours' features made of such data? Ranks make none, and state the same. */
static bool may_sum(const sotto_i_job *job) {
  const sotto_dataset *d = job->data;
  return job->options->adjacency != SOTTO_ADJACENCY_TRANSFER && !sotto_i_has_transfers(d) &&
         d->features.cols <= SOTTO_I_MOST_SUM_COLUMNS &&
         d->features.cols * d->features.rows <= SOTTO_I_MOST_SUM_NUMBERS &&
         d->classes <= SOTTO_I_MOST_SUM_CLASSES;
}

/* They take the place of clusters where these say little of the features. */
static sotto_status can_sum(bool *out, state *s, sotto_error *err) {
  double share = 1;
  sotto_status status = SOTTO_OK;
  if (s->centres != NULL && may_sum(s->job) && sotto_i_job_ranks(s->job) == NULL &&
      sotto_i_can_learn_directions(&s->parted, s->job->data->classes))
    status = sotto_i_feature_clusters_share(&share, s->centres, s->job->rows, err);
  *out = status == SOTTO_OK && share < SOTTO_I_MOST_CLUSTER_SHARE;
  return status;
}

/* Says what edges are expected to add, and asks before the first charge. */
static sotto_status expect(sotto_expected *out, const state *s, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (!sotto_i_ranks_first(sotto_i_job_ranks(s->job))) return SOTTO_OK;
  SOTTO_TRY(sotto_i_expected_of(out, &s->rounds, err));
  sotto_i_expected_tell(out, s->job, s->rounds.choice.sums);
  SOTTO_TRY(sotto_i_expected_ask(out, s->job, s->rounds.choice.sums, err));
done:
  return status;
}

static sotto_status begin(state *s, sotto_i_outcome *out, sotto_error *err) {
  sotto_seed_result *q = &out->quality;
  bool sums = false;
  sotto_status status;
  SOTTO_TRY(sotto_i_parted_new(&s->parted, s->job, err));
  SOTTO_TRY(sotto_params_new(&s->perceptrons, err));
  SOTTO_TRY(sotto_i_cross_fit(&s->first, &q->baseline_validation, &q->baseline_test, s->perceptrons, s->job,
                              &s->parted, err));
  SOTTO_TRY(cluster_features(s, err));
  SOTTO_TRY(can_sum(&sums, s, err));
  const bool own = sums || s->job->rows->cols <= SOTTO_I_MOST_OWN_COLUMNS;
  s->rounds = (sotto_i_rounds){.job = s->job,
                               .parted = &s->parted,
                               .shown = &s->parted,
                               .told = true,
                               .exactly = true,
                               .first = &s->first,
                               .own = own ? s->job->rows : NULL,
                               .choice = {.features = s->centres != NULL && !sums,
                                          .transfers = has_transfers(s),
                                          .kinds = has_transfers(s) && sotto_i_has_kinds(s->job->data),
                                          .sums = sums},
                               .by_features = &s->by_features,
                               .transfers = &s->job->data->transfers,
                               .validation = q->baseline_validation,
                               .test = q->baseline_test};
  SOTTO_TRY(sotto_i_rounds_begin(&s->rounds, err));
  SOTTO_TRY(expect(&q->expected, s, err));
done:
  return status;
}

static sotto_status run_stage(state *s, uint32_t round, uint32_t stage, sotto_error *err) {
  sotto_status status;
  sotto_i_rounds_asked asked = {.levels = NULL};
  sotto_dataset released = {0};
  sotto_laplace_grid grid;
  SOTTO_TRY(sotto_i_rounds_ask(&asked, &s->rounds, round, stage, err));
  if (asked.stage == 0) SOTTO_TRY(sotto_i_rounds_share(&s->rounds, err));
  if (is_noisy(s)) SOTTO_TRY(sotto_i_release_grid(&grid, asked.sums || asked.weighed, s->job->options, err));
  const sotto_i_counts counts = {.job = s->job,
                                 .clusters = asked.counted,
                                 .levels = asked.levels,
                                 .noise = is_noisy(s) ? &grid : NULL,
                                 .round = round,
                                 .item = round,
                                 .part = asked.part,
                                 .stage = asked.stage,
                                 .rows = asked.rows,
                                 .row_count = asked.row_count,
                                 .survey = asked.survey,
                                 .added = asked.sums ? &asked.added : NULL,
                                 .bins = asked.bins};
  SOTTO_TRY(sotto_i_counts_release(&released, NULL, &counts, err));
  sotto_i_rounds_asked_free(&asked);
  const sotto_i_row_source rows = sotto_i_counts_released(&released);
  SOTTO_TRY(sotto_i_rounds_read(&s->rounds, &rows, round, stage, err));
done:
  sotto_i_rounds_asked_free(&asked);
  sotto_dataset_free(&released);
  return status;
}

static sotto_status run_round(state *s, uint32_t round, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (uint32_t stage = 0; stage < sotto_i_rounds_stages(&s->rounds, round); stage++)
    SOTTO_TRY(run_stage(s, round, stage, err));
  SOTTO_TRY(sotto_i_rounds_correct(&s->rounds, round, err));
done:
  return status;
}

/* Rounds after the best one do not affect its scores, so they are not saved. */
static sotto_status save_model(state *s, sotto_error *err) {
  const sotto_params *sets[SOTTO_MOST_COSTS + 3] = {s->perceptrons};
  size_t count = 1;
  sotto_status status;
  for (uint32_t i = 0; i < s->rounds.kept; i++) sets[count++] = s->rounds.params[i];
  if (s->rounds.kept > 0 && s->rounds.kind == SOTTO_I_BY_FEATURES) sets[count++] = s->centres;
  if (s->rounds.kept > 0 && s->rounds.kind == SOTTO_I_BY_SUMS) sets[count++] = s->rounds.directions;
  if (s->rounds.kept > 0 && s->rounds.kind == SOTTO_I_BY_TRANSFERS) {
    SOTTO_TRY(sotto_params_new(&s->bins, err));
    SOTTO_TRY(sotto_i_transfer_bins_keep(s->bins, &s->rounds.bins, s->job->options, err));
    sets[count++] = s->bins;
  }
  if (s->rounds.kept > 0 && s->rounds.weights != NULL) sets[count++] = s->rounds.weights;
  SOTTO_TRY(sotto_i_job_save_model(s->job, sets, count, err));
done:
  return status;
}

static sotto_status best_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  sotto_status status;
  state s = {.job = job};
  out->quality.seed = job->seed;
  SOTTO_TRY(begin(&s, out, err));
  for (uint32_t round = 0; round < job->options->layers; round++) SOTTO_TRY(run_round(&s, round, err));
  SOTTO_TRY(save_model(&s, err));
  out->quality.validation = s.rounds.validation;
  out->quality.test = s.rounds.test;
done:
  sotto_i_rounds_free(&s.rounds);
  sotto_i_parted_free(&s.parted);
  sotto_matrix_free(&s.first);
  sotto_i_clusters_free(&s.by_features);
  sotto_params_free(s.perceptrons);
  sotto_params_free(s.centres);
  sotto_params_free(s.bins);
  return status;
}

/* The perceptrons for predictions. */
typedef struct perceptrons {
  sotto_params *params;
  sotto_i_cross_fitted fitted;
} perceptrons;

static sotto_status first_scores(const void *self, sotto_matrix *out, const sotto_matrix *x,
                                 const uint32_t *nodes, sotto_error *err) {
  const perceptrons *p = self;
  return sotto_i_cross_fit_scores(out, &p->fitted, x, nodes, err);
}

static sotto_status open_first(void *self, sotto_params **sets, size_t *count, const sotto_i_opening *from,
                               sotto_error *err) {
  perceptrons *p = self;
  sotto_i_folds folds;
  sotto_status status;
  SOTTO_TRY(sotto_params_new(&p->params, err));
  SOTTO_TRY(sotto_i_folds_of_answers(&folds, from, "perceptron", err));
  SOTTO_TRY(sotto_i_cross_fit_new(&p->fitted, p->params, from->job, &folds, err));
  sets[(*count)++] = p->params;
done:
  return status;
}

static void free_first(void *self) {
  perceptrons *p = self;
  sotto_i_folds_free(&p->fitted.folds);
  sotto_params_free(p->params);
}

static sotto_status best_open(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err) {
  static const sotto_i_first_stage first = {
      .size = sizeof(perceptrons), .open = open_first, .scores = first_scores, .free = free_first};
  if (from->night != NULL) return sotto_i_predict_night(out, from, &first, err);
  return sotto_i_predict_counts(out, from, &first, err);
}

static bool best_work(sotto_plan_work *out, const sotto_options *options, const sotto_plan_shape *shape) {
  sotto_i_work_counts(out, options, shape, INFINITY);
  return true;
}

/* Pilots may choose sums, at the same cost, where there are nodes enough for that. */
static sotto_status best_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err) {
  const sotto_status status = sotto_i_weighed_price(out, job, err);
  const bool sums = may_sum(job) && job->data->graph.nodes > SOTTO_I_LEAST_SUM_NODES;
  for (size_t i = 0; status == SOTTO_OK && sums && i < out->count; i++)
    out->items[i].what = "how many neighbours of each node lie in each cluster, or sums of their features";
  return status;
}

enum { plain = SOTTO_I_NONE | SOTTO_I_TRANSFER | SOTTO_I_EDGE };
static const sotto_i_option_change changes[] = {
    {.key = "adjacency", .choices = "none transfer edge node"},
    {.key = "layers", .adjacencies = plain, .help = "rounds of counts, which share epsilon alike"},
    {.key = "epochs", .fallback = "150", .help = "epochs of the correction; of the network at node level"},
    {.key = "encoder-share", .help = "share of the budget for the network; the rest is the table's"},
    {.key = "encoder-epochs", .adjacencies = plain},
    {.key = "dropout", .adjacencies = plain},
    {.key = "patience", .adjacencies = plain},
    {.key = "select-by", .adjacencies = plain},
    {.key = "read-share", .adjacencies = plain},
};

/* A second round of counts halves the budget of the first, which is worthwhile only with a large budget.
 * With a small one, nodes with confident predictions from features alone get no counts, and the others less
 * noise. */
static const sotto_i_option_default defaults[] = {
    SOTTO_I_NUMBER_DEFAULTS,
    {"weight-decay", "0.001", .adjacencies = plain},
    {"epochs", "100", .adjacencies = SOTTO_I_NODE},
    {"encoder-share", "0.8", .adjacencies = SOTTO_I_NODE},
    {"layers", "1", .adjacencies = plain, .noise = SOTTO_I_WITH_NOISE, .below = 12},
    {"read-share", "0.7", .adjacencies = plain, .noise = SOTTO_I_WITH_NOISE, .round_most = 2},
    {"read-share", "0.9", .adjacencies = plain, .noise = SOTTO_I_WITH_NOISE},
};

/* Without levels of confidence, pilots and transfers, which are of classes. */
static const sotto_i_variant variants[] = {
    {.adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE,
     .accountings = SOTTO_I_SOUND,
     .chosen = sotto_i_learns_numbers,
     .key = "task",
     .word = "regression",
     .without = SOTTO_I_WITHOUT_CLASSES " read-share",
     .numbers = true,
     .edges = true,
     .by_rows = true,
     .run = sotto_i_best_numbers_run,
     .price = sotto_i_counts_price},
    {.adjacencies = plain,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .canaries = SOTTO_I_CANARIES_OF_SUMS,
     .canary = sotto_i_canary_of_counts,
     .ranks = true,
     .by_rows = true,
     .run = best_run,
     .work = best_work,
     .price = best_price},
    {.adjacencies = SOTTO_I_NODE,
     .accountings = SOTTO_I_SOUND,
     .answers_moved = sotto_i_moves_one_hop,
     .edges = true,
     .own_rows = true,
     .canaries = SOTTO_I_CANARIES_OF_NODES | SOTTO_I_CANARIES_OF_STEPS,
     .canary = sotto_i_best_node_canary,
     .run = sotto_i_best_node_run,
     .price = sotto_i_best_node_price},
};

/* The statement covers readers of the model, not readers of predictions. */
static void annotate(json_t *statement, const sotto_report *report) {
  if (report->options->adjacency == SOTTO_ADJACENCY_NODE)
    json_array_append_new(json_object_get(statement, "not_covered"),
                          json_string("answers: the model is private, but an answer about a node reads that "
                                      "node's features and edges and its neighbours' features, without "
                                      "noise; give it to those who may know these"));
}

static sotto_status open_run(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err) {
  if (sotto_i_learns_numbers(from->job->options) && from->night != NULL)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "nightly: models of numbers answer about other data by a release for it alone");
  if (sotto_i_learns_numbers(from->job->options)) return sotto_i_best_numbers_open(out, from, err);
  return from->job->options->adjacency == SOTTO_ADJACENCY_NODE ? sotto_i_best_node_open(out, from, err)
                                                               : best_open(out, from, err);
}

const sotto_i_method sotto_i_method_best = {
    .name = "best",
    .summary =
        "noisy counts of neighbours by known or likely class; the most accurate at edge and node level",
    .situation = "I own one sensitive graph and publish the model",
    .source = "this project (docs/methods.md)",
    .protects = "it protects transfers, edges or nodes",
    .topology = SOTTO_ONE_OWNER,
    .nights = true,
    .no_fresh = true,
    .options = {.uses = {{&sotto_i_run_rows, NULL},
                         {&sotto_i_privacy_rows,
                          "adjacency epsilon delta max-degree degree-cut publish-accuracy"},
                         {&sotto_i_network_rows, "layers hidden activation dropout"},
                         {&sotto_i_training_rows,
                          "encoder-epochs epochs patience select-by learning-rate weight-decay"},
                         {&sotto_i_counts_rows, NULL},
                         {&sotto_i_node_rows, "encoder-share batch-rate clip steps"}},
                SOTTO_I_CHANGES(changes),
                SOTTO_I_DEFAULTS(defaults)},
    .annotate = annotate,
    .open = open_run,
    .narrow = sotto_i_narrow_counts,
    SOTTO_I_VARIANTS(variants),
};
