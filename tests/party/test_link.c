/* Links: payload kinds, checks, counts. */
#include <math.h>
#include <pthread.h>

#include "check.h"
#include "inside/base.h"
#include "inside/party.h"
#include "ledgers.h"
#include "party/wire/link/transport.h"
#include "small_graph.h"
#include "sotto/party.h"

typedef struct fixture {
  sotto_link *a, *b;
  sotto_matrix x;
} fixture;

static int open_pair(void **state) {
  static fixture f;
  sotto_i_random random = check_random();
  CHECK_OK(sotto_link_pair(&f.a, &f.b, &err));
  f.x = check_random_matrix(&random, 3, 2);
  *state = &f;
  return 0;
}

static int close_pair(void **state) {
  fixture *f = *state;
  sotto_link_free(f->a);
  sotto_link_free(f->b);
  sotto_matrix_free(&f->x);
  return 0;
}

static sotto_status receive(sotto_link *link, const char *name, sotto_wire_kind kind, size_t rows,
                            size_t cols, double norm, sotto_error *failure) {
  sotto_matrix out = {0};
  CHECK_OK(sotto_matrix_new(&out, rows, cols, &err));
  const sotto_expectation expected = {name, kind, rows, cols, norm};
  sotto_status status = sotto_link_receive(link, &out, &expected, failure);
  sotto_matrix_free(&out);
  return status;
}

static void what_is_sent_arrives_and_is_counted(void **state) {
  fixture *f = *state;
  float values[6];
  sotto_matrix out = {values, 3, 2};
  const sotto_expectation expected = {"x", SOTTO_WIRE_EXPOSED, 3, 2, 0};
  CHECK_OK(sotto_link_send_exposed(f->a, "x", "a test", &f->x, &err));
  CHECK_OK(sotto_link_receive(f->b, &out, &expected, &err));
  assert_memory_equal(values, f->x.data, sizeof values);
  assert_int_equal(sotto_link_traffic(f->a).sent[SOTTO_WIRE_EXPOSED], 24);
  assert_int_equal(sotto_link_traffic(f->b).received[SOTTO_WIRE_EXPOSED], 24);
  assert_int_equal(sotto_link_traffic(f->a).sent[SOTTO_WIRE_PUBLIC], 0);
}

static void exposures_are_listed_once(void **state) {
  fixture *f = *state;
  sotto_exposure list[SOTTO_MOST_EXPOSURES];
  for (int i = 0; i < 2; i++) CHECK_OK(sotto_link_send_exposed(f->a, "x", "because", &f->x, &err));
  CHECK_OK(sotto_link_send_exposed(f->a, "y", "also", &f->x, &err));
  assert_int_equal(sotto_link_exposures(f->a, list), 2);
  assert_string_equal(list[0].name, "x");
  assert_string_equal(list[1].reason, "also");
  assert_int_equal(sotto_link_exposures(f->b, list), 0);
}

static void another_name_kind_or_shape_is_refused_and_closes(void **state) {
  fixture *f = *state;
  static const struct {
    const char *name;
    sotto_wire_kind kind;
    size_t rows;
    sotto_status wanted;
  } rows[] = {{"y", SOTTO_WIRE_PUBLIC, 3, SOTTO_PROTOCOL},
              {"x", SOTTO_WIRE_EXPOSED, 3, SOTTO_PROTOCOL},
              {"x", SOTTO_WIRE_PUBLIC, 4, SOTTO_RANGE}};
  for (size_t i = 0; i < 3; i++) {
    sotto_link *a, *b;
    CHECK_OK(sotto_link_pair(&a, &b, &err));
    CHECK_OK(sotto_link_send_public(a, "x", &f->x, &err));
    CHECK_FAILS(rows[i].wanted, "", receive(b, rows[i].name, rows[i].kind, rows[i].rows, 2, 0, &err));
    CHECK_FAILS(SOTTO_PROTOCOL, "breaks the protocol", sotto_link_send_public(a, "x", &f->x, &err));
    sotto_link_free(a);
    sotto_link_free(b);
  }
}

static void rows_above_the_promised_norm_are_refused(void **state) {
  fixture *f = *state;
  f->x.data[2] = 3;
  CHECK_OK(sotto_link_send_public(f->a, "x", &f->x, &err));
  CHECK_FAILS(SOTTO_RANGE, "above the promised", receive(f->b, "x", SOTTO_WIRE_PUBLIC, 3, 2, 1, &err));
}

static sotto_status read_window(void *context, float *out, size_t first, size_t count, sotto_error *failure) {
  const sotto_matrix *x = context;
  (void)failure;
  memcpy(out, x->data + first * x->cols, count * x->cols * sizeof *out);
  return SOTTO_OK;
}

