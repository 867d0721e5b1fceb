/* Checkpoints of a federation: the state with which a client and the server continue after a round. The
 * server stores its own first and then informs all clients, also those outside the round. So nobody is
 * ahead of the others by more than one checkpoint. */
#include <string.h>

#include "base/error.h"
#include "federated.h"
#include "inside/nn.h"
#include "inside/party.h"

static const char point_name[] = "point";
enum { turn_numbers = 5, watch_numbers = 4 };

sotto_status sotto_i_fed_client_load(uint64_t *round, sotto_i_fed_client *c, sotto_error *err) {
  double steps = 0;
  *round = c->checkpoints == NULL ? 0 : c->checkpoints->at.number;
  if (*round == 0) return SOTTO_OK;
  const sotto_i_saved_state state = {
      .sets = {c->model.params}, .count = 1, .numbers = &steps, .number_count = 1};
  sotto_status status = sotto_i_checkpoint_load(c->checkpoints, &state, err);
  if (status != SOTTO_OK) return status;
  if (!(steps >= 0 && steps < 0x1p53))
    return sotto_i_fail(err, SOTTO_CORRUPT, "a checkpoint has %g steps", steps);
  c->steps = (uint64_t)steps;
  return SOTTO_OK;
}

sotto_status sotto_i_fed_client_save(sotto_i_fed_client *c, uint64_t round, sotto_error *err) {
  uint32_t number = 0;
  double steps = (double)c->steps;
  const sotto_expectation expected = {point_name, SOTTO_WIRE_PUBLIC, 1, 1, 0};
  if (!sotto_i_checkpoint_due(c->checkpoints, round)) return SOTTO_OK;
  sotto_status status = sotto_link_receive_words(c->link, &number, &expected, err);
  if (status != SOTTO_OK) return status;
  if (number != round)
    return sotto_i_fail(err, SOTTO_PROTOCOL, "the server is at round %u, and this client at %llu",
                        (unsigned)number, (unsigned long long)round);
  const sotto_i_saved_state state = {
      .sets = {c->model.params}, .count = 1, .numbers = &steps, .number_count = 1};
  return sotto_i_checkpoint_save(c->checkpoints, number, &state, err);
}

/* The helper stores only that it took part. */
sotto_status sotto_i_fed_helper_save(const sotto_i_fed_helper *h, uint64_t round, sotto_error *err) {
  uint32_t number = 0;
  double none = 0;
  const sotto_expectation expected = {point_name, SOTTO_WIRE_PUBLIC, 1, 1, 0};
  const sotto_i_saved_state state = {.numbers = &none, .number_count = 1};
  if (!sotto_i_checkpoint_due(h->checkpoints, round)) return SOTTO_OK;
  sotto_status status = sotto_link_receive_words(h->link, &number, &expected, err);
  if (status != SOTTO_OK) return status;
  if (number != round)
    return sotto_i_fail(err, SOTTO_PROTOCOL, "the server is at round %u, and the helper at %llu",
                        (unsigned)number, (unsigned long long)round);
  return sotto_i_checkpoint_save(h->checkpoints, number, &state, err);
}

/* Doubles as floats, since there are many. */
static void put_doubles(float *out, const double *numbers, size_t count) {
  for (size_t i = 0; i < count; i++) sotto_i_double_to_floats(out + i * SOTTO_I_DOUBLE_FLOATS, numbers[i]);
}

static void get_doubles(double *out, const float *from, size_t count) {
  for (size_t i = 0; i < count; i++) out[i] = sotto_i_double_from_floats(from + i * SOTTO_I_DOUBLE_FLOATS);
}

static sotto_status add_table(float **out, sotto_params *to, const char *name, size_t rows, size_t cols,
                              sotto_error *err) {
  size_t number;
  sotto_status status = sotto_params_add(to, &number, name, rows, cols, SOTTO_INIT_ZERO, false, NULL, err);
  *out = status == SOTTO_OK ? sotto_params_value(to, number)->data : NULL;
  return status;
}

/* The server's numbers as a set: model, best model, and a row for each finished round; with --least-clients
 * also which clients were missing. */
typedef struct kept {
  sotto_params *set;
  float *values, *best, *turns, *missing;
} kept;

static sotto_status kept_new(kept *k, const sotto_i_fed_server *s, uint64_t round, sotto_error *err) {
  size_t size = s->model.size;
  sotto_status status;
  *k = (kept){.set = NULL};
  SOTTO_TRY(sotto_params_new(&k->set, err));
  SOTTO_TRY(add_table(&k->values, k->set, "values", 1, size, err));
  SOTTO_TRY(add_table(&k->best, k->set, "best", 1, size, err));
  SOTTO_TRY(add_table(&k->turns, k->set, "turns", round, turn_numbers * SOTTO_I_DOUBLE_FLOATS, err));
  if (s->missing != NULL)
    SOTTO_TRY(add_table(&k->missing, k->set, "missing", round, s->federation->clients, err));
done:
  return status;
}

