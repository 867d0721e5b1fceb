/* Arithmetic on shared matrices by holders and dealer in threads, against floats. */
#include <math.h>
#include <pthread.h>

#include "check.h"
#include "party/shares/secure.h"
#include "small_graph.h"

enum { rows = 9, inner = 6, cols = 4, most = 3 };

typedef struct side {
  sotto_i_peers peers;
  sotto_link *links[most];
  size_t holders;
  sotto_key key;             /* the dealer's */
  const sotto_matrix *x, *y; /* each holder's part */
  sotto_matrix product, square, turned, scaled, kept;
  size_t bare; /* zeros in this side's share of `kept` */
  sotto_status status;
  sotto_error error;
} side;

/* *kept becomes `from` by a bit of 1 and stays by a bit of 0; holder 0 alone says which. */
static sotto_status select_twice(sotto_i_secret *kept, sotto_i_secure *s, const sotto_i_secret *from,
                                 const sotto_i_secret *other, bool first, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (int round = 0; status == SOTTO_OK && round < 2; round++) {
    sotto_i_secret bit = {0};
    sotto_i_factor chosen = {0};
    status = sotto_i_secret_new(&bit, s, 1, 1, err);
    if (first && status == SOTTO_OK) bit.share.data[0] = round == 0;
    if (status == SOTTO_OK) status = sotto_i_secure_mask(&chosen, s, &bit, err);
    if (status == SOTTO_OK) status = sotto_i_secure_select(kept, s, &chosen, round == 0 ? from : other, err);
    sotto_i_secret_free(&bit);
    sotto_i_factor_free(&chosen);
  }
  return status;
}

static const uint32_t picked[3] = {7, 0, 7};

/* X Y, X X by element, X^T (X Y), 0.25 rows of X, put back, plus 3, and X, which a secret bit selects; all
 * revealed to holder 0. */
static sotto_status compute(side *d, bool dealing, sotto_error *err) {
  sotto_i_secure s = {0};
  sotto_i_secret x = {0}, y = {0}, xy = {0}, xx = {0}, xtxy = {0}, some = {0}, back = {0}, kept = {0};
  sotto_i_factor fx = {0}, fy = {0}, ft = {0}, fxy = {0};
  sotto_i_secret *secrets[] = {&x, &y, &xy, &xx, &xtxy, &some, &back, &kept};
  sotto_i_factor *factors[] = {&fx, &fy, &ft, &fxy};
  sotto_status status;
  bool first = !dealing && d->peers.self == 0;
  SOTTO_TRY(sotto_i_secure_begin(&s, dealing ? NULL : &d->peers, d->links, d->holders, 20, &d->key, err));
  SOTTO_TRY(sotto_i_secret_new(&x, &s, rows, inner, err));
  SOTTO_TRY(sotto_i_secret_new(&y, &s, inner, cols, err));
  if (!dealing) {
    SOTTO_TRY(sotto_i_secret_put(&x, &s, d->x, 4, err));
    SOTTO_TRY(sotto_i_secret_put(&y, &s, d->y, 4, err));
  }
  SOTTO_TRY(sotto_i_secure_mask(&fx, &s, &x, err));
  SOTTO_TRY(sotto_i_secure_mask(&fy, &s, &y, err));
  SOTTO_TRY(sotto_i_secure_product(&xy, &s, &fx, &fy, err));
  SOTTO_TRY(sotto_i_secure_elementwise(&xx, &s, &fx, &fx, err));
  SOTTO_TRY(sotto_i_secure_transpose(&ft, &s, &fx, err));
  SOTTO_TRY(sotto_i_secure_mask(&fxy, &s, &xy, err));
  SOTTO_TRY(sotto_i_secure_product(&xtxy, &s, &ft, &fxy, err));
  SOTTO_TRY(sotto_i_secure_gather(&some, &s, &xx, picked, 3, err));
  SOTTO_TRY(sotto_i_secret_new(&back, &s, rows, inner, err));
  sotto_i_secure_scatter(&back, &some, picked);
  SOTTO_TRY(sotto_i_secure_add_scaled(&back, &s, &xx, -0.25, err));
  sotto_i_secure_add_constant(&back, &s, 3);
  SOTTO_TRY(sotto_i_secret_new(&kept, &s, rows, inner, err));
  SOTTO_TRY(select_twice(&kept, &s, &x, &xx, first, err));
  for (size_t i = 0; !dealing && i < rows * inner; i++) d->bare += kept.share.data[i] == 0;
  SOTTO_TRY(sotto_i_secure_reveal(first ? &d->product : NULL, &s, &xy, 0, "xy", err));
  SOTTO_TRY(sotto_i_secure_reveal(first ? &d->square : NULL, &s, &xx, 0, "xx", err));
  SOTTO_TRY(sotto_i_secure_reveal(first ? &d->turned : NULL, &s, &xtxy, 0, "xtxy", err));
  SOTTO_TRY(sotto_i_secure_reveal(first ? &d->scaled : NULL, &s, &back, 0, "back", err));
  SOTTO_TRY(sotto_i_secure_reveal(first ? &d->kept : NULL, &s, &kept, 0, "kept", err));
done:
  for (size_t i = 0; i < 8; i++) sotto_i_secret_free(secrets[i]);
  for (size_t i = 0; i < 4; i++) sotto_i_factor_free(factors[i]);
  sotto_i_secure_free(&s);
  return status;
}

