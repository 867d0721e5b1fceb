/* Generators: the statistics they state, repeatability, refusals. */
#include <math.h>

#include "check.h"
#include "sotto/generate.h"

static sotto_key key;

static int make_key(void **state) {
  (void)state;
  sotto_key_public(&key, 20);
  return 0;
}

static void chains_carry_the_class_in_the_first_node_only(void **state) {
  (void)state;
  const sotto_chains_options options = {.classes = 3, .chains_per_class = 4, .length = 5, .features = 7};
  sotto_dataset data;
  CHECK_OK(sotto_generate_chains(&data, &options, &key, &err));
  assert_int_equal(data.graph.nodes, 60);
  assert_int_equal(data.graph.entries, 2 * 12 * 4);
  assert_int_equal(data.classes, 3);
  for (uint64_t v = 0; v < 60; v++) {
    bool first = v % 5 == 0, last = v % 5 == 4;
    assert_int_equal(data.labels[v], v / 20);
    assert_int_equal(sotto_graph_degree(&data.graph, v), first || last ? 1 : 2);
    if (!last) assert_int_equal(data.graph.targets[data.graph.offsets[v + 1] - 1], v + 1);
    for (size_t j = 0; j < 7; j++)
      assert_true(data.features.data[v * 7 + j] == (first && j == v / 20 ? 1.0F : 0.0F));
  }
  sotto_dataset_free(&data);
}

static void a_chain_may_be_a_single_node(void **state) {
  (void)state;
  const sotto_chains_options options = {.classes = 2, .chains_per_class = 3, .length = 1, .features = 2};
  sotto_dataset data;
  CHECK_OK(sotto_generate_chains(&data, &options, &key, &err));
  assert_int_equal(data.graph.nodes, 6);
  assert_int_equal(data.graph.entries, 0);
  sotto_dataset_free(&data);
}

/* Mean and standard deviation of a sum of n Bernoulli(p) bound each count to 5 deviations. */
static void expect_binomial(double count, double n, double p) {
  assert_true(fabs(count - n * p) <= 5 * sqrt(n * p * (1 - p)) + 1e-9);
}

static void block_model_degrees_inside_and_outside_are_as_asked(void **state) {
  (void)state;
  enum { nodes = 6001, classes = 4 };
  const sotto_sbm_options options = {
      .nodes = nodes, .classes = classes, .degree_inside = 9, .degree_outside = 3};
  sotto_dataset data;
  CHECK_OK(sotto_generate_sbm(&data, &options, &key, &err));
  double inside = 0, outside = 0, size[classes] = {0};
  for (uint64_t v = 0; v < nodes; v++) {
    size[data.labels[v]]++;
    for (uint64_t e = data.graph.offsets[v]; e < data.graph.offsets[v + 1]; e++)
      *(data.labels[v] == data.labels[data.graph.targets[e]] ? &inside : &outside) += 0.5;
  }
  double pairs = 0;
  for (int c = 0; c < classes; c++) {
    assert_in_range((uint64_t)size[c], nodes / classes, nodes / classes + 1);
    pairs += size[c] * (size[c] - 1) / 2;
  }
  expect_binomial(inside, pairs, 9 / (nodes / 4.0 - 1));
  expect_binomial(outside, nodes * (nodes - 1) / 2.0 - pairs, 3 / (nodes * 0.75));
  assert_int_equal(data.features.cols, 0);
  sotto_dataset_free(&data);
}

static void block_model_reaches_the_full_and_the_empty_graph(void **state) {
  (void)state;
  sotto_sbm_options options = {.nodes = 30, .classes = 1, .degree_inside = 29};
  sotto_dataset data;
  CHECK_OK(sotto_generate_sbm(&data, &options, &key, &err));
  assert_int_equal(data.graph.entries, 30 * 29);
  sotto_dataset_free(&data);
  options.classes = 30; /* every node is a block: all others are outside */
  options.degree_inside = 0;
  options.degree_outside = 29;
  CHECK_OK(sotto_generate_sbm(&data, &options, &key, &err));
  assert_int_equal(data.graph.entries, 30 * 29);
  sotto_dataset_free(&data);
  options.degree_outside = 0;
  CHECK_OK(sotto_generate_sbm(&data, &options, &key, &err));
  assert_int_equal(data.graph.entries, 0);
  sotto_dataset_free(&data);
}

