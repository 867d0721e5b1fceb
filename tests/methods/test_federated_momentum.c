/* Momentum federated learning, held to its algorithm written out client by client. */
#include <math.h>

#include "check.h"
#include "federation.h"
#include "inside/graph.h"
#include "inside/nn.h"
#include "inside/tensor.h"

/* One client of the slow reference of momentum federated learning. */
typedef struct slow_client {
  uint32_t rows[90], local[90], count, train[90], train_count;
  sotto_dataset data;
  sotto_matrix features;
  sotto_operator *spread;
} slow_client;

static void make_slow_client(slow_client *c, const check_federation *f, const sotto_options *o,
                             const uint32_t *owner, uint32_t which, const sotto_split *split,
                             const sotto_i_fed_model *model) {
  *c = (slow_client){.count = 0};
  for (uint32_t v = 0; v < 90; v++)
    if (owner[v] == which) {
      c->local[v] = c->count;
      c->rows[c->count++] = v;
    }
  CHECK_OK(sotto_dataset_take(&c->data, &f->data, c->rows, c->count, "slow", &err));
  CHECK_OK(sotto_i_fed_features(&c->features, o, &c->data, &err));
  CHECK_OK(sotto_i_graph_net_operator(&c->spread, &model->net.options, &c->data.graph, &err));
  for (size_t i = 0; i < split->count[SOTTO_PART_TRAIN]; i++) {
    const uint32_t v = split->rows[SOTTO_PART_TRAIN][i];
    if (owner[v] == which) c->train[c->train_count++] = c->local[v];
  }
}

/* d = momentum d + gradient, w -= rate d, `epochs` times; returns the loss of the last before its step. */
static double slow_epochs(float *w, float *d, const slow_client *c, sotto_i_fed_model *model,
                          const sotto_options *o) {
  double last = 0;
  sotto_tape *tape;
  sotto_key key;
  sotto_key_public(&key, 1);
  CHECK_OK(sotto_tape_new(&tape, &err));
  const sotto_i_graph_batch batch = {.features = &c->features, .spread = c->spread};
  for (uint64_t epoch = 0; epoch < o->epochs; epoch++) {
    const sotto_pass pass = {.tape = tape, .key = &key, .training = true};
    size_t at = 0;
    sotto_i_fed_model_unpack(model, w);
    sotto_tape_reset(tape);
    sotto_params_zero_gradients(model->params);
    sotto_var y = sotto_i_graph_net_apply(&model->net, model->params, &pass, &batch);
    sotto_var loss = sotto_tape_cross_entropy(tape, y, c->data.labels, c->train, c->train_count);
    CHECK_OK(sotto_tape_backward(tape, loss, &err));
    last = sotto_tape_value(tape, loss).data[0];
    for (size_t i = 0; i < sotto_params_count(model->params); i++) {
      const sotto_matrix *g = sotto_params_gradient(model->params, i);
      for (size_t k = 0; k < g->rows * g->cols; k++, at++) {
        d[at] = (float)sotto_i_client_settings_of(o)->local_momentum * d[at] + g->data[k] +
                (float)o->weight_decay * w[at];
        w[at] -= (float)o->learning_rate * d[at];
      }
    }
  }
  sotto_tape_free(tape);
  return last;
}

/* Algorithm 1 of Liu et al. 2020, client by client: models and momenta are averaged by examples. */
static void slow_momentum_learning(double *losses, const check_federation *f) {
  sotto_options o = f->options;
  sotto_options_resolve(&o);
  sotto_i_client_settings plain = *sotto_i_client_settings_of(&o);
  plain.local_momentum = 0; /* rows of the reference's model hold values alone */
  const sotto_i_job job = {.options = &o, .data = &f->data, .seed = 1};
  const sotto_i_federation shared = {
      .options = &o, .settings = &plain, .seed = 1, .clients = 4, .taking = 4, .classes = 3, .inputs = 5};
  uint32_t owner[90];
  float w[64], d[64] = {0};
  slow_client clients[4];
  sotto_key key;
  sotto_i_parted parted;
  sotto_i_fed_model model;
  sotto_key_public(&key, 1);
  CHECK_OK(sotto_deal_iid(owner, &f->data, 4, &key, &err));
  CHECK_OK(sotto_i_parted_new(&parted, &job, &err));
  CHECK_OK(sotto_i_fed_model_new(&model, &shared, &err));
  assert_true(model.size <= 64);
  sotto_i_fed_model_pack(w, &model);
  for (uint32_t c = 0; c < 4; c++) make_slow_client(&clients[c], f, &o, owner, c, &parted.split, &model);
  for (uint64_t round = 0; round < sotto_i_client_settings_of(&o)->rounds; round++) {
    double sum_w[64] = {0}, sum_d[64] = {0}, all = 0;
    losses[round] = 0;
    for (int c = 0; c < 4; c++) {
      float own_w[64], own_d[64];
      const double examples = clients[c].train_count;
      memcpy(own_w, w, sizeof w);
      memcpy(own_d, d, sizeof d);
      losses[round] += examples * slow_epochs(own_w, own_d, &clients[c], &model, &o);
      all += examples;
      for (size_t k = 0; k < model.size; k++) {
        sum_w[k] += examples * own_w[k];
        sum_d[k] += examples * own_d[k];
      }
    }
    losses[round] /= all;
    for (size_t k = 0; k < model.size; k++) {
      w[k] = (float)(sum_w[k] / all);
      d[k] = (float)(sum_d[k] / all);
    }
  }
  for (int c = 0; c < 4; c++) {
    sotto_operator_free(clients[c].spread);
    sotto_matrix_free(&clients[c].features);
    sotto_dataset_free(&clients[c].data);
  }
  sotto_i_fed_model_free(&model);
  sotto_i_parted_free(&parted);
}

static void momenta_are_averaged_with_the_models(void **state) {
  (void)state;
  double losses[2][6], wanted[6], without[6];
  for (int masked = 0; masked < 2; masked++) {
    check_federation f = check_federation_new(masked == 1 ? "momenta-masked" : "momenta");
    check_set(&f.options, "local-momentum", "0.8");
    check_set(&f.options, "epochs", "3");
    check_set(&f.options, "learning-rate", "0.1");
    check_set(&f.options, "secure-aggregation", masked == 1 ? "true" : "false");
    sotto_result result = check_run(&f.options, &f.data);
    check_losses(losses[masked], 6, &f.options, NULL);
    slow_momentum_learning(wanted, &f);
    for (int round = 0; round < 6; round++) CHECK_NEAR(losses[masked][round], wanted[round], 1e-5);
    sotto_result_free(&result);
    if (masked ==
        1) { /* the planted fault: momenta that do not last from round to round tell themselves apart */
      check_set(&f.options, "local-momentum", "0");
      slow_momentum_learning(without, &f);
      assert_true(fabs(without[5] - wanted[5]) > 1e-3);
    }
    sotto_dataset_free(&f.data);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(momenta_are_averaged_with_the_models)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
