/* VESPER as its paper has it: the pieces of its network. */
#include "methods/vesper/as_published/vesper_paper_layers.h"

#include <math.h>

#include "check.h"
#include "gradient.h"
#include "inside/tensor.h"
#include "methods/vesper/as_published/vesper_paper_plan.h"
#include "paper_run.h"
#include "small_graph.h"

enum { nodes = CHECK_PAPER_NODES };

static double degree_of(const sotto_graph *graph, const sotto_options *o, uint32_t v) {
  return fmin((double)sotto_graph_degree(graph, v), (double)o->fan_out);
}

/* One row against the graph: itself, and as many different neighbours as there are or as are sampled, with
 * the weights of equation 33; nothing at all below the least degree. */
static void check_row(const sotto_i_sampler *s, const sotto_i_paper_block *b, size_t i,
                      const sotto_options *o) {
  uint32_t v = s->list[i];
  double degree = degree_of(s->graph, o, v);
  uint64_t begin = b->offsets[i], end = b->offsets[i + 1];
  bool low = s->gcn && degree < (double)o->degree_floor;
  assert_int_equal(b->low[i], low);
  if (low) {
    assert_int_equal(begin, end);
    return;
  }
  assert_int_equal(end - begin, 1 + (uint64_t)degree);
  assert_int_equal(b->source[begin], i);
  CHECK_NEAR(b->weight[begin], s->gcn ? 1 / (degree + 1) : 1, 1e-6);
  for (uint64_t e = begin + 1; e < end; e++) {
    uint32_t u = s->list[b->source[e]];
    assert_true(b->source[e] < b->inputs && check_has_edge(s->graph, v, u));
    for (uint64_t other = begin + 1; other < e; other++) assert_true(b->source[other] != b->source[e]);
    CHECK_NEAR(b->weight[e], s->gcn ? 1 / sqrt((degree + 1) * (degree_of(s->graph, o, u) + 1)) : 1, 1e-6);
  }
}

static void a_batch_reads_at_most_so_many_neighbours_of_each_node(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_graph graph = check_hub_graph(&random, nodes, 600);
  const uint32_t roots[] = {7, 0, 3, 150, 2};
  for (int round = 0; round < 20; round++) {
    sotto_options o = check_paper_options(round % 2 == 0 ? "gin" : "gcn", "sampler");
    sotto_i_sampler s;
    sotto_key key;
    sotto_key_insecure(&key, sotto_i_random_u64(&random));
    CHECK_OK(sotto_i_sampler_new(&s, &o, &graph, &err));
    for (int again = 0; again < 2; again++) CHECK_OK(sotto_i_sampler_draw(&s, roots, 5, &key, &err));
    for (int i = 0; i < 5; i++) assert_int_equal(s.list[i], roots[i]);
    assert_int_equal(s.block[1].rows, 5);
    assert_int_equal(s.block[0].rows, s.block[1].inputs);
    assert_int_equal(s.block[0].inputs, s.count);
    for (size_t i = 0; i < s.count; i++)
      for (size_t j = 0; j < i; j++) assert_true(s.list[i] != s.list[j]);
    for (int l = 0; l < 2; l++)
      for (size_t i = 0; i < s.block[l].rows; i++) check_row(&s, &s.block[l], i, &o);
    sotto_i_sampler_free(&s);
  }
  sotto_graph_free(&graph);
}

/* Every neighbour of a hub is as likely as any other. */
static void neighbours_are_drawn_alike(void **state) {
  (void)state;
  enum { draws = 6000, leaves = 10 };
  uint32_t zeros[leaves] = {0}, ends[leaves], seen[leaves + 1] = {0};
  sotto_options o = check_paper_options("gin", "alike");
  sotto_i_random random = check_random();
  sotto_i_sampler s;
  sotto_graph graph;
  for (uint32_t i = 0; i < leaves; i++) ends[i] = i + 1;
  CHECK_OK(sotto_graph_from_pairs(&graph, leaves + 1, zeros, ends, leaves, &err));
  o.layers = 1;
  CHECK_OK(sotto_i_sampler_new(&s, &o, &graph, &err));
  for (int i = 0; i < draws; i++) {
    sotto_key key;
    sotto_key_insecure(&key, sotto_i_random_u64(&random));
    CHECK_OK(sotto_i_sampler_draw(&s, zeros, 1, &key, &err));
    for (size_t k = 1; k < s.count; k++) seen[s.list[k]]++;
  }
  for (uint32_t i = 1; i <= leaves; i++) /* 0.3 of the draws, within 6 standard deviations */
    assert_true(fabs(seen[i] - 0.3 * draws) < 6 * sqrt(0.21 * draws));
  sotto_i_sampler_free(&s);
  sotto_graph_free(&graph);
}

