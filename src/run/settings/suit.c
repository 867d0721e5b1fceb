/* The scaling that suits a table, where the options say nothing: unit-norm rows, or standardised columns. */
#include "suit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "graph/blocks/block.h"
#include "graph/schema.h"
#include "options.h"
#include "run/method/method.h"

/* A column of numbers swamps others where it is this many times larger. Most cells of counts are 0. */
static const double swamps = 10, mostly = 0.75;

/* For each feature its sum of squares, then how many cells are 0, then how many neither 0 nor 1. */
enum { sums_of_each = 3 };

static void add_cell(double *sums, size_t cols, size_t j, double x) {
  sums[j] += x * x;
  sums[cols + j] += x == 0;
  sums[2 * cols + j] += x != 0 && x != 1;
}

static void add_rows(double *sums, const float *cells, size_t rows, size_t cols) {
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < cols; j++) add_cell(sums, cols, j, (double)cells[i * cols + j]);
}

/* The same of sparse rows, whose other cells are 0. */
static void add_entries(double *sums, const sotto_entries *e, size_t rows, size_t cols) {
  for (size_t j = 0; j < cols; j++) sums[cols + j] = (double)rows;
  for (uint64_t i = 0; i < e->offsets[rows]; i++) {
    sums[cols + e->columns[i]]--;
    add_cell(sums, cols, e->columns[i], (double)e->values[i]);
  }
}

static bool is_number(sotto_column_kind kind) {
  return kind == SOTTO_COLUMN_NUMBER || kind == SOTTO_COLUMN_DATE;
}

/* Rows are read in windows. */
static sotto_status measure(double *sums, const sotto_dataset *data, sotto_error *err) {
  const size_t rows = data->features.rows, cols = data->features.cols;
  float *window = NULL;
  sotto_status status = SOTTO_OK;
  if (data->entries.offsets != NULL) {
    add_entries(sums, &data->entries, rows, cols);
    return SOTTO_OK;
  }
  SOTTO_TRY(sotto_i_new_raw(&window, cols * SOTTO_I_WINDOW_ROWS, sizeof *window, err));
  for (size_t first = 0; first < rows; first += SOTTO_I_WINDOW_ROWS) {
    const size_t count = rows - first < SOTTO_I_WINDOW_ROWS ? rows - first : SOTTO_I_WINDOW_ROWS;
    SOTTO_TRY(sotto_i_dataset_window(window, data, first, count, err));
    add_rows(sums, window, count, cols);
  }
done:
  sotto_i_free(window);
  return status;
}

/* The column that swamps another one, or NULL; NULL also if most numbers are 0. A single number swamps too,
 * since a unit-norm row would keep only its sign. `squares`: for each feature the sum over the rows. */
static const sotto_schema_column *find_large(const sotto_schema *schema, const double *squares, double rows,
                                             double zeros) {
  const sotto_schema_column *largest = NULL;
  double high = 0, low = INFINITY, cells = 0;
  for (uint64_t j = 0; j < schema->column_count; j++) {
    const sotto_schema_column *c = &schema->columns[j];
    if (c->feature_count == 0) continue;
    /* a feature of a word or a flag is at most 1 */
    const double size = is_number(c->kind) ? sqrt(squares[c->first] / rows) : 1;
    if (size > 0 && size < low) low = size;
    if (!is_number(c->kind)) continue;
    cells += rows;
    if (size <= high) continue;
    high = size;
    largest = c;
  }
  const bool alone = schema->feature_count == 1 && high > 0;
  return (alone || high > swamps * low) && zeros <= mostly * cells ? largest : NULL;
}

/* How many cells of numbers are 0. */
static double count_zeros(const sotto_schema *schema, const double *zeros) {
  double count = 0;
  for (uint64_t j = 0; j < schema->column_count; j++)
    if (schema->columns[j].feature_count > 0 && is_number(schema->columns[j].kind))
      count += zeros[schema->columns[j].first];
  return count;
}

/* Are the types of the columns known? */
static bool is_stated(const sotto_dataset *data) {
  return data->schema != NULL && data->schema->stated && data->schema->feature_count == data->features.cols;
}

/* Sparse features of a table are words. */
static bool is_measured(const sotto_dataset *data) {
  return data->graph_count == 0 && data->features.rows > 0 && data->features.cols > 0 &&
         !(is_stated(data) && data->entries.offsets != NULL);
}

/* As find_large, of columns whose types nobody stated: one of 0 and 1 alone is a flag, any other is of
 * numbers. Returns the number of columns where it finds none. */
static size_t find_untyped(const double *sums, double rows, size_t cols) {
  size_t largest = cols;
  double high = 0, low = INFINITY, cells = 0, zeros = 0;
  for (size_t j = 0; j < cols; j++) {
    const bool flag = sums[2 * cols + j] == 0;
    const double size = flag && sums[j] > 0 ? 1 : sqrt(sums[j] / rows);
    if (size > 0 && size < low) low = size;
    if (flag) continue;
    cells += rows;
    zeros += sums[cols + j];
    if (size <= high) continue;
    high = size;
    largest = j;
  }
  const bool alone = cols == 1 && high > 0;
  return (alone || high > swamps * low) && zeros <= mostly * cells ? largest : cols;
}

