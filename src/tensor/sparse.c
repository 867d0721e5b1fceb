/* Compressed rows of sparse matrices, and compressed columns made from them by counting. */
#include "sparse.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "kernels.h"

enum {
  most_full = 40,  /* percent of nonzero entries up to which compressed rows are worthwhile */
  line_grain = 64, /* rows per range of work */
  piece = 128,     /* entries picked at once */
  band = 256,      /* positions per band: their rows of the other factor fit into a near cache */
  least_band = 16, /* minimum entries per row and band for which bands are worthwhile */
};

static sotto_status lines_new(sotto_i_sparse_lines *lines, size_t count, size_t entries, sotto_error *err) {
  sotto_status status;
  lines->count = count;
  SOTTO_TRY(sotto_i_new(&lines->offsets, count + 1, sizeof *lines->offsets, err));
  SOTTO_TRY(sotto_i_new_raw(&lines->index, entries, sizeof *lines->index, err));
  SOTTO_TRY(sotto_i_new_raw(&lines->values, entries, sizeof *lines->values, err));
done:
  return status;
}

static void lines_free(sotto_i_sparse_lines *lines) {
  sotto_i_free(lines->offsets);
  sotto_i_free(lines->index);
  sotto_i_free(lines->values);
  sotto_i_free(lines->cuts);
  *lines = (sotto_i_sparse_lines){0};
}

/* Splits rows of `places` positions into bands, if they have enough entries. */
static sotto_status cut_bands(sotto_i_sparse_lines *lines, size_t places, sotto_error *err) {
  const size_t bands = (places + band - 1) / band, entries = lines->offsets[lines->count];
  if (bands < 2 || entries / bands / least_band < lines->count) return SOTTO_OK;
  sotto_status status = sotto_i_new_raw(&lines->cuts, lines->count * (bands + 1), sizeof *lines->cuts, err);
  if (status != SOTTO_OK) return status;
  lines->bands = bands;
  uint32_t *cut = lines->cuts;
  for (size_t i = 0; i < lines->count; i++) {
    size_t e = lines->offsets[i];
    for (size_t b = 0; b <= bands; b++) {
      while (e < lines->offsets[i + 1] && lines->index[e] < b * band) e++;
      *cut++ = (uint32_t)e;
    }
  }
  return SOTTO_OK;
}

static size_t count_entries(const sotto_matrix *matrix, size_t most) {
  size_t entries = 0;
  for (size_t i = 0; i < matrix->rows && entries <= most; i++) {
    const float *row = matrix->data + i * matrix->cols;
    for (size_t j = 0; j < matrix->cols; j++) entries += row[j] != 0.0F;
  }
  return entries;
}

static void fill_rows(sotto_i_sparse_lines *lines, const sotto_matrix *matrix) {
  size_t e = 0;
  for (size_t i = 0; i < matrix->rows; i++) {
    const float *row = matrix->data + i * matrix->cols;
    for (size_t j = 0; j < matrix->cols; j++) {
      if (row[j] == 0.0F) continue;
      lines->index[e] = (uint32_t)j;
      lines->values[e++] = row[j];
    }
    lines->offsets[i + 1] = e;
  }
}

sotto_status sotto_i_sparse_new(sotto_i_sparse *out, const sotto_matrix *matrix, sotto_error *err) {
  size_t most = matrix->rows * matrix->cols * most_full / 100;
  if (most > UINT32_MAX) most = UINT32_MAX;
  *out = (sotto_i_sparse){.of = matrix->data, .rows = matrix->rows, .cols = matrix->cols};
  if (matrix->rows > UINT32_MAX || matrix->cols > UINT32_MAX) return SOTTO_OK;
  size_t entries = count_entries(matrix, most);
  if (entries > most) return SOTTO_OK;
  sotto_status status;
  SOTTO_TRY(lines_new(&out->by_row, matrix->rows, entries, err));
  fill_rows(&out->by_row, matrix);
  SOTTO_TRY(cut_bands(&out->by_row, matrix->cols, err));
  out->worth = true;
done:
  if (status != SOTTO_OK) lines_free(&out->by_row);
  return status;
}

sotto_status sotto_i_sparse_of_rows(sotto_i_sparse *out, size_t rows, size_t cols, size_t most,
                                    sotto_i_sparse_fill fill, const void *context, sotto_error *err) {
  sotto_i_sparse_free(out);
  *out = (sotto_i_sparse){.rows = rows, .cols = cols};
  if (most > UINT32_MAX)
    return sotto_i_fail(err, SOTTO_RANGE, "%zu nonzero features are more than 2^32 - 1", most);
  sotto_i_sparse_lines *lines = &out->by_row;
  sotto_status status;
  SOTTO_TRY(lines_new(lines, rows, most, err));
  for (size_t i = 0; i < rows; i++) {
    const size_t at = lines->offsets[i];
    lines->offsets[i + 1] = at + fill(context, i, lines->index + at, lines->values + at);
  }
  SOTTO_TRY(cut_bands(lines, cols, err));
  out->worth = true;
done:
  if (status != SOTTO_OK) sotto_i_sparse_free(out);
  return status;
}

