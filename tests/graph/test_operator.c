/* Sparse operators against dense sums in double precision. */
#include <math.h>

#include "check.h"
#include "graph/csr.h"
#include "graph/kernels/operator.h"
#include "graph/kernels/spmm.h"
#include "inside/graph.h"
#include "inside/tensor.h"
#include "rounding.h"
#include "small_graph.h"

static const sotto_aggregator kinds[] = {SOTTO_AGGREGATOR_SUM, SOTTO_AGGREGATOR_MEAN, SOTTO_AGGREGATOR_GCN};

static sotto_matrix random_matrix(sotto_i_random *random, size_t rows, size_t cols) {
  /* The tensor room makes matrices; here calloc keeps redzones tight around the last row. */
  sotto_matrix m = {calloc(rows * cols + 1, sizeof(float)), rows, cols};
  for (size_t i = 0; i < rows * cols; i++) m.data[i] = (float)((int32_t)sotto_i_random_u32(random) * 0x1p-30);
  return m;
}

static sotto_matrix blank_matrix(size_t rows, size_t cols) {
  return (sotto_matrix){calloc(rows * cols + 1, sizeof(float)), rows, cols};
}

/* S_vu from the words of sotto/graph.h. */
static double coefficient(const sotto_graph *g, sotto_aggregator kind, uint64_t floor, bool self, uint64_t v,
                          uint64_t u) {
  double dv = (double)sotto_graph_degree(g, v), du = (double)sotto_graph_degree(g, u);
  dv = fmax(dv, (double)floor);
  du = fmax(du, (double)floor);
  if (v == u ? !self : !sotto_i_graph_has(g, v, (uint32_t)u)) return 0;
  if (kind == SOTTO_AGGREGATOR_SUM) return 1;
  if (kind == SOTTO_AGGREGATOR_MEAN) return self ? 1 / (dv + 1) : 1 / fmax(dv, 1);
  return v == u ? 1 / (dv + 1) : 1 / sqrt((du + 1) * (dv + 1));
}

static double reference(const sotto_graph *g, sotto_aggregator kind, uint64_t floor, bool self,
                        bool transposed, const sotto_matrix *x, uint64_t v, size_t column) {
  double sum = 0;
  for (uint64_t u = 0; u < g->nodes; u++)
    sum += (transposed ? coefficient(g, kind, floor, self, u, v) : coefficient(g, kind, floor, self, v, u)) *
           x->data[u * x->cols + column];
  return sum;
}

static void every_operator_and_its_transpose_match_dense_sums(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 60; round++) {
    uint64_t nodes = 1 + sotto_i_random_below(&random, 40), floor = sotto_i_random_below(&random, 6);
    sotto_graph graph = check_hub_graph(&random, nodes, sotto_i_random_below(&random, 120));
    bool self = round % 2 == 0;
    sotto_aggregator kind = kinds[round % 3];
    sotto_matrix x = random_matrix(&random, nodes, 1 + sotto_i_random_below(&random, 20));
    sotto_matrix y = random_matrix(&random, nodes, x.cols), t = random_matrix(&random, nodes, x.cols);
    sotto_operator *op;
    CHECK_OK(sotto_operator_new(&op, &graph, kind, floor, self, &err));
    CHECK_OK(sotto_operator_apply(op, &y, &x, &err));
    memset(t.data, 0, sizeof(float) * nodes * x.cols);
    CHECK_OK(sotto_i_operator_add_transposed(op, &t, &x, &err));
    for (uint64_t v = 0; v < nodes; v++)
      for (size_t j = 0; j < x.cols; j++) {
        CHECK_NEAR(y.data[v * x.cols + j], reference(&graph, kind, floor, self, false, &x, v, j), 1e-5);
        CHECK_NEAR(t.data[v * x.cols + j], reference(&graph, kind, floor, self, true, &x, v, j), 1e-5);
      }
    sotto_operator_free(op);
    sotto_graph_free(&graph);
    free(x.data);
    free(y.data);
    free(t.data);
  }
}

/* Largest error of y over the bound of its arithmetic, for rows [1, nodes - 1): a term goes through its own
 * scale, at most degree + 1 additions, the scale of the row, and the addition to what stood there. Other rows
 * must be as `before`. */
