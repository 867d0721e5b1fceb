/* Federated averaging, held to what it should be: descent on the loss of all clients together. */
#include <math.h>

#include "check.h"
#include "federation.h"
#include "inside/graph.h"
#include "inside/nn.h"
#include "inside/tensor.h"
#include "tensor/tape.h"

/* The nodes of all clients as one graph without the edges between clients. */
static void without_edges_between(sotto_graph *out, const sotto_graph *graph, const uint32_t *owner) {
  uint32_t *pairs[2];
  uint64_t count = 0;
  for (int i = 0; i < 2; i++) assert_non_null(pairs[i] = calloc(graph->entries, sizeof(uint32_t)));
  for (uint32_t v = 0; v < graph->nodes; v++)
    for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++)
      if (owner[v] == owner[graph->targets[e]]) {
        pairs[0][count] = v;
        pairs[1][count++] = graph->targets[e];
      }
  CHECK_OK(sotto_graph_from_pairs(out, graph->nodes, pairs[0], pairs[1], count, &err));
  for (int i = 0; i < 2; i++) free(pairs[i]);
}

/* Descent, or Adam, on the mean loss over all training nodes, in one place. */
static void descend(double *losses, const check_federation *f) {
  sotto_options o = f->options;
  sotto_options_resolve(&o);
  const sotto_i_job job = {.options = &o, .data = &f->data, .seed = 1};
  const sotto_i_federation shared = {.options = &o,
                                     .settings = sotto_i_client_settings_of(&o),
                                     .seed = 1,
                                     .clients = 4,
                                     .taking = 4,
                                     .classes = 3,
                                     .inputs = 5};
  uint32_t owner[90];
  sotto_key key;
  sotto_graph graph;
  sotto_i_parted parted;
  sotto_i_fed_model model;
  sotto_matrix features;
  sotto_operator *spread;
  sotto_tape *tape;
  sotto_key_public(&key, 1);
  CHECK_OK(sotto_deal_iid(owner, &f->data, 4, &key, &err));
  without_edges_between(&graph, &f->data.graph, owner);
  CHECK_OK(sotto_i_parted_new(&parted, &job, &err));
  CHECK_OK(sotto_i_fed_model_new(&model, &shared, &err));
  CHECK_OK(sotto_i_fed_features(&features, &o, &f->data, &err));
  CHECK_OK(sotto_i_graph_net_operator(&spread, &model.net.options, &graph, &err));
  CHECK_OK(sotto_tape_new(&tape, &err));
  const sotto_i_graph_batch batch = {.features = &features, .spread = spread};
  const sotto_adam adam = sotto_i_job_training(&o, 1).adam;
  const sotto_sgd sgd = {.learning_rate = (float)o.learning_rate, .weight_decay = (float)o.weight_decay};
  for (uint64_t round = 0; round < sotto_i_client_settings_of(&o)->rounds; round++) {
    const sotto_pass pass = {.tape = tape, .key = &key, .training = true};
    sotto_tape_reset(tape);
    sotto_params_zero_gradients(model.params);
    sotto_var y = sotto_i_graph_net_apply(&model.net, model.params, &pass, &batch);
    sotto_var loss = sotto_tape_cross_entropy(tape, y, f->data.labels, parted.split.rows[SOTTO_PART_TRAIN],
                                              parted.split.count[SOTTO_PART_TRAIN]);
    CHECK_OK(sotto_tape_backward(tape, loss, &err));
    losses[round] = sotto_tape_value(tape, loss).data[0];
    if (shared.settings->optimiser == SOTTO_I_OPTIMISER_SERVER_ADAM)
      CHECK_OK(sotto_adam_step(model.params, &adam, &err));
    else
      CHECK_OK(sotto_sgd_step(model.params, &sgd, &err));
  }
  sotto_tape_free(tape);
  sotto_operator_free(spread);
  sotto_matrix_free(&features);
  sotto_i_fed_model_free(&model);
  sotto_i_parted_free(&parted);
  sotto_graph_free(&graph);
}