/* The model's own set holds the moments of the server's Adam. */
static size_t keeps_moments(const sotto_i_fed_server *s) {
  return s->federation->settings->optimiser == SOTTO_I_OPTIMISER_SERVER_ADAM ? 1 : 0;
}

sotto_status sotto_i_fed_server_load(uint64_t *round, sotto_i_fed_server *s, sotto_error *err) {
  size_t bytes = s->model.size * sizeof(float);
  double watch[watch_numbers] = {0};
  kept k = {.set = NULL};
  sotto_status status;
  *round = s->checkpoints == NULL ? 0 : s->checkpoints->at.number;
  if (*round == 0) return SOTTO_OK;
  SOTTO_TRY(kept_new(&k, s, *round, err));
  const sotto_i_saved_state state = {.sets = {s->model.params},
                                     .count = keeps_moments(s),
                                     .values = k.set,
                                     .numbers = watch,
                                     .number_count = watch_numbers};
  SOTTO_TRY(sotto_i_checkpoint_load(s->checkpoints, &state, err));
  memcpy(s->values.data, k.values, bytes);
  memcpy(s->best.data, k.best, bytes);
  if (s->missing != NULL) memcpy(s->missing, k.missing, *round * s->federation->clients * sizeof *k.missing);
  for (uint32_t i = 0; i < s->federation->clients; i++)
    if (!sotto_i_fed_is_here(s, i)) s->left[i] = (uint32_t)*round + 1;
  s->watch = (sotto_i_watch){(uint64_t)watch[0], (uint64_t)watch[1], watch[2], watch[3]};
  for (uint64_t i = 0; i < *round; i++) {
    double t[turn_numbers];
    get_doubles(t, k.turns + i * turn_numbers * SOTTO_I_DOUBLE_FLOATS, turn_numbers);
    s->turns[i] = (sotto_i_fed_turn){i + 1, (uint32_t)t[0], t[1], t[2], (uint64_t)t[3], (uint64_t)t[4]};
  }
done:
  sotto_params_free(k.set);
  return status;
}

sotto_status sotto_i_fed_server_save(sotto_i_fed_server *s, uint64_t round, sotto_error *err) {
  size_t bytes = s->model.size * sizeof(float);
  double watch[watch_numbers] = {(double)s->watch.epoch, (double)s->watch.best_epoch, s->watch.best,
                                 s->watch.best_loss};
  uint32_t number = (uint32_t)round;
  kept k = {.set = NULL};
  sotto_status status;
  if (!sotto_i_checkpoint_due(s->checkpoints, round)) return SOTTO_OK;
  SOTTO_TRY(kept_new(&k, s, round, err));
  memcpy(k.values, s->values.data, bytes);
  memcpy(k.best, s->best.data, bytes);
  if (s->missing != NULL) memcpy(k.missing, s->missing, round * s->federation->clients * sizeof *k.missing);
  for (uint64_t i = 0; i < round; i++) {
    const sotto_i_fed_turn *t = &s->turns[i];
    const double numbers[turn_numbers] = {t->clients, t->loss, t->validation, (double)t->sent,
                                          (double)t->received};
    put_doubles(k.turns + i * turn_numbers * SOTTO_I_DOUBLE_FLOATS, numbers, turn_numbers);
  }
  const sotto_i_saved_state state = {.sets = {s->model.params},
                                     .count = keeps_moments(s),
                                     .values = k.set,
                                     .numbers = watch,
                                     .number_count = watch_numbers};
  SOTTO_TRY(sotto_i_checkpoint_save(s->checkpoints, number, &state, err));
  const sotto_words words = {point_name, SOTTO_WIRE_PUBLIC, NULL, &number, 1, 1};
  for (uint32_t i = 0; i < s->federation->clients; i++) {
    sotto_error problem = {0};
    if (!sotto_i_fed_is_here(s, i)) continue;
    sotto_i_fed_give_time(s, i);
    status = sotto_link_send_words(s->links[i], &words, &problem);
    SOTTO_TRY(sotto_i_fed_left(s, i, round, status, &problem, err));
  }
  if (s->helper != NULL) SOTTO_TRY(sotto_link_send_words(s->helper, &words, err));
done:
  sotto_params_free(k.set);
  return status;
}
