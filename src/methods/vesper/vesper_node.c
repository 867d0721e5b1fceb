/* Node level of vesper. One node's features and its edges are hidden from the label party, so nothing that
 * follows from them may be sent without noise, including the embeddings (docs/privacy.md).
 *
 * 1. The data party maps each node's own features by a public random matrix. There is no training, so no
 * label and no gradient reaches it, and a row depends on one node alone.
 *
 * 2. It releases two things, each charged before the first byte: those rows with noise, and K noisy layers.
 *
 * 3. The label party trains its decoder on both, which is post-processing. It sends nothing. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "inside/nn.h"
#include "inside/party.h"
#include "pmp/release.h"
#include "protocols/node_budget.h"
#include "protocols/options.h"
#include "tensor/columns.h"
#include "vesper.h"

enum { own_rows, layers, release_count };

typedef struct plans {
  sotto_pmp_plan of[release_count];
} plans;

static sotto_pmp_options own_options(const sotto_options *o) {
  sotto_pmp_options pmp = sotto_i_job_pmp(o);
  pmp.aggregator = SOTTO_AGGREGATOR_SUM;
  pmp.layers = 1;
  pmp.degree_floor = 0;
  pmp.protection =
      (sotto_protection){.level = SOTTO_LEVEL_ROW,
                         .nonnegative = sotto_i_node_settings_of(o)->row_sign == SOTTO_I_ROWS_NONNEGATIVE};
  return pmp;
}

/* The own row has a separate release, which costs less than including it in a sum. */
static sotto_pmp_options layer_options(const sotto_options *o) {
  sotto_pmp_options pmp = sotto_i_job_pmp(o);
  pmp.self = false;
  pmp.protection = sotto_i_node_protection(o, pmp.aggregator != SOTTO_AGGREGATOR_SUM);
  return pmp;
}

/* Gaussian releases compose by the squares of their mu. */
static sotto_status plans_new(plans *p, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  const sotto_pmp_options pmp[release_count] = {own_options(o), layer_options(o)};
  const double share[release_count] = {sotto_i_node_settings_of(o)->encoder_share,
                                       1 - sotto_i_node_settings_of(o)->encoder_share};
  double mu;
  sotto_status status;
  SOTTO_TRY(sotto_gdp_mu(&mu, o->epsilon, o->delta, err));
  for (int i = 0; i < release_count; i++)
    SOTTO_TRY(sotto_i_pmp_plan_for(&p->of[i], &pmp[i], job->data->graph.nodes, sotto_i_released_width(o),
                                   mu * sqrt(share[i]) * (1 - 1e-9), err));
done:
  return status;
}

sotto_status sotto_i_vesper_node_releases(sotto_pmp_plan *rows, sotto_pmp_plan *of_layers,
                                          const sotto_i_job *job, sotto_error *err) {
  plans p;
  sotto_status status = plans_new(&p, job, err);
  if (status != SOTTO_OK) return status;
  *rows = p.of[own_rows];
  *of_layers = p.of[layers];
  return SOTTO_OK;
}

static sotto_cost_item item_of(const sotto_pmp_plan *plan, const char *what) {
  sotto_mechanism gaussian = sotto_mechanism_default(SOTTO_MECHANISM_GAUSSIAN);
  gaussian.noise = plan->grid.sigma;
  gaussian.sensitivity = plan->sensitivity;
  gaussian.count = plan->options.layers;
  return (sotto_cost_item){.what = what, .mechanism = gaussian, .mu = plan->mu};
}

sotto_status sotto_i_vesper_node_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err) {
  plans p;
  *out = (sotto_cost){.adjacency = "node"};
  sotto_status status = plans_new(&p, job, err);
  if (status != SOTTO_OK) return status;
  static const char *const rows[] = {
      "each node's own row, a public random map of its features, with noise",
      "each node's own row, a public random map of its features, floored at 0, with noise"};
  const int floored = p.of[own_rows].options.protection.nonnegative;
  out->items[out->count++] = item_of(&p.of[own_rows], rows[floored]);
  out->items[out->count++] =
      item_of(&p.of[layers], "noisy layers of message passing over those rows, cut, over the whole graph");
  return SOTTO_OK;
}

/* Features times a matrix of normal numbers that anyone can compute from the seed, and the constant column.
 */
static sotto_status project_features(sotto_matrix *out, const sotto_i_vesper *c, sotto_error *err) {
  const sotto_options *o = c->job->options;
  const sotto_matrix *features = &c->data_features;
  sotto_status status;
  sotto_tape *tape = NULL;
  sotto_matrix map = {0};
  sotto_i_random random;
  SOTTO_TRY(sotto_matrix_new(&map, features->cols, sotto_i_embedding_width(o), err));
  for (size_t i = 0; i < map.rows; i++) {
    sotto_i_random_init(&random, &c->key, SOTTO_I_PURPOSE_INIT, 1, i);
    for (size_t j = 0; j < map.cols; j++)
      map.data[i * map.cols + j] = (float)(sotto_i_random_normal(&random) / sqrt((double)map.cols));
  }
  SOTTO_TRY(sotto_tape_new(&tape, err));
  const sotto_var rows =
      sotto_tape_matmul(tape, sotto_tape_constant(tape, features), sotto_tape_constant(tape, &map));
  SOTTO_TRY(sotto_tape_check(tape, err));
  const sotto_matrix value = sotto_tape_value(tape, rows);
  SOTTO_TRY(sotto_i_add_constant(out, &value, o->constant, err));
  (void)sotto_i_rows_to_finite(out); /* a release that fails would reveal a node's features */
done:
  sotto_tape_free(tape);
  sotto_matrix_free(&map);
  return status;
}

