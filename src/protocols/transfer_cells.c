/* Cells of relations, and bins from a survey. */
#include "transfer_cells.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "feature_sums.h"
#include "unsure.h"

enum { directions = 2, octave = 4, amount_columns = 256, least_octave = -10, days_a_week = 7 };
/* From 1970 to 2070, in days since 2000-01-01. */
enum { first_day = -10957, time_columns = 5218 };
enum { counted_words = 2, time_words = SOTTO_I_TIME_BINS - 1 }; /* of bins that are kept */
static const double enough_kept = 0.8;

/* All transfers between two nodes. */
typedef struct relation {
  uint32_t low, high;
  bool there; /* false: an edge without transfers */
  bool up;    /* more goes from low to high than back; of equal amounts the latest decides */
  double amount, latest;
  size_t kind; /* of most of the amount; of equal ones the first */
} relation;

typedef void see(void *context, const relation *r);

static bool is_before(const sotto_transfers *t, uint64_t row, uint32_t low, uint32_t high) {
  const uint32_t a = t->sources[row] < t->targets[row] ? t->sources[row] : t->targets[row];
  const uint32_t b = t->sources[row] < t->targets[row] ? t->targets[row] : t->sources[row];
  return a < low || (a == low && b < high);
}

static size_t largest_of(const double *amounts) {
  size_t largest = 0;
  for (size_t k = 1; k < SOTTO_I_MOST_KINDS; k++)
    if (amounts[k] > amounts[largest]) largest = k;
  return largest;
}

/* Reads the rows of one relation, from *row on. Kinds of amount 0 count by their rows. */
static void read_relation(relation *r, const sotto_transfers *t, uint64_t *row) {
  double net = 0, of_kind[SOTTO_I_MOST_KINDS] = {0}, rows_of_kind[SOTTO_I_MOST_KINDS] = {0};
  bool last_up = true;
  while (*row < t->count && is_before(t, *row, r->low, r->high)) ++*row;
  for (; *row < t->count && is_before(t, *row, r->low, r->high + 1); ++*row) {
    const double amount = t->amounts != NULL ? (double)t->amounts[*row] : 1;
    last_up = t->sources[*row] == r->low;
    net += last_up ? amount : -amount;
    r->amount += amount;
    if (t->times != NULL) r->latest = r->there ? fmax(r->latest, t->times[*row]) : t->times[*row];
    if (t->kinds != NULL) of_kind[t->kinds[*row]] += amount;
    if (t->kinds != NULL) rows_of_kind[t->kinds[*row]]++;
    r->there = true;
  }
  r->kind = largest_of(r->amount > 0 ? of_kind : rows_of_kind);
  r->up = net > 0 || (net == 0 && last_up);
}

/* Each transfer by itself. */
static void see_apart(const sotto_transfers *t, see *each, void *context) {
  for (uint64_t row = 0; row < t->count; row++) {
    const bool up = t->sources[row] < t->targets[row];
    const relation r = {.low = up ? t->sources[row] : t->targets[row],
                        .high = up ? t->targets[row] : t->sources[row],
                        .there = true,
                        .up = up,
                        .amount = t->amounts != NULL ? (double)t->amounts[row] : 1,
                        .latest = t->times != NULL ? t->times[row] : 0,
                        .kind = t->kinds != NULL ? t->kinds[row] : 0};
    each(context, &r);
  }
}

/* All edges of the graph, ascending, in the order of the transfers; or all transfers. */
static void see_all(const sotto_i_relations *of, see *each, void *context) {
  const sotto_graph *graph = of->graph;
  uint64_t row = 0;
  if (of->apart) {
    see_apart(of->transfers, each, context);
    return;
  }
  for (uint64_t v = 0; v < graph->nodes; v++)
    for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) {
      if (graph->targets[e] <= v) continue;
      relation r = {.low = (uint32_t)v, .high = graph->targets[e]};
      read_relation(&r, of->transfers, &row);
      each(context, &r);
    }
}

bool sotto_i_has_transfers(const sotto_dataset *data) {
  return data->transfers.sources != NULL; /* not by their number, which follows from private edges */
}

