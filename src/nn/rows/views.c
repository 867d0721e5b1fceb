/* Standardised rows, and rows side by side. */
#include "views.h"

#include <string.h>

#include "base/memory.h"
#include "tensor/columns.h"

/* Some rows in `to`, also where the source has them in memory. */
static sotto_status copy_rows(float *to, const sotto_i_row_source *of, size_t first, size_t count,
                              sotto_error *err) {
  sotto_matrix rows;
  const sotto_status status = sotto_i_row_source_rows(&rows, of, to, first, count, err);
  if (status == SOTTO_OK && rows.data != to && count * of->cols > 0)
    memcpy(to, rows.data, count * of->cols * sizeof *to);
  return status;
}

static sotto_status read_standard(void *context, float *out, size_t first, size_t count, sotto_error *err) {
  const sotto_i_standard_rows *s = context;
  sotto_matrix rows = {out, count, s->of->cols};
  const sotto_status status = copy_rows(out, s->of, first, count, err);
  if (status == SOTTO_OK) sotto_i_columns_by_moments(&rows, s->moments);
  return status;
}

sotto_status sotto_i_standard_rows_new(sotto_i_standard_rows *out, const sotto_i_row_source *of,
                                       sotto_error *err) {
  float *room = NULL;
  sotto_status status;
  *out = (sotto_i_standard_rows){
      .of = of, .source = {.rows = of->rows, .cols = of->cols, .read = read_standard, .context = out}};
  SOTTO_TRY(sotto_i_new(&out->moments, 2 * of->cols, sizeof *out->moments, err));
  SOTTO_TRY(sotto_i_new_raw(&room, SOTTO_I_WINDOW_ROWS * of->cols, sizeof *room, err));
  for (int squares = 0; squares < 2; squares++)
    for (size_t first = 0; first < of->rows; first += SOTTO_I_WINDOW_ROWS) {
      const size_t left = of->rows - first;
      sotto_matrix rows;
      SOTTO_TRY(sotto_i_row_source_rows(&rows, of, room, first,
                                        left < SOTTO_I_WINDOW_ROWS ? left : SOTTO_I_WINDOW_ROWS, err));
      sotto_i_column_moments_add(out->moments, &rows, (double)of->rows, squares == 1);
    }
done:
  sotto_i_free(room);
  return status;
}

void sotto_i_standard_rows_free(sotto_i_standard_rows *rows) {
  sotto_i_free(rows->moments);
  *rows = (sotto_i_standard_rows){.moments = NULL};
}

static sotto_status read_joined(void *context, float *out, size_t first, size_t count, sotto_error *err) {
  const sotto_i_joined_rows *j = context;
  const size_t cols = j->source.cols;
  float *part = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&part, count * cols, sizeof *part, err));
  for (int second = 0; second < 2; second++) {
    const sotto_i_row_source *of = second == 1 ? j->second : j->first;
    float *to = out + (second == 1 ? j->first->cols : 0);
    SOTTO_TRY(copy_rows(part, of, first, count, err));
    for (size_t i = 0; i < count; i++) memcpy(to + i * cols, part + i * of->cols, of->cols * sizeof *to);
  }
done:
  sotto_i_free(part);
  return status;
}

void sotto_i_joined_rows_set(sotto_i_joined_rows *out, const sotto_i_row_source *first,
                             const sotto_i_row_source *second) {
  *out = (sotto_i_joined_rows){
      .first = first,
      .second = second,
      .source = {
          .rows = first->rows, .cols = first->cols + second->cols, .read = read_joined, .context = out}};
}