static double worst_row(const sotto_i_spmm *job, const float *y, const float *before, size_t nodes) {
  double most = 0;
  for (size_t v = 0; v < nodes; v++)
    for (size_t j = 0; j < job->width; j++) {
      size_t at = v * job->width + j, degree = job->offsets[v + 1] - job->offsets[v];
      double post = job->post == NULL ? 1 : (double)job->post[v];
      double sum = job->add ? (double)before[at] : 0, size = fabs(sum);
      if (v == 0 || v + 1 == nodes) {
        if (y[at] != before[at]) return INFINITY;
        continue;
      }
      for (size_t e = 0; e < degree + (job->self ? 1 : 0); e++) {
        size_t u = e == degree ? v : job->targets[job->offsets[v] + e];
        double term = post * (job->pre == NULL ? 1 : (double)job->pre[u]) * job->x[u * job->width + j];
        sum += term;
        size += fabs(term);
      }
      double gap = fabs((double)y[at] - sum);
      most = fmax(most, gap == 0 ? 0 : gap / check_rounding(degree + 4, size));
    }
  return most;
}

static void check_kernel(sotto_i_random *random, const sotto_i_spmm *model, sotto_i_spmm_fn kernel,
                         size_t nodes) {
  sotto_i_spmm job = *model;
  sotto_matrix x = random_matrix(random, nodes, job.width), y = random_matrix(random, nodes, job.width);
  float *before = malloc(nodes * job.width * sizeof *before);
  memcpy(before, y.data, nodes * job.width * sizeof *before);
  job.x = x.data;
  job.y = y.data;
  kernel(&job, 1, nodes - 1);
  double off = worst_row(&job, y.data, before, nodes);
  if (!(off <= 1)) fail_msg("width %zu: off by %g times what is allowed", job.width, off);
  for (size_t i = job.width; i < (nodes - 1) * job.width; i++) y.data[i] *= 1 + 2e-5F;
  assert_true(worst_row(&job, y.data, before, nodes) > 1);
  free(x.data);
  free(y.data);
  free(before);
}

/* Each kernel of this machine at every width up to 2 passes, against sums in double precision; and a planted
 * relative error of 2e-5, which the check must see. */
static void every_kernel_is_as_near_to_the_sum_as_its_roundings_allow(void **state) {
  (void)state;
  enum { nodes = 23 };
  sotto_i_random random = check_random();
  sotto_graph graph = check_hub_graph(&random, nodes, 90);
  float scale[nodes];
  for (size_t i = 0; i < nodes; i++) scale[i] = (float)(0.5 + sotto_i_random_double(&random));
  for (int level = SOTTO_I_ISA_PLAIN; level <= (int)sotto_i_isa(); level++)
    for (size_t width = 1; width <= 260; width += width < 20 ? 1 : 31)
      for (unsigned mode = 0; mode < 16; mode++) {
        const sotto_i_spmm job = {.offsets = graph.offsets,
                                  .targets = graph.targets,
                                  .pre = (mode & 1) != 0 ? scale : NULL,
                                  .post = (mode & 2) != 0 ? scale : NULL,
                                  .self = (mode & 4) != 0,
                                  .add = (mode & 8) != 0,
                                  .fetch = (mode & 3) == 1,
                                  .width = width};
        check_kernel(&random, &job, sotto_i_spmm_kernel((sotto_i_isa_level)level), nodes);
      }
  sotto_graph_free(&graph);
}

static void threads_and_row_ranges_change_no_bit(void **state) {
  (void)state;
  enum { nodes = 3000, width = 33 };
  sotto_i_random random = check_random();
  sotto_graph graph = check_hub_graph(&random, nodes, 40000);
  sotto_matrix x = random_matrix(&random, nodes, width);
  sotto_matrix one = random_matrix(&random, nodes, width), many = random_matrix(&random, nodes, width);
  sotto_operator *op;
  CHECK_OK(sotto_operator_new(&op, &graph, SOTTO_AGGREGATOR_GCN, 2, true, &err));
  CHECK_OK(sotto_threads_set(1, &err));
  CHECK_OK(sotto_operator_apply(op, &one, &x, &err));
  CHECK_OK(sotto_threads_set(3, &err));
  CHECK_OK(sotto_operator_apply(op, &many, &x, &err));
  assert_memory_equal(one.data, many.data, sizeof(float) * nodes * width);
  CHECK_OK(sotto_threads_set(0, &err));
  sotto_operator_free(op);
  sotto_graph_free(&graph);
  free(x.data);
  free(one.data);
  free(many.data);
}