static void contextual_class_means_are_the_signal_apart(void **state) {
  (void)state;
  enum { nodes = 20000, width = 3 };
  const sotto_sbm_options options = {
      .nodes = nodes, .classes = 2, .features = width, .degree_inside = 2, .feature_signal = 1.5};
  sotto_dataset data;
  CHECK_OK(sotto_generate_sbm(&data, &options, &key, &err));
  double mean[2][width] = {{0}}, square = 0, distance = 0;
  for (size_t i = 0; i < nodes; i++)
    for (size_t j = 0; j < width; j++)
      mean[data.labels[i]][j] += data.features.data[i * width + j] / (nodes / 2.0);
  for (size_t i = 0; i < nodes; i++)
    for (size_t j = 0; j < width; j++)
      square += pow(data.features.data[i * width + j] - mean[data.labels[i]][j], 2);
  for (size_t j = 0; j < width; j++) distance += pow(mean[0][j] - mean[1][j], 2);
  CHECK_NEAR(sqrt(distance), 1.5, 0.06);
  CHECK_NEAR(square / (nodes * width), 1, 0.03);
  sotto_dataset_free(&data);
}

static bool joins(const sotto_graph *graph, uint64_t v, uint64_t u) {
  for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++)
    if (graph->targets[e] == u) return true;
  return false;
}

static void mines_are_counted_around(void **state) {
  (void)state;
  const sotto_mines_options options = {.nodes = 2600}; /* 50 squared, and rest */
  enum { side = 50 };
  sotto_dataset data;
  uint64_t mines = 0, hidden = 0;
  CHECK_OK(sotto_generate_mines(&data, &options, &key, &err));
  assert_int_equal(data.graph.nodes, side * side);
  assert_int_equal(data.features.cols, 10);
  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++) {
      const uint64_t v = (uint64_t)(y * side + x);
      int around = 0, cells = 0;
      for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
          if ((dx == 0 && dy == 0) || y + dy < 0 || y + dy >= side || x + dx < 0 || x + dx >= side) continue;
          const uint64_t u = (uint64_t)((y + dy) * side + x + dx);
          cells++;
          around += data.labels[u] == 1;
          assert_true(joins(&data.graph, v, u));
        }
      assert_int_equal(sotto_graph_degree(&data.graph, v), cells);
      const float *row = data.features.data + v * data.features.cols;
      float sum = 0;
      for (int j = 0; j < 10; j++) sum += row[j];
      assert_true(sum == 1 && (row[9] == 1 || row[around] == 1));
      mines += data.labels[v] == 1;
      hidden += row[9] == 1;
    }
  CHECK_NEAR((double)mines / (side * side), 0.2, 0.03);
  CHECK_NEAR((double)hidden / (side * side), 0.5, 0.04);
  sotto_dataset_free(&data);
  const sotto_mines_options few = {.nodes = 20};
  CHECK_FAILS(SOTTO_RANGE, "20 nodes", sotto_generate_mines(&data, &few, &key, &err));
}

/* Of banks of one size, and with the asked share of edges between banks and inside a class. */
static void banks_have_their_share_of_edges_between_them(void **state) {
  (void)state;
  const sotto_banks_options options = {.nodes = 6000,
                                       .banks = 3,
                                       .classes = 4,
                                       .features = 5,
                                       .degree_inside = 6,
                                       .degree_outside = 2,
                                       .feature_signal = 1,
                                       .share = 0.3};
  sotto_banks_options wrong = options;
  sotto_dataset data;
  double between = 0, inside = 0;
  uint64_t sizes[3] = {0};
  CHECK_OK(sotto_generate_banks(&data, &options, &key, &err));
  for (uint64_t v = 0; v < data.graph.nodes; v++) {
    sizes[sotto_bank_of(&options, v)]++;
    for (uint64_t e = data.graph.offsets[v]; e < data.graph.offsets[v + 1]; e++) {
      const uint32_t u = data.graph.targets[e];
      between += sotto_bank_of(&options, v) != sotto_bank_of(&options, u);
      inside += data.labels[v] == data.labels[u];
    }
  }
  for (int b = 0; b < 3; b++) assert_int_equal(sizes[b], 2000);
  CHECK_NEAR((double)data.graph.entries / 6000, 8, 0.1);
  CHECK_NEAR(between / (double)data.graph.entries, 0.3, 0.02);
  CHECK_NEAR(inside / (double)data.graph.entries, 0.75, 0.02);
  sotto_dataset_free(&data);
  wrong.share = 1.1;
  CHECK_FAILS(SOTTO_RANGE, "share 1.1", sotto_generate_banks(&data, &wrong, &key, &err));
  wrong = options;
  wrong.banks = 1;
  CHECK_FAILS(SOTTO_RANGE, "1 banks", sotto_generate_banks(&data, &wrong, &key, &err));
}

