/* Embedding-fused convolution (Zhang et al. 2024, statements 1 and 2), and the generator of missing
 * neighbours. */
#include <math.h>

#include "check.h"
#include "inside/graph.h"
#include "inside/nn.h"
#include "inside/tensor.h"
#include "methods/feddep/generator.h"
#include "small_graph.h"
#include "sotto/generate.h"

/* W' begins as zeros: other weights for the tests. */
static void randomise(sotto_params *params, sotto_i_random *random) {
  for (size_t i = 0; i < sotto_params_count(params); i++) {
    sotto_matrix *value = sotto_params_value(params, i);
    for (size_t j = 0; j < value->rows * value->cols; j++)
      value->data[j] = 0.5F * (float)sotto_i_random_normal(random);
  }
}

static sotto_i_graph_net make_net(sotto_params **params, const sotto_i_graph_net_options *options,
                                  sotto_i_random *random) {
  sotto_i_graph_net net;
  sotto_key key;
  sotto_key_public(&key, 1);
  CHECK_OK(sotto_params_new(params, &err));
  CHECK_OK(sotto_i_graph_net_new(&net, *params, options, 0, &key, &err));
  randomise(*params, random);
  return net;
}

/* Logits of all nodes, in fresh memory. */
static sotto_matrix apply(const sotto_i_graph_net *net, sotto_params *params,
                          const sotto_i_graph_batch *batch, bool embeddings) {
  sotto_tape *tape;
  sotto_matrix out;
  CHECK_OK(sotto_tape_new(&tape, &err));
  const sotto_pass pass = {.tape = tape};
  sotto_var y = embeddings ? sotto_i_graph_net_embed(net, params, &pass, batch)
                           : sotto_i_graph_net_nodes(net, params, &pass, batch);
  CHECK_OK(sotto_tape_copy(&out, tape, y, &err));
  sotto_tape_free(tape);
  return out;
}

/* One layer as statement 1 writes it: one matrix over [mean of x over the closed neighbourhood || z], in
 * double precision. */
static void slow_layer(double *out, const double *x, size_t in, const sotto_matrix *z,
                       const sotto_graph *graph, const sotto_matrix *top, const sotto_matrix *bottom,
                       const sotto_matrix *bias, bool last) {
  for (size_t v = 0; v < graph->nodes; v++)
    for (size_t k = 0; k < top->cols; k++) {
      double sum = bias->data[k], degree = (double)sotto_graph_degree(graph, v);
      for (size_t j = 0; j < in + z->cols; j++) {
        double input = 0;
        if (j >= in) {
          input = z->data[v * z->cols + j - in];
        } else {
          input = x[v * in + j];
          for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++)
            input += x[graph->targets[e] * in + j];
          input /= degree + 1;
        }
        sum += input * (j >= in ? bottom->data[(j - in) * top->cols + k] : top->data[j * top->cols + k]);
      }
      out[v * top->cols + k] = last ? sum : fmax(0, sum);
    }
}

static void the_fused_convolution_is_one_matrix_over_both_inputs(void **state) {
  (void)state;
  enum { nodes = 30, in = 5, width = 4, hidden = 6, classes = 3 };
  sotto_i_random random = check_random();
  const sotto_i_graph_net_options options = {
      .mean = true, .layers = 2, .in = in, .hidden = hidden, .out = classes, .beside = width};
  for (int i = 0; i < 10; i++) {
    sotto_graph graph = check_random_graph(&random, nodes, 60);
    sotto_matrix x = check_random_matrix(&random, nodes, in), z = check_random_matrix(&random, nodes, width);
    double first[nodes * in], middle[nodes * hidden], last[nodes * classes];
    sotto_params *params;
    sotto_operator *spread;
    sotto_i_graph_net net = make_net(&params, &options, &random);
    CHECK_OK(sotto_i_graph_net_operator(&spread, &options, &graph, &err));
    const sotto_i_graph_batch batch = {.features = &x, .fixed = true, .spread = spread, .beside = &z};
    sotto_matrix y = apply(&net, params, &batch, false);
    for (size_t j = 0; j < nodes * in; j++) first[j] = x.data[j];
    for (int layer = 0; layer < 2; layer++)
      slow_layer(layer == 0 ? middle : last, layer == 0 ? first : middle, layer == 0 ? in : hidden, &z,
                 &graph, sotto_params_value(params, net.convolution[layer].weight),
                 sotto_params_value(params, net.beside[layer]),
                 sotto_params_value(params, net.convolution[layer].bias), layer == 1);
    double largest = 1; /* single precision: to 1e-6 of the largest value */
    for (size_t j = 0; j < nodes * classes; j++) largest = fmax(largest, fabs(last[j]));
    for (size_t j = 0; j < nodes * classes; j++) CHECK_NEAR(y.data[j], last[j], 1e-6 * largest);
    sotto_matrix_free(&x);
    sotto_matrix_free(&z);
    sotto_matrix_free(&y);
    sotto_operator_free(spread);
    sotto_params_free(params);
    sotto_graph_free(&graph);
  }
}

