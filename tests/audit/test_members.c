/* Attacks on membership: nodes that no model has seen are not told apart by membership, and are by their
 * edges. */
#include "audit/members.h"

#include <math.h>
#include <string.h>

#include "audit/shadow.h"
#include "base/memory.h"
#include "check.h"
#include "inside/audit.h"
#include "inside/graph.h"
#include "made_run.h"
#include "sotto/audit.h"
#include "sotto/generate.h"

enum { nodes = 1800, third = nodes / 3 };

static sotto_dataset blocks(void) {
  const sotto_sbm_options options = {.nodes = nodes,
                                     .classes = 3,
                                     .features = 8,
                                     .degree_inside = 4,
                                     .degree_outside = 0.5,
                                     .feature_signal = 1.5};
  sotto_dataset data;
  sotto_key key;
  sotto_key_public(&key, 5);
  CHECK_OK(sotto_generate_sbm(&data, &options, &key, &err));
  return data;
}

static sotto_dataset part_of(const sotto_dataset *data, uint64_t first, uint64_t step, uint64_t count,
                             uint32_t *taken) {
  sotto_dataset part;
  for (uint64_t i = 0; i < count; i++) taken[i] = (uint32_t)(first + i * step);
  CHECK_OK(sotto_dataset_take(&part, data, taken, count, "part", &err));
  return part;
}

static sotto_options options_of(const char *method, const char *epsilon) {
  static const char *const shared[] = {"encoder-epochs", "25",   "epochs", "25",   "hidden", "16",
                                       "data",           "made", "delta",  "1e-4", NULL};
  sotto_options o;
  sotto_options_default(&o);
  check_set(&o, "method", method);
  if (strcmp(method, "gnn") == 0) check_set(&o, "aggregator", "gcn");
  if (epsilon != NULL) check_set(&o, "epsilon", epsilon);
  check_set_own(&o, shared);
  sotto_options_resolve(&o);
  return o;
}

static sotto_attack_result by_entropy(const sotto_matrix *posteriors, const uint8_t *members) {
  const sotto_membership known = {posteriors, members};
  sotto_attack_result out;
  CHECK_OK(sotto_attack_entropy(&out, &known, 1e-4, &err));
  return out;
}

/* The model is trained on every third node alone. Of the others every second one is called a member, which
 * none is: whatever parts the two is no membership. */
static void judge(const char *method, const char *epsilon, sotto_attack_result *same,
                  sotto_attack_result *usual) {
  sotto_dataset data = blocks();
  static uint32_t trained[third], unseen[2 * third], inside[third];
  static uint8_t role[2 * third];
  char folder[SOTTO_I_SCRATCH] = "";
  sotto_i_members m = {.members = NULL};
  for (uint32_t i = 0, count = 0; i < nodes; i++)
    if (i % 3 != 0) unseen[count++] = i;
  sotto_dataset seen = part_of(&data, 0, 3, third, trained), whole;
  CHECK_OK(sotto_dataset_take(&whole, &data, unseen, 2 * (size_t)third, "unseen", &err));
  sotto_dataset part = part_of(&whole, 0, 2, third, inside);
  for (uint32_t i = 0; i < 2 * third; i++) role[i] = i % 2 == 0 ? SOTTO_I_MEMBER : SOTTO_I_OTHER;
  const sotto_options o = options_of(method, epsilon);
  CHECK_OK(sotto_i_scratch_train(folder, &o, &seen, 1, NULL, &err));
  CHECK_OK(sotto_i_members_ask(&m, folder, &o, &whole, &part, inside, role, false, &err));
  sotto_i_scratch_end(folder);
  assert_int_equal(m.same.rows, 2 * third);
  *same = by_entropy(&m.same, m.members);
  *usual = by_entropy(&m.usual, m.members);
  (void)printf(
      "  %s, nodes that were not trained on: AUC %.3f (%.3f to %.3f); by the usual comparison %.3f\n", method,
      same->auc, same->auc_low, same->auc_high, usual->auc);
  sotto_i_members_free(&m);
  sotto_dataset_free(&part);
  sotto_dataset_free(&whole);
  sotto_dataset_free(&seen);
  sotto_dataset_free(&data);
}

/* Within four standard errors of 1/2, half of the 95% interval being two. */
static void assert_blind(const sotto_attack_result *r) {
  assert_true(fabs(r->auc - 0.5) < (double)(r->auc_high - r->auc_low));
}

static void nodes_that_were_not_trained_on_are_told_apart_by_their_edges_alone(void **state) {
  (void)state;
  static const struct {
    const char *method, *epsilon;
    bool tells;
  } runs[] = {{"gnn", NULL, true}, {"sage", NULL, true}, {"gap", "8", false}};
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    sotto_attack_result same, usual;
    judge(runs[i].method, runs[i].epsilon, &same, &usual);
    assert_blind(&same);
    assert_true(same.auc != usual.auc);
    assert_true(!runs[i].tells || usual.auc_low > 0.5 || usual.auc_high < 0.5);
  }
}

/* Without edges there is nothing to correct. */
static void a_model_that_reads_no_edge_answers_both_ways_alike(void **state) {
  (void)state;
  sotto_attack_result same, usual;
  judge("mlp", NULL, &same, &usual);
  assert_blind(&same);
  assert_true(same.auc == usual.auc);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nodes_that_were_not_trained_on_are_told_apart_by_their_edges_alone),
      cmocka_unit_test(a_model_that_reads_no_edge_answers_both_ways_alike),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
