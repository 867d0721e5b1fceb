/* Files for an arbiter of checked sums: they read as they were written, and what is cut short or changed is
 * an error that names the file, or another record. */
#include "run/statement/dispute_file.h"

#include "base/file.h"
#include "base/random.h"
#include "check.h"

typedef struct records {
  sotto_i_check_refusal refused;
  sotto_i_check_kept sent;
  sotto_i_random random;
  size_t points;
} records;

static void fill(records *r, void *out, size_t size) {
  sotto_i_random_bytes(&r->random, out, size);
}

static void records_new(records *r) {
  *r = (records){.random = check_random()};
  sotto_i_check_refusal *f = &r->refused;
  f->plan = (sotto_i_check_plan){.clients = 5, .least = 4, .values = 30, .bound = (uint64_t)1 << 48};
  f->of.round = r->sent.of.round = 12;
  f->client = r->sent.client = 6;
  f->clients = 9;
  f->place = 3;
  fill(r, f->of.run, sizeof f->of.run);
  fill(r, f->key, sizeof f->key);
  fill(r, f->box, sizeof f->box);
  fill(r, f->coin, sizeof f->coin);
  fill(r, f->evidence, sizeof f->evidence);
  fill(r, f->signature, sizeof f->signature);
  r->points = sotto_i_check_message_sizes(&f->plan).points;
  CHECK_OK(sotto_i_new(&f->points, r->points, sizeof *f->points, &err));
  CHECK_OK(sotto_i_new(&f->helper_points, r->points, sizeof *f->helper_points, &err));
  fill(r, f->points, r->points * sizeof *f->points);
  r->sent.of = f->of;
  memcpy(r->sent.box, f->box, sizeof f->box);
  fill(r, r->sent.seed, sizeof r->sent.seed);
  fill(r, r->sent.opening, sizeof r->sent.opening);
}

/* Where they were written. */
static const char *path_of(const records *r, const char *what) {
  char name[80], hex[9];
  for (int i = 0; i < 4; i++) (void)snprintf(hex + 2 * i, 3, "%02x", r->sent.box[i]);
  (void)snprintf(name, sizeof name, "owner-only/%s-client7-round12-%s.json", what, hex);
  return check_path(name);
}

static void what_was_written_is_read(void **state) {
  (void)state;
  records r;
  sotto_i_check_refusal refused = {.points = NULL};
  sotto_i_check_kept sent;
  records_new(&r);
  CHECK_OK(sotto_i_dispute_keep_refused(check_folder(), &r.refused, &err));
  CHECK_OK(sotto_i_dispute_keep_sent(check_folder(), &r.sent, &err));
  CHECK_OK(sotto_i_dispute_read_refused(&refused, path_of(&r, "refused"), &err));
  CHECK_OK(sotto_i_dispute_read_sent(&sent, path_of(&r, "sent"), &err));
  assert_memory_equal(refused.points, r.refused.points, r.points * 8);
  assert_memory_equal(refused.helper_points, r.refused.helper_points, r.points * 8);
  assert_memory_equal(refused.evidence, r.refused.evidence, sizeof refused.evidence);
  assert_memory_equal(refused.box, r.refused.box, sizeof refused.box);
  assert_memory_equal(refused.key, r.refused.key, sizeof refused.key);
  assert_memory_equal(refused.signature, r.refused.signature, sizeof refused.signature);
  assert_memory_equal(refused.of.run, r.refused.of.run, 32);
  assert_true(refused.plan.bound == r.refused.plan.bound && refused.plan.values == 30 &&
              refused.plan.least == 4 && refused.plan.clients == 5 && refused.place == 3 &&
              refused.client == 6 && refused.clients == 9 && refused.of.round == 12);
  assert_true(sent.client == 6 && sent.of.round == 12);
  assert_memory_equal(sent.seed, r.sent.seed, 32);
  assert_memory_equal(sent.opening, r.sent.opening, 32);
  assert_memory_equal(sent.box, r.sent.box, sizeof sent.box);
  sotto_i_dispute_free_refused(&refused);
  sotto_i_dispute_free_refused(&r.refused);
}

