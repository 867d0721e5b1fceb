/* Counts on a made graph, node by node: each draws its neighbours by itself. */
#include "made_counts.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "counts.h"
#include "feature_sums.h"
#include "inside/dp.h"
#include "nn/readings.h"
#include "pilots.h"
#include "transfer_weights.h"
#include "unsure.h"

sotto_i_made_graph sotto_i_made_usual(size_t classes, double rarest) {
  const double share = classes == 2 ? rarest : 1 / (double)classes, times = 4;
  const double among = times * share / (times * share + 1 - share);
  return (sotto_i_made_graph){.degree = 8, .homophily = (among - share) / (1 - share)};
}

enum { most_nodes = 10000, most_products = 4000000, most_neighbours = 1000, purpose = 7002 };

void sotto_i_made_nodes_free(sotto_i_made_nodes *n) {
  sotto_i_clusters_free(&n->clusters);
  sotto_i_free(n->plain);
  sotto_i_free(n->alike);
  sotto_i_free(n->nodes);
  sotto_i_free(n->labels);
  sotto_i_free(n->members);
  sotto_i_free(n->from);
  *n = (sotto_i_made_nodes){.rounds = NULL};
}

static bool is_pilot(const sotto_i_rounds *r, uint32_t node) {
  return r->pilots.group != NULL && r->pilots.group[node] != 0;
}

/* The members of each class, part by part. */
static void fill_members(sotto_i_made_nodes *n, size_t classes) {
  const sotto_i_parted *shown = n->rounds->shown;
  size_t at = 0;
  for (size_t c = 0; c < classes; c++) {
    n->from[c] = at;
    for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_VALIDATION; part++) {
      if (part == SOTTO_PART_VALIDATION) n->middle[c] = at;
      for (size_t i = 0; i < shown->split.count[part]; i++)
        if ((size_t)shown->labels[part][i] == c && !is_pilot(n->rounds, shown->split.rows[part][i]))
          n->members[at++] = shown->split.rows[part][i];
    }
  }
  n->from[classes] = n->all = at;
  n->rarest = 1;
  for (size_t c = 0; c < classes; c++) {
    const double share = (double)(n->from[c + 1] - n->from[c]) / fmax(1, (double)n->all);
    if (share < n->rarest) n->rare = c;
    n->rarest = fmin(n->rarest, share);
  }
}

/* Which class the member at this place is of. */
static size_t class_at(const sotto_i_made_nodes *n, size_t classes, size_t at) {
  size_t low = 0, high = classes;
  while (high - low > 1) {
    const size_t half = (low + high) / 2;
    *(n->from[half] <= at ? &low : &high) = half;
  }
  return low;
}

static sotto_status draw_nodes(sotto_i_made_nodes *n, size_t classes, sotto_error *err) {
  sotto_i_random random;
  sotto_key key, seed;
  uint32_t *order = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&order, n->all, sizeof *order, err));
  for (size_t i = 0; i < n->all; i++) order[i] = (uint32_t)i;
  sotto_i_job_key(&seed, n->rounds->job);
  sotto_i_key_derive(&key, &seed, purpose);
  sotto_i_random_init(&random, &key, SOTTO_I_PURPOSE_SPLIT, purpose, 0);
  sotto_i_random_shuffle(&random, order, n->all);
  const size_t most =
      (size_t)fmax(1000, fmin(most_nodes, (double)most_products / (double)(classes * classes)));
  n->count = n->all < most ? n->all : most;
  SOTTO_TRY(sotto_i_new_raw(&n->nodes, n->count, sizeof *n->nodes, err));
  SOTTO_TRY(sotto_i_new_raw(&n->labels, n->count, sizeof *n->labels, err));
  for (size_t i = 0; i < n->count; i++) {
    n->nodes[i] = n->members[order[i]];
    n->labels[i] = (int32_t)class_at(n, classes, order[i]);
  }
done:
  sotto_i_free(order);
  return status;
}

/* The levels of sums of weights (rounds.c): training nodes count least, and all others alike. */
static sotto_status find_alike(sotto_i_made_nodes *n, sotto_error *err) {
  const sotto_i_rounds *r = n->rounds;
  const sotto_split *split = &r->shown->split;
  double expected[SOTTO_I_LEVELS];
  const sotto_status status = sotto_i_new_raw(&n->alike, r->first->rows, sizeof *n->alike, err);
  if (status != SOTTO_OK) return status;
  sotto_i_levels_alike(n->alike, r->first->rows, split->rows[SOTTO_PART_TRAIN],
                       split->count[SOTTO_PART_TRAIN]);
  if (r->pilots.group != NULL) sotto_i_pilots_spent(n->alike, r->first->rows, &r->pilots);
  sotto_i_counts_expected(expected, n->alike, r->first->rows);
  n->times = fmax(expected[SOTTO_I_ALIKE], 1e-3);
  return SOTTO_OK;
}

