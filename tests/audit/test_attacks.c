/* Attacks on models that leak all, or nothing. */
#include <math.h>

#include "audit/statistics/audit.h"
#include "audit/statistics/pairs.h"
#include "check.h"
#include "inside/audit.h"
#include "inside/graph.h"
#include "sotto/generate.h"

/* A target: softmax of S X, or of X alone. */
typedef struct model {
  sotto_operator *spread; /* NULL: own features alone */
  sotto_matrix x;
} model;

static void softmax(sotto_matrix *m) {
  for (size_t i = 0; i < m->rows; i++) {
    float *row = m->data + i * m->cols, sum = 0;
    for (size_t j = 0; j < m->cols; j++) sum += row[j] = expf(row[j]);
    for (size_t j = 0; j < m->cols; j++) row[j] /= sum;
  }
}

static sotto_status answer_all(sotto_matrix *out, const model *m, sotto_error *err) {
  sotto_status status = sotto_matrix_new(out, m->x.rows, m->x.cols, err);
  if (status != SOTTO_OK) return status;
  if (m->spread == NULL)
    memcpy(out->data, m->x.data, m->x.rows * m->x.cols * sizeof(float));
  else
    status = sotto_operator_apply(m->spread, out, &m->x, err);
  softmax(out);
  return status;
}

static sotto_status ask(void *context, sotto_matrix *out, uint32_t node, const sotto_matrix *x,
                        const uint32_t *wanted, size_t count, sotto_error *err) {
  model *m = context;
  float was[16];
  sotto_matrix all = {0};
  size_t cols = m->x.cols, bytes = cols * sizeof(float);
  memcpy(was, m->x.data + node * cols, bytes);
  if (x != NULL) memcpy(m->x.data + node * cols, x->data, bytes);
  sotto_status status = answer_all(&all, m, err);
  memcpy(m->x.data + node * cols, was, bytes);
  if (status == SOTTO_OK) status = sotto_matrix_new(out, count, cols, err);
  for (size_t i = 0; status == SOTTO_OK && i < count; i++)
    memcpy(out->data + i * cols, all.data + wanted[i] * cols, bytes);
  sotto_matrix_free(&all);
  return status;
}

static sotto_dataset blocks(void) {
  const sotto_sbm_options options = {.nodes = 200,
                                     .classes = 4,
                                     .features = 8,
                                     .degree_inside = 6,
                                     .degree_outside = 1,
                                     .feature_signal = 1};
  sotto_dataset data;
  sotto_key key;
  sotto_key_public(&key, 9);
  CHECK_OK(sotto_generate_sbm(&data, &options, &key, &err));
  return data;
}

static void model_new(model *m, const sotto_dataset *data, bool leaks) {
  *m = (model){.spread = NULL};
  if (leaks) CHECK_OK(sotto_operator_new(&m->spread, &data->graph, SOTTO_AGGREGATOR_MEAN, 0, true, &err));
  CHECK_OK(sotto_matrix_new(&m->x, data->features.rows, data->features.cols, &err));
  memcpy(m->x.data, data->features.data, m->x.rows * m->x.cols * sizeof(float));
}

static void model_free(model *m) {
  sotto_operator_free(m->spread);
  sotto_matrix_free(&m->x);
}

static void attack(bool leaks, sotto_attack_result *linked, sotto_attack_result stolen[SOTTO_STEALINGS]) {
  sotto_dataset data = blocks();
  model m;
  sotto_matrix posteriors;
  sotto_link_options options = sotto_link_options_default();
  options.nodes = 120;
  options.pairs = 300;
  model_new(&m, &data, leaks);
  CHECK_OK(answer_all(&posteriors, &m, &err));
  const sotto_target target = {
      .context = &m, .graph = &data.graph, .features = &m.x, .posteriors = &posteriors, .ask = ask};
  CHECK_OK(sotto_i_attack_linkteller(linked, &target, &options, &(sotto_i_cells){0}, NULL, &err));
  CHECK_OK(sotto_attack_stealing(stolen, &target, &options, &err));
  sotto_matrix_free(&posteriors);
  model_free(&m);
  sotto_dataset_free(&data);
}