static void one_step_a_round_is_descent_on_the_loss_of_all_clients(void **state) {
  (void)state;
  double losses[6], wanted[6];
  check_federation f = check_federation_new("central");
  sotto_result result = check_run(&f.options, &f.data);
  check_losses(losses, 6, &f.options, NULL);
  descend(wanted, &f);
  for (int round = 0; round < 6; round++) CHECK_NEAR(losses[round], wanted[round], 1e-5);
  assert_true(losses[5] < losses[0] - 0.01);
  sotto_result_free(&result);
  sotto_dataset_free(&f.data);
}

/* FedAdam: with one step a round the server's Adam is Adam on the loss of all clients, whoever has what. */
static void adam_at_the_server_is_adam_on_the_loss_of_all_clients(void **state) {
  (void)state;
  static const char *const kinds[] = {"gcn", "sage"};
  for (int i = 0; i < 2; i++) {
    char folder[16];
    double losses[6], wanted[6];
    (void)snprintf(folder, sizeof folder, "adam-%d", i);
    check_federation f = check_federation_new(folder);
    check_set(&f.options, "optimiser", "server-adam");
    check_set(&f.options, "learning-rate", "0.1");
    check_set(&f.options, "weight-decay", "0.01");
    check_set(&f.options, "aggregator", kinds[i]);
    sotto_result result = check_run(&f.options, &f.data);
    check_losses(losses, 6, &f.options, NULL);
    descend(wanted, &f);
    for (int round = 0; round < 6; round++) CHECK_NEAR(losses[round], wanted[round], 1e-5);
    assert_true(losses[5] < losses[0] - 0.01);
    sotto_result_free(&result);
    sotto_dataset_free(&f.data);
  }
}

static void sums_that_hide_each_client_train_the_same_model(void **state) {
  (void)state;
  check_federation open = check_federation_new("open"), hidden = check_federation_new("hidden");
  double seen[6], masked[6];
  check_set(&hidden.options, "secure-aggregation", "true");
  sotto_result a = check_run(&open.options, &open.data), b = check_run(&hidden.options, &hidden.data);
  check_losses(seen, 6, &open.options, NULL);
  check_losses(masked, 6, &hidden.options, NULL);
  for (int round = 0; round < 6; round++) CHECK_NEAR(masked[round], seen[round], 1e-6);
  CHECK_NEAR(a.seeds[0].test.of[SOTTO_MEASURE_ACCURACY], b.seeds[0].test.of[SOTTO_MEASURE_ACCURACY], 0);
  for (int m = SOTTO_MEASURE_ACCURACY; m <= SOTTO_MEASURE_MACRO_F1;
       m++) /* from the sum of all clients' counts */
    CHECK_NEAR(a.seeds[0].test.of[m], b.seeds[0].test.of[m], m == SOTTO_MEASURE_AUC ? 1e-2 : 0);
  /* What clients show: updates, and how many validation items are right; with sums, nothing. */
  assert_true(a.data_exposures == 2 && b.data_exposures == 0);
  assert_true(strcmp(a.exposures[0].name, "validation") == 0 ||
              strcmp(a.exposures[1].name, "validation") == 0);
  assert_int_equal(b.data_party.sent[SOTTO_WIRE_EXPOSED], 0);
  assert_true(a.data_party.sent[SOTTO_WIRE_SEALED] == 0 && b.data_party.sent[SOTTO_WIRE_SEALED] > 0);
  sotto_result_free(&a);
  sotto_result_free(&b);
  sotto_dataset_free(&open.data);
  sotto_dataset_free(&hidden.data);
}

