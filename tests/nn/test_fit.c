/* The training loop: which epoch is kept, when it stops, what it refuses. */
#include <math.h>

#include "check.h"
#include "inside/base.h"
#include "inside/nn.h"
#include "inside/tensor.h"
#include "nn/fit.h"
#include "small_graph.h"

enum { most_epochs = 12 };

typedef struct look {
  double value, loss;
} look;

/* Feeds a series to the watch until it says stop; gives the best epoch and how many were taken. */
static sotto_i_watch watch_series(const look *series, uint64_t epochs, uint64_t patience) {
  const sotto_i_training training = {.epochs = epochs, .patience = patience};
  sotto_i_watch watch = {0};
  for (uint64_t i = 0; i < epochs; i++)
    if (sotto_i_watch_next(&watch, series[i].value, series[i].loss, &training).stop) break;
  return watch;
}

static void the_best_value_wins_and_equals_are_parted_by_loss(void **state) {
  (void)state;
  const look series[] = {{0.5, 1}, {0.7, 2}, {0.7, 1.5}, {0.7, 1.5}, {0.6, 0.1}, {0.7, 1.6}};
  sotto_i_watch watch = watch_series(series, 6, 0);
  assert_int_equal(watch.best_epoch, 3);
  assert_int_equal(watch.epoch, 6);
  assert_true(watch.best == 0.7 && watch.best_loss == 1.5);
}

static void patience_counts_epochs_without_a_better_one(void **state) {
  (void)state;
  const look series[] = {{0.5, 1}, {0.4, 1}, {0.6, 1}, {0.6, 1}, {0.6, 2}, {0.9, 0}};
  sotto_i_watch watch = watch_series(series, 6, 2);
  assert_int_equal(watch.best_epoch, 3);
  assert_int_equal(watch.epoch, 5);
  assert_int_equal(watch_series(series, 6, 1).epoch, 2);
  assert_int_equal(watch_series(series, 6, 0).epoch, 6);
}

static void nan_is_never_better_than_a_number(void **state) {
  (void)state;
  const look series[] = {{NAN, 1}, {0.1, 9}, {NAN, 0}, {0.1, 8}};
  assert_int_equal(watch_series(series, 4, 0).best_epoch, 4);
  assert_int_equal(watch_series(series, 3, 0).best_epoch, 2);
  assert_int_equal(watch_series(series, 1, 0).best_epoch, 1);
}

static void the_mean_loss_is_that_of_the_tape(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_matrix x = check_random_matrix(&random, 9, 4);
  const int32_t labels[9] = {0, 1, 2, 3, 0, 1, 2, 3, 0};
  const sotto_i_targets targets = {.classes = labels, .count = 9};
  sotto_tape *tape;
  CHECK_OK(sotto_tape_new(&tape, &err));
  sotto_var loss = sotto_tape_cross_entropy(tape, sotto_tape_constant(tape, &x), labels, NULL, 9);
  CHECK_NEAR(sotto_i_targets_mean_loss(&x, &targets), (double)sotto_tape_value(tape, loss).data[0], 1e-6);
  sotto_tape_free(tape);
  sotto_matrix_free(&x);
}

/* A model of one linear layer whose training labels are the opposite of what validation wants, so that the
 * first epochs are the best. */
typedef struct line {
  sotto_params *params;
  sotto_linear layer;
  sotto_matrix x[4];
  int32_t labels[4][8];
  sotto_i_task task;
  sotto_key key;
  double seen[most_epochs]; /* validation of each epoch */
  float weights[most_epochs][4];
  uint64_t epochs, stop_at;
} line;

static sotto_var line_forward(void *model, const sotto_pass *pass, const sotto_i_batch *batch) {
  line *l = model;
  return sotto_linear_apply(&l->layer, l->params, pass->tape,
                            sotto_tape_constant(pass->tape, &l->x[batch->part]));
}

static void line_new(line *l, bool opposed) {
  *l = (line){0};
  sotto_key_public(&l->key, 2);
  CHECK_OK(sotto_params_new(&l->params, &err));
  CHECK_OK(sotto_linear_new(&l->layer, l->params, "line", 2, 2, &l->key, &err));
  const float first[4] = {0.05F, -0.05F, 0, 0}; /* class 0 where the first value is above 0 */
  memcpy(sotto_params_value(l->params, l->layer.weight)->data, first, sizeof first);
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++) {
    CHECK_OK(sotto_matrix_new(&l->x[part], 8, 2, &err));
    for (int i = 0; i < 8; i++) l->x[part].data[2 * i] = (i % 2 == 0 ? 1.0F : -1.0F) + 0.05F * (float)i;
    for (int i = 0; i < 8; i++)
      l->labels[part][i] = (l->x[part].data[2 * i] < 0) != (opposed && part == SOTTO_PART_TRAIN);
    l->task.targets[part] = (sotto_i_targets){.classes = l->labels[part], .count = 8};
  }
  l->task.model = l;
  l->task.params = l->params;
  l->task.forward = line_forward;
  l->task.key = &l->key;
}

static void line_free(line *l) {
  sotto_params_free(l->params);
  for (int part = 0; part < 4; part++) sotto_matrix_free(&l->x[part]);
}

static void line_epoch(void *context, uint64_t epoch, double loss, double validation) {
  line *l = context;
  assert_true(loss > 0 && epoch == l->epochs + 1);
  l->seen[l->epochs] = validation;
  memcpy(l->weights[l->epochs++], sotto_params_value(l->params, l->layer.weight)->data, sizeof l->weights[0]);
  if (epoch == l->stop_at) sotto_interrupt();
}

