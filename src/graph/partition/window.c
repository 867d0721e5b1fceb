/* A window of time: what was known of a graph on a day. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "graph/days.h"
#include "graph/io/read.h"
#include "sotto/graph.h"
#include "sotto/schema.h"
#include "sotto/split.h"
#include "take.h"
#include "window.h"

typedef struct window {
  const sotto_dataset *data;
  double since, before; /* days since 2000-01-01 */
  size_t known;         /* feature of the day since which a label is known; SIZE_MAX: all are */
} window;

static sotto_status read_day(double *out, const char *text, const char *what, sotto_error *err) {
  const size_t size = strlen(text);
  if (size == SOTTO_I_DAY_SIZE && sotto_i_day_parse(out, (const uint8_t *)text, size)) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_PARSE, "%s: '%.40s' is no day; write it as 2024-01-31", what, text);
}

sotto_status sotto_i_day_column(size_t *feature, const sotto_dataset *data, const char *column,
                                const char *use, sotto_error *err) {
  const sotto_schema *schema = data->schema;
  for (uint64_t i = 0; schema != NULL && i < schema->column_count; i++) {
    const sotto_schema_column *c = &schema->columns[i];
    if (strcmp(c->name, column) != 0) continue;
    if (c->kind != SOTTO_COLUMN_DATE)
      return sotto_i_fail(err, SOTTO_INVALID, "%s: column '%.80s' is a %s; %s is in a column of dates",
                          data->name, column, sotto_schema_type(c->kind), use);
    if (c->missing != SOTTO_MISSING_REFUSE)
      return sotto_i_fail(
          err, SOTTO_INVALID,
          "%s: cells of '%.80s' without a day may have been filled, and %s would follow from that; import "
          "with a day in each cell, and without filling (missing)",
          data->name, column, use);
    return *feature = c->first, SOTTO_OK;
  }
  return sotto_i_fail(err, SOTTO_NOT_FOUND, "%s: has no column '%.80s'", data->name, column);
}

static sotto_status check_times(const sotto_dataset *data, sotto_error *err) {
  if (data->transfers.times != NULL) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_NOT_FOUND,
                      "%s: has no times of transfers; import it with the column of times (time)", data->name);
}

static sotto_status read_window(window *w, const sotto_dataset *data, const sotto_window *how,
                                sotto_error *err) {
  sotto_status status;
  *w = (window){.data = data, .since = -INFINITY, .before = INFINITY, .known = SIZE_MAX};
  if (how->since == NULL && how->before == NULL)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "a window needs the day where it begins, or before which it ends");
  SOTTO_TRY(check_times(data, err));
  if (how->known != NULL && how->before == NULL)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "labels that are known (known) need the day where the window ends");
  if (how->since != NULL) SOTTO_TRY(read_day(&w->since, how->since, "since", err));
  if (how->before != NULL) SOTTO_TRY(read_day(&w->before, how->before, "before", err));
  if (!(w->since < w->before))
    return sotto_i_fail(err, SOTTO_RANGE, "the window from %s ends before it begins, %s", how->since,
                        how->before);
  if (how->known != NULL)
    SOTTO_TRY(sotto_i_day_column(&w->known, data, how->known, "the day since which a label is known", err));
done:
  return status;
}

/* The transfers within, and the edges that they are of. */
static sotto_status take_transfers(sotto_i_parts *parts, const window *w, sotto_error *err) {
  const sotto_transfers *t = &w->data->transfers;
  sotto_i_edge_list pairs = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_transfers_like(&parts->transfers, t, err));
  for (uint64_t i = 0; i < t->count; i++) {
    if (!(t->times[i] >= w->since && t->times[i] < w->before)) continue;
    SOTTO_TRY(sotto_i_transfers_add(&parts->transfers, sotto_i_transfers_row(t, i), err));
    SOTTO_TRY(sotto_i_edge_list_add(&pairs, t->sources[i], t->targets[i], err));
  }
  SOTTO_TRY(sotto_i_transfers_sort(&parts->transfers, err));
  SOTTO_TRY(sotto_i_parts_edges(parts, w->data->graph.nodes, &pairs, w->data->name, err));
done:
  sotto_i_edge_list_free(&pairs);
  return status;
}

/* Labels and numbers of days that are not over are unknown, and such nodes are in no part of a published
 * split. */
static sotto_status forget_labels(sotto_i_parts *parts, const window *w, sotto_error *err) {
  float *row = NULL;
  sotto_status status = SOTTO_OK;
  if (w->known == SIZE_MAX) return SOTTO_OK;
  SOTTO_TRY(sotto_i_new_raw(&row, w->data->features.cols, sizeof *row, err));
  for (uint64_t v = 0; v < parts->nodes; v++) {
    sotto_dataset_rows(row, w->data, v, 1);
    if ((double)row[w->known] < w->before) continue;
    if (parts->labels != NULL) parts->labels[v] = -1;
    if (parts->numbers != NULL) parts->numbers[v] = NAN;
    if (parts->split != NULL) parts->split[v] = SOTTO_PART_NONE;
  }
done:
  sotto_i_free(row);
  return status;
}

static sotto_status take_window(sotto_dataset *out, const window *w, const uint8_t *split, sotto_error *err) {
  const sotto_dataset *data = w->data;
  const uint64_t count = data->graph.nodes;
  sotto_i_parts parts = {0};
  uint32_t *nodes = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&nodes, count, sizeof *nodes, err));
  for (uint64_t v = 0; v < count; v++) nodes[v] = (uint32_t)v;
  SOTTO_TRY(sotto_i_strdup(&parts.name, data->name, err));
  if (split != NULL && data->path != NULL) SOTTO_TRY(sotto_i_strdup(&parts.path, data->path, err));
  SOTTO_TRY(take_transfers(&parts, w, err));
  SOTTO_TRY(sotto_i_take_nodes(&parts, data, nodes, count, err));
  SOTTO_TRY(forget_labels(&parts, w, err));
  if (split != NULL && parts.split == NULL) SOTTO_TRY(sotto_i_new_raw(&parts.split, count, 1, err));
  if (split != NULL) memcpy(parts.split, split, count);
  SOTTO_TRY(sotto_i_dataset_assemble(out, &parts, err));
done:
  sotto_i_free(nodes);
  sotto_i_parts_free(&parts);
  return status;
}

sotto_status sotto_dataset_window(sotto_dataset *out, const sotto_dataset *data, const sotto_window *how,
                                  sotto_error *err) {
  window w;
  *out = (sotto_dataset){0};
  const sotto_status status = read_window(&w, data, how, err);
  return status == SOTTO_OK ? take_window(out, &w, NULL, err) : status;
}

sotto_status sotto_i_window_before(sotto_dataset *out, const sotto_dataset *data, double before,
                                   const uint8_t *split, sotto_error *err) {
  const window w = {.data = data, .since = -INFINITY, .before = before, .known = SIZE_MAX};
  *out = (sotto_dataset){0};
  const sotto_status status = check_times(data, err);
  return status == SOTTO_OK ? take_window(out, &w, split, err) : status;
}