/* What is fused in at a node: the mean of the L-hop embeddings of its neighbours. */
static void fill_beside(sotto_matrix *z, const sotto_graph *graph, const sotto_i_graph_net *net,
                        sotto_params *params, const sotto_i_graph_batch *batch) {
  sotto_operator *mean;
  sotto_matrix all = apply(net, params, batch, true);
  CHECK_OK(sotto_operator_new(&mean, graph, SOTTO_AGGREGATOR_MEAN, 0, false, &err));
  CHECK_OK(sotto_operator_apply(mean, z, &all, &err));
  sotto_operator_free(mean);
  sotto_matrix_free(&all);
}

/* The logits of node 0 of a path when the features of one node move. */
static void k_fused_layers_with_l_hop_embeddings_see_k_plus_l_hops(void **state) {
  (void)state;
  enum { nodes = 12, in = 3, hidden = 16, classes = 4 };
  sotto_i_random random = check_random();
  uint32_t from[nodes - 1], to[nodes - 1];
  sotto_graph path;
  for (uint32_t v = 0; v + 1 < nodes; v++) {
    from[v] = v;
    to[v] = v + 1;
  }
  CHECK_OK(sotto_graph_from_pairs(&path, nodes, from, to, nodes - 1, &err));
  for (size_t fused = 1; fused <= 3; fused++)
    for (size_t hops = 1; hops <= 3; hops++) {
      const sotto_i_graph_net_options embedder = {
          .mean = true, .layers = hops, .in = in, .hidden = hidden, .out = 2, .embeds = true};
      const sotto_i_graph_net_options options = {
          .mean = true, .layers = fused, .in = in, .hidden = hidden, .out = classes, .beside = hidden};
      sotto_params *params, *own;
      sotto_operator *spread;
      sotto_i_graph_net net = make_net(&params, &options, &random), deep = make_net(&own, &embedder, &random);
      sotto_matrix x = check_random_matrix(&random, nodes, in), z, before, after;
      CHECK_OK(sotto_matrix_new(&z, nodes, hidden, &err));
      CHECK_OK(sotto_i_graph_net_operator(&spread, &options, &path, &err));
      for (size_t j = 0; j < nodes * in; j++) x.data[j] = fabsf(x.data[j]);
      for (size_t i = 0; i < sotto_params_count(own); i++) { /* no unit dies, so that all paths are open */
        sotto_matrix *value = sotto_params_value(own, i);
        for (size_t j = 0; j < value->rows * value->cols; j++) value->data[j] = fabsf(value->data[j]);
      }
      for (size_t i = 0; i < sotto_params_count(params); i++) {
        sotto_matrix *value = sotto_params_value(params, i);
        for (size_t j = 0; j < value->rows * value->cols; j++) value->data[j] = fabsf(value->data[j]);
      }
      const sotto_i_graph_batch plain = {.features = &x, .spread = spread};
      const sotto_i_graph_batch completed = {.features = &x, .spread = spread, .beside = &z};
      fill_beside(&z, &path, &deep, own, &plain);
      before = apply(&net, params, &completed, false);
      for (size_t moved = 0; moved < nodes; moved++) {
        const float was = x.data[moved * in];
        x.data[moved * in] += 100;
        fill_beside(&z, &path, &deep, own, &plain);
        after = apply(&net, params, &completed, false);
        bool same = memcmp(before.data, after.data, classes * sizeof(float)) == 0;
        assert_int_equal(same, moved > fused + hops);
        x.data[moved * in] = was;
        sotto_matrix_free(&after);
      }
      sotto_matrix_free(&before);
      sotto_matrix_free(&x);
      sotto_matrix_free(&z);
      sotto_operator_free(spread);
      sotto_params_free(params);
      sotto_params_free(own);
    }
  sotto_graph_free(&path);
}