enum { name_room = 80 };

/* name: of the column that swamps another one; empty: none does. `together`: all ranks ask, and rank 0 reads.
 */
static sotto_status find_in_data(char name[name_room], const sotto_dataset *data, bool together,
                                 sotto_error *err) {
  const sotto_i_block *block = sotto_i_block_of(data);
  sotto_ranks *ranks = together && block != NULL ? block->ranks : NULL;
  const size_t cols = data->features.cols;
  const double rows = (double)data->features.rows;
  double *sums = NULL;
  sotto_status status;
  name[0] = '\0';
  SOTTO_TRY(sotto_i_new(&sums, sums_of_each * cols, sizeof *sums, err));
  if (sotto_i_ranks_first(ranks)) SOTTO_TRY(measure(sums, data, err));
  if (ranks != NULL) SOTTO_TRY(sotto_i_ranks_give(ranks, sums, sums_of_each * cols * sizeof *sums, err));
  if (is_stated(data)) {
    const sotto_schema_column *large =
        find_large(data->schema, sums, rows, count_zeros(data->schema, sums + cols));
    if (large != NULL) (void)snprintf(name, name_room, "%.70s", large->name);
  } else {
    const size_t large = find_untyped(sums, rows, cols);
    const char *known = sotto_name(&data->feature_names, large);
    if (large < cols && known != NULL) (void)snprintf(name, name_room, "%.70s", known);
    if (large < cols && known == NULL) (void)snprintf(name, name_room, SOTTO_I_COLUMN_NAME, large + 1);
  }
done:
  sotto_i_free(sums);
  return status;
}

static bool has_public_features(const sotto_options *o) {
  return o->adjacency <= SOTTO_ADJACENCY_EDGE; /* or transfers, or nothing */
}

static bool is_among_several(const sotto_options *o) {
  return sotto_i_has_holders(o) || sotto_i_has_clients(o);
}

static void say_standardised(const sotto_observer *observer, const char *column, const char *whose) {
  sotto_i_log(
      observer, SOTTO_LOG_INFO,
      "features are standardised%s, since '%.60s' is much larger than other columns; feature-scale l2 "
      "scales rows to unit norm instead",
      whose, column);
}

sotto_status sotto_i_suit_scaling(sotto_options *o, const sotto_dataset *data, const sotto_observer *observer,
                                  sotto_error *err) {
  char large[name_room];
  if (is_among_several(o)) return SOTTO_OK;
  if (o->feature_scale == SOTTO_FEATURE_SCALE_SUITED) o->feature_scale = SOTTO_FEATURE_SCALE_L2;
  if (!has_public_features(o) || !is_measured(data)) return SOTTO_OK;
  const sotto_status status = find_in_data(large, data, true, err);
  if (status != SOTTO_OK || large[0] == '\0') return status;
  o->feature_scale = SOTTO_FEATURE_SCALE_STANDARD;
  say_standardised(observer, large, "");
  return SOTTO_OK;
}

/* Sums over clients are hidden from the server, which statistics of one client would undo. */
static bool hides_clients(const sotto_options *o) {
  sotto_i_option row;
  char value[16] = "";
  if (sotto_i_has_helper(o)) return true;
  if (!sotto_i_option_has(&row, o, "secure-aggregation")) return false;
  sotto_i_option_value(value, sizeof value, o, &row);
  return strcmp(value, "true") == 0;
}

bool sotto_i_shares_statistics(const sotto_options *o) {
  return o->feature_scale == SOTTO_FEATURE_SCALE_SUITED && sotto_i_has_clients(o) && has_public_features(o) &&
         !hides_clients(o);
}

bool sotto_i_offers_statistics(const sotto_options *o, const sotto_dataset *data) {
  return sotto_i_shares_statistics(o) && is_measured(data) && is_stated(data) &&
         data->schema->moments == NULL;
}

/* What to do where nothing may leave. */
static void warn(const sotto_options *o, const char *column, const sotto_observer *observer) {
  const char *way =
      sotto_i_has_clients(o)
          ? "All clients can declare the same mean and variance of each column, in a schema (docs/data.md)"
          : "Scale the columns by numbers that do not depend on the rows before the import";
  sotto_i_log(
      observer, SOTTO_LOG_WARNING,
      "feature-scale: '%.60s' is much larger than other columns, and rows of unit norm show little of the "
      "others. Statistics of the rows may not be used here. %s",
      column, way);
}