void sotto_i_sparse_free(sotto_i_sparse *sparse) {
  lines_free(&sparse->by_row);
  lines_free(&sparse->by_column);
  sotto_i_free(sparse->order);
  *sparse = (sotto_i_sparse){0};
}

/* Counting sort: counts, running sums, then each entry to the next position of its column. */
static void fill_columns(sotto_i_sparse *s) {
  const sotto_i_sparse_lines *rows = &s->by_row;
  sotto_i_sparse_lines *columns = &s->by_column;
  size_t *next = columns->offsets; /* offsets run one column ahead until the end */
  for (size_t e = 0; e < sotto_i_sparse_entries(s); e++) next[rows->index[e] + 1]++;
  for (size_t j = 0; j < s->cols; j++) next[j + 1] += next[j];
  for (size_t i = 0; i < rows->count; i++)
    for (size_t e = rows->offsets[i]; e < rows->offsets[i + 1]; e++) {
      size_t place = next[rows->index[e]]++;
      columns->index[place] = (uint32_t)i;
      columns->values[place] = rows->values[e];
      s->order[place] = (uint32_t)e;
    }
  memmove(next + 1, next, s->cols * sizeof *next);
  next[0] = 0;
}

sotto_status sotto_i_sparse_make_columns(sotto_i_sparse *s, sotto_error *err) {
  sotto_status status;
  if (s->order != NULL) return SOTTO_OK;
  SOTTO_TRY(lines_new(&s->by_column, s->cols, sotto_i_sparse_entries(s), err));
  SOTTO_TRY(sotto_i_new_raw(&s->order, sotto_i_sparse_entries(s), sizeof *s->order, err));
  fill_columns(s);
  SOTTO_TRY(cut_bands(&s->by_column, s->rows, err));
done:
  if (status != SOTTO_OK) {
    lines_free(&s->by_column);
    sotto_i_free(s->order);
    s->order = NULL;
  }
  return status;
}

typedef struct gather_job {
  float *y;
  const sotto_i_sparse_lines *lines;
  const float *values;   /* in the order of the entries; NULL: the values of the lines */
  const uint32_t *order; /* index into `values` for each entry; NULL: its own number */
  const sotto_matrix *x;
  const float *start;
  bool add;
} gather_job;

/* y = start + the sum of entries [from, to). A view has value 0 where dropout dropped an entry. Skipping
 * these changes no bit of a finite sum. */
static void gather_entries(const gather_job *j, float *y, const float *start, size_t from, size_t to) {
  const sotto_i_kernel_table *kernels = sotto_i_kernels();
  const uint32_t *index = j->lines->index;
  const size_t width = j->x->cols;
  uint32_t picked[piece + SOTTO_I_PICK_ROOM];
  float kept[piece + SOTTO_I_PICK_ROOM], ordered[piece];
  if (j->values == NULL || from == to) {
    kernels->gather(y, start, index + from, j->lines->values + from, to - from, j->x->data, width);
    return;
  }
  for (size_t e = from; e < to; e += piece) {
    const size_t n = to - e < piece ? to - e : piece;
    const float *values = j->order == NULL ? j->values + e : ordered;
    for (size_t i = 0; j->order != NULL && i < n; i++) ordered[i] = j->values[j->order[e + i]];
    const size_t count = kernels->pick(picked, kept, index + e, values, n);
    kernels->gather(y, start, picked, kept, count, j->x->data, width);
    start = y;
  }
}

/* One band at a time, so that rows of x and values by `order` stay in a near cache for all lines. */
static void gather_lines(void *context, size_t begin, size_t end) {
  const gather_job *j = context;
  const sotto_i_sparse_lines *lines = j->lines;
  const size_t width = j->x->cols, bands = lines->bands;
  for (size_t b = 0; b < (bands == 0 ? 1 : bands); b++)
    for (size_t i = begin; i < end; i++) {
      float *y = j->y + i * width;
      const uint32_t *cut = bands == 0 ? NULL : lines->cuts + i * (bands + 1) + b;
      const size_t from = bands == 0 ? lines->offsets[i] : cut[0];
      const size_t to = bands == 0 ? lines->offsets[i + 1] : cut[1];
      gather_entries(j, y, b > 0 || j->add ? y : j->start, from, to);
    }
}

void sotto_i_sparse_affine(sotto_matrix *y, const sotto_i_sparse_view *s, const sotto_matrix *w,
                           const float *bias) {
  gather_job j = {.y = y->data, .lines = &s->sparse->by_row, .values = s->values, .x = w, .start = bias};
  sotto_i_parallel(j.lines->count, line_grain, gather_lines, &j);
}

void sotto_i_sparse_transposed(sotto_matrix *y, const sotto_i_sparse_view *s, const sotto_matrix *x,
                               bool add) {
  gather_job j = {.y = y->data, .lines = &s->sparse->by_column, .values = s->values, .x = x, .add = add};
  j.order = s->sparse->order;
  sotto_i_parallel(j.lines->count, line_grain, gather_lines, &j);
}