static const sotto_i_generator_options small = {.in = 4,
                                                .hidden = 5,
                                                .layers = 2,
                                                .width = 3,
                                                .most = 2,
                                                .classes = 3,
                                                .hide = 0.3,
                                                .count_weight = 0.7,
                                                .hidden_weight = 1.3,
                                                .other_weight = 0.2,
                                                .rate = 0.6,
                                                .fan_out = 3,
                                                .epochs = 60,
                                                .adam = {0.01F, 0.9F, 0.999F, 1e-8F, 0}};

typedef struct fixture {
  sotto_dataset data;
  sotto_matrix targets, others;
  uint32_t training[60];
  sotto_i_generator generator;
  sotto_i_generator_data of;
  sotto_i_candidates candidates;
  sotto_key key;
} fixture;

static fixture make(sotto_i_random *random) {
  fixture f;
  const sotto_sbm_options sbm = {
      .nodes = 60, .classes = 3, .features = 4, .degree_inside = 6, .degree_outside = 1, .feature_signal = 2};
  sotto_key_public(&f.key, 4);
  CHECK_OK(sotto_generate_sbm(&f.data, &sbm, &f.key, &err));
  f.targets = check_random_matrix(random, 60, 3);
  f.others = check_random_matrix(random, 8, 3);
  for (uint32_t v = 0; v < 60; v++) f.training[v] = v;
  CHECK_OK(sotto_i_candidates_by_client(&f.candidates, 2, 4, &err));
  CHECK_OK(sotto_i_generator_new(&f.generator, &small, 0, &f.key, &err));
  return f;
}

static void point(fixture *f) {
  f->of = (sotto_i_generator_data){.graph = &f->data.graph,
                                   .features = &f->data.features,
                                   .targets = &f->targets,
                                   .labels = f->data.labels,
                                   .training = f->training,
                                   .training_count = 60,
                                   .others = &f->others,
                                   .candidates = &f->candidates};
}

static void finish(fixture *f) {
  sotto_i_generator_free(&f->generator);
  sotto_i_candidates_free(&f->candidates);
  sotto_matrix_free(&f->targets);
  sotto_matrix_free(&f->others);
  sotto_dataset_free(&f->data);
}

static double loss_of(fixture *f, sotto_i_generator_turn *turn, sotto_tape *tape, bool backward) {
  const sotto_pass pass = {.tape = tape, .key = &f->key, .training = true};
  sotto_tape_reset(tape);
  sotto_params_zero_gradients(f->generator.params);
  sotto_params_zero_gradients(f->generator.judge);
  sotto_var loss = sotto_i_generator_loss(&f->generator, turn, &f->of, &pass);
  if (backward)
    CHECK_OK(sotto_tape_backward(tape, loss, &err));
  else
    CHECK_OK(sotto_tape_check(tape, &err));
  return sotto_tape_value(tape, loss).data[0];
}

/* Loss with one parameter moved. */
static double moved(fixture *f, sotto_i_generator_turn *turn, sotto_tape *tape, float *value, float step) {
  const float was = *value;
  *value = was + step;
  double loss = loss_of(f, turn, tape, false);
  *value = was;
  return loss;
}

/* Compares at a parameter drawn, and moved, anew until no kink (ReLU, another nearest row, a count that
 * rounds elsewhere) lies within a step: there, differences to both sides are not alike. */
static void compare_gradient(fixture *f, sotto_i_generator_turn *turn, sotto_tape *tape,
                             sotto_i_random *random, sotto_params *params, size_t i) {
  const float step = 2e-3F;
  for (int tries = 0; tries < 50; tries++) {
    sotto_matrix *value = sotto_params_value(params, i);
    size_t at = (size_t)sotto_i_random_below(random, value->rows * value->cols);
    double here = loss_of(f, turn, tape, true), slope = sotto_params_gradient(params, i)->data[at];
    double above = (moved(f, turn, tape, value->data + at, step) - here) / (double)step,
           below = (here - moved(f, turn, tape, value->data + at, -step)) / (double)step;
    double allowed = 2e-2 * fmax(0.2, fabs(slope));
    if (fabs(above - below) > allowed) {
      value->data[at] += 0.1F * (float)(sotto_i_random_double(random) - 0.5);
      continue;
    }
    CHECK_NEAR((above + below) / 2, slope, allowed);
    return;
  }
  fail_msg("parameter %zu: a kink within a step in 50 tries", i);
}

