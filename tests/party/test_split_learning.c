/* Split learning: samples of rows, what a training sends, and what it learns. */
#include <math.h>
#include <pthread.h>

#include "base/memory.h"
#include "check.h"
#include "inside/nn.h"
#include "inside/party.h"
#include "inside/tensor.h"
#include "party/exchange.h"
#include "party/split_learning.h"
#include "party/split_sample.h"
#include "party/wire/link/transport.h"
#include "tensor/tape.h"

static void samples_take_each_row_once_in_ascending_order(void **state) {
  static const size_t sizes[] = {0, 1, 100, SOTTO_I_SAMPLE_ROWS, SOTTO_I_SAMPLE_ROWS + 1, 20001, 100000};
  (void)state;
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    const size_t rows = sizes[k], samples = rows == 0 ? 1 : (rows - 1) / SOTTO_I_SAMPLE_ROWS + 1;
    uint32_t *order, *again;
    size_t next = 0;
    CHECK_OK(sotto_i_sample_order(&order, SOTTO_PART_TRAIN, rows, &err));
    CHECK_OK(sotto_i_sample_order(&again, SOTTO_PART_TRAIN, rows, &err));
    assert_true((order == NULL) == (rows <= SOTTO_I_SAMPLE_ROWS));
    if (order != NULL) assert_memory_equal(order, again, rows * sizeof *order);
    uint8_t *seen = calloc(rows + 1, 1);
    assert_non_null(seen);
    for (uint64_t step = 0; step < samples; step++) {
      const sotto_i_sample s = sotto_i_sample_at(rows, step);
      assert_int_equal(s.begin, next);
      assert_true(s.count <= SOTTO_I_SAMPLE_ROWS && s.begin % SOTTO_I_DROPOUT_ROWS == 0);
      if (order != NULL) assert_true(s.count > SOTTO_I_SAMPLE_ROWS / 4);
      for (size_t i = s.begin; order != NULL && i < s.begin + s.count; i++) {
        assert_true(i == s.begin || order[i] > order[i - 1]);
        assert_false(seen[order[i]]);
        seen[order[i]] = 1;
      }
      next += s.count;
    }
    assert_int_equal(next, rows);
    assert_int_equal(sotto_i_sample_at(rows, samples).begin, 0);
    free(seen);
    sotto_i_free(order);
    sotto_i_free(again);
  }
}

enum { train = 20000, validation = 9000, test = 700, nodes = train + validation + test, in = 5, width = 7 };
enum { epochs = 12, classes = 2 };

/* Both sides' data: the first column tells the class, up to a deviation. */
typedef struct world {
  sotto_matrix x;
  int32_t labels[nodes];
  uint32_t rows[nodes];
  sotto_split split;
  sotto_link *feature, *label;
  bool unmeasured, has_own;
  uint64_t patience;
  sotto_key key;
  sotto_traffic sent;
  sotto_quality quality[2]; /* validation, test */
} world;

static void make_world(world *w) {
  sotto_i_random random = check_random();
  size_t at = 0;
  sotto_key_public(&w->key, 5);
  w->x = (sotto_matrix){0};
  CHECK_OK(sotto_matrix_new(&w->x, nodes, in, &err));
  for (size_t v = 0; v < nodes; v++) {
    w->labels[v] = v % 3 == 0;
    for (size_t j = 0; j < in; j++) w->x.data[v * in + j] = (float)sotto_i_random_normal(&random);
    w->x.data[v * in] += w->labels[v] ? 3 : -3;
  }
  const size_t counts[4] = {0, train, validation, test};
  for (int part = 1; part < 4; part++) {
    w->split.rows[part] = w->rows + at;
    w->split.count[part] = counts[part];
    for (size_t i = 0; i < counts[part]; i++, at++) w->rows[at] = (uint32_t)at;
  }
  CHECK_OK(sotto_link_pair(&w->feature, &w->label, &err));
}

static void free_world(world *w) {
  sotto_link_free(w->feature);
  sotto_link_free(w->label);
  sotto_matrix_free(&w->x);
}

