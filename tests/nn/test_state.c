/* A training that was cut short and goes on from its file is the training that was not. */
#include <math.h>

#include "base/file.h"
#include "base/random.h"
#include "check.h"
#include "inside/base.h"
#include "inside/nn.h"
#include "nn/state.h"
#include "small_graph.h"
#include "sotto/nn.h"

enum { rows = 24, columns = 5, classes = 3, most_epochs = 11 };

/* A perceptron with dropout and batch normalisation: all that a state has to hold. */
typedef struct net {
  sotto_params *params;
  sotto_mlp mlp;
  sotto_matrix x[4];
  int32_t labels[4][rows];
  sotto_i_task task;
  sotto_key key;
  uint64_t epochs, stop_at, asked, saved;
  const char *path;
} net;

static sotto_var forward(void *model, const sotto_pass *pass, const sotto_i_batch *batch) {
  net *n = model;
  return sotto_mlp_apply(&n->mlp, n->params, pass, sotto_tape_constant(pass->tape, &n->x[batch->part]));
}

static void net_new(net *n, const char *path) {
  const sotto_mlp_options options = {.widths = {columns, 7, classes},
                                     .layers = 2,
                                     .activation = SOTTO_ACTIVATION_RELU,
                                     .dropout = 0.3F,
                                     .batch_norm = true};
  sotto_i_random random;
  *n = (net){.path = path};
  sotto_key_public(&n->key, 6);
  sotto_i_random_init(&random, &n->key, SOTTO_I_PURPOSE_TEST, 0, 0);
  CHECK_OK(sotto_params_new(&n->params, &err));
  CHECK_OK(sotto_mlp_new(&n->mlp, n->params, "net", &options, 0, &n->key, &err));
  n->task = (sotto_i_task){.model = n, .params = n->params, .forward = forward, .key = &n->key};
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++) {
    n->x[part] = check_random_matrix(&random, rows, columns);
    for (int i = 0; i < rows; i++) n->labels[part][i] = (int32_t)sotto_i_random_below(&random, classes);
    n->task.targets[part] = (sotto_i_targets){.classes = n->labels[part], .count = rows};
  }
}

static void net_free(net *n) {
  sotto_params_free(n->params);
  for (int part = 0; part < 4; part++) sotto_matrix_free(&n->x[part]);
}

static void count_epoch(void *context, uint64_t epoch, double loss, double validation) {
  net *n = context;
  (void)loss, (void)validation;
  n->epochs++;
  if (epoch == n->stop_at) sotto_interrupt();
}

static sotto_status save(void *context, uint64_t epoch, const sotto_i_training_state *state,
                         sotto_error *err) {
  net *n = context;
  n->saved = epoch;
  return sotto_i_training_save(state, n->path, err);
}

static sotto_status load(void *context, const sotto_i_training_state *state, sotto_error *err) {
  net *n = context;
  n->asked++;
  return sotto_i_is_file(n->path) ? sotto_i_training_load(state, n->path, err) : SOTTO_OK;
}

static sotto_status fit(net *n, uint64_t every, sotto_error *err) {
  const sotto_i_keeper keeper = {n, every, save, load};
  sotto_i_training training = {.epochs = most_epochs, .adam = sotto_adam_defaults(), .keeper = &keeper};
  training.adam.learning_rate = 0.05F;
  const sotto_i_epoch_hook hook = {n, count_epoch};
  return sotto_i_fit(&n->task, &training, &hook, err);
}

static bool same_values(const net *a, const net *b) {
  bool same = true;
  for (size_t i = 0; i < sotto_params_count(a->params); i++) {
    const sotto_matrix *x = sotto_params_value(a->params, i), *y = sotto_params_value(b->params, i);
    same = same && memcmp(x->data, y->data, x->rows * x->cols * sizeof(float)) == 0;
  }
  return same;
}

/* Trains to the end: at once, or cut after `stop_at` epochs and gone on with. */
static void train_cut(net *n, const char *path, uint64_t every, uint64_t stop_at) {
  net first;
  net_new(&first, path);
  first.stop_at = stop_at;
  CHECK_FAILS(SOTTO_INTERRUPTED, "", fit(&first, every, &err));
  sotto_interrupt_clear();
  net_free(&first);
  net_new(n, path);
  CHECK_OK(fit(n, every, &err));
}

static void a_training_goes_on_bit_for_bit_from_any_epoch(void **state) {
  (void)state;
  net whole;
  net_new(&whole, check_path("state.none"));
  CHECK_OK(fit(&whole, 0, &err));
  assert_int_equal(whole.asked + whole.saved, 0); /* every 0: the keeper is never called */
  for (uint64_t stop_at = 1; stop_at < most_epochs; stop_at++) {
    net cut;
    char name[40];
    (void)snprintf(name, sizeof name, "state.%d", (int)stop_at);
    train_cut(&cut, check_path(name), 3, stop_at);
    assert_int_equal(cut.epochs, most_epochs - stop_at / 3 * 3); /* it went on, and did not begin again */
    assert_true(same_values(&whole, &cut));
    net_free(&cut);
  }
  net_free(&whole);
}