static void gradients_of_the_whole_loss_are_its_differences(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  fixture f = make(&random);
  sotto_i_generator_turn turn;
  sotto_tape *tape;
  point(&f);
  randomise(f.generator.params, &random);
  randomise(f.generator.judge, &random);
  CHECK_OK(sotto_i_generator_turn_new(&turn, &f.generator, &f.of, &err));
  CHECK_OK(sotto_i_generator_turn_draw(&turn, &f.generator, &f.of, &f.key, 3, &err));
  assert_true(turn.completed_count > 10 && turn.learnt_count > 10);
  CHECK_OK(sotto_tape_new(&tape, &err));
  for (int set = 0; set < 2; set++) {
    sotto_params *params = set == 0 ? f.generator.params : f.generator.judge;
    for (size_t i = 0; i < sotto_params_count(params); i++)
      compare_gradient(&f, &turn, tape, &random, params, i);
  }
  sotto_tape_free(tape);
  sotto_i_generator_turn_free(&turn);
  finish(&f);
}

/* Neighbours of a node have its class's row: the generator should come to make it. */
static void a_generator_learns_how_many_and_what_is_missing(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  fixture f = make(&random);
  sotto_matrix made;
  uint32_t counts[60];
  double wrong = 0, plain = 0, total = 0;
  for (size_t v = 0; v < 60; v++)
    for (size_t j = 0; j < 3; j++) f.targets.data[v * 3 + j] = (size_t)f.data.labels[v] == j ? 1 : 0;
  point(&f);
  f.of.candidates = NULL;
  f.generator.options.epochs = 200;
  CHECK_OK(sotto_i_generator_fit(&f.generator, &f.of, &f.key, NULL, &err));
  CHECK_OK(sotto_i_generator_make(counts, &made, &f.generator, &f.of, &err));
  for (size_t v = 0; v < 60; v++) {
    total += counts[v];
    for (size_t j = 0; j < 3; j++) {
      wrong += pow(made.data[v * 6 + j] - f.targets.data[v * 3 + j], 2) / 60;
      plain += pow(1.0 / 3 - f.targets.data[v * 3 + j], 2) / 60;
    }
  }
  assert_true(wrong < 0.6 * plain);        /* plain: the mean of all rows for everyone */
  assert_true(total > 60 && total <= 120); /* 0.3 of 7 are hidden, and 2 at most are made */
  sotto_matrix_free(&made);
  finish(&f);
}

static void a_client_with_nothing_to_learn_from_gets_a_generator_all_the_same(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  fixture f = make(&random);
  sotto_graph one;
  sotto_matrix mean, row = check_random_matrix(&random, 1, 4);
  point(&f);
  CHECK_OK(sotto_graph_from_pairs(&one, 1, NULL, NULL, 0, &err));
  f.of.graph = &one;
  f.of.features = &row;
  f.of.training_count = 0;
  CHECK_OK(sotto_i_generator_fit(&f.generator, &f.of, &f.key, NULL, &err));
  CHECK_OK(sotto_i_generator_mean(&mean, &f.generator, &f.of, &err));
  assert_true(mean.rows == 1 && mean.cols == 3 && isfinite(mean.data[0]));
  sotto_matrix_free(&mean);
  sotto_matrix_free(&row);
  sotto_graph_free(&one);
  finish(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_fused_convolution_is_one_matrix_over_both_inputs),
      cmocka_unit_test(k_fused_layers_with_l_hop_embeddings_see_k_plus_l_hops),
      cmocka_unit_test(gradients_of_the_whole_loss_are_its_differences),
      cmocka_unit_test(a_generator_learns_how_many_and_what_is_missing),
      cmocka_unit_test(a_client_with_nothing_to_learn_from_gets_a_generator_all_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