bool sotto_i_has_kinds(const sotto_dataset *data) {
  return data->transfers.kinds != NULL;
}

sotto_status sotto_i_kind_bins(sotto_i_transfer_bins *out, const sotto_dataset *data, size_t cells,
                               sotto_error *err) {
  const size_t kinds = data->transfers.kinds == NULL ? 0 : (size_t)data->transfers.kind_names.count;
  *out = (sotto_i_transfer_bins){.amounts = 1, .times = 1, .kinds = kinds};
  if (kinds > 0 && (cells == 0 || cells == directions * kinds)) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID,
                      "%s: has %zu kinds of transfers, and the run counts neighbours by %zu; import it again "
                      "with the kinds that the schema of the training data lists",
                      data->name, kinds, cells / directions);
}

void sotto_i_transfer_bins_none(sotto_i_transfer_bins *out, const sotto_transfers *transfers, bool fine) {
  const size_t amounts = fine ? SOTTO_I_FINE_AMOUNT_BINS : SOTTO_I_AMOUNT_BINS;
  *out = (sotto_i_transfer_bins){.amounts = transfers->amounts != NULL ? amounts : 1,
                                 .times = transfers->times != NULL ? SOTTO_I_TIME_BINS : 1};
}

size_t sotto_i_transfer_cells(const sotto_i_transfer_bins *bins) {
  return bins->kinds > 0 ? directions * bins->kinds : directions * bins->amounts * bins->times;
}

size_t sotto_i_transfer_columns(const sotto_i_transfer_bins *bins) {
  return bins->weights != NULL ? 1 : sotto_i_transfer_cells(bins);
}

static size_t bin_of(double value, const double *from, size_t bins) {
  size_t bin = 0;
  while (bin + 1 < bins && value >= from[bin]) bin++;
  return bin;
}

static size_t cell_of(const relation *r, bool out, const sotto_i_transfer_bins *b) {
  if (!r->there) return 0;
  if (b->kinds > 0) return (out ? 0 : b->kinds) + r->kind;
  const size_t amount = bin_of(r->amount, b->amount_from, b->amounts);
  return ((out ? 0 : b->amounts) + amount) * b->times + bin_of(r->latest, b->time_from, b->times);
}

static float weight_of(const uint8_t *levels, uint32_t own, uint32_t other) {
  return levels == NULL ? 1 : sotto_i_counts_weight(levels[own], levels[other]);
}

typedef struct filling {
  sotto_matrix *table;
  const sotto_i_transfer_bins *bins;
  const uint16_t *clusters;
  const uint8_t *levels;
} filling;

/* What one end counts, or adds to its sum. */
static void fill_end(const filling *f, uint32_t own, uint32_t other, size_t cell) {
  const sotto_matrix *weights = f->bins->weights;
  float *row = f->table->data + own * f->table->cols;
  const float times = weight_of(f->levels, own, other);
  if (weights == NULL)
    row[cell] += times;
  else
    sotto_i_feature_sums_add(row, weights->data + cell * weights->cols + f->clusters[other], 1, times);
}

static void fill_cells(void *context, const relation *r) {
  const filling *f = context;
  fill_end(f, r->low, r->high, cell_of(r, r->up, f->bins));
  fill_end(f, r->high, r->low, cell_of(r, !r->up, f->bins));
}

void sotto_i_transfer_cells_fill(sotto_matrix *table, const sotto_i_relations *relations,
                                 const sotto_i_transfer_bins *bins, const uint16_t *clusters,
                                 const uint8_t *levels) {
  filling f = {.table = table, .bins = bins, .clusters = clusters, .levels = levels};
  see_all(relations, fill_cells, &f);
}

static bool is_same_pair(const sotto_transfers *t, uint64_t a, uint64_t b) {
  return (t->sources[a] == t->sources[b] && t->targets[a] == t->targets[b]) ||
         (t->sources[a] == t->targets[b] && t->targets[a] == t->sources[b]);
}

