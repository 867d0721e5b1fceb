/* Sketches of nodes, and the account that a dataset is placed on. */
#include <stdlib.h>
#include <unistd.h>

#include "base/random.h"
#include "check.h"
#include "dp/ledger/owner.h"
#include "dp/ledger/versions/sketch.h"
#include "inside/dp.h"
#include "ledgers.h"
#include "sotto/dp.h"
#include "sotto/graph.h"

enum { most = 2000, id_room = 12 };

/* A dataset of nodes `first` to first + count - 1, backwards where `turned`. */
typedef struct nodes {
  sotto_dataset data;
  uint64_t starts[most + 1];
  char text[most * id_room];
} nodes;

static void fill(nodes *n, uint64_t first, uint64_t count, bool turned) {
  size_t used = 0;
  for (uint64_t i = 0; i < count; i++) {
    n->starts[i] = used;
    used += (size_t)snprintf(n->text + used, id_room, "c%llu",
                             (unsigned long long)(first + (turned ? count - 1 - i : i))) +
            1;
  }
  n->starts[count] = used;
  n->data =
      (sotto_dataset){.name = "graph", .graph = {.nodes = count}, .node_ids = {count, n->starts, n->text}};
}

static bool alike(const nodes *a, const nodes *b, const char *what, const sotto_i_owner *of) {
  static sotto_i_sketches one, other;
  CHECK_OK(sotto_i_sketches_new(&one, &a->data, "data", of, &err));
  CHECK_OK(sotto_i_sketches_new(&other, &b->data, what, of, &err));
  const bool same = sotto_i_sketches_alike(one.ids, other.ids);
  assert_int_equal(same, sotto_i_sketches_alike(other.ids, one.ids));
  return same;
}

static sotto_i_owner an_owner(sotto_i_random *random) {
  sotto_i_owner owner = {.path = NULL};
  for (size_t i = 0; i < sizeof owner.secret_key; i++)
    owner.secret_key[i] = (uint8_t)sotto_i_random_u64(random);
  return owner;
}

/* Of the smaller set's nodes three of five are found, and one of five is not, whatever the sizes and the
 * order. */
static void half_of_the_nodes_are_enough_and_a_fifth_is_not(void **state) {
  (void)state;
  static nodes a, b;
  static const uint64_t sizes[][2] = {{1, 1},     {5, 5},     {100, 100},   {128, 128},  {129, 170},
                                      {150, 100}, {600, 400}, {1500, 1000}, {2000, 2000}};
  sotto_i_random random = check_random();
  for (size_t i = 0; i < 20 * sizeof sizes / sizeof *sizes; i++) {
    const uint64_t *size = sizes[i % (sizeof sizes / sizeof *sizes)];
    const uint64_t smaller = size[0] < size[1] ? size[0] : size[1];
    const sotto_i_owner owner = an_owner(&random), stranger = an_owner(&random);
    fill(&a, 1000, size[0], false);
    fill(&b, 1000 + size[0] - (3 * smaller + 4) / 5, size[1], true);
    assert_true(alike(&a, &b, "data", &owner));
    fill(&b, 1000 + size[0] - smaller / 5, size[1], true);
    assert_false(alike(&a, &b, "data", &owner));
    fill(&b, 1000, size[0], true);
    assert_true(alike(&a, &b, "data", &owner));
    assert_false(alike(&a, &b, "labels", &owner)); /* another thing of the same nodes */
    static sotto_i_sketches own, other;
    CHECK_OK(sotto_i_sketches_new(&own, &a.data, "data", &owner, &err));
    CHECK_OK(sotto_i_sketches_new(&other, &a.data, "data", &stranger, &err));
    assert_false(sotto_i_sketches_alike(own.ids, other.ids)); /* of no use without the owner's key */
  }
}

static void what_is_not_there_is_like_nothing(void **state) {
  (void)state;
  assert_false(sotto_i_sketches_alike("", ""));
  assert_false(sotto_i_sketches_alike(NULL, ""));
  assert_false(sotto_i_sketches_alike("0000000000000001", NULL));
  assert_true(sotto_i_sketches_alike("0000000000000001", "0000000000000001"));
}

/* A ring with or without some edges; features that tell nodes apart, or one row for all. Negative: the nodes
 * are in the other order. */
