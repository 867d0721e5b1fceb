/* A release at scale: SUM, noisy layers of a dataset that is mapped from its file.
 *
 *   bench_release make PATH NODES EDGES COLS   a power-law graph with features, saved to PATH
 *   bench_release run PATH LAYERS [OUT]        the release of its features, written to OUT if named
 *
 * `run` prints one line of CSV: entries, seconds of the release, seconds of the floor, their ratio, the most
 * memory the process ever held (as the system counts it, mapped pages too) in MB, that of graph and features,
 * and their ratio. The floor is what no release of this form can do without: each layer reads the row of
 * every entry once, in the order of the graph, here into a sum in single precision that is not kept. Without
 * OUT layers are dropped as they are made. Recorded are also the bare product in exact integers, and the
 * noise, of as many layers. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/memory.h"
#include "base/progress.h"
#include "base/threads.h"
#include "graph/kernels/exact_sum.h"
#include "inside/pmp.h"
#include "pmp/release.h"
#include "record.h"
#include "sotto/generate.h"

#define OR_GIVE_UP(call)                                                                                     \
  do {                                                                                                       \
    sotto_error err = {0};                                                                                   \
    if ((call) != SOTTO_OK) {                                                                                \
      (void)fprintf(stderr, "bench_release: %s\n", err.text);                                                \
      exit(1);                                                                                               \
    }                                                                                                        \
  } while (0)

enum { rows_a_range = 1024, most_cols = 1024, ahead = 8 };

typedef struct gather {
  const sotto_dataset *data;
  _Atomic int64_t sink; /* so that nothing is left out */
} gather;

static void gather_rows(void *context, size_t begin, size_t end) {
  gather *g = context;
  const sotto_graph *graph = &g->data->graph;
  const size_t cols = g->data->features.cols;
  const float *x = g->data->features.data;
  float sum[most_cols] = {0};
  for (uint64_t e = graph->offsets[begin]; e < graph->offsets[end]; e++) {
    const float *row = x + (size_t)graph->targets[e] * cols;
    if (e + ahead < graph->entries)
      for (size_t j = 0; j < cols; j += 16)
        __builtin_prefetch(x + (size_t)graph->targets[e + ahead] * cols + j);
    for (size_t j = 0; j < cols; j++) sum[j] += row[j];
  }
  for (size_t j = 0; j < cols; j++) g->sink += sum[j] > 0;
}

static double floor_seconds(const sotto_dataset *data) {
  gather g = {.data = data};
  double start = sotto_i_seconds();
  sotto_i_parallel(data->graph.nodes, rows_a_range, gather_rows, &g);
  return sotto_i_seconds() - start;
}

static void product_rows(void *context, size_t begin, size_t end) {
  gather *g = context;
  const sotto_i_scaled_rows rows = {
      .x = g->data->features.data, .common = 0x1p20F, .cols = g->data->features.cols};
  int64_t sum[most_cols];
  for (size_t v = begin; v < end; v++) {
    sotto_i_exact_sum_scaled(sum, &g->data->graph, v, &rows);
    __asm__ volatile("" : : "m"(sum));
  }
}

static double product_seconds(const sotto_dataset *data) {
  gather g = {.data = data};
  const double start = sotto_i_seconds();
  sotto_i_parallel(data->graph.nodes, rows_a_range, product_rows, &g);
  return sotto_i_seconds() - start;
}

static double noise_seconds(const sotto_dataset *data, double sigma, const sotto_key *key) {
  sotto_matrix x;
  sotto_grid grid;
  OR_GIVE_UP(sotto_grid_new(&grid, sigma, &err));
  OR_GIVE_UP(sotto_matrix_new(&x, data->features.rows, data->features.cols, &err));
  const double start = sotto_i_seconds();
  OR_GIVE_UP(sotto_grid_add_noise(&x, &grid, key, 1, &err));
  const double seconds = sotto_i_seconds() - start;
  sotto_matrix_free(&x);
  return seconds;
}

