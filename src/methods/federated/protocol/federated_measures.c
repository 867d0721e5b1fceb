/* Measures of the two models of which the server keeps the better: the last one, and the best at the
 * beginning of a round. Each client keeps its own. With secure-aggregation the server gets the sum over all
 * clients of how many items of each class got which answer; else how many validation items of each client
 * were right, which every update says of an earlier model, and nothing of the test. A sum that was signed is
 * not repeated over other survivors, not even under another number: both are sums of the same counts, and
 * their difference would be those of one client. The measures are lost then, and the run goes on. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "inside/party.h"
#include "methods/federated/federated.h"
#include "methods/federated/numbers.h"

enum { pair = 2 }; /* right validation items, or with `numbers` their squared errors; all validation items */

/* Columns of a part in a sum: counts[label][prediction], then the AUC times items, and the items that have
 * one. */
static size_t summed_width(const sotto_i_federation *f) {
  return (size_t)f->classes * f->classes + 2;
}

static bool sums(const sotto_i_federation *f) {
  return f->settings->secure_aggregation && !f->numbers;
}

/* The sum of one of the two models: after those of the rounds. */
static sotto_status sum_new(sotto_i_fed_sum *out, const sotto_i_federation *f, uint32_t which,
                            const uint32_t *all, const sotto_matrix *model, sotto_error *err) {
  const sotto_i_fed_summed of = {
      .round = f->rounds + 1 + which, .taking = all, .count = f->clients, .values = 2 * summed_width(f)};
  return sotto_i_fed_sum_new(out, f, &of, model, err);
}

/* Whole numbers, and the AUC in fixed point. */
static void encode(uint64_t *out, const sotto_matrix *answers, const sotto_i_federation *f) {
  const size_t width = summed_width(f), counts = width - 2;
  for (size_t part = 0; part < 2; part++) {
    const float *from = answers->data + part * answers->cols;
    double items = 0;
    for (size_t j = 0; j < counts; j++) {
      out[part * width + j] = (uint64_t)from[j];
      items += (double)from[j];
    }
    if (from[counts] < 0) continue;
    out[part * width + counts] = (uint64_t)rint(ldexp(items * (double)from[counts], SOTTO_I_FED_BITS));
    out[part * width + counts + 1] = (uint64_t)items;
  }
}

static void warn_lost(const sotto_i_federation *f, uint32_t which) {
  sotto_i_log(f->job->observer, SOTTO_LOG_WARNING,
              "the measures of the %s over all clients are lost: a client signed other survivors for "
              "their sum before a restart, and both sums would show the difference. The model is kept; each "
              "client has the measures on its own items",
              which == 0 ? "last model" : "model with the best validation");
}

static sotto_status send_sum(sotto_i_fed_client *c, uint32_t which, sotto_error *err) {
  const sotto_i_federation *f = c->federation;
  uint32_t *all = NULL;
  uint64_t *values = NULL;
  sotto_i_fed_sum sum = {.signers = NULL};
  bool declined = false;
  sotto_status status;
  SOTTO_TRY(sotto_i_fed_all_clients(&all, f, err));
  SOTTO_TRY(sum_new(&sum, f, which, all, &c->global, err));
  SOTTO_TRY(sotto_i_new(&values, 2 * summed_width(f), sizeof *values, err));
  encode(values, &c->measured[which], f);
  SOTTO_TRY(sotto_i_fed_sum_take_part(c, &sum, all, values, &declined, err));
  if (declined) warn_lost(f, which);
done:
  sotto_i_fed_sum_free(&sum);
  sotto_i_free(values);
  sotto_i_free(all);
  return status;
}

static sotto_status send_pair(sotto_i_fed_client *c, sotto_error *err) {
  float extras[SOTTO_I_FED_EXTRAS];
  const sotto_status status = sotto_i_fed_validate(c, extras, err);
  float right[pair] = {extras[SOTTO_I_FED_RIGHT], extras[SOTTO_I_FED_ASKED]};
  const sotto_matrix said = {right, 1, pair};
  if (status != SOTTO_OK) return status;
  return sotto_link_send_exposed(c->link, "validation",
                                 "the server keeps the better of two models, by how well clients' validation "
                                 "items are answered; every update says the same of an earlier model",
                                 &said, err);
}

sotto_status sotto_i_fed_measures_send(sotto_i_fed_client *c, uint32_t which, sotto_error *err) {
  sotto_matrix *own = &c->measured[which];
  sotto_error problem = {0};
  sotto_status status;
  sotto_matrix_free(own);
  SOTTO_TRY(sotto_matrix_new(own, 2, sotto_i_fed_answers_width(c->federation), err));
  status = sotto_i_fed_judge(own, c, &problem);
  if (status == SOTTO_NUMERIC && sotto_i_fed_hides_failures(c->federation)) {
    memset(own->data, 0, own->rows * own->cols * sizeof *own->data);
    own->data[own->cols - 1] = own->data[2 * own->cols - 1] = -1; /* no item was answered */
  } else if (status != SOTTO_OK) {
    SOTTO_TRY(sotto_i_fail(err, status, "%s", problem.text));
  }
  status = sums(c->federation) ? send_sum(c, which, err) : send_pair(c, err);
done:
  return status;
}

