/* The server of a federation: it sends the model, averages the updates, and stores the best model. */
#include <math.h>
#include <string.h>

#include "methods/federated/federated.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "inside/party.h"
#include "methods/federated/numbers.h"
#include "methods/federated/protocol.h"

void sotto_i_fed_server_free(sotto_i_fed_server *server) {
  for (uint32_t i = 0; server->links != NULL && i < server->federation->clients; i++)
    sotto_link_free(server->links[i]);
  sotto_i_free(server->links);
  sotto_i_free(server->left);
  sotto_i_free(server->missing);
  sotto_i_free(server->refused);
  sotto_i_fed_model_free(&server->model);
  sotto_i_fed_cells_free(&server->cells);
  sotto_matrix_free(&server->values);
  sotto_matrix_free(&server->best);
  sotto_i_free(server->totals);
  for (int k = 0; k < SOTTO_I_FED_MODELS; k++) sotto_i_free(server->measured[k]);
  sotto_i_free(server->evaluation);
  sotto_i_free(server->own);
  sotto_i_free(server->turns);
  for (uint32_t i = 0; server->embedded != NULL && i < server->federation->clients; i++) {
    sotto_i_free(server->embedded[i].first);
    sotto_matrix_free(&server->embedded[i].rows);
  }
  sotto_i_free(server->embedded);
  sotto_key_wipe(&server->drawn.key);
}

/* The model of a training, and room for messages of its size. */
static sotto_status begin_training(sotto_i_fed_server *s, sotto_error *err) {
  sotto_status status;
  sotto_i_fed_model_free(&s->model);
  sotto_matrix_free(&s->values);
  sotto_matrix_free(&s->best);
  sotto_i_free(s->totals);
  s->totals = NULL;
  SOTTO_TRY(sotto_i_fed_model_of(&s->model, s->federation, s->cells.kind, err));
  SOTTO_TRY(sotto_matrix_new(&s->values, 1, s->model.size, err));
  SOTTO_TRY(sotto_matrix_new(&s->best, 1, s->model.size, err));
  SOTTO_TRY(sotto_i_new(&s->totals, s->model.size + SOTTO_I_FED_EXTRAS, sizeof *s->totals, err));
  sotto_i_fed_model_pack(s->values.data, &s->model);
  memcpy(s->best.data, s->values.data, s->model.size * sizeof(float));
done:
  return status;
}

static sotto_status begin(sotto_i_fed_server *s, sotto_error *err) {
  const sotto_i_federation *f = s->federation;
  sotto_status status;
  if (f->counts && s->checkpoints != NULL && s->checkpoints->at.number > f->cluster_rounds)
    SOTTO_TRY(sotto_i_fed_cells_load(&s->cells, f, s->job->folder, err));
  SOTTO_TRY(begin_training(s, err));
  SOTTO_TRY(
      sotto_i_new(&s->evaluation, 2 * f->clients * sotto_i_fed_answers_width(f), sizeof *s->evaluation, err));
  for (int k = 0; k < SOTTO_I_FED_MODELS; k++)
    SOTTO_TRY(sotto_i_new(&s->measured[k], sotto_i_fed_measures_size(f), sizeof *s->measured[k], err));
  SOTTO_TRY(sotto_i_new(&s->turns, f->rounds, sizeof *s->turns, err));
  if (s->helper != NULL) SOTTO_TRY(sotto_i_new(&s->refused, f->clients, sizeof *s->refused, err));
  SOTTO_TRY(sotto_i_fed_left_new(s, err));
done:
  return status;
}

/* Sends to a client that is present; round as for sotto_i_fed_left. */
static sotto_status send_named(sotto_i_fed_server *s, uint32_t client, const char *name,
                               const sotto_matrix *model, uint64_t round, sotto_error *err) {
  sotto_error problem = {0};
  if (!sotto_i_fed_is_here(s, client)) return SOTTO_OK;
  sotto_i_fed_give_time(s, client);
  sotto_status status =
      s->federation->noisy
          ? sotto_i_fed_noisy_send(s, client, model, &problem)
          : sotto_link_send_exposed(
                s->links[client], name,
                s->federation->alone
                    ? "an experiment's measure: all clients answer by the model of one of them"
                    : "all clients train from the average, which depends on all clients' data",
                model, &problem);
  return sotto_i_fed_left(s, client, round, status, &problem, err);
}

