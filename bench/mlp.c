/* One epoch of a perceptron, full batch: forward, backward, Adam. Prints milliseconds for 1 thread and for
 * all, beside the time that the two products with the input alone take (the floor of any implementation over
 * the same OpenBLAS).
 *
 *   bench_mlp [ROWS FEATURES HIDDEN CLASSES]      default 9626 767 64 10 */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/progress.h"
#include "base/random.h"
#include "inside/nn.h"
#include "inside/tensor.h"
#include "record.h"
#include "sotto/nn.h"
#include "tensor/product.h"

enum { rounds = 30 };

#define OR_GIVE_UP(call)                                                                                     \
  do {                                                                                                       \
    sotto_error err = {0};                                                                                   \
    if ((call) != SOTTO_OK) {                                                                                \
      (void)fprintf(stderr, "bench_mlp: %s\n", err.text);                                                    \
      exit(1);                                                                                               \
    }                                                                                                        \
  } while (0)

typedef struct problem {
  sotto_matrix x;
  int32_t *labels;
  sotto_params *params;
  sotto_mlp mlp;
  sotto_tape *tape;
} problem;

static void setup(problem *p, const size_t *shape) {
  sotto_key key;
  sotto_i_random random;
  sotto_key_public(&key, 1);
  sotto_i_random_init(&random, &key, SOTTO_I_PURPOSE_TEST, 0, 0);
  OR_GIVE_UP(sotto_matrix_new(&p->x, shape[0], shape[1], &err));
  OR_GIVE_UP(sotto_i_new(&p->labels, shape[0], sizeof *p->labels, &err));
  for (size_t i = 0; i < shape[0] * shape[1]; i++) p->x.data[i] = (float)sotto_i_random_double(&random);
  for (size_t i = 0; i < shape[0]; i++) p->labels[i] = (int32_t)sotto_i_random_below(&random, shape[3]);
  sotto_mlp_options options = {
      .widths = {shape[1], shape[2], shape[3]}, .layers = 2, .activation = SOTTO_ACTIVATION_RELU};
  OR_GIVE_UP(sotto_params_new(&p->params, &err));
  OR_GIVE_UP(sotto_mlp_new(&p->mlp, p->params, "bench", &options, 0, &key, &err));
  OR_GIVE_UP(sotto_tape_new(&p->tape, &err));
}

static void epoch(problem *p) {
  sotto_adam adam = sotto_adam_defaults();
  sotto_pass pass = {.tape = p->tape, .training = true};
  sotto_tape_reset(p->tape);
  sotto_params_zero_gradients(p->params);
  sotto_var scores = sotto_mlp_apply(&p->mlp, p->params, &pass, sotto_tape_constant(p->tape, &p->x));
  sotto_var loss = sotto_tape_cross_entropy(p->tape, scores, p->labels, NULL, p->x.rows);
  OR_GIVE_UP(sotto_tape_backward(p->tape, loss, &err));
  OR_GIVE_UP(sotto_adam_step(p->params, &adam, &err));
}

static double best_epoch(problem *p) {
  double best = 1e9;
  for (int i = 0; i < rounds; i++) {
    double start = sotto_i_seconds();
    epoch(p);
    double seconds = sotto_i_seconds() - start;
    if (seconds < best) best = seconds;
  }
  return best * 1e3;
}

/* x w and x^T h: what no epoch can do without. */
static double best_products(const problem *p, size_t hidden) {
  sotto_matrix w, h;
  OR_GIVE_UP(sotto_matrix_new(&w, p->x.cols, hidden, &err));
  OR_GIVE_UP(sotto_matrix_new(&h, p->x.rows, hidden, &err));
  sotto_i_product forward = {.a = &p->x, .b = &w, .alpha = 1.0F};
  sotto_i_product backward = {.a = &p->x, .b = &h, .transpose_a = true, .alpha = 1.0F};
  float *scratch = NULL;
  OR_GIVE_UP(sotto_i_new(&scratch, sotto_i_gemm_scratch(&backward), sizeof *scratch, &err));
  double best = 1e9;
  for (int i = 0; i < rounds; i++) {
    double start = sotto_i_seconds();
    sotto_i_gemm(&h, &forward, NULL);
    sotto_i_gemm(&w, &backward, scratch);
    double seconds = sotto_i_seconds() - start;
    if (seconds < best) best = seconds;
  }
  sotto_i_free(scratch);
  sotto_matrix_free(&w);
  sotto_matrix_free(&h);
  return best * 1e3;
}

/* What OpenBLAS does where packing is a small part: a square that its caches hold. */
static double square_rate(void) {
  enum { side = 1024 };
  sotto_matrix a, b, c;
  OR_GIVE_UP(sotto_matrix_new(&a, side, side, &err));
  OR_GIVE_UP(sotto_matrix_new(&b, side, side, &err));
  OR_GIVE_UP(sotto_matrix_new(&c, side, side, &err));
  for (size_t i = 0; i < (size_t)side * side; i++) a.data[i] = b.data[i] = (float)(i % 97) / 97;
  const sotto_i_product product = {.a = &a, .b = &b, .alpha = 1.0F};
  double best = 1e9;
  for (int i = 0; i < 5; i++) {
    const double start = sotto_i_seconds();
    sotto_i_gemm(&c, &product, NULL);
    const double seconds = sotto_i_seconds() - start;
    if (seconds < best) best = seconds;
  }
  sotto_matrix_free(&a);
  sotto_matrix_free(&b);
  sotto_matrix_free(&c);
  return (double)side * side * side / best / 1e9;
}

int main(int argc, char **argv) {
  size_t shape[4] = {9626, 767, 64, 10};
  for (int i = 1; i < argc && i < 5; i++) shape[i - 1] = strtoull(argv[i], NULL, 10);
  problem p;
  setup(&p, shape);
  double flop = 4.0 * (double)shape[0] * (double)shape[1] * (double)shape[2];
  for (unsigned threads = 1; threads < 3; threads++) {
    OR_GIVE_UP(sotto_threads_set(threads == 1 ? 1 : 0, &err));
    double floor = best_products(&p, shape[2]), all = best_epoch(&p);
    bench_record(threads == 1 ? "perceptron, 1 thread" : "perceptron, all threads", all, "ms",
                 (bench_bound){floor, "its two large products"});
    if (threads == 1) {
      bench_record("two large products", flop / 2 / floor / 1e6, "G/s", (bench_bound){0});
      bench_record("dense product, 1,024 cubed", square_rate(), "G/s", (bench_bound){0});
    }
    printf("%u threads: epoch %.2f ms, its two large products %.2f ms (%.1f Gflop/s)\n", sotto_threads(), all,
           floor, flop / floor / 1e6);
  }
  sotto_tape_free(p.tape);
  sotto_params_free(p.params);
  sotto_matrix_free(&p.x);
  sotto_i_free(p.labels);
  return 0;
}