static void ring(sotto_dataset *out, const char *name, int fewer, bool plain, float shift) {
  enum { count = 60 };
  const bool turned = fewer < 0;
  const uint32_t less = (uint32_t)abs(fewer);
  uint32_t from[count], to[count];
  float features[2 * count];
  for (uint32_t v = 0; v < count; v++) {
    from[v] = v;
    to[v] = (v + 1) % count;
    const uint32_t who = turned ? count - 1 - v : v;
    features[2 * v] = plain ? 1 : (float)who + shift;
    features[2 * v + 1] = plain ? 0 : (float)(who * who) + shift;
  }
  const sotto_arrays arrays = {.name = name,
                               .nodes = count,
                               .sources = {from, count - less, SOTTO_INDEX_U32},
                               .targets = {to, count - less, SOTTO_INDEX_U32},
                               .features = features,
                               .feature_columns = 2};
  CHECK_OK(sotto_dataset_from_arrays(out, &arrays, &err));
}

/* Charges it, as pmp does. */
static sotto_status charge(sotto_ledger *ledger, const sotto_dataset *data, const char *id, double epsilon) {
  sotto_error err;
  sotto_charge c = check_laplace_charge(id, epsilon);
  return sotto_ledger_charge(ledger, data->account, data->name, &c, 1, &err);
}

static void rows_tell_nodes_apart_and_edges_tell_nothing(void **state) {
  (void)state;
  sotto_dataset may, june, turned, other, plain, plainer;
  sotto_ledger_place_found found;
  sotto_ledger *ledger = check_ledger_at(check_ledger_path());
  const sotto_budget budget = {1, 0};
  ring(&may, "may", 0, false, 0);
  ring(&june, NULL, 5, false, 0);
  ring(&turned, NULL, -7, false, 0);
  ring(&other, NULL, 0, false, 0.5F);
  ring(&plain, "plain", 1, true, 0);
  ring(&plainer, NULL, 2, true, 0);
  CHECK_OK(sotto_ledger_place(ledger, &found, &may, NULL, true, SOTTO_PLACING_KNOW, &err));
  assert_null(found.by);
  CHECK_OK(sotto_ledger_set_budget(ledger, may.account, "may", "edge", &budget, "", &err));
  CHECK_OK(sotto_ledger_place(ledger, &found, &june, NULL, true, SOTTO_PLACING_LOOK, &err));
  assert_string_equal(found.by, "rows of features");
  assert_false(found.joined);
  CHECK_OK(sotto_ledger_place(ledger, &found, &june, NULL, true, SOTTO_PLACING_KNOW, &err));
  assert_true(found.joined && memcmp(found.account.key, may.account, 32) == 0);
  CHECK_OK(charge(ledger, &june, "a", 0.75));
  assert_int_equal(charge(ledger, &may, "b", 0.5), SOTTO_REFUSED);
  CHECK_OK(sotto_ledger_place(ledger, &found, &turned, NULL, false, SOTTO_PLACING_LOOK, &err));
  assert_null(found.by); /* at node level rows are private */
  CHECK_OK(sotto_ledger_place(ledger, &found, &turned, NULL, true, SOTTO_PLACING_KNOW, &err));
  assert_true(found.joined && memcmp(found.account.key, may.account, 32) == 0);
  assert_memory_equal(other.account, may.account, 32); /* the very edges: the very account */
  CHECK_OK(sotto_ledger_place(ledger, &found, &plain, NULL, true, SOTTO_PLACING_KNOW, &err));
  CHECK_OK(sotto_ledger_place(ledger, &found, &plainer, NULL, true, SOTTO_PLACING_KNOW, &err));
  assert_null(found.by); /* one row for all: nothing is known of the nodes; "arrays" is no name */
  sotto_dataset *all[] = {&may, &june, &turned, &other, &plain, &plainer};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) sotto_dataset_free(all[i]);
  sotto_ledger_close(ledger);
}

