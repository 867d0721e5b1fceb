/* Steps of the shared linear layer over some rows of X: products and gradients, by the protocol itself. */
#include <math.h>
#include <pthread.h>

#include "check.h"
#include "inside/party.h"
#include "party/shares/shared_linear.h"
#include "small_graph.h"

enum { rows = 11, inner = 5, width = 3, holders = 2, steps = 2, picked = 4 };

static const uint32_t some[steps][picked] = {{0, 3, 4, 10}, {1, 2, 5, 9}};
static const double rate = 0.5;

typedef struct side {
  const sotto_i_shared_shape *shape;
  sotto_i_peers peers;
  const sotto_matrix *features, *start, *gradient; /* its part; gradient of `picked` rows */
  sotto_matrix out[steps], weight;
  uint64_t sent[2]; /* to the other holder, before and after the last step's backward pass */
  sotto_status status;
  sotto_error error;
} side;

static uint64_t bytes_of_shares(const sotto_link *link) {
  return sotto_link_traffic(link).sent[SOTTO_WIRE_SHARE];
}

static sotto_status take_part(side *d) {
  sotto_i_shared_linear layer = {.peers = NULL};
  sotto_error *e = &d->error;
  sotto_status status = sotto_i_shared_begin(&layer, d->shape, &d->peers, d->features, d->start, e);
  for (size_t step = 0; step < steps && status == SOTTO_OK; step++) {
    sotto_i_shared_take_rows(&layer, some[step], picked);
    status = sotto_i_shared_forward(&layer, &d->out[step], e);
    d->sent[0] = bytes_of_shares(d->peers.holder[1 - d->peers.self]);
    if (status == SOTTO_OK) status = sotto_i_shared_backward(&layer, d->gradient, e);
  }
  d->sent[1] = bytes_of_shares(d->peers.holder[1 - d->peers.self]);
  if (status == SOTTO_OK) status = sotto_i_shared_export(&layer, &layer.weight, &d->weight, e);
  sotto_i_shared_free(&layer);
  return status;
}

static void *holder_thread(void *context) {
  side *d = context;
  d->status = take_part(d);
  return NULL;
}

static void deal(const sotto_i_shared_shape *shape, sotto_link *const *links) {
  sotto_i_shared_dealer dealer;
  sotto_key key;
  sotto_key_system(&key);
  CHECK_OK(sotto_i_shared_deal_begin(&dealer, shape, links, &key, &err));
  for (size_t step = 0; step < steps; step++) {
    sotto_i_shared_deal_rows(&dealer, some[step], picked);
    CHECK_OK(sotto_i_shared_deal_forward(&dealer, &err));
    CHECK_OK(sotto_i_shared_deal_backward(&dealer, &err));
  }
  sotto_i_shared_deal_free(&dealer);
}

typedef struct inputs {
  sotto_matrix features[holders], start[holders], gradient[holders];
} inputs;

typedef struct outputs {
  double out[steps][picked][width], weight[inner][width];
} outputs;

static void copy(double *to, const sotto_matrix *from) {
  for (size_t i = 0; i < from->rows * from->cols; i++) to[i] = from->data[i];
}

/* One whole session; what all holders come to hold. */
static void play(outputs *o, const inputs *in, size_t block, bool one_reads) {
  const sotto_i_shared_shape shape = {.holders = holders,
                                      .rows = rows,
                                      .width = width,
                                      .cols = {2, inner - 2},
                                      .bits = 24,
                                      .feature_bound = 8,
                                      .rate = rate,
                                      .block = block,
                                      .one_reads = one_reads,
                                      .reader = 1};
  side d[holders];
  sotto_link *links[holders];
  pthread_t threads[holders];
  for (size_t i = 0; i < holders; i++) {
    d[i] = (side){.shape = &shape,
                  .peers = {.self = i, .count = holders},
                  .features = &in->features[i],
                  .start = &in->start[i],
                  .gradient = &in->gradient[i]};
    CHECK_OK(sotto_link_pair(&d[i].peers.dealer, &links[i], &err));
    for (size_t s = 0; s < steps; s++) CHECK_OK(sotto_matrix_new(&d[i].out[s], picked, width, &err));
    CHECK_OK(sotto_matrix_new(&d[i].weight, inner, width, &err));
  }
  CHECK_OK(sotto_link_pair(&d[0].peers.holder[1], &d[1].peers.holder[0], &err));
  for (size_t i = 0; i < holders; i++) pthread_create(&threads[i], NULL, holder_thread, &d[i]);
  deal(&shape, links);
  for (size_t i = 0; i < holders; i++) pthread_join(threads[i], NULL);
  for (size_t i = 0; i < holders; i++)
    if (d[i].status != SOTTO_OK) fail_msg("holder %zu: %s", i, d[i].error.text);
  for (size_t s = 0; s < steps; s++) copy(&o->out[s][0][0], &d[1].out[s]);
  for (size_t i = 0; i < holders; i++) assert_true((d[i].sent[0] == d[i].sent[1]) == one_reads);
  for (size_t j = 0; j < picked * width && one_reads; j++) assert_true(d[0].out[0].data[j] == 0);
  copy(&o->weight[0][0], &d[0].weight);
  for (size_t i = 0; i < holders; i++) {
    sotto_link_free(links[i]);
    sotto_link_free(d[i].peers.dealer);
    sotto_link_free(d[i].peers.holder[1 - i]);
    for (size_t s = 0; s < steps; s++) sotto_matrix_free(&d[i].out[s]);
    sotto_matrix_free(&d[i].weight);
  }
}

