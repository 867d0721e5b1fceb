/* Named accounts and their versions, levels, locking, closing; the export of the chain. */
#include <jansson.h>
#include <math.h>
#include <unistd.h>

#include "base/file.h"
#include "check.h"
#include "inside/dp.h"
#include "ledgers.h"
#include "schema.h"
#include "sotto/dp.h"
#include "sotto/graph.h"

static const uint8_t may[32] = {1}, june[32] = {2}, other[32] = {3};

static void charge(sotto_ledger *ledger, const uint8_t key[32], const char *id, double epsilon) {
  sotto_charge c = check_laplace_charge(id, epsilon);
  CHECK_OK(sotto_ledger_charge(ledger, key, "graph", &c, 1, &err));
}

static void versions_of_an_account_compose(void **state) {
  (void)state;
  const char *path = check_ledger_path();
  sotto_ledger *ledger = check_ledger_at(path);
  sotto_ledger_account account, found;
  const sotto_budget budget = {2, 0};
  charge(ledger, may, "before", 0.75); /* counts, though it came before the account */
  CHECK_OK(sotto_ledger_account_new(ledger, "customers", "agreed in May", &err));
  CHECK_OK(sotto_ledger_account_named(ledger, &account, "customers", &err));
  CHECK_OK(sotto_ledger_set_budget(ledger, account.key, "customers", "edge", &budget, "", &err));
  CHECK_OK(check_add_version(ledger, "customers", may, "may", &err));
  CHECK_OK(check_add_version(ledger, "customers", may, "may", &err)); /* once is enough */
  CHECK_OK(check_add_version(ledger, "customers", june, "june", &err));
  charge(ledger, june, "a", 1);
  assert_true(check_spent_on(ledger, account.key, "edge").pure_epsilon == 1.75);
  assert_true(check_spent_on(ledger, june, "edge").pure_epsilon == 1);
  sotto_charge more = check_laplace_charge("b", 0.5);
  CHECK_FAILS(SOTTO_REFUSED, "account 'customers', edge level",
              sotto_ledger_charge(ledger, may, "may", &more, 1, &err));
  CHECK_OK(sotto_ledger_charge(ledger, other, "other", &more, 1, &err));
  CHECK_OK(sotto_ledger_account_of(ledger, &found, june, "june", &err));
  assert_true(found.named && memcmp(found.key, account.key, 32) == 0);
  CHECK_OK(sotto_ledger_account_of(ledger, &found, other, "other", &err));
  assert_true(!found.named && memcmp(found.key, other, 32) == 0);
  sotto_ledger_close(ledger);
  ledger = check_ledger_at(path);
  assert_true(check_spent_on(ledger, account.key, "edge").pure_epsilon == 1.75);
  sotto_ledger_close(ledger);
}

static void a_dataset_is_of_one_account_and_a_name_is_taken_once(void **state) {
  (void)state;
  sotto_ledger *ledger = check_ledger_at(check_ledger_path());
  sotto_ledger_account account;
  char longest[102];
  memset(longest, 'x', sizeof longest - 1);
  longest[sizeof longest - 1] = '\0';
  CHECK_OK(sotto_ledger_account_new(ledger, "a", NULL, &err));
  CHECK_OK(sotto_ledger_account_new(ledger, "b", NULL, &err));
  CHECK_FAILS(SOTTO_INVALID, "already", sotto_ledger_account_new(ledger, "a", NULL, &err));
  CHECK_FAILS(SOTTO_INVALID, "name", sotto_ledger_account_new(ledger, "", NULL, &err));
  CHECK_FAILS(SOTTO_INVALID, "name", sotto_ledger_account_new(ledger, "a\nb", NULL, &err));
  CHECK_FAILS(SOTTO_INVALID, "name", sotto_ledger_account_new(ledger, longest, NULL, &err));
  CHECK_OK(check_add_version(ledger, "a", may, "may", &err));
  CHECK_FAILS(SOTTO_INVALID, "version of account 'a'", check_add_version(ledger, "b", may, "may", &err));
  CHECK_FAILS(SOTTO_NOT_FOUND, "account new 'c'", check_add_version(ledger, "c", may, "may", &err));
  CHECK_FAILS(SOTTO_NOT_FOUND, "'c'", sotto_ledger_account_named(ledger, &account, "c", &err));
  sotto_ledger_close(ledger);
}