/* Bytes that one client sends in a round of secure aggregation, by docs/federated.md. */
static void bytes_are_those_of_the_formula(void **state) {
  (void)state;
  check_federation f = check_federation_new("bytes");
  double losses[6];
  uint64_t bytes[6], values = 5 * 4 + 4 + 4 * 3 + 3 + SOTTO_I_FED_EXTRAS;
  check_set(&f.options, "secure-aggregation", "true");
  sotto_result result = check_run(&f.options, &f.data);
  check_losses(losses, 6, &f.options, bytes);
  for (int round = 0; round < 6; round++) assert_int_equal(bytes[round], 4 * (224 + 112 * 3 + 8 * values));
  sotto_result_free(&result);
  sotto_dataset_free(&f.data);
}

static void a_fraction_of_the_clients_takes_part_and_changes_from_round_to_round(void **state) {
  (void)state;
  sotto_options o;
  uint32_t taking[3], seen[8] = {0};
  sotto_options_default(&o);
  const sotto_i_federation f = {
      .options = &o, .settings = sotto_i_client_settings_of(&o), .seed = 3, .clients = 8, .taking = 3};
  for (uint64_t round = 1; round <= 400; round++) {
    CHECK_OK(sotto_i_fed_round(taking, &f, round, &err));
    assert_true(taking[0] < taking[1] && taking[1] < taking[2] && taking[2] < 8);
    for (int i = 0; i < 3; i++) seen[taking[i]]++;
  }
  for (int i = 0; i < 8; i++) assert_true(seen[i] > 100 && seen[i] < 200); /* of 150 expected */
  check_federation part = check_federation_new("part");
  double losses[6];
  uint64_t bytes[6];
  check_set(&part.options, "fraction", "0.5");
  sotto_result result = check_run(&part.options, &part.data);
  check_losses(losses, 6, &part.options, bytes);
  for (int round = 0; round < 6; round++) assert_int_equal(bytes[round], 2 * 4 * (39 + SOTTO_I_FED_EXTRAS));
  sotto_result_free(&result);
  sotto_dataset_free(&part.data);
}

/* The larger mu, the nearer a client stays to the model that came. */
static void fedprox_keeps_clients_near_the_average(void **state) {
  (void)state;
  static const char *const mus[] = {"0", "0.5", "1.5"};
  double last = INFINITY;
  for (int i = 0; i < 3; i++) {
    check_federation f = check_federation_new("prox");
    check_set(&f.options, "prox-mu", mus[i]);
    check_set(&f.options, "epochs", "20");
    sotto_options_resolve(&f.options);
    const sotto_i_job job = {.options = &f.options, .data = &f.data, .seed = 1};
    const sotto_i_federation shared = {.options = &f.options,
                                       .settings = sotto_i_client_settings_of(&f.options),
                                       .epochs = f.options.epochs,
                                       .seed = 1,
                                       .clients = 2,
                                       .taking = 2,
                                       .classes = 3,
                                       .inputs = 5};
    sotto_i_parted parted;
    sotto_i_fed_client c = {.federation = &shared, .data = f.data};
    double loss, moved = 0;
    CHECK_OK(sotto_i_parted_new(&parted, &job, &err));
    CHECK_OK(sotto_i_fed_model_new(&c.model, &shared, &err));
    CHECK_OK(sotto_i_fed_features(&c.features, &f.options, &f.data, &err));
    CHECK_OK(sotto_i_graph_net_operator(&c.spread, &c.model.net.options, &f.data.graph, &err));
    CHECK_OK(sotto_tape_new(&c.tape, &err));
    CHECK_OK(sotto_matrix_new(&c.global, 1, c.model.size, &err));
    sotto_key_public(&c.key, 1);
    sotto_i_fed_model_pack(c.global.data, &c.model);
    c.rows[SOTTO_PART_TRAIN] = parted.split.rows[SOTTO_PART_TRAIN];
    c.count[SOTTO_PART_TRAIN] = parted.split.count[SOTTO_PART_TRAIN];
    CHECK_OK(sotto_i_fed_train(&c, &loss, &err));
    float *now = calloc(c.model.size, sizeof *now);
    assert_non_null(now);
    sotto_i_fed_model_pack(now, &c.model);
    for (size_t j = 0; j < c.model.size; j++) moved += pow(now[j] - c.global.data[j], 2);
    assert_true(moved > 0 && moved < last);
    last = moved;
    free(now);
    c.rows[SOTTO_PART_TRAIN] = NULL;
    sotto_i_parted_free(&parted);
    sotto_i_fed_client_free(&c);
  }
}