static inputs make_inputs(sotto_i_random *random) {
  inputs in;
  for (size_t i = 0; i < holders; i++) {
    in.features[i] = check_random_matrix(random, rows, i == 0 ? 2 : inner - 2);
    in.start[i] = check_random_matrix(random, inner, width);
    in.gradient[i] = check_random_matrix(random, picked, width);
    for (size_t j = 0; j < picked * width; j++) in.gradient[i].data[j] = tanhf(in.gradient[i].data[j]) / 2;
  }
  return in;
}

static double feature(const inputs *in, size_t v, size_t k) {
  return k < 2 ? in->features[0].data[v * 2 + k] : in->features[1].data[v * (inner - 2) + k - 2];
}

/* Of the sum of the first step's rows, each times its gradient. */
static double loss(const outputs *o, const inputs *in) {
  double sum = 0;
  for (size_t i = 0; i < picked; i++)
    for (size_t j = 0; j < width; j++)
      sum += o->out[0][i][j] *
             ((double)in->gradient[0].data[i * width + j] + in->gradient[1].data[i * width + j]);
  return sum;
}

static void free_inputs(inputs *in) {
  for (size_t i = 0; i < holders; i++) {
    sotto_matrix_free(&in->features[i]);
    sotto_matrix_free(&in->start[i]);
    sotto_matrix_free(&in->gradient[i]);
  }
}

/* Both steps are plain products and plain descent over their own rows, the second with the first's weights.
 */
static void steps_over_some_rows_are_those_of_floats(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  inputs in = make_inputs(&random);
  outputs o;
  double w[inner][width];
  play(&o, &in, 3, false);
  for (size_t k = 0; k < inner; k++)
    for (size_t j = 0; j < width; j++)
      w[k][j] = (double)in.start[0].data[k * width + j] + in.start[1].data[k * width + j];
  for (size_t s = 0; s < steps; s++) {
    for (size_t i = 0; i < picked; i++)
      for (size_t j = 0; j < width; j++) {
        double sum = 0;
        for (size_t k = 0; k < inner; k++) sum += feature(&in, some[s][i], k) * w[k][j];
        CHECK_NEAR(o.out[s][i][j], sum, 1e-5);
      }
    for (size_t k = 0; k < inner; k++)
      for (size_t j = 0; j < width; j++)
        for (size_t i = 0; i < picked; i++)
          w[k][j] -= rate * feature(&in, some[s][i], k) *
                     ((double)in.gradient[0].data[i * width + j] + in.gradient[1].data[i * width + j]);
  }
  for (size_t k = 0; k < inner; k++)
    for (size_t j = 0; j < width; j++) CHECK_NEAR(o.weight[k][j], w[k][j], 1e-5);
  free_inputs(&in);
}

/* The protocol's own forward passes, with one weight a little more and a little less, against what a step
 * takes off that weight. The second step's gradient is set apart by features of 0. */
static void a_step_goes_down_the_gradient_of_its_rows(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  inputs in = make_inputs(&random);
  const double little = 0.25; /* the loss is linear in a weight */
  for (size_t h = 0; h < holders; h++)
    for (size_t i = 0; i < picked; i++)
      memset(in.features[h].data + some[1][i] * in.features[h].cols, 0, in.features[h].cols * sizeof(float));
  for (size_t k = 0; k < inner; k++) {
    outputs o, more, less;
    size_t at = k * width + (k + 1) % width;
    float *weight = &in.start[k % holders].data[at], before = *weight;
    play(&o, &in, 3, false);
    *weight = before + (float)little;
    play(&more, &in, 0, false);
    *weight = before - (float)little;
    play(&less, &in, 0, false);
    *weight = before;
    double start = (double)in.start[0].data[at] + in.start[1].data[at];
    double slope = (loss(&more, &in) - loss(&less, &in)) / (2 * little);
    CHECK_NEAR((start - o.weight[k][(k + 1) % width]) / rate, slope, 1e-4);
  }
  free_inputs(&in);
}

/* One holder reads, and both have its gradient: the same as two parts that add up to that. Nothing passes
 * with the gradient, and X W goes to the reader alone. */
static void one_reader_comes_to_the_weights_of_all(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  inputs in = make_inputs(&random);
  outputs all, one;
  for (size_t j = 0; j < picked * width; j++) in.gradient[1].data[j] = in.gradient[0].data[j];
  play(&one, &in, 3, true);
  for (size_t j = 0; j < picked * width; j++) in.gradient[1].data[j] = 0;
  play(&all, &in, 0, false);
  for (size_t s = 0; s < steps; s++)
    for (size_t i = 0; i < picked; i++)
      for (size_t j = 0; j < width; j++) CHECK_NEAR(one.out[s][i][j], all.out[s][i][j], 1e-5);
  for (size_t k = 0; k < inner; k++)
    for (size_t j = 0; j < width; j++) CHECK_NEAR(one.weight[k][j], all.weight[k][j], 1e-5);
  free_inputs(&in);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_over_some_rows_are_those_of_floats),
      cmocka_unit_test(one_reader_comes_to_the_weights_of_all),
      cmocka_unit_test(a_step_goes_down_the_gradient_of_its_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