void sotto_i_relations_fill(sotto_matrix *table, const sotto_transfers *transfers, const uint16_t *clusters,
                            const uint8_t *levels) {
  for (uint64_t row = 0; row < transfers->count; row++) {
    const uint32_t u = transfers->sources[row], v = transfers->targets[row];
    if (row > 0 && is_same_pair(transfers, row - 1, row)) continue;
    table->data[u * table->cols + clusters[v]] += weight_of(levels, u, v);
    table->data[v * table->cols + clusters[u]] += weight_of(levels, v, u);
  }
}

size_t sotto_i_survey_columns(void) {
  return amount_columns + time_columns;
}

static size_t column_of(double position, size_t count) {
  if (!(position > 0)) return 0;
  return position < (double)count ? (size_t)position : count - 1;
}

/* Positions on the two scales, and their inverses. Column 0 of amounts has all below 2^-10. */
static double amount_position(double amount) {
  return amount > 0 ? 1 + octave * (log2(amount) - least_octave) : 0;
}
static double amount_at(double position) {
  return exp2(least_octave + (position - 1) / octave);
}
static double time_position(double day) {
  return (day - first_day) / days_a_week;
}
static double time_at(double position) {
  return first_day + days_a_week * position;
}

typedef struct surveying {
  float *row;
  const sotto_transfers *transfers;
  const uint8_t *levels;
} surveying;

static void survey_end(const surveying *s, const relation *r, uint32_t own, uint32_t other) {
  const bool by_time = s->transfers->times != NULL && (s->transfers->amounts == NULL || own % 2 == 1);
  const size_t column = by_time ? amount_columns + column_of(time_position(r->latest), time_columns)
                                : column_of(amount_position(r->amount), amount_columns);
  s->row[column] += weight_of(s->levels, own, other);
}

static void survey_relation(void *context, const relation *r) {
  if (!r->there) return;
  survey_end(context, r, r->low, r->high);
  survey_end(context, r, r->high, r->low);
}

void sotto_i_survey_fill(sotto_matrix *row, const sotto_i_relations *relations, const uint8_t *levels) {
  surveying s = {row->data, relations->transfers, levels};
  see_all(relations, survey_relation, &s);
}

/* A histogram whose columns are joined until most relations lie in columns that noise alone does not reach;
 * all others are 0. */
typedef struct clean {
  double *column; /* room for all */
  size_t count, width;
  double sum;
} clean;

static void join_columns(clean *c, const float *from, size_t count, double scale) {
  const double floor_of_noise = scale * sqrt((double)c->width) * log((double)count);
  c->count = (count + c->width - 1) / c->width;
  c->sum = 0;
  for (size_t i = 0; i < c->count; i++) {
    c->column[i] = 0;
    for (size_t j = i * c->width; j < count && j < (i + 1) * c->width; j++) c->column[i] += (double)from[j];
    if (!(c->column[i] > floor_of_noise)) c->column[i] = 0;
    c->sum += c->column[i];
  }
}

/* The position below which this share of the relations lies. */
static double quantile(const clean *c, double share) {
  double below = 0, wanted = share * c->sum;
  for (size_t i = 0; i < c->count; i++) {
    if (c->column[i] > 0 && below + c->column[i] >= wanted)
      return ((double)i + (wanted - below) / c->column[i]) * (double)c->width;
    below += c->column[i];
  }
  return (double)(c->count * c->width) / 2;
}

/* The share of relations below bin k of so many. The largest amounts say most where transfers are single. */
static double share_below(size_t k, size_t bins) {
  enum { sixths = 6 };
  if (bins != SOTTO_I_FINE_AMOUNT_BINS) return (double)k / (double)bins;
  if (k < sixths) return (double)k / sixths;
  return 1 - exp2(-(double)(k - sixths + 1)) / sixths;
}

static void find_edges(double *edges, size_t bins, clean *c, const float *from, size_t count, double scale,
                       double (*at)(double)) {
  double total = 0;
  for (size_t j = 0; j < count; j++) total += (double)from[j];
  c->width = 1;
  join_columns(c, from, count, scale);
  while (c->sum < enough_kept * total && c->width < count / octave) {
    c->width *= 2;
    join_columns(c, from, count, scale);
  }
  /* as a model keeps them */
  for (size_t k = 1; k < bins; k++) edges[k - 1] = (double)(float)at(quantile(c, share_below(k, bins)));
}