/* The comparison can fail: without the moments of Adam the numbers are others. */
static void without_the_optimisers_moments_a_training_goes_elsewhere(void **state) {
  (void)state;
  const char *path = check_path("state.moments");
  net whole, first, second;
  sotto_i_watch watch = {0};
  sotto_params *best;
  net_new(&whole, path);
  CHECK_OK(fit(&whole, 0, &err));
  net_new(&first, path);
  first.stop_at = 6;
  CHECK_FAILS(SOTTO_INTERRUPTED, "", fit(&first, 3, &err));
  sotto_interrupt_clear();
  net_new(&second, path);
  CHECK_OK(sotto_params_clone(&best, first.params, &err));
  const sotto_i_training_state kept = {.params = first.params, .best = best, .watch = &watch};
  CHECK_OK(sotto_i_training_load(&kept, path, &err));
  sotto_params *bare; /* values alone */
  CHECK_OK(sotto_params_clone(&bare, first.params, &err));
  const sotto_i_training_state robbed = {.params = bare, .best = best, .watch = &watch};
  CHECK_OK(sotto_i_training_save(&robbed, path, &err));
  CHECK_OK(fit(&second, 3, &err));
  assert_int_equal(second.epochs, most_epochs - 6);
  assert_false(same_values(&whole, &second));
  sotto_params_free(bare);
  sotto_params_free(best);
  net_free(&whole);
  net_free(&first);
  net_free(&second);
}

static void numbers_come_back_as_they_were(void **state) {
  (void)state;
  const double values[] = {0, -0.0, 1, 0.1, 1e308, -4e-320, INFINITY, NAN, 123456789012345};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    float pieces[SOTTO_I_DOUBLE_FLOATS];
    sotto_i_double_to_floats(pieces, values[i]);
    double back = sotto_i_double_from_floats(pieces);
    assert_memory_equal(&back, &values[i], sizeof back);
  }
}

/* A file of one parameter set: two sets with names in common, and what does not fit. */
static void states_of_other_networks_are_refused_and_change_nothing(void **state) {
  (void)state;
  const char *path = check_path("state.two");
  net a, b;
  double numbers[2] = {0.25, NAN}, back[2] = {1, 1};
  net_new(&a, path);
  net_new(&b, path);
  CHECK_OK(fit(&a, 0, &err));
  const sotto_i_saved_state two = {
      .sets = {a.params, b.params}, .count = 2, .numbers = numbers, .number_count = 2};
  CHECK_OK(sotto_i_state_save(&two, path, &err));
  const sotto_i_saved_state one = {.sets = {b.params}, .count = 1, .numbers = back, .number_count = 2};
  CHECK_FAILS(SOTTO_INVALID, "which this model does not have", sotto_i_state_load(&one, path, &err));
  assert_false(same_values(&a, &b));
  assert_true(back[0] == 1);
  const sotto_i_saved_state turned = {
      .sets = {b.params, a.params}, .count = 2, .numbers = back, .number_count = 2};
  CHECK_OK(sotto_i_state_load(&turned, path, &err));
  assert_true(back[0] == 0.25 && isnan(back[1]));
  CHECK_FAILS(SOTTO_NOT_FOUND, "", sotto_i_state_load(&one, check_path("state.nowhere"), &err));
  net_free(&a);
  net_free(&b);
}

static void a_training_between_no_two_epochs_is_refused(void **state) {
  (void)state;
  const char *path = check_path("state.epoch");
  net n;
  sotto_params *best;
  sotto_i_watch watch = {.epoch = 3, .best_epoch = 4};
  net_new(&n, path);
  CHECK_OK(sotto_params_clone(&best, n.params, &err));
  const sotto_i_training_state s = {.params = n.params, .best = best, .watch = &watch};
  CHECK_OK(sotto_i_training_save(&s, path, &err));
  CHECK_FAILS(SOTTO_CORRUPT, "no training between two epochs", sotto_i_training_load(&s, path, &err));
  sotto_params_free(best);
  net_free(&n);
}

static void every_failed_allocation_of_a_state_is_reported(void **state) {
  (void)state;
  const char *path = check_path("state.memory");
  net n;
  net_new(&n, path);
  const sotto_i_saved_state s = {.sets = {n.params}, .count = 1};
  for (int loading = 0; loading < 2; loading++) {
    sotto_status status;
    uint64_t nth = 0;
    do {
      (void)sotto_i_memory_fail_at(++nth);
      status = loading ? sotto_i_state_load(&s, path, NULL) : sotto_i_state_save(&s, path, NULL);
      (void)sotto_i_memory_fail_at(0);
      assert_true(status == SOTTO_OK || status == SOTTO_NOMEM);
    } while (status != SOTTO_OK);
    assert_true(nth > 10);
  }
  net_free(&n);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_training_goes_on_bit_for_bit_from_any_epoch),
      cmocka_unit_test(without_the_optimisers_moments_a_training_goes_elsewhere),
      cmocka_unit_test(numbers_come_back_as_they_were),
      cmocka_unit_test(states_of_other_networks_are_refused_and_change_nothing),
      cmocka_unit_test(a_training_between_no_two_epochs_is_refused),
      cmocka_unit_test(every_failed_allocation_of_a_state_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