sotto_status sotto_i_suit_columns(sotto_schema **out, const sotto_options *o, const sotto_dataset *data,
                                  bool apart, const sotto_observer *observer, sotto_error *err) {
  const bool clients = sotto_i_has_clients(o);
  char large[name_room];
  double *moments = NULL;
  sotto_status status = SOTTO_OK;
  *out = NULL;
  if (o->feature_scale != SOTTO_FEATURE_SCALE_SUITED || !is_measured(data)) return SOTTO_OK;
  if (is_stated(data) ? data->schema->moments != NULL : clients) return SOTTO_OK;
  if (clients && apart && sotto_i_shares_statistics(o)) return SOTTO_OK; /* all agree first */
  SOTTO_TRY(find_in_data(large, data, false, err));
  if (large[0] == '\0') goto done;
  if (!has_public_features(o) || (clients && !sotto_i_shares_statistics(o))) {
    warn(o, large, observer);
    goto done;
  }
  SOTTO_TRY(sotto_i_dataset_moments(&moments, data, err));
  SOTTO_TRY(is_stated(data) ? sotto_i_schema_copy(out, data->schema, err)
                            : sotto_i_schema_by_position(out, data, err));
  SOTTO_TRY(sotto_i_schema_set_moments(*out, moments, err));
  say_standardised(observer, large, clients ? ", by statistics over all clients" : "");
done:
  sotto_i_free(moments);
  return status;
}

enum { of_rows, of_zeros, first_column };

size_t sotto_i_statistics_count(size_t columns) {
  return first_column + 2 * columns;
}

static sotto_status schema_of_names(sotto_schema **out, const sotto_dataset *data, sotto_error *err) {
  sotto_dataset named = *data;
  named.schema = NULL;
  return sotto_schema_of(out, &named, err);
}

sotto_status sotto_i_statistics_of(double *out, const sotto_dataset *data, sotto_error *err) {
  const size_t cols = data->features.cols, rows = data->features.rows;
  double *sums = NULL, *moments = NULL;
  sotto_schema *names = NULL;
  sotto_status status;
  SOTTO_TRY(schema_of_names(&names, data, err));
  SOTTO_TRY(sotto_i_new(&sums, sums_of_each * cols, sizeof *sums, err));
  SOTTO_TRY(measure(sums, data, err));
  SOTTO_TRY(sotto_i_column_moments(&moments, &data->features, err));
  out[of_rows] = (double)rows;
  out[of_zeros] = names == NULL ? 0 : count_zeros(names, sums + cols);
  for (size_t j = 0; j < 2 * cols; j++) out[first_column + j] = moments[j];
done:
  sotto_schema_free(names);
  sotto_i_free(sums);
  sotto_i_free(moments);
  return status;
}

/* Chan, Golub and LeVeque 1983: means and variances of two groups of rows give those of both. */
sotto_status sotto_i_statistics_add(double *known, const double *said, size_t columns, sotto_error *err) {
  const double before = known[of_rows], more = said[of_rows], rows = before + more;
  for (size_t i = 0; i < sotto_i_statistics_count(columns); i++)
    if (!(isfinite(said[i]) && fabs(said[i]) < 1e80))
      return sotto_i_fail(err, SOTTO_PROTOCOL, "a statistic of columns is out of range");
  if (!(more >= 1 && more < 4294967296.0 && said[of_zeros] >= 0))
    return sotto_i_fail(err, SOTTO_PROTOCOL, "statistics of columns are of no rows");
  double *mean = known + first_column, *square = mean + columns;
  const double *other = said + first_column, *spread = other + columns;
  for (size_t j = 0; j < columns; j++) {
    const double gap = other[j] - mean[j];
    if (spread[j] < 0) return sotto_i_fail(err, SOTTO_PROTOCOL, "a variance of a column is below 0");
    square[j] = (square[j] * before + spread[j] * more + gap * gap * before / rows * more) / rows;
    mean[j] += gap * more / rows;
  }
  known[of_rows] = rows;
  known[of_zeros] += said[of_zeros];
  return SOTTO_OK;
}

sotto_status sotto_i_suit_together(sotto_schema **out, const double *all, const sotto_dataset *data,
                                   const sotto_observer *observer, sotto_error *err) {
  const size_t cols = data->features.cols;
  const double *mean = all + first_column, *square = mean + cols, rows = all[of_rows];
  double *squares = NULL;
  sotto_schema *names = NULL;
  sotto_status status;
  *out = NULL;
  SOTTO_TRY(schema_of_names(&names, data, err));
  if (names == NULL || names->feature_count != cols) goto done;
  SOTTO_TRY(sotto_i_new(&squares, cols, sizeof *squares, err));
  for (size_t j = 0; j < cols; j++) squares[j] = rows * (square[j] + mean[j] * mean[j]);
  const sotto_schema_column *large = find_large(names, squares, rows, all[of_zeros]);
  if (large == NULL) goto done;
  say_standardised(observer, large->name, ", by statistics over all clients");
  if (data->schema != NULL && data->schema->feature_count == cols)
    SOTTO_TRY(sotto_i_schema_copy(out, data->schema, err));
  else
    SOTTO_TRY(sotto_i_schema_copy(out, names, err));
  SOTTO_TRY(sotto_i_schema_set_moments(*out, mean, err));
done:
  sotto_schema_free(names);
  sotto_i_free(squares);
  return status;
}
