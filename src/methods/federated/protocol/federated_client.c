/* A client of a federation: it receives the model, trains it, and sends the update. */
#include <math.h>
#include <string.h>

#include "methods/federated/federated.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/random.h"
#include "inside/party.h"
#include "methods/federated/numbers.h"
#include "methods/federated/protocol.h"
#include "tensor/tape.h"

enum { client_keys = 4096 };

void sotto_i_fed_client_free(sotto_i_fed_client *client) {
  for (int part = 0; part < 4; part++) sotto_i_free(client->rows[part]);
  sotto_operator_free(client->spread);
  sotto_i_hops_free(&client->hops);
  sotto_matrix_free(&client->beside);
  sotto_graph_free(&client->completed);
  sotto_i_fed_model_free(&client->model);
  sotto_tape_free(client->tape);
  sotto_i_free(client->truth);
  sotto_matrix_free(&client->global);
  sotto_matrix_free(&client->update);
  sotto_matrix_free(&client->features);
  if (client->entries != NULL) sotto_i_sparse_free(client->entries);
  sotto_i_free(client->entries);
  sotto_matrix_free(&client->answers);
  for (int k = 0; k < SOTTO_I_FED_MODELS; k++) sotto_matrix_free(&client->measured[k]);
  sotto_key_wipe(&client->drawn.key);
  sotto_i_fed_linked_free(&client->linked);
  sotto_i_fed_cells_free(&client->cells);
  sotto_dataset_free(&client->data);
  sotto_link_free(client->link);
  *client = (sotto_i_fed_client){.link = NULL};
}

/* As many hops as the deepest network with sampled neighbours has layers. */
static sotto_status hops_new(sotto_i_fed_client *c, sotto_error *err) {
  const sotto_i_fed_protocol *protocol = sotto_i_fed_protocol_of(c->federation->options);
  size_t count = c->model.net.options.layers;
  if (protocol->draws == NULL) return SOTTO_OK;
  const sotto_i_fed_draws draws = protocol->draws(c->federation->options);
  if (draws.fan_out == 0) return SOTTO_OK;
  if (draws.depth > count) count = draws.depth;
  return sotto_i_hops_new(&c->hops, count, draws.fan_out, &c->data.graph, err);
}

/* Sparse features stay sparse if they are read only in products. */
static sotto_status set_features(sotto_i_fed_client *c, sotto_error *err) {
  const sotto_options *o = c->federation->options;
  const sotto_i_fed_protocol *protocol = sotto_i_fed_protocol_of(o);
  const bool products =
      protocol->by_products != NULL && protocol->by_products(o) && !c->model.net.options.gin;
  sotto_status status;
  if (c->dense || !products || c->data.entries.offsets == NULL)
    return sotto_i_fed_features(&c->features, o, &c->data, err);
  SOTTO_TRY(sotto_i_new(&c->entries, 1, sizeof *c->entries, err));
  SOTTO_TRY(sotto_i_scaled_entries(c->entries, o, &c->data, err));
  if (c->entries->worth) {
    c->features = (sotto_matrix){NULL, c->data.features.rows, c->data.features.cols};
  } else {
    sotto_i_free(c->entries);
    c->entries = NULL;
    status = sotto_i_fed_features(&c->features, o, &c->data, err);
  }
done:
  return status;
}

sotto_status sotto_i_fed_client_begin(sotto_i_fed_client *client, sotto_error *err) {
  sotto_i_fed_client *c = client;
  sotto_status status;
  sotto_key key;
  sotto_key_public(&key, c->federation->seed);
  sotto_i_key_derive(&c->key, &key, client_keys + c->number);
  SOTTO_TRY(sotto_i_fed_model_new(&c->model, c->federation, err));
  SOTTO_TRY(set_features(c, err));
  if (c->federation->counts || sotto_i_fed_reads_rows(c->federation)) {
    SOTTO_TRY(sotto_i_fed_counts_begin(c, err));
  } else {
    SOTTO_TRY(sotto_i_graph_net_operator(&c->spread, &c->model.net.options, &c->data.graph, err));
    SOTTO_TRY(hops_new(c, err));
  }
  if (c->federation->numbers)
    SOTTO_TRY(sotto_i_new_raw(&c->truth, c->count[SOTTO_PART_TRAIN], sizeof *c->truth, err));
  SOTTO_TRY(sotto_tape_new(&c->tape, err));
  sotto_i_tape_lean(c->tape);
  SOTTO_TRY(sotto_i_fed_client_room(c, err));
done:
  return status;
}

