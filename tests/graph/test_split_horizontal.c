/* Datasets dealt to clients: everything goes to one client, with its edges, labels and split. */
#include <math.h>

#include "check.h"
#include "inside/graph.h"
#include "plain_files.h"
#include "sotto/generate.h"
#include "sotto/split.h"

static void blocks(sotto_dataset *out, uint64_t nodes, uint32_t classes) {
  const sotto_sbm_options options = {.nodes = nodes,
                                     .classes = classes,
                                     .features = 5,
                                     .degree_inside = nodes < 100 ? 1 : 4,
                                     .degree_outside = nodes < 100 ? 1 : 2};
  sotto_key key;
  sotto_key_public(&key, 3);
  CHECK_OK(sotto_generate_sbm(out, &options, &key, &err));
}

/* The dataset of one client, found again node by node in the whole. */
static void check_client(const sotto_dataset *part, const sotto_dataset *whole, const uint32_t *owner,
                         uint32_t client) {
  uint32_t *old = calloc(whole->graph.nodes, sizeof *old);
  uint64_t count = 0, entries = 0;
  assert_non_null(old);
  for (uint32_t v = 0; v < whole->graph.nodes; v++)
    if (owner[v] == client) old[count++] = v;
  assert_int_equal(part->graph.nodes, count);
  for (uint64_t i = 0; i < count; i++) {
    uint64_t at = part->graph.offsets[i];
    assert_int_equal(part->labels[i], whole->labels[old[i]]);
    assert_memory_equal(part->features.data + i * 5, whole->features.data + (size_t)old[i] * 5,
                        5 * sizeof(float));
    for (uint64_t e = whole->graph.offsets[old[i]]; e < whole->graph.offsets[old[i] + 1]; e++) {
      if (owner[whole->graph.targets[e]] != client) continue;
      assert_true(at < part->graph.offsets[i + 1]);
      assert_int_equal(old[part->graph.targets[at++]], whole->graph.targets[e]);
      entries++;
    }
    assert_int_equal(at, part->graph.offsets[i + 1]);
  }
  assert_int_equal(entries, part->graph.entries);
  free(old);
}

static void each_client_has_its_nodes_and_the_edges_among_them(void **state) {
  (void)state;
  sotto_dataset whole, parts[7];
  uint32_t owner[301];
  sotto_key key;
  sotto_key_public(&key, 9);
  blocks(&whole, 301, 3);
  CHECK_OK(sotto_deal_iid(owner, &whole, 7, &key, &err));
  CHECK_OK(sotto_split_horizontal(parts, &whole, owner, 7, &err));
  for (uint32_t c = 0; c < 7; c++) {
    check_client(&parts[c], &whole, owner, c);
    assert_true(parts[c].graph.nodes == 43);
    assert_int_equal(parts[c].classes, 3);
    sotto_dataset_free(&parts[c]);
  }
  sotto_dataset_free(&whole);
}

/* How unevenly classes are dealt: the mean over clients of the share of their largest class. */
static double lopsidedness(const sotto_dataset *data, const uint32_t *owner, uint32_t clients) {
  double sum = 0;
  for (uint32_t c = 0; c < clients; c++) {
    uint64_t of[16] = {0}, all = 0, most = 0;
    for (uint64_t v = 0; v < data->graph.nodes; v++)
      if (owner[v] == c) {
        all++;
        if (++of[data->labels[v]] > most) most = of[data->labels[v]];
      }
    assert_true(all > 0);
    sum += (double)most / (double)all;
  }
  return sum / clients;
}

static void smaller_concentrations_deal_labels_more_unevenly(void **state) {
  (void)state;
  static const double alphas[] = {1e6, 5, 0.5, 0.05};
  sotto_dataset data;
  static uint32_t owner[4000];
  double last = 0;
  sotto_key key;
  sotto_key_public(&key, 4);
  blocks(&data, 4000, 4);
  for (int i = 0; i < 4; i++) {
    CHECK_OK(sotto_deal_dirichlet(owner, &data, 8, alphas[i], &key, &err));
    double now = lopsidedness(&data, owner, 8);
    assert_true(now > last);
    if (i == 0) CHECK_NEAR(now, 0.25, 0.01);
    last = now;
  }
  assert_true(last > 0.7);
  sotto_dataset_free(&data);
}