sotto_status sotto_i_survey_read(sotto_i_transfer_bins *bins, const sotto_matrix *row, double scale,
                                 sotto_error *err) {
  clean c = {0};
  const sotto_status status = sotto_i_new_raw(&c.column, time_columns, sizeof *c.column, err);
  if (status != SOTTO_OK) return status;
  find_edges(bins->amount_from, bins->amounts, &c, row->data, amount_columns, scale, amount_at);
  find_edges(bins->time_from, bins->times, &c, row->data + amount_columns, time_columns, scale, time_at);
  sotto_i_free(c.column);
  return SOTTO_OK;
}

static bool is_apart(const sotto_options *options) {
  return options->adjacency == SOTTO_ADJACENCY_TRANSFER;
}

/* Room for the edges of amounts. */
static size_t amount_words(bool apart) {
  return (apart ? SOTTO_I_FINE_AMOUNT_BINS : SOTTO_I_AMOUNT_BINS) - 1;
}

sotto_status sotto_i_transfer_bins_new(sotto_params *out, const sotto_options *options, sotto_error *err) {
  size_t number;
  return sotto_params_add(out, &number, SOTTO_I_BINS_PARAMETER, 1,
                          counted_words + amount_words(is_apart(options)) + time_words, SOTTO_INIT_ZERO,
                          false, NULL, err);
}

sotto_status sotto_i_transfer_bins_keep(sotto_params *out, const sotto_i_transfer_bins *b,
                                        const sotto_options *options, sotto_error *err) {
  const sotto_status status = sotto_i_transfer_bins_new(out, options, err);
  if (status != SOTTO_OK) return status;
  float *words = sotto_params_value(out, 0)->data;
  *words++ = (float)b->amounts;
  *words++ = (float)b->times;
  for (size_t k = 0; k < amount_words(is_apart(options)); k++) *words++ = (float)b->amount_from[k];
  for (size_t k = 0; k < time_words; k++) *words++ = (float)b->time_from[k];
  return SOTTO_OK;
}

sotto_status sotto_i_transfer_bins_take(sotto_i_transfer_bins *out, sotto_params *from, sotto_error *err) {
  const sotto_matrix *kept = sotto_params_value(from, 0);
  const float *words = kept->data;
  const size_t amounts = kept->cols - counted_words - time_words;
  const bool fine = amounts == amount_words(true) && words[0] == SOTTO_I_FINE_AMOUNT_BINS;
  const size_t most = fine ? SOTTO_I_FINE_AMOUNT_BINS : SOTTO_I_AMOUNT_BINS;
  *out = (sotto_i_transfer_bins){.amounts = words[0] == (float)most ? most : 1,
                                 .times = words[1] == SOTTO_I_TIME_BINS ? SOTTO_I_TIME_BINS : 1};
  if (words[0] != (float)out->amounts || words[1] != (float)out->times)
    return sotto_i_fail(err, SOTTO_CORRUPT, "model: %s has %g bins of amounts and %g of times",
                        SOTTO_I_BINS_PARAMETER, (double)words[0], (double)words[1]);
  words += counted_words;
  for (size_t k = 0; k < amounts; k++) out->amount_from[k] = (double)*words++;
  for (size_t k = 0; k < time_words; k++) out->time_from[k] = (double)*words++;
  return SOTTO_OK;
}

sotto_status sotto_i_transfer_bins_fit(const sotto_i_transfer_bins *b, const sotto_dataset *data,
                                       sotto_error *err) {
  const sotto_transfers *t = &data->transfers;
  const char *lacks = t->sources == NULL                     ? "transfers"
                      : b->amounts > 1 && t->amounts == NULL ? "amounts of transfers"
                      : b->times > 1 && t->times == NULL     ? "times of transfers"
                                                             : NULL;
  if (lacks == NULL) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID,
                      "%s: has no %s, by which the run counts neighbours; import it again with the columns "
                      "that the training data has, as its amount and its time",
                      data->name, lacks);
}