static sotto_status send_model(sotto_i_fed_server *s, uint32_t client, const sotto_matrix *model,
                               uint64_t round, sotto_error *err) {
  return send_named(s, client, "model", model, round, err);
}

/* Adds one client's answer, weighted by its examples. */
static sotto_status add_update(sotto_i_fed_server *s, const sotto_matrix *update, sotto_error *err) {
  size_t size = s->model.size;
  const float *extras = update->data + size;
  for (int i = 0; i < SOTTO_I_FED_LOSS; i++)
    if (!(extras[i] >= 0 && extras[i] <= 0x1p24F))
      return sotto_i_fail(err, SOTTO_RANGE, "update: a count of %g is outside 0 to 2^24", (double)extras[i]);
  double weight = extras[SOTTO_I_FED_EXAMPLES];
  for (size_t j = 0; j < size; j++) s->totals[j] += weight * update->data[j];
  s->totals[size + SOTTO_I_FED_EXAMPLES] += weight;
  s->totals[size + SOTTO_I_FED_RIGHT] += extras[SOTTO_I_FED_RIGHT];
  s->totals[size + SOTTO_I_FED_ASKED] += extras[SOTTO_I_FED_ASKED];
  s->totals[size + SOTTO_I_FED_LOSS] += weight * extras[SOTTO_I_FED_LOSS];
  return SOTTO_OK;
}

static sotto_status gather_plain(sotto_i_fed_server *s, const uint32_t *taking, uint64_t round,
                                 sotto_error *err) {
  sotto_matrix update = {0};
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(&update, 1, s->model.size + SOTTO_I_FED_EXTRAS, err));
  const sotto_expectation expected = {
      .name = "update", .kind = SOTTO_WIRE_EXPOSED, .rows = 1, .cols = update.cols};
  for (uint32_t i = 0; i < s->federation->taking; i++) {
    sotto_error problem = {0};
    if (!sotto_i_fed_is_here(s, taking[i])) continue;
    status = sotto_link_receive(s->links[taking[i]], &update, &expected, &problem);
    if (status == SOTTO_OK)
      SOTTO_TRY(add_update(s, &update, err));
    else
      SOTTO_TRY(sotto_i_fed_left(s, taking[i], round, status, &problem, err));
  }
done:
  sotto_matrix_free(&update);
  return status;
}

static sotto_status gather_masked(sotto_i_fed_server *s, const uint32_t *taking, uint64_t round,
                                  sotto_error *err) {
  const sotto_i_federation *f = s->federation;
  const double step = f->noisy ? f->noise.grid.step : ldexp(1, -SOTTO_I_FED_BITS);
  const sotto_i_fed_summed of = sotto_i_fed_round_summed(f, round, taking, &s->values);
  size_t size = s->model.size, all = size + SOTTO_I_FED_EXTRAS;
  uint64_t *sums = NULL;
  sotto_i_fed_sum sum;
  sotto_status status;
  SOTTO_TRY(sotto_i_fed_sum_new(&sum, f, &of, &s->values, err));
  SOTTO_TRY(sotto_i_new(&sums, all, sizeof *sums, err));
  SOTTO_TRY(sotto_i_fed_sum_gather(sums, s, &sum, round, taking, f->taking, NULL, err));
  for (size_t j = 0; j < all; j++) {
    bool whole = j >= size && j - size != SOTTO_I_FED_LOSS;
    s->totals[j] = (double)(int64_t)sums[j] * (whole ? 1 : step);
  }
done:
  sotto_i_fed_sum_free(&sum);
  sotto_i_free(sums);
  return status;
}

static void count_bytes(const sotto_i_fed_server *s, uint64_t *sent, uint64_t *received) {
  *sent = *received = 0;
  for (uint32_t i = 0; i < s->federation->clients; i++) {
    const sotto_traffic traffic = sotto_i_fed_traffic(s, i);
    for (int kind = 0; kind < SOTTO_WIRE_KINDS; kind++) {
      *sent += traffic.sent[kind];
      *received += traffic.received[kind];
    }
  }
}

