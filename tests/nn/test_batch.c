/* Batches: rows of sources side by side, and a training by batches that takes the steps of one of whole
 * parts. */
#include "check.h"
#include "inside/nn.h"
#include "nn/fit.h"
#include "nn/rows/batch.h"
#include "small_graph.h"
#include "tensor/columns.h"
#include "tensor/tape.h"

enum { nodes = 500, columns = 6, classes = 3, epochs = 4, few = 64 };

/* Node v is in part 1 + v % 3; rows of a part ascend. */
static sotto_split make_split(void) {
  sotto_split split = {.count = {0}};
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++) {
    split.rows[part] = calloc(nodes, sizeof(uint32_t));
    assert_non_null(split.rows[part]);
    for (uint32_t v = part - 1U; v < nodes; v += 3) split.rows[part][split.count[part]++] = v;
  }
  return split;
}

static void free_split(sotto_split *split) {
  for (int part = 0; part < 4; part++) free(split->rows[part]);
}

/* Reads rows of a matrix, and counts calls. */
typedef struct shelf {
  const sotto_matrix *of;
  size_t calls;
} shelf;

static sotto_status from_shelf(void *context, float *out, size_t first, size_t count, sotto_error *err) {
  shelf *s = context;
  (void)err;
  assert_true(first + count <= s->of->rows && count <= SOTTO_I_WINDOW_ROWS);
  memcpy(out, s->of->data + first * s->of->cols, count * s->of->cols * sizeof *out);
  s->calls++;
  return SOTTO_OK;
}

static void batches_of_sources_side_by_side_are_the_rows_of_the_split(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_matrix a = check_random_matrix(&random, nodes, 4), b = check_random_matrix(&random, nodes, 3);
  sotto_split split = make_split();
  shelf s = {.of = &b};
  const sotto_i_row_source sources[] = {sotto_i_row_source_of(&a),
                                        {.rows = nodes, .cols = 3, .read = from_shelf, .context = &s}};
  sotto_i_split_rows rows = {.sources = NULL};
  sotto_i_batch_rows_set(few);
  sotto_i_split_rows_set(&rows, sources, 2, NULL, &split);
  const size_t count = split.count[SOTTO_PART_TRAIN];
  assert_int_equal(sotto_i_batch_count(count), (count + few - 1) / few);
  for (size_t i = 0; i < sotto_i_batch_count(count); i++) {
    const sotto_i_batch batch = sotto_i_batch_at(SOTTO_PART_TRAIN, count, i);
    sotto_matrix taken;
    CHECK_OK(sotto_i_split_rows_take(&taken, &rows, NULL, &batch, &err));
    assert_int_equal(taken.cols, 7);
    for (size_t r = 0; r < taken.rows; r++) {
      const uint32_t v = split.rows[SOTTO_PART_TRAIN][batch.begin + r];
      assert_memory_equal(taken.data + 7 * r, a.data + 4 * v, 4 * sizeof(float));
      assert_memory_equal(taken.data + 7 * r + 4, b.data + 3 * v, 3 * sizeof(float));
    }
  }
  assert_int_equal(s.calls, sotto_i_batch_count(count));
  sotto_i_split_rows_free(&rows);
  sotto_i_batch_rows_set(0);
  free_split(&split);
  sotto_matrix_free(&a);
  sotto_matrix_free(&b);
}

/* Batches of two ranks are those of one, and a row is at one of them. */
static void ranks_share_the_rows_of_batches(void **state) {
  (void)state;
  sotto_split split = make_split();
  sotto_i_rank_rows ranks[2];
  size_t row;
  sotto_i_batch_rows_set(few);
  for (uint32_t r = 0; r < 2; r++) CHECK_OK(sotto_i_batches_of_rank(&ranks[r], &split, nodes, r, 2, &err));
  for (uint32_t v = 0; v < nodes; v++)
    assert_int_equal(sotto_i_rank_rows_find(&row, &ranks[v / 3 / few % 2], v) +
                         2 * sotto_i_rank_rows_find(&row, &ranks[1 - v / 3 / few % 2], v),
                     1);
  for (int r = 0; r < 2; r++) sotto_i_rank_rows_free(&ranks[r]);
  sotto_i_batch_rows_set(0);
  free_split(&split);
}