/* A graph with rows long enough for several passes, at widths from one pass to the most. */
static void passes_over_shares_of_the_input_change_no_bit(void **state) {
  (void)state;
  enum { nodes = 2500 };
  const size_t widths[] = {150, 300, 420}; /* 2, 4 and 8 passes */
  sotto_i_random random = check_random();
  sotto_graph graph = check_hub_graph(&random, nodes, 200000);
  assert_true(graph.entries > 128 * nodes);
  for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
    const size_t width = widths[i];
    sotto_matrix x = random_matrix(&random, nodes, width);
    sotto_matrix whole = blank_matrix(nodes, width), rows = blank_matrix(nodes, width);
    sotto_operator *op;
    CHECK_OK(sotto_operator_new(&op, &graph, SOTTO_AGGREGATOR_GCN, 0, true, &err));
    CHECK_OK(sotto_operator_apply(op, &whole, &x, &err));
    CHECK_OK(sotto_i_operator_add_transposed(op, &rows, &x, &err)); /* in one pass; GCN is symmetric */
    assert_memory_equal(whole.data, rows.data, sizeof(float) * nodes * width);
    sotto_operator_free(op);
    free(x.data);
    free(whole.data);
    free(rows.data);
  }
  sotto_graph_free(&graph);
}

typedef struct fused {
  sotto_matrix y;
  uint8_t *seen;
} fused;

static void double_rows(void *context, size_t begin, size_t end) {
  fused *f = context;
  for (size_t i = begin * f->y.cols; i < end * f->y.cols; i++) f->y.data[i] *= 2;
  for (size_t v = begin; v < end; v++) f->seen[v]++;
}

static void work_after_a_product_sees_final_rows_once(void **state) {
  (void)state;
  enum { nodes = 2500, width = 150 };
  sotto_i_random random = check_random();
  sotto_graph graph = check_hub_graph(&random, nodes, 200000);
  sotto_matrix x = random_matrix(&random, nodes, width), y = blank_matrix(nodes, width);
  fused f = {blank_matrix(nodes, width), calloc(nodes, 1)};
  sotto_operator *op;
  CHECK_OK(sotto_operator_new(&op, &graph, SOTTO_AGGREGATOR_MEAN, 0, true, &err));
  CHECK_OK(sotto_operator_apply(op, &y, &x, &err));
  CHECK_OK(sotto_i_operator_apply_each(op, &f.y, &x, double_rows, &f, &err));
  for (size_t v = 0; v < nodes; v++) assert_int_equal(f.seen[v], 1);
  for (size_t i = 0; i < (size_t)nodes * width; i++) assert_true(f.y.data[i] == 2 * y.data[i]);
  sotto_operator_free(op);
  sotto_graph_free(&graph);
  free(x.data);
  free(y.data);
  free(f.y.data);
  free(f.seen);
}

/* Ranges of rows that threads were given: ends[begin] is the end of the range from `begin`. */
static void note_range(void *context, size_t begin, size_t end) {
  ((size_t *)context)[begin] = end;
}

static void ranges_cover_the_rows_at_about_equal_cost(void **state) {
  (void)state;
  enum { nodes = 20000 };
  static size_t ends[nodes];
  sotto_i_random random = check_random();
  sotto_graph graph = check_hub_graph(&random, nodes, 200000);
  sotto_operator *op;
  CHECK_OK(sotto_operator_new(&op, &graph, SOTTO_AGGREGATOR_SUM, 0, true, &err));
  sotto_i_operator_each(op, note_range, ends);
  size_t count = 0;
  for (size_t v = 0; v < nodes; v++) count += ends[v] > 0;
  assert_in_range(count, 32, 128);
  const uint64_t share = graph.entries / count;
  for (size_t begin = 0; begin < nodes; begin = ends[begin]) {
    assert_true(ends[begin] > begin && ends[begin] <= nodes);
    if (ends[begin] < nodes)
      assert_in_range(graph.offsets[ends[begin]] - graph.offsets[begin], share / 2, 2 * share);
    count--;
  }
  assert_int_equal(count, 0);
  sotto_operator_free(op);
  sotto_graph_free(&graph);
}