/* The key follows from owner and name: another ledger of the same owner has the same. */
static void the_key_of_an_account_is_its_name_and_its_owner(void **state) {
  (void)state;
  sotto_ledger_account accounts[3];
  char key[300];
  (void)snprintf(key, sizeof key, "%s", getenv("SOTTO_LEDGER_KEY"));
  for (int i = 0; i < 3; i++) {
    if (i == 2) setenv("SOTTO_LEDGER_KEY", check_path("other.key"), 1);
    sotto_ledger *ledger = check_ledger_at(check_ledger_path());
    CHECK_OK(sotto_ledger_account_new(ledger, "customers", NULL, &err));
    CHECK_OK(sotto_ledger_account_named(ledger, &accounts[i], "customers", &err));
    sotto_ledger_close(ledger);
  }
  setenv("SOTTO_LEDGER_KEY", key, 1);
  assert_memory_equal(accounts[0].key, accounts[1].key, 32);
  assert_memory_not_equal(accounts[0].key, accounts[2].key, 32);
}

static void a_charge_at_node_level_counts_at_edge_level(void **state) {
  (void)state;
  sotto_ledger *ledger = check_ledger_at(check_ledger_path());
  const sotto_budget budget = {1, 0};
  sotto_charge node = check_laplace_charge("n", 0.75), edge = check_laplace_charge("e", 0.5);
  node.adjacency = "node";
  CHECK_OK(sotto_ledger_set_budget(ledger, may, "may", "edge", &budget, "", &err));
  CHECK_OK(sotto_ledger_charge(ledger, may, "may", &node, 1, &err));
  assert_true(check_spent_on(ledger, may, "edge").pure_epsilon == 0.75);
  assert_true(check_spent_on(ledger, may, "node").pure_epsilon == 0.75);
  CHECK_FAILS(SOTTO_REFUSED, "edge level", sotto_ledger_charge(ledger, may, "may", &edge, 1, &err));
  node.id = "n2";
  CHECK_FAILS(SOTTO_REFUSED, "edge level", sotto_ledger_charge(ledger, may, "may", &node, 1, &err));
  sotto_ledger_close(ledger);
}

/* An edge with its transfers is another one if a transfer comes or goes: that is one edge less and one more.
 */
static void a_charge_at_edge_level_counts_twice_at_transfer_level(void **state) {
  (void)state;
  sotto_mechanism noise = sotto_mechanism_default(SOTTO_MECHANISM_LAPLACE),
                  flips = sotto_mechanism_default(SOTTO_MECHANISM_RANDOMIZED_RESPONSE),
                  steps = sotto_mechanism_default(SOTTO_MECHANISM_SUBSAMPLED_GAUSSIAN);
  sotto_charge c[] = {check_laplace_charge("pure", 0.5), check_laplace_charge("noise", 0.25),
                      check_laplace_charge("flips", 0.125), check_laplace_charge("node", 1),
                      check_laplace_charge("transfer", 2)};
  sotto_charge gaussian = check_gaussian_charge("g", 0.75), sampled = check_gaussian_charge("s", 0.5);
  double wanted;
  noise.noise = 4;
  flips.epsilon = 0.125;
  steps.noise = 2;
  steps.population = 100;
  steps.batch = 10;
  c[1].release = &noise;
  c[2].release = &flips;
  sampled.release = &steps;
  c[3].adjacency = "node";
  c[4].adjacency = "transfer";
  sotto_ledger *ledger = check_ledger_at(check_ledger_path());
  for (size_t i = 0; i < sizeof c / sizeof *c; i++)
    CHECK_OK(sotto_ledger_charge(ledger, may, "may", &c[i], 1, &err));
  const sotto_spent transfer = check_spent_on(ledger, may, "transfer"),
                    edge = check_spent_on(ledger, may, "edge");
  assert_int_equal(transfer.charges, 5);
  assert_int_equal(edge.charges, 4);
  assert_int_equal(check_spent_on(ledger, may, "node").charges, 1);
  assert_true(edge.pure_epsilon == 1.875 && transfer.pure_epsilon == 2 * 0.875 + 1 + 2);
  CHECK_NEAR(edge.epsilon, 1.875, 1e-6);
  CHECK_NEAR(transfer.epsilon, 4.75, 1e-6);

  /* Two Gaussian neighbours are twice as far apart: mu 1.5, at the same delta. */
  CHECK_OK(sotto_ledger_charge(ledger, june, "june", &gaussian, 1, &err));
  CHECK_OK(sotto_gdp_epsilon(&wanted, 1.5, 1e-6, &err));
  CHECK_NEAR(check_spent_on(ledger, june, "transfer").epsilon, wanted, 1e-9);
  /* Of a sample nothing is known at twice the distance. */
  CHECK_OK(sotto_ledger_charge(ledger, june, "june", &sampled, 1, &err));
  assert_true(isinf(check_spent_on(ledger, june, "transfer").epsilon));
  assert_true(isfinite(check_spent_on(ledger, june, "edge").epsilon));

  /* A budget of transfers is kept by charges of all levels. */
  const sotto_budget budget = {5, 0};
  sotto_charge more = check_laplace_charge("more", 0.2);
  CHECK_OK(sotto_ledger_set_budget(ledger, may, "may", "transfer", &budget, "", &err));
  CHECK_FAILS(SOTTO_REFUSED, "transfer level", sotto_ledger_charge(ledger, may, "may", &more, 1, &err));
  more.adjacency = "transfer";
  CHECK_OK(sotto_ledger_charge(ledger, may, "may", &more, 1, &err));
  sotto_ledger_close(ledger);
}