/* One process is a single rank, whose batches are all. */
static void rows_of_held_nodes_are_gathered_as_from_all(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_matrix all = check_random_matrix(&random, nodes, 4), held = {0};
  sotto_split split = make_split();
  sotto_i_rank_rows rank;
  float rows[3 * 4];
  size_t row;
  split.count[SOTTO_PART_VALIDATION] = 0;
  CHECK_OK(sotto_i_batches_of_rank(&rank, &split, nodes, 0, 1, &err));
  assert_int_equal(rank.count, split.count[SOTTO_PART_TRAIN] + split.count[SOTTO_PART_TEST]);
  assert_false(sotto_i_rank_rows_find(&row, &rank, 1)); /* of the empty part */
  assert_true(sotto_i_rank_rows_find(&row, &rank, 2) && row == 1);
  CHECK_OK(sotto_i_take_rows(&held, &all, rank.nodes, rank.count, &err));
  sotto_i_row_source source = sotto_i_row_source_of(&held);
  source.held = &rank;
  const uint32_t wanted[] = {495, 0, 2};
  CHECK_OK(sotto_i_row_source_gather(rows, 4, &source, wanted, 3, NULL, &err));
  for (size_t i = 0; i < 3; i++)
    assert_memory_equal(rows + 4 * i, all.data + 4 * wanted[i], sizeof(float[4]));
  sotto_i_rank_rows_free(&rank);
  sotto_matrix_free(&held);
  sotto_matrix_free(&all);
  free_split(&split);
}

static void a_part_without_rows_is_one_empty_batch(void **state) {
  (void)state;
  assert_int_equal(sotto_i_batch_count(0), 1);
  assert_int_equal(sotto_i_batch_at(SOTTO_PART_TEST, 0, 0).count, 0);
}

/* A perceptron with dropout on its rows and within. */
typedef struct net {
  sotto_mlp mlp;
  sotto_params *params;
  sotto_i_split_rows rows;
  double losses[epochs];
} net;

static sotto_var forward(void *model, const sotto_pass *pass, const sotto_i_batch *batch) {
  net *n = model;
  return sotto_mlp_apply(&n->mlp, n->params, pass, sotto_i_split_rows_var(&n->rows, pass->tape, batch));
}

static void note(void *context, uint64_t epoch, double loss, double validation) {
  net *n = context;
  (void)validation;
  n->losses[epoch - 1] = loss;
}

/* Trains from the same start, with batches of so many rows; sparse: most features are 0. */
static void train(net *n, const sotto_matrix *x, const sotto_split *split, size_t rows) {
  const sotto_mlp_options options = {.widths = {columns, 8, classes},
                                     .layers = 2,
                                     .activation = SOTTO_ACTIVATION_SELU,
                                     .dropout = 0.4F,
                                     .input_dropout = 0.2F};
  int32_t labels[nodes];
  sotto_key key;
  sotto_key_public(&key, 5);
  const sotto_i_row_source source = sotto_i_row_source_of(x);
  *n = (net){.params = NULL};
  CHECK_OK(sotto_params_new(&n->params, &err));
  CHECK_OK(sotto_mlp_new(&n->mlp, n->params, "net", &options, 0, &key, &err));
  for (int i = 0; i < nodes; i++) labels[i] = i % classes;
  sotto_i_split_rows_set(&n->rows, &source, 1, NULL, split);
  sotto_i_task task = {.model = n, .params = n->params, .forward = forward, .batched = true, .key = &key};
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++)
    task.targets[part] = (sotto_i_targets){.classes = labels, .count = split->count[part]};
  const sotto_i_training training = {.epochs = epochs, .adam = sotto_adam_defaults()};
  const sotto_i_epoch_hook hook = {n, note};
  sotto_i_batch_rows_set(rows);
  CHECK_OK(sotto_i_fit(&task, &training, &hook, &err));
  sotto_i_batch_rows_set(0);
  sotto_i_split_rows_free(&n->rows);
}