static sotto_var apply_block(const void *context, sotto_tape *tape, const sotto_var *x) {
  return sotto_i_block_var(context, tape, x[0]);
}

static void block_reference(const void *context, gradient_matrix *y, const gradient_matrix *x) {
  const sotto_i_paper_block *b = context;
  for (size_t i = 0; i < b->rows; i++)
    for (size_t j = 0; j < x->cols; j++) {
      double sum = 0;
      for (uint64_t e = b->offsets[i]; e < b->offsets[i + 1]; e++)
        sum += (double)b->weight[e] * x->data[b->source[e] * x->cols + j];
      y->data[i * x->cols + j] = sum;
    }
}

static sotto_var apply_spectral(const void *context, sotto_tape *tape, const sotto_var *x) {
  return sotto_i_spectral_var(context, tape, x[0]);
}

static void spectral_reference(const void *context, gradient_matrix *y, const gradient_matrix *x) {
  const sotto_i_spectral *s = context;
  double norm = 0;
  for (size_t i = 0; i < s->rows; i++)
    for (size_t j = 0; j < s->cols; j++) norm += s->u[i] * x->data[i * s->cols + j] * s->v[j];
  for (size_t i = 0; i < s->rows * s->cols; i++) y->data[i] = x->data[i] / norm;
}

/* Planted: the norm taken for a constant altogether. */
static sotto_var apply_scaled(const void *context, sotto_tape *tape, const sotto_var *x) {
  sotto_matrix value = sotto_tape_value(tape, sotto_i_spectral_var(context, tape, x[0]));
  return sotto_tape_scale(tape, x[0], value.data[0] / sotto_tape_value(tape, x[0]).data[0]);
}

static void gradients_of_blocks_and_of_spectral_normalisation_are_right(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_options o = check_paper_options("gcn", "gradients");
  sotto_graph graph = check_random_graph(&random, 30, 80);
  const uint32_t roots[] = {1, 4, 9};
  sotto_i_sampler s;
  sotto_i_spectral spectral;
  sotto_key key;
  char why[300];
  sotto_key_insecure(&key, sotto_i_random_u64(&random));
  CHECK_OK(sotto_i_sampler_new(&s, &o, &graph, &err));
  CHECK_OK(sotto_i_sampler_draw(&s, roots, 3, &key, &err));
  for (int l = 0; l < 2; l++) {
    const gradient_op block = {.name = "block",
                               .inputs = 1,
                               .apply = apply_block,
                               .reference = block_reference,
                               .context = &s.block[l]};
    const size_t shape[][2] = {{s.block[l].inputs, 4}};
    check_gradient(&block, shape, &random);
  }
  CHECK_OK(sotto_i_spectral_new(&spectral, 5, 4, &key, &err));
  sotto_matrix weight = check_random_matrix(&random, 5, 4);
  for (int i = 0; i < 30; i++) sotto_i_spectral_step(&spectral, &weight);
  gradient_op op = {.name = "spectral",
                    .inputs = 1,
                    .apply = apply_spectral,
                    .reference = spectral_reference,
                    .context = &spectral};
  if (!gradient_holds(&op, &weight, &random, why, sizeof why)) fail_msg("%s", why);
  op.apply = apply_scaled;
  assert_false(gradient_holds(&op, &weight, &random, why, sizeof why));
  sotto_matrix_free(&weight);
  sotto_i_spectral_free(&spectral);
  sotto_i_sampler_free(&s);
  sotto_graph_free(&graph);
}

/* However far apart two rows are, and whatever weights made them, what is shown of them before noise is no
 * further apart than is charged. With the same noise in both, that is the distance of the outputs. */