static void a_locked_budget_goes_down_only_and_a_closed_account_takes_nothing(void **state) {
  (void)state;
  sotto_ledger *ledger = check_ledger_at(check_ledger_path());
  const sotto_budget high = {9, 1e-6}, low = {5, 1e-6}, loose = {5, 1e-5};
  sotto_charge c = check_laplace_charge("a", 1);
  CHECK_OK(sotto_ledger_account_new(ledger, "customers", NULL, &err));
  CHECK_OK(check_add_version(ledger, "customers", may, "may", &err));
  sotto_ledger_account account;
  CHECK_OK(sotto_ledger_account_named(ledger, &account, "customers", &err));
  CHECK_OK(sotto_ledger_set_budget(ledger, account.key, "customers", "edge", &high, "", &err));
  CHECK_OK(sotto_ledger_lock_account(ledger, account.key, "customers", "audited", &err));
  CHECK_OK(sotto_ledger_set_budget(ledger, account.key, "customers", "edge", &low, "", &err));
  CHECK_FAILS(SOTTO_REFUSED, "locked",
              sotto_ledger_set_budget(ledger, account.key, "customers", "edge", &high, "", &err));
  CHECK_FAILS(SOTTO_REFUSED, "locked",
              sotto_ledger_set_budget(ledger, account.key, "customers", "edge", &loose, "", &err));
  CHECK_OK(sotto_ledger_charge(ledger, may, "may", &c, 1, &err));
  CHECK_OK(sotto_ledger_close_account(ledger, account.key, "customers", "data deleted", &err));
  CHECK_OK(sotto_ledger_charge(ledger, may, "may", &c, 1, &err)); /* it stands */
  c.id = "b";
  CHECK_FAILS(SOTTO_REFUSED, "closed", sotto_ledger_charge(ledger, may, "may", &c, 1, &err));
  CHECK_OK(sotto_ledger_account_named(ledger, &account, "customers", &err));
  assert_true(account.locked && account.closed && account.edge.epsilon == 5);
  sotto_ledger_close(ledger);
}

/* Charges with a fixed seed, of a smaller level, and runs that are not private: epsilon bounds nothing then.
 */