/* Apart from the release, so that its memory is the release's. */
static void record_parts(const sotto_dataset *data, const sotto_pmp_plan *plan, const sotto_key *key,
                         double seconds) {
  const double layers = plan->options.layers, product = product_seconds(data) * layers;
  char name[80];
  (void)snprintf(name, sizeof name, "release, %zu columns", data->features.cols);
  bench_record(name, seconds, "s", (bench_bound){product, "the bare product in exact integers"});
  (void)snprintf(name, sizeof name, "noise of a release, %zu columns", data->features.cols);
  bench_record(name, noise_seconds(data, plan->grid.sigma, key) * layers, "s", (bench_bound){0});
}

static sotto_status drop(void *context, const float *values, size_t count, sotto_error *err) {
  (void)context, (void)values, (void)count, (void)err;
  return SOTTO_OK;
}

static int run(const char *path, uint32_t layers, const char *to) {
  const sotto_pmp_options options = {.aggregator = SOTTO_AGGREGATOR_SUM, .layers = layers};
  const sotto_i_release_sink nowhere = {.take = drop};
  sotto_dataset data;
  sotto_pmp_plan plan;
  sotto_key key;
  sotto_release *release = NULL;
  struct rusage used;
  OR_GIVE_UP(sotto_dataset_open(&data, path, NULL, &err));
  if (data.features.cols > most_cols) return 2;
  OR_GIVE_UP(sotto_pmp_plan_new(&plan, &options, data.graph.nodes, data.features.cols, 1, 1e-7, &err));
  sotto_key_system(&key);
  double floor = floor_seconds(&data) * layers, start = sotto_i_seconds();
  if (to != NULL)
    OR_GIVE_UP(sotto_release_write(&release, to, &plan, &data.graph, &data.features, &key, "bench", "bench",
                                   "bench", NULL, &err));
  else
    OR_GIVE_UP(sotto_i_release_layers(&plan, &data.graph, &data.features, &key, &nowhere, NULL, &err));
  double seconds = sotto_i_seconds() - start;
  (void)getrusage(RUSAGE_SELF, &used);
  double held = (double)used.ru_maxrss / 1024;
  double needed = ((double)data.graph.entries * 4 + (double)(data.graph.nodes + 1) * 8 +
                   (double)data.graph.nodes * (double)data.features.cols * 4) /
                  (1024.0 * 1024);
  printf("%" PRIu64 ",%.4f,%.4f,%.2f,%.0f,%.0f,%.2f\n", data.graph.entries, seconds, floor, seconds / floor,
         held, needed, held / needed);
  char name[80];
  (void)snprintf(name, sizeof name, "memory of a release, %zu columns", data.features.cols);
  bench_record(name, held, "MB", (bench_bound){needed, "graph and features"});
  record_parts(&data, &plan, &key, seconds);
  sotto_release_free(release);
  sotto_key_wipe(&key);
  sotto_dataset_free(&data);
  return 0;
}

static int make(const char *path, uint64_t nodes, uint64_t edges, uint32_t cols) {
  const sotto_powerlaw_options options = {.nodes = nodes, .edges = edges, .features = cols, .exponent = 2.5};
  sotto_dataset data;
  sotto_key key;
  struct rusage used;
  sotto_key_insecure(&key, 1);
  double start = sotto_i_seconds();
  OR_GIVE_UP(sotto_generate_powerlaw(&data, &options, &key, &err));
  double made = sotto_i_seconds();
  OR_GIVE_UP(sotto_dataset_save(&data, path, &err));
  (void)getrusage(RUSAGE_SELF, &used);
  (void)fprintf(stderr, "made %" PRIu64 " entries in %.1f s, saved in %.1f s, at most %ld MB\n",
                data.graph.entries, made - start, sotto_i_seconds() - made, used.ru_maxrss / 1024);
  sotto_dataset_free(&data);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 6 && strcmp(argv[1], "make") == 0)
    return make(argv[2], strtoull(argv[3], NULL, 10), strtoull(argv[4], NULL, 10),
                (uint32_t)strtoul(argv[5], NULL, 10));
  if ((argc == 4 || argc == 5) && strcmp(argv[1], "run") == 0)
    return run(argv[2], (uint32_t)strtoul(argv[3], NULL, 10), argc == 5 ? argv[4] : NULL);
  (void)fprintf(stderr, "usage: bench_release make PATH NODES EDGES COLS | run PATH LAYERS [OUT]\n");
  return 2;
}
