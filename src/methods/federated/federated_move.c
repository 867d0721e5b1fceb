/* The server's update of the model from the clients' updates. */
#include "federated.h"
#include "inside/nn.h"
#include "nn/params/params.h"

/* w += mean update; the same for running statistics and clients' own momenta (Liu et al. 2020). */
static void move_by_mean(sotto_i_fed_server *s) {
  const double examples = s->totals[s->model.size + SOTTO_I_FED_EXAMPLES];
  if (!(examples > 0)) return;
  for (size_t at = 0; at < s->model.size; at++) s->values.data[at] += (float)(s->totals[at] / examples);
}

/* FedAdam (Reddi et al. 2021): Adam at the server, with the mean update divided by the clients' rate as the
 * negative gradient. After one step of each client on all its items this is the gradient over all items.
 * Running statistics are changed by the mean update. */
static sotto_status move_by_adam(sotto_i_fed_server *s, sotto_error *err) {
  const double examples = s->totals[s->model.size + SOTTO_I_FED_EXAMPLES];
  if (!(examples > 0)) return SOTTO_OK;
  return sotto_i_fed_adam(s, -1 / (SOTTO_I_LOCAL_RATE * examples), err);
}

sotto_status sotto_i_fed_adam(sotto_i_fed_server *s, double scale, sotto_error *err) {
  const sotto_i_training training = sotto_i_job_training(s->federation->options, 1);
  const double examples = s->totals[s->model.size + SOTTO_I_FED_EXAMPLES];
  size_t at = 0;
  sotto_adam adam = training.adam;
  adam.weight_decay = 0; /* the clients' steps include it */
  sotto_i_fed_model_unpack(&s->model, s->values.data);
  for (size_t i = 0; i < sotto_params_count(s->model.params); i++) {
    sotto_matrix *value = sotto_params_value(s->model.params, i);
    sotto_matrix *gradient = sotto_params_gradient(s->model.params, i);
    const bool trained = s->model.params->items[i]->trained;
    for (size_t j = 0; j < value->rows * value->cols; j++, at++) {
      gradient->data[j] = (float)(s->totals[at] * scale);
      if (!trained) value->data[j] += (float)(s->totals[at] / examples);
    }
  }
  sotto_status status = sotto_adam_step(s->model.params, &adam, err);
  if (status == SOTTO_OK) sotto_i_fed_model_pack(s->values.data, &s->model);
  return status;
}

sotto_status sotto_i_fed_move(sotto_i_fed_server *s, sotto_error *err) {
  if (s->federation->settings->optimiser == SOTTO_I_OPTIMISER_SERVER_ADAM) return move_by_adam(s, err);
  move_by_mean(s);
  return SOTTO_OK;
}
