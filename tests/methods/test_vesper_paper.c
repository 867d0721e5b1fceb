/* VESPER as its paper has it: the pieces of its network, the claim, and what the ledger is charged instead.
 */
#include "methods/vesper/as_published/vesper_paper_layers.h"

#include <math.h>

#include "base/file.h"
#include "check.h"
#include "gradient.h"
#include "inside/dp.h"
#include "inside/tensor.h"
#include "ledgers.h"
#include "methods/vesper/as_published/vesper_paper_plan.h"
#include "release/plan.h"
#include "small_graph.h"
#include "sotto/claims.h"
#include "sotto/generate.h"
#include "sotto/model.h"

enum { nodes = 200 };

static sotto_dataset make_data(void) {
  sotto_dataset data;
  sotto_key key;
  const sotto_sbm_options options = {.nodes = nodes,
                                     .classes = 2,
                                     .features = 6,
                                     .degree_inside = 5,
                                     .degree_outside = 1,
                                     .feature_signal = 2};
  sotto_key_public(&key, 4);
  CHECK_OK(sotto_generate_sbm(&data, &options, &key, &err));
  return data;
}

static sotto_options options_for(const char *aggregator, const char *folder) {
  static const char *const settings[][2] = {{"data", "made"},      {"accounting", "paper"}, {"hidden", "5"},
                                            {"epochs", "2"},       {"batch-size", "16"},    {"fan-out", "3"},
                                            {"degree-floor", "2"}, {"epsilon", "4"},        {"threads", "1"}};
  sotto_options o;
  sotto_options_default(&o);
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    CHECK_OK(sotto_options_set(&o, settings[i][0], settings[i][1], &err));
  CHECK_OK(sotto_options_set(&o, "aggregator", aggregator, &err));
  (void)snprintf(o.out, sizeof o.out, "%s", check_path(folder));
  CHECK_OK(sotto_i_make_folder(o.out, &err));
  (void)snprintf(o.ledger, sizeof o.ledger, "%.900s/ledger.db", o.out);
  (void)check_new_ledger(o.ledger);
  sotto_options_resolve(&o);
  return o;
}

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
    sotto_options o = options_for(round % 2 == 0 ? "gin" : "gcn", "sampler");
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
  sotto_options o = options_for("gin", "alike");
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
  sotto_options o = options_for("gcn", "gradients");
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
  sotto_dataset data = make_data();
  sotto_options o = options_for("gin", "clip");
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

/* The data party does not know which nodes have labels, and plans as if all had. */
static void parties_plan_as_if_every_node_had_a_label(void **state) {
  (void)state;
  static const sotto_i_seat data_seat = {.role = SOTTO_ROLE_DATA}, label_seat = {.role = SOTTO_ROLE_LABEL};
  sotto_dataset data = make_data(), blind = data;
  sotto_options o = options_for("gin", "seats");
  sotto_i_job job = {.options = &o, .data = &data, .seed = 1};
  sotto_i_paper_plan whole, label, graph;
  int32_t some[nodes];
  blind.labels = NULL;
  CHECK_OK(sotto_i_paper_plan_new(&whole, &job, &err));
  job.seat = &label_seat;
  CHECK_OK(sotto_i_paper_plan_new(&label, &job, &err));
  job.seat = &data_seat;
  job.data = &blind;
  CHECK_OK(sotto_i_paper_plan_new(&graph, &job, &err));
  assert_true(label.grid.sigma == whole.grid.sigma && graph.grid.sigma == whole.grid.sigma);
  assert_true(label.steps == whole.steps && graph.steps == whole.steps);
  memcpy(some, data.labels, sizeof some);
  for (size_t i = 0; i < 30; i++) some[i] = -1;
  blind.labels = some;
  CHECK_OK(sotto_i_paper_plan_new(&graph, &job, &err)); /* it reads no label */
  assert_true(graph.steps == whole.steps);
  job.seat = &label_seat;
  CHECK_FAILS(SOTTO_INVALID, "each needs a label", sotto_i_paper_plan_new(&label, &job, &err));
  CHECK_OK(sotto_options_set(&o, "split", "planetoid", &err));
  CHECK_FAILS(SOTTO_UNSUPPORTED, "take one of these", sotto_i_paper_plan_new(&label, &job, &err));
  sotto_dataset_free(&data);
}