/* In several blocks: rows read in windows arrive as rows of memory do, whole or those that are held; and what
 * is not kept is checked too. */
static void rows_come_in_windows_and_some_are_kept(void **state) {
  enum { rows = 70000, cols = 2 };
  fixture *f = *state;
  sotto_i_random random = check_random();
  sotto_matrix x = check_random_matrix(&random, rows, cols), all, some;
  uint32_t nodes[] = {0, 7, 32767, 32768, 65535, 65536, rows - 1};
  const size_t count = sizeof nodes / sizeof *nodes;
  const sotto_i_rank_rows held = {nodes, count};
  const sotto_i_row_source windows = {.rows = rows, .cols = cols, .read = read_window, .context = &x};
  const sotto_expectation expected = {"x", SOTTO_WIRE_EXPOSED, rows, cols, 0};
  CHECK_OK(sotto_matrix_new(&all, rows, cols, &err));
  CHECK_OK(sotto_matrix_new(&some, count, cols, &err));
  CHECK_OK(sotto_i_link_send_exposed_rows(f->a, "x", "a test", &windows, &err));
  CHECK_OK(sotto_link_receive(f->b, &all, &expected, &err));
  assert_memory_equal(all.data, x.data, (size_t)rows * cols * sizeof *x.data);
  CHECK_OK(sotto_link_send_exposed(f->a, "x", "a test", &x, &err));
  CHECK_OK(sotto_i_link_receive_held(f->b, &some, &held, &expected, &err));
  for (size_t i = 0; i < count; i++)
    assert_memory_equal(some.data + i * cols, x.data + (size_t)nodes[i] * cols, cols * sizeof *x.data);
  assert_int_equal(sotto_link_traffic(f->a).sent[SOTTO_WIRE_EXPOSED], 2 * rows * cols * 4);
  assert_int_equal(sotto_link_traffic(f->b).received[SOTTO_WIRE_EXPOSED], 2 * rows * cols * 4);
  x.data[5 * cols] = NAN; /* of no held row */
  CHECK_OK(sotto_i_link_send_exposed_rows(f->a, "x", "a test", &windows, &err));
  CHECK_FAILS(SOTTO_NUMERIC, "row 5", sotto_i_link_receive_held(f->b, &some, &held, &expected, &err));
  sotto_matrix_free(&x);
  sotto_matrix_free(&all);
  sotto_matrix_free(&some);
}

/* The receipt is asked for rows in windows as for others. */
static void rows_in_windows_are_no_release_without_a_charge(void **state) {
  fixture *f = *state;
  const sotto_i_row_source windows = {.rows = 3, .cols = 2, .read = read_window, .context = &f->x};
  const sotto_i_receipt none = {0};
  CHECK_FAILS(SOTTO_INVALID, "was not charged",
              sotto_i_link_send_charged_rows(f->a, "x", &windows, &none, &err));
  assert_int_equal(sotto_link_traffic(f->a).sent[SOTTO_WIRE_RELEASE], 0);
}

static void values_that_are_not_finite_are_refused(void **state) {
  fixture *f = *state;
  f->x.data[5] = INFINITY;
  CHECK_OK(sotto_link_send_public(f->a, "x", &f->x, &err));
  CHECK_FAILS(SOTTO_NUMERIC, "row 2", receive(f->b, "x", SOTTO_WIRE_PUBLIC, 3, 2, 0, &err));
}

/* A ledger beside an unpaid release: only after the charge does the release pass the link. */
static void a_release_passes_only_when_it_was_charged(void **state) {
  fixture *f = *state;
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, 3, 4);
  const sotto_pmp_options options = {.aggregator = SOTTO_AGGREGATOR_SUM, .layers = 1, .self = true};
  sotto_pmp_plan plan;
  sotto_key key;
  sotto_release *release;
  sotto_ledger *ledger;
  const sotto_dataset data = {.name = "test", .account = {1}};
  sotto_key_system(&key);
  CHECK_OK(sotto_pmp_plan_new(&plan, &options, 3, 2, 1, 1e-6, &err));
  CHECK_OK(sotto_release_new(&release, &plan, &graph, &f->x, &key, "id-1", "run", "", NULL, &err));
  CHECK_FAILS(SOTTO_INVALID, "not charged", sotto_link_send_release(f->a, "layer", release, 1, &err));
  assert_int_equal(sotto_link_traffic(f->a).sent[SOTTO_WIRE_RELEASE], 0);
  ledger = check_ledger_at(check_path("ledger.db"));
  CHECK_OK(sotto_release_pay(release, ledger, &data, &err));
  CHECK_OK(sotto_link_send_release(f->a, "layer", release, 1, &err));
  CHECK_FAILS(SOTTO_RANGE, "no noisy layer", sotto_link_send_release(f->a, "layer", release, 0, &err));
  CHECK_OK(receive(f->b, "layer", SOTTO_WIRE_RELEASE, 3, 2, 1, &err));
  sotto_ledger_close(ledger);
  sotto_release_free(release);
  sotto_graph_free(&graph);
}