sotto_status sotto_i_made_nodes_new(sotto_i_made_nodes *out, const sotto_i_rounds *r, sotto_error *err) {
  const size_t classes = r->first->cols, *count = r->shown->split.count;
  sotto_status status;
  *out = (sotto_i_made_nodes){.rounds = r};
  out->trained = (double)count[SOTTO_PART_TRAIN] / (double)r->first->rows;
  SOTTO_TRY(sotto_i_rounds_clusters(&out->clusters, r, err));
  SOTTO_TRY(sotto_i_unsure_above(&out->plain, r->first, r->scale.surest, err));
  SOTTO_TRY(sotto_i_new(&out->members, count[SOTTO_PART_TRAIN] + count[SOTTO_PART_VALIDATION],
                        sizeof *out->members, err));
  SOTTO_TRY(sotto_i_new(&out->from, 2 * classes + 1, sizeof *out->from, err));
  out->middle = out->from + classes + 1;
  fill_members(out, classes);
  SOTTO_TRY(draw_nodes(out, classes, err));
  SOTTO_TRY(find_alike(out, err));
done:
  return status;
}

/* A node of a class: one that trains as often as one does among all nodes. */
static uint32_t draw_member(const sotto_i_made_nodes *n, size_t class, sotto_i_random *random) {
  const size_t from = n->from[class], middle = n->middle[class], end = n->from[class + 1];
  const bool trains = sotto_i_random_double(random) < n->trained;
  const bool first = (trains && middle > from) || middle == end;
  const size_t low = first ? from : middle, high = first ? middle : end;
  return n->members[low + sotto_i_random_below(random, high - low)];
}

/* In which of the draw's cells a relation between these two classes is. */
static size_t draw_cell(const sotto_i_made_nodes *n, const sotto_i_made_draw *d, size_t any, size_t label,
                        size_t other, sotto_i_random *random) {
  const bool rare = label == n->rare || other == n->rare;
  if (!(rare && sotto_i_random_double(random) < d->apart)) return any;
  return sotto_i_random_double(random) < 0.5 ? 0 : d->cells / 2;
}

/* Adds one neighbour of a node with this label and level. */
static void add_neighbour(float *row, const sotto_i_made_nodes *n, const sotto_i_made_draw *d, size_t label,
                          uint8_t level, sotto_i_random *random) {
  const size_t classes = n->clusters.count;
  const bool own = sotto_i_random_double(random) < d->graph.homophily;
  const size_t other = class_at(n, classes, sotto_i_random_below(random, n->all));
  const size_t any = d->cells > 0 ? sotto_i_random_below(random, d->cells) : 0;
  const bool of_class = own && (d->cells == 0 || d->weights != NULL || d->apart > 0);
  const uint32_t u = draw_member(n, of_class ? label : other, random);
  size_t cell = d->cells == 0 ? n->clusters.of[u] : own ? label % d->cells : any;
  if (d->apart > 0 && d->cells > 0) cell = draw_cell(n, d, any, label, of_class ? label : other, random);
  if (d->weights == NULL)
    row[cell] += sotto_i_counts_weight(level, n->rounds->levels[u]);
  else
    sotto_i_feature_sums_add(row, d->weights->data + cell * d->weights->cols + n->clusters.of[u], 1,
                             sotto_i_counts_weight(level, n->alike[u]));
}

/* A geometric number: that of failures where each has this probability. */
static double draw_geometric(double failure, sotto_i_random *random) {
  return floor(log(1 - sotto_i_random_double(random)) / log(failure));
}

static size_t cols_of(const sotto_i_made_nodes *n, const sotto_i_made_draw *d) {
  if (d->weights != NULL) return 1;
  return d->cells > 0 ? d->cells : n->clusters.count;
}

bool sotto_i_made_hears(const sotto_i_made_nodes *n, const sotto_i_made_draw *d, size_t place) {
  return d->pilots || d->weights != NULL || n->plain[n->nodes[place]] != SOTTO_I_DEAF;
}

