/* Rows of a source: copied, or as constants of a tape, dense or sparse. */
#include "source.h"

#include <string.h>

#include "base/memory.h"
#include "inside/tensor.h"
#include "tensor/tape.h"

sotto_i_row_source sotto_i_row_source_of(const sotto_matrix *matrix) {
  return (sotto_i_row_source){.rows = matrix->rows, .cols = matrix->cols, .matrix = matrix};
}

sotto_status sotto_i_row_source_rows(sotto_matrix *out, const sotto_i_row_source *source, float *room,
                                     size_t first, size_t count, sotto_error *err) {
  const bool held = source->matrix != NULL;
  SOTTO_I_CHECK(source->held == NULL);
  *out = (sotto_matrix){held ? source->matrix->data + first * source->cols : room, count, source->cols};
  return held ? SOTTO_OK : source->read(source->context, room, first, count, err);
}

/* So many rows between two that are wanted are read along; beyond, another read is cheaper. */
enum { most_gap = 8 };

static void copy_row(float *to, const float *from, size_t cols) {
  if (cols > 0) memcpy(to, from, cols * sizeof *to);
}

static const float *row_in_memory(const sotto_i_row_source *source, uint32_t node) {
  size_t row = node;
  const bool there = source->held == NULL || sotto_i_rank_rows_find(&row, source->held, node);
  SOTTO_I_CHECK(there);
  return source->matrix->data + row * source->cols;
}

sotto_status sotto_i_row_source_gather(float *out, size_t stride, const sotto_i_row_source *source,
                                       const uint32_t *rows, size_t count, float *window, sotto_error *err) {
  const size_t cols = source->cols;
  for (size_t i = 0; source->matrix != NULL && i < count; i++)
    copy_row(out + i * stride, row_in_memory(source, rows[i]), cols);
  for (size_t i = 0; source->matrix == NULL && i < count;) {
    const size_t first = rows[i];
    size_t end = i + 1;
    while (end < count && rows[end] - first < SOTTO_I_WINDOW_ROWS && rows[end] - rows[end - 1] <= most_gap)
      end++; /* a row before the last one is at a gap of almost 2^32 */
    const sotto_status status = source->read(source->context, window, first, rows[end - 1] - first + 1, err);
    if (status != SOTTO_OK) return status;
    for (; i < end; i++) copy_row(out + i * stride, window + (rows[i] - first) * cols, cols);
  }
  return SOTTO_OK;
}

sotto_status sotto_i_row_source_take(sotto_matrix *out, const sotto_i_row_source *source,
                                     const uint32_t *rows, size_t count, sotto_error *err) {
  sotto_status status;
  float *window = NULL;
  SOTTO_TRY(sotto_matrix_new(out, count, source->cols, err));
  SOTTO_TRY(sotto_i_new_raw(&window, SOTTO_I_WINDOW_ROWS * source->cols, sizeof *window, err));
  SOTTO_TRY(sotto_i_row_source_gather(out->data, source->cols, source, rows, count, window, err));
done:
  sotto_i_free(window);
  return status;
}

static sotto_status all_rows(sotto_matrix *out, const sotto_i_row_source *source, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(out, source->rows, source->cols, err));
  for (size_t first = 0; first < source->rows; first += SOTTO_I_WINDOW_ROWS) {
    const size_t left = source->rows - first, count = left < SOTTO_I_WINDOW_ROWS ? left : SOTTO_I_WINDOW_ROWS;
    SOTTO_TRY(source->read(source->context, out->data + first * source->cols, first, count, err));
  }
done:
  return status;
}

sotto_status sotto_i_row_source_held(sotto_matrix *out, sotto_matrix *room, const sotto_i_row_source *source,
                                     const sotto_i_rank_rows *held, sotto_error *err) {
  const bool there = source->matrix != NULL && source->held == held;
  sotto_status status = SOTTO_OK;
  if (!there && held != NULL)
    status = sotto_i_row_source_take(room, source, held->nodes, held->count, err);
  else if (!there)
    status = all_rows(room, source, err);
  *out = there ? *source->matrix : *room;
  return status;
}

typedef struct row_choice {
  const sotto_i_row_source *source;
  const uint32_t *rows; /* NULL: consecutive from `first` on */
  size_t first;
} row_choice;

static uint64_t chosen_row(const row_choice *c, size_t i) {
  return c->rows == NULL ? c->first + i : c->rows[i];
}

/* Entries that become 0 by scaling are left out, as for a dense row. */
static size_t fill_row(const void *context, size_t i, uint32_t *columns, float *values) {
  const row_choice *c = context;
  const sotto_entries *from = c->source->entries;
  const uint64_t v = chosen_row(c, i);
  const float factor = c->source->factor == NULL ? 1 : c->source->factor[v];
  size_t count = 0;
  for (uint64_t e = from->offsets[v]; e < from->offsets[v + 1]; e++) {
    const float value = from->values[e] * factor;
    if (value == 0.0F) continue;
    columns[count] = from->columns[e];
    values[count++] = value;
  }
  return count;
}

static sotto_status take_entries(sotto_i_sparse *out, const row_choice *c, size_t count, sotto_error *err) {
  const uint64_t *offsets = c->source->entries->offsets;
  uint64_t most = 0;
  for (size_t i = 0; i < count; i++) most += offsets[chosen_row(c, i) + 1] - offsets[chosen_row(c, i)];
  return sotto_i_sparse_of_rows(out, count, c->source->cols, most, fill_row, c, err);
}

sotto_status sotto_i_row_source_entries(sotto_i_sparse *out, const sotto_i_row_source *source,
                                        const uint32_t *rows, size_t count, sotto_error *err) {
  const row_choice c = {.source = source, .rows = rows};
  return take_entries(out, &c, count, err);
}

sotto_var sotto_i_row_source_var(sotto_i_row_room *room, sotto_tape *tape, const sotto_i_row_source *source,
                                 size_t first, size_t count) {
  sotto_error err = {0};
  sotto_status status = SOTTO_OK;
  sotto_matrix rows;
  if (source->entries != NULL) {
    const row_choice c = {.source = source, .first = first};
    status = take_entries(&room->entries, &c, count, &err);
    if (status != SOTTO_OK) return sotto_i_tape_fail(tape, status, "%s", err.text);
    return sotto_i_tape_entries(tape, &(sotto_i_sparse_view){&room->entries, NULL});
  }
  if (source->matrix == NULL && room->held < count * source->cols) {
    sotto_i_row_room_free(room);
    room->held = count * source->cols;
    status = sotto_i_new_raw(&room->rows, room->held, sizeof *room->rows, &err);
  }
  if (status == SOTTO_OK) status = sotto_i_row_source_rows(&rows, source, room->rows, first, count, &err);
  if (status != SOTTO_OK) return sotto_i_tape_fail(tape, status, "%s", err.text);
  sotto_i_tape_forget(tape, rows.data);
  return sotto_tape_fixed(tape, &rows);
}

void sotto_i_row_room_free(sotto_i_row_room *room) {
  sotto_i_free(room->rows);
  sotto_i_sparse_free(&room->entries);
  *room = (sotto_i_row_room){0};
}
