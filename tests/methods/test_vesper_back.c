/* The data party's step between releases: its gradient is the slope of a plain function in double precision,
 * and that function is what the header says. */
#include <math.h>

#include "check.h"
#include "inside/nn.h"
#include "inside/pmp.h"
#include "made_run.h"
#include "methods/vesper/vesper.h"
#include "small_graph.h"
#include "tensor/blas/norm.h"

enum { nodes = 20, columns = 4, width = 3, layers = 2, training = 7, hidden = 5 };

typedef struct setting {
  sotto_aggregator aggregator;
  bool weights, constant;
} setting;

/* All that a step reads. */
typedef struct scene {
  sotto_options options;
  sotto_graph graph;
  sotto_matrix features, gradients;
  sotto_release *release;
  uint32_t rows[training];
  sotto_i_job job;
  sotto_i_vesper shared;
  sotto_i_data_party party;
} scene;

static size_t released(const scene *s) {
  return width + (s->options.constant > 0 ? 1 : 0);
}

static void add_weights(scene *s, sotto_i_random *random) {
  size_t cols = released(s);
  for (uint32_t k = 0; k < layers; k++) {
    char name[20];
    (void)snprintf(name, sizeof name, "layer%u", k);
    CHECK_OK(sotto_params_add(s->party.params, &s->party.weights[k], name, cols, cols, SOTTO_INIT_ZERO, true,
                              &s->shared.key, &err));
    sotto_matrix *weight = sotto_params_value(s->party.params, s->party.weights[k]);
    for (size_t i = 0; i < cols * cols; i++) weight->data[i] = 0.3F * (float)sotto_i_random_normal(random);
  }
}

static void scene_new(scene *s, const setting *how, sotto_i_random *random) {
  sotto_pmp_plan plan;
  sotto_key key;
  *s = (scene){.party = {.params = NULL}};
  sotto_options_default(&s->options);
  check_set(&s->options, "activation", "tanh");
  check_set(&s->options, "learning-rate", "0.01");
  s->options.hidden = hidden;
  s->options.release_width = width;
  s->options.constant = how->constant ? 2 : 0;
  s->options.layers = layers;
  s->options.layer_weights = how->weights;
  s->options.releases = 2;
  s->graph = check_random_graph(random, nodes, 40);
  s->features = check_random_matrix(random, nodes, columns);
  s->job = (sotto_i_job){.options = &s->options};
  s->shared = (sotto_i_vesper){
      .job = &s->job, .data_features = s->features, .data_rows = sotto_i_row_source_of(&s->features)};
  sotto_key_public(&s->shared.key, sotto_i_random_u64(random));
  s->party.shared = &s->shared;
  for (uint32_t i = 0; i < training; i++) s->rows[i] = 2 * i;
  s->party.split.count[SOTTO_PART_TRAIN] = training;
  s->party.split.rows[SOTTO_PART_TRAIN] = s->rows;
  CHECK_OK(sotto_params_new(&s->party.params, &err));
  CHECK_OK(sotto_i_encoder_new(&s->party.encoder, s->party.params, "encoder", &s->options, columns,
                               &s->shared.key, &err));
  if (how->weights) add_weights(s, random);
  const sotto_pmp_options pmp = {
      .aggregator = how->aggregator, .layers = layers, .degree_floor = 3, .self = true, .raw = true};
  CHECK_OK(sotto_pmp_plan_new(&plan, &pmp, nodes, released(s), 2, 1e-6, &err));
  sotto_key_insecure(&key, sotto_i_random_u64(random));
  sotto_matrix inputs = check_random_matrix(random, nodes, released(s));
  CHECK_OK(sotto_release_new(&s->release, &plan, &s->graph, &inputs, &key, "i", "r", "", NULL, &err));
  sotto_matrix_free(&inputs);
  s->gradients = check_random_matrix(random, training, released(s) * (layers + 1));
}

static void scene_free(scene *s) {
  sotto_params_free(s->party.params);
  sotto_release_free(s->release);
  sotto_matrix_free(&s->features);
  sotto_matrix_free(&s->gradients);
  sotto_graph_free(&s->graph);
}