static void *free_soon(void *link) {
  sotto_link_close(link, "enough");
  return NULL;
}

static void a_waiting_side_learns_that_the_other_left(void **state) {
  fixture *f = *state;
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, free_soon, f->a), 0);
  CHECK_FAILS(SOTTO_PROTOCOL, "enough", receive(f->b, "x", SOTTO_WIRE_PUBLIC, 3, 2, 0, &err));
  pthread_join(thread, NULL);
}

static void an_interruption_ends_the_wait(void **state) {
  fixture *f = *state;
  sotto_interrupt();
  CHECK_FAILS(SOTTO_INTERRUPTED, "", receive(f->b, "x", SOTTO_WIRE_PUBLIC, 3, 2, 0, &err));
  sotto_interrupt_clear();
}

/* Bits that are no finite float pass as words, and only so. */
static void words_arrive_bit_for_bit(void **state) {
  fixture *f = *state;
  const uint32_t sent[2] = {0x7F800000U, 0xFFFFFFFFU};
  uint32_t arrived[2] = {0};
  const sotto_words words = {"w", SOTTO_WIRE_SHARE, NULL, sent, 1, 2};
  const sotto_expectation expected = {"w", SOTTO_WIRE_SHARE, 1, 2, 0};
  CHECK_OK(sotto_link_send_words(f->a, &words, &err));
  CHECK_OK(sotto_link_receive_words(f->b, arrived, &expected, &err));
  assert_memory_equal(arrived, sent, sizeof sent);
  assert_int_equal(sotto_link_traffic(f->a).sent[SOTTO_WIRE_SHARE], 8);
  CHECK_OK(sotto_link_send_words(f->a, &words, &err));
  CHECK_FAILS(SOTTO_NUMERIC, "not finite", receive(f->b, "w", SOTTO_WIRE_SHARE, 1, 2, 0, &err));
}

static void words_are_no_release_and_exposed_ones_say_why(void **state) {
  fixture *f = *state;
  const uint32_t one = 1;
  sotto_exposure list[SOTTO_MOST_EXPOSURES];
  sotto_words words = {"w", SOTTO_WIRE_RELEASE, NULL, &one, 1, 1};
  const sotto_expectation release = {"w", SOTTO_WIRE_RELEASE, 1, 1, 0};
  uint32_t arrived = 0;
  CHECK_FAILS(SOTTO_INVALID, "never go out", sotto_link_send_words(f->a, &words, &err));
  CHECK_FAILS(SOTTO_INVALID, "never comes as words",
              sotto_link_receive_words(f->b, &arrived, &release, &err));
  words.kind = SOTTO_WIRE_EXPOSED;
  CHECK_FAILS(SOTTO_INVALID, "says why", sotto_link_send_words(f->a, &words, &err));
  words.reason = "a test";
  CHECK_OK(sotto_link_send_words(f->a, &words, &err));
  assert_int_equal(sotto_link_exposures(f->a, list), 1);
  words.kind = SOTTO_WIRE_SEALED;
  CHECK_FAILS(SOTTO_INVALID, "and no other", sotto_link_send_words(f->a, &words, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(what_is_sent_arrives_and_is_counted, open_pair, close_pair),
      cmocka_unit_test_setup_teardown(exposures_are_listed_once, open_pair, close_pair),
      cmocka_unit_test_setup_teardown(another_name_kind_or_shape_is_refused_and_closes, open_pair,
                                      close_pair),
      cmocka_unit_test_setup_teardown(rows_above_the_promised_norm_are_refused, open_pair, close_pair),
      cmocka_unit_test_setup_teardown(rows_come_in_windows_and_some_are_kept, open_pair, close_pair),
      cmocka_unit_test_setup_teardown(rows_in_windows_are_no_release_without_a_charge, open_pair, close_pair),
      cmocka_unit_test_setup_teardown(values_that_are_not_finite_are_refused, open_pair, close_pair),
      cmocka_unit_test_setup_teardown(a_release_passes_only_when_it_was_charged, open_pair, close_pair),
      cmocka_unit_test_setup_teardown(a_waiting_side_learns_that_the_other_left, open_pair, close_pair),
      cmocka_unit_test_setup_teardown(words_arrive_bit_for_bit, open_pair, close_pair),
      cmocka_unit_test_setup_teardown(words_are_no_release_and_exposed_ones_say_why, open_pair, close_pair),
      cmocka_unit_test_setup_teardown(an_interruption_ends_the_wait, open_pair, close_pair),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