static void one_layer_tells_linkteller_every_edge(void **state) {
  (void)state;
  sotto_attack_result linked, stolen[SOTTO_STEALINGS];
  attack(true, &linked, stolen);
  (void)printf("  mean of neighbours: linkteller %.4f, precision %.3f; euclidean %.3f, known half %.3f\n",
               linked.auc, linked.precision, stolen[1].auc, stolen[SOTTO_STEALINGS - 1].auc);
  assert_true(linked.auc == 1 && linked.precision == 1 && linked.recall == 1 && linked.queries == 121);
  assert_true(stolen[0].auc > 0.6 && stolen[SOTTO_STEALINGS - 1].auc > 0.6);
}

/* Link stealing still gains: neighbours have like features, which is why its bound is not a test. */
static void own_features_alone_tell_linkteller_nothing(void **state) {
  (void)state;
  sotto_attack_result linked, stolen[SOTTO_STEALINGS];
  attack(false, &linked, stolen);
  (void)printf("  own features: linkteller %.4f; euclidean %.3f\n", linked.auc, stolen[1].auc);
  assert_true(linked.auc == 0.5 && linked.implied == 0 && linked.tpr_1 == 0);
  assert_true(stolen[1].auc > 0.5);
}

/* By hand. */
static void distances_have_their_known_values(void **state) {
  (void)state;
  static const float x[] = {0.5F, 0.3F, 0.2F}, y[] = {0.2F, 0.5F, 0.3F};
  static const double known[] = {0.18421053, 0.37416574, 1.5, 0.3, 0.3, 0.6, 0.87857143, 0.14};
  float found[SOTTO_STEALINGS - 1];
  sotto_i_stealing_distances(found, x, y, 3);
  for (size_t k = 0; k < SOTTO_STEALINGS - 1; k++) CHECK_NEAR((double)found[k], known[k], 1e-6);
}

/* Members get peaked posteriors, others flat ones, up to chance. */
static void fake(sotto_matrix *p, uint8_t *members, size_t rows, double gap, sotto_i_random *random) {
  CHECK_OK(sotto_matrix_new(p, rows, 5, &err));
  for (size_t i = 0; i < rows; i++) {
    members[i] = (uint8_t)sotto_i_random_below(random, 2);
    for (size_t j = 0; j < 5; j++) p->data[i * 5 + j] = (float)(sotto_i_random_normal(random) * 0.3);
    p->data[i * 5 + sotto_i_random_below(random, 5)] += (float)(1 + gap * members[i]);
  }
  softmax(p);
}

static void members_are_told_by_their_confidence(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_matrix target, shadow;
  uint8_t in_target[400], in_shadow[400];
  sotto_attack_result net, entropy;
  fake(&target, in_target, 400, 1.5, &random);
  fake(&shadow, in_shadow, 400, 1.5, &random);
  const sotto_membership attacked = {&target, in_target}, known = {&shadow, in_shadow};
  CHECK_OK(sotto_attack_node_mia(&net, &attacked, &known, 1, 0, &err));
  CHECK_OK(sotto_attack_entropy(&entropy, &attacked, 0, &err));
  (void)printf("  peaked posteriors: perceptron %.3f, entropy %.3f\n", net.auc, entropy.auc);
  assert_true(net.auc > 0.85 && entropy.auc > 0.85);
  sotto_matrix_free(&target);
  fake(&target, in_target, 400, 0, &random);
  CHECK_OK(sotto_attack_node_mia(&net, &attacked, &known, 1, 0, &err));
  (void)printf("  alike posteriors: perceptron %.3f\n", net.auc);
  assert_true(fabs(net.auc - 0.5) < 0.17); /* six deviations */
  sotto_matrix_free(&target);
  sotto_matrix_free(&shadow);
}