static sotto_status release_of(sotto_release **out, const sotto_i_job *job, const sotto_pmp_plan *plan,
                               const sotto_graph *graph, const sotto_i_release_request *request,
                               sotto_error *err) {
  sotto_dataset data = *job->data;
  sotto_i_job planned = *job;
  data.graph = *graph;
  planned.plan = plan;
  planned.data = &data;
  return sotto_i_job_release(out, &planned, request, err);
}

sotto_status sotto_i_vesper_node_data(sotto_i_session *session, sotto_error *err) {
  sotto_i_data_party *party = session->own;
  const sotto_i_job *job = party->shared->job;
  sotto_status status;
  sotto_matrix rows = {0};
  sotto_graph none = {0};
  sotto_release *made[release_count] = {NULL, NULL};
  plans p;
  SOTTO_TRY(plans_new(&p, job, err));
  SOTTO_TRY(project_features(&rows, party->shared, err));
  SOTTO_TRY(sotto_graph_from_pairs(&none, job->data->graph.nodes, NULL, NULL, 0, err));
  for (uint64_t i = 0; i < release_count; i++) {
    const sotto_i_release_request request = {.inputs = &rows, .round = i, .item = i};
    SOTTO_TRY(release_of(&made[i], job, &p.of[i], i == own_rows ? &none : &job->data->graph, &request, err));
  }
  SOTTO_TRY(sotto_link_send_release(party->link, "rows", made[own_rows], 1, err));
  for (uint32_t k = 1; k <= job->plan->options.layers; k++)
    SOTTO_TRY(sotto_link_send_release(party->link, "layer", made[layers], k, err));
done:
  for (int i = 0; i < release_count; i++) sotto_release_free(made[i]);
  sotto_graph_free(&none);
  sotto_matrix_free(&rows);
  return status;
}

static sotto_status receive_releases(sotto_matrix *shown, const sotto_i_label_party *party, uint32_t count,
                                     sotto_error *err) {
  const sotto_i_job *job = party->shared->job;
  sotto_status status = SOTTO_OK;
  for (uint32_t k = 0; k < count; k++) {
    const sotto_expectation expected = {.name = k == 0 ? "rows" : "layer",
                                        .kind = SOTTO_WIRE_RELEASE,
                                        .rows = job->data->graph.nodes,
                                        .cols = sotto_i_released_width(job->options),
                                        .row_norm = job->plan->options.raw ? 0 : 1};
    SOTTO_TRY(sotto_matrix_new(&shown[k], expected.rows, expected.cols, err));
    SOTTO_TRY(sotto_link_receive(party->link, &shown[k], &expected, err));
  }
done:
  return status;
}

/* A decoder on the first `count` released matrices. */
static sotto_status train_decoder(sotto_quality *validation, sotto_quality *test, sotto_i_decoder *decoder,
                                  sotto_params *params, const sotto_matrix *shown, uint32_t count,
                                  const sotto_i_vesper *c, sotto_error *err) {
  const sotto_options *o = c->job->options;
  sotto_status status;
  sotto_i_stage stage = {.job = c->job, .name = count == 1 ? "encoder" : "decoder", .epochs = o->epochs};
  SOTTO_TRY(
      sotto_i_decoder_new(decoder, params, o, count, shown[0].cols, 0, c->job->data->classes, &c->key, err));
  SOTTO_TRY(sotto_i_decoder_read(decoder, shown, NULL, c->parted, err));
  sotto_i_task task = sotto_i_decoder_task(decoder, params, c->parted, &c->key);
  task.labels_hidden = c->reported.flip > 0;
  SOTTO_TRY(sotto_i_fit_and_measure(validation, test, &task, &stage, err));
done:
  sotto_i_decoder_free(decoder);
  return status;
}

/* The quality without edges is that of a decoder on the noisy own rows alone, which is not stored. */
sotto_status sotto_i_vesper_node_label(sotto_i_session *session, sotto_error *err) {
  sotto_i_label_party *party = session->own;
  const sotto_i_vesper *c = party->shared;
  const uint32_t count = c->job->plan->options.layers + 1;
  sotto_status status;
  sotto_i_decoder alone;
  sotto_params *scratch = NULL;
  sotto_matrix *shown = NULL;
  SOTTO_TRY(sotto_i_new(&shown, count, sizeof *shown, err));
  SOTTO_TRY(receive_releases(shown, party, count, err));
  SOTTO_TRY(sotto_params_new(&scratch, err));
  SOTTO_TRY(
      train_decoder(&party->baseline_validation, &party->baseline_test, &alone, scratch, shown, 1, c, err));
  SOTTO_TRY(
      train_decoder(&party->validation, &party->test, &party->decoder, party->params, shown, count, c, err));
done:
  for (uint32_t k = 0; shown != NULL && k < count; k++) sotto_matrix_free(&shown[k]);
  sotto_i_free(shown);
  sotto_params_free(scratch);
  return status;
}