static uint8_t level_of(const sotto_i_made_nodes *n, const sotto_i_made_draw *d, size_t place) {
  if (d->weights != NULL) return SOTTO_I_ALIKE;
  return d->pilots ? SOTTO_I_PILOT : n->plain[n->nodes[place]];
}

/* One node's counts. Noise has the plan's law; it hides nothing, so its key may be public. */
static void fill_row(float *row, const sotto_i_made_nodes *n, const sotto_i_made_draw *d, size_t i,
                     const sotto_key *key) {
  sotto_i_random random;
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_GENERATE, d->number, i);
  const uint8_t level = level_of(n, d, i);
  const double mean = d->graph.degree, failure = d->noise == NULL ? 0 : exp(-1 / d->noise->scale);
  const size_t degree = (size_t)fmin(draw_geometric(mean / (1 + mean), &random), most_neighbours);
  for (size_t k = 0; k < degree && level != SOTTO_I_DEAF; k++)
    add_neighbour(row, n, d, (size_t)n->labels[i], level, &random);
  for (size_t j = 0; j < cols_of(n, d) && d->noise != NULL; j++)
    row[j] += (float)(draw_geometric(failure, &random) - draw_geometric(failure, &random));
}

/* How often the node at this place counts a neighbour. */
static double times_of(const sotto_i_made_nodes *n, const sotto_i_made_draw *d, size_t place) {
  if (d->weights != NULL) return n->times;
  return d->pilots ? 1 : fmax(n->rounds->expected[n->plain[n->nodes[place]]], 1e-3);
}

sotto_status sotto_i_made_counts(sotto_matrix *x, const sotto_i_made_nodes *n, const sotto_i_made_draw *d,
                                 sotto_error *err) {
  const size_t cols = cols_of(n, d);
  const double one = d->weights != NULL ? SOTTO_I_SUM_UNITS : 1;
  const double unit = d->noise != NULL ? sotto_i_laplace_deviation(d->noise) : one;
  sotto_key key, seed;
  sotto_status status;
  sotto_i_job_key(&seed, n->rounds->job);
  sotto_i_key_derive(&key, &seed, purpose);
  SOTTO_TRY(sotto_matrix_new(x, d->count, cols, err));
  for (size_t i = 0; i < d->count; i++) fill_row(x->data + i * cols, n, d, i, &key);
  for (size_t i = 0; i < d->count && !d->raw; i++) {
    const bool hears = sotto_i_made_hears(n, d, i);
    for (size_t j = 0; j < cols; j++) {
      float *cell = x->data + i * cols + j;
      *cell = hears ? (float)asinh((double)*cell / (times_of(n, d, i) * unit)) : 0;
    }
  }
done:
  return status;
}

/* numbers (fresh, cells or classes x 1): what a count of each says of the class, on made pilots. */
static sotto_status learn_numbers(sotto_matrix *numbers, const sotto_i_made_nodes *n,
                                  const sotto_i_made_draw *d, sotto_error *err) {
  sotto_matrix base = {0}, counts = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_take_rows(&base, n->rounds->first, n->nodes, d->count, err));
  SOTTO_TRY(sotto_i_made_counts(&counts, n, d, err));
  SOTTO_TRY(sotto_matrix_new(numbers, counts.cols, 1, err));
  SOTTO_TRY(sotto_i_pilots_learn(numbers, &base, &counts, n->labels, err));
done:
  sotto_matrix_free(&base);
  sotto_matrix_free(&counts);
  return status;
}

sotto_status sotto_i_made_weights(sotto_params **weights, const sotto_i_made_nodes *n,
                                  const sotto_i_made_draw *draw, size_t pilots, sotto_error *err) {
  sotto_matrix of_cells = {0}, of_classes = {0};
  sotto_i_made_draw d = *draw;
  sotto_status status;
  d.weights = NULL;
  d.pilots = d.raw = true;
  d.count = pilots < n->count ? pilots : n->count;
  SOTTO_TRY(learn_numbers(&of_cells, n, &d, err));
  d.cells = 0;
  d.number++;
  SOTTO_TRY(learn_numbers(&of_classes, n, &d, err));
  SOTTO_TRY(sotto_i_transfer_weights_new(weights, err));
  sotto_i_transfer_weights_set(sotto_params_value(*weights, 0), &of_cells, &of_classes,
                               sotto_i_transfer_weights_most(n->rounds->job->options));
done:
  sotto_matrix_free(&of_cells);
  sotto_matrix_free(&of_classes);
  return status;
}
