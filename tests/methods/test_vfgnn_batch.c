/* Mini-batches of vfgnn: which nodes a step is over, that one step is the full batch, and what they cost. */
#include <math.h>

#include "check.h"
#include "made_run.h"
#include "methods/vfgnn/vfgnn.h"
#include "sotto/generate.h"

static sotto_dataset make_data(uint64_t nodes) {
  const sotto_sbm_options sbm = {.nodes = nodes,
                                 .classes = 3,
                                 .features = 12,
                                 .degree_inside = 16,
                                 .degree_outside = 4,
                                 .feature_signal = 1.5};
  return check_communities(&sbm);
}

static sotto_result run(const sotto_dataset *data, const char *name, const char *size, const char *initial,
                        const char *epsilon) {
  sotto_options o = check_options("vfgnn", name);
  check_set(&o, "hidden", "8");
  check_set(&o, "layers", "2");
  check_set(&o, "epochs", "25");
  check_set(&o, "patience", "0");
  check_set(&o, "learning-rate", "0.01");
  check_set(&o, "publication", "rows");
  check_set(&o, "epsilon", epsilon);
  check_set(&o, "max-degree", "60");
  check_set(&o, "insecure-seed", "5");
  check_set(&o, "initial", initial);
  check_set(&o, "batch-size", size);
  return check_run(&o, data);
}

/* Every node is in one step of an epoch, with its place in its part's list; steps are as large as agreed on;
 * another party comes to the same, another epoch to other steps. */
static void the_steps_of_an_epoch_part_the_nodes(void **state) {
  (void)state;
  enum { nodes = 103, size = 7 };
  sotto_dataset data = make_data(nodes);
  sotto_split split;
  sotto_key key;
  sotto_i_vfgnn_batch batch, other;
  size_t same = 0;
  uint32_t first[nodes];
  sotto_key_public(&key, 3);
  CHECK_OK(sotto_split_random(&split, &data, 0.3, 0.2, &key, &err));
  CHECK_OK(sotto_i_vfgnn_batch_new(&batch, &split, nodes, size, false, &key, &err));
  CHECK_OK(sotto_i_vfgnn_batch_new(&other, &split, nodes, size, false, &key, &err));
  assert_int_equal(batch.steps, (split.count[SOTTO_PART_TRAIN] + size - 1) / size);
  for (uint64_t epoch = 0; epoch < 3; epoch++) {
    size_t seen[nodes] = {0};
    for (size_t step = 0; step < batch.steps; step++) {
      size_t members = 0;
      sotto_i_vfgnn_batch_go(&batch, epoch, step);
      sotto_i_vfgnn_batch_go(&other, epoch, step);
      assert_int_equal(batch.number, epoch * batch.steps + step);
      assert_memory_equal(batch.rows, other.rows, batch.count * sizeof *batch.rows);
      assert_in_range(batch.members[SOTTO_PART_TRAIN], 1, size);
      for (int part = SOTTO_PART_NONE; part <= SOTTO_PART_TEST; part++) {
        members += batch.members[part];
        for (size_t i = 0; i < batch.members[part] && part > 0; i++)
          assert_int_equal(batch.rows[batch.at[part][i]], split.rows[part][batch.member[part][i]]);
      }
      assert_int_equal(members, batch.count);
      for (size_t i = 0; i < batch.count; i++) seen[batch.rows[i]]++;
      for (size_t i = 0; i < batch.count && epoch == 0; i++) first[batch.rows[i]] = (uint32_t)step;
      for (size_t i = 0; i < batch.count && epoch > 0; i++) same += first[batch.rows[i]] == step;
    }
    for (size_t v = 0; v < nodes; v++) assert_int_equal(seen[v], 1);
  }
  assert_true(same < nodes); /* of 2 * 103; a fifth by chance */
  sotto_i_vfgnn_batch_free(&batch);
  sotto_i_vfgnn_batch_free(&other);
  sotto_split_free(&split);
  sotto_dataset_free(&data);
}