static void what_protects_nothing_is_counted(void **state) {
  (void)state;
  sotto_ledger *ledger = check_ledger_at(check_ledger_path());
  static const char *const levels[] = {"transfer", "edge", "node"};
  sotto_charge edge = check_gaussian_charge("edge", 0.5), fixed = check_gaussian_charge("fixed", 0.5);
  const sotto_ledger_bare_run by_edges = {"r1", "runs/1", "node", "best"},
                              cut = {"r2", "runs/2", "transfer", "gap"}, old = {"r3", "runs/3", NULL, "gnn"};
  fixed.insecure = true;
  const uint64_t wanted[][3] = {{0, 0, 1}, {1, 1, 2}, {1, 1, 3}, {2, 2, 4}, {3, 3, 5}};
  for (size_t step = 0; step < sizeof wanted / sizeof *wanted; step++) {
    if (step == 0) CHECK_OK(sotto_ledger_charge(ledger, may, "may", &edge, 1, &err));
    if (step == 1) CHECK_OK(sotto_ledger_charge(ledger, may, "may", &fixed, 1, &err));
    if (step == 2) CHECK_OK(sotto_ledger_not_private(ledger, may, "may", &by_edges, &err));
    if (step == 3) CHECK_OK(sotto_ledger_not_private(ledger, may, "may", &cut, &err));
    if (step == 4) CHECK_OK(sotto_ledger_not_private(ledger, may, "may", &old, &err));
    for (size_t l = 0; l < 3; l++)
      assert_int_equal(check_spent_on(ledger, may, levels[l]).unprotected, wanted[step][l]);
  }
  assert_int_equal(check_spent_on(ledger, june, "node").unprotected, 0);
  CHECK_OK(sotto_ledger_account_new(ledger, "customers", "", &err)); /* with all that its versions have */
  CHECK_OK(check_add_version(ledger, "customers", may, "may", &err));
  sotto_ledger_account whole;
  CHECK_OK(sotto_ledger_account_of(ledger, &whole, may, "may", &err));
  assert_int_equal(check_spent_on(ledger, whole.key, "edge").unprotected, 3);
  sotto_ledger_close(ledger);
}

typedef struct changes {
  size_t count, budgets;
  double last;
  char reasons[200];
} changes;

static int note(void *context, const sotto_ledger_change *c) {
  changes *all = context;
  all->count++;
  if (strcmp(c->kind, "budget") != 0) return 0;
  all->budgets++;
  all->last = c->budget.epsilon;
  assert_true(c->user[0] != '\0' && strlen(c->time) == 20);
  (void)snprintf(all->reasons + strlen(all->reasons), 60, "%s;", c->reason);
  return 0;
}

static void every_change_of_a_budget_is_an_entry_with_its_reason(void **state) {
  (void)state;
  sotto_ledger *ledger = check_ledger_at(check_ledger_path());
  changes seen = {.count = 0};
  for (int i = 1; i <= 3; i++) {
    char reason[20];
    const sotto_budget budget = {4.0 * i, 1e-6};
    (void)snprintf(reason, sizeof reason, "reason %d", i);
    CHECK_OK(sotto_ledger_set_budget(ledger, may, "may", "edge", &budget, reason, &err));
  }
  const sotto_ledger_bare_run run = {"run-1", "runs/1", "transfer", "gnn"};
  CHECK_OK(sotto_ledger_not_private(ledger, may, "may", &run, &err));
  CHECK_OK(sotto_ledger_not_private(ledger, may, "may", &run, &err)); /* resumed */
  CHECK_OK(sotto_ledger_visit_changes(ledger, may, note, &seen, &err));
  assert_true(seen.count == 4 && seen.budgets == 3 && seen.last == 12);
  assert_string_equal(seen.reasons, "reason 1;reason 2;reason 3;");
  sotto_ledger_close(ledger);
}

/* Replaces the first `from` in a file; both are of one length. */
static void edit(const char *path, const char *from, const char *to) {
  sotto_i_map map;
  char *text;
  CHECK_OK(sotto_i_map_open(&map, path, &err));
  text = calloc(map.size + 1, 1);
  assert_non_null(text);
  memcpy(text, map.data, map.size);
  size_t size = map.size;
  sotto_i_map_close(&map);
  char *at = strstr(text, from);
  assert_non_null(at);
  assert_int_equal(strlen(from), strlen(to));
  memcpy(at, to, strlen(to));
  CHECK_OK(sotto_i_write_file(path, text, size, &err));
  free(text);
}