static void the_claim_is_the_papers_and_the_charge_is_not(void **state) {
  (void)state;
  sotto_dataset data = make_data();
  double noise[2];
  for (int gcn = 0; gcn < 2; gcn++) {
    sotto_options o = options_for(gcn ? "gcn" : "gin", "claim");
    const sotto_i_job job = {.options = &o, .data = &data, .seed = 1};
    sotto_cost cost;
    double claimed, gamma, eta = sqrt(2), shown;
    CHECK_OK(sotto_i_variant_of(&o)->price(&cost, &job, &err));
    const sotto_paper_claim *c = &cost.claim;
    noise[gcn] = c->noise;
    if (gcn) CHECK_OK(sotto_paper_vesper_eta(&eta, 2, &err));
    CHECK_OK(sotto_paper_vesper(&claimed, NULL, c->noise, eta, 2, 3, 140, 16, 2 * 9, o.delta, &err));
    CHECK_NEAR(claimed, c->epsilon, 1e-12);
    assert_true(c->epsilon <= 4 && c->epsilon > 3.999);
    CHECK_OK(sotto_paper_vesper_gamma(&gamma, 2, 3, 140, 16, &err));
    CHECK_NEAR(c->gamma, gamma, 1e-12);
    /* 18 steps of 16 roots, and all nodes once; two layers of each, every row by up to 2 clip. */
    const double clip = gcn ? 2 : 4, rows[] = {18 * 16, nodes};
    assert_int_equal(cost.count, 2);
    for (size_t i = 0; i < cost.count; i++) {
      const double mu = 2 * clip / c->noise * sqrt(2 * rows[i]);
      assert_true(cost.items[i].mu >= mu && cost.items[i].mu < 1.1 * mu);
    }
    CHECK_OK(sotto_i_cost_epsilon(&shown, &cost, 1, o.delta, &err));
    assert_true(shown > 100);
  }
  assert_true(noise[1] < noise[0]);
  sotto_dataset_free(&data);
}

/* All seeds are charged alike. */
static void folds_of_other_sizes_are_refused(void **state) {
  (void)state;
  sotto_dataset data = make_data();
  sotto_options o = options_for("gin", "folds");
  const sotto_i_job job = {.options = &o, .data = &data, .seed = o.seed};
  sotto_cost cost;
  CHECK_OK(sotto_options_set(&o, "split", "kfold", &err));
  o.seeds = 3;
  o.folds = 5; /* of 200 nodes */
  CHECK_OK(sotto_i_vesper_paper_price(&cost, &job, &err));
  o.seeds = o.folds = 7;
  CHECK_FAILS(SOTTO_INVALID, "take a number that divides", sotto_i_vesper_paper_price(&cost, &job, &err));
  sotto_dataset_free(&data);
}

static sotto_status train(const sotto_options *o, const sotto_dataset *data, sotto_error *err) {
  sotto_result result = {0};
  sotto_status status = sotto_train(&result, o, data, NULL, NULL, err);
  sotto_result_free(&result);
  return status;
}

/* A budget that the claim would fit refuses the run, and nothing is trained. */
static void a_budget_is_held_to_what_can_be_shown(void **state) {
  (void)state;
  sotto_dataset data = make_data();
  sotto_options o = options_for("gin", "budget");
  sotto_ledger *ledger;
  char path[1200];
  ledger = check_ledger_at(o.ledger);
  CHECK_OK(
      sotto_ledger_set_budget(ledger, data.account, "made", "edge", &(sotto_budget){20, 1e-6}, "", &err));
  sotto_ledger_close(ledger);
  CHECK_FAILS(SOTTO_REFUSED, "budget", train(&o, &data, &err));
  (void)snprintf(path, sizeof path, "%.1000s/seed-1/begun", o.out);
  assert_false(sotto_i_is_file(path));
  sotto_dataset_free(&data);
}

static void training_that_was_cut_short_cannot_go_on(void **state) {
  (void)state;
  sotto_dataset data = make_data();
  sotto_options o = options_for("gcn", "cut");
  char path[1200];
  CHECK_OK(train(&o, &data, &err));
  o.resume = true;
  CHECK_OK(train(&o, &data, &err)); /* it is done, and stands */
  (void)snprintf(path, sizeof path, "%.1000s/seed-1/result.json", o.out);
  assert_int_equal(remove(path), 0);
  CHECK_FAILS(SOTTO_INVALID, "cut short", train(&o, &data, &err));
  sotto_dataset_free(&data);
}

