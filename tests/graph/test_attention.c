/* Bounded attention: value and gradient, and what one edge may change. */
#include <math.h>

#include "check.h"
#include "gradient.h"
#include "inside/graph.h"
#include "small_graph.h"

typedef struct hop {
  const sotto_graph *graph;
  double reach;
} hop;

static sotto_var hop_apply(const void *context, sotto_tape *tape, const sotto_var *x) {
  const hop *h = context;
  return sotto_attention_var(h->graph, h->reach, tape, x[0], x[1], x[2]);
}

static bool among(const sotto_graph *graph, uint64_t v, uint64_t u) {
  return v == u || check_has_edge(graph, (uint32_t)v, (uint32_t)u);
}

/* By the words of sotto/graph.h, over all pairs of nodes. */
static void hop_reference(const void *context, gradient_matrix *y, const gradient_matrix *x) {
  const hop *h = context;
  for (uint64_t v = 0; v < y->rows; v++) {
    double total = 0;
    for (uint64_t u = 0; u < y->rows; u++)
      if (among(h->graph, v, u)) total += exp(h->reach * tanh(x[1].data[v] + x[2].data[u]));
    for (size_t j = 0; j < y->cols; j++) {
      double sum = 0;
      for (uint64_t u = 0; u < y->rows; u++)
        if (among(h->graph, v, u))
          sum += exp(h->reach * tanh(x[1].data[v] + x[2].data[u])) / total * x[0].data[u * x->cols + j];
      y->data[v * y->cols + j] = sum;
    }
  }
}

static void attention_and_its_gradient_are_right(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  static const size_t widths[] = {0, 1, 3, 17};
  static const double reaches[] = {0, 0.7, 2};
  sotto_graph graph = check_random_graph(&random, 20, 40);
  for (size_t r = 0; r < 3; r++) {
    const hop h = {&graph, reaches[r]};
    const gradient_op checked = {"attention", 3, hop_apply, hop_reference, &h, 0};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
      check_gradient(&checked, (const size_t[][2]){{20, widths[i]}, {20, 1}, {20, 1}}, &random);
  }
  sotto_graph_free(&graph);
}

/* y of a star with `leaves` leaves, the last of which is joined to the centre or stands apart. */
static void star(sotto_matrix *y, uint32_t leaves, bool joined, double reach, const sotto_matrix *x,
                 const sotto_matrix *own, const sotto_matrix *other) {
  uint32_t *centre = calloc(leaves, sizeof *centre), *leaf = calloc(leaves, sizeof *leaf);
  sotto_graph graph;
  sotto_tape *tape;
  for (uint32_t i = 0; i < leaves; i++) leaf[i] = i + 1;
  CHECK_OK(sotto_graph_from_pairs(&graph, leaves + 1, centre, leaf, joined ? leaves : leaves - 1, &err));
  CHECK_OK(sotto_tape_new(&tape, &err));
  sotto_var out = sotto_attention_var(&graph, reach, tape, sotto_tape_constant(tape, x),
                                      sotto_tape_constant(tape, own), sotto_tape_constant(tape, other));
  CHECK_OK(sotto_tape_check(tape, &err));
  memcpy(y->data, sotto_tape_value(tape, out).data, y->rows * y->cols * sizeof(float));
  sotto_tape_free(tape);
  sotto_graph_free(&graph);
  free(centre);
  free(leaf);
}

static double row_gap(const sotto_matrix *a, const sotto_matrix *b, size_t row) {
  double square = 0;
  for (size_t j = 0; j < a->cols; j++)
    square += pow(a->data[row * a->cols + j] - b->data[row * a->cols + j], 2);
  return sqrt(square);
}

/* An edge moves the rows of its two ends alone, that of the one with d neighbours (the edge among them) by at
 * most 2 e^(2 reach) / (e^(2 reach) + d); the search comes near to it, and passes it with more reach. */
static void an_edge_moves_its_ends_by_no_more_than_the_bound(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  static const uint32_t leaves[] = {1, 4, 20};
  const double reach = 0.5;
  for (size_t i = 0; i < 3; i++) {
    uint32_t d = leaves[i];
    double bound = 2 * exp(2 * reach) / (exp(2 * reach) + d), most = 0, beyond = 0;
    sotto_matrix x, own, other, with, without;
    CHECK_OK(sotto_matrix_new(&x, d + 1, 2, &err));
    CHECK_OK(sotto_matrix_new(&own, d + 1, 1, &err));
    CHECK_OK(sotto_matrix_new(&other, d + 1, 1, &err));
    CHECK_OK(sotto_matrix_new(&with, d + 1, 2, &err));
    CHECK_OK(sotto_matrix_new(&without, d + 1, 2, &err));
    for (int round = 0; round < 200; round++) {
      for (uint32_t v = 0; v <= d;
           v++) { /* in the first round the worst: opposite rows, scores at their ends */
        double angle = round == 0 ? (v == d ? 0 : acos(-1)) : 6.3 * sotto_i_random_double(&random);
        x.data[2 * v] = (float)cos(angle);
        x.data[2 * v + 1] = (float)sin(angle);
        own.data[v] = round == 0 ? 0 : (float)(8 * sotto_i_random_double(&random) - 4);
        other.data[v] = round == 0 ? (v == d ? 20 : -20) : (float)(8 * sotto_i_random_double(&random) - 4);
      }
      star(&with, d, true, reach, &x, &own, &other);
      star(&without, d, false, reach, &x, &own, &other);
      most = fmax(most, row_gap(&with, &without, 0));
      for (size_t v = 1; v < d; v++) assert_true(row_gap(&with, &without, v) == 0);
      star(&with, d, true, 3 * reach, &x, &own, &other);
      star(&without, d, false, 3 * reach, &x, &own, &other);
      beyond = fmax(beyond, row_gap(&with, &without, 0));
    }
    print_message("%u neighbours: moved by %.6g of at most %.6g\n", d, most, bound);
    assert_true(most <= bound * (1 + 1e-5) && most > 0.99 * bound);
    assert_true(beyond > bound);
    sotto_matrix_free(&x);
    sotto_matrix_free(&own);
    sotto_matrix_free(&other);
    sotto_matrix_free(&with);
    sotto_matrix_free(&without);
  }
}

static void shapes_that_do_not_fit_are_refused(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, 5, 6);
  sotto_matrix x = check_random_matrix(&random, 5, 2), score = check_random_matrix(&random, 5, 1);
  for (int wrong = 0; wrong < 3; wrong++) {
    sotto_tape *tape;
    CHECK_OK(sotto_tape_new(&tape, &err));
    sotto_var rows = sotto_tape_input(tape, &x), column = sotto_tape_input(tape, &score);
    (void)sotto_attention_var(&graph, wrong == 2 ? 101 : 1, tape, rows, wrong == 0 ? rows : column,
                              wrong == 1 ? rows : column);
    CHECK_FAILS(SOTTO_INVALID, "attention of 5 x 2 values", sotto_tape_check(tape, &err));
    sotto_tape_free(tape);
  }
  sotto_matrix_free(&x);
  sotto_matrix_free(&score);
  sotto_graph_free(&graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(attention_and_its_gradient_are_right),
      cmocka_unit_test(an_edge_moves_its_ends_by_no_more_than_the_bound),
      cmocka_unit_test(shapes_that_do_not_fit_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
