/* Choice of the clusters by which neighbours are counted, on a few nodes. */
#include "pilots.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "table.h"
#include "training_part.h"
#include "unsure.h"

enum { least_pilots = 100, least_surveyed = 50, least_members = 50 };
/* Ridges: of most weights, and of those of sums, which are many columns of little signal each. */
static const double pull = 30, pull_of_directions = 300;
enum { enough = 1000, most = 1000, one_in = 10, purpose = 7001, fifths = 5, steps = 300 };

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
    if (p->nodes[order[i]] != NULL) out[count++] = order[i];
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

sotto_status sotto_i_pilots_draw(sotto_i_pilots *out, const sotto_i_job *job, const sotto_i_parted *parted,
                                 sotto_i_cluster_choice choice, sotto_error *err) {
  const size_t tenth = parted->split.count[SOTTO_PART_TRAIN] / one_in, whole = tenth < most ? tenth : most;
  const size_t count = choice.transfers ? larger((choice.kinds ? 3 : 4) * whole / 5, least_pilots) : whole;
  const struct {
    sotto_i_pilot_stage stage;
    bool there;
    size_t count;
  } groups[] = {
      {SOTTO_I_STAGE_CLASS, true, count},
      {SOTTO_I_STAGE_FEATURES, choice.features, choice.transfers ? larger(whole / 4, least_pilots) : whole},
      {SOTTO_I_STAGE_DIRECTIONS, choice.sums, whole},
      {SOTTO_I_STAGE_SUMS, choice.sums, larger(2 * whole / 5, least_pilots)},
      {SOTTO_I_STAGE_TRANSFERS, choice.transfers, count},
      {SOTTO_I_STAGE_KINDS, choice.kinds, count},
      {SOTTO_I_STAGE_SURVEY, choice.transfers, larger(whole / 10, least_surveyed)}};
  const uint32_t *next;
  uint32_t *order = NULL;
  sotto_status status;
  *out = (sotto_i_pilots){.group = NULL};
  if (!sotto_i_can_choose(parted) || (!choice.features && !choice.transfers && !choice.sums && !choice.alone))
    return SOTTO_OK;
  SOTTO_TRY(sotto_i_training_order(&order, job, parted, purpose, err));
  SOTTO_TRY(sotto_i_new(&out->group, job->data->graph.nodes, sizeof *out->group, err));
  next = order;
  for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
    if (!groups[i].there) continue;
    out->count[groups[i].stage] = groups[i].count;
    SOTTO_TRY(draw_group(out, groups[i].stage, next, err));
    next += groups[i].count;
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

/* Softmax regression of `count` rows: x is count x cols, the weights classes x cols. Weights from column
 * `from` on are pulled to 0 by another ridge. */
typedef struct regression {
  const double *x;
  const int32_t *labels;
  size_t count, cols, classes, from;
  double pull_from;
  double *weights, *momentum, *gradient, *chances;
} regression;

/* chances = softmax(W x_i). */
static void predict(const regression *r, size_t i) {
  double largest = -INFINITY, total = 0;
  for (size_t c = 0; c < r->classes; c++) {
    double sum = 0;
    for (size_t j = 0; j < r->cols; j++) sum += r->weights[c * r->cols + j] * r->x[i * r->cols + j];
    r->chances[c] = sum;
    largest = fmax(largest, sum);
  }
  for (size_t c = 0; c < r->classes; c++) total += r->chances[c] = exp(r->chances[c] - largest);
  for (size_t c = 0; c < r->classes; c++) r->chances[c] /= total;
}

/* Gradient descent with momentum on the ridge loss, without the rows of one fifth. Columns have variance 1,
 * so the curvature is at most about half their number. */
static void fit(regression *r, size_t fifth) {
  const size_t size = r->classes * r->cols;
  const double rate = 1 / (1 + 0.5 * (double)r->cols);
  memset(r->weights, 0, size * sizeof *r->weights);
  memset(r->momentum, 0, size * sizeof *r->momentum);
  for (int step = 0; step < steps; step++) {
    for (size_t k = 0; k < size; k++)
      r->gradient[k] = (k % r->cols < r->from ? pull : r->pull_from) * r->weights[k];
    for (size_t i = 0; i < r->count; i++) {
      if (i % fifths == fifth) continue;
      predict(r, i);
      r->chances[r->labels[i]] -= 1;
      for (size_t c = 0; c < r->classes; c++)
        for (size_t j = 0; j < r->cols; j++)
          r->gradient[c * r->cols + j] += r->chances[c] * r->x[i * r->cols + j];
    }
    for (size_t k = 0; k < size; k++) {
      r->momentum[k] = 0.9 * r->momentum[k] - rate * r->gradient[k] / (double)r->count;
      r->weights[k] += r->momentum[k];
    }
  }
}

/* losses[i] += sign * the loss of row i, by the regression that did not see it. */
static void add_losses(double *losses, regression *r, double sign) {
  for (size_t fifth = 0; fifth < fifths; fifth++) {
    fit(r, fifth);
    for (size_t i = fifth; i < r->count; i += fifths) {
      predict(r, i);
      losses[i] -= sign * log(fmax(r->chances[r->labels[i]], 1e-9));
    }
  }
}

/* An outlier must not decide the loss of a row. */
static double clip(double x) {
  return fmax(-3, fmin(3, x));
}

/* out: the pilots' rows of a, which has one a node, and of b, which has one a pilot; columns standardised,
 * after a column of 1. */
static void fill_rows(double *out, const uint32_t *nodes, size_t count, const sotto_matrix *a,
                      const sotto_matrix *b) {
  const size_t cols = 1 + a->cols + (b != NULL ? b->cols : 0);
  for (size_t i = 0; i < count; i++) {
    double *row = out + i * cols;
    row[0] = 1;
    for (size_t j = 0; j < a->cols; j++) row[1 + j] = (double)a->data[nodes[i] * a->cols + j];
    for (size_t j = 0; b != NULL && j < b->cols; j++) row[1 + a->cols + j] = (double)b->data[i * b->cols + j];
  }
  for (size_t j = 1; j < cols; j++) {
    double mean = 0, square = 0;
    for (size_t i = 0; i < count; i++) mean += out[i * cols + j] / (double)count;
    for (size_t i = 0; i < count; i++) square += pow(out[i * cols + j] - mean, 2) / (double)count;
    for (size_t i = 0; i < count; i++)
      out[i * cols + j] = square > 1e-12 ? clip((out[i * cols + j] - mean) / sqrt(square)) : 0;
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

/* `room` has classes * (3 * wide + 1) numbers. */
static void place(regression *r, double *room, size_t wide) {
  r->weights = room;
  r->momentum = room + r->classes * wide;
  r->gradient = room + 2 * r->classes * wide;
  r->chances = room + 3 * r->classes * wide;
}

sotto_status sotto_i_pilots_measure(sotto_i_pilots *p, sotto_i_cluster_kind kind, const sotto_matrix *base,
                                    const sotto_matrix *read, const sotto_i_parted *parted,
                                    sotto_error *err) {
  const size_t count = p->count[sotto_i_pilots_stage(kind)], classes = base->cols;
  const size_t wide = 1 + base->cols + read->cols;
  const uint32_t *nodes = p->nodes[sotto_i_pilots_stage(kind)];
  double *x = NULL, *losses = NULL, *room = NULL;
  int32_t *own = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_table_join(&p->read[kind], read, &(sotto_matrix){0}, err));
  SOTTO_TRY(sotto_i_new_raw(&x, count * wide, sizeof *x, err));
  SOTTO_TRY(sotto_i_new(&losses, count, sizeof *losses, err));
  SOTTO_TRY(labels_of(&own, nodes, count, base->rows, parted, err));
  SOTTO_TRY(sotto_i_new_raw(&room, classes * (3 * wide + 1), sizeof *room, err));
  regression r = {.x = x, .labels = own, .count = count, .classes = classes, .pull_from = pull};
  place(&r, room, wide);
  for (int with = 0; with < 2; with++) {
    r.cols = with == 1 ? wide : 1 + base->cols;
    fill_rows(x, nodes, count, base, with == 1 ? read : NULL);
    add_losses(losses, &r, with == 1 ? -1 : 1);
  }
  note_gain(p, kind, losses);
done:
  sotto_i_free(x);
  sotto_i_free(losses);
  sotto_i_free(own);
  sotto_i_free(room);
  return status;
}

/* What a class's weight of a column of sums is for the features themselves. */
static void fill_directions(sotto_matrix *out, const regression *r, const sotto_matrix *sums) {
  for (size_t j = 0; j < sums->cols; j++) {
    const double *w = r->weights + r->from + j;
    double mean = 0, square = 0;
    for (size_t i = 0; i < sums->rows; i++)
      mean += (double)sums->data[i * sums->cols + j] / (double)sums->rows;
    for (size_t i = 0; i < sums->rows; i++)
      square += pow((double)sums->data[i * sums->cols + j] - mean, 2) / (double)sums->rows;
    const double unit = square > 1e-12 ? sqrt(square) : INFINITY;
    for (size_t c = 0; c < out->cols; c++)
      out->data[j * out->cols + c] = (float)((w[c * r->cols] - (out->cols == 1 ? w[r->cols] : 0)) / unit);
  }
}

sotto_status sotto_i_pilots_directions(sotto_matrix *out, const sotto_i_pilots *p, const sotto_matrix *base,
                                       const sotto_matrix *sums, const sotto_i_parted *parted,
                                       sotto_error *err) {
  const size_t count = p->count[SOTTO_I_STAGE_DIRECTIONS], wide = 1 + base->cols + sums->cols;
  const uint32_t *nodes = p->nodes[SOTTO_I_STAGE_DIRECTIONS];
  double *x = NULL, *room = NULL;
  int32_t *own = NULL;
  regression r = {.count = count, .cols = wide, .classes = base->cols, .from = 1 + base->cols};
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&x, count * wide, sizeof *x, err));
  SOTTO_TRY(labels_of(&own, nodes, count, base->rows, parted, err));
  SOTTO_TRY(sotto_i_new_raw(&room, r.classes * (3 * wide + 1), sizeof *room, err));
  place(&r, room, wide);
  r.x = x;
  r.labels = own;
  r.pull_from = pull_of_directions;
  fill_rows(x, nodes, count, base, sums);
  fit(&r, fifths); /* no fifth is left out */
  fill_directions(out, &r, sums);
done:
  sotto_i_free(x);
  sotto_i_free(own);
  sotto_i_free(room);
  return status;
}

void sotto_i_pilots_join(sotto_matrix *inputs, size_t column, uint8_t *levels, const sotto_i_pilots *p,
                         sotto_i_cluster_kind kind) {
  const sotto_matrix *read = &p->read[kind];
  for (size_t i = 0; i < p->count[sotto_i_pilots_stage(kind)]; i++) {
    const uint32_t v = p->nodes[sotto_i_pilots_stage(kind)][i];
    memcpy(inputs->data + v * inputs->cols + column, read->data + i * read->cols, read->cols * sizeof(float));
    levels[v] = SOTTO_I_PILOT;
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

static bool is_better(const sotto_i_pilots *p, sotto_i_cluster_kind kind) {
  const double error = hypot(p->deviation[SOTTO_I_BY_CLASS], p->deviation[kind]);
  return p->gain[kind] > 0 && p->gain[kind] - p->gain[SOTTO_I_BY_CLASS] > sotto_i_pilots_margin(kind) * error;
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