/* What nothing signs would be read as if it were the owner's. */
static void an_export_has_no_other_member(void **state) {
  static const char *const names[] = {"epsilon", "note", "spent", "Owner", "sotto-ledger "};
  sotto_ledger *ledger = check_ledger_at(check_ledger_path());
  sotto_charge charge = check_gaussian_charge("a", 0.5);
  sotto_ledger_proof proof;
  char path[300];
  (void)state;
  CHECK_OK(sotto_ledger_charge(ledger, may, "may", &charge, 1, &err));
  (void)snprintf(path, sizeof path, "%s", check_path("export.json"));
  for (size_t i = 0; i < 3 * sizeof names / sizeof *names; i++) {
    CHECK_OK(sotto_ledger_export(ledger, path, &err));
    json_t *root = json_load_file(path, 0, NULL);
    json_t *const places[] = {root, json_object_get(root, "head"),
                              json_array_get(json_object_get(root, "entries"), 1)};
    json_object_set_new(places[i % 3], names[i / 3], json_real(0));
    assert_int_equal(json_dump_file(root, path, JSON_INDENT(1)), 0);
    json_decref(root);
    CHECK_FAILS(SOTTO_CORRUPT, names[i / 3], sotto_ledger_verify_export(&proof, path, &err));
  }
  sotto_ledger_close(ledger);
}

static void an_export_is_verified_alone(void **state) {
  (void)state;
  static const char *const edits[][3] = {
      {"\\\"mu\\\":0.5", "\\\"mu\\\":0.1", "entry 3 does not follow"},
      {"\"number\": 3", "\"number\": 4", "entry 3 is missing"},
      {"\"count\": 4", "\"count\": 3", "its head"},
      {"\"signature\": \"", "\"signatura\": \"", "not the export"},
      {"\\\"kind\\\":\\\"budget\\\"", "\\\"kind\\\":\\\"charge\\\"", "entry 2 does not follow"}};
  sotto_ledger *ledger = check_ledger_at(check_ledger_path());
  const sotto_budget budget = {9, 1e-6};
  sotto_charge c[] = {check_gaussian_charge("a", 0.5), check_laplace_charge("b", 0.5)};
  sotto_ledger_proof proof, own;
  char path[300];
  CHECK_OK(sotto_ledger_set_budget(ledger, may, "may", "edge", &budget, "\xc3\xa9t\xc3\xa9", &err));
  CHECK_OK(sotto_ledger_charge(ledger, may, "may", c, 2, &err));
  CHECK_OK(sotto_ledger_prove(ledger, &own, &err));
  for (size_t i = 0; i <= sizeof edits / sizeof *edits; i++) {
    (void)snprintf(path, sizeof path, "%s", check_path("export.json"));
    CHECK_OK(sotto_ledger_export(ledger, path, &err));
    if (i < sizeof edits / sizeof *edits) {
      edit(path, edits[i][0], edits[i][1]);
      CHECK_FAILS(SOTTO_CORRUPT, edits[i][2], sotto_ledger_verify_export(&proof, path, &err));
      continue;
    }
    CHECK_OK(sotto_ledger_verify_export(&proof, path, &err));
    assert_int_equal(proof.entries, 4);
    assert_memory_equal(&proof, &own, sizeof proof);
  }
  CHECK_OK(sotto_i_write_file(path, "{", 1, &err));
  CHECK_FAILS(SOTTO_PARSE, "line 1", sotto_ledger_verify_export(&proof, path, &err));
  CHECK_FAILS(SOTTO_NOT_FOUND, "nowhere", sotto_ledger_verify_export(&proof, check_path("nowhere"), &err));
  sotto_ledger_close(ledger);
}

