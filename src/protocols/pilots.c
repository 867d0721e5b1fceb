/* Choice of the clusters by which neighbours are counted, on a few nodes. */
#include "pilots.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "softmax_ridge.h"
#include "table.h"
#include "training_part.h"
#include "unsure.h"

enum { least_pilots = 100, least_surveyed = 50, least_members = 50 };
/* Ridges: of most weights, and of those of sums, which are many columns of little signal each. */
static const float pull = 30, pull_of_directions = 300;
enum { enough = 1000, most = 1000, one_in = 10, purpose = 7001 };

void sotto_i_pilots_free(sotto_i_pilots *p) {
  sotto_i_free(p->group);
  for (int stage = 0; stage < SOTTO_I_STAGES; stage++) sotto_i_free(p->nodes[stage]);
  for (int kind = 0; kind < SOTTO_I_CLUSTER_KINDS; kind++) sotto_matrix_free(&p->read[kind]);
  *p = (sotto_i_pilots){.group = NULL};
}

bool sotto_i_can_choose(const sotto_i_parted *parted) {
  return parted->split.count[SOTTO_PART_TRAIN] >= enough;
}

sotto_i_cluster_kind sotto_i_kind_of_round(sotto_i_cluster_kind first, uint32_t round) {
  return round == 0 || first == SOTTO_I_BY_SUMS ? first : SOTTO_I_BY_CLASS;
}

bool sotto_i_cells_are_whole(sotto_i_cluster_kind kind) {
  return kind != SOTTO_I_BY_CLASS && kind != SOTTO_I_BY_SUMS;
}

size_t sotto_i_pilots_stages(sotto_i_pilot_stage out[SOTTO_I_STAGES], const sotto_i_pilots *p) {
  static const sotto_i_pilot_stage order[] = {
      SOTTO_I_STAGE_CLASS,  SOTTO_I_STAGE_FEATURES,  SOTTO_I_STAGE_DIRECTIONS, SOTTO_I_STAGE_SUMS,
      SOTTO_I_STAGE_SURVEY, SOTTO_I_STAGE_TRANSFERS, SOTTO_I_STAGE_KINDS};
  size_t count = 0;
  for (size_t i = 0; i < sizeof order / sizeof *order; i++)
    if (p->count[order[i]] > 0) out[count++] = order[i];
  out[count++] = SOTTO_I_STAGE_OTHERS;
  return count;
}

sotto_i_cluster_kind sotto_i_pilots_kind(sotto_i_pilot_stage stage) {
  if (stage == SOTTO_I_STAGE_TRANSFERS) return SOTTO_I_BY_TRANSFERS;
  if (stage == SOTTO_I_STAGE_KINDS) return SOTTO_I_BY_KINDS;
  if (stage == SOTTO_I_STAGE_SUMS || stage == SOTTO_I_STAGE_DIRECTIONS) return SOTTO_I_BY_SUMS;
  return stage == SOTTO_I_STAGE_FEATURES ? SOTTO_I_BY_FEATURES : SOTTO_I_BY_CLASS;
}

sotto_i_pilot_stage sotto_i_pilots_stage(sotto_i_cluster_kind kind) {
  if (kind == SOTTO_I_BY_TRANSFERS) return SOTTO_I_STAGE_TRANSFERS;
  if (kind == SOTTO_I_BY_KINDS) return SOTTO_I_STAGE_KINDS;
  if (kind == SOTTO_I_BY_SUMS) return SOTTO_I_STAGE_SUMS;
  return kind == SOTTO_I_BY_FEATURES ? SOTTO_I_STAGE_FEATURES : SOTTO_I_STAGE_CLASS;
}

static size_t larger(size_t a, size_t b) {
  return a > b ? a : b;
}