/* Before the first charge a dataset may be declared another thing; afterwards all of it goes along. */
static void a_version_leaves_until_it_is_charged(void **state) {
  (void)state;
  sotto_dataset may, june, july, august;
  sotto_ledger_place_found found;
  const char *path = check_ledger_path();
  sotto_ledger *ledger = check_ledger_at(path);
  const sotto_budget budget = {4, 0};
  ring(&may, "may", 0, false, 0);
  ring(&june, "june", 5, false, 0);
  ring(&july, "july", 9, false, 0);
  CHECK_OK(sotto_ledger_place(ledger, &found, &may, NULL, true, SOTTO_PLACING_KNOW, &err));
  CHECK_OK(sotto_ledger_place(ledger, &found, &june, NULL, true, SOTTO_PLACING_KNOW, &err));
  CHECK_OK(sotto_ledger_place(ledger, &found, &july, NULL, true, SOTTO_PLACING_KNOW, &err));
  CHECK_OK(charge(ledger, &may, "a", 1));
  CHECK_OK(charge(ledger, &june, "b", 1));
  CHECK_OK(sotto_ledger_account_new(ledger, "others", NULL, &err));
  CHECK_OK(sotto_ledger_account_new(ledger, "customers", NULL, &err));
  CHECK_OK(sotto_ledger_set_budget(ledger, may.account, "may", "edge", &budget, "", &err));
  CHECK_OK(sotto_ledger_place(ledger, &found, &july, "others", true, SOTTO_PLACING_KNOW, &err));
  assert_string_equal(found.account.name, "others");
  assert_string_equal(found.budgeted.name, "may"); /* which a run refuses */
  CHECK_OK(sotto_ledger_place(ledger, &found, &june, "customers", true, SOTTO_PLACING_KNOW, &err));
  CHECK_OK(charge(ledger, &july, "c", 1));
  ring(&august, "august", 12, false, 0);
  CHECK_OK(sotto_ledger_place(ledger, &found, &august, NULL, true, SOTTO_PLACING_KNOW, &err));
  assert_true(found.joined && found.account.named);
  const char *guess = found.account.name[0] == 'o' ? "customers" : "others";
  CHECK_OK(sotto_ledger_place(ledger, &found, &august, guess, true, SOTTO_PLACING_KNOW,
                              &err)); /* it was a guess */
  CHECK_FAILS(SOTTO_INVALID, "can be of no other",
              sotto_ledger_place(ledger, &found, &august, guess[0] == 'o' ? "customers" : "others", true,
                                 SOTTO_PLACING_KNOW, &err)); /* and this was said */
  sotto_dataset_free(&august);
  for (int again = 0; again < 2; again++) {
    CHECK_OK(sotto_ledger_place(ledger, &found, &may, NULL, true, SOTTO_PLACING_LOOK, &err));
    assert_string_equal(found.account.name, "customers");
    assert_true(check_spent_on(ledger, found.account.key, "edge").pure_epsilon == 2);
    sotto_ledger_close(ledger);
    ledger = check_ledger_at(path);
  }
  sotto_dataset_free(&may);
  sotto_dataset_free(&june);
  sotto_dataset_free(&july);
  sotto_ledger_close(ledger);
}

/* What a person called alike is one thing; what a generator or nobody named is not. */
static void given_names_decide_and_made_ones_do_not(void **state) {
  (void)state;
  static const struct {
    const char *name;
    bool given;
  } names[] = {{"customers", true}, {"sbm-of-may", true},    {"sbm", false},          {"powerlaw", false},
               {NULL, false},       {"sbm.client-2", false}, {"transactions", false}, {"arrays", false}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    sotto_dataset one, other;
    sotto_ledger_place_found found;
    sotto_ledger *ledger = check_ledger_at(check_ledger_path());
    ring(&one, names[i].name, 0, false, 0);
    ring(&other, names[i].name, 3, false, 0.5F);
    CHECK_OK(sotto_ledger_place(ledger, &found, &one, NULL, true, SOTTO_PLACING_KNOW, &err));
    CHECK_OK(sotto_ledger_place(ledger, &found, &other, NULL, true, SOTTO_PLACING_KNOW, &err));
    assert_int_equal(found.joined, names[i].given);
    if (found.joined) assert_string_equal(found.by, "name");
    sotto_dataset_free(&one);
    sotto_dataset_free(&other);
    sotto_ledger_close(ledger);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(given_names_decide_and_made_ones_do_not),
      cmocka_unit_test(half_of_the_nodes_are_enough_and_a_fifth_is_not),
      cmocka_unit_test(what_is_not_there_is_like_nothing),
      cmocka_unit_test(rows_tell_nodes_apart_and_edges_tell_nothing),
      cmocka_unit_test(a_version_leaves_until_it_is_charged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