/* Each example has a level of its own, far from the others': only ratios see through it. */
static void likelihood_ratios_see_through_the_level_of_each_example(void **state) {
  (void)state;
  enum { models = 16, examples = 100 };
  static double confidence[models * examples];
  static uint8_t members[models * examples];
  sotto_i_random random = check_random();
  sotto_attack_result found[2];
  for (int leaks = 0; leaks < 2; leaks++) {
    for (int j = 0; j < examples; j++) {
      double level = 30 * sotto_i_random_normal(&random);
      for (int i = 0; i < models; i++) {
        members[i * examples + j] = (uint8_t)sotto_i_random_below(&random, 2);
        confidence[i * examples + j] =
            level + sotto_i_random_normal(&random) + (leaks ? 2 * members[i * examples + j] : 0);
      }
    }
    CHECK_OK(sotto_attack_lira(&found[leaks], confidence, members, models, examples, 0, &err));
  }
  (void)printf("  lira: %.3f without a leak, %.3f with one\n", found[0].auc, found[1].auc);
  assert_true(fabs(found[0].auc - 0.5) < 0.09 && found[1].auc > 0.85);
  CHECK_FAILS(SOTTO_RANGE, "shadows",
              sotto_attack_lira(&found[0], confidence, members, 3, examples, 0, &err));
}

static void options_out_of_range_are_refused_by_name(void **state) {
  (void)state;
  sotto_dataset data = blocks();
  const sotto_target target = {.graph = &data.graph};
  sotto_attack_result r;
  sotto_link_options o = sotto_link_options_default();
  o.nodes = 3;
  CHECK_FAILS(SOTTO_RANGE, "sample",
              sotto_i_attack_linkteller(&r, &target, &o, &(sotto_i_cells){0}, NULL, &err));
  o = sotto_link_options_default();
  o.step = 0;
  CHECK_FAILS(SOTTO_RANGE, "step",
              sotto_i_attack_linkteller(&r, &target, &o, &(sotto_i_cells){0}, NULL, &err));
  o = sotto_link_options_default();
  o.belief = 0;
  CHECK_FAILS(SOTTO_RANGE, "belief",
              sotto_i_attack_linkteller(&r, &target, &o, &(sotto_i_cells){0}, NULL, &err));
  const sotto_canary canary = {.statistics = 9};
  sotto_canary_result c;
  CHECK_FAILS(SOTTO_RANGE, "statistics",
              sotto_i_audit_canary(&c, &canary, 1000, &(sotto_i_cells){0}, NULL, &err));
  CHECK_FAILS(SOTTO_RANGE, "trials", sotto_i_audit_canary(&c, &canary, 10, &(sotto_i_cells){0}, NULL, &err));
  sotto_dataset_free(&data);
}

/* What one failing allocation gives; every call that fails so must say it. */
static void check_failures(const char *what,
                           sotto_status (*call)(const sotto_target *target, sotto_error *err),
                           const sotto_target *target) {
  (void)sotto_i_memory_fail_at(0);
  sotto_error first = {0};
  if (call(target, &first) != SOTTO_OK) fail_msg("%s: %s", what, first.text);
  uint64_t count = sotto_i_memory_fail_at(0), few = count < 40 ? count : 30;
  for (uint64_t nth = 1; nth <= count; nth += nth < few ? 1 : count / 10 + 1) {
    sotto_error err = {0};
    (void)sotto_i_memory_fail_at(nth);
    sotto_status status = call(target, &err);
    (void)sotto_i_memory_fail_at(0);
    if (status != SOTTO_NOMEM) fail_msg("%s, allocation %llu: %s", what, (unsigned long long)nth, err.text);
  }
}

static sotto_link_options few_pairs(void) {
  sotto_link_options o = sotto_link_options_default();
  o.nodes = 60;
  o.pairs = 60;
  return o;
}

static sotto_status tell(const sotto_target *target, sotto_error *err) {
  const sotto_link_options o = few_pairs();
  sotto_attack_result r;
  return sotto_i_attack_linkteller(&r, target, &o, &(sotto_i_cells){0}, NULL, err);
}

static sotto_status steal(const sotto_target *target, sotto_error *err) {
  const sotto_link_options o = few_pairs();
  sotto_attack_result r[SOTTO_STEALINGS];
  return sotto_attack_stealing(r, target, &o, err);
}

