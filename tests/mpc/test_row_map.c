/* Rows that one party moves or multiplies, as it alone knows, for 2, 3 and 5 parties; and what the others see
 * of it. */
#include "check.h"
#include "chi_square.h"
#include "inside/mpc.h"
#include "parties.h"

static const size_t sizes[] = {2, 3, 5};

static sotto_ring random_ring(sotto_i_random *random, size_t rows, size_t cols) {
  sotto_ring out;
  CHECK_OK(sotto_ring_new(&out, rows, cols, &err));
  for (size_t i = 0; i < rows * cols; i++) out.data[i] = sotto_i_random_u64(random);
  return out;
}

/* A map at all parties, in place [count] that of the dealer. `from` or `factor` is NULL. */
static void make_map(parties *p, sotto_row_map *map, size_t owner, size_t in, size_t out,
                     const uint32_t *from, const sotto_ring *factor) {
  for (size_t i = 0; i < p->count; i++)
    if (from != NULL)
      CHECK_OK(sotto_row_map_move(&map[i], &p->party[i], owner, in, out, i == owner ? from : NULL, &err));
    else
      CHECK_OK(sotto_row_map_scale(&map[i], &p->party[i], owner, i == owner ? factor : NULL, in, &err));
  if (from != NULL)
    CHECK_OK(sotto_dealer_move(&map[p->count], &p->dealer, owner, in, out, &err));
  else
    CHECK_OK(sotto_dealer_scale(&map[p->count], &p->dealer, owner, in, &err));
  for (size_t i = 0; i < p->count; i++) {
    const size_t most = in > out ? in : out;
    if (from != NULL) memcpy(map[i].shown, map[owner].shown, most * sizeof *map[i].shown);
    if (from == NULL) memcpy(map[i].rest.data, map[owner].rest.data, in * sizeof *map[i].rest.data);
    CHECK_OK(sotto_row_map_check(&map[i], &err));
  }
}

static void show(const parties *p, size_t from, const sotto_ring *message) {
  if (p->seen != NULL) p->seen(p->context, from, message);
}

/* out (fresh) = the mapped rows, joined from the shares of all parties. */
static sotto_ring map_rows(parties *p, const sotto_row_map *map, const sotto_ring *shares) {
  const size_t owner = map->owner, cols = shares->cols;
  sotto_ring parts[most_mpc], asked, message, correction, out;
  CHECK_OK(sotto_ring_new(&asked, map->in, cols, &err));
  CHECK_OK(sotto_ring_new(&out, map->out, cols, &err));
  for (size_t i = 0; i < p->count; i++) {
    if (i == owner) continue;
    CHECK_OK(sotto_row_map_ask(&parts[i], &message, &p->party[i], &map[i], &shares[i], &err));
    show(p, i, &message);
    sotto_ring_add(&asked, &asked, &message);
    sotto_ring_free(&message);
  }
  CHECK_OK(sotto_dealer_row_map(&correction, &p->dealer, &map[p->count], cols, &err));
  show(p, p->count, &correction);
  CHECK_OK(sotto_row_map_apply(&parts[owner], &p->party[owner], &map[owner], &shares[owner], &asked,
                               &correction, &err));
  sotto_share_join(&out, parts, p->count);
  parties_free_shares(p, parts);
  sotto_ring_free(&asked);
  sotto_ring_free(&correction);
  return out;
}

/* Two matrices by one map: row k is row from[k] of x, or factor[k] times row k, one element at a time. */
static void check_map(size_t count, size_t owner, size_t in, size_t out, bool moved, sotto_i_random *random) {
  parties p;
  const size_t most = in > out ? in : out;
  uint32_t from[64];
  sotto_row_map map[most_mpc + 1];
  sotto_ring factor = random_ring(random, in, 1), shares[most_mpc];
  parties_new(&p, count);
  for (size_t k = 0; k < most; k++) from[k] = (uint32_t)k;
  sotto_i_random_shuffle(random, from, most);
  make_map(&p, map, owner, in, out, moved ? from : NULL, &factor);
  for (size_t round = 0; round < 2; round++) {
    const size_t cols = 1 + sotto_i_random_below(random, 5);
    sotto_ring x = random_ring(random, in, cols);
    for (size_t i = 0; i < count; i++) shares[i] = random_ring(random, in, cols);
    sotto_share_join(&x, shares, count);
    sotto_ring got = map_rows(&p, map, shares);
    for (size_t k = 0; k < out; k++)
      for (size_t j = 0; j < cols; j++) {
        const uint64_t wanted = !moved          ? factor.data[k] * x.data[k * cols + j]
                                : from[k] >= in ? 0
                                                : x.data[from[k] * cols + j];
        assert_true(got.data[k * cols + j] == wanted);
      }
    sotto_ring_free(&x);
    sotto_ring_free(&got);
    parties_free_shares(&p, shares);
  }
  for (size_t i = 0; i <= count; i++) sotto_row_map_free(&map[i]);
  sotto_ring_free(&factor);
  parties_free(&p);
}

static void rows_are_mapped_exactly(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 60; round++) {
    const size_t count = sizes[sotto_i_random_below(&random, 3)],
                 owner = sotto_i_random_below(&random, count);
    const size_t in = 1 + sotto_i_random_below(&random, 40), out = 1 + sotto_i_random_below(&random, 40);
    check_map(count, owner, in, out, true, &random);
    check_map(count, owner, in, in, true, &random);
    check_map(count, owner, in, in, false, &random);
  }
}