static void count_rows(void *context, size_t begin, size_t end) {
  uint8_t *seen = context;
  for (size_t v = begin; v < end; v++) seen[v]++;
}

static void each_visits_every_row_once(void **state) {
  (void)state;
  enum { nodes = 7000 };
  sotto_i_random random = check_random();
  sotto_graph graph = check_hub_graph(&random, nodes, 20000);
  sotto_operator *op;
  uint8_t *seen = calloc(nodes, 1);
  CHECK_OK(sotto_operator_new(&op, &graph, SOTTO_AGGREGATOR_MEAN, 0, false, &err));
  sotto_i_operator_each(op, count_rows, seen);
  for (size_t v = 0; v < nodes; v++) assert_int_equal(seen[v], 1);
  free(seen);
  sotto_operator_free(op);
  sotto_graph_free(&graph);
}

static void adding_the_transpose_keeps_what_was_there(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_graph graph = check_hub_graph(&random, 30, 60);
  sotto_matrix x = random_matrix(&random, 30, 5), y = random_matrix(&random, 30, 5);
  sotto_matrix before = {malloc(30 * 5 * sizeof(float)), 30, 5};
  memcpy(before.data, y.data, 30 * 5 * sizeof(float));
  sotto_operator *op;
  CHECK_OK(sotto_operator_new(&op, &graph, SOTTO_AGGREGATOR_MEAN, 3, true, &err));
  CHECK_OK(sotto_i_operator_add_transposed(op, &y, &x, &err));
  for (size_t v = 0; v < 30; v++)
    for (size_t j = 0; j < 5; j++)
      CHECK_NEAR(y.data[v * 5 + j],
                 before.data[v * 5 + j] + reference(&graph, SOTTO_AGGREGATOR_MEAN, 3, true, true, &x, v, j),
                 1e-5);
  sotto_operator_free(op);
  sotto_graph_free(&graph);
  free(x.data);
  free(y.data);
  free(before.data);
}

/* Both uses of x must reach its gradient: S^T g from the operator, and g from the sum beside it. */
static void the_gradient_on_a_tape_is_the_transpose_and_adds_up(void **state) {
  (void)state;
  enum { nodes = 30, width = 5 };
  sotto_i_random random = check_random();
  sotto_graph graph = check_hub_graph(&random, nodes, 60);
  sotto_matrix x = random_matrix(&random, nodes, width), g = random_matrix(&random, nodes, width);
  sotto_matrix dx = blank_matrix(nodes, width);
  sotto_operator *op;
  sotto_tape *tape;
  CHECK_OK(sotto_operator_new(&op, &graph, SOTTO_AGGREGATOR_MEAN, 2, true, &err));
  CHECK_OK(sotto_tape_new(&tape, &err));
  sotto_var in = sotto_tape_parameter(tape, &x, &dx);
  sotto_var out = sotto_tape_add(tape, sotto_operator_var(op, tape, in), in);
  CHECK_OK(sotto_tape_backward_from(tape, out, &g, &err));
  sotto_matrix value = sotto_tape_value(tape, out);
  for (size_t v = 0; v < nodes; v++)
    for (size_t j = 0; j < width; j++) {
      size_t i = v * width + j;
      CHECK_NEAR(value.data[i],
                 x.data[i] + reference(&graph, SOTTO_AGGREGATOR_MEAN, 2, true, false, &x, v, j), 1e-5);
      CHECK_NEAR(dx.data[i], g.data[i] + reference(&graph, SOTTO_AGGREGATOR_MEAN, 2, true, true, &g, v, j),
                 1e-5);
    }
  sotto_tape_free(tape);
  sotto_operator_free(op);
  sotto_graph_free(&graph);
  free(x.data);
  free(g.data);
  free(dx.data);
}

