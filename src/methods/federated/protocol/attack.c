/* Membership attacks of the server and of a client of a federation, from the models that they received:
 * training items have the smaller loss (Yeom et al. 2018), averaged over the models of all rounds. */
#include <math.h>
#include <string.h>

#include "audit/attack.h"
#include "base/error.h"
#include "base/memory.h"
#include "methods/federated/federated.h"
#include "methods/federated/protocol.h"
#include "run/parties/wire_log.h"

static const char sees_updates[] =
    "the model that each client came to in each round; items with their labels, and their client's graph";
/* Does the server see each client's model? If sums are noisy, it sees noisy sums only. */
static bool sees_each(const sotto_i_attacked *a) {
  return a->ask.view == SOTTO_VIEW_SERVER && !sotto_i_client_settings_of(a->options)->secure_aggregation &&
         !sotto_i_fed_protocol_of(a->options)->noisy;
}

static const char sees_averages[] =
    "the average that went out in each round; items with their labels, and their client's graph";

/* One client's scores: the sum over models of the log-probability of the true label. */
typedef struct guess {
  double *of[2]; /* training items, test items */
  size_t count[2], models;
} guess;

static const sotto_part parts[2] = {SOTTO_PART_TRAIN, SOTTO_PART_TEST};

static double log_probability(const float *logits, size_t classes, int32_t label) {
  double most = logits[0], sum = 0;
  for (size_t j = 1; j < classes; j++) most = fmax(most, logits[j]);
  for (size_t j = 0; j < classes; j++) sum += exp((double)logits[j] - most);
  return (double)logits[label] - most - log(fmax(sum, 1)); /* the largest term is 1 */
}

static sotto_status add_scores(guess *g, sotto_i_fed_client *c, const float *model, sotto_error *err) {
  const int32_t *labels = c->federation->graphs ? c->data.graph_labels : c->data.labels;
  sotto_matrix logits;
  sotto_i_fed_model_unpack(&c->model, model);
  sotto_status status = sotto_i_fed_scores(&logits, c, err);
  if (status != SOTTO_OK) return status;
  for (int side = 0; side < 2; side++)
    for (size_t i = 0; i < g->count[side]; i++) {
      uint32_t row = c->rows[parts[side]][i];
      g->of[side][i] += log_probability(logits.data + row * logits.cols, logits.cols, labels[row]);
    }
  g->models++;
  return SOTTO_OK;
}

