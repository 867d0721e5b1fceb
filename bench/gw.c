/* Gromov-Wasserstein distances of pairs of graphs, for bench/gw.py, which runs POT on the same.
 *
 *   bench_gw DATA STARTS < pairs   each line "i j"; prints the value of each pair, then "seconds S" of all on
 * all threads with the preparation of their graphs, "processor P" of theirs, "self V" the share of graphs at
 * less than 1e-8 from a copy with its nodes in another order */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"
#include "base/progress.h"
#include "base/random.h"
#include "base/threads.h"
#include "gw/solve/side.h"

typedef struct job {
  sotto_gw_space *spaces;
  sotto_i_gw_side *sides;
  bool *needed; /* graphs that a pair has */
  size_t (*pairs)[2];
  double *values;
  sotto_gw_options options;
  uint64_t steps;
} job;

static void give_up(const sotto_error *err) {
  (void)fprintf(stderr, "bench_gw: %s\n", err->text);
  exit(1);
}

static void prepare(void *context, size_t begin, size_t end) {
  job *j = context;
  for (size_t g = begin; g < end; g++) {
    sotto_error err = {0};
    if (j->needed[g] &&
        sotto_i_gw_side_new(&j->sides[g], &j->spaces[g], "of a graph", &j->options, true, &err) != SOTTO_OK)
      give_up(&err);
  }
}

static void run(void *context, size_t begin, size_t end) {
  job *j = context;
  for (size_t i = begin; i < end; i++) {
    sotto_error err = {0};
    sotto_gw_result result;
    if (sotto_i_gw_distance(&result, NULL, &j->sides[j->pairs[i][0]], &j->sides[j->pairs[i][1]], &j->options,
                            &err) != SOTTO_OK)
      give_up(&err);
    j->values[i] = result.value;
  }
}

/* The graph of a collection, its nodes counted from 0; `targets` has room for its entries. */
static sotto_graph part(const sotto_dataset *data, size_t g, uint64_t *offsets, uint32_t *targets) {
  const uint64_t first = data->graph_first[g], last = data->graph_first[g + 1];
  sotto_graph out = {.nodes = last - first, .offsets = offsets, .targets = targets};
  for (uint64_t v = first; v <= last; v++)
    offsets[v - first] = data->graph.offsets[v] - data->graph.offsets[first];
  out.entries = offsets[out.nodes];
  for (uint64_t e = 0; e < out.entries; e++)
    targets[e] = data->graph.targets[data->graph.offsets[first] + e] - (uint32_t)first;
  return out;
}

static double self_share(const job *j, size_t count) {
  size_t good = 0;
  sotto_key key;
  sotto_key_public(&key, 1);
  for (size_t g = 0; g < count; g++) {
    const size_t n = j->spaces[g].points;
    sotto_error err = {0};
    sotto_i_random random;
    uint32_t order[1000];
    double *copy = NULL;
    if (sotto_i_new_raw(&copy, n * n, sizeof *copy, &err) != SOTTO_OK) give_up(&err);
    sotto_i_random_init(&random, &key, SOTTO_I_PURPOSE_TEST, 0, g);
    for (uint32_t i = 0; i < n; i++) order[i] = i;
    sotto_i_random_shuffle(&random, order, n);
    for (size_t i = 0; i < n; i++)
      for (size_t k = 0; k < n; k++) copy[i * n + k] = j->spaces[g].distance[order[i] * n + order[k]];
    const sotto_gw_space other = {.points = n, .distance = copy};
    sotto_gw_result self, moved;
    if (sotto_gw_distance(&self, NULL, &j->spaces[g], &j->spaces[g], &j->options, &err) != SOTTO_OK)
      give_up(&err);
    if (sotto_gw_distance(&moved, NULL, &j->spaces[g], &other, &j->options, &err) != SOTTO_OK) give_up(&err);
    good += self.value < 1e-8 && moved.value < 1e-8;
    sotto_i_free(copy);
  }
  return (double)good / (double)count;
}

int main(int argc, char **argv) {
  static size_t pairs[100000][2];
  static double values[100000];
  static uint64_t offsets[10001];
  static uint32_t targets[1000000];
  sotto_error err = {0};
  sotto_dataset data = {0};
  size_t count = 0;
  job j = {.pairs = pairs, .values = values, .options = sotto_gw_defaults()};
  if (argc != 3) return 2;
  j.options.starts = (uint32_t)atoi(argv[2]);
  if (sotto_dataset_open(&data, argv[1], NULL, &err) != SOTTO_OK) give_up(&err);
  while (count < 100000 && scanf("%zu %zu", &pairs[count][0], &pairs[count][1]) == 2) count++;
  if (sotto_i_new(&j.spaces, data.graph_count, sizeof *j.spaces, &err) != SOTTO_OK ||
      sotto_i_new(&j.sides, data.graph_count, sizeof *j.sides, &err) != SOTTO_OK ||
      sotto_i_new(&j.needed, data.graph_count, sizeof *j.needed, &err) != SOTTO_OK)
    give_up(&err);
  for (size_t i = 0; i < count; i++) j.needed[pairs[i][0]] = j.needed[pairs[i][1]] = true;
  const double begin = sotto_i_seconds();
  for (size_t g = 0; g < data.graph_count; g++) {
    const sotto_graph graph = part(&data, g, offsets, targets);
    double *distance = NULL;
    if (sotto_i_new_raw(&distance, graph.nodes * graph.nodes, sizeof *distance, &err) != SOTTO_OK ||
        sotto_gw_paths(distance, &graph, &err) != SOTTO_OK)
      give_up(&err);
    j.spaces[g] = (sotto_gw_space){.points = graph.nodes, .distance = distance};
  }
  const double middle = sotto_i_seconds();
  const clock_t before = clock();
  sotto_i_parallel(data.graph_count, 4, prepare, &j);
  sotto_i_parallel(count, 4, run, &j);
  const double seconds = sotto_i_seconds() - middle, spent = (double)(clock() - before) / CLOCKS_PER_SEC;
  for (size_t i = 0; i < count; i++) printf("%.17g\n", values[i]);
  printf("paths %.6f\nseconds %.6f\nprocessor %.6f\nself %.4f\n", middle - begin, seconds, spent,
         self_share(&j, data.graph_count));
  for (size_t g = 0; g < data.graph_count; g++) sotto_i_free((void *)(uintptr_t)j.spaces[g].distance);
  for (size_t g = 0; g < data.graph_count; g++) sotto_i_gw_side_free(&j.sides[g]);
  sotto_i_free(j.spaces);
  sotto_i_free(j.sides);
  sotto_i_free(j.needed);
  sotto_dataset_free(&data);
  return 0;
}