/* The validation of a round is that of the model at its beginning. If all of a round's clients left, there
 * is none. */
static void keep_best(sotto_i_fed_server *s, double validation, double loss) {
  const sotto_i_training training = {.epochs = UINT64_MAX};
  if (isnan(loss) && isnan(validation)) return;
  if (sotto_i_watch_next(&s->watch, validation, loss, &training).better)
    memcpy(s->best.data, s->values.data, s->model.size * sizeof(float));
}

static sotto_status run_round(sotto_i_fed_server *s, uint64_t round, uint32_t *taking, sotto_error *err) {
  const sotto_i_federation *f = s->federation;
  const double *extras = s->totals + s->model.size;
  sotto_i_fed_turn *turn = &s->turns[round - 1];
  uint32_t accepted = f->taking;
  uint64_t sent, received;
  sotto_status status;
  SOTTO_TRY(sotto_i_fed_round(taking, f, round, err));
  count_bytes(s, &sent, &received);
  memset(s->totals, 0, (s->model.size + SOTTO_I_FED_EXTRAS) * sizeof *s->totals);
  for (uint32_t i = 0; i < f->taking; i++) SOTTO_TRY(send_model(s, taking[i], &s->values, round, err));
  if (f->settings->update_bound > 0)
    SOTTO_TRY(sotto_i_fed_check_gather(&accepted, s, taking, round, err));
  else if (f->settings->secure_aggregation)
    SOTTO_TRY(gather_masked(s, taking, round, err));
  else
    SOTTO_TRY((f->noisy ? sotto_i_fed_noisy_gather : gather_plain)(s, taking, round, err));
  if (f->embedding != NULL) SOTTO_TRY(f->embedding->gather(s, taking, f->taking, round, err));
  *turn = (sotto_i_fed_turn){.round = round, .clients = sotto_i_fed_note_missing(s, taking, round)};
  if (accepted < turn->clients) turn->clients = accepted;
  /* Otherwise the server would learn either without noise. */
  turn->loss = f->noisy ? NAN : extras[SOTTO_I_FED_LOSS] / extras[SOTTO_I_FED_EXAMPLES];
  turn->validation =
      f->numbers ? sotto_i_fed_numbers_validation(extras[SOTTO_I_FED_RIGHT], extras[SOTTO_I_FED_ASKED])
                 : extras[SOTTO_I_FED_RIGHT] / extras[SOTTO_I_FED_ASKED];
  count_bytes(s, &turn->sent, &turn->received);
  turn->sent -= sent;
  turn->received -= received;
  keep_best(s, turn->validation, turn->loss);
  SOTTO_TRY(f->noisy ? sotto_i_fed_noisy_move(s, round, err) : sotto_i_fed_move(s, err));
  if (f->noisy) SOTTO_TRY(sotto_i_fed_show_sum(f, round, s->model.size, NULL, s->totals, err));
  sotto_i_stage stage = {.job = s->job, .name = "federation", .epochs = f->rounds};
  sotto_i_stage_epoch(&stage, round, turn->loss, turn->validation);
done:
  return status;
}

sotto_status sotto_i_fed_evaluate(double *out, sotto_i_fed_server *s, const sotto_matrix *model,
                                  sotto_error *err) {
  size_t width = sotto_i_fed_answers_width(s->federation);
  sotto_matrix answers = {0};
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(&answers, 2, width, err));
  const sotto_expectation expected = {
      .name = "answers", .kind = SOTTO_WIRE_EXPOSED, .rows = 2, .cols = width};
  const uint64_t after = s->federation->rounds + 1;
  for (uint32_t i = 0; i < s->federation->clients; i++) SOTTO_TRY(send_model(s, i, model, after, err));
  for (uint32_t i = 0; i < s->federation->clients; i++) {
    sotto_error problem = {0};
    if (!sotto_i_fed_is_here(s, i)) continue;
    status = sotto_link_receive(s->links[i], &answers, &expected, &problem);
    SOTTO_TRY(sotto_i_fed_left(s, i, after, status, &problem, err));
    for (size_t j = 0; j < 2 * width; j++) out[2 * i * width + j] = answers.data[j];
  }
