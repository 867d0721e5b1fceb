/* --method locsage and globsage: a client's model from its own data, and the model of one owner of the
 * whole graph. Each client's model is evaluated on the items of all clients, as in Zhang et al. 2021: a
 * client that has few classes is right only about its own nodes. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "inside/party.h"
#include "methods/federated/federated.h"

sotto_status sotto_i_fed_alone(sotto_i_fed_client *c, sotto_error *err) {
  const sotto_i_client_settings *own = c->federation->settings;
  const sotto_i_training training = {.epochs = UINT64_MAX};
  sotto_i_watch watch = {0};
  float extras[SOTTO_I_FED_EXTRAS] = {0};
  float *best = c->update.data;
  double loss = 0;
  sotto_status status = SOTTO_OK;
  sotto_i_fed_model_pack(best, &c->model);
  for (uint64_t round = 0; round <= own->rounds; round++) {
    SOTTO_TRY(sotto_i_check_interrupt(err));
    SOTTO_TRY(sotto_i_fed_validate(c, extras, err));
    double asked = extras[SOTTO_I_FED_ASKED];
    double value = asked > 0 ? extras[SOTTO_I_FED_RIGHT] / asked : (double)round; /* else the last epoch */
    if (sotto_i_watch_next(&watch, value, loss, &training).better) sotto_i_fed_model_pack(best, &c->model);
    if (round == own->rounds) break;
    sotto_i_fed_model_pack(c->global.data, &c->model);
    SOTTO_TRY(sotto_i_fed_train(c, &loss, err));
  }
  sotto_i_fed_model_unpack(&c->model, best);
done:
  return status;
}

static const char *const model_reason =
    "an experiment's measure: a model of one client alone is asked of all items";

sotto_status sotto_i_fed_alone_answer(sotto_i_fed_client *c, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (uint32_t i = 0; i < c->federation->clients; i++) {
    if (i == c->number) {
      sotto_i_fed_model_unpack(&c->model, c->update.data);
      sotto_i_fed_model_pack(c->global.data, &c->model);
      SOTTO_TRY(sotto_link_send_exposed(c->link, "own model", model_reason, &c->global, err));
    }
    SOTTO_TRY(sotto_i_fed_receive_model(c, err));
    SOTTO_TRY(sotto_i_fed_answer(c, err));
  }
  sotto_i_fed_model_unpack(&c->model, c->update.data);
done:
  return status;
}

sotto_status sotto_i_fed_alone_ask(sotto_i_fed_server *s, sotto_error *err) {
  const uint32_t clients = s->federation->clients;
  const size_t width = sotto_i_fed_answers_width(s->federation);
  const sotto_expectation expected = {
      .name = "own model", .kind = SOTTO_WIRE_EXPOSED, .rows = 1, .cols = s->model.size};
  double *answers = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&answers, 2 * clients * width, sizeof *answers, err));
  SOTTO_TRY(sotto_i_new(&s->own, 2 * clients * width, sizeof *s->own, err));
  for (uint32_t i = 0; i < clients; i++) {
    double *all = s->evaluation + 2 * i * width;
    SOTTO_TRY(sotto_link_receive(s->links[i], &s->values, &expected, err));
    SOTTO_TRY(sotto_i_fed_evaluate(answers, s, &s->values, err));
    memcpy(s->own + 2 * i * width, answers + 2 * i * width, 2 * width * sizeof *answers);
    for (uint32_t j = 0; j < clients; j++)
      for (size_t k = 0; k < 2 * width; k++) all[k] += answers[2 * j * width + k];
    for (int part = 1; clients > 1 && part <= 2; part++)
      all[part * width - 1] = -1; /* AUCs cannot be added */
  }
done:
  sotto_i_free(answers);
  return status;
}