static void batches_and_threads_do_not_change_what_is_learnt_from_a_seed(void **state) {
  (void)state;
  double losses[3][6];
  for (int i = 0; i < 3; i++) {
    char folder[16];
    (void)snprintf(folder, sizeof folder, "threads-%d", i);
    check_federation f = check_federation_new(folder);
    check_set(&f.options, "batch-size", "5");
    check_set(&f.options, "optimiser", "adam");
    check_set(&f.options, "dropout", "0.5");
    check_set(&f.options, "aggregator", "gin");
    check_set(&f.options, "layers", "2");
    CHECK_OK(sotto_threads_set((unsigned)i + 1, &err));
    sotto_result result = check_run(&f.options, &f.data);
    check_losses(losses[i], 6, &f.options, NULL);
    sotto_result_free(&result);
    sotto_dataset_free(&f.data);
  }
  CHECK_OK(sotto_threads_set(0, &err));
  assert_memory_equal(losses[0], losses[1], sizeof losses[0]);
  assert_memory_equal(losses[0], losses[2], sizeof losses[0]);
}

static void memory_of_values_belongs_to_turns_and_not_to_clients(void **state) {
  (void)state;
  check_federation f = check_federation_new("turns");
  check_clients clients;
  CHECK_OK(sotto_threads_set(2, &err));
  check_clients_new(&clients, &f.options, &f.data);
  sotto_i_turns *turns = check_clients_shared(&clients)->turns;
  assert_int_equal(clients.count, 4);
  for (uint32_t i = 0; i < clients.count; i++) {
    float extras[SOTTO_I_FED_EXTRAS];
    double loss;
    CHECK_OK(sotto_i_fed_validate(&clients.of[i], extras, &err));
    CHECK_OK(sotto_i_fed_train(&clients.of[i], &loss, &err));
    assert_true(extras[SOTTO_I_FED_ASKED] > 0 && loss > 0);
    assert_int_equal(clients.of[i].tape->arena.total, 0);
  }
  /* One turn after the other: all used the same memory, and the second turn has none. */
  const uint32_t first = sotto_i_turn_begin(turns, clients.of[0].tape);
  const uint32_t second = sotto_i_turn_begin(turns, clients.of[1].tape);
  assert_int_not_equal(first, second);
  assert_true(clients.of[0].tape->arena.total > 0);
  assert_int_equal(clients.of[1].tape->arena.total, 0);
  sotto_i_turn_end(turns, second, clients.of[1].tape);
  sotto_i_turn_end(turns, first, clients.of[0].tape);
  check_clients_free(&clients);
  sotto_dataset_free(&f.data);
  CHECK_OK(sotto_threads_set(0, &err));
}

static void graphs_of_a_collection_are_classified(void **state) {
  (void)state;
  const char *path = check_shared("data/tu/MUTAG");
  if (path == NULL) skip();
  static const char *const aggregators[] = {"gcn", "gin"}, *const batches[] = {"0", "6"};
  for (int i = 0; i < 2; i++) {
    check_federation f = check_federation_new(aggregators[i]);
    sotto_dataset_free(&f.data);
    CHECK_OK(sotto_dataset_open(&f.data, path, NULL, &err));
    check_set(&f.options, "aggregator", aggregators[i]);
    check_set(&f.options, "batch-size", batches[i]);
    check_set(&f.options, "optimiser", "adam");
    check_set(&f.options, "learning-rate", "0.01");
    check_set(&f.options, "layers", "2");
    check_set(&f.options, "rounds", "12");
    check_set(&f.options, "hidden", "16");
    sotto_result result = check_run(&f.options, &f.data);
    double losses[12];
    check_losses(losses, 12, &f.options, NULL);
    assert_true(losses[11] < losses[0]);
    assert_true(result.seeds[0].test.of[SOTTO_MEASURE_ACCURACY] > 0.55);
    sotto_result_free(&result);
    sotto_dataset_free(&f.data);
  }
}

