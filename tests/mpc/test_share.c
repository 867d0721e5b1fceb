/* Shares, products and truncation for 2, 3 and 5 parties; and what their messages show. */
#include <math.h>

#include "check.h"
#include "chi_square.h"
#include "inside/mpc.h"
#include "mpc/ring.h"
#include "parties.h"

static const size_t sizes[] = {2, 3, 5};

static sotto_ring new_ring(size_t rows, size_t cols) {
  sotto_ring out;
  CHECK_OK(sotto_ring_new(&out, rows, cols, &err));
  return out;
}

static sotto_ring random_ring(sotto_i_random *random, size_t rows, size_t cols) {
  sotto_ring out = new_ring(rows, cols);
  for (size_t i = 0; i < rows * cols; i++) out.data[i] = sotto_i_random_u64(random);
  return out;
}

/* Shares that add up to the secret. */
static void split_ring(sotto_ring *shares, size_t count, const sotto_ring *secret) {
  sotto_i_random random = check_random();
  shares[count - 1] = new_ring(secret->rows, secret->cols);
  sotto_ring_add(&shares[count - 1], &shares[count - 1], secret);
  for (size_t p = 0; p + 1 < count; p++) {
    shares[p] = random_ring(&random, secret->rows, secret->cols);
    sotto_ring_subtract(&shares[count - 1], &shares[count - 1], &shares[p]);
  }
}

/* X is masked and opened once, and multiplied by three Y, each with a mask of its own: exact in the ring. */
static void products_are_exact_with_a_fixed_operand(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (size_t s = 0; s < 3; s++) {
    parties p;
    sotto_ring x = random_ring(&random, 9, 6), xs[most_mpc], ys[most_mpc], zs[most_mpc];
    sotto_operand left[most_mpc], right[most_mpc];
    parties_new(&p, sizes[s]);
    split_ring(xs, p.count, &x);
    uint64_t x_number = parties_open(&p, left, xs);
    for (int round = 0; round < 3; round++) {
      sotto_ring y = random_ring(&random, 6, 4), wanted = new_ring(9, 4), got = new_ring(9, 4);
      split_ring(ys, p.count, &y);
      uint64_t y_number = parties_open(&p, right, ys);
      parties_product(&p, zs, left, x_number, right, y_number);
      sotto_share_join(&got, zs, p.count);
      CHECK_OK(sotto_i_ring_product_by(&sotto_i_ring_plain, &wanted, &x, &y, false, &err));
      assert_memory_equal(got.data, wanted.data, 36 * 8);
      for (size_t i = 0; i < p.count; i++) sotto_operand_free(&right[i]);
      parties_free_shares(&p, ys);
      parties_free_shares(&p, zs);
      sotto_ring_free(&y);
      sotto_ring_free(&wanted);
      sotto_ring_free(&got);
    }
    for (size_t i = 0; i < p.count; i++) sotto_operand_free(&left[i]);
    parties_free_shares(&p, xs);
    sotto_ring_free(&x);
    parties_free(&p);
  }
}

/* One mask of X serves X W and, transposed, X^T G: exact, and without another message. */
static void a_transposed_operand_multiplies_exactly(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (size_t s = 0; s < 3; s++) {
    parties p;
    sotto_ring x = random_ring(&random, 37, 5), turned = new_ring(5, 37), g = random_ring(&random, 37, 3);
    sotto_ring wanted = new_ring(5, 3), got = new_ring(5, 3), whole, turned_mask = new_ring(5, 37),
               correction;
    sotto_ring xs[most_mpc], gs[most_mpc], zs[most_mpc];
    sotto_operand left[most_mpc], transposed[most_mpc], right[most_mpc];
    parties_new(&p, sizes[s]);
    split_ring(xs, p.count, &x);
    split_ring(gs, p.count, &g);
    uint64_t x_number = parties_open(&p, left, xs), g_number = parties_open(&p, right, gs);
    CHECK_OK(sotto_dealer_whole_mask(&whole, &p.dealer, x_number, 37, 5, &err));
    sotto_ring_transpose(&turned_mask, &whole);
    CHECK_OK(sotto_dealer_product_of(&correction, &p.dealer, &turned_mask, g_number, 3, &err));
    for (size_t i = 0; i < p.count; i++) {
      CHECK_OK(sotto_operand_transpose(&transposed[i], &left[i], &err));
      CHECK_OK(sotto_share_product(&zs[i], &p.party[i], &transposed[i], &right[i],
                                   i + 1 == p.count ? &correction : NULL, &err));
    }
    sotto_share_join(&got, zs, p.count);
    sotto_ring_transpose(&turned, &x);
    CHECK_OK(sotto_i_ring_product_by(&sotto_i_ring_plain, &wanted, &turned, &g, false, &err));
    assert_memory_equal(got.data, wanted.data, 15 * 8);
    for (size_t i = 0; i < 37; i++)
      for (size_t j = 0; j < 5; j++) assert_true(turned.data[j * 37 + i] == x.data[i * 5 + j]);
    for (size_t i = 0; i < p.count; i++) {
      sotto_operand_free(&left[i]);
      sotto_operand_free(&transposed[i]);
      sotto_operand_free(&right[i]);
    }
    parties_free_shares(&p, xs);
    parties_free_shares(&p, gs);
    parties_free_shares(&p, zs);
    sotto_ring *rings[] = {&x, &turned, &g, &wanted, &got, &whole, &turned_mask, &correction};
    for (size_t i = 0; i < sizeof rings / sizeof *rings; i++) sotto_ring_free(rings[i]);
    parties_free(&p);
  }
  sotto_operand closed = {0}, out;
  CHECK_FAILS(SOTTO_INVALID, "must be opened", sotto_operand_transpose(&out, &closed, &err));
}