/* Probability that a score ranks a risky user above another (Mann-Whitney), on a sample of pairs. */
static double auc(const double *score, const int32_t *labels, uint64_t nodes, sotto_i_random *random) {
  double won = 0, asked = 0;
  while (asked < 200000) {
    uint64_t a = sotto_i_random_below(random, nodes), b = sotto_i_random_below(random, nodes);
    if (labels[a] != 1 || labels[b] != 0) continue;
    won += score[a] > score[b] ? 1 : score[a] == score[b] ? 0.5 : 0;
    asked++;
  }
  return won / asked;
}

static void transactions_have_the_stated_statistics(void **state) {
  (void)state;
  const sotto_transactions_options options = {.nodes = 20000};
  sotto_dataset data;
  CHECK_OK(sotto_generate_transactions(&data, &options, &key, &err));
  const uint64_t nodes = data.graph.nodes;
  uint64_t alone = 0, risky = 0;
  double *score = calloc(nodes, sizeof *score), *with = calloc(nodes, sizeof *with);
  for (uint64_t v = 0; v < nodes; v++) {
    alone += sotto_graph_degree(&data.graph, v) == 0;
    risky += data.labels[v] == 1;
    /* The best linear score knows the class means: feature j is shifted in proportion to 1 / sqrt(1 + j). */
    for (size_t j = 0; j < 8; j++)
      score[v] += data.features.data[v * data.features.cols + j] / sqrt(1.0 + (double)j);
  }
  for (uint64_t v = 0; v < nodes; v++) {
    with[v] = score[v];
    for (uint64_t e = data.graph.offsets[v]; e < data.graph.offsets[v + 1]; e++)
      with[v] += 0.4 * score[data.graph.targets[e]];
  }
  CHECK_NEAR((double)alone / (double)nodes, 0.5, 0.02);
  CHECK_NEAR((double)data.graph.entries / (double)nodes, 2.2, 0.02);
  CHECK_NEAR((double)risky / (double)nodes, 0.08, 0.01);
  sotto_i_random random = check_random();
  double bare = auc(score, data.labels, nodes, &random), near = auc(with, data.labels, nodes, &random);
  print_message("AUC of features %.3f, with neighbours %.3f\n", bare, near);
  assert_true(bare > 0.70 && bare < 0.75);
  assert_true(near > bare + 0.01);
  free(score);
  free(with);
  sotto_dataset_free(&data);
}

/* Hill's estimator over the nodes of the highest degrees, below the cut-off. */
static void powerlaw_degrees_have_the_tail_asked_for(void **state) {
  (void)state;
  enum { nodes = 100000, edges = 400000, least = 30 };
  const sotto_powerlaw_options options = {.nodes = nodes, .edges = edges, .exponent = 2.5};
  sotto_dataset data;
  CHECK_OK(sotto_generate_powerlaw(&data, &options, &key, &err));
  double logs = 0, tail = 0;
  uint64_t most = 0;
  for (uint64_t v = 0; v < nodes; v++) {
    uint64_t degree = sotto_graph_degree(&data.graph, v);
    if (degree > most) most = degree;
    if (degree < least) continue;
    logs += log((double)degree / (least - 0.5));
    tail++;
  }
  print_message("tail exponent %.2f over %.0f nodes, largest degree %llu\n", 1 + tail / logs, tail,
                (unsigned long long)most);
  CHECK_NEAR(1 + tail / logs, 2.5, 0.15);
  assert_in_range(data.graph.entries, 2 * 0.95 * edges, 2 * edges);
  assert_in_range(most, 600, 1200); /* sqrt(2 edges) = 894 */
  assert_null(data.labels);
  sotto_dataset_free(&data);
}

static sotto_status generate(int kind, sotto_dataset *out, const sotto_key *use, sotto_error *err) {
  const sotto_chains_options chains = {.classes = 2, .chains_per_class = 3, .length = 4, .features = 5};
  const sotto_sbm_options sbm = {.nodes = 2100,
                                 .classes = 3,
                                 .features = 4,
                                 .degree_inside = 5,
                                 .degree_outside = 1,
                                 .feature_signal = 1};
  const sotto_transactions_options transactions = {.nodes = 600};
  const sotto_powerlaw_options powerlaw = {
      .nodes = 5000, .edges = 40000, .exponent = 2.2, .features = 3, .classes = 5};
  switch (kind) {
  case 0:
    return sotto_generate_chains(out, &chains, use, err);
  case 1:
    return sotto_generate_sbm(out, &sbm, use, err);
  case 2:
    return sotto_generate_transactions(out, &transactions, use, err);
  default:
    return sotto_generate_powerlaw(out, &powerlaw, use, err);
  }
}