static sotto_status receive(const sotto_target *target, sotto_error *err) {
  const sotto_link_options o = few_pairs();
  sotto_attack_result r;
  const sotto_received from = {.layers = target->posteriors, .count = 1, .graph = target->graph};
  return sotto_attack_received(&r, &from, 1, &o, err);
}

static void every_allocation_that_fails_is_reported(void **state) {
  (void)state;
  sotto_dataset data = blocks();
  model m;
  sotto_matrix posteriors;
  model_new(&m, &data, true);
  CHECK_OK(answer_all(&posteriors, &m, &err));
  const sotto_target target = {
      .context = &m, .graph = &data.graph, .features = &m.x, .posteriors = &posteriors, .ask = ask};
  check_failures("linkteller", tell, &target);
  check_failures("stealing", steal, &target);
  check_failures("received", receive, &target);
  sotto_matrix_free(&posteriors);
  model_free(&m);
  sotto_dataset_free(&data);
}

/* Rows that were added along an edge point along each other. */
static void received_rows_show_what_was_added_to_them(void **state) {
  (void)state;
  sotto_dataset data = blocks();
  sotto_matrix layers[2];
  sotto_operator *sum;
  sotto_attack_result with, without, twice;
  const sotto_link_options o = few_pairs();
  sotto_i_random random = check_random();
  CHECK_OK(sotto_operator_new(&sum, &data.graph, SOTTO_AGGREGATOR_SUM, 0, false, &err));
  for (int k = 0; k < 2; k++) CHECK_OK(sotto_matrix_new(&layers[k], 200, 64, &err));
  for (size_t i = 0; i < 200 * 64; i++) layers[0].data[i] = (float)sotto_i_random_normal(&random);
  CHECK_OK(sotto_operator_apply(sum, &layers[1], &layers[0], &err));
  const sotto_received both = {.layers = layers, .count = 2, .graph = &data.graph},
                       one = {.layers = layers, .count = 1, .graph = &data.graph},
                       none = {.layers = layers, .count = 0, .graph = &data.graph};
  CHECK_OK(sotto_attack_received(&with, &both, 1, &o, &err));
  CHECK_OK(sotto_attack_received(&without, &one, 1, &o, &err));
  const sotto_received same[2] = {both, both}, mixed[2] = {both, one};
  CHECK_OK(sotto_attack_received(&twice, same, 2, &o, &err)); /* pairs of several graphs together */
  assert_int_equal(twice.members, 2 * with.members);
  CHECK_NEAR(twice.auc, with.auc, 1e-9);
  CHECK_OK(sotto_attack_received(&twice, mixed, 2, &o, &err));
  assert_true(twice.auc < with.auc);
  (void)printf("  released sums: %.3f; rows alone: %.3f\n", with.auc, without.auc);
  assert_true(with.auc > 0.95 && fabs(without.auc - 0.5) < 0.3);
  CHECK_FAILS(SOTTO_INVALID, "no layer", sotto_attack_received(&with, &none, 1, &o, &err));
  CHECK_FAILS(SOTTO_INVALID, "no layer", sotto_attack_received(&with, &both, 0, &o, &err));
  layers[1].cols = 32;
  CHECK_FAILS(SOTTO_INVALID, "layer 1", sotto_attack_received(&with, &both, 1, &o, &err));
  for (int k = 0; k < 2; k++) sotto_matrix_free(&layers[k]);
  sotto_operator_free(sum);
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_layer_tells_linkteller_every_edge),
      cmocka_unit_test(own_features_alone_tell_linkteller_nothing),
      cmocka_unit_test(distances_have_their_known_values),
      cmocka_unit_test(members_are_told_by_their_confidence),
      cmocka_unit_test(likelihood_ratios_see_through_the_level_of_each_example),
      cmocka_unit_test(received_rows_show_what_was_added_to_them),
      cmocka_unit_test(every_allocation_that_fails_is_reported),
      cmocka_unit_test(options_out_of_range_are_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
