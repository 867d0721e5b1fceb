/* Attacks on membership of `best`, whose cross-fitting hides what its perceptrons memorised. A fault is
 * planted that shows it: the attacks must see the fault. Nodes whose labels no model had are told apart by
 * nothing. */
#include <math.h>

#include "audit/members.h"
#include "audit/shadow.h"
#include "base/file.h"
#include "check.h"
#include "faults/memorised.h"
#include "inside/audit.h"
#include "ledgers.h"
#include "made_run.h"
#include "sotto/attack.h"
#include "sotto/audit.h"

enum { nodes = 960, columns = 1200, third = nodes / 3 };

/* More features than nodes: a perceptron can memorise every label. */
static sotto_dataset blocks(void) {
  return check_communities(&(sotto_sbm_options){.nodes = nodes,
                                                .classes = 3,
                                                .features = columns,
                                                .degree_inside = 4,
                                                .degree_outside = 1,
                                                .feature_signal = 1.5});
}

static sotto_options exact_fit(void) {
  static const char *const settings[] = {
      "epsilon", "3",       "delta", "1e-4",         "hidden", "16", "encoder-epochs",
      "50",      "dropout", "0",     "weight-decay", "0",      NULL};
  sotto_options o = check_options("best", "exact-fit");
  check_set_own(&o, settings);
  sotto_options_resolve(&o);
  return o;
}

/* Every third node trains and every thirtieth validates. */
static uint8_t part_of(uint32_t node) {
  if (node % 3 == 0) return SOTTO_PART_TRAIN;
  return node % 30 == 1 ? SOTTO_PART_VALIDATION : SOTTO_PART_TEST;
}

/* Roles of the test nodes and of those that trained: as they are, or, of labels that no model had, one of two
 * test nodes a member. */
static uint8_t role_of(uint32_t node, bool unseen) {
  const uint8_t part = part_of(node);
  if (part == SOTTO_PART_VALIDATION || (unseen && part == SOTTO_PART_TRAIN)) return SOTTO_I_NEITHER;
  if (unseen) return node % 2 == 0 ? SOTTO_I_MEMBER : SOTTO_I_OTHER;
  return part == SOTTO_PART_TRAIN ? SOTTO_I_MEMBER : SOTTO_I_OTHER;
}

static sotto_attack_result judge(const char *folder, const sotto_options *o, const sotto_dataset *data,
                                 bool unseen) {
  static uint32_t all[nodes];
  static uint8_t role[nodes];
  sotto_i_members m = {.members = NULL};
  sotto_attack_result out;
  for (uint32_t v = 0; v < nodes; v++) {
    all[v] = v;
    role[v] = role_of(v, unseen);
  }
  CHECK_OK(sotto_i_members_ask(&m, folder, o, data, data, all, role, true, &err));
  assert_false(m.differs);
  CHECK_OK(sotto_attack_entropy(&out, &(sotto_membership){&m.same, m.members}, 1e-4, &err));
  (void)printf("  best, %s: AUC %.3f (%.3f to %.3f)\n", unseen ? "labels that it never had" : "its labels",
               out.auc, out.auc_low, out.auc_high);
  sotto_i_members_free(&m);
  return out;
}

static void nodes_whose_labels_best_never_had_are_not_told_apart(void **state) {
  (void)state;
  sotto_dataset data = blocks();
  static uint8_t split[nodes];
  char folder[SOTTO_I_SCRATCH] = "";
  sotto_options o = exact_fit();
  for (uint32_t v = 0; v < nodes; v++) split[v] = part_of(v);
  data.split = split;
  o.split = SOTTO_SPLITTING_PLANETOID;
  for (int planted = 0; planted < 2; planted++) {
    check_plant_memorised(planted != 0);
    CHECK_OK(sotto_i_scratch_train(folder, &o, &data, 1, NULL, &err));
    const sotto_attack_result seen = judge(folder, &o, &data, false), unseen = judge(folder, &o, &data, true);
    sotto_i_scratch_end(folder);
    /* within four standard errors of 1/2, half of the 95% interval being two */
    assert_true(fabs(unseen.auc - 0.5) < (double)(unseen.auc_high - unseen.auc_low));
    assert_true(seen.members == third && (seen.auc_low > 0.6) == (planted != 0));
  }
  check_plant_memorised(false);
  sotto_dataset_free(&data);
}

static double found(const sotto_options *o, const sotto_dataset *data, const char *attack, bool planted,
                    uint64_t seed) {
  sotto_audit_ask ask = sotto_audit_ask_default();
  sotto_findings f = {.count = 0};
  ask.link.seed = seed;
  check_plant_memorised(planted);
  CHECK_OK(sotto_attack(&f, o->out, data, attack, &ask, NULL, &err));
  check_plant_memorised(false);
  const sotto_attack_result *r = &f.items[0].attacked;
  (void)printf("  best, %s, %s: AUC %.3f (%.3f to %.3f)\n", planted ? "fault" : "no fault", attack, r->auc,
               r->auc_low, r->auc_high);
  assert_true(f.count == 1 && r->members == nodes / 4 * 8 / 10 && r->others == nodes / 4);
  return r->auc_low;
}

static void both_attacks_find_labels_that_best_memorised(void **state) {
  (void)state;
  sotto_dataset data = blocks();
  const sotto_options o = exact_fit();
  char path[1300];
  sotto_result result = check_run(&o, &data);
  sotto_result_free(&result);
  (void)snprintf(path, sizeof path, "%s/run.yaml", o.out);
  CHECK_OK(sotto_options_write(&o, path, &err));
  assert_true(found(&o, &data, "entropy", false, 1) <= 0.62 && found(&o, &data, "entropy", true, 1) > 0.62);
  /* A model of the attack from one shadow of so few nodes finds the fault in about every second training. */
  assert_true(found(&o, &data, "node-mia", false, 1) <= 0.62);
  uint64_t seed = 1;
  while (seed <= 12 && found(&o, &data, "node-mia", true, seed) <= 0.62) seed++;
  assert_true(seed <= 12);
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nodes_whose_labels_best_never_had_are_not_told_apart),
      cmocka_unit_test(both_attacks_find_labels_that_best_memorised),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