static void wrong_shapes_overlap_and_unknown_kinds_are_invalid(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_graph graph = check_hub_graph(&random, 6, 9);
  float data[64] = {0}, other[64];
  sotto_operator *op = NULL;
  CHECK_FAILS(SOTTO_INVALID, "not an aggregator",
              sotto_operator_new(&op, &graph, (sotto_aggregator)9, 0, true, &err));
  assert_null(op);
  CHECK_OK(sotto_operator_new(&op, &graph, SOTTO_AGGREGATOR_SUM, 0, true, &err));
  sotto_matrix x = {data, 6, 4}, short_rows = {other, 5, 4}, narrow = {other, 6, 3}, near = {data + 20, 6, 4};
  CHECK_FAILS(SOTTO_INVALID, "5 x 4", sotto_operator_apply(op, &short_rows, &x, &err));
  CHECK_FAILS(SOTTO_INVALID, "6 x 3", sotto_i_operator_add_transposed(op, &narrow, &x, &err));
  CHECK_FAILS(SOTTO_INVALID, "overlap", sotto_operator_apply(op, &near, &x, &err));
  sotto_operator_free(op);
  sotto_graph_free(&graph);
}

static void graphs_without_nodes_or_columns_are_served(void **state) {
  (void)state;
  sotto_graph graph;
  sotto_operator *op;
  sotto_matrix none = {NULL, 0, 3}, flat = {NULL, 2, 0};
  CHECK_OK(sotto_graph_from_pairs(&graph, 0, NULL, NULL, 0, &err));
  CHECK_OK(sotto_operator_new(&op, &graph, SOTTO_AGGREGATOR_GCN, 0, true, &err));
  CHECK_OK(sotto_operator_apply(op, &none, &none, &err));
  sotto_operator_free(op);
  sotto_graph_free(&graph);
  CHECK_OK(sotto_graph_from_pairs(&graph, 2, NULL, NULL, 0, &err));
  CHECK_OK(sotto_operator_new(&op, &graph, SOTTO_AGGREGATOR_MEAN, 0, false, &err));
  CHECK_OK(sotto_operator_apply(op, &flat, &flat, &err));
  sotto_operator_free(op);
  sotto_graph_free(&graph);
}

static void every_failed_allocation_of_an_operator_is_reported(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_graph graph = check_hub_graph(&random, 6, 9);
  sotto_status status = SOTTO_NOMEM;
  uint64_t n = 0;
  while (status == SOTTO_NOMEM) {
    sotto_operator *op;
    sotto_i_memory_fail_at(++n);
    status = sotto_operator_new(&op, &graph, SOTTO_AGGREGATOR_GCN, 0, true, NULL);
    sotto_i_memory_fail_at(0);
    assert_true((op == NULL) == (status != SOTTO_OK));
    sotto_operator_free(op);
  }
  assert_int_equal(status, SOTTO_OK);
  assert_int_equal(n, 4);
  sotto_graph_free(&graph);
}

static void the_kernels_have_a_name(void **state) {
  (void)state;
  assert_string_equal(sotto_kernels(), sotto_i_isa_name(sotto_i_isa()));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_operator_and_its_transpose_match_dense_sums),
      cmocka_unit_test(every_kernel_is_as_near_to_the_sum_as_its_roundings_allow),
      cmocka_unit_test(threads_and_row_ranges_change_no_bit),
      cmocka_unit_test(passes_over_shares_of_the_input_change_no_bit),
      cmocka_unit_test(work_after_a_product_sees_final_rows_once),
      cmocka_unit_test(ranges_cover_the_rows_at_about_equal_cost),
      cmocka_unit_test(each_visits_every_row_once),
      cmocka_unit_test(adding_the_transpose_keeps_what_was_there),
      cmocka_unit_test(the_gradient_on_a_tape_is_the_transpose_and_adds_up),
      cmocka_unit_test(wrong_shapes_overlap_and_unknown_kinds_are_invalid),
      cmocka_unit_test(graphs_without_nodes_or_columns_are_served),
      cmocka_unit_test(every_failed_allocation_of_an_operator_is_reported),
      cmocka_unit_test(the_kernels_have_a_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
