/* Sparse products of one thread: in single precision, and in the exact integers of a release; 16 to 256
 * columns, on three graphs, one of which a core's cache holds. The bound of each is the time in which the
 * rows that entries read, the graph and the result pass at the rate of reading as many bytes as all rows
 * have, over and over, measured before it. What rows at random places cost beside that, the same product
 * shows on a graph of the same degrees whose entries read the rows in the order of memory. Where
 * SuiteSparse:GraphBLAS is installed, its product, too.
 *
 *   bench_products [SHARE]      a share of the graphs' entries, default 1 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cpu.h"
#include "base/memory.h"
#include "base/progress.h"
#include "graph/kernels/exact_sum.h"
#include "inside/graph.h"
#include "record.h"
#include "sotto/generate.h"

#ifdef SOTTO_GRAPHBLAS
#include <GraphBLAS.h>
#endif

#define OR_GIVE_UP(call)                                                                                     \
  do {                                                                                                       \
    sotto_error err = {0};                                                                                   \
    if ((call) != SOTTO_OK) {                                                                                \
      (void)fprintf(stderr, "bench_products: %s\n", err.text);                                               \
      exit(1);                                                                                               \
    }                                                                                                        \
  } while (0)

enum { rounds = 3, most_cols = 256 };
static const double least_seconds = 0.05, most_seconds = 3;

/* Sums of all values; the empty assembly keeps the pass. */
#define PASS(name, target)                                                                                   \
  target static void name(const float *x, size_t values) {                                                   \
    float sums[128] = {0};                                                                                   \
    for (size_t i = 0; i + 128 <= values; i += 128)                                                          \
      for (size_t j = 0; j < 128; j++) sums[j] += x[i + j];                                                  \
    __asm__ volatile("" : : "m"(sums));                                                                      \
  }
#if defined(__clang__)
#define WIDE "" /* clang has no such word, and takes vectors of this width */
#else
#define WIDE ",prefer-vector-width=512"
#endif
#if defined(__x86_64__)
PASS(pass_avx512, __attribute__((target("avx512f" WIDE))))
PASS(pass_avx2, __attribute__((target("avx2"))))
#endif
PASS(pass_plain, )

static void pass(const float *x, size_t values) {
#if defined(__x86_64__)
  if (sotto_i_isa() >= SOTTO_I_ISA_AVX512) return pass_avx512(x, values);
  if (sotto_i_isa() >= SOTTO_I_ISA_AVX2) return pass_avx2(x, values);
#endif
  pass_plain(x, values);
}

/* Reads all of x until enough time has passed; gigabytes a second, the most of a few rounds. */
static double reading(const sotto_matrix *x) {
  const size_t values = x->rows * x->cols;
  double best = 0;
  for (int round = 0; round < rounds; round++) {
    const double start = sotto_i_seconds();
    double passed = 0;
    size_t times = 0;
    for (; passed < least_seconds; times++, passed = sotto_i_seconds() - start) pass(x->data, values);
    best = fmax(best, (double)values * sizeof(float) * (double)times / passed / 1e9);
  }
  return best;
}

typedef struct product {
  const sotto_graph *graph;
  const sotto_operator *op;
  sotto_matrix x, y;
} product;

static void in_floats(const product *p) {
  sotto_matrix y = p->y;
  OR_GIVE_UP(sotto_operator_apply(p->op, &y, &p->x, &err));
}

static void in_integers(const product *p) {
  const sotto_i_scaled_rows rows = {.x = p->x.data, .common = 0x1p20F, .cols = p->x.cols};
  int64_t sum[most_cols];
  for (uint64_t v = 0; v < p->graph->nodes; v++) {
    sotto_i_exact_sum_scaled(sum, p->graph, v, &rows);
    __asm__ volatile("" : : "m"(sum));
  }
}