/* Shares of a class at one client have mean 1/n and variance (n - 1) / (n^2 (n alpha + 1)). */
static void shares_follow_the_dirichlet_distribution(void **state) {
  (void)state;
  enum { clients = 4, repeats = 400, nodes = 2000, classes = 2 };
  const double alpha = 0.7;
  sotto_dataset data;
  static uint32_t owner[nodes];
  double sum = 0, square = 0;
  blocks(&data, nodes, classes);
  for (uint64_t seed = 0; seed < repeats; seed++) {
    uint64_t of = 0;
    sotto_key key;
    sotto_key_public(&key, seed);
    CHECK_OK(sotto_deal_dirichlet(owner, &data, clients, alpha, &key, &err));
    for (uint64_t v = 0; v < nodes; v++) of += owner[v] == 1 && data.labels[v] == 0;
    double share = (double)of * classes / nodes;
    sum += share;
    square += share * share;
  }
  double mean = sum / repeats, variance = square / repeats - mean * mean;
  double wanted = (clients - 1) / (double)(clients * clients) / (clients * alpha + 1);
  CHECK_NEAR(mean, 1.0 / clients, 5 * sqrt(wanted / repeats));
  CHECK_NEAR(variance, wanted, 0.015); /* five deviations of the variance of 400 bounded shares */
  sotto_dataset_free(&data);
}

static void the_same_key_deals_the_same(void **state) {
  (void)state;
  sotto_dataset data;
  uint32_t a[200], b[200];
  sotto_key key;
  sotto_key_public(&key, 5);
  blocks(&data, 200, 2);
  CHECK_OK(sotto_deal_dirichlet(a, &data, 4, 0.5, &key, &err));
  CHECK_OK(sotto_deal_dirichlet(b, &data, 4, 0.5, &key, &err));
  assert_memory_equal(a, b, sizeof a);
  sotto_dataset_free(&data);
}

static void lists_are_read_and_their_faults_named_by_line(void **state) {
  (void)state;
  const char *path = check_path("owners");
  sotto_dataset data;
  uint32_t owner[4], clients;
  blocks(&data, 4, 2);
  check_write_text(path, "2\n1\n2\n3\n");
  CHECK_OK(sotto_deal_list(owner, &clients, &data, path, &err));
  assert_int_equal(clients, 3);
  assert_true(owner[0] == 1 && owner[1] == 0 && owner[2] == 1 && owner[3] == 2);
  check_write_text(path, "1\n2\nx\n1\n");
  CHECK_FAILS(SOTTO_PARSE, "line 3", sotto_deal_list(owner, &clients, &data, path, &err));
  check_write_text(path, "1\n0\n1\n1\n");
  CHECK_FAILS(SOTTO_RANGE, "line 2", sotto_deal_list(owner, &clients, &data, path, &err));
  check_write_text(path, "1\n2\n1\n2\n1\n");
  CHECK_FAILS(SOTTO_RANGE, "line 5", sotto_deal_list(owner, &clients, &data, path, &err));
  check_write_text(path, "1\n2\n1\n");
  CHECK_FAILS(SOTTO_RANGE, "3 lines for 4", sotto_deal_list(owner, &clients, &data, path, &err));
  check_write_text(path, "1\n3\n1\n1\n");
  CHECK_FAILS(SOTTO_RANGE, "client 2 of 3 gets nothing", sotto_deal_list(owner, &clients, &data, path, &err));
  CHECK_FAILS(SOTTO_NOT_FOUND, "", sotto_deal_list(owner, &clients, &data, "nowhere", &err));
  sotto_dataset_free(&data);
}