/* Mean degrees of a stand-in are the original's at any size; its name says what it is. */
static void stand_ins_have_the_sizes_of_the_originals(void **state) {
  (void)state;
  static const struct {
    const char *name, *made;
    uint64_t nodes;
    double degree; /* twice the published edges over the published nodes */
    size_t features, classes;
  } cases[] = {{"finance", "like-finance", 20000, 2.16, 155, 2},
               {"products", "like-products", 5000, 50.52, 100, 47},
               {"pubmed", "like-pubmed", 5000, 4.496, 500, 3},
               {"reddit", "like-reddit", 16000, 491.99, 602, 41}};
  const size_t count = sizeof cases / sizeof *cases;
  for (size_t i = 0; i < count; i++) {
    const sotto_like_options o = {.name = cases[i].name, .nodes = cases[i].nodes};
    sotto_dataset data;
    CHECK_OK(sotto_generate_like(&data, &o, &key, &err));
    assert_string_equal(data.name, cases[i].made);
    assert_int_equal(data.graph.nodes, cases[i].nodes);
    assert_int_equal(data.features.cols, cases[i].features);
    assert_int_equal(data.classes, cases[i].classes);
    assert_true(fabs((double)data.graph.entries / (double)data.graph.nodes / cases[i].degree - 1) < 0.03);
    sotto_dataset_free(&data);
  }
}

static void a_stand_in_that_cannot_be_is_refused(void **state) {
  (void)state;
  sotto_dataset data;
  sotto_like_options o = {.name = "redit"};
  CHECK_FAILS(SOTTO_NOT_FOUND, "there are finance, products, pubmed, reddit",
              sotto_generate_like(&data, &o, &key, &err));
  o.name = NULL;
  CHECK_FAILS(SOTTO_NOT_FOUND, "stand-in", sotto_generate_like(&data, &o, &key, &err));
  o = (sotto_like_options){.name = "reddit", .nodes = 2000};
  CHECK_FAILS(SOTTO_RANGE, "neighbours inside", sotto_generate_like(&data, &o, &key, &err));
  o = (sotto_like_options){.name = "pubmed", .nodes = 300};
  for (uint64_t n = 1; n < 60; n++) {
    sotto_i_memory_fail_at(n);
    const sotto_status status = sotto_generate_like(&data, &o, &key, NULL);
    sotto_i_memory_fail_at(0);
    if (status != SOTTO_OK) assert_null(data.storage);
    sotto_dataset_free(&data);
    if (status == SOTTO_OK) return;
    assert_int_equal(status, SOTTO_NOMEM);
  }
  fail_msg("60 allocations are too few");
}

static void a_key_gives_the_same_data_on_any_number_of_threads(void **state) {
  (void)state;
  sotto_key other;
  sotto_key_public(&other, 21);
  for (int kind = 0; kind < 4; kind++) {
    sotto_dataset one, many, another;
    CHECK_OK(sotto_threads_set(1, &err));
    CHECK_OK(generate(kind, &one, &key, &err));
    CHECK_OK(sotto_threads_set(4, &err));
    CHECK_OK(generate(kind, &many, &key, &err));
    CHECK_OK(generate(kind, &another, &other, &err));
    assert_memory_equal(one.digest, many.digest, 32);
    assert_true((memcmp(one.digest, another.digest, 32) == 0) == (kind == 0)); /* chains are fixed */
    sotto_dataset_free(&one);
    sotto_dataset_free(&many);
    sotto_dataset_free(&another);
  }
  CHECK_OK(sotto_threads_set(0, &err));
}

static void an_empty_key_is_refused_by_every_generator(void **state) {
  (void)state;
  const sotto_key none = {0};
  sotto_dataset data;
  for (int kind = 0; kind < 4; kind++)
    CHECK_FAILS(SOTTO_INVALID, "needs a key", generate(kind, &data, &none, &err));
}

static void every_failed_allocation_of_every_generator_is_reported(void **state) {
  (void)state;
  for (int kind = 0; kind < 4; kind++) {
    sotto_status status = SOTTO_NOMEM;
    uint64_t n = 0;
    while (status == SOTTO_NOMEM) {
      sotto_dataset data;
      sotto_i_memory_fail_at(++n);
      status = generate(kind, &data, &key, NULL);
      sotto_i_memory_fail_at(0);
      if (status != SOTTO_OK) assert_null(data.storage);
      sotto_dataset_free(&data);
    }
    assert_int_equal(status, SOTTO_OK);
    assert_in_range(n, 8, 40);
  }
}