/* Trains from the received model, and fills in the answer. */
static sotto_status train_update(sotto_i_fed_client *c, sotto_error *err) {
  float *extras = c->update.data + c->model.size;
  double loss;
  sotto_status status;
  SOTTO_TRY(sotto_i_fed_validate(c, extras, err));
  SOTTO_TRY(sotto_i_fed_train(c, &loss, err));
  sotto_i_fed_model_pack(c->update.data, &c->model);
  for (size_t j = 0; j < c->model.size; j++) c->update.data[j] -= c->global.data[j];
  extras[SOTTO_I_FED_EXAMPLES] = (float)c->count[SOTTO_PART_TRAIN];
  extras[SOTTO_I_FED_LOSS] = (float)loss;
done:
  return status;
}

/* Numbers in fixed point, weighted by examples. Those that are not finite, or that a sum cannot hold, count
 * as zero together: the server chose the model, and would otherwise learn whose data make it overflow. */
static sotto_status encode(uint64_t *out, const float *x, size_t count, const sotto_i_fed_client *c,
                           const sotto_sum_plan *plan, sotto_error *err) {
  const uint32_t weight = (uint32_t)c->count[SOTTO_PART_TRAIN];
  sotto_error problem = {0};
  const sotto_status status = sotto_sum_encode(out, x, count, SOTTO_I_FED_BITS, weight, plan, &problem);
  if (status == SOTTO_OK) return status;
  if (status != SOTTO_NUMERIC && status != SOTTO_RANGE) return sotto_i_fail(err, status, "%s", problem.text);
  sotto_i_log(c->federation->job->observer, SOTTO_LOG_INFO,
              "client %u: its part of a sum counts as zero (%s); a lower learning-rate may help",
              (unsigned)c->number + 1, problem.text);
  memset(out, 0, count * sizeof *out);
  return SOTTO_OK;
}

/* Sends the update and the loss weighted by examples, in fixed point; counts are not weighted. */
static sotto_status send_masked(sotto_i_fed_client *c, uint64_t round, const uint32_t *taking,
                                sotto_error *err) {
  size_t size = c->model.size;
  const float *extras = c->update.data + size;
  sotto_i_fed_sum sum;
  uint64_t *values = NULL;
  sotto_status status;
  const sotto_i_fed_summed of = sotto_i_fed_round_summed(c->federation, round, taking, &c->global);
  SOTTO_TRY(sotto_i_fed_sum_new(&sum, c->federation, &of, &c->global, err));
  SOTTO_TRY(sotto_i_new(&values, c->update.cols, sizeof *values, err));
  SOTTO_TRY(encode(values, c->update.data, size, c, &sum.plan, err));
  SOTTO_TRY(encode(values + size + SOTTO_I_FED_LOSS, &extras[SOTTO_I_FED_LOSS], 1, c, &sum.plan, err));
  values[size + SOTTO_I_FED_EXAMPLES] = (uint64_t)c->count[SOTTO_PART_TRAIN];
  values[size + SOTTO_I_FED_RIGHT] = (uint64_t)extras[SOTTO_I_FED_RIGHT];
  values[size + SOTTO_I_FED_ASKED] = (uint64_t)extras[SOTTO_I_FED_ASKED];
  SOTTO_TRY(sotto_i_fed_sum_take_part(c, &sum, taking, values, NULL, err));
done:
  sotto_i_fed_sum_free(&sum);
  sotto_i_free(values);
  return status;
}

static sotto_status run_round(sotto_i_fed_client *c, uint64_t round, const uint32_t *taking,
                              sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_fed_receive_model(c, err));
  if (c->federation->noisy) return sotto_i_fed_noisy_turn(c, round, taking, err);
  SOTTO_TRY(train_update(c, err));
  if (c->federation->settings->secure_aggregation)
    SOTTO_TRY(send_masked(c, round, taking, err));
  else if (c->federation->settings->update_bound > 0)
    SOTTO_TRY(sotto_i_fed_check_take_part(c, round, taking, err));
  else
    SOTTO_TRY(sotto_link_send_exposed(c->link, "update",
                                      "the server averages models; an update reveals its client's data, "
                                      "unless secure-aggregation or update-bound hides it",
                                      &c->update, err));
  if (c->federation->embedding != NULL) SOTTO_TRY(c->federation->embedding->embed(c, round, err));