static void *play_features(void *context) {
  world *w = context;
  sotto_params *params;
  sotto_mlp encoder;
  sotto_i_split_rows rows = {.sources = NULL};
  const sotto_i_row_source source = sotto_i_row_source_of(&w->x);
  const sotto_mlp_options network = {
      .widths = {in, width}, .layers = 1, .activation = SOTTO_ACTIVATION_RELU, .activate_last = true};
  CHECK_OK(sotto_params_new(&params, &err));
  CHECK_OK(sotto_mlp_new(&encoder, params, "encoder", &network, 0, &w->key, &err));
  sotto_i_split_rows_set(&rows, &source, 1, NULL, &w->split);
  const sotto_i_feature_side side = {.link = w->feature,
                                     .encoder = &encoder,
                                     .params = params,
                                     .features = &rows,
                                     .width = width,
                                     .epochs = epochs,
                                     .adam = {.learning_rate = 0.05},
                                     .key = &w->key,
                                     .unmeasured = w->unmeasured};
  CHECK_OK(sotto_i_split_feature_side(&side, &err));
  for (int part = 1; part < 4; part++) assert_ptr_equal(rows.rows[part], w->split.rows[part]);
  sotto_i_split_rows_free(&rows);
  sotto_params_free(params);
  return NULL;
}

/* The label side's own column is the class, for half of the weight of the decision: it has to be in the same
 * order as the embeddings. */
static void play_labels(world *w) {
  sotto_params *params;
  sotto_mlp head;
  sotto_i_targets targets[4] = {{0}};
  sotto_matrix own[4] = {{0}};
  const sotto_mlp_options network = {.widths = {width + (w->has_own ? 1U : 0U), classes}, .layers = 1};
  CHECK_OK(sotto_params_new(&params, &err));
  CHECK_OK(sotto_mlp_new(&head, params, "head", &network, 16, &w->key, &err));
  for (int part = 1; part < 4; part++) {
    targets[part] =
        (sotto_i_targets){.classes = w->labels + w->split.rows[part][0], .count = w->split.count[part]};
    if (!w->has_own) continue;
    CHECK_OK(sotto_matrix_new(&own[part], targets[part].count, 1, &err));
    for (size_t i = 0; i < targets[part].count; i++) own[part].data[i] = (float)targets[part].classes[i];
  }
  const sotto_i_label_side side = {.links = &w->label,
                                   .link_count = 1,
                                   .head = &head,
                                   .params = params,
                                   .width = width,
                                   .shown = targets,
                                   .truth = targets,
                                   .own = w->has_own ? own : NULL,
                                   .training = {.epochs = epochs,
                                                .patience = w->patience,
                                                .adam = {.learning_rate = 0.05},
                                                .select_by = SOTTO_MEASURE_ACCURACY},
                                   .key = &w->key,
                                   .unmeasured = w->unmeasured};
  CHECK_OK(sotto_i_split_label_side(&w->quality[0], &w->quality[1], &side, &err));
  for (int part = 0; part < 4; part++) sotto_matrix_free(&own[part]);
  sotto_params_free(params);
}

static void play(world *w) {
  pthread_t other;
  make_world(w);
  assert_int_equal(pthread_create(&other, NULL, play_features, w), 0);
  play_labels(w);
  assert_int_equal(pthread_join(other, NULL), 0);
  w->sent = sotto_link_traffic(w->feature);
  free_world(w);
}

/* Bytes of embeddings, and of gradients and decisions, by the numbers of rows. */
static void steps_send_samples_and_the_end_sends_all(void **state) {
  static world w;
  (void)state;
  for (int unmeasured = 0; unmeasured < 2; unmeasured++) {
    w = (world){.unmeasured = unmeasured};
    play(&w);
    uint64_t rows = 0;
    for (uint64_t e = 0; e < epochs; e++) rows += sotto_i_sample_at(train, e).count;
    const uint64_t decided = epochs * sotto_i_sample_at(validation, 0).count, row = 4 + width;
    const uint64_t ends = unmeasured ? 0 : (validation + test) * width * sizeof(float);
    assert_int_equal(w.sent.sent[SOTTO_WIRE_EXPOSED], (rows + decided) * row + ends);
    assert_int_equal(w.sent.received[SOTTO_WIRE_EXPOSED], rows * row + epochs * sizeof(float));
    const sotto_i_exchange_split plan = {
        .count = {0, train, validation, test}, .width = width, .epochs = epochs, .unmeasured = unmeasured};
    sotto_i_exchanged planned = {0};
    sotto_i_exchange_add_split(&planned, &plan);
    assert_true(planned.to_label == (double)w.sent.sent[SOTTO_WIRE_EXPOSED]);
    assert_true(planned.to_data == (double)w.sent.received[SOTTO_WIRE_EXPOSED]);
    assert_true(planned.trips == epochs + 1);
    if (unmeasured) continue;
    assert_true(w.quality[0].of[SOTTO_MEASURE_ACCURACY] > 0.97);
    assert_true(w.quality[1].of[SOTTO_MEASURE_ACCURACY] > 0.97);
  }
}