static double best_of(void (*work)(const product *p), const product *p) {
  double best = INFINITY, all = 0;
  for (int round = 0; (round < rounds && all < most_seconds) || (all < least_seconds && round < 100);
       round++) {
    const double start = sotto_i_seconds();
    work(p);
    const double took = sotto_i_seconds() - start;
    best = fmin(best, took);
    all += took;
  }
  return best;
}

#ifdef SOTTO_GRAPHBLAS
static GrB_Matrix their_graph, their_rows;

static void theirs(const product *p) {
  GrB_Matrix made;
  (void)GrB_Matrix_new(&made, GrB_FP32, p->graph->nodes, p->x.cols);
  if (GrB_mxm(made, NULL, NULL, GxB_PLUS_SECOND_FP32, their_graph, their_rows, NULL) != GrB_SUCCESS) exit(1);
  (void)GrB_Matrix_wait(made, GrB_MATERIALIZE);
  (void)GrB_Matrix_free(&made);
}

static double graphblas(const product *p) {
  const uint64_t nodes = p->graph->nodes, entries = p->graph->entries;
  GrB_Index *offsets = malloc((nodes + 1) * sizeof *offsets), *targets = malloc(entries * sizeof *targets);
  bool *ones = calloc(1, sizeof *ones);
  float *rows = malloc(nodes * p->x.cols * sizeof *rows);
  if (offsets == NULL || targets == NULL || ones == NULL || rows == NULL) exit(1);
  for (uint64_t v = 0; v <= nodes; v++) offsets[v] = p->graph->offsets[v];
  for (uint64_t e = 0; e < entries; e++) targets[e] = p->graph->targets[e];
  for (size_t i = 0; i < nodes * p->x.cols; i++) rows[i] = p->x.data[i];
  ones[0] = true;
  (void)GrB_Matrix_new(&their_graph, GrB_BOOL, nodes, nodes);
  (void)GrB_Matrix_new(&their_rows, GrB_FP32, nodes, p->x.cols);
  if (GxB_Matrix_pack_CSR(their_graph, &offsets, &targets, (void **)&ones, (nodes + 1) * sizeof *offsets,
                          entries * sizeof *targets, sizeof *ones, true, false, NULL) != GrB_SUCCESS ||
      GxB_Matrix_pack_FullR(their_rows, (void **)&rows, nodes * p->x.cols * sizeof *rows, false, NULL) !=
          GrB_SUCCESS)
    exit(1);
  const double seconds = best_of(theirs, p);
  (void)GrB_Matrix_free(&their_graph);
  (void)GrB_Matrix_free(&their_rows);
  return seconds;
}
#endif

/* The same degrees; the entries of all rows, one after the other, name the nodes in their order, again and
 * again. */
static void in_order(sotto_graph *out, const sotto_graph *graph) {
  uint32_t *targets = malloc(graph->entries * sizeof *targets);
  if (targets == NULL) exit(1);
  for (uint64_t v = 0; v < graph->nodes; v++) {
    const uint64_t begin = graph->offsets[v], degree = graph->offsets[v + 1] - begin;
    uint64_t first = begin % graph->nodes;
    if (first > graph->nodes - degree) first = graph->nodes - degree;
    for (uint64_t i = 0; i < degree; i++) targets[begin + i] = (uint32_t)(first + i);
  }
  *out = (sotto_graph){.nodes = graph->nodes, .entries = graph->entries, .offsets = graph->offsets};
  out->targets = targets;
}