/* Parameter `at` of the set's number `which`, in double precision. */
typedef struct moved {
  size_t which, at;
  double by;
} moved;

static double value_of(const scene *s, const moved *m, size_t which, size_t at) {
  double value = (double)sotto_params_value(s->party.params, which)->data[at];
  return value + (m->which == which && m->at == at ? m->by : 0);
}

/* tanh(x W + b) through the encoder's layers, for one node. */
static void encode(double *out, const scene *s, const moved *m, uint32_t node) {
  const sotto_mlp *mlp = &s->party.encoder;
  double x[8], y[8];
  for (size_t j = 0; j < columns; j++) x[j] = (double)s->features.data[node * columns + j];
  for (size_t l = 0; l < mlp->options.layers; l++) {
    size_t in = mlp->options.widths[l], to = mlp->options.widths[l + 1];
    for (size_t j = 0; j < to; j++) {
      y[j] = value_of(s, m, mlp->linear[l].bias, j);
      for (size_t i = 0; i < in; i++) y[j] += x[i] * value_of(s, m, mlp->linear[l].weight, i * to + j);
      y[j] = tanh(y[j]);
    }
    memcpy(x, y, sizeof x);
  }
  memcpy(out, x, sizeof x);
}

/* The own row's part of a layer: its row scaled to norm 1, times the weight, times the weight of the own row
 * at a degree of at most the floor (3): 1 in a sum, 1/4 else. */
static void own_part(double *out, const scene *s, const moved *m, uint32_t k, const double *row) {
  size_t cols = released(s);
  double square = 0,
         own = sotto_release_plan(s->release)->options.aggregator == SOTTO_AGGREGATOR_SUM ? 1 : 0.25;
  for (size_t j = 0; j < cols; j++) square += row[j] * row[j];
  for (size_t j = 0; j < cols; j++) {
    out[j] = 0;
    for (size_t i = 0; i < cols; i++)
      out[j] += own * row[i] / sqrt(square) *
                (s->options.layer_weights ? value_of(s, m, s->party.weights[k - 1], i * cols + j) : i == j);
  }
}

/* Sum over training nodes and layers of <gradient, y_k>; layer k is what was released plus what the own row's
 * part has changed by since. */
static double objective(const scene *s, const moved *m) {
  const moved none = {SIZE_MAX, 0, 0};
  size_t cols = released(s);
  double total = 0;
  for (size_t v = 0; v < training; v++) {
    const float *slope = s->gradients.data + v * cols * (layers + 1);
    double row[8], before[8], now[8], then[8];
    encode(row, s, m, s->rows[v]);
    encode(before, s, &none, s->rows[v]);
    row[width] = before[width] = s->options.constant;
    for (size_t j = 0; j < cols; j++) total += (double)slope[j] * row[j];
    for (uint32_t k = 1; k <= layers; k++) {
      const float *shown = sotto_release_layer(s->release, k)->data + s->rows[v] * cols;
      own_part(now, s, m, k, row);
      own_part(then, s, &none, k, before);
      for (size_t j = 0; j < cols; j++) {
        row[j] = (double)shown[j] + now[j] - then[j];
        before[j] = (double)shown[j];
        total += (double)slope[k * cols + j] * row[j];
      }
    }
  }
  return total;
}

/* Compares the gradients that a step leaves with central differences taken before it; `fault` is added to one
 * of the released layers in between. */