static sotto_status line_fit(line *l, uint64_t patience, sotto_error *err) {
  sotto_i_training training = {.epochs = most_epochs, .patience = patience, .adam = sotto_adam_defaults()};
  training.adam.learning_rate = 0.02F;
  const sotto_i_epoch_hook hook = {l, line_epoch};
  return sotto_i_fit(&l->task, &training, &hook, err);
}

static void the_parameters_of_the_best_epoch_are_restored(void **state) {
  (void)state;
  line l;
  line_new(&l, true);
  CHECK_OK(line_fit(&l, 0, &err));
  assert_int_equal(l.epochs, most_epochs);
  assert_true(l.seen[0] == 1 && l.seen[most_epochs - 1] < 1); /* it got worse, as it was made to */
  assert_memory_equal(l.weights[0], sotto_params_value(l.params, l.layer.weight)->data, sizeof l.weights[0]);
  sotto_tape *tape;
  sotto_quality quality;
  CHECK_OK(sotto_tape_new(&tape, &err));
  CHECK_OK(sotto_i_evaluate(&quality, &l.task, tape, SOTTO_PART_VALIDATION, &err));
  assert_true(quality.of[SOTTO_MEASURE_ACCURACY] == 1);
  sotto_tape_free(tape);
  line_free(&l);
}

static void fitting_goes_on_while_the_loss_falls_and_stops_when_patience_ends(void **state) {
  (void)state;
  line l;
  line_new(&l, false);
  CHECK_OK(line_fit(&l, 3, &err)); /* accuracy is 1 from the start; the loss parts the epochs */
  assert_int_equal(l.epochs, most_epochs);
  assert_memory_equal(l.weights[most_epochs - 1], sotto_params_value(l.params, l.layer.weight)->data,
                      sizeof l.weights[0]);
  line_free(&l);
  line_new(&l, true);
  CHECK_OK(line_fit(&l, 3, &err));
  assert_int_equal(l.epochs, 4);
  line_free(&l);
}

static void an_interruption_ends_training_after_the_epoch(void **state) {
  (void)state;
  line l;
  line_new(&l, true);
  l.stop_at = 2;
  CHECK_FAILS(SOTTO_INTERRUPTED, "", line_fit(&l, 0, &err));
  sotto_interrupt_clear();
  assert_int_equal(l.epochs, 2);
  line_free(&l);
}

static void labels_that_are_no_class_are_refused_in_every_part(void **state) {
  (void)state;
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_VALIDATION; part++) {
    line l;
    line_new(&l, true);
    l.labels[part][3] = 123456789;
    CHECK_FAILS(SOTTO_RANGE, "label 123456789 of row 3", line_fit(&l, 0, &err));
    line_free(&l);
  }
}

static void a_training_that_diverges_says_so(void **state) {
  (void)state;
  line l;
  line_new(&l, true);
  sotto_params_value(l.params, l.layer.bias)->data[0] = INFINITY;
  CHECK_FAILS(SOTTO_NUMERIC, "not finite", line_fit(&l, 0, &err));
  line_free(&l);
}

/* Inputs that a peer chose, so that the loss of these labels overflows, and that of the others would not. */
static void hidden_labels_make_no_training_fail(void **state) {
  (void)state;
  for (int hidden = 0; hidden < 2; hidden++) {
    line l;
    line_new(&l, true);
    float *weight = sotto_params_value(l.params, l.layer.weight)->data;
    weight[0] = 2e38F;
    weight[1] = -2e38F;
    l.task.labels_hidden = hidden == 1;
    if (hidden == 0)
      CHECK_FAILS(SOTTO_NUMERIC, "not finite", line_fit(&l, 0, &err));
    else
      CHECK_OK(line_fit(&l, 0, &err));
    assert_int_equal(l.epochs, hidden == 0 ? 0 : most_epochs);
    line_free(&l);
  }
}

static void every_failed_allocation_of_a_fit_is_reported(void **state) {
  (void)state;
  sotto_status status;
  uint64_t nth = 0;
  do {
    line l;
    line_new(&l, true);
    (void)sotto_i_memory_fail_at(++nth);
    status = line_fit(&l, 1, NULL);
    (void)sotto_i_memory_fail_at(0);
    line_free(&l);
    assert_true(status == SOTTO_OK || status == SOTTO_NOMEM);
  } while (status != SOTTO_OK);
  assert_true(nth > 10);
}

static void the_measure_to_select_by_is_the_one_asked_for(void **state) {
  (void)state;
  const sotto_quality quality = {.of = {1, 2, 3}};
  assert_true(sotto_i_quality_value(&quality, SOTTO_MEASURE_ACCURACY) == 1);
  assert_true(sotto_i_quality_value(&quality, SOTTO_MEASURE_AUC) == 2);
  assert_true(sotto_i_quality_value(&quality, SOTTO_MEASURE_MACRO_F1) == 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_best_value_wins_and_equals_are_parted_by_loss),
      cmocka_unit_test(patience_counts_epochs_without_a_better_one),
      cmocka_unit_test(nan_is_never_better_than_a_number),
      cmocka_unit_test(the_mean_loss_is_that_of_the_tape),
      cmocka_unit_test(the_parameters_of_the_best_epoch_are_restored),
      cmocka_unit_test(fitting_goes_on_while_the_loss_falls_and_stops_when_patience_ends),
      cmocka_unit_test(an_interruption_ends_training_after_the_epoch),
      cmocka_unit_test(labels_that_are_no_class_are_refused_in_every_part),
      cmocka_unit_test(a_training_that_diverges_says_so),
      cmocka_unit_test(hidden_labels_make_no_training_fail),
      cmocka_unit_test(every_failed_allocation_of_a_fit_is_reported),
      cmocka_unit_test(the_measure_to_select_by_is_the_one_asked_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
