/* Measured constants of the cost model: the time of the library's kernels on this machine. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/error.h"
#include "base/progress.h"
#include "common/memory.h"
#include "plan.h"
#include "sotto/nn.h"
#include "sotto/party.h"
#include "sotto/pmp.h"

enum { width = 64, near_rows = 1 << 12, far_rows = 1 << 18, rounds = 3, classes = 8, wide = 512 };
enum { near_degree = 32, far_degree = 4, product_rows = 1 << 12, scored_rows = 1 << 12 };

/* Matrices for the measurements; smaller ones are the first rows of `values`. */
typedef struct bench {
  sotto_tape *tape;
  sotto_matrix values; /* far_rows x width */
  sotto_key key;
  sotto_error *err;
  sotto_status status;
} bench;

/* Processor time if there is one thread, so that other programs on the machine do not count; else wall
 * time. */
static double now(void) {
  struct timespec used;
  if (sotto_threads() > 1) return sotto_i_seconds();
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

static uint32_t next(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return (uint32_t)(*state >> 16);
}

typedef struct task {
  sotto_matrix x, weight, *gradient;
  float *running; /* means and variances of batch normalisation */
  const sotto_operator *spread;
  sotto_var (*forward)(bench *b, const struct task *t, sotto_var x);
  bool backward;
} task;

/* Seconds of a pass: the smallest of a few rounds; the first round also allocates the memory. */
static double seconds_of(bench *b, const task *t) {
  double best = INFINITY;
  for (int round = 0; round <= rounds && b->status == SOTTO_OK; round++) {
    sotto_tape_reset(b->tape);
    const double begin = now();
    const sotto_var y = t->forward(
        b, t, t->backward ? sotto_tape_input(b->tape, &t->x) : sotto_tape_constant(b->tape, &t->x));
    const sotto_matrix given = sotto_tape_value(b->tape, y);
    b->status = t->backward ? sotto_tape_backward_from(b->tape, y, &given, b->err)
                            : sotto_tape_check(b->tape, b->err);
    const double took = now() - begin;
    if (round > 0 && took < best) best = took;
  }
  return best;
}

static sotto_var relu(bench *b, const task *t, sotto_var x) {
  (void)t;
  return sotto_tape_relu(b->tape, x);
}

static sotto_var selu(bench *b, const task *t, sotto_var x) {
  (void)t;
  return sotto_tape_selu(b->tape, x);
}

static sotto_var unit_rows(bench *b, const task *t, sotto_var x) {
  (void)t;
  return sotto_tape_normalise_rows(b->tape, x);
}

static sotto_var normalise(bench *b, const task *t, sotto_var x) {
  const sotto_var one = sotto_tape_parameter(b->tape, &t->weight, t->gradient);
  sotto_matrix mean = {t->running, 1, width}, variance = {t->running + width, 1, width};
  return sotto_tape_batch_norm(b->tape, x, one, one, &mean, &variance, 0, true);
}

static sotto_var dropout(bench *b, const task *t, sotto_var x) {
  (void)t;
  return sotto_tape_dropout(b->tape, x, 0.5F, &b->key, 0, 1);
}

static sotto_var spread(bench *b, const task *t, sotto_var x) {
  return sotto_operator_var(t->spread, b->tape, x);
}

static sotto_var product(bench *b, const task *t, sotto_var x) {
  return sotto_tape_matmul(b->tape, x, sotto_tape_parameter(b->tape, &t->weight, t->gradient));
}

static sotto_matrix rows_of(const bench *b, size_t rows, size_t cols) {
  return (sotto_matrix){b->values.data, rows, cols};
}

/* Forward pass and both gradients of (rows x in)(in x out). */
static double product_seconds(bench *b, size_t rows, size_t in, size_t out) {
  sotto_matrix gradient = {0};
  task t = {.x = rows_of(b, rows, in), .gradient = &gradient, .forward = product, .backward = true};
  if (b->status == SOTTO_OK) b->status = sotto_matrix_new(&t.weight, in, out, b->err);
  if (b->status == SOTTO_OK) b->status = sotto_matrix_new(&gradient, in, out, b->err);
  for (size_t i = 0; b->status == SOTTO_OK && i < in * out; i++) t.weight.data[i] = 1.0F / (float)(i % 7 + 9);
  const double seconds = b->status == SOTTO_OK ? seconds_of(b, &t) : 0;
  sotto_matrix_free(&t.weight);
  sotto_matrix_free(&gradient);
  return seconds;
}

/* Dense products of one size, with a wide and with a narrow tall factor: two costs from two times. */
static void measure_products(plan_machine *m, bench *b) {
  const double rows = product_rows, far = (double)far_rows / 4;
  const double a = product_seconds(b, product_rows, wide, width) / (3 * rows);
  const double c = product_seconds(b, product_rows, width, width) / (3 * rows);
  const double d = product_seconds(b, far_rows / 4, width, width) / (3 * far);
  const double multiply_adds = (wide - width) * width, operands = wide - width;
  /* a - c = multiply_adds * x + operands * y; c = width^2 x + 2 width y */
  const double of_c = width * width - 2.0 * width * multiply_adds / operands;
  double x = (c - 2.0 * width * (a - c) / operands) / of_c;
  if (!(x > 0)) x = a / (wide * width);
  const double y = (c - x * width * width) / (2.0 * width);
  m->operand = y > 0 ? y : 0;
  m->multiply_add[0] = x;
  m->multiply_add[1] = fmax(x, (d - m->operand * 2 * width) / (width * width));
}

static sotto_status graph_new(sotto_graph *out, uint64_t nodes, uint64_t degree, sotto_error *err) {
  uint32_t *ends = NULL;
  const uint64_t edges = nodes * degree / 2;
  uint64_t state = 88172645463325252U;
  sotto_status status;
  SOTTO_TRY(app_new(&ends, 2 * edges, sizeof *ends, err));
  for (uint64_t i = 0; i < 2 * edges; i++) ends[i] = next(&state) % (uint32_t)nodes;
  SOTTO_TRY(sotto_graph_from_pairs(out, nodes, ends, ends + edges, edges, err));
done:
  free(ends);
  return status;
}

/* A release layer without and with noise: the costs of an entry's value and of a value's noise. */
static double release_seconds(bench *b, const sotto_graph *graph, const sotto_matrix *x, double epsilon) {
  const sotto_pmp_options options = {.aggregator = SOTTO_AGGREGATOR_SUM, .layers = 1};
  sotto_pmp_plan plan;
  double best = INFINITY;
  if (b->status == SOTTO_OK)
    b->status = sotto_pmp_plan_new(&plan, &options, graph->nodes, x->cols, epsilon, 1e-6, b->err);
  for (int round = 0; round < 2 && b->status == SOTTO_OK; round++) {
    sotto_release *release = NULL;
    sotto_key_system(&b->key);
    const double begin = now();
    b->status = sotto_release_new(&release, &plan, graph, x, &b->key, "plan", "plan", "plan", NULL, b->err);
    best = fmin(best, now() - begin);
    sotto_release_free(release);
  }
  return best;
}

static void measure_graph(plan_machine *m, bench *b, int place) {
  const size_t nodes = place == 0 ? near_rows : far_rows;
  const sotto_matrix x = rows_of(b, nodes, width);
  const double values = (double)nodes * width;
  sotto_graph graph = {0};
  sotto_operator *op = NULL;
  if (b->status == SOTTO_OK)
    b->status = graph_new(&graph, nodes, place == 0 ? near_degree : far_degree, b->err);
  if (b->status == SOTTO_OK)
    b->status = sotto_operator_new(&op, &graph, SOTTO_AGGREGATOR_MEAN, 0, true, b->err);
  if (b->status == SOTTO_OK) {
    const task t = {.x = x, .spread = op, .forward = spread, .backward = true};
    const double gathered = (double)graph.entries * width;
    m->gather[place] = fmax(seconds_of(b, &t) - 2 * values * m->pass[place], 0) / (2 * gathered);
    const double noise = place == 0 ? values * m->normal : 0;
    const double release = release_seconds(b, &graph, &x, place == 0 ? 1 : INFINITY);
    m->sum[place] = fmax(release - noise - 3 * values * m->pass[place], 0) / gathered;
  }
  sotto_operator_free(op);
  sotto_graph_free(&graph);
}

/* Seconds for each value of rows that fit into the cache; forward and backward count as two. */
static double value_seconds(bench *b, sotto_var (*forward)(bench *b, const task *t, sotto_var x),
                            bool backward) {
  float ones[width], gradients[width] = {0}, running[2 * width] = {0};
  sotto_matrix gradient = {gradients, 1, width};
  for (size_t i = 0; i < width; i++) ones[i] = 1;
  const task t = {.x = rows_of(b, near_rows, width),
                  .weight = {ones, 1, width},
                  .gradient = &gradient,
                  .running = running,
                  .forward = forward,
                  .backward = backward};
  return seconds_of(b, &t) / ((backward ? 2.0 : 1.0) * near_rows * width);
}

/* One message between two parties in this process, sent and received. */
static void measure_link(plan_machine *m, bench *b) {
  const sotto_matrix x = rows_of(b, near_rows, width);
  const sotto_expectation expected = {
      .name = "plan", .kind = SOTTO_WIRE_PUBLIC, .rows = x.rows, .cols = x.cols};
  sotto_link *from = NULL, *to = NULL;
  double best = INFINITY;
  sotto_matrix came = {0};
  if (b->status == SOTTO_OK) b->status = sotto_link_pair(&from, &to, b->err);
  if (b->status == SOTTO_OK) b->status = sotto_matrix_new(&came, x.rows, x.cols, b->err);
  for (int round = 0; round < rounds && b->status == SOTTO_OK; round++) {
    const double begin = now();
    b->status = sotto_link_send_public(from, "plan", &x, b->err);
    if (b->status == SOTTO_OK) b->status = sotto_link_receive(to, &came, &expected, b->err);
    best = fmin(best, now() - begin);
  }
  m->copied = best / (double)(near_rows * width);
  sotto_matrix_free(&came);
  sotto_link_free(from);
  sotto_link_free(to);
}

static void measure_rows(plan_machine *m, bench *b) {
  for (int place = 0; place < 2; place++) {
    const task t = {
        .x = rows_of(b, place == 0 ? near_rows : far_rows, width), .forward = relu, .backward = true};
    m->places[place] = (double)t.x.rows * width * sizeof(float);
    m->pass[place] = seconds_of(b, &t) / (2 * (double)t.x.rows * width);
  }
  m->draw = value_seconds(b, dropout, false);
  m->curve = value_seconds(b, selu, true);
  m->scaled = value_seconds(b, unit_rows, false);
  m->normed = value_seconds(b, normalise, true);
}

static void measure_noise(plan_machine *m, bench *b) {
  const size_t rows = near_rows;
  sotto_matrix x = rows_of(b, rows, width), copy = {0};
  sotto_grid grid;
  double best = INFINITY;
  if (b->status == SOTTO_OK) b->status = sotto_grid_new(&grid, 1, b->err);
  if (b->status == SOTTO_OK) b->status = sotto_matrix_new(&copy, rows, width, b->err);
  for (uint32_t round = 0; round < rounds && b->status == SOTTO_OK; round++) {
    for (size_t i = 0; i < rows * width; i++) copy.data[i] = x.data[i];
    sotto_key_system(&b->key);
    const double begin = now();
    b->status = sotto_grid_add_noise(&copy, &grid, &b->key, round, b->err);
    best = fmin(best, now() - begin);
  }
  m->normal = best / (double)(rows * width);
  sotto_matrix_free(&copy);
}

/* Accuracy and loss; the loss computes an exponential of each value in double precision. */
static void measure_scores(plan_machine *m, bench *b) {
  const sotto_matrix scores = rows_of(b, scored_rows, classes);
  int32_t *labels = NULL;
  double best = INFINITY;
  if (b->status == SOTTO_OK) b->status = app_new(&labels, scored_rows, sizeof *labels, b->err);
  for (int round = 0; round < rounds && b->status == SOTTO_OK; round++) {
    volatile double sum = 0; /* so that the compiler removes no work */
    for (int32_t i = 0; i < scored_rows; i++) labels[i] = i % classes;
    const double begin = now();
    sum = sotto_accuracy(&scores, labels, NULL, scored_rows);
    for (size_t i = 0; i < (size_t)scored_rows * classes; i++) sum += exp((double)scores.data[i]);
    if (sum > 0) best = fmin(best, now() - begin);
  }
  m->score = best / (double)(scored_rows * classes);
  free(labels);
}

sotto_status plan_measure(plan_machine *out, sotto_error *err) {
  bench b = {.err = err};
  uint64_t state = 1;
  sotto_status status;
  *out = (plan_machine){.threads = sotto_threads()};
  sotto_key_public(&b.key, 1);
  SOTTO_TRY(sotto_tape_new(&b.tape, err));
  SOTTO_TRY(sotto_matrix_new(&b.values, far_rows, width, err));
  for (size_t i = 0; i < (size_t)far_rows * width; i++)
    b.values.data[i] = (float)(next(&state) % 2000) / 1000 - 1;
  measure_rows(out, &b);
  measure_products(out, &b);
  measure_link(out, &b);
  measure_noise(out, &b);
  measure_graph(out, &b, 0);
  measure_graph(out, &b, 1);
  measure_scores(out, &b);
  status = b.status;
done:
  sotto_key_wipe(&b.key);
  sotto_tape_free(b.tape);
  sotto_matrix_free(&b.values);
  return status;
}