static void a_client_that_fails_is_named(void **state) {
  (void)state;
  check_federation f = check_federation_new("fails");
  sotto_result result;
  check_set(&f.options, "feature-scale", "none");
  for (size_t i = 0; i < 90 * 5; i++) f.data.features.data[i] *= 1e30F;
  CHECK_FAILS(SOTTO_NUMERIC, "client ", sotto_train(&result, &f.options, &f.data, NULL, NULL, &err));
  sotto_dataset_free(&f.data);
}

static void options_that_do_not_fit_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *key, *value, *words;
    sotto_status status;
  } rows[] = {
      {"aggregator", "mean", "does not have 'mean', but: gcn gin sage", SOTTO_UNSUPPORTED},
      {"feature-scale", "standard", "does not have 'standard', but: suited l2 none", SOTTO_UNSUPPORTED},
      {"select-by", "auc", "method fedavg has no such option", SOTTO_INVALID},
      {"patience", "5", "method fedavg has no such option", SOTTO_INVALID},
      {"adjacency", "k-neighbour", "it protects edges, nodes, graphs or clients", SOTTO_UNSUPPORTED},
      {"clients", "91", "91 clients for 90 nodes", SOTTO_RANGE},
      {"local-momentum", "0.9", "optimiser sgd", SOTTO_INVALID},
      {"partition", "file:nowhere", "nowhere", SOTTO_NOT_FOUND},
      {"partition", "dirichlet:0", "outside 0.001 to 1e6", SOTTO_RANGE},
      {"partition", "dirichlet:", "partition", SOTTO_PARSE},
      {"partition", "5:5", "none of alike, communities", SOTTO_INVALID},
      {"partition", "file:", "none of alike, communities", SOTTO_INVALID}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    check_federation f = check_federation_new("refused");
    sotto_result result;
    if (strcmp(rows[i].key, "local-momentum") == 0) check_set(&f.options, "optimiser", "adam");
    check_set(&f.options, rows[i].key, rows[i].value);
    CHECK_FAILS(rows[i].status, rows[i].words, sotto_train(&result, &f.options, &f.data, NULL, NULL, &err));
    sotto_dataset_free(&f.data);
  }
  check_federation f = check_federation_new("refused");
  sotto_result result;
  check_set(&f.options, "clients", "2");
  check_set(&f.options, "secure-aggregation", "true");
  CHECK_FAILS(SOTTO_INVALID, "fewer than 3", sotto_train(&result, &f.options, &f.data, NULL, NULL, &err));
  sotto_dataset_free(&f.data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_step_a_round_is_descent_on_the_loss_of_all_clients),
      cmocka_unit_test(adam_at_the_server_is_adam_on_the_loss_of_all_clients),
      cmocka_unit_test(sums_that_hide_each_client_train_the_same_model),
      cmocka_unit_test(bytes_are_those_of_the_formula),
      cmocka_unit_test(a_fraction_of_the_clients_takes_part_and_changes_from_round_to_round),
      cmocka_unit_test(fedprox_keeps_clients_near_the_average),
      cmocka_unit_test(batches_and_threads_do_not_change_what_is_learnt_from_a_seed),
      cmocka_unit_test(memory_of_values_belongs_to_turns_and_not_to_clients),
      cmocka_unit_test(graphs_of_a_collection_are_classified),
      cmocka_unit_test(a_client_that_fails_is_named),
      cmocka_unit_test(options_that_do_not_fit_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
