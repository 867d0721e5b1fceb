/* Edges of the label party: what the data party sees follows from their noisy release alone. */
#include <math.h>

#include "base/file.h"
#include "check.h"
#include "inside/pmp.h"
#include "ledgers.h"
#include "made_run.h"
#include "methods/vesper/label_edges.h"
#include "run_files.h"
#include "small_graph.h"

enum { nodes = 120 };
static const double share = 0.5;

/* The same edges of the data party, and every other one of the label party's. */
static sotto_graph with_fewer_label_edges(const sotto_graph *graph) {
  sotto_graph data, label, out;
  uint32_t from[nodes * nodes], to[nodes * nodes];
  uint64_t count = 0, seen = 0;
  CHECK_OK(sotto_i_label_edges_part(&data, &label, graph, share, &err));
  for (uint32_t v = 0; v < nodes; v++) {
    for (uint64_t e = data.offsets[v]; e < data.offsets[v + 1]; e++) {
      from[count] = v;
      to[count++] = data.targets[e];
    }
    for (uint64_t e = label.offsets[v]; e < label.offsets[v + 1]; e++) {
      if (label.targets[e] < v || seen++ % 2 == 0) continue;
      from[count] = v;
      to[count++] = label.targets[e];
    }
  }
  CHECK_OK(sotto_graph_from_pairs(&out, nodes, from, to, count, &err));
  assert_true(out.entries < graph->entries);
  sotto_graph_free(&data);
  sotto_graph_free(&label);
  return out;
}

/* The last release of the data party, whose rows follow from what the label party sent. */
static sotto_release *train(const sotto_dataset *data, const char *folder) {
  static const char *const settings[][2] = {
      {"data", "d"},          {"publication", "layers"}, {"releases", "2"},     {"hidden", "6"},
      {"epochs", "6"},        {"encoder-epochs", "5"},   {"epsilon", "4"},      {"layer-weights", "true"},
      {"insecure-seed", "9"}, {"layers", "1"},           {"label-edges", "0.5"}};
  sotto_options o;
  sotto_result result;
  sotto_release *release;
  char path[300];
  sotto_options_default(&o);
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    check_set(&o, settings[i][0], settings[i][1]);
  (void)snprintf(path, sizeof path, "%s/ledger.db",
                 folder); /* of its own: a lent release has its charge's name */
  CHECK_OK(sotto_i_make_folder(folder, &err));
  check_set(&o, "ledger", check_new_ledger(path));
  check_set(&o, "out", folder);
  CHECK_OK(sotto_train(&result, &o, data, NULL, NULL, &err));
  assert_true(result.label_edges && result.label_edges_spent.charges >= 2);
  (void)snprintf(path, sizeof path, "%s/seed-1/release-2.bin", folder);
  CHECK_OK(sotto_release_load(&release, path, &err));
  sotto_result_free(&result);
  return release;
}

/* Another run's release of the label party's edges, as if the noise had come out so. */
static void lend_release(const char *from_folder, const char *to_folder) {
  char from[300], to[300];
  (void)snprintf(to, sizeof to, "%s/seed-1", to_folder);
  CHECK_OK(sotto_i_make_folder(to, &err));
  (void)snprintf(from, sizeof from, "%s/seed-1/label-release-1.bin", from_folder);
  (void)snprintf(to, sizeof to, "%s/seed-1/label-release-1.bin", to_folder);
  check_copy_artifact(from, to);
}

static bool data_party_sees_the_same(const char *name, bool lend) {
  char first[200], second[240];
  sotto_dataset data = check_labelled_graph(), other = check_labelled_graph();
  sotto_graph fewer = with_fewer_label_edges(&data.graph);
  sotto_dataset seen = other;
  seen.graph = fewer;
  seen.digest[0] ^= 1; /* another dataset to the ledger */
  (void)snprintf(first, sizeof first, "%s", check_path(name));
  (void)snprintf(second, sizeof second, "%s-other", first);
  sotto_release *a = train(&data, first);
  if (lend) lend_release(first, second);
  sotto_release *b = train(&seen, second);
  const sotto_matrix *x = sotto_release_layer(a, 0), *y = sotto_release_layer(b, 0);
  bool same = memcmp(x->data, y->data, x->rows * x->cols * sizeof(float)) == 0;
  sotto_release_free(a);
  sotto_release_free(b);
  sotto_graph_free(&fewer);
  sotto_dataset_free(&data);
  sotto_dataset_free(&other);
  return same;
}

static void what_the_data_party_gets_follows_from_the_label_partys_release(void **state) {
  (void)state;
  assert_true(data_party_sees_the_same("lent", true));
}

/* The check can fail: another release gives other gradients. */
static void another_release_of_the_label_party_shows(void **state) {
  (void)state;
  assert_false(data_party_sees_the_same("own", false));
}

/* With the same noise the two releases differ by what the edges changed: it is these edges that are released.
 */
static void the_label_partys_release_is_of_its_own_edges(void **state) {
  (void)state;
  sotto_dataset data = check_labelled_graph();
  sotto_graph parts[2];
  sotto_release *release;
  char path[300];
  sotto_release_free(train(&data, check_path("which")));
  (void)snprintf(path, sizeof path, "%s/seed-1/label-release-1.bin", check_path("which"));
  CHECK_OK(sotto_release_load(&release, path, &err));
  CHECK_OK(sotto_i_label_edges_part(&parts[0], &parts[1], &data.graph, share, &err));
  const sotto_matrix *z = sotto_release_layer(release, 0), *y = sotto_release_layer(release, 1);
  double sigma = sotto_release_plan(release)->grid.sigma, gaps[2] = {0, 0};
  for (int part = 0; part < 2; part++)
    for (uint64_t v = 0; v < nodes; v++)
      for (size_t j = 0; j < z->cols; j++) {
        double sum = (double)z->data[v * z->cols + j];
        for (uint64_t e = parts[part].offsets[v]; e < parts[part].offsets[v + 1]; e++)
          sum += (double)z->data[parts[part].targets[e] * z->cols + j];
        double gap = (double)y->data[v * z->cols + j] - sum;
        gaps[part] += gap * gap;
      }
  double values = (double)(z->rows * z->cols);
  /* The mean square of that much noise is its variance within six deviations. */
  assert_true(gaps[1] / values < sigma * sigma * (1 + 6 * sqrt(2 / values)));
  assert_true(gaps[0] > gaps[1]);
  for (int i = 0; i < 2; i++) sotto_graph_free(&parts[i]);
  sotto_release_free(release);
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_the_data_party_gets_follows_from_the_label_partys_release),
      cmocka_unit_test(another_release_of_the_label_party_shows),
      cmocka_unit_test(the_label_partys_release_is_of_its_own_edges),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