/* Where patience ends a training the next step's embeddings were on their way: one batch is sent in vain, and
 * what follows comes as it does otherwise. */
static void patience_ends_a_training_with_one_batch_sent_in_vain(void **state) {
  static world w;
  (void)state;
  w = (world){.patience = 1, .has_own = true};
  play(&w);
  const double got = (double)w.sent.received[SOTTO_WIRE_EXPOSED];
  const uint64_t row = 4 + width, ends = (validation + test) * width * sizeof(float);
  uint64_t trained = 0, sent = 0, steps = 0;
  for (; (double)(trained * row + steps * sizeof(float)) < got; steps++)
    trained += sotto_i_sample_at(train, steps).count;
  assert_true((double)(trained * row + steps * sizeof(float)) == got && steps < epochs);
  sent = trained + sotto_i_sample_at(train, steps).count + steps * sotto_i_sample_at(validation, 0).count;
  assert_int_equal(w.sent.sent[SOTTO_WIRE_EXPOSED], sent * row + ends);
  assert_true(w.quality[1].of[SOTTO_MEASURE_ACCURACY] > 0.9);
}

/* With the class in a column of the label party the joint network errs nowhere; in another order than the
 * embeddings' and labels' that column would say nothing. */
static void own_columns_are_in_the_order_of_samples(void **state) {
  static world w;
  (void)state;
  w = (world){.has_own = true};
  play(&w);
  assert_true(w.quality[1].of[SOTTO_MEASURE_ACCURACY] > 0.995);
}

enum { few = 40, sides = 2 };

/* A feature side that sends what it is told to in one epoch, and keeps the gradient. */
typedef struct scripted {
  sotto_link *link;
  sotto_matrix embeddings, gradient;
} scripted;

static void *play_scripted(void *context) {
  scripted *s = context;
  float flags;
  sotto_matrix decision = {&flags, 1, 1};
  const sotto_expectation gradient = {"gradients.train", SOTTO_WIRE_EXPOSED, few, width, 0},
                          decided = {"decision", SOTTO_WIRE_EXPOSED, 1, 1, 0};
  CHECK_OK(sotto_i_link_send_rounded(s->link, "embeddings.train", "a test", &s->embeddings, &err));
  CHECK_OK(sotto_i_link_receive_rounded(s->link, &s->gradient, &gradient, &err));
  CHECK_OK(sotto_i_link_send_rounded(s->link, "embeddings.validation", "a test", &s->embeddings, &err));
  CHECK_OK(sotto_link_receive(s->link, &decision, &decided, &err));
  return NULL;
}

/* By a tape over the concatenated embeddings, as they are after rounding. */
static sotto_matrix expected_gradient(scripted *from, const sotto_i_targets *targets,
                                      const sotto_mlp_options *network, const sotto_key *key) {
  sotto_params *params;
  sotto_mlp head;
  sotto_tape *tape;
  sotto_matrix joined = {0}, out = {0};
  CHECK_OK(sotto_params_new(&params, &err));
  CHECK_OK(sotto_mlp_new(&head, params, "head", network, 16, key, &err));
  CHECK_OK(sotto_tape_new(&tape, &err));
  CHECK_OK(sotto_matrix_new(&joined, few, sides * width, &err));
  CHECK_OK(sotto_matrix_new(&out, few, sides * width, &err));
  for (size_t k = 0; k < sides; k++) {
    CHECK_OK(sotto_i_round_rows(&from[k].embeddings, SOTTO_I_ROUNDED, &err));
    for (size_t i = 0; i < few * width; i++)
      joined.data[i / width * joined.cols + k * width + i % width] = from[k].embeddings.data[i];
  }
  const sotto_pass pass = {.tape = tape, .key = key, .training = true};
  const sotto_var input = sotto_tape_input(tape, &joined);
  const sotto_var loss = sotto_i_targets_loss(tape, sotto_mlp_apply(&head, params, &pass, input), targets);
  CHECK_OK(sotto_tape_backward(tape, loss, &err));
  const sotto_matrix gradient = sotto_tape_gradient(tape, input);
  for (size_t i = 0; i < few * sides * width; i++) out.data[i] = gradient.data[i];
  sotto_tape_free(tape);
  sotto_params_free(params);
  sotto_matrix_free(&joined);
  return out;
}