static void a_row_moves_by_no_more_than_is_charged(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_dataset data = check_paper_data();
  sotto_options o = check_paper_options("gin", "clip");
  sotto_i_paper_plan plan;
  const sotto_i_job job = {.options = &o, .data = &data, .seed = 1};
  CHECK_OK(sotto_i_paper_plan_new(&plan, &job, &err));
  sotto_i_noising noising = {.grid = plan.grid, .clip = plan.clip};
  double most = 0;
  sotto_key_insecure(&noising.key, 3);
  for (int round = 0; round < 200; round++) {
    sotto_matrix x = check_random_matrix(&random, 2, o.hidden), shown[2];
    float scale = (float)pow(10, 3 * sotto_i_random_double(&random));
    double square = 0;
    for (size_t j = 0; j < 2 * o.hidden; j++) x.data[j] *= scale;
    for (size_t j = 0; j < o.hidden && round % 2 == 0; j++) x.data[o.hidden + j] = -x.data[j];
    for (int i = 0; i < 2; i++) {
      sotto_tape *tape;
      const sotto_matrix row = {.rows = 1, .cols = o.hidden, .data = x.data + (size_t)i * o.hidden};
      CHECK_OK(sotto_tape_new(&tape, &err));
      sotto_var y = sotto_i_noising_var(&noising, tape, sotto_tape_constant(tape, &row));
      CHECK_OK(sotto_tape_check(tape, &err));
      CHECK_OK(sotto_matrix_new(&shown[i], 1, o.hidden, &err));
      memcpy(shown[i].data, sotto_tape_value(tape, y).data, o.hidden * sizeof(float));
      sotto_tape_free(tape);
    }
    for (size_t j = 0; j < o.hidden; j++) square += pow((double)shown[0].data[j] - shown[1].data[j], 2);
    most = fmax(most, sqrt(square));
    sotto_matrix_free(&x);
    for (int i = 0; i < 2; i++) sotto_matrix_free(&shown[i]);
  }
  assert_true(most <= plan.row_sensitivity && most > 0.99 * plan.row_sensitivity);
  sotto_dataset_free(&data);
}

/* What a peer sends can make rows and weights overflow, and whether it does may depend on an edge: no failure
 * shows it. */
static void what_is_not_finite_fails_nowhere(void **state) {
  (void)state;
  float broken[] = {NAN, 1, 2, INFINITY, 3, 4, 1e30F, 0, 0}, zeros[9] = {0};
  const sotto_matrix rows = {broken, 3, 3}, none = {zeros, 3, 3};
  sotto_i_noising noising = {.clip = 2};
  sotto_i_spectral spectral;
  sotto_matrix shown[2];
  sotto_tape *tape;
  CHECK_OK(sotto_grid_new(&noising.grid, 3, &err));
  sotto_key_insecure(&noising.key, 3);
  CHECK_OK(sotto_i_spectral_new(&spectral, 3, 3, &noising.key, &err));
  CHECK_OK(sotto_tape_new(&tape, &err));
  const sotto_var noisy = sotto_i_noising_var(&noising, tape, sotto_tape_constant(tape, &rows));
  const sotto_var noise = sotto_i_noising_var(&noising, tape, sotto_tape_constant(tape, &none));
  for (int i = 0; i < 2; i++) {
    sotto_i_spectral_step(&spectral, i == 0 ? &rows : &none);
    const sotto_matrix *weight = i == 0 ? &rows : &none;
    shown[i] =
        sotto_tape_value(tape, sotto_i_spectral_var(&spectral, tape, sotto_tape_constant(tape, weight)));
  }
  CHECK_OK(sotto_tape_check(tape, &err));
  assert_memory_equal(shown[1].data, zeros, sizeof zeros);
  const sotto_matrix with = sotto_tape_value(tape, noisy), alone = sotto_tape_value(tape, noise);
  assert_memory_equal(with.data, alone.data, 6 * sizeof(float)); /* such rows count as zero */
  CHECK_NEAR(with.data[6] - alone.data[6], 2, 0.01);             /* and a long one is clipped */
  sotto_tape_free(tape);
  sotto_i_spectral_free(&spectral);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_batch_reads_at_most_so_many_neighbours_of_each_node),
      cmocka_unit_test(neighbours_are_drawn_alike),
      cmocka_unit_test(gradients_of_blocks_and_of_spectral_normalisation_are_right),
      cmocka_unit_test(a_row_moves_by_no_more_than_is_charged),
      cmocka_unit_test(what_is_not_finite_fails_nowhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