/* Entries of every kind. */
static void an_export_fits_its_schema(void **state) {
  (void)state;
  sotto_mechanism sampled = sotto_mechanism_default(SOTTO_MECHANISM_SUBSAMPLED_GAUSSIAN);
  sotto_ledger *ledger = check_ledger_at(check_ledger_path());
  const sotto_budget budget = {9, 1e-6};
  sotto_charge c = check_gaussian_charge("a", 0.5);
  char path[300], finding[300];
  sampled.noise = 2;
  sampled.population = 100;
  sampled.batch = 10;
  c.release = &sampled;
  c.insecure = true;
  CHECK_OK(sotto_ledger_account_new(ledger, "customers", "why", &err));
  CHECK_OK(check_add_version(ledger, "customers", may, "may", &err));
  CHECK_OK(sotto_ledger_set_budget(ledger, may, "may", "node", &budget, "", &err));
  CHECK_OK(sotto_ledger_charge(ledger, may, "may", &c, 1, &err));
  const sotto_ledger_bare_run run = {"run", "runs/1", "edge", "gnn"};
  CHECK_OK(sotto_ledger_not_private(ledger, may, "may", &run, &err));
  CHECK_OK(sotto_ledger_lock_account(ledger, may, "may", "", &err));
  CHECK_OK(sotto_ledger_close_account(ledger, may, "may", "", &err));
  (void)snprintf(path, sizeof path, "%s", check_path("schema.json"));
  CHECK_OK(sotto_ledger_export(ledger, path, &err));
  sotto_ledger_close(ledger);
  json_t *schema = check_json_document("docs/ledger.schema.json"), *root = json_load_file(path, 0, NULL),
         *row;
  json_t *of_entry = check_json_document("docs/ledger-entry.schema.json");
  size_t i;
  if (!check_schema_fits(finding, sizeof finding, schema, root)) fail_msg("%s", finding);
  assert_int_equal(json_array_size(json_object_get(root, "entries")), 8);
  json_array_foreach(json_object_get(root, "entries"), i, row) {
    json_t *entry = json_loads(json_string_value(json_object_get(row, "text")), 0, NULL);
    if (!check_schema_fits(finding, sizeof finding, of_entry, entry))
      fail_msg("entry %zu: %s", i + 1, finding);
    json_object_set_new(entry, "other", json_true());
    assert_false(check_schema_fits(finding, sizeof finding, of_entry, entry));
    json_decref(entry);
  }
  json_decref(schema);
  json_decref(of_entry);
  json_decref(root);
}

/* Other labels, other features: the same account. One edge less, or none: another one. */
static void an_account_is_keyed_by_the_edges_alone(void **state) {
  (void)state;
  static const uint32_t from[] = {0, 1, 2}, to[] = {1, 2, 3};
  static const int32_t one[] = {0, 1, 0, 1}, two[] = {1, 1, 0, 0};
  static float low[8] = {0}, high[8] = {1, 2, 3};
  sotto_dataset data[5];
  for (int i = 0; i < 5; i++) {
    const uint64_t edges = i < 3 ? 3 : i == 3 ? 2 : 0;
    const sotto_arrays arrays = {.nodes = 4,
                                 .sources = {from, edges, SOTTO_INDEX_U32},
                                 .targets = {to, edges, SOTTO_INDEX_U32},
                                 .features = i == 1 ? high : low,
                                 .feature_columns = 2,
                                 .labels = i == 2 ? two : one};
    CHECK_OK(sotto_dataset_from_arrays(&data[i], &arrays, &err));
  }
  assert_memory_equal(data[0].account, data[1].account, 32);
  assert_memory_equal(data[0].account, data[2].account, 32);
  assert_memory_not_equal(data[0].digest, data[1].digest, 32);
  assert_memory_not_equal(data[0].digest, data[2].digest, 32);
  assert_memory_not_equal(data[0].account, data[3].account, 32);
  assert_memory_equal(data[4].account, data[4].digest, 32);
  for (int i = 0; i < 5; i++) sotto_dataset_free(&data[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(versions_of_an_account_compose),
      cmocka_unit_test(a_dataset_is_of_one_account_and_a_name_is_taken_once),
      cmocka_unit_test(the_key_of_an_account_is_its_name_and_its_owner),
      cmocka_unit_test(a_charge_at_node_level_counts_at_edge_level),
      cmocka_unit_test(a_charge_at_edge_level_counts_twice_at_transfer_level),
      cmocka_unit_test(what_protects_nothing_is_counted),
      cmocka_unit_test(a_locked_budget_goes_down_only_and_a_closed_account_takes_nothing),
      cmocka_unit_test(every_change_of_a_budget_is_an_entry_with_its_reason),
      cmocka_unit_test(an_export_is_verified_alone),
      cmocka_unit_test(an_export_has_no_other_member),
      cmocka_unit_test(an_export_fits_its_schema),
      cmocka_unit_test(an_account_is_keyed_by_the_edges_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