static void *holder_thread(void *context) {
  side *d = context;
  d->status = compute(d, false, &d->error);
  return NULL;
}

static void near(const sotto_matrix *got, size_t i, size_t j, double wanted) {
  double value = got->data[i * got->cols + j];
  if (!(fabs(value - wanted) < 2e-4)) fail_msg("(%zu, %zu) is %.8g, not %.8g", i, j, value, wanted);
}

static void check_results(const side *d, const sotto_matrix *x, const sotto_matrix *y) {
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < cols; j++) {
      double sum = 0;
      for (size_t k = 0; k < inner; k++) sum += (double)x->data[i * inner + k] * y->data[k * cols + j];
      near(&d->product, i, j, sum);
    }
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < inner; j++) {
      double square = (double)x->data[i * inner + j] * x->data[i * inner + j];
      near(&d->square, i, j, square);
      if (!(fabs((double)d->kept.data[i * inner + j] - x->data[i * inner + j]) < most * 0x1p-20))
        fail_msg("(%zu, %zu) was selected as %.8g, not %.8g", i, j, d->kept.data[i * inner + j],
                 x->data[i * inner + j]);
      near(&d->scaled, i, j, (i == 7 ? 1.75 : i == 0 ? 0.75 : -0.25) * square + 3);
    }
  for (size_t i = 0; i < inner; i++)
    for (size_t j = 0; j < cols; j++) {
      double sum = 0;
      for (size_t k = 0; k < rows; k++) sum += (double)x->data[k * inner + i] * d->product.data[k * cols + j];
      near(&d->turned, i, j, sum);
    }
}

static void every_operation_is_that_of_floats(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (size_t holders = 2; holders <= most; holders++) {
    side d[most] = {{.holders = 0}}, dealer = {.holders = holders};
    sotto_key_system(&dealer.key);
    pthread_t threads[most];
    sotto_matrix xs[most], ys[most], x, y;
    CHECK_OK(sotto_matrix_new(&x, rows, inner, &err));
    CHECK_OK(sotto_matrix_new(&y, inner, cols, &err));
    for (size_t i = 0; i < holders; i++) {
      xs[i] = check_random_matrix(&random, rows, inner);
      ys[i] = check_random_matrix(&random, inner, cols);
      for (size_t j = 0; j < rows * inner; j++) x.data[j] += xs[i].data[j] = tanhf(xs[i].data[j]);
      for (size_t j = 0; j < inner * cols; j++) y.data[j] += ys[i].data[j] = tanhf(ys[i].data[j]);
      d[i] = (side){.holders = holders, .x = &xs[i], .y = &ys[i]};
    }
    for (size_t i = 0; i < holders; i++) {
      d[i].peers.self = i;
      d[i].peers.count = holders;
      CHECK_OK(sotto_link_pair(&d[i].peers.dealer, &dealer.links[i], &err));
      for (size_t j = i + 1; j < holders; j++)
        CHECK_OK(sotto_link_pair(&d[i].peers.holder[j], &d[j].peers.holder[i], &err));
    }
    CHECK_OK(sotto_matrix_new(&d[0].product, rows, cols, &err));
    CHECK_OK(sotto_matrix_new(&d[0].square, rows, inner, &err));
    CHECK_OK(sotto_matrix_new(&d[0].turned, inner, cols, &err));
    CHECK_OK(sotto_matrix_new(&d[0].kept, rows, inner, &err));
    CHECK_OK(sotto_matrix_new(&d[0].scaled, rows, inner, &err));
    for (size_t i = 0; i < holders; i++) pthread_create(&threads[i], NULL, holder_thread, &d[i]);
    CHECK_OK(compute(&dealer, true, &err));
    for (size_t i = 0; i < holders; i++) pthread_join(threads[i], NULL);
    for (size_t i = 0; i < holders; i++)
      if (d[i].status != SOTTO_OK) fail_msg("holder %zu: %s", i, d[i].error.text);
    check_results(&d[0], &x, &y);
    for (size_t i = 0; i < holders; i++) {
      assert_int_equal(d[i].bare, 0); /* what was selected does not show in a share */
      sotto_link_free(dealer.links[i]);
      sotto_link_free(d[i].peers.dealer);
      for (size_t j = 0; j < holders; j++) sotto_link_free(d[i].peers.holder[j]);
      sotto_matrix_free(&xs[i]);
      sotto_matrix_free(&ys[i]);
    }
    sotto_matrix *matrices[] = {&x, &y, &d[0].product, &d[0].square, &d[0].turned, &d[0].scaled, &d[0].kept};
    for (size_t i = 0; i < 7; i++) sotto_matrix_free(matrices[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_operation_is_that_of_floats),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