static sotto_status draw_group(sotto_i_pilots *out, sotto_i_pilot_stage stage, const uint32_t *from,
                               sotto_error *err) {
  const size_t count = out->count[stage];
  const sotto_status status = sotto_i_new_raw(&out->nodes[stage], count, sizeof *from, err);
  if (status != SOTTO_OK) return status;
  memcpy(out->nodes[stage], from, count * sizeof *from);
  for (size_t i = 0; i < count; i++) out->group[from[i]] = (uint8_t)stage;
  return SOTTO_OK;
}

bool sotto_i_can_learn_directions(const sotto_i_parted *parted, size_t classes) {
  const size_t all = parted->split.count[SOTTO_PART_TRAIN], tenth = all / one_in;
  size_t least = all;
  for (size_t c = 0; c < classes; c++) {
    size_t members = 0;
    for (size_t i = 0; i < all; i++) members += (size_t)parted->labels[SOTTO_PART_TRAIN][i] == c;
    if (members < least) least = members;
  }
  return all >= SOTTO_I_LEAST_SUM_NODES &&
         (double)least * (double)(tenth < most ? tenth : most) >= least_members * (double)all;
}

/* In the order in which their nodes are drawn. */
static const sotto_i_pilot_stage groups[] = {
    SOTTO_I_STAGE_CLASS,     SOTTO_I_STAGE_FEATURES, SOTTO_I_STAGE_DIRECTIONS, SOTTO_I_STAGE_SUMS,
    SOTTO_I_STAGE_TRANSFERS, SOTTO_I_STAGE_KINDS,    SOTTO_I_STAGE_SURVEY};

bool sotto_i_pilots_sizes(size_t out[SOTTO_I_STAGES], size_t training, sotto_i_cluster_choice choice) {
  const size_t tenth = training / one_in, whole = tenth < most ? tenth : most;
  const size_t count = choice.transfers ? larger((choice.kinds ? 3 : 4) * whole / 5, least_pilots) : whole;
  memset(out, 0, SOTTO_I_STAGES * sizeof *out);
  if (training < enough || (!choice.features && !choice.transfers && !choice.sums && !choice.alone))
    return false;
  out[SOTTO_I_STAGE_CLASS] = count;
  if (choice.features)
    out[SOTTO_I_STAGE_FEATURES] = choice.transfers ? larger(whole / 4, least_pilots) : whole;
  if (choice.sums) out[SOTTO_I_STAGE_DIRECTIONS] = whole;
  if (choice.sums) out[SOTTO_I_STAGE_SUMS] = larger(2 * whole / 5, least_pilots);
  if (choice.transfers) out[SOTTO_I_STAGE_TRANSFERS] = count;
  if (choice.kinds) out[SOTTO_I_STAGE_KINDS] = count;
  if (choice.transfers) out[SOTTO_I_STAGE_SURVEY] = larger(whole / 10, least_surveyed);
  return true;
}

sotto_status sotto_i_pilots_draw(sotto_i_pilots *out, const sotto_i_job *job, const sotto_i_parted *parted,
                                 sotto_i_cluster_choice choice, sotto_error *err) {
  const uint32_t *next;
  uint32_t *order = NULL;
  sotto_status status;
  *out = (sotto_i_pilots){.apart = choice.apart};
  if (!sotto_i_pilots_sizes(out->count, parted->split.count[SOTTO_PART_TRAIN], choice)) return SOTTO_OK;
  SOTTO_TRY(sotto_i_training_order(&order, job, parted, purpose, err));
  out->all = job->data->graph.nodes;
  SOTTO_TRY(sotto_i_new(&out->group, out->all, sizeof *out->group, err));
  next = order;
  for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
    if (out->count[groups[i]] == 0) continue;
    SOTTO_TRY(draw_group(out, groups[i], next, err));
    next += out->count[groups[i]];
  }
done:
  sotto_i_free(order);
  return status;
}

/* Of sums: pilots, or nodes from which the directions are learnt. */
static bool is_of_sums(const sotto_i_pilots *p, size_t v) {
  return p->group[v] == SOTTO_I_STAGE_SUMS || p->group[v] == SOTTO_I_STAGE_DIRECTIONS;
}

