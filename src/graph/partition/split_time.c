/* A split by time: training on the past, test on the future. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "inside/graph.h"
#include "sotto/schema.h"
#include "sotto/split.h"
#include "take.h"
#include "window.h"

/* When each node with a label is dated, and where validation and test begin, in days since 2000-01-01. */
typedef struct times {
  double *day; /* owned: a number a node; NAN without a label */
  double validation, test;
} times;

static bool is_labelled(const sotto_dataset *data, uint64_t v) {
  if (data->labels == NULL && data->numbers == NULL) return false;
  return (data->labels == NULL || data->labels[v] >= 0) &&
         (data->numbers == NULL || !isnan(data->numbers[v]));
}

/* The only column of dates. */
static sotto_status find_column(const char **name, const sotto_dataset *data, sotto_error *err) {
  const sotto_schema *schema = data->schema;
  *name = NULL;
  for (uint64_t i = 0; schema != NULL && i < schema->column_count; i++) {
    if (schema->columns[i].kind != SOTTO_COLUMN_DATE) continue;
    if (*name != NULL)
      return sotto_i_fail(
          err, SOTTO_INVALID,
          "split: %s has the columns of dates '%.80s' and '%.80s', and a split by time follows "
          "one; leave the others out at the import (types, drop), or read them as numbers (types, number)",
          data->name, *name, schema->columns[i].name);
    *name = schema->columns[i].name;
  }
  if (*name != NULL) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_NOT_FOUND,
                      "split: %s has no column of dates of its nodes, by which a split by time would go; "
                      "import it with one, or take a random split",
                      data->name);
}

static int earlier_first(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static sotto_status read_days(times *t, const sotto_dataset *data, size_t feature, sotto_error *err) {
  float *row = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&t->day, data->graph.nodes, sizeof *t->day, err));
  SOTTO_TRY(sotto_i_new_raw(&row, data->features.cols, sizeof *row, err));
  for (uint64_t v = 0; v < data->graph.nodes; v++) {
    sotto_dataset_rows(row, data, v, 1);
    t->day[v] = is_labelled(data, v) ? (double)row[feature] : NAN;
  }
done:
  sotto_i_free(row);
  return status;
}

/* Nodes of one day are in one part: a part begins with the day of the first node that its share reaches. */
static sotto_status find_ends(times *t, const sotto_dataset *data, double train, double validation,
                              sotto_error *err) {
  double *sorted = NULL;
  size_t count = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&sorted, data->graph.nodes, sizeof *sorted, err));
  for (uint64_t v = 0; v < data->graph.nodes; v++)
    if (!isnan(t->day[v])) sorted[count++] = t->day[v];
  qsort(sorted, count, sizeof *sorted, earlier_first);
  const size_t trained = sotto_i_share_of(train, count);
  const size_t past = trained + sotto_i_share_of(validation, count);
  if (past < count) {
    t->validation = sorted[trained];
    t->test = sorted[past];
  }
  if (past >= count || !(sorted[0] < t->validation && t->validation < t->test))
    status =
        sotto_i_fail(err, SOTTO_RANGE,
                     "split: the days of the %zu labelled nodes of %s leave a part empty, since nodes of "
                     "one day are in one part; take other shares (train-share, validation-share)",
                     count, data->name);
done:
  sotto_i_free(sorted);
  return status;
}

static sotto_part part_of(const times *t, uint64_t v) {
  if (isnan(t->day[v])) return SOTTO_PART_NONE;
  if (t->day[v] >= t->test) return SOTTO_PART_TEST;
  return t->day[v] >= t->validation ? SOTTO_PART_VALIDATION : SOTTO_PART_TRAIN;
}

/* Free the times in any case. */
static sotto_status read_times(times *t, const sotto_dataset *data, double train, double validation,
                               sotto_error *err) {
  const char *name;
  size_t feature;
  sotto_status status;
  *t = (times){.day = NULL};
  SOTTO_TRY(sotto_i_check_shares(train, validation, err));
  SOTTO_TRY(find_column(&name, data, err));
  SOTTO_TRY(sotto_i_day_column(&feature, data, name, "the day that decides on a node's part", err));
  SOTTO_TRY(read_days(t, data, feature, err));
  SOTTO_TRY(find_ends(t, data, train, validation, err));
done:
  return status;
}

/* The part of each node, too. Free both in any case. */
static sotto_status read_parts(uint8_t **parts, times *t, const sotto_dataset *data, double train,
                               double validation, sotto_error *err) {
  const uint64_t nodes = data->graph.nodes;
  *parts = NULL;
  sotto_status status = read_times(t, data, train, validation, err);
  if (status == SOTTO_OK) status = sotto_i_new_raw(parts, nodes, 1, err);
  for (uint64_t v = 0; status == SOTTO_OK && v < nodes; v++) (*parts)[v] = (uint8_t)part_of(t, v);
  return status;
}

sotto_status sotto_split_time(sotto_dataset *out, const sotto_dataset *data, double train, double validation,
                              sotto_error *err) {
  times t;
  uint8_t *parts;
  *out = (sotto_dataset){0};
  sotto_status status = read_parts(&parts, &t, data, train, validation, err);
  if (status == SOTTO_OK) status = sotto_i_window_before(out, data, t.test, parts, err);
  sotto_i_free(parts);
  sotto_i_free(t.day);
  return status;
}

sotto_status sotto_split_days(sotto_split *out, const sotto_dataset *data, double train, double validation,
                              sotto_error *err) {
  times t;
  uint8_t *parts;
  *out = (sotto_split){0};
  sotto_status status = read_parts(&parts, &t, data, train, validation, err);
  if (status == SOTTO_OK) status = sotto_i_list_parts(out, parts, data->graph.nodes, err);
  sotto_i_free(parts);
  sotto_i_free(t.day);
  return status;
}

sotto_status sotto_split_time_check(const sotto_dataset *data, double train, double validation,
                                    sotto_error *err) {
  times t;
  const sotto_transfers *transfers = &data->transfers;
  bool past = transfers->times != NULL;
  sotto_status status;
  SOTTO_TRY(read_times(&t, data, train, validation, err));
  for (uint64_t i = 0; i < transfers->count && past; i++) past = transfers->times[i] < t.test;
  if (!past)
    status = sotto_i_fail(err, SOTTO_INVALID,
                          "split: %s has no times of transfers, or some since the test part begins; give the "
                          "path of a table with times, or data that sotto_run_data_open read",
                          data->name);
done:
  sotto_i_free(t.day);
  return status;
}