done:
  sotto_matrix_free(&answers);
  return status;
}

/* The last model, or the best one at the beginning of a round: the better one by what clients say of both. If
 * they no longer say it, the best one, which the rounds' validation chose. */
static sotto_status choose_model(sotto_i_fed_server *s, sotto_error *err) {
  const sotto_matrix *const models[SOTTO_I_FED_MODELS] = {&s->values, &s->best};
  const sotto_i_federation *f = s->federation;
  sotto_status status = SOTTO_OK;
  for (uint32_t which = 0; !f->noisy && which < SOTTO_I_FED_MODELS; which++) {
    for (uint32_t i = 0; i < f->clients; i++) SOTTO_TRY(send_model(s, i, models[which], f->rounds + 1, err));
    SOTTO_TRY(sotto_i_fed_measures_gather(s->measured[which], s, which, models[which], err));
  }
  const bool lost =
      !f->noisy && (sotto_i_fed_measures_lost(s->measured[0]) || sotto_i_fed_measures_lost(s->measured[1]));
  /* At noisy levels the last one: choosing by validation would be a use of private labels. */
  s->chosen = !f->noisy && (lost || sotto_i_fed_measures_validation(s->measured[1], s) >
                                        sotto_i_fed_measures_validation(s->measured[0], s));
  if (s->chosen == 0) memcpy(s->best.data, s->values.data, s->model.size * sizeof(float));
  sotto_i_fed_model_unpack(&s->model, s->best.data);
done:
  return status;
}

/* The best model on features alone defines the cluster of a node; then a new training begins. */
static sotto_status begin_second_training(sotto_i_fed_server *s, uint64_t round, sotto_error *err) {
  sotto_status status;
  for (uint32_t i = 0; i < s->federation->clients; i++)
    SOTTO_TRY(send_named(s, i, "clusters", &s->best, round, err));
  SOTTO_TRY(sotto_i_fed_cells_serve(s, err));
  if (s->federation->linked) SOTTO_TRY(sotto_i_fed_linked_relay(s, err));
  SOTTO_TRY(begin_training(s, err));
  s->watch = (sotto_i_watch){0};
done:
  return status;
}

sotto_status sotto_i_fed_server_protocol(sotto_i_fed_server *server, sotto_error *err) {
  const sotto_i_federation *f = server->federation;
  uint32_t *taking = NULL;
  sotto_status status;
  SOTTO_TRY(begin(server, err));
  if (f->alone) {
    SOTTO_TRY(sotto_i_fed_alone_ask(server, err));
    goto done;
  }
  const sotto_i_fed_protocol *protocol = sotto_i_fed_protocol_of(f->options);
  if (protocol->serve != NULL) SOTTO_TRY(protocol->serve(server, err));
  if (f->numbers) SOTTO_TRY(sotto_i_fed_numbers_pool(server, err));
  if (f->embedding != NULL) SOTTO_TRY(f->embedding->learn(server, err));
  SOTTO_TRY(sotto_i_new_raw(&taking, f->taking, sizeof *taking, err));
  uint64_t first;
  SOTTO_TRY(sotto_i_fed_server_load(&first, server, err));
  for (uint64_t round = first + 1; round <= f->rounds; round++) {
    SOTTO_TRY(sotto_i_check_interrupt(err));
    if (f->counts && round == f->cluster_rounds + 1) SOTTO_TRY(begin_second_training(server, round, err));
    SOTTO_TRY(run_round(server, round, taking, err));
    SOTTO_TRY(sotto_i_fed_server_save(server, round, err));
  }
  SOTTO_TRY(choose_model(server, err));
  if (f->embedding == NULL && !f->apart && !f->noisy) goto done;
  for (uint32_t i = 0; i < f->clients; i++)
    SOTTO_TRY(send_model(server, i, &server->best, f->rounds + 1, err));
  if (f->embedding != NULL) SOTTO_TRY(f->embedding->gather(server, NULL, f->clients, 0, err));
  sotto_i_fed_give_all_time(server);
done:
  sotto_i_free(taking);
  return status;
}