/* Reads bytes as either record; what fails names the file. */
static bool reads(const void *bytes, size_t size, bool refused) {
  const char *path = check_path("hostile.json");
  sotto_i_check_refusal r = {.points = NULL};
  sotto_i_check_kept k;
  sotto_error why = {0};
  CHECK_OK(sotto_i_write_file(path, bytes, size, &err));
  const sotto_status status =
      refused ? sotto_i_dispute_read_refused(&r, path, &why) : sotto_i_dispute_read_sent(&k, path, &why);
  sotto_i_dispute_free_refused(&r);
  if (status != SOTTO_OK) {
    assert_true(status == SOTTO_PARSE || status == SOTTO_CORRUPT || status == SOTTO_INVALID ||
                status == SOTTO_UNSUPPORTED);
    assert_non_null(strstr(why.text, "hostile.json"));
  }
  return status == SOTTO_OK;
}

static void a_file_that_is_cut_short_or_changed_is_named(void **state) {
  (void)state;
  records r;
  records_new(&r);
  CHECK_OK(sotto_i_dispute_keep_refused(check_folder(), &r.refused, &err));
  CHECK_OK(sotto_i_dispute_keep_sent(check_folder(), &r.sent, &err));
  for (int refused = 0; refused < 2; refused++) {
    sotto_i_map map;
    uint8_t *copy;
    CHECK_OK(sotto_i_map_open(&map, path_of(&r, refused ? "refused" : "sent"), &err));
    CHECK_OK(sotto_i_new(&copy, map.size, 1, &err));
    assert_true(reads(map.data, map.size, refused));
    assert_false(reads(map.data, map.size, !refused));
    for (size_t size = 0; size < map.size; size += 1 + map.size / 150)
      assert_false(reads(map.data, size, refused));
    for (int i = 0; i < 300; i++) {
      memcpy(copy, map.data, map.size);
      for (uint64_t k = sotto_i_random_below(&r.random, 4) + 1; k > 0; k--)
        copy[sotto_i_random_below(&r.random, map.size)] = (uint8_t)sotto_i_random_below(&r.random, 256);
      (void)reads(copy, map.size, refused);
    }
    sotto_i_free(copy);
    sotto_i_map_close(&map);
  }
  sotto_i_dispute_free_refused(&r.refused);
}

static void numbers_out_of_range_are_named(void **state) {
  (void)state;
  static const struct {
    const char *text, *words;
  } cases[] = {
      {"[]", "is not a JSON object"},
      {"{\"record\":\"refused\",\"form\":2}", "another form than 1"},
      {"{\"record\":\"refused\",\"form\":1,\"clients\":0}", "'clients' is not a number from 1 to 65536"},
      {"{\"record\":\"refused\",\"form\":1,\"clients\":4,\"client\":5}",
       "'client' is not a number from 1 to 4"},
      {"{\"record\":\"refused\",\"form\":1,\"clients\":4,\"client\":4,\"round\":-1}", "'round' is not"},
      {"{\"record\":\"refused\",\"form\":1,\"clients\":4,\"client\":4,\"round\":1,\"taking\":4,\"place\":1,"
       "\"least\":3,\"values\":99999999999}",
       "'values' is not a number from 1 to 16777216"},
      {"{\"record\":\"refused\",\"form\":1,\"form\":1}", "is not JSON"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sotto_i_check_refusal r = {.points = NULL};
    const char *path = check_path("numbers.json");
    CHECK_OK(sotto_i_write_file(path, cases[i].text, strlen(cases[i].text), &err));
    CHECK_FAILS(err.status, cases[i].words, sotto_i_dispute_read_refused(&r, path, &err));
    sotto_i_dispute_free_refused(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_was_written_is_read),
      cmocka_unit_test(a_file_that_is_cut_short_or_changed_is_named),
      cmocka_unit_test(numbers_out_of_range_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
