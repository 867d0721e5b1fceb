/* Releases of rows that are floored at 0: what is added up, what it costs, and that a file says so. */
#include <math.h>

#include "base/file.h"
#include "check.h"
#include "dp/noise/noise.h"
#include "inside/pmp.h"
#include "made_release.h"
#include "pmp/release.h"
#include "small_graph.h"

enum { nodes = 40, cols = 3 };

static sotto_pmp_options options_of(uint32_t layers, bool nonnegative) {
  sotto_pmp_options options = check_release_options(SOTTO_AGGREGATOR_SUM, layers, SOTTO_ACTIVATION_NONE);
  options.self = false;
  options.protection =
      (sotto_protection){.level = SOTTO_LEVEL_NODE, .most = nodes, .row_clip = 3, .nonnegative = nonnegative};
  return options;
}

/* By hand: row v of `from`, its values below 0 set to 0, at norm 1, added to `sum`. */
static void add_floored(double *sum, const sotto_matrix *from, uint64_t v) {
  double row[cols], square = 0;
  for (size_t j = 0; j < cols; j++) {
    row[j] = from->data[v * cols + j] > 0 ? from->data[v * cols + j] : 0;
    square += row[j] * row[j];
  }
  for (size_t j = 0; j < cols && square > 0; j++) sum[j] += row[j] / sqrt(square);
}

/* Layer k, less its noise, is the sum of the floored rows of the layer before, cut to the clip. */
static void hold_layer(const sotto_release *release, const sotto_graph *graph, const sotto_matrix *from,
                       uint32_t k, const sotto_key *key) {
  const sotto_matrix *layer = sotto_release_layer(release, k);
  const sotto_pmp_plan *plan = sotto_release_plan(release);
  const double step = plan->grid.step, clip = plan->options.protection.row_clip;
  for (uint64_t v = 0; v < nodes; v++) {
    double sum[cols] = {0}, square = 0;
    int32_t noise[cols];
    for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++)
      add_floored(sum, from, graph->targets[e]);
    for (size_t j = 0; j < cols; j++) square += sum[j] * sum[j];
    sotto_i_noise_steps(noise, cols, plan->grid.sigma / step, key, k, v);
    for (size_t j = 0; j < cols; j++)
      CHECK_NEAR(layer->data[v * cols + j], sum[j] * fmin(1, clip / sqrt(square)) + noise[j] * step, 1e-4);
  }
}

/* Noise leaves values below 0 in the first layer: they are shown, and are no part of the second. */
static void every_layer_adds_up_rows_without_a_value_below_0(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, nodes, 90);
  sotto_matrix x = check_random_matrix(&random, nodes, cols);
  sotto_pmp_options options = options_of(2, true);
  sotto_pmp_plan plan;
  sotto_key key;
  size_t below = 0;
  options.raw = true;
  sotto_key_insecure(&key, 1);
  CHECK_OK(sotto_pmp_plan_new(&plan, &options, nodes, cols, 2, 1e-6, &err));
  sotto_release *release = check_release(&plan, &graph, &x, 1);
  const sotto_matrix *first = sotto_release_layer(release, 1);
  for (size_t i = 0; i < nodes * cols; i++) below += first->data[i] < 0;
  assert_true(below > nodes * cols / 4);
  hold_layer(release, &graph, &x, 1, &key);
  hold_layer(release, &graph, first, 2, &key);
  sotto_release_free(release);
  sotto_matrix_free(&x);
  sotto_graph_free(&graph);
}

static void noise_falls_by_the_root_of_2_at_most(void **state) {
  (void)state;
  for (int own = 0; own < 2; own++) {
    double sensitivity[2];
    for (int sign = 0; sign < 2; sign++) {
      sotto_pmp_options options = options_of(1, sign != 0);
      sotto_pmp_plan plan;
      if (own != 0)
        options.protection = (sotto_protection){.level = SOTTO_LEVEL_ROW, .nonnegative = sign != 0};
      CHECK_OK(sotto_pmp_plan_new(&plan, &options, nodes, cols, 4, 1e-6, &err));
      sensitivity[sign] = plan.sensitivity;
    }
    CHECK_NEAR(sensitivity[1], own != 0 ? sqrt(2) : sqrt(2.0 * 9 + 2 * nodes), 1e-3);
    assert_true(sensitivity[0] > 1.2 * sensitivity[1] && sensitivity[0] < 1.4143 * sensitivity[1]);
  }
}

static void other_levels_and_contractive_releases_refuse_it(void **state) {
  (void)state;
  sotto_pmp_options options = options_of(1, true);
  sotto_pmp_plan plan;
  options.protection.level = SOTTO_LEVEL_EDGE;
  CHECK_FAILS(SOTTO_INVALID, "at node level alone",
              sotto_pmp_plan_new(&plan, &options, nodes, cols, 1, 1e-6, &err));
  const sotto_contractive_options contractive = {
      .layers = 1, .degree_floor = nodes, .contraction = 0.5, .protection = options_of(1, true).protection};
  sotto_contractive_plan made;
  CHECK_FAILS(SOTTO_INVALID, "contractive",
              sotto_contractive_plan_new(&made, &contractive, nodes, cols, 1, 1e-6, &err));
}

/* The header says which rows were added up: another program's plan, or an older file, does not pass for it.
 */
static void a_file_serves_no_plan_of_other_rows(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, nodes, 90);
  sotto_matrix x = check_random_matrix(&random, nodes, cols);
  const sotto_i_receipt *none = NULL;
  static const uint32_t versions[] = {3, 4};
  for (int sign = 0; sign < 2; sign++) {
    const sotto_pmp_options options = options_of(2, sign != 0), others = options_of(2, sign == 0);
    const char *path = check_path("release");
    sotto_pmp_plan plan, other;
    sotto_release *back;
    sotto_i_map map;
    CHECK_OK(sotto_pmp_plan_new(&plan, &options, nodes, cols, 4, 1e-6, &err));
    CHECK_OK(sotto_pmp_plan_new(&other, &others, nodes, cols, 4, 1e-6, &err));
    sotto_release *release = check_release(&plan, &graph, &x, 1);
    CHECK_OK(sotto_release_save(release, path, &err));
    CHECK_OK(sotto_i_map_open(&map, path, &err));
    assert_memory_equal(map.data + 8, &versions[sign], sizeof versions[sign]);
    sotto_i_map_close(&map);
    CHECK_OK(sotto_release_load(&back, path, &err));
    assert_true(sotto_release_plan(back)->options.protection.nonnegative == (sign != 0));
    sotto_release_free(back);
    CHECK_FAILS(SOTTO_INVALID, sign != 0 ? "sums of nonnegative rows" : "sums of signed rows",
                sotto_i_release_load_charged(&back, path, &other, none, false, &err));
    sotto_release_free(release);
  }
  sotto_matrix_free(&x);
  sotto_graph_free(&graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_layer_adds_up_rows_without_a_value_below_0),
      cmocka_unit_test(noise_falls_by_the_root_of_2_at_most),
      cmocka_unit_test(other_levels_and_contractive_releases_refuse_it),
      cmocka_unit_test(a_file_serves_no_plan_of_other_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