done:
  return status;
}

/* What the chosen model is worth on the client's own items, for itself alone: nothing of it is sent. */
static sotto_status measure(sotto_i_fed_client *c, sotto_error *err) {
  sotto_error problem = {0};
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(&c->answers, 2, sotto_i_fed_answers_width(c->federation), err));
  status = sotto_i_fed_judge(&c->answers, c, &problem);
  if (status == SOTTO_NUMERIC) {
    sotto_matrix_free(&c->answers); /* an overflow here must not end the run of all */
    status = SOTTO_OK;
  } else if (status != SOTTO_OK) {
    status = sotto_i_fail(err, status, "%s", problem.text);
  }
done:
  return status;
}

/* All training rows again, ascending: they are listed in the run's folder. */
static void take_back_pilots(sotto_i_fed_client *c) {
  if (c->left_out == 0) return;
  c->count[SOTTO_PART_TRAIN] += c->left_out;
  c->left_out = 0;
  sotto_i_sort_numbers(c->rows[SOTTO_PART_TRAIN], c->count[SOTTO_PART_TRAIN]);
}

sotto_status sotto_i_fed_client_protocol(sotto_i_fed_client *client, sotto_error *err) {
  const sotto_i_federation *f = client->federation;
  uint32_t *taking = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_fed_client_begin(client, err));
  if (f->alone) {
    SOTTO_TRY(sotto_i_fed_alone(client, err));
    SOTTO_TRY(sotto_i_fed_alone_answer(client, err));
    goto done;
  }
  const sotto_i_fed_protocol *protocol = sotto_i_fed_protocol_of(f->options);
  if (protocol->prepare != NULL) SOTTO_TRY(protocol->prepare(client, err));
  SOTTO_TRY(sotto_i_new_raw(&taking, f->taking, sizeof *taking, err));
  if (f->numbers) SOTTO_TRY(sotto_i_fed_numbers_say(client, err));
  if (f->embedding != NULL) SOTTO_TRY(f->embedding->announce(client, err));
  if (f->noisy) SOTTO_TRY(sotto_i_fed_noisy_begin(client, err));
  uint64_t first;
  if (f->counts && client->checkpoints != NULL && client->checkpoints->at.number > f->cluster_rounds)
    SOTTO_TRY(sotto_i_fed_counts_resume(client, err));
  SOTTO_TRY(sotto_i_fed_client_load(&first, client, err));
  if (f->counts && first > f->cluster_rounds) SOTTO_TRY(sotto_i_fed_counts_release(client, true, err));
  for (uint64_t round = first + 1; round <= f->rounds; round++) {
    bool mine = false;
    SOTTO_TRY(sotto_i_check_interrupt(err));
    if (f->counts && round == f->cluster_rounds + 1)
      SOTTO_TRY(sotto_i_fed_counts_release(client, false, err));
    SOTTO_TRY(sotto_i_fed_round(taking, f, round, err));
    for (uint32_t i = 0; i < f->taking; i++) mine |= taking[i] == client->number;
    if (mine) SOTTO_TRY(run_round(client, round, taking, err));
    SOTTO_TRY(sotto_i_fed_client_save(client, round, err));
  }
  if (f->noisy) {
    SOTTO_TRY(sotto_i_fed_noisy_end(client, err));
    goto done;
  }
  for (uint32_t which = 0; which < SOTTO_I_FED_MODELS; which++) {
    SOTTO_TRY(sotto_i_fed_receive_model(client, err));
    SOTTO_TRY(sotto_i_fed_measures_send(client, which, err));
  }
  if (f->embedding == NULL && !f->apart) goto done;
  SOTTO_TRY(sotto_i_fed_receive_model(client, err)); /* the chosen one */
  if (f->apart) SOTTO_TRY(measure(client, err));
  if (f->embedding != NULL) SOTTO_TRY(f->embedding->embed(client, 0, err));
done:
  sotto_i_free(taking);
  take_back_pilots(client);
  if (status != SOTTO_OK) sotto_i_error_prefix(err, "client %u", (unsigned)client->number + 1);
  return status;
}
