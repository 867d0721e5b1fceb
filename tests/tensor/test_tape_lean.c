/* A tape that uses the memory of gradients again gives the same gradients as one that keeps them all. */
#include <string.h>

#include "check.h"
#include "inside/tensor.h"
#include "small_graph.h"
#include "sotto/tensor.h"
#include "tensor/tape.h"

enum { side = 5, most = 40 };

/* A random computation on square matrices: what is computed from what, so that variables are read once, often
 * or by nothing; both tapes get the same one. */
typedef struct drawn {
  uint32_t op[most], a[most], b[most];
  size_t count;
} drawn;

static void draw(drawn *d, sotto_i_random *random) {
  d->count = 4 + sotto_i_random_below(random, most - 4);
  for (size_t i = 0; i < d->count; i++) {
    d->op[i] = (uint32_t)sotto_i_random_below(random, 8);
    d->a[i] = (uint32_t)sotto_i_random_below(random, 2 + i);
    d->b[i] = sotto_i_random_below(random, 3) == 0 ? d->a[i] : (uint32_t)sotto_i_random_below(random, 2 + i);
  }
}

static sotto_var apply(sotto_tape *tape, uint32_t op, sotto_var a, sotto_var b) {
  switch (op) {
  case 0:
  case 1:
  case 2:
    return sotto_tape_add(tape, a, b); /* passes its gradient on without a copy */
  case 3:
    return sotto_tape_multiply(tape, a, sotto_tape_tanh(tape, b));
  case 4:
    return sotto_tape_tanh(tape, a);
  case 5:
    return sotto_tape_tanh(tape, sotto_tape_matmul(tape, a, b));
  case 6:
    return sotto_tape_subtract(tape, a, b);
  default:
    return sotto_tape_columns(tape, sotto_tape_concat(tape, a, b), 2, 2 + side);
  }
}

/* The gradients of the input and of the parameter; *kept: how many computed variables have one at the end. */
static void run(sotto_tape *tape, float *dx, float *dw, size_t *kept, const drawn *d, const sotto_matrix *x,
                const sotto_matrix *w) {
  sotto_var v[most + 2];
  sotto_matrix gradient = {dw, side, side};
  memset(dw, 0, side * side * sizeof *dw);
  sotto_tape_reset(tape);
  v[0] = sotto_tape_input(tape, x);
  v[1] = sotto_tape_parameter(tape, w, &gradient);
  for (size_t i = 0; i < d->count; i++) v[2 + i] = apply(tape, d->op[i], v[d->a[i]], v[d->b[i]]);
  CHECK_OK(sotto_tape_backward(tape, sotto_tape_sum(tape, v[d->count + 1]), &err));
  memcpy(dx, sotto_tape_gradient(tape, v[0]).data, side * side * sizeof *dx);
  *kept = 0;
  for (size_t i = 0; i < d->count; i++) *kept += sotto_tape_gradient(tape, v[2 + i]).data != NULL;
}

static void memory_used_again_does_not_change_a_gradient(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_matrix x = check_random_matrix(&random, side, side), w = check_random_matrix(&random, side, side);
  sotto_tape *plain, *lean;
  CHECK_OK(sotto_tape_new(&plain, &err));
  CHECK_OK(sotto_tape_new(&lean, &err));
  sotto_i_tape_lean(lean);
  for (int round = 0; round < 300; round++) {
    float dx[2][side * side], dw[2][side * side];
    size_t kept[2];
    drawn d;
    draw(&d, &random);
    run(plain, dx[0], dw[0], &kept[0], &d, &x, &w);
    run(lean, dx[1], dw[1], &kept[1], &d, &x, &w);
    assert_memory_equal(dx[0], dx[1], sizeof dx[0]);
    assert_memory_equal(dw[0], dw[1], sizeof dw[0]);
    assert_true(kept[0] == d.count && kept[1] == 0);
  }
  sotto_tape_free(plain);
  sotto_tape_free(lean);
  sotto_matrix_free(&x);
  sotto_matrix_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(memory_used_again_does_not_change_a_gradient)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
