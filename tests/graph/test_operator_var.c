/* Sparse operators on a tape: values, gradients, and no allocation once the tape is warm. */
#include <math.h>

#include "check.h"
#include "gradient.h"
#include "inside/tensor.h"
#include "small_graph.h"

typedef struct spread {
  const sotto_graph *graph;
  const sotto_operator *op;
  sotto_aggregator kind;
  double floor;
  bool self;
} spread;

static sotto_var spread_apply(const void *context, sotto_tape *tape, const sotto_var *x) {
  return sotto_operator_var(((const spread *)context)->op, tape, x[0]);
}

static double degree(const spread *s, uint64_t v) {
  return fmax((double)sotto_graph_degree(s->graph, v), s->floor);
}

/* By the words of sotto/graph.h, over all pairs of nodes. */
static double weight(const spread *s, uint64_t v, uint64_t u) {
  bool there = v == u ? s->self : check_has_edge(s->graph, (uint32_t)v, (uint32_t)u);
  if (!there) return 0;
  if (s->kind == SOTTO_AGGREGATOR_SUM) return 1;
  if (s->kind == SOTTO_AGGREGATOR_MEAN) return 1 / (s->self ? degree(s, v) + 1 : fmax(degree(s, v), 1));
  return 1 / sqrt((degree(s, v) + 1) * (degree(s, u) + 1));
}

static void spread_reference(const void *context, gradient_matrix *y, const gradient_matrix *x) {
  const spread *s = context;
  for (uint64_t v = 0; v < y->rows; v++)
    for (size_t j = 0; j < y->cols; j++) {
      double sum = 0;
      for (uint64_t u = 0; u < y->rows; u++) sum += weight(s, v, u) * x->data[u * x->cols + j];
      y->data[v * y->cols + j] = sum;
    }
}

static void every_aggregator_and_its_gradient_are_right(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  static const size_t widths[] = {0, 1, 3, 17};
  sotto_graph graph = check_random_graph(&random, 30, 60);
  for (int kind = SOTTO_AGGREGATOR_SUM; kind <= SOTTO_AGGREGATOR_GCN; kind++)
    for (int self = 0; self < 2; self++)
      for (uint64_t floor = 0; floor < 6; floor += 5) {
        sotto_operator *op;
        CHECK_OK(sotto_operator_new(&op, &graph, (sotto_aggregator)kind, floor, self == 1, &err));
        const spread s = {&graph, op, (sotto_aggregator)kind, (double)floor, self == 1};
        const gradient_op checked = {"sparse operator", 1, spread_apply, spread_reference, &s, 0};
        for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
          check_gradient(&checked, (const size_t[][2]){{30, widths[i]}}, &random);
        sotto_operator_free(op);
      }
  sotto_graph_free(&graph);
}

static void a_step_allocates_nothing_once_the_tape_is_warm(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, 100, 300);
  sotto_matrix x = check_random_matrix(&random, 100, 9);
  sotto_operator *op;
  sotto_tape *tape;
  CHECK_OK(sotto_operator_new(&op, &graph, SOTTO_AGGREGATOR_GCN, 3, true, &err));
  CHECK_OK(sotto_tape_new(&tape, &err));
  for (int step = 0; step < 3; step++) {
    (void)sotto_i_memory_fail_at(0);
    sotto_tape_reset(tape);
    sotto_var v = sotto_operator_var(op, tape, sotto_operator_var(op, tape, sotto_tape_input(tape, &x)));
    CHECK_OK(sotto_tape_backward(tape, sotto_tape_sum(tape, v), &err));
    uint64_t made = sotto_i_memory_fail_at(0);
    assert_true(step == 0 ? made > 0 : made == 0);
  }
  sotto_tape_free(tape);
  sotto_operator_free(op);
  sotto_matrix_free(&x);
  sotto_graph_free(&graph);
}

static void a_matrix_with_other_rows_than_nodes_is_refused(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, 5, 6);
  sotto_matrix x = check_random_matrix(&random, 6, 2);
  sotto_operator *op;
  sotto_tape *tape;
  CHECK_OK(sotto_operator_new(&op, &graph, SOTTO_AGGREGATOR_SUM, 0, false, &err));
  CHECK_OK(sotto_tape_new(&tape, &err));
  (void)sotto_operator_var(op, tape, sotto_tape_input(tape, &x));
  CHECK_FAILS(SOTTO_INVALID, "sparse operator: an operator on 5 nodes", sotto_tape_check(tape, &err));
  sotto_tape_free(tape);
  sotto_operator_free(op);
  sotto_matrix_free(&x);
  sotto_graph_free(&graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_aggregator_and_its_gradient_are_right),
      cmocka_unit_test(a_step_allocates_nothing_once_the_tape_is_warm),
      cmocka_unit_test(a_matrix_with_other_rows_than_nodes_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