static void what_cannot_be_dealt_is_refused(void **state) {
  (void)state;
  sotto_dataset data;
  uint32_t owner[6], many[] = {4, 4}, high[] = {6};
  sotto_dataset part;
  sotto_key key, empty = {.origin = SOTTO_KEY_NONE};
  sotto_key_public(&key, 1);
  blocks(&data, 6, 2);
  CHECK_FAILS(SOTTO_RANGE, "1 clients", sotto_deal_iid(owner, &data, 1, &key, &err));
  CHECK_FAILS(SOTTO_RANGE, "7 clients", sotto_deal_iid(owner, &data, 7, &key, &err));
  CHECK_FAILS(SOTTO_INVALID, "key", sotto_deal_iid(owner, &data, 2, &empty, &err));
  CHECK_FAILS(SOTTO_RANGE, "concentration", sotto_deal_dirichlet(owner, &data, 2, 0, &key, &err));
  CHECK_FAILS(SOTTO_RANGE, "fewer clients", sotto_deal_dirichlet(owner, &data, 6, 1e-3, &key, &err));
  CHECK_FAILS(SOTTO_RANGE, "is there twice", sotto_dataset_take(&part, &data, many, 2, "x", &err));
  CHECK_FAILS(SOTTO_RANGE, "does not exist", sotto_dataset_take(&part, &data, high, 1, "x", &err));
  sotto_dataset_free(&data);
}

static void collections_are_dealt_by_graph(void **state) {
  (void)state;
  const char *path = check_shared("data/tu/MUTAG");
  if (path == NULL) skip();
  sotto_dataset whole, parts[5];
  uint32_t owner[188];
  uint64_t nodes = 0, entries = 0, graphs = 0;
  sotto_key key;
  sotto_key_public(&key, 2);
  CHECK_OK(sotto_dataset_open(&whole, path, NULL, &err));
  CHECK_OK(sotto_deal_dirichlet(owner, &whole, 5, 1, &key, &err));
  CHECK_OK(sotto_split_horizontal(parts, &whole, owner, 5, &err));
  for (uint32_t c = 0; c < 5; c++) {
    uint64_t at = 0;
    for (uint32_t g = 0; g < 188; g++) {
      if (owner[g] != c) continue;
      uint64_t size = whole.graph_first[g + 1] - whole.graph_first[g];
      assert_int_equal(parts[c].graph_labels[at], whole.graph_labels[g]);
      assert_int_equal(parts[c].graph_first[at + 1] - parts[c].graph_first[at], size);
      assert_memory_equal(parts[c].features.data + parts[c].graph_first[at] * whole.features.cols,
                          whole.features.data + whole.graph_first[g] * whole.features.cols,
                          size * whole.features.cols * sizeof(float));
      at++;
    }
    assert_int_equal(parts[c].graph_count, at);
    nodes += parts[c].graph.nodes;
    entries += parts[c].graph.entries;
    graphs += at;
    sotto_dataset_free(&parts[c]);
  }
  assert_true(nodes == whole.graph.nodes && entries == whole.graph.entries && graphs == 188);
  sotto_dataset_free(&whole);
}

static void the_forms_of_a_partition_are_read(void **state) {
  (void)state;
  static const char *const words[] = {"alike", "communities", "cut", "dirichlet:0.5", "file:owners"};
  sotto_partition p;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    CHECK_OK(sotto_partition_read(&p, words[i], &err));
    assert_int_equal(p.kind, i);
    assert_true(p.concentration == (i == 3 ? 0.5 : 0));
    assert_true(i == 4 ? strcmp(p.path, "owners") == 0 : p.path == NULL);
  }
  CHECK_FAILS(SOTTO_INVALID, "none of alike", sotto_partition_read(&p, "", &err));
  CHECK_FAILS(SOTTO_INVALID, "none of alike", sotto_partition_read(&p, "cuts", &err));
  CHECK_FAILS(SOTTO_INVALID, "none of alike", sotto_partition_read(&p, "file:", &err));
  CHECK_FAILS(SOTTO_INVALID, "none of alike", sotto_partition_read(&p, "dirichlet", &err));
  CHECK_FAILS(SOTTO_PARSE, "dirichlet", sotto_partition_read(&p, "dirichlet:", &err));
  CHECK_FAILS(SOTTO_PARSE, "dirichlet", sotto_partition_read(&p, "dirichlet:0.5x", &err));
  CHECK_FAILS(SOTTO_RANGE, "not finite", sotto_partition_read(&p, "dirichlet:nan", &err));
  CHECK_FAILS(SOTTO_RANGE, "0.001 to 1e6", sotto_partition_read(&p, "dirichlet:-1", &err));
}