static sotto_status gather_sum(double *out, sotto_i_fed_server *s, uint32_t which, const sotto_matrix *model,
                               sotto_error *err) {
  const sotto_i_federation *f = s->federation;
  const size_t width = summed_width(f);
  uint32_t *all = NULL;
  uint64_t *values = NULL;
  sotto_i_fed_sum sum = {.signers = NULL};
  bool declined = false;
  sotto_status status;
  SOTTO_TRY(sotto_i_fed_all_clients(&all, f, err));
  SOTTO_TRY(sum_new(&sum, f, which, all, model, err));
  SOTTO_TRY(sotto_i_new(&values, 2 * width, sizeof *values, err));
  SOTTO_TRY(sotto_i_fed_sum_gather(values, s, &sum, f->rounds + 1, all, f->clients, &declined, err));
  if (declined) warn_lost(f, which);
  for (size_t j = 0; j < 2 * width; j++)
    out[j] = declined
                 ? NAN
                 : (double)(int64_t)values[j] * (j % width == width - 2 ? ldexp(1, -SOTTO_I_FED_BITS) : 1);
done:
  sotto_i_fed_sum_free(&sum);
  sotto_i_free(values);
  sotto_i_free(all);
  return status;
}

static sotto_status gather_pairs(double *out, sotto_i_fed_server *s, sotto_error *err) {
  const sotto_i_federation *f = s->federation;
  const sotto_expectation expected = {
      .name = "validation", .kind = SOTTO_WIRE_EXPOSED, .rows = 1, .cols = pair};
  float said[pair];
  sotto_matrix into = {said, 1, pair};
  sotto_status status = SOTTO_OK;
  for (uint32_t i = 0; i < f->clients; i++) {
    sotto_error problem = {0};
    if (!sotto_i_fed_is_here(s, i)) continue;
    status = sotto_link_receive(s->links[i], &into, &expected, &problem);
    SOTTO_TRY(sotto_i_fed_left(s, i, f->rounds + 1, status, &problem, err));
    for (size_t j = 0; status == SOTTO_OK && j < pair; j++) out[i * pair + j] = said[j];
  }
done:
  return status;
}

size_t sotto_i_fed_measures_size(const sotto_i_federation *f) {
  return sums(f) ? 2 * summed_width(f) : (size_t)f->clients * pair;
}

sotto_status sotto_i_fed_measures_gather(double *out, sotto_i_fed_server *s, uint32_t which,
                                         const sotto_matrix *model, sotto_error *err) {
  return sums(s->federation) ? gather_sum(out, s, which, model, err) : gather_pairs(out, s, err);
}

bool sotto_i_fed_measures_lost(const double *of) {
  return isnan(of[0]);
}

/* Accuracy on validation items; with `numbers` R2, in the deviation of training numbers. NaN: there are no
 * items. */
double sotto_i_fed_measures_validation(const double *of, const sotto_i_fed_server *s) {
  const sotto_i_federation *f = s->federation;
  double right = 0, all = 0;
  if (sums(f)) {
    for (size_t j = 0; j < (size_t)f->classes * f->classes; j++) {
      right += j % (f->classes + 1) == 0 ? of[j] : 0;
      all += of[j];
    }
    return right / all;
  }
  for (uint32_t i = 0; i < f->clients; i++) {
    if (!sotto_i_fed_is_here(s, i)) continue; /* compared are the clients that answered for both models */
    right += of[i * pair];
    all += of[i * pair + 1];
  }
  return f->numbers ? sotto_i_fed_numbers_validation(right, all) : right / all;
}

sotto_quality sotto_i_fed_measures_quality(const sotto_i_fed_server *s, int part) {
  const sotto_i_federation *f = s->federation;
  const size_t width = sums(f) ? summed_width(f) : 0;
  const double *of = s->measured[s->chosen];
  sotto_quality out = sotto_i_quality_none();
  if (!sums(f)) {
    if (part == 0 && !f->numbers) out.of[SOTTO_MEASURE_ACCURACY] = sotto_i_fed_measures_validation(of, s);
    return out;
  }
  const double *counts = of + (size_t)part * width;
  if (sotto_i_fed_measures_lost(of)) return out;
  out = sotto_i_fed_count_quality(counts, width, 1, f->classes);
  if (counts[width - 1] > 0) out.of[SOTTO_MEASURE_AUC] = counts[width - 2] / counts[width - 1];
  return out;
}