/* Reads the next payload of this name at an end, after number *number, into `row`. */
static sotto_status next_row(sotto_matrix *row, bool *found, uint64_t *number, const char *folder,
                             sotto_i_wire_end end, const char *name, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  bool taken = false;
  *found = true;
  while (*found && !taken) {
    sotto_dataset payload = {0};
    status = sotto_i_wire_log_read(&payload, found, folder, end, ++*number, err);
    const char *what = status == SOTTO_OK && *found ? strchr(payload.name, ' ') : NULL;
    taken = what != NULL && strcmp(what + 1, name) == 0;
    if (taken && (payload.features.rows != 1 || payload.features.cols != row->cols))
      status = sotto_i_fail(err, SOTTO_INVALID, "%s: a recorded %s has %zu x %zu numbers, not 1 x %zu",
                            folder, name, payload.features.rows, payload.features.cols, row->cols);
    if (status == SOTTO_OK && taken) memcpy(row->data, payload.features.data, row->cols * sizeof(float));
    sotto_dataset_free(&payload);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

/* Adds up what the server knows of a client's models: the sent one, and the update of it. Without `updates`
 * only the sent one, as all clients know it. `receiver` says whose recorded wire is read. */
static sotto_status follow_rounds(guess *g, sotto_i_fed_client *c, uint32_t receiver, bool updates,
                                  const char *folder, sotto_error *err) {
  const sotto_i_wire_end there = {SOTTO_ROLE_CLIENT, receiver + 1}, here = {SOTTO_ROLE_SERVER, receiver + 1};
  sotto_matrix model = {0}, update = {0};
  uint64_t out = 0, back = 0;
  bool found = true;
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(&model, 1, c->model.size, err));
  SOTTO_TRY(sotto_matrix_new(&update, 1, c->model.size + SOTTO_I_FED_EXTRAS, err));
  while (found) {
    SOTTO_TRY(next_row(&model, &found, &out, folder, there, "model", err));
    if (found && updates) SOTTO_TRY(next_row(&update, &found, &back, folder, here, "update", err));
    if (!found) break;
    for (size_t j = 0; updates && j < c->model.size; j++) model.data[j] += update.data[j];
    SOTTO_TRY(add_scores(g, c, model.data, err));
  }
  if (g->models == 0)
    status = sotto_i_fail(err, SOTTO_INVALID, "%s: has no recorded wire; train it with record-wire", folder);
done:
  sotto_matrix_free(&model);
  sotto_matrix_free(&update);
  return status;
}

/* A client keeps the rows that it fuses into convolutions secret: others replace them by zeros. */
static sotto_status set_zero_rows(sotto_i_fed_client *c, sotto_error *err) {
  size_t width = sotto_i_fed_fused(c->federation->options, c->federation->inputs).width;
  return width == 0 ? SOTTO_OK : sotto_matrix_new(&c->beside, c->features.rows, width, err);
}

static sotto_status guess_client(guess *g, sotto_i_fed_client *c, uint32_t receiver, bool updates,
                                 const char *folder, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(set_zero_rows(c, err));
  for (int side = 0; side < 2; side++) {
    g->count[side] = c->count[parts[side]];
    SOTTO_TRY(sotto_i_new(&g->of[side], g->count[side], sizeof(double), err));
  }
  SOTTO_TRY(follow_rounds(g, c, receiver, updates, folder, err));
  for (int side = 0; side < 2; side++)
    for (size_t i = 0; i < g->count[side]; i++) g->of[side][i] /= (double)g->models;
done:
  return status;
}

/* All clients' items with one threshold. */
static sotto_status measure_guesses(sotto_i_attacked *a, const guess *g, uint32_t clients, sotto_error *err) {
  const bool updates = sees_each(a);
  double *all[2] = {NULL, NULL};
  size_t count[2] = {0, 0};
  sotto_status status = SOTTO_OK;
  for (int side = 0; side < 2; side++) {
    for (uint32_t c = 0; c < clients; c++) count[side] += g[c].count[side];
    SOTTO_TRY(sotto_i_new(&all[side], count[side], sizeof(double), err));
    size_t at = 0;
    for (uint32_t c = 0; c < clients; c++) {
      if (g[c].count[side] > 0) memcpy(all[side] + at, g[c].of[side], g[c].count[side] * sizeof(double));
      at += g[c].count[side];
    }
  }
  sotto_finding *f = sotto_i_finding(
      a, "received", a->ask.view == SOTTO_VIEW_CLIENT ? "client 1's view" : "the server's view",
      updates ? sees_updates : sees_averages, err);
  status = f == NULL ? SOTTO_RANGE
                     : sotto_attack_measure(&f->attacked, all[0], count[0], all[1], count[1],
                                            a->ask.link.delta, err);
done:
  for (int side = 0; side < 2; side++) sotto_i_free(all[side]);
  return status;
}

sotto_status sotto_i_fed_attack(sotto_i_attacked *a, const char *folder, sotto_error *err) {
  const sotto_i_job job = {.options = a->options, .data = a->data, .run_id = "", .seed = a->out->seed};
  const bool client = a->ask.view == SOTTO_VIEW_CLIENT, updates = sees_each(a);
  sotto_i_fed_assembly *all = NULL;
  sotto_i_fed_client *clients;
  guess *g = NULL;
  uint32_t count = 0;
  sotto_status status;
  if (sotto_i_learns_numbers(a->options))
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "attack: received reads class probabilities of clients' models, and these predict numbers; "
        "no attack on them is there yet");
  SOTTO_TRY(sotto_i_fed_assemble(&all, &job, err));
  clients = sotto_i_fed_clients(all, &count);
  SOTTO_TRY(sotto_i_new(&g, count, sizeof *g, err));
  for (uint32_t i = client ? 1 : 0; i < count; i++) /* a client knows its own items */
    SOTTO_TRY(guess_client(&g[i], &clients[i], client ? 0 : i, updates, folder, err));
  SOTTO_TRY(measure_guesses(a, g, count, err));
done:
  for (uint32_t i = 0; g != NULL && i < count; i++)
    for (int side = 0; side < 2; side++) sotto_i_free(g[i].of[side]);
  sotto_i_free(g);
  sotto_i_fed_disassemble(all);
  return status;
}