static void train_both_ways(sotto_matrix *x) {
  sotto_split split = make_split();
  net whole, batched;
  train(&whole, x, &split, 0);
  train(&batched, x, &split, few);
  for (int i = 0; i < epochs; i++) CHECK_NEAR(batched.losses[i], whole.losses[i], 1e-5);
  for (size_t i = 0; i < sotto_params_count(whole.params); i++) {
    const sotto_matrix *a = sotto_params_value(whole.params, i), *b = sotto_params_value(batched.params, i);
    for (size_t j = 0; j < a->rows * a->cols; j++) CHECK_NEAR((double)b->data[j], (double)a->data[j], 1e-4);
  }
  sotto_params_free(whole.params);
  sotto_params_free(batched.params);
  free_split(&split);
}

/* Of all nodes in more than one window, and of some; from memory they are borrowed where they are all. */
static void rows_are_the_same_from_memory_and_from_a_reader(void **state) {
  sotto_i_random random = check_random();
  sotto_matrix x = check_random_matrix(&random, SOTTO_I_WINDOW_ROWS + 3, 2);
  uint32_t some[] = {1, 4, SOTTO_I_WINDOW_ROWS + 2};
  const sotto_i_rank_rows held = {some, 3};
  const sotto_i_row_source memory = sotto_i_row_source_of(&x);
  shelf s = {.of = &x};
  const sotto_i_row_source reader = {.rows = x.rows, .cols = 2, .read = from_shelf, .context = &s};
  (void)state;
  for (int from = 0; from < 2; from++) {
    sotto_matrix rows, room = {0};
    CHECK_OK(sotto_i_row_source_held(&rows, &room, from == 0 ? &memory : &reader, NULL, &err));
    assert_int_equal(rows.rows, x.rows);
    assert_true((rows.data == x.data) == (from == 0));
    assert_memory_equal(rows.data, x.data, x.rows * x.cols * sizeof *x.data);
    sotto_matrix_free(&room);
    CHECK_OK(sotto_i_row_source_held(&rows, &room, from == 0 ? &memory : &reader, &held, &err));
    assert_int_equal(rows.rows, 3);
    for (size_t i = 0; i < 3; i++)
      assert_memory_equal(rows.data + 2 * i, x.data + (size_t)2 * some[i], 2 * sizeof *x.data);
    sotto_i_row_source own = sotto_i_row_source_of(&rows);
    sotto_matrix same, unused = {0};
    own.held = &held;
    CHECK_OK(sotto_i_row_source_held(&same, &unused, &own, &held, &err));
    assert_true(same.data == rows.data && unused.data == NULL);
    sotto_matrix_free(&room);
  }
  sotto_matrix_free(&x);
}

/* Dropout included: a batch's rows are dropped as the same rows of the part are. */
static void a_training_by_batches_takes_the_steps_of_one_of_whole_parts(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_matrix x = check_random_matrix(&random, nodes, columns);
  train_both_ways(&x);
  for (int i = 0; i < nodes * columns; i++)
    if (i % 5 != 0) x.data[i] = 0;
  train_both_ways(&x);
  sotto_matrix_free(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(batches_of_sources_side_by_side_are_the_rows_of_the_split),
      cmocka_unit_test(ranks_share_the_rows_of_batches),
      cmocka_unit_test(rows_of_held_nodes_are_gathered_as_from_all),
      cmocka_unit_test(rows_are_the_same_from_memory_and_from_a_reader),
      cmocka_unit_test(a_part_without_rows_is_one_empty_batch),
      cmocka_unit_test(a_training_by_batches_takes_the_steps_of_one_of_whole_parts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