void sotto_i_pilots_levels(uint8_t *levels, size_t nodes, const sotto_i_pilots *p,
                           sotto_i_pilot_stage stage) {
  for (size_t v = 0; v < nodes; v++) {
    const bool sums = is_of_sums(p, v);
    if (p->group[v] == (uint8_t)stage)
      levels[v] = sums ? SOTTO_I_PILOT_TWICE : SOTTO_I_PILOT;
    else
      levels[v] = sums ? SOTTO_I_UNCOUNTED : SOTTO_I_DEAF;
  }
}

static void set_pilots(uint8_t *levels, size_t nodes, const sotto_i_pilots *p, uint8_t level) {
  for (size_t v = 0; v < nodes; v++)
    if (p->group[v] != 0) levels[v] = level;
}

void sotto_i_pilots_spent(uint8_t *levels, size_t nodes, const sotto_i_pilots *p) {
  set_pilots(levels, nodes, p, SOTTO_I_SPENT);
  for (size_t v = 0; v < nodes; v++)
    if (p->group[v] != 0 && is_of_sums(p, v)) levels[v] = SOTTO_I_UNCOUNTED;
}

void sotto_i_pilots_deaf(uint8_t *levels, size_t nodes, const sotto_i_pilots *p) {
  set_pilots(levels, nodes, p, SOTTO_I_DEAF);
}

/* An outlier must not decide the loss of a row. */
static double clip(double x) {
  return fmax(-3, fmin(3, x));
}

/* out, of one row a pilot: a column of 1, and a and b, which have one a pilot; b may be NULL. The columns
 * after the first are standardised. */
static void fill_rows(sotto_matrix *out, const sotto_matrix *a, const sotto_matrix *b) {
  const size_t count = out->rows, cols = out->cols;
  for (size_t i = 0; i < count; i++) {
    float *row = out->data + i * cols;
    row[0] = 1;
    for (size_t j = 0; j < a->cols; j++) row[1 + j] = a->data[i * a->cols + j];
    for (size_t j = 0; b != NULL && j < b->cols; j++) row[1 + a->cols + j] = b->data[i * b->cols + j];
  }
  for (size_t j = 1; j < cols; j++) {
    double mean = 0, square = 0;
    for (size_t i = 0; i < count; i++) mean += (double)out->data[i * cols + j] / (double)count;
    for (size_t i = 0; i < count; i++)
      square += pow((double)out->data[i * cols + j] - mean, 2) / (double)count;
    for (size_t i = 0; i < count; i++) {
      float *x = out->data + i * cols + j;
      *x = square > 1e-12 ? (float)clip(((double)*x - mean) / sqrt(square)) : 0;
    }
  }
}

static void note_gain(sotto_i_pilots *p, sotto_i_cluster_kind kind, const double *losses) {
  const size_t pilots = p->count[sotto_i_pilots_stage(kind)];
  const double count = (double)pilots;
  double mean = 0, square = 0;
  for (size_t i = 0; i < pilots; i++) mean += losses[i] / count;
  for (size_t i = 0; i < pilots; i++) square += pow(losses[i] - mean, 2) / count;
  p->gain[kind] = mean;
  p->deviation[kind] = sqrt(square / count);
}

/* out (fresh): the labels of these training nodes. */
static sotto_status labels_of(int32_t **out, const uint32_t *nodes, size_t count, size_t all,
                              const sotto_i_parted *parted, sotto_error *err) {
  int32_t *labels = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&labels, all, sizeof *labels, err));
  SOTTO_TRY(sotto_i_new_raw(out, count, sizeof **out, err));
  for (size_t i = 0; i < parted->split.count[SOTTO_PART_TRAIN]; i++)
    labels[parted->split.rows[SOTTO_PART_TRAIN][i]] = parted->labels[SOTTO_PART_TRAIN][i];
  for (size_t i = 0; i < count; i++) (*out)[i] = labels[nodes[i]];