static bool step_is_right(const setting *how, float fault, sotto_i_random *random, char *why, size_t size) {
  const double step = 1e-5;
  scene s;
  bool right = true;
  scene_new(&s, how, random);
  size_t sets = sotto_params_count(s.party.params);
  double slopes[16][32];
  for (size_t p = 0; p < sets; p++) {
    const sotto_matrix *value = sotto_params_value(s.party.params, p);
    assert_true(value->rows * value->cols <= 32);
    for (size_t at = 0; at < value->rows * value->cols; at++) {
      const moved up = {p, at, step}, down = {p, at, -step};
      slopes[p][at] = (objective(&s, &up) - objective(&s, &down)) / (2 * step);
    }
  }
  float *shown = sotto_release_layer(s.release, 1)->data;
  for (size_t j = 0; j < released(&s); j++) shown[s.rows[0] * released(&s) + j] += fault * (float)j;
  CHECK_OK(sotto_i_vesper_step_back(&s.party, s.release, &s.gradients, &err));
  for (size_t p = 0; p < sets && right; p++) {
    const sotto_matrix *got = sotto_params_gradient(s.party.params, p);
    for (size_t at = 0; at < got->rows * got->cols && right; at++) {
      double wanted = slopes[p][at], off = fabs((double)got->data[at] - wanted);
      right = off <= 2e-4 * fmax(1, fabs(wanted));
      if (!right)
        (void)snprintf(why, size, "%s, number %zu: gradient %.7g, differences %.7g",
                       sotto_params_name(s.party.params, p), at, (double)got->data[at], wanted);
    }
  }
  scene_free(&s);
  return right;
}

static const setting settings[] = {
    {SOTTO_AGGREGATOR_SUM, false, false}, {SOTTO_AGGREGATOR_SUM, true, false},
    {SOTTO_AGGREGATOR_GCN, true, true},   {SOTTO_AGGREGATOR_MEAN, false, true},
    {SOTTO_AGGREGATOR_SUM, true, true},
};
enum { setting_count = sizeof settings / sizeof *settings };

static void gradients_that_flow_back_are_slopes_of_own_rows(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  char why[200];
  for (int round = 0; round < 10; round++)
    for (size_t i = 0; i < setting_count; i++)
      if (!step_is_right(&settings[i], 0, &random, why, sizeof why)) fail_msg("setting %zu: %s", i, why);
}

/* The check is not blind: a layer other than the one that was released is seen, where weights read it. */
static void a_layer_that_was_not_released_would_be_seen(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  char why[200];
  assert_false(step_is_right(&settings[1], 0.5F, &random, why, sizeof why));
  assert_false(step_is_right(&settings[2], 0.5F, &random, why, sizeof why));
}

/* The graph takes no part: with other edges, and the same releases and gradients, the step is the same. */
static void the_step_does_not_read_the_graph(void **state) {
  (void)state;
  sotto_i_random random = check_random(), again = random;
  scene s[2];
  scene_new(&s[0], &settings[4], &random);
  scene_new(&s[1], &settings[4], &again);
  sotto_dataset data = {.graph = s[1].graph};
  s[1].job.data = &data; /* which the other has not: reading it there would crash */
  for (int i = 0; i < 2; i++)
    CHECK_OK(sotto_i_vesper_step_back(&s[i].party, s[i].release, &s[i].gradients, &err));
  for (size_t p = 0; p < sotto_params_count(s[0].party.params); p++) {
    const sotto_matrix *a = sotto_params_value(s[0].party.params, p);
    const sotto_matrix *b = sotto_params_value(s[1].party.params, p);
    assert_memory_equal(a->data, b->data, a->rows * a->cols * sizeof(float));
  }
  scene_free(&s[0]);
  scene_free(&s[1]);
}

/* After a step the weights between layers are bounded again, by their largest singular value. */
static void weights_are_bounded_after_a_step(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  scene s;
  scene_new(&s, &settings[2], &random);
  for (uint32_t k = 0; k < layers; k++) {
    sotto_matrix *weight = sotto_params_value(s.party.params, s.party.weights[k]);
    for (size_t i = 0; i < weight->rows * weight->cols; i++) weight->data[i] *= 20;
  }
  CHECK_OK(sotto_i_vesper_step_back(&s.party, s.release, &s.gradients, &err));
  for (uint32_t k = 0; k < layers; k++) {
    double norm;
    CHECK_OK(sotto_i_operator_norm(&norm, sotto_params_value(s.party.params, s.party.weights[k]), &err));
    assert_true(norm <= 1 && norm > 0.99);
  }
  scene_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_that_flow_back_are_slopes_of_own_rows),
      cmocka_unit_test(a_layer_that_was_not_released_would_be_seen),
      cmocka_unit_test(the_step_does_not_read_the_graph),
      cmocka_unit_test(weights_are_bounded_after_a_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
