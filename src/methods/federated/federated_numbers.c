/* Numbers that clients learn: one scale for all, and losses and measures of predictions. */
#include "numbers.h"

#include <float.h>
#include <math.h>

#include "base/error.h"
#include "inside/party.h"
#include "inside/tensor.h"
#include "nn/quality.h"
#include "nn/targets.h"

static const char own_name[] = "number statistics";
static const char own_reason[] =
    "mean and deviation of the numbers of this client's training nodes, and how many there are: all count "
    "in one deviation";
enum { stated = 3 };
static const float most_items = 0x1p24F;

/* How many numbers there are, their mean, and the sum of squared differences from it. */
typedef struct moments {
  double count, mean, square;
} moments;

static void add_moments(moments *all, const moments *more) {
  if (!(more->count > 0)) return;
  const double count = all->count + more->count, apart = more->mean - all->mean;
  all->square += more->square + apart * apart * all->count * more->count / count;
  all->mean += apart * more->count / count;
  all->count = count;
}

static moments moments_of(const sotto_i_fed_client *c, sotto_part part) {
  moments out = {.count = (double)c->count[part]};
  for (size_t i = 0; i < c->count[part]; i++)
    out.mean += (double)c->data.numbers[c->rows[part][i]] / out.count;
  for (size_t i = 0; i < c->count[part]; i++)
    out.square += pow((double)c->data.numbers[c->rows[part][i]] - out.mean, 2);
  return out;
}

/* As three floats: items, mean, deviation. */
static void put_moments(float out[stated], const moments *m) {
  out[0] = (float)m->count;
  out[1] = (float)m->mean;
  out[2] = m->count > 0 ? (float)sqrt(m->square / m->count) : 0;
}

static moments get_moments(const double said[stated]) {
  return (moments){.count = said[0], .mean = said[1], .square = said[0] * said[2] * said[2]};
}

sotto_status sotto_i_fed_numbers_say(sotto_i_fed_client *c, sotto_error *err) {
  const moments own = moments_of(c, SOTTO_PART_TRAIN);
  float said[stated];
  put_moments(said, &own);
  const sotto_matrix row = {said, 1, stated};
  return sotto_link_send_exposed(c->link, own_name, own_reason, &row, err);
}

static sotto_status hear(moments *all, sotto_link *link, sotto_error *err) {
  const sotto_expectation expected = {
      .name = own_name, .kind = SOTTO_WIRE_EXPOSED, .rows = 1, .cols = stated};
  float said[stated];
  sotto_matrix row = {said, 1, stated};
  const sotto_status status = sotto_link_receive(link, &row, &expected, err);
  if (status != SOTTO_OK) return status;
  if (!(said[0] >= 0 && said[0] <= most_items && isfinite(said[1]) && said[2] >= 0 && isfinite(said[2])))
    return sotto_i_fail(err, SOTTO_PROTOCOL,
                        "%s: %g numbers of mean %g and deviation %g; 0 to 2^24, finite and from 0 are due",
                        own_name, (double)said[0], (double)said[1], (double)said[2]);
  const moments more = get_moments((double[]){said[0], said[1], said[2]});
  add_moments(all, &more);
  return SOTTO_OK;
}

sotto_status sotto_i_fed_numbers_pool(sotto_i_fed_server *s, sotto_error *err) {
  moments all = {0};
  sotto_status status;
  for (uint32_t i = 0; i < s->federation->clients; i++) {
    sotto_error problem = {0};
    if (!sotto_i_fed_is_here(s, i)) continue;
    sotto_i_fed_give_time(s, i);
    status = hear(&all, s->links[i], &problem);
    SOTTO_TRY(sotto_i_fed_left(s, i, 1, status, &problem, err));
  }
  if (!(all.count > 0))
    SOTTO_TRY(sotto_i_fail(err, SOTTO_INVALID, "no client has a training node with a number to learn"));
  SOTTO_TRY(sotto_i_number_scale_set(&s->model.scale, s->model.params, all.mean, sqrt(all.square / all.count),
                                     err));
  sotto_i_fed_model_pack(s->values.data, &s->model);
  sotto_i_fed_model_pack(s->best.data, &s->model);
done:
  return status;
}

/* The deviation in which the received model counts. */
static double deviation_of(const sotto_i_fed_client *c) {
  return (double)sotto_params_value(c->model.params, c->model.scale.deviation)->data[0];
}

sotto_var sotto_i_fed_numbers_loss(sotto_i_fed_client *c, sotto_var outputs, const uint32_t *rows,
                                   size_t count) {
  for (size_t i = 0; i < count; i++) c->truth[i] = c->data.numbers[rows[i]];
  c->targets = (sotto_i_targets){.numbers = c->truth, .count = count, .deviation = deviation_of(c)};
  return sotto_i_targets_loss(c->tape, sotto_tape_gather_rows(c->tape, outputs, rows, count), &c->targets);
}

static double error_of(const sotto_i_fed_client *c, const sotto_matrix *outputs, uint32_t row) {
  return (double)outputs->data[row] - (double)c->data.numbers[row];
}

float sotto_i_fed_numbers_off(const sotto_i_fed_client *c, const sotto_matrix *outputs) {
  double sum = 0;
  for (size_t i = 0; i < c->count[SOTTO_PART_VALIDATION]; i++)
    sum += pow(error_of(c, outputs, c->rows[SOTTO_PART_VALIDATION][i]) / deviation_of(c), 2);
  return sum < (double)most_items ? (float)sum : most_items;
}

double sotto_i_fed_numbers_validation(double off, double items) {
  return 1 - off / items;
}

sotto_status sotto_i_fed_numbers_answer(float *row, const sotto_i_fed_client *c, const sotto_matrix *outputs,
                                        sotto_part part, sotto_error *err) {
  const moments own = moments_of(c, part);
  double square = 0, absolute = 0;
  put_moments(row, &own);
  for (size_t i = 0; i < c->count[part]; i++) {
    const double off = error_of(c, outputs, c->rows[part][i]);
    square += off * off / own.count;
    absolute += fabs(off) / own.count;
  }
  if (!(sqrt(square) <= FLT_MAX))
    return sotto_i_fail(err, SOTTO_NUMERIC, "predictions are off by %g; a lower learning-rate may help",
                        sqrt(square));
  row[stated] = (float)sqrt(square);
  row[stated + 1] = (float)absolute;
  return SOTTO_OK;
}

sotto_quality sotto_i_fed_numbers_quality(const sotto_i_fed_server *server, uint32_t first, uint32_t count,
                                          int part) {
  moments all = {0};
  double square = 0, absolute = 0;
  for (uint32_t i = first; i < first + count; i++) {
    const double *said = server->evaluation + (2 * i + (size_t)part) * SOTTO_I_FED_NUMBER_ANSWER;
    const moments more = get_moments(said);
    add_moments(&all, &more);
    square += said[0] * said[stated] * said[stated];
    absolute += said[0] * said[stated + 1];
  }
  return sotto_i_number_measures(all.count, square, absolute, all.square);
}