static void chains_out_of_range_are_refused(void **state) {
  (void)state;
  sotto_dataset data;
  sotto_chains_options o = {.classes = 2, .chains_per_class = 3, .length = 0, .features = 5};
  CHECK_FAILS(SOTTO_RANGE, "length 0", sotto_generate_chains(&data, &o, &key, &err));
  o.length = 8;
  o.features = 1;
  CHECK_FAILS(SOTTO_RANGE, "1 features", sotto_generate_chains(&data, &o, &key, &err));
  o.features = 2;
  o.chains_per_class = 1U << 30;
  CHECK_FAILS(SOTTO_RANGE, "2^32 nodes", sotto_generate_chains(&data, &o, &key, &err));
}

static void block_models_out_of_range_are_refused(void **state) {
  (void)state;
  static const struct {
    sotto_sbm_options options;
    const char *words;
  } faults[] = {
      {{.nodes = 10, .classes = 0}, "0 classes"},
      {{.nodes = 10, .classes = 11}, "11 classes of 10"},
      {{.nodes = 10, .classes = 2, .degree_inside = 4.5}, "neighbours inside is 4.5"},
      {{.nodes = 10, .classes = 2, .degree_inside = -1}, "neighbours inside is -1"},
      {{.nodes = 10, .classes = 2, .degree_outside = NAN}, "neighbours outside is nan"},
      {{.nodes = 10, .classes = 1, .degree_outside = 1}, "neighbours outside is 1"},
      {{.nodes = 10, .classes = 2, .features = 2, .feature_signal = -1}, "signal -1"},
      {{.nodes = 10, .classes = 3, .features = 2, .feature_signal = 1}, "2 features"},
      {{.nodes = UINT64_C(1) << 32, .classes = 1}, "4294967296 nodes"},
  };
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    sotto_dataset data;
    CHECK_FAILS(SOTTO_RANGE, faults[i].words, sotto_generate_sbm(&data, &faults[i].options, &key, &err));
  }
}

static void other_parameters_out_of_range_are_refused(void **state) {
  (void)state;
  sotto_dataset data;
  const sotto_transactions_options few = {.nodes = 20};
  sotto_powerlaw_options p = {.nodes = 100, .edges = 300, .exponent = 2};
  CHECK_FAILS(SOTTO_RANGE, "20 nodes", sotto_generate_transactions(&data, &few, &key, &err));
  CHECK_FAILS(SOTTO_RANGE, "exponent 2", sotto_generate_powerlaw(&data, &p, &key, &err));
  p.exponent = 3;
  p.edges = 2000;
  CHECK_FAILS(SOTTO_RANGE, "2000 edges", sotto_generate_powerlaw(&data, &p, &key, &err));
  p.edges = p.nodes = 0;
  CHECK_FAILS(SOTTO_RANGE, "0 nodes", sotto_generate_powerlaw(&data, &p, &key, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chains_carry_the_class_in_the_first_node_only),
      cmocka_unit_test(a_chain_may_be_a_single_node),
      cmocka_unit_test(block_model_degrees_inside_and_outside_are_as_asked),
      cmocka_unit_test(block_model_reaches_the_full_and_the_empty_graph),
      cmocka_unit_test(contextual_class_means_are_the_signal_apart),
      cmocka_unit_test(transactions_have_the_stated_statistics),
      cmocka_unit_test(banks_have_their_share_of_edges_between_them),
      cmocka_unit_test(mines_are_counted_around),
      cmocka_unit_test(powerlaw_degrees_have_the_tail_asked_for),
      cmocka_unit_test(stand_ins_have_the_sizes_of_the_originals),
      cmocka_unit_test(a_stand_in_that_cannot_be_is_refused),
      cmocka_unit_test(a_key_gives_the_same_data_on_any_number_of_threads),
      cmocka_unit_test(an_empty_key_is_refused_by_every_generator),
      cmocka_unit_test(every_failed_allocation_of_every_generator_is_reported),
      cmocka_unit_test(chains_out_of_range_are_refused),
      cmocka_unit_test(block_models_out_of_range_are_refused),
      cmocka_unit_test(other_parameters_out_of_range_are_refused),
  };
  return cmocka_run_group_tests(tests, make_key, NULL);
}
