/* What one more aggregate over the private graph after the last noise shows, as the public code of Zheng et
 * al. 2026 makes it: to the audit, and in the accuracy that such a release reports. */
#include <math.h>

#include "base/file.h"
#include "check.h"
#include "faults/extra_hop.h"
#include "inside/pmp.h"
#include "ledgers.h"
#include "sotto/audit.h"
#include "sotto/methods.h"

enum { trials = 8000, layers = 2 };
static const double stated = 1, delta = 0.01;

/* Two nodes with opposite rows, without the edge and with it: the hop makes the rows equal. */
static void draw(double *values, const sotto_contractive_plan *plan, bool second, bool hop) {
  static const uint64_t with[] = {0, 1, 2}, without[] = {0, 0, 0};
  static const uint32_t ends[] = {1, 0};
  const sotto_graph graph = {
      .nodes = 2, .entries = second ? 2 : 0, .offsets = second ? with : without, .targets = ends};
  float rows[2] = {1, -1};
  const sotto_matrix x = {.rows = 2, .cols = 1, .data = rows};
  sotto_key key;
  for (int i = 0; i < trials; i++) {
    sotto_release *release;
    sotto_key_system(&key);
    CHECK_OK(sotto_contractive_release(&release, plan, &graph, &x, &key, "id", "run", "a test", NULL, &err));
    const float *last = sotto_release_layer(release, 1)->data;
    double gap = (double)last[1] - (double)last[0];
    values[i] = hop ? -fabs(gap) : gap;
    sotto_release_free(release);
  }
}

static double shown(bool hop) {
  static double values[2][trials];
  const sotto_contractive_options options = {
      .layers = layers, .contraction = 0.5, .graph_weight = 1, .residual = 1};
  sotto_contractive_plan plan;
  double lower;
  CHECK_OK(sotto_contractive_plan_new(&plan, &options, 2, 1, stated, delta, &err));
  check_plant_hop(hop);
  for (int second = 0; second < 2; second++) draw(values[second], &plan, second == 1, hop);
  check_plant_hop(false);
  CHECK_OK(sotto_audit_bound(&lower, values[0], values[1], trials, delta, &err));
  return lower;
}

/* The honest bound may be above by chance once in twenty times. */
static void the_audit_objects_to_a_hop_after_the_noise(void **state) {
  (void)state;
  double honest = shown(false), faulty = shown(true);
  (void)printf("  contractive, %d layers: stated 1, honest shows %.3f, with the hop %.3f\n", layers, honest,
               faulty);
  assert_true(honest <= stated || shown(false) <= stated);
  assert_true(faulty > 3 * stated);
}

static double accuracy(const sotto_dataset *data, bool hop, double *without_edges) {
  static const char *const settings[][2] = {
      {"method", "caribou"},  {"data", "computers"}, {"epsilon", "1"},         {"layers", "1"},
      {"contraction", "0.9"}, {"beta", "8"},         {"encoder-epochs", "20"}, {"epochs", "30"}};
  sotto_options options;
  sotto_result result;
  sotto_options_default(&options);
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    CHECK_OK(sotto_options_set(&options, settings[i][0], settings[i][1], &err));
  CHECK_OK(sotto_options_set(&options, "out", check_path(hop ? "hop" : "sound"), &err));
  CHECK_OK(sotto_options_set(&options, "ledger", check_new_ledger(check_path("ledger.db")), &err));
  CHECK_OK(sotto_i_make_folder(options.out, &err));
  sotto_options_resolve(&options);
  check_plant_hop(hop);
  CHECK_OK(sotto_train(&result, &options, data, NULL, NULL, &err));
  check_plant_hop(false);
  *without_edges = 100 * result.seeds[0].baseline_test.of[SOTTO_MEASURE_ACCURACY];
  double test = 100 * result.seeds[0].test.of[SOTTO_MEASURE_ACCURACY];
  sotto_result_free(&result);
  return test;
}

/* Trained longer (docs/privacy.md) it is 90.8 against 85.5; the paper has 91.9, the best of a grid. */
static void a_hop_after_the_noise_is_worth_points_that_no_noise_paid_for(void **state) {
  (void)state;
  const char *path = check_shared("data/npz/amazon_electronics_computers.npz");
  sotto_dataset data;
  double without_edges;
  if (path == NULL) skip();
  CHECK_OK(sotto_dataset_open(&data, path, NULL, &err));
  data.path = NULL; /* other tests and other days have other ledgers */
  double sound = accuracy(&data, false, &without_edges), faulty = accuracy(&data, true, &without_edges);
  (void)printf("  computers, epsilon 1: without edges %.1f, sound %.1f, with the hop %.1f\n", without_edges,
               sound, faulty);
  assert_true(faulty > sound + 3);
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_audit_objects_to_a_hop_after_the_noise),
      cmocka_unit_test(a_hop_after_the_noise_is_worth_points_that_no_noise_paid_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
