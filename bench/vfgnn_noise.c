/* What noise does to the rows that a holder of vfgnn publishes: mean squared error of a row (of norm 1) under
 * the Gaussian mechanism, and after James-Stein shrinkage, for each epsilon under both accountings.
 *   bench_vfgnn_noise planetoid:cora [DELTA [ROUNDS]]   prints CSV */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "inside/dp.h"
#include "inside/nn.h"
#include "inside/tensor.h"
#include "methods/vfgnn/vfgnn.h"

static sotto_error err;

static void need(sotto_status status) {
  if (status == SOTTO_OK) return;
  (void)fprintf(stderr, "bench_vfgnn_noise: %s\n", err.text);
  exit(status == SOTTO_NOT_FOUND ? 77 : 1);
}

static void set(sotto_options *o, const char *key, const char *value) {
  need(sotto_options_set(o, key, value, &err));
}

/* Rows of the first of two holders before training: its half of the columns, its half of the edges. */
static sotto_matrix publish(const sotto_dataset *data, const sotto_options *o) {
  const sotto_vertical how = {.holders = 2, .share = {0.5, 0.5}, .features = true, .edges = true};
  const sotto_i_job job = {.options = o, .data = data, .seed = 1};
  sotto_i_vfgnn shared = {.job = &job, .holders = 2, .nodes = data->graph.nodes, .width = o->hidden};
  sotto_dataset parts[2];
  sotto_i_vfgnn_local local;
  sotto_matrix features, out;
  sotto_tape *tape;
  sotto_key_public(&shared.key, 1);
  need(sotto_split_vertical(parts, data, &how, &shared.key, &err));
  need(sotto_i_scaled_features(&features, o, &parts[0], &err));
  need(sotto_i_vfgnn_local_new(&local, &shared, 0, &parts[0].graph, features.cols, &err));
  need(sotto_tape_new(&tape, &err));
  sotto_var first = sotto_tape_matmul(tape, sotto_tape_constant(tape, &features),
                                      sotto_params_var(local.params, local.first, tape));
  sotto_var rows = sotto_i_vfgnn_local_apply(&local, tape, first, true);
  need(sotto_tape_copy(&out, tape, rows, &err));
  sotto_tape_free(tape);
  sotto_i_vfgnn_local_free(&local);
  sotto_matrix_free(&features);
  for (int i = 0; i < 2; i++) sotto_dataset_free(&parts[i]);
  return out;
}

static double squared_error(const sotto_matrix *a, const sotto_matrix *b) {
  double sum = 0;
  for (size_t i = 0; i < a->rows * a->cols; i++) sum += pow((double)a->data[i] - b->data[i], 2);
  return sum / (double)a->rows;
}

/* Means over rounds of fresh noise: as it came, shrunk as in theorem 3.1, and with the positive part. */
static void measure(double mean[3], const sotto_matrix *rows, double sigma, unsigned rounds) {
  sotto_grid grid;
  sotto_key key;
  sotto_matrix noisy;
  sotto_key_system(&key);
  need(sotto_grid_new(&grid, sigma, &err));
  need(sotto_matrix_new(&noisy, rows->rows, rows->cols, &err));
  for (unsigned round = 0; round < rounds; round++)
    for (int kind = 0; kind < 3; kind++) {
      memcpy(noisy.data, rows->data, rows->rows * rows->cols * sizeof(float));
      need(sotto_grid_add_noise(&noisy, &grid, &key, round, &err));
      if (kind > 0) need(sotto_james_stein(&noisy, grid.sigma, kind == 2, &err));
      mean[kind] += squared_error(&noisy, rows) / rounds;
    }
  sotto_key_wipe(&key);
  sotto_matrix_free(&noisy);
}

int main(int argc, char **argv) {
  static const char *const accountings[] = {"sound", "paper"};
  sotto_options o;
  sotto_dataset data;
  unsigned rounds = argc > 3 ? (unsigned)atoi(argv[3]) : 3;
  if (argc < 2) {
    (void)fprintf(stderr, "usage: bench_vfgnn_noise DATA [DELTA [ROUNDS]]\n");
    return 2;
  }
  need(sotto_dataset_open(&data, argv[1], NULL, &err));
  (void)printf("accounting,epsilon,sigma,gaussian,james_stein,positive_part\n");
  for (int a = 0; a < 2; a++)
    for (int epsilon = 1; epsilon <= 64; epsilon *= 2) {
      char number[16];
      double mean[3] = {0};
      sotto_i_release_plan plan;
      sotto_options_default(&o);
      (void)snprintf(number, sizeof number, "%d", epsilon);
      set(&o, "method", "vfgnn");
      set(&o, "initial", "individually");
      set(&o, "delta", argc > 2 ? argv[2] : "1e-4");
      set(&o, "epsilon", number);
      set(&o, "accounting", accountings[a]);
      if (a == 0) set(&o, "epochs", "50");
      sotto_options_resolve(&o);
      need(sotto_i_vfgnn_plan(&plan, &o, &data.graph, &err));
      sotto_matrix rows = publish(&data, &o);
      measure(mean, &rows, plan.layers.grid.sigma, rounds);
      (void)printf("%s,%d,%.6g,%.6g,%.6g,%.6g\n", accountings[a], epsilon, plan.layers.grid.sigma, mean[0],
                   mean[1], mean[2]);
      sotto_matrix_free(&rows);
    }
  sotto_dataset_free(&data);
  return 0;
}