done:
  sotto_i_free(labels);
  return status;
}

/* losses += sign * those of this kind's pilots, by what was read of their counts too unless it is NULL. */
static sotto_status add_losses(double *losses, const sotto_i_pilots *p, sotto_i_cluster_kind kind,
                               const sotto_matrix *base, const sotto_matrix *read, const int32_t *labels,
                               double sign, sotto_error *err) {
  const sotto_i_pilot_stage stage = sotto_i_pilots_stage(kind);
  const size_t cols = 1 + base->cols + (read != NULL ? read->cols : 0);
  sotto_i_softmax_ridge r = {
      .labels = labels, .classes = base->cols, .from = cols, .pull = pull, .pull_from = pull};
  const sotto_status status = sotto_i_softmax_ridge_new(&r, p->count[stage], cols, err);
  if (status == SOTTO_OK) {
    fill_rows(&r.x, base, read);
    sotto_i_softmax_ridge_losses(losses, &r, sign);
  }
  sotto_i_softmax_ridge_free(&r);
  return status;
}

sotto_status sotto_i_pilots_measure(sotto_i_pilots *p, sotto_i_cluster_kind kind, const sotto_matrix *base,
                                    const sotto_matrix *read, const sotto_i_parted *parted,
                                    sotto_error *err) {
  const size_t count = p->count[sotto_i_pilots_stage(kind)];
  double *losses = NULL;
  int32_t *own = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_table_join(&p->read[kind], read, &(sotto_matrix){0}, err));
  SOTTO_TRY(sotto_i_new(&losses, count, sizeof *losses, err));
  SOTTO_TRY(labels_of(&own, p->nodes[sotto_i_pilots_stage(kind)], count, p->all, parted, err));
  SOTTO_TRY(add_losses(losses, p, kind, base, NULL, own, 1, err));
  SOTTO_TRY(add_losses(losses, p, kind, base, read, own, -1, err));
  note_gain(p, kind, losses);
done:
  sotto_i_free(losses);
  sotto_i_free(own);
  return status;
}

/* What a class's weight of a column of sums is for the features themselves. */
static void fill_directions(sotto_matrix *out, const sotto_i_softmax_ridge *r, const sotto_matrix *sums) {
  const size_t cols = r->x.cols;
  for (size_t j = 0; j < sums->cols; j++) {
    const float *w = r->weights.data + r->from + j;
    double mean = 0, square = 0;
    for (size_t i = 0; i < sums->rows; i++)
      mean += (double)sums->data[i * sums->cols + j] / (double)sums->rows;
    for (size_t i = 0; i < sums->rows; i++)
      square += pow((double)sums->data[i * sums->cols + j] - mean, 2) / (double)sums->rows;
    const double unit = square > 1e-12 ? sqrt(square) : INFINITY;
    for (size_t c = 0; c < out->cols; c++)
      out->data[j * out->cols + c] =
          (float)(((double)w[c * cols] - (out->cols == 1 ? (double)w[cols] : 0)) / unit);
  }
}

static sotto_status fit_directions(sotto_matrix *out, const sotto_matrix *base, const sotto_matrix *sums,
                                   const int32_t *labels, float pull_of_sums, sotto_error *err) {
  sotto_i_softmax_ridge r = {.labels = labels,
                             .classes = base->cols,
                             .from = 1 + base->cols,
                             .pull = pull,
                             .pull_from = pull_of_sums};
  const sotto_status status = sotto_i_softmax_ridge_new(&r, sums->rows, r.from + sums->cols, err);
  if (status == SOTTO_OK) {
    fill_rows(&r.x, base, sums);
    sotto_i_softmax_ridge_fit(&r, SOTTO_I_FIFTHS); /* no fifth is left out */
    fill_directions(out, &r, sums);
  }
  sotto_i_softmax_ridge_free(&r);
  return status;
}