static size_t right_of(const sotto_matrix *answers, const sotto_dataset *data, const uint32_t *rows,
                       size_t count) {
  size_t right = 0;
  for (size_t i = 0; i < count; i++) {
    size_t best = 0;
    const float *row = answers->data + rows[i] * answers->cols;
    for (size_t c = 1; c < answers->cols; c++) best = row[c] > row[best] ? c : best;
    right += (int32_t)best == data->labels[rows[i]];
  }
  return right;
}

static void hear_claim(void *context, sotto_log_level level, const char *text) {
  (void)level;
  if (strstr(text, "as published: ") != NULL && strstr(text, "; charged for a seed: ") != NULL)
    ++*(size_t *)context;
}

/* Answers are those that were measured in the training, from the same release, and nothing is charged. */
static void answers_are_those_of_the_training(void **state) {
  (void)state;
  static const char *const epsilons[] = {"1000", "inf"};
  sotto_dataset data = make_data();
  for (size_t noise_free = 0; noise_free < 2; noise_free++) {
    size_t said = 0, count;
    const sotto_observer observer = {.context = &said, .log = hear_claim};
    sotto_options o = options_for("gcn", noise_free ? "answers-clear" : "answers-noisy");
    sotto_result result;
    sotto_model *model;
    sotto_matrix answers, again;
    CHECK_OK(sotto_options_set(&o, "epsilon", epsilons[noise_free], &err));
    o.epochs = 30;
    CHECK_OK(sotto_train(&result, &o, &data, NULL, NULL, &err));
    const sotto_model_options asked = {.seed = SOTTO_UNSET, .observer = &observer};
    CHECK_OK(sotto_model_open(&model, o.out, &data, &asked, &err));
    CHECK_OK(sotto_model_query(&answers, model, &(sotto_query){.wanted = NULL}, &err));
    const uint32_t *test = sotto_model_part(model, SOTTO_PART_TEST, &count);
    CHECK_NEAR((double)right_of(&answers, &data, test, count) / (double)count,
               result.seeds[0].test.of[SOTTO_MEASURE_ACCURACY], 1e-9);
    assert_int_equal(said, noise_free ? 0 : 1);
    CHECK_OK(sotto_model_query(&again, model, &(sotto_query){.wanted = test, .wanted_count = count}, &err));
    for (size_t i = 0; i < count; i++)
      assert_memory_equal(again.data + i * again.cols, answers.data + test[i] * answers.cols,
                          answers.cols * sizeof(float));
    sotto_matrix_free(&answers);
    sotto_matrix_free(&again);
    sotto_model_free(model);
    sotto_result_free(&result);
  }
  sotto_dataset_free(&data);
}

/* Weights between layers follow from the run's edges: no charge covers a release of other data. */
static void other_data_is_answered_without_noise_alone(void **state) {
  (void)state;
  static const char *const epsilons[] = {"4", "inf"};
  sotto_dataset data = make_data(), other = make_data();
  sotto_key key;
  const sotto_sbm_options options = {.nodes = 90, .classes = 2, .features = 6, .degree_inside = 4};
  sotto_dataset_free(&other);
  sotto_key_public(&key, 5);
  CHECK_OK(sotto_generate_sbm(&other, &options, &key, &err));
  for (size_t noise_free = 0; noise_free < 2; noise_free++) {
    sotto_options o = options_for("gin", noise_free ? "other-clear" : "other-noisy");
    sotto_model *model;
    CHECK_OK(sotto_options_set(&o, "epsilon", epsilons[noise_free], &err));
    CHECK_OK(train(&o, &data, &err));
    sotto_model_options asked = {.seed = SOTTO_UNSET};
    if (noise_free) {
      sotto_matrix answers;
      CHECK_OK(sotto_model_open(&model, o.out, &other, &asked, &err));
      CHECK_OK(sotto_model_query(&answers, model, &(sotto_query){.wanted = NULL}, &err));
      assert_int_equal(answers.rows, 90);
      sotto_matrix_free(&answers);
      sotto_model_free(model);
      continue;
    }
    CHECK_FAILS(SOTTO_UNSUPPORTED, "no release of other data has a sound charge",
                sotto_model_open(&model, o.out, &other, &asked, &err));
    asked.epsilon = 1;
    CHECK_FAILS(SOTTO_UNSUPPORTED, "under sound accounting alone",
                sotto_model_open(&model, o.out, &other, &asked, &err));
    asked = (sotto_model_options){.seed = SOTTO_UNSET, .alone = true};
    CHECK_FAILS(SOTTO_UNSUPPORTED, "read a release for each node",
                sotto_model_open(&model, o.out, &other, &asked, &err));
  }
  sotto_dataset_free(&data);
  sotto_dataset_free(&other);
}

