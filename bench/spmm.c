/* Sparse times dense, one product for each line on stdin: prints its milliseconds. Driven by spmm.py, which
 * runs other libraries in between. Also measures what the memory of the machine can do.
 *
 *   bench_spmm GRAPH X Y WIDTH KIND   GRAPH: raw nodes, entries, offsets (u64), targets (u32); X, Y: raw
 * float32 bench_spmm bandwidth BYTES        GB/s of all threads reading that many bytes over and over */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/threads.h"
#include "inside/graph.h"
#include "sotto/graph.h"

static void give_up(const sotto_error *err) {
  (void)fprintf(stderr, "bench_spmm: %s\n", err->text);
  exit(1);
}

#define OR_GIVE_UP(call)                                                                                     \
  do {                                                                                                       \
    if ((call) != SOTTO_OK) give_up(&err);                                                                   \
  } while (0)

typedef struct reading {
  const uint64_t *words;
  _Atomic uint64_t total;
} reading;

static void read_words(void *context, size_t begin, size_t end) {
  reading *r = context;
  uint64_t sum[8] = {0};
  for (size_t i = begin; i < end; i += 8)
    for (size_t j = 0; j < 8; j++) sum[j] += r->words[i + j];
  for (size_t j = 1; j < 8; j++) sum[0] += sum[j];
  r->total += sum[0];
}

static void bandwidth(size_t bytes) {
  sotto_error err = {0};
  reading r = {0};
  uint64_t *words = NULL;
  size_t count = bytes / 64 * 8, grain = count / 16 / 8 * 8 + 8;
  OR_GIVE_UP(sotto_i_new(&words, count, sizeof *words, &err));
  for (size_t i = 0; i < count; i++) words[i] = i;
  r.words = words;
  double best = 1e9;
  for (int round = 0; round < 30; round++) {
    double start = sotto_i_seconds();
    for (int i = 0; i < 4; i++) sotto_i_parallel(count, grain, read_words, &r);
    double seconds = (sotto_i_seconds() - start) / 4;
    if (seconds < best) best = seconds;
  }
  printf("%.2f\n", (double)count * 8 / best / 1e9);
  sotto_i_free(words);
}

static sotto_graph open_graph(sotto_i_map *map, const char *path) {
  sotto_error err = {0};
  OR_GIVE_UP(sotto_i_map_open(map, path, &err));
  const uint64_t *words = (const uint64_t *)(const void *)map->data;
  sotto_graph graph = {.nodes = words[0], .entries = words[1], .offsets = words + 2};
  graph.targets = (const uint32_t *)(graph.offsets + graph.nodes + 1);
  OR_GIVE_UP(sotto_graph_check(&graph, &err));
  return graph;
}

static sotto_matrix new_matrix(size_t rows, size_t cols) {
  sotto_error err = {0};
  sotto_matrix m = {NULL, rows, cols};
  OR_GIVE_UP(sotto_i_new(&m.data, rows * cols, sizeof(float), &err));
  return m;
}

static void products(const char *graph_path, const char *x_path, const char *y_path, size_t width,
                     const char *kind_name) {
  sotto_error err = {0};
  sotto_i_map graph_map, x_map;
  sotto_operator *op = NULL;
  sotto_graph graph = open_graph(&graph_map, graph_path);
  bool gcn = strcmp(kind_name, "gcn") == 0;
  sotto_matrix x = new_matrix(graph.nodes, width), y = new_matrix(graph.nodes, width);
  OR_GIVE_UP(sotto_i_map_open(&x_map, x_path, &err));
  memcpy(x.data, x_map.data, graph.nodes * width * sizeof(float));
  OR_GIVE_UP(
      sotto_operator_new(&op, &graph, gcn ? SOTTO_AGGREGATOR_GCN : SOTTO_AGGREGATOR_SUM, 0, gcn, &err));
  OR_GIVE_UP(sotto_operator_apply(op, &y, &x, &err));
  OR_GIVE_UP(sotto_i_write_file(y_path, y.data, graph.nodes * width * sizeof(float), &err));
  printf("ready, %s kernels, %u threads\n", sotto_kernels(), sotto_threads());
  (void)fflush(stdout);
  while (getchar() != EOF) {
    double start = sotto_i_seconds();
    OR_GIVE_UP(sotto_operator_apply(op, &y, &x, &err));
    printf("%.6f\n", (sotto_i_seconds() - start) * 1e3);
    (void)fflush(stdout);
  }
  sotto_operator_free(op);
  sotto_i_free(x.data);
  sotto_i_free(y.data);
  sotto_i_map_close(&x_map);
  sotto_i_map_close(&graph_map);
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "bandwidth") == 0) {
    bandwidth(strtoull(argv[2], NULL, 10));
    return 0;
  }
  if (argc != 6) {
    (void)fprintf(stderr, "usage: bench_spmm GRAPH X Y WIDTH KIND | bench_spmm bandwidth BYTES\n");
    return 2;
  }
  products(argv[1], argv[2], argv[3], strtoull(argv[4], NULL, 10), argv[5]);
  return 0;
}