sotto_status sotto_i_pilots_learn(sotto_matrix *out, const sotto_matrix *base, const sotto_matrix *counts,
                                  const int32_t *labels, sotto_error *err) {
  return fit_directions(out, base, counts, labels, pull, err);
}

sotto_status sotto_i_pilots_directions(sotto_matrix *out, const sotto_i_pilots *p, sotto_i_pilot_stage stage,
                                       const sotto_matrix *base, const sotto_matrix *sums,
                                       const sotto_i_parted *parted, sotto_error *err) {
  int32_t *own = NULL;
  sotto_status status;
  SOTTO_TRY(labels_of(&own, p->nodes[stage], p->count[stage], p->all, parted, err));
  SOTTO_TRY(fit_directions(out, base, sums, own,
                           stage == SOTTO_I_STAGE_DIRECTIONS ? pull_of_directions : pull, err));
done:
  sotto_i_free(own);
  return status;
}

void sotto_i_pilots_listen(uint8_t *levels, const sotto_i_pilots *p, sotto_i_cluster_kind kind) {
  const sotto_i_pilot_stage stage = sotto_i_pilots_stage(kind);
  for (size_t i = 0; i < p->count[stage]; i++) levels[p->nodes[stage][i]] = SOTTO_I_PILOT;
}

void sotto_i_pilots_join(sotto_matrix *inputs, size_t column, const sotto_i_rank_rows *held,
                         const sotto_i_pilots *p, sotto_i_cluster_kind kind) {
  const sotto_matrix *read = &p->read[kind];
  for (size_t i = 0; i < p->count[sotto_i_pilots_stage(kind)]; i++) {
    const uint32_t v = p->nodes[sotto_i_pilots_stage(kind)][i];
    size_t row = v;
    if (held == NULL || sotto_i_rank_rows_find(&row, held, v))
      memcpy(inputs->data + row * inputs->cols + column, read->data + i * read->cols,
             read->cols * sizeof(float));
  }
}

/* Features chosen by chance cost much where classes say much, and where features do say more they are better
 * by far more than two errors. Of transfers and classes a wrong choice costs as much either way, and
 * transfers that tell the class often are better by less than one error (docs/methods.md). Sums are tried
 * where classes say little, and then a wrong choice costs little. */
double sotto_i_pilots_margin(sotto_i_cluster_kind kind) {
  if (kind == SOTTO_I_BY_SUMS) return 1;
  return kind == SOTTO_I_BY_FEATURES ? 2 : 0.5;
}

/* Where each owner counts by its own features, these are better by one or two errors where classes say
 * nothing (docs/vfgnn.md). */
static double margin_of(const sotto_i_pilots *p, sotto_i_cluster_kind kind) {
  return kind == SOTTO_I_BY_FEATURES && p->apart ? 1 : sotto_i_pilots_margin(kind);
}

static bool is_better(const sotto_i_pilots *p, sotto_i_cluster_kind kind) {
  const double error = hypot(p->deviation[SOTTO_I_BY_CLASS], p->deviation[kind]);
  return p->gain[kind] > 0 && p->gain[kind] - p->gain[SOTTO_I_BY_CLASS] > margin_of(p, kind) * error;
}

bool sotto_i_pilots_suffice(const sotto_i_pilots *p) {
  return p->gain[SOTTO_I_BY_CLASS] > 2 * p->deviation[SOTTO_I_BY_CLASS];
}

sotto_i_cluster_kind sotto_i_pilots_choose(const sotto_i_pilots *p) {
  sotto_i_cluster_kind best = SOTTO_I_BY_CLASS;
  for (sotto_i_cluster_kind kind = SOTTO_I_BY_FEATURES; kind < SOTTO_I_CLUSTER_KINDS; kind++)
    if (is_better(p, kind) && (best == SOTTO_I_BY_CLASS || p->gain[kind] > p->gain[best])) best = kind;
  return best;
}