static void one(const char *graph, const product *p, const product *ordered) {
  const double rate = reading(&p->x), cols = (double)p->x.cols;
  const double bytes = (double)p->graph->entries * (cols + 1) * sizeof(float) +
                       (double)p->graph->nodes * (cols * sizeof(float) + sizeof(uint64_t));
  const bench_bound bound = {bytes / rate / 1e6, "its bytes at the rate of reading all rows"};
  char name[120];
  const struct {
    const char *kind;
    void (*work)(const product *p);
  } kinds[] = {{"floats", in_floats}, {"exact integers", in_integers}};
  for (size_t i = 0; i < 2; i++) {
    const double ms = best_of(kinds[i].work, p) * 1e3;
    (void)snprintf(name, sizeof name, "sparse product in %s, %s, %zu columns", kinds[i].kind, graph,
                   p->x.cols);
    (void)printf("%-64s %9.2f ms; bound %9.2f ms (%.1f GB/s): %3.0f %%\n", name, ms, bound.value, rate,
                 100 * bound.value / ms);
    bench_record(name, ms, "ms", bound);
    const double straight = best_of(kinds[i].work, ordered) * 1e3;
    (void)snprintf(name, sizeof name, "in order: sparse product in %s, %s, %zu columns", kinds[i].kind, graph,
                   p->x.cols);
    (void)printf("  rows in the order of memory %42.2f ms: %3.0f %%\n", straight,
                 100 * bound.value / straight);
    bench_record(name, straight, "ms", bound);
  }
#ifdef SOTTO_GRAPHBLAS
  const double ms = graphblas(p) * 1e3;
  (void)snprintf(name, sizeof name, "GraphBLAS, %s, %zu columns", graph, p->x.cols);
  (void)printf("%-64s %9.2f ms\n", name, ms);
  bench_record(name, ms, "ms", bound);
#endif
  (void)fflush(stdout);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    uint64_t nodes, edges;
    double exponent;
    size_t most;
  } graphs[] = {{"as computers", 13752, 245861, 2.5, 256},
                {"even, 12.5M entries", 250000, 6250000, 50, 256},
                {"power law, 60M entries", 1500000, 30000000, 2.5, 64}};
  const double share = argc > 1 ? strtod(argv[1], NULL) : 1;
  sotto_key key;
  sotto_key_insecure(&key, 1);
  OR_GIVE_UP(sotto_threads_set(1, &err));
#ifdef SOTTO_GRAPHBLAS
  (void)GrB_init(GrB_NONBLOCKING);
  (void)GxB_Global_Option_set(GxB_GLOBAL_NTHREADS, 1);
#endif
  for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
    const sotto_powerlaw_options options = {.nodes = (uint64_t)((double)graphs[i].nodes * share),
                                            .edges = (uint64_t)((double)graphs[i].edges * share),
                                            .features = 1,
                                            .classes = 2,
                                            .exponent = graphs[i].exponent};
    sotto_dataset data;
    sotto_graph straight;
    sotto_operator *op = NULL, *straight_op = NULL;
    OR_GIVE_UP(sotto_generate_powerlaw(&data, &options, &key, &err));
    in_order(&straight, &data.graph);
    OR_GIVE_UP(sotto_operator_new(&op, &data.graph, SOTTO_AGGREGATOR_SUM, 0, false, &err));
    OR_GIVE_UP(sotto_operator_new(&straight_op, &straight, SOTTO_AGGREGATOR_SUM, 0, false, &err));
    for (size_t cols = 16; cols <= graphs[i].most; cols *= 4) {
      product p = {.graph = &data.graph, .op = op};
      OR_GIVE_UP(sotto_matrix_new(&p.x, data.graph.nodes, cols, &err));
      OR_GIVE_UP(sotto_matrix_new(&p.y, data.graph.nodes, cols, &err));
      for (size_t k = 0; k < p.x.rows * cols; k++)
        p.x.data[k] = (float)(k * 2654435761U % 1000) / 1000 - 0.5F;
      const product ordered = {.graph = &straight, .op = straight_op, .x = p.x, .y = p.y};
      one(graphs[i].name, &p, &ordered);
      sotto_matrix_free(&p.x);
      sotto_matrix_free(&p.y);
    }
    sotto_operator_free(straight_op);
    sotto_operator_free(op);
    free((void *)(uintptr_t)straight.targets);
    sotto_dataset_free(&data);
  }
  return 0;
}