static void products_by_element_are_exact(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (size_t s = 0; s < 3; s++) {
    parties p;
    sotto_ring x = random_ring(&random, 4, 7), y = random_ring(&random, 4, 7), got = new_ring(4, 7);
    sotto_ring xs[most_mpc], ys[most_mpc], zs[most_mpc], correction;
    sotto_operand left[most_mpc], right[most_mpc];
    parties_new(&p, sizes[s]);
    split_ring(xs, p.count, &x);
    split_ring(ys, p.count, &y);
    uint64_t x_number = parties_open(&p, left, xs), y_number = parties_open(&p, right, ys);
    CHECK_OK(sotto_dealer_elementwise(&correction, &p.dealer, x_number, y_number, 4, 7, &err));
    for (size_t i = 0; i < p.count; i++)
      CHECK_OK(sotto_share_elementwise(&zs[i], &p.party[i], &left[i], &right[i],
                                       i + 1 == p.count ? &correction : NULL, &err));
    sotto_share_join(&got, zs, p.count);
    for (size_t i = 0; i < 28; i++) assert_true(got.data[i] == x.data[i] * y.data[i]);
    for (size_t i = 0; i < p.count; i++) {
      sotto_operand_free(&left[i]);
      sotto_operand_free(&right[i]);
    }
    parties_free_shares(&p, xs);
    parties_free_shares(&p, ys);
    parties_free_shares(&p, zs);
    sotto_ring *rings[] = {&x, &y, &got, &correction};
    for (size_t i = 0; i < 4; i++) sotto_ring_free(rings[i]);
    parties_free(&p);
  }
}

/* Floor or one more for any number of parties, at the ends of the domain too; over the end it is wrong, so
 * that the check of bounds has something to prevent. */
static void truncation_is_off_by_one_step_at_most(void **state) {
  (void)state;
  enum { values = 400, beyond = 60 };
  static const unsigned bits[] = {1, 20, 40, 60};
  const int64_t end = (int64_t)1 << 62;
  sotto_i_random random = check_random();
  for (size_t s = 0; s < 3; s++)
    for (size_t b = 0; b < 4; b++) {
      parties p;
      sotto_ring x = new_ring(1, values), back = new_ring(1, values), xs[most_mpc], zs[most_mpc];
      for (size_t i = 0; i < values; i++)
        x.data[i] =
            (uint64_t)((int64_t)sotto_i_random_u64(&random) >> (1 + sotto_i_random_below(&random, 62)));
      x.data[0] = (uint64_t)-end;
      x.data[1] = (uint64_t)(end - 1);
      x.data[2] = 0;
      for (size_t i = 0; i < beyond; i++) x.data[values - 1 - i] = INT64_MAX;
      parties_new(&p, sizes[s]);
      split_ring(xs, p.count, &x);
      parties_truncate(&p, zs, xs, bits[b]);
      sotto_share_join(&back, zs, p.count);
      size_t wrong = 0;
      for (size_t i = 0; i < values; i++) {
        int64_t floor_value = (int64_t)x.data[i] >> bits[b], off = (int64_t)back.data[i] - floor_value;
        if (i >= values - beyond)
          wrong += off < -1 || off > 1;
        else if (off != 0 && off != 1)
          fail_msg("%zu parties, %u bits: off by %lld", p.count, bits[b], (long long)off);
      }
      assert_true(wrong > 0);
      parties_free_shares(&p, xs);
      parties_free_shares(&p, zs);
      sotto_ring_free(&x);
      sotto_ring_free(&back);
      parties_free(&p);
    }
}

