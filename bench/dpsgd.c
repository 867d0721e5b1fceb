/* DP-SGD beside plain training of the same perceptron: milliseconds for an epoch, which is as many examples
 * as there are training nodes, in steps of a quarter of them, and the ratio. One thread. Features are 0 but
 * for a share as in the graphs named.
 *
 *   bench_dpsgd [MOST]      fails when a ratio passes MOST */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/progress.h"
#include "base/random.h"
#include "inside/nn.h"
#include "inside/tensor.h"
#include "nn/dpsgd.h"
#include "record.h"
#include "sotto/nn.h"

enum { rounds = 15, hidden = 64, parts = 4 };

#define OR_GIVE_UP(call)                                                                                     \
  do {                                                                                                       \
    sotto_error err = {0};                                                                                   \
    if ((call) != SOTTO_OK) {                                                                                \
      (void)fprintf(stderr, "bench_dpsgd: %s\n", err.text);                                                  \
      exit(1);                                                                                               \
    }                                                                                                        \
  } while (0)

typedef struct shape {
  const char *like;
  size_t rows, features, classes;
  double filled;
} shape;

typedef struct problem {
  const shape *shape;
  sotto_matrix x, part; /* all rows, and the first quarter */
  int32_t *labels;
  uint32_t *rows;
  sotto_params *params;
  sotto_mlp mlp;
  sotto_tape *tape;
  sotto_dpsgd dpsgd;
  uint32_t step;
} problem;

static void setup(problem *p, const shape *s) {
  sotto_key key;
  sotto_i_random random;
  sotto_key_public(&key, 1);
  sotto_i_random_init(&random, &key, SOTTO_I_PURPOSE_TEST, 0, 0);
  *p = (problem){.shape = s};
  OR_GIVE_UP(sotto_matrix_new(&p->x, s->rows, s->features, &err));
  OR_GIVE_UP(sotto_i_new(&p->labels, s->rows, sizeof *p->labels, &err));
  OR_GIVE_UP(sotto_i_new(&p->rows, s->rows, sizeof *p->rows, &err));
  for (size_t i = 0; i < s->rows * s->features; i++)
    p->x.data[i] = sotto_i_random_double(&random) < s->filled ? (float)sotto_i_random_double(&random) : 0;
  for (size_t i = 0; i < s->rows; i++) {
    p->labels[i] = (int32_t)sotto_i_random_below(&random, s->classes);
    p->rows[i] = (uint32_t)i;
  }
  p->part = (sotto_matrix){.data = p->x.data, .rows = s->rows / parts, .cols = s->features};
  sotto_mlp_options options = {
      .widths = {s->features, hidden, s->classes}, .layers = 2, .activation = SOTTO_ACTIVATION_SELU};
  OR_GIVE_UP(sotto_params_new(&p->params, &err));
  OR_GIVE_UP(sotto_mlp_new(&p->mlp, p->params, "bench", &options, 0, &key, &err));
  OR_GIVE_UP(sotto_tape_new(&p->tape, &err));
  p->dpsgd = (sotto_dpsgd){.clip = 1, .sampling = {.population = s->rows, .batch = s->rows / parts}};
  OR_GIVE_UP(sotto_i_dpsgd_grid(&p->dpsgd.grid, 5, &err));
}

static void train_plainly(problem *p, bool skip_zeros) {
  sotto_adam adam = sotto_adam_defaults();
  sotto_pass pass = {.tape = p->tape, .training = true};
  sotto_tape_reset(p->tape);
  sotto_params_zero_gradients(p->params);
  sotto_var x = skip_zeros ? sotto_tape_fixed(p->tape, &p->part) : sotto_tape_constant(p->tape, &p->part);
  sotto_var scores = sotto_mlp_apply(&p->mlp, p->params, &pass, x);
  sotto_var loss = sotto_tape_cross_entropy(p->tape, scores, p->labels, NULL, p->part.rows);
  OR_GIVE_UP(sotto_tape_backward(p->tape, loss, &err));
  OR_GIVE_UP(sotto_adam_step(p->params, &adam, &err));
}

static void plain_step(problem *p) {
  train_plainly(p, false);
}

static void sparse_step(problem *p) {
  train_plainly(p, true);
}

static void private_step(problem *p) {
  sotto_adam adam = sotto_adam_defaults();
  const sotto_i_dpsgd_examples of = {.x = &p->x, .labels = p->labels, .rows = p->rows};
  sotto_key key;
  sotto_key_insecure(&key, 1);
  OR_GIVE_UP(sotto_i_dpsgd_gradient(&p->mlp, p->params, &of, &p->dpsgd, &key, p->step++, &err));
  OR_GIVE_UP(sotto_adam_step(p->params, &adam, &err));
}

/* All in turn, so that a busy machine slows all. The ratio is to dense products; plain training that skips
 * the zeros of features stands beside it, for DP-SGD adds noise to every weight all the same. */
static double ratio(problem *p) {
  void (*const steps[])(problem *) = {plain_step, sparse_step, private_step};
  double best[3] = {1e9, 1e9, 1e9};
  for (int i = 0; i < 3 * rounds; i++) {
    double start = sotto_i_seconds();
    for (int step = 0; step < parts; step++) steps[i % 3](p);
    double seconds = sotto_i_seconds() - start;
    if (seconds < best[i % 3]) best[i % 3] = seconds;
  }
  (void)printf(
      "%-10s %zu x %zu, %2.0f%% filled: plain %.1f ms an epoch (%.1f without the zeros), DP-SGD %.1f ms, "
      "ratio %.2f\n",
      p->shape->like, p->shape->rows, p->shape->features, p->shape->filled * 100, best[0] * 1e3,
      best[1] * 1e3, best[2] * 1e3, best[2] / best[0]);
  char name[80];
  (void)snprintf(name, sizeof name, "DP-SGD, %s", p->shape->like);
  bench_record(name, best[2] * 1e3, "ms", (bench_bound){best[0] * 1e3, "plain training"});
  return best[2] / best[0];
}

int main(int argc, char **argv) {
  static const shape shapes[] = {
      {"cora", 1895, 1433, 7, 0.0127}, {"computers", 9626, 767, 10, 0.348}, {"dense", 9626, 767, 10, 1}};
  double most = argc > 1 ? strtod(argv[1], NULL) : 1e9, worst = 0;
  OR_GIVE_UP(sotto_threads_set(1, &err));
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    problem p;
    setup(&p, &shapes[i]);
    double found = ratio(&p);
    worst = found > worst ? found : worst;
    sotto_tape_free(p.tape);
    sotto_params_free(p.params);
    sotto_matrix_free(&p.x);
    sotto_i_free(p.labels);
    sotto_i_free(p.rows);
  }
  return worst <= most ? 0 : 1;
}