/* Each edge of the whole to another client, as its own client has it: by number, and by id. */
static void check_foreign(const sotto_dataset *part, const sotto_dataset *whole, const uint32_t *owner,
                          uint32_t client) {
  uint64_t row = 0, wanted = 0;
  for (uint32_t v = 0; v < whole->graph.nodes; v++) {
    if (owner[v] != client) continue;
    char id[24];
    (void)snprintf(id, sizeof id, "%u", (unsigned)v);
    assert_string_equal(sotto_name(&part->node_ids, row), id);
    for (uint64_t e = whole->graph.offsets[v]; e < whole->graph.offsets[v + 1]; e++) {
      const uint32_t other = whole->graph.targets[e];
      bool found = false;
      if (owner[other] == client) continue;
      (void)snprintf(id, sizeof id, "%u", (unsigned)other);
      for (uint64_t i = 0; i < part->foreign.ids.count; i++)
        found |= part->foreign.nodes[i] == row && strcmp(sotto_name(&part->foreign.ids, i), id) == 0;
      assert_true(found);
      wanted++;
    }
    row++;
  }
  assert_int_equal(part->foreign.ids.count, wanted);
}

static void each_client_keeps_its_edges_to_others_in_its_file(void **state) {
  (void)state;
  sotto_dataset whole, plain[3], parts[3], read;
  uint32_t owner[120];
  sotto_key key;
  sotto_key_public(&key, 9);
  blocks(&whole, 120, 3);
  CHECK_OK(sotto_deal_iid(owner, &whole, 3, &key, &err));
  CHECK_OK(sotto_split_horizontal(plain, &whole, owner, 3, &err));
  CHECK_OK(sotto_split_linked(parts, &whole, owner, 3, &err));
  for (uint32_t c = 0; c < 3; c++) {
    check_client(&parts[c], &whole, owner, c);
    check_foreign(&parts[c], &whole, owner, c);
    assert_memory_equal(parts[c].account, plain[c].account, 32);
    assert_memory_not_equal(parts[c].digest, plain[c].digest, 32);
    CHECK_OK(sotto_dataset_save(&parts[c], check_path("linked.sotto"), &err));
    CHECK_OK(sotto_dataset_open(&read, check_path("linked.sotto"), NULL, &err));
    assert_memory_equal(read.digest, parts[c].digest, 32);
    check_foreign(&read, &whole, owner, c);
    sotto_dataset_free(&read);
    sotto_dataset_free(&parts[c]);
    sotto_dataset_free(&plain[c]);
  }
  sotto_dataset_free(&whole);
}

/* A client whose nodes are all among themselves has a list, of no edge: that there is one tells nothing. */
static void a_client_without_edges_to_others_has_an_empty_list(void **state) {
  (void)state;
  static const uint32_t from[] = {0, 2}, to[] = {1, 3}, owner[] = {0, 0, 1, 1};
  const sotto_arrays a = {
      .nodes = 4, .sources = {from, 2, SOTTO_INDEX_U32}, .targets = {to, 2, SOTTO_INDEX_U32}};
  sotto_dataset whole, parts[2], read;
  CHECK_OK(sotto_dataset_from_arrays(&whole, &a, &err));
  CHECK_OK(sotto_split_linked(parts, &whole, owner, 2, &err));
  CHECK_OK(sotto_dataset_save(&parts[1], check_path("linked.sotto"), &err));
  CHECK_OK(sotto_dataset_open(&read, check_path("linked.sotto"), NULL, &err));
  assert_non_null(read.foreign.nodes);
  assert_int_equal(read.foreign.ids.count, 0);
  assert_memory_equal(read.digest, parts[1].digest, 32);
  sotto_dataset_free(&read);
  for (int i = 0; i < 2; i++) sotto_dataset_free(&parts[i]);
  sotto_dataset_free(&whole);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_forms_of_a_partition_are_read),
      cmocka_unit_test(each_client_has_its_nodes_and_the_edges_among_them),
      cmocka_unit_test(smaller_concentrations_deal_labels_more_unevenly),
      cmocka_unit_test(shares_follow_the_dirichlet_distribution),
      cmocka_unit_test(the_same_key_deals_the_same),
      cmocka_unit_test(lists_are_read_and_their_faults_named_by_line),
      cmocka_unit_test(what_cannot_be_dealt_is_refused),
      cmocka_unit_test(collections_are_dealt_by_graph),
      cmocka_unit_test(each_client_keeps_its_edges_to_others_in_its_file),
      cmocka_unit_test(a_client_without_edges_to_others_has_an_empty_list),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