/* X W in floats, in fixed point with shares: within the rounding of both factors and of the truncation. */
static void a_layer_on_shares_is_the_layer(void **state) {
  (void)state;
  enum { rows = 20, inner = 30, cols = 8 };
  sotto_i_random random = check_random();
  float x[rows * inner], w[inner * cols], z[rows * cols];
  const sotto_matrix mx = {x, rows, inner}, mw = {w, inner, cols};
  sotto_matrix mz = {z, rows, cols};
  sotto_ring rx = new_ring(rows, inner), rw = new_ring(inner, cols), rz = new_ring(rows, cols);
  sotto_ring xs[most_mpc], ws[most_mpc], ps[most_mpc], zs[most_mpc];
  sotto_operand left[most_mpc], right[most_mpc];
  parties p;
  for (size_t i = 0; i < rows * inner; i++) x[i] = (float)(2 * sotto_i_random_double(&random) - 1);
  for (size_t i = 0; i < inner * cols; i++) w[i] = (float)(2 * sotto_i_random_double(&random) - 1);
  CHECK_OK(sotto_fixed_check_product(inner, 1, 1, SOTTO_FIXED_BITS, &err));
  CHECK_OK(sotto_fixed_encode(&rx, &mx, SOTTO_FIXED_BITS, 1, &err));
  CHECK_OK(sotto_fixed_encode(&rw, &mw, SOTTO_FIXED_BITS, 1, &err));
  parties_new(&p, 3);
  split_ring(xs, 3, &rx);
  split_ring(ws, 3, &rw);
  uint64_t left_number = parties_open(&p, left, xs), right_number = parties_open(&p, right, ws);
  parties_product(&p, ps, left, left_number, right, right_number);
  parties_truncate(&p, zs, ps, SOTTO_FIXED_BITS);
  sotto_share_join(&rz, zs, 3);
  sotto_fixed_decode(&mz, &rz, SOTTO_FIXED_BITS);
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < cols; j++) {
      double sum = 0;
      for (size_t k = 0; k < inner; k++) sum += (double)x[i * inner + k] * w[k * cols + j];
      /* two roundings of half a step a term, one step of the truncation, the float itself */
      assert_true(fabs(sum - z[i * cols + j]) < ldexp(inner + 2, -20) + 1e-6);
    }
  for (size_t i = 0; i < 3; i++) {
    sotto_operand_free(&left[i]);
    sotto_operand_free(&right[i]);
  }
  parties_free_shares(&p, xs);
  parties_free_shares(&p, ws);
  parties_free_shares(&p, ps);
  parties_free_shares(&p, zs);
  sotto_ring_free(&rx);
  sotto_ring_free(&rw);
  sotto_ring_free(&rz);
  parties_free(&p);
}

/* Bytes of every message by its sender, over all eight places of a word. */
typedef struct count {
  uint64_t seen[most_mpc + 1][256], bytes[most_mpc + 1];
} count;

static void count_bytes(void *context, size_t from, const sotto_ring *message) {
  count *c = context;
  const uint8_t *bytes = (const uint8_t *)message->data;
  size_t size = message->rows * message->cols * 8;
  for (size_t i = 0; i < size; i++) c->seen[from][bytes[i]]++;
  c->bytes[from] += size;
}

/* One run of masks, a product and a truncation over secrets that are all the same small number. */
static void run_once(count *c, size_t parties_count, uint64_t secret, bool plant) {
  parties p;
  sotto_ring x = new_ring(4, 4), xs[most_mpc], zs[most_mpc], ts[most_mpc];
  sotto_operand left[most_mpc], right[most_mpc];
  for (size_t i = 0; i < 16; i++) x.data[i] = secret;
  parties_new(&p, parties_count);
  p.seen = count_bytes;
  p.context = c;
  split_ring(xs, p.count, &x);
  if (plant) /* a fault: the last party's share goes out without a mask and is the secret */
    count_bytes(c, 0, &x);
  for (size_t i = 0; i < p.count; i++) count_bytes(c, i, &xs[i]);
  uint64_t left_number = parties_open(&p, left, xs), right_number = parties_open(&p, right, xs);
  parties_product(&p, zs, left, left_number, right, right_number);
  parties_truncate(&p, ts, zs, 20);
  for (size_t i = 0; i < p.count; i++) {
    sotto_operand_free(&left[i]);
    sotto_operand_free(&right[i]);
  }
  parties_free_shares(&p, xs);
  parties_free_shares(&p, zs);
  parties_free_shares(&p, ts);
  sotto_ring_free(&x);
  parties_free(&p);
}