/* Number of an order of four rows among 24. */
static size_t order_number(const uint32_t *order) {
  size_t out = 0;
  for (size_t i = 0; i < 4; i++) {
    size_t less = 0;
    for (size_t j = i + 1; j < 4; j++) less += order[j] < order[i];
    out = out * (4 - i) + less;
  }
  return out;
}

/* How often each order of four rows is shown for one order of the owner. */
static double shown_z(size_t in, size_t out, const uint32_t *from) {
  enum { runs = 4800 };
  uint64_t seen[24] = {0};
  double expected[24];
  for (int run = 0; run < runs; run++) {
    parties p;
    sotto_row_map map[most_mpc + 1];
    parties_new(&p, 2);
    make_map(&p, map, 1, in, out, from, NULL);
    seen[order_number(map[0].shown)]++;
    for (size_t i = 0; i <= 2; i++) sotto_row_map_free(&map[i]);
    parties_free(&p);
  }
  for (size_t i = 0; i < 24; i++) expected[i] = runs / 24.0;
  return chi_square_z(seen, expected, 24);
}

static void every_order_shows_the_others_a_uniform_one(void **state) {
  (void)state;
  static const uint32_t orders[][4] = {{0, 1, 2, 3}, {3, 1, 0, 2}};
  for (size_t i = 0; i < 2; i++) {
    assert_true(shown_z(4, 4, orders[i]) < CHI_SQUARE_LIMIT);
    assert_true(shown_z(2, 4, orders[i]) < CHI_SQUARE_LIMIT);
    assert_true(shown_z(4, 2, orders[i]) < CHI_SQUARE_LIMIT);
  }
}

typedef struct count {
  uint64_t seen[most_mpc + 1][256], bytes[most_mpc + 1];
} count;

static void count_bytes(void *context, size_t from, const sotto_ring *message) {
  count *c = context;
  const uint8_t *bytes = (const uint8_t *)message->data;
  const size_t size = message->rows * message->cols * 8;
  for (size_t i = 0; i < size; i++) c->seen[from][bytes[i]]++;
  c->bytes[from] += size;
}

/* Shares of one party are the secret itself and those of the others zero, which no mask may let through. */
static double worst_z(size_t in, size_t out, bool moved, bool plant) {
  static count c;
  double worst = -100, expected[256];
  c = (count){.bytes = {0}};
  for (int run = 0; run < 200; run++) {
    parties p;
    uint32_t from[8] = {5, 1, 0, 2, 3, 4, 7, 6};
    sotto_row_map map[most_mpc + 1];
    sotto_ring factor, shares[most_mpc], got;
    CHECK_OK(sotto_ring_new(&factor, in, 1, &err));
    for (size_t i = 0; i < in; i++) factor.data[i] = i;
    parties_new(&p, 3);
    p.seen = count_bytes;
    p.context = &c;
    make_map(&p, map, 1, in, out, moved ? from : NULL, &factor);
    if (!moved) count_bytes(&c, 1, plant ? &factor : &map[0].rest);
    for (size_t i = 0; i < 3; i++) CHECK_OK(sotto_ring_new(&shares[i], in, 6, &err));
    for (size_t i = 0; i < in * 6; i++) shares[2].data[i] = 3;
    got = map_rows(&p, map, shares);
    sotto_ring_free(&got);
    parties_free_shares(&p, shares);
    for (size_t i = 0; i <= 3; i++) sotto_row_map_free(&map[i]);
    sotto_ring_free(&factor);
    parties_free(&p);
  }
  for (size_t from = 0; from < 4; from++) {
    for (int b = 0; b < 256; b++) expected[b] = (double)c.bytes[from] / 256;
    const double z = c.bytes[from] == 0 ? worst : chi_square_z(c.seen[from], expected, 256);
    if (z > worst) worst = z;
  }
  return worst;
}

static void messages_are_uniform_for_any_map(void **state) {
  (void)state;
  assert_true(worst_z(8, 8, true, false) < CHI_SQUARE_LIMIT);
  assert_true(worst_z(3, 8, true, false) < CHI_SQUARE_LIMIT);
  assert_true(worst_z(8, 3, true, false) < CHI_SQUARE_LIMIT);
  assert_true(worst_z(8, 8, false, false) < CHI_SQUARE_LIMIT);
  assert_true(worst_z(8, 8, false, true) > CHI_SQUARE_LIMIT); /* planted: factors go out as they are */
}

static void what_is_no_order_is_refused(void **state) {
  (void)state;
  parties p;
  static const uint32_t from[4] = {2, 0, 1, 3}, twice[4] = {2, 2, 1, 3}, far[4] = {2, 0, 1, 4};
  sotto_row_map map[most_mpc + 1], other;
  parties_new(&p, 2);
  make_map(&p, map, 1, 4, 4, from, NULL);
  memcpy(map[0].shown, twice, sizeof twice);
  CHECK_FAILS(SOTTO_INVALID, "party 1: what it sent is no order of 4 rows",
              sotto_row_map_check(&map[0], &err));
  memcpy(map[0].shown, far, sizeof far);
  CHECK_FAILS(SOTTO_INVALID, "no order", sotto_row_map_check(&map[0], &err));
  CHECK_FAILS(SOTTO_RANGE, "fewer than 2^32",
              sotto_dealer_move(&other, &p.dealer, 1, (size_t)1 << 32, 4, &err));
  for (size_t i = 0; i <= 2; i++) sotto_row_map_free(&map[i]);
  parties_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_mapped_exactly),
      cmocka_unit_test(every_order_shows_the_others_a_uniform_one),
      cmocka_unit_test(messages_are_uniform_for_any_map),
      cmocka_unit_test(what_is_no_order_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