/* Each number of a row is within a step of the rounding: the largest of the row, by 127. */
static void check_slice(const sotto_matrix *whole, const sotto_matrix *slice, size_t side) {
  for (size_t v = 0; v < few; v++) {
    float most = 0;
    for (size_t j = 0; j < width; j++)
      most = fmaxf(most, fabsf(whole->data[v * whole->cols + side * width + j]));
    for (size_t j = 0; j < width; j++)
      assert_true(fabsf(whole->data[v * whole->cols + side * width + j] - slice->data[v * width + j]) <=
                  most / 100);
  }
}

static void each_feature_side_gets_the_gradient_of_its_own_embeddings(void **state) {
  static scripted from[sides];
  static int32_t labels[few];
  const sotto_mlp_options network = {.widths = {sides * width, classes}, .layers = 1};
  sotto_i_random random = check_random();
  sotto_link *links[sides];
  pthread_t threads[sides];
  sotto_params *params;
  sotto_mlp head;
  sotto_key key;
  sotto_quality quality[2];
  (void)state;
  sotto_key_public(&key, 5);
  for (size_t v = 0; v < few; v++) labels[v] = v % 3 == 0;
  for (size_t k = 0; k < sides; k++) {
    CHECK_OK(sotto_link_pair(&from[k].link, &links[k], &err));
    CHECK_OK(sotto_matrix_new(&from[k].embeddings, few, width, &err));
    CHECK_OK(sotto_matrix_new(&from[k].gradient, few, width, &err));
    for (size_t i = 0; i < few * width; i++)
      from[k].embeddings.data[i] = (float)sotto_i_random_normal(&random);
    assert_int_equal(pthread_create(&threads[k], NULL, play_scripted, &from[k]), 0);
  }
  const sotto_i_targets of = {.classes = labels, .count = few}, targets[4] = {{0}, of, of, {0}};
  CHECK_OK(sotto_params_new(&params, &err));
  CHECK_OK(sotto_mlp_new(&head, params, "head", &network, 16, &key, &err));
  const sotto_i_label_side side = {
      .links = links,
      .link_count = sides,
      .head = &head,
      .params = params,
      .width = width,
      .shown = targets,
      .truth = targets,
      .training = {.epochs = 1, .adam = {.learning_rate = 0.05}, .select_by = SOTTO_MEASURE_ACCURACY},
      .key = &key,
      .unmeasured = true};
  CHECK_OK(sotto_i_split_label_side(&quality[0], &quality[1], &side, &err));
  for (size_t k = 0; k < sides; k++) assert_int_equal(pthread_join(threads[k], NULL), 0);
  sotto_matrix whole = expected_gradient(from, &of, &network, &key);
  for (size_t k = 0; k < sides; k++) {
    check_slice(&whole, &from[k].gradient, k);
    sotto_link_free(from[k].link);
    sotto_link_free(links[k]);
    sotto_matrix_free(&from[k].embeddings);
    sotto_matrix_free(&from[k].gradient);
  }
  sotto_matrix_free(&whole);
  sotto_params_free(params);
}

/* Rows in the order of samples, across their borders, from a source that is read in windows. */
static sotto_status read_rows(void *context, float *out, size_t first, size_t count, sotto_error *err) {
  (void)context;
  (void)err;
  assert_true(count <= SOTTO_I_WINDOW_ROWS && first + count <= train);
  for (size_t i = 0; i < count; i++) out[i] = (float)(first + i);
  return SOTTO_OK;
}

static void rows_are_gathered_in_any_order(void **state) {
  const sotto_i_row_source source = {.rows = train, .cols = 1, .read = read_rows};
  uint32_t *order;
  float *out = calloc(train, sizeof *out), *window = calloc(SOTTO_I_WINDOW_ROWS, sizeof *window);
  (void)state;
  CHECK_OK(sotto_i_sample_order(&order, SOTTO_PART_TRAIN, train, &err));
  assert_non_null(order);
  CHECK_OK(sotto_i_row_source_gather(out, 1, &source, order, train, window, &err));
  for (size_t i = 0; i < train; i++) assert_true(out[i] == (float)order[i]);
  sotto_i_free(order);
  free(out);
  free(window);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(samples_take_each_row_once_in_ascending_order),
      cmocka_unit_test(steps_send_samples_and_the_end_sends_all),
      cmocka_unit_test(patience_ends_a_training_with_one_batch_sent_in_vain),
      cmocka_unit_test(own_columns_are_in_the_order_of_samples),
      cmocka_unit_test(each_feature_side_gets_the_gradient_of_its_own_embeddings),
      cmocka_unit_test(rows_are_gathered_in_any_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