/* A narrow step has training and validation nodes, and lists those that train. */
static void narrow_steps_pass_over_the_other_nodes(void **state) {
  (void)state;
  enum { nodes = 103 };
  sotto_dataset data = make_data(nodes);
  sotto_split split;
  sotto_key key;
  sotto_i_vfgnn_batch batch;
  sotto_key_public(&key, 3);
  CHECK_OK(sotto_split_random(&split, &data, 0.3, 0.2, &key, &err));
  CHECK_OK(sotto_i_vfgnn_batch_new(&batch, &split, nodes, 0, true, &key, &err));
  sotto_i_vfgnn_batch_go(&batch, 1, 0);
  assert_false(sotto_i_vfgnn_batch_whole(&batch));
  assert_int_equal(batch.count, split.count[SOTTO_PART_TRAIN] + split.count[SOTTO_PART_VALIDATION]);
  assert_int_equal(batch.members[SOTTO_PART_TEST], 0);
  for (size_t i = 0; i < split.count[SOTTO_PART_TRAIN]; i++) {
    assert_int_equal(batch.trained[i], split.rows[SOTTO_PART_TRAIN][batch.member[SOTTO_PART_TRAIN][i]]);
    assert_int_equal(batch.trained[i], batch.rows[batch.at[SOTTO_PART_TRAIN][i]]);
  }
  sotto_i_vfgnn_batch_free(&batch);
  sotto_split_free(&split);
  sotto_dataset_free(&data);
}

/* 300 nodes have 210 that train: a step over as many is the full batch. */
static void a_batch_of_everything_is_the_full_batch(void **state) {
  (void)state;
  static const char *const initials[] = {"individually", "collaboratively"};
  sotto_dataset data = make_data(300);
  for (size_t i = 0; i < 2; i++) {
    sotto_result all = run(&data, i == 0 ? "all-i" : "all-c", "0", initials[i], "inf");
    sotto_result batch = run(&data, i == 0 ? "batch-i" : "batch-c", "210", initials[i], "inf");
    sotto_result less = run(&data, i == 0 ? "less-i" : "less-c", "209", initials[i], "inf");
    /* shares round by chance, in the last of 20 bits */
    double slack = i == 0 ? 0 : 1e-3, a = all.seeds[0].test.of[SOTTO_MEASURE_AUC];
    print_message("%s: auc %.9g in one step, %.9g in a step of all, %.9g in two\n", initials[i], a,
                  batch.seeds[0].test.of[SOTTO_MEASURE_AUC], less.seeds[0].test.of[SOTTO_MEASURE_AUC]);
    assert_true(fabs(a - batch.seeds[0].test.of[SOTTO_MEASURE_AUC]) <= slack);
    assert_true(fabs(a - less.seeds[0].test.of[SOTTO_MEASURE_AUC]) > slack);
    assert_int_equal(all.round_bytes, batch.round_bytes);
    sotto_result_free(&all);
    sotto_result_free(&batch);
    sotto_result_free(&less);
  }
  sotto_dataset_free(&data);
}

/* docs/vfgnn.md: W is masked, and its corrections are dealt, in each step; rows pass once an epoch. */
static void batches_learn_and_cost_what_the_formula_says(void **state) {
  (void)state;
  double I = 2, n = 300, f = 12, d = 8, t = 210, v = 30, P = 3;
  sotto_dataset data = make_data(300);
  sotto_result result = run(&data, "three", "70", "collaboratively", "inf");
  double wanted = 8 * (I * (I - 1) * (3 * f * d * P + n * d) + 5 * f * d * P) +
                  4 * (I * (I - 1) + 1) * n * d + 4 * (I * n * d + I * t * d + 2 * t * d + v * d + I + 1);
  print_message("accuracy %g, %llu bytes an epoch\n", result.seeds[0].test.of[SOTTO_MEASURE_ACCURACY],
                (unsigned long long)result.round_bytes);
  assert_true(result.seeds[0].test.of[SOTTO_MEASURE_ACCURACY] > 0.75);
  assert_true(fabs((double)result.round_bytes - wanted) <= 0.05 * wanted);
  sotto_result_free(&result);
  sotto_dataset_free(&data);
}

/* Steps of an epoch publish other rows each, and an edge is in one of them at most: one charge. */
static void an_epoch_of_steps_is_one_charge(void **state) {
  (void)state;
  sotto_dataset data = make_data(300);
  sotto_result result = run(&data, "charged", "70", "individually", "4");
  assert_true(result.private_edges && result.epsilon <= 4 * (1 + 1e-6) && result.epsilon > 3.99);
  assert_int_equal(result.spent.charges, 25);
  assert_int_equal(result.data_party.sent[SOTTO_WIRE_RELEASE], 25 * 2 * 300 * 8 * 4);
  sotto_result_free(&result);
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_steps_of_an_epoch_part_the_nodes),
      cmocka_unit_test(narrow_steps_pass_over_the_other_nodes),
      cmocka_unit_test(a_batch_of_everything_is_the_full_batch),
      cmocka_unit_test(batches_learn_and_cost_what_the_formula_says),
      cmocka_unit_test(an_epoch_of_steps_is_one_charge),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