static void count_warnings(void *context, sotto_log_level level, const char *text) {
  if (level == SOTTO_LOG_WARNING && strstr(text, "noise as published is ") != NULL) ++*(size_t *)context;
}

/* The network without its message passing is measured in the same split, and no edge is read for it. */
static void the_row_without_edges_is_that_of_features_alone(void **state) {
  (void)state;
  sotto_dataset data = make_data();
  double without[2];
  for (int cut = 0; cut < 2; cut++) {
    sotto_options o = options_for("gin", cut ? "no-edges" : "edges");
    sotto_result result;
    o.epochs = 30;
    o.insecure_seed = 3; /* batches are the same */
    sotto_dataset own = data;
    uint64_t offsets[nodes + 1] = {0};
    uint32_t none[1] = {0};
    if (cut) own.graph = (sotto_graph){.nodes = nodes, .offsets = offsets, .targets = none};
    CHECK_OK(sotto_train(&result, &o, &own, NULL, NULL, &err));
    without[cut] = result.seeds[0].baseline_test.of[SOTTO_MEASURE_ACCURACY];
    assert_true(result.seeds[0].baseline_validation.of[SOTTO_MEASURE_ACCURACY] > 0);
    assert_true(result.seeds[0].test.of[SOTTO_MEASURE_ACCURACY] >= 0);
    sotto_result_free(&result);
  }
  assert_true(without[0] > 0.7); /* two classes, features of signal 2 */
  assert_true(without[0] == without[1]);
  sotto_dataset_free(&data);
}

static void noise_that_is_longer_than_rows_has_a_warning(void **state) {
  (void)state;
  static const struct {
    const char *epsilon;
    size_t warnings;
  } cases[] = {{"0.5", 1}, {"1000", 0}, {"inf", 0}};
  sotto_dataset data = make_data();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    size_t heard = 0;
    const sotto_observer observer = {.context = &heard, .log = count_warnings};
    sotto_options o = options_for("gin", cases[i].epsilon);
    sotto_result result;
    CHECK_OK(sotto_options_set(&o, "epsilon", cases[i].epsilon, &err));
    o.seeds = 2; /* it is said once */
    CHECK_OK(sotto_train(&result, &o, &data, &observer, NULL, &err));
    assert_int_equal(heard, cases[i].warnings);
    sotto_result_free(&result);
  }
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_batch_reads_at_most_so_many_neighbours_of_each_node),
      cmocka_unit_test(neighbours_are_drawn_alike),
      cmocka_unit_test(gradients_of_blocks_and_of_spectral_normalisation_are_right),
      cmocka_unit_test(a_row_moves_by_no_more_than_is_charged),
      cmocka_unit_test(what_is_not_finite_fails_nowhere),
      cmocka_unit_test(parties_plan_as_if_every_node_had_a_label),
      cmocka_unit_test(the_claim_is_the_papers_and_the_charge_is_not),
      cmocka_unit_test(folds_of_other_sizes_are_refused),
      cmocka_unit_test(a_budget_is_held_to_what_can_be_shown),
      cmocka_unit_test(training_that_was_cut_short_cannot_go_on),
      cmocka_unit_test(the_row_without_edges_is_that_of_features_alone),
      cmocka_unit_test(answers_are_those_of_the_training),
      cmocka_unit_test(other_data_is_answered_without_noise_alone),
      cmocka_unit_test(noise_that_is_longer_than_rows_has_a_warning),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