static double worst_z(const count *c, size_t senders) {
  double worst = -100, expected[256];
  for (size_t from = 0; from < senders; from++) {
    for (int b = 0; b < 256; b++) expected[b] = (double)c->bytes[from] / 256;
    double z = chi_square_z(c->seen[from], expected, 256);
    if (z > worst) worst = z;
  }
  return worst;
}

/* Each sender's bytes are uniform whatever the secret, the dealer's corrections too. */
static void messages_are_uniform_for_any_secret(void **state) {
  (void)state;
  static const uint64_t secrets[] = {0, 1 << 20, (uint64_t) - (1 << 20)};
  for (size_t s = 0; s < 3; s++)
    for (size_t k = 0; k < 3; k++) {
      static count c;
      c = (count){0};
      for (int run = 0; run < 150; run++) run_once(&c, sizes[s], secrets[k], false);
      assert_true(worst_z(&c, sizes[s] + 1) < CHI_SQUARE_LIMIT);
    }
}

static void a_secret_that_goes_out_is_seen(void **state) {
  (void)state;
  static count c;
  c = (count){0};
  for (int run = 0; run < 150; run++) run_once(&c, 3, 1 << 20, true);
  assert_true(worst_z(&c, 4) > CHI_SQUARE_LIMIT);
}

static void steps_out_of_place_are_refused(void **state) {
  (void)state;
  sotto_key public;
  sotto_mpc_party party;
  sotto_operand operand = {0}, other = {0};
  sotto_ring share = new_ring(2, 2), wrong = new_ring(1, 2), message, out;
  parties p;
  parties_new(&p, 2);
  sotto_key_public(&public, 1);
  CHECK_FAILS(SOTTO_INVALID, "system's generator", sotto_mpc_party_new(&party, 0, 2, &public, &err));
  CHECK_FAILS(SOTTO_RANGE, "party 2 of 2", sotto_mpc_party_new(&party, 2, 2, &p.dealer.seeds[0], &err));
  CHECK_FAILS(SOTTO_INVALID, "must be opened",
              sotto_share_product(&out, &p.party[0], &operand, &other, NULL, &err));
  CHECK_OK(sotto_operand_mask(&operand, &message, &p.party[0], &share, &err));
  const sotto_ring messages[2] = {message, wrong};
  CHECK_FAILS(SOTTO_RANGE, "party 1 masked 1 x 2", sotto_operand_open(&operand, messages, 2, &err));
  CHECK_OK(sotto_operand_open(&operand, &message, 1, &err));
  CHECK_FAILS(SOTTO_INVALID, "opened before", sotto_operand_open(&operand, &message, 1, &err));
  CHECK_FAILS(SOTTO_INVALID, "for the last party",
              sotto_share_product(&out, &p.party[0], &operand, &operand, &share, &err));
  CHECK_FAILS(SOTTO_INVALID, "for the last party",
              sotto_share_product(&out, &p.party[1], &operand, &operand, NULL, &err));
  CHECK_FAILS(SOTTO_RANGE, "a correction of 1 x 2",
              sotto_share_product(&out, &p.party[1], &operand, &operand, &wrong, &err));
  sotto_truncation truncation;
  CHECK_FAILS(SOTTO_RANGE, "truncation by 0 bits",
              sotto_truncation_mask(&truncation, &out, &p.party[0], &share, 0, NULL, &err));
  CHECK_FAILS(SOTTO_RANGE, "a correction of 1 x 2",
              sotto_truncation_mask(&truncation, &out, &p.party[1], &share, 20, &wrong, &err));
  sotto_operand_free(&operand);
  sotto_ring_free(&share);
  sotto_ring_free(&wrong);
  sotto_ring_free(&message);
  parties_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_are_exact_with_a_fixed_operand),
      cmocka_unit_test(a_transposed_operand_multiplies_exactly),
      cmocka_unit_test(products_by_element_are_exact),
      cmocka_unit_test(truncation_is_off_by_one_step_at_most),
      cmocka_unit_test(a_layer_on_shares_is_the_layer),
      cmocka_unit_test(messages_are_uniform_for_any_secret),
      cmocka_unit_test(a_secret_that_goes_out_is_seen),
      cmocka_unit_test(steps_out_of_place_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
