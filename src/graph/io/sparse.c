/* Sparse matrices of readers: checked, and read row by row in blocks of elements. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "read.h"

enum { block = 256 };

/* Elements first to first + count - 1 as integers. Negative values and other types come out above every
 * number of columns. */
static void load_indices(uint64_t out[block], const sotto_i_array *array, uint64_t first, size_t count) {
  const uint8_t *at = array->data + first * array->item;
  int32_t four;
  int64_t number;
  if (array->kind == 'i' && array->item == sizeof four) {
    for (size_t i = 0; i < count; i++) {
      memcpy(&four, at + i * sizeof four, sizeof four);
      out[i] = (uint64_t)(int64_t)four;
    }
  } else if (array->kind == 'i' && array->item == sizeof number) {
    memcpy(out, at, count * sizeof number);
  } else {
    for (size_t i = 0; i < count; i++)
      out[i] = sotto_i_array_integer(array, first + i, &number) ? (uint64_t)number : UINT64_MAX;
  }
}

static void load_values(float out[block], const sotto_i_array *array, uint64_t first, size_t count) {
  if (array->kind == 'f' && array->item == sizeof *out) {
    memcpy(out, array->data + first * sizeof *out, count * sizeof *out);
    return;
  }
  for (size_t i = 0; i < count; i++) out[i] = (float)sotto_i_array_double(array, first + i);
}

/* Position where a row of a checked matrix starts. */
static uint64_t row_start(const sotto_i_csr *s, uint64_t row) {
  int64_t start = 0;
  (void)sotto_i_array_integer(&s->starts, row, &start);
  return (uint64_t)start;
}

static size_t block_size(uint64_t at, uint64_t end) {
  return end - at < block ? (size_t)(end - at) : block;
}

/* Starts ascend from 0 to at most the number of indices. */
static sotto_status check_starts(const sotto_i_csr *s, const char *file, sotto_error *err) {
  uint64_t before = 0, starts[block];
  for (uint64_t first = 0; first <= s->rows; first += block) {
    const size_t count = block_size(first, s->rows + 1);
    load_indices(starts, &s->starts, first, count);
    for (size_t i = 0; i < count; i++) {
      const uint64_t row = first + i;
      if (starts[i] < before || (row == 0 && starts[i] != 0) || starts[i] > s->indices.count)
        return sotto_i_fail(err, SOTTO_PARSE,
                            "%s: %s: row start %llu is not between the one before and the %llu entries", file,
                            s->name, (unsigned long long)row, (unsigned long long)s->indices.count);
      before = starts[i];
    }
  }
  if (before != s->indices.count)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: %s: the row starts end at %llu, but there are %llu entries",
                        file, s->name, (unsigned long long)before, (unsigned long long)s->indices.count);
  return SOTTO_OK;
}

/* Whether a block of entries is in order, and its floats are finite. */
static bool are_valid(const sotto_i_csr *s, uint64_t first, size_t count) {
  const bool floats = s->values.data != NULL && s->values.kind == 'f';
  uint64_t indices[block], others = 0; /* the top bit: an index that is not below cols */
  load_indices(indices, &s->indices, first, count);
  for (size_t i = 0; i < count; i++) others |= indices[i] | ~(indices[i] - s->cols);
  if (others >> 63 != 0) return false;
  float values[block];
  uint32_t infinite = 0; /* nonzero when an exponent is all ones */
  if (!floats) return true;
  load_values(values, &s->values, first, count);
  for (size_t i = 0; i < count; i++) {
    uint32_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    infinite |= (bits & 0x7F800000) == 0x7F800000;
  }
  return infinite == 0;
}

sotto_status sotto_i_sparse_check(const sotto_i_csr *s, const char *file, sotto_error *err) {
  if (s->rows == UINT64_MAX || s->starts.count != s->rows + 1)
    return sotto_i_fail(err, SOTTO_PARSE,
                        "%s: %s: %llu rows need one row start more than rows, but there are %llu", file,
                        s->name, (unsigned long long)s->rows, (unsigned long long)s->starts.count);
  if (s->values.data != NULL && s->values.count != s->indices.count)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: %s: %llu indices, but %llu values", file, s->name,
                        (unsigned long long)s->indices.count, (unsigned long long)s->values.count);
  sotto_status status = check_starts(s, file, err);
  if (status != SOTTO_OK) return status;
  for (uint64_t first = 0; first < s->indices.count; first += block) {
    const size_t count = block_size(first, s->indices.count);
    if (are_valid(s, first, count)) continue;
    for (uint64_t i = first; i < first + count; i++) {
      int64_t index;
      if (!sotto_i_array_integer(&s->indices, i, &index) || index < 0 || (uint64_t)index >= s->cols)
        return sotto_i_fail(err, SOTTO_RANGE, "%s: %s: index %llu is not below %llu", file, s->name,
                            (unsigned long long)i, (unsigned long long)s->cols);
      if (s->values.data != NULL && s->values.kind == 'f' &&
          !(fabs(sotto_i_array_double(&s->values, i)) <= FLT_MAX))
        return sotto_i_fail(err, SOTTO_NUMERIC, "%s: %s: value %llu is not a finite float32", file, s->name,
                            (unsigned long long)i);
    }
  }
  return SOTTO_OK;
}

void sotto_i_csr_row(const void *sparse, uint64_t row, float *out) {
  const sotto_i_csr *s = sparse;
  const uint64_t end = row_start(s, row + 1);
  uint64_t indices[block];
  float values[block];
  for (uint64_t at = row_start(s, row); at < end; at += block) {
    const size_t count = block_size(at, end);
    load_indices(indices, &s->indices, at, count);
    load_values(values, &s->values, at, count);
    for (size_t i = 0; i < count; i++) out[indices[i]] += values[i];
  }
}

size_t sotto_i_csr_entries(const void *sparse, uint64_t row, uint32_t *columns, float *values) {
  const sotto_i_csr *s = sparse;
  const uint64_t begin = row_start(s, row), end = row_start(s, row + 1);
  uint64_t indices[block], least = 0; /* smallest allowed next column */
  size_t done = 0;
  for (uint64_t at = begin; at < end; at += block) {
    const size_t count = block_size(at, end);
    load_indices(indices, &s->indices, at, count);
    load_values(values + done, &s->values, at, count);
    for (size_t i = 0; i < count; i++) {
      const float sum = 0 + values[done + i]; /* as in a row of zeros: -0 becomes 0 */
      if (indices[i] < least || sum == 0) return SIZE_MAX;
      columns[done + i] = (uint32_t)indices[i];
      least = indices[i] + 1;
    }
    done += count;
  }
  return done;
}

sotto_status sotto_i_sparse_edges(sotto_i_parts *parts, const sotto_i_csr *adj, const char *file,
                                  sotto_error *err) {
  sotto_status status;
  sotto_i_edge_list pairs = {0};
  bool weighted = false;
  uint64_t indices[block];
  if (adj->rows > UINT32_MAX)
    return sotto_i_fail(err, SOTTO_RANGE, "%s: %llu nodes are more than 2^32 - 1", file,
                        (unsigned long long)adj->rows);
  SOTTO_TRY(sotto_i_edge_list_room(&pairs, adj->indices.count, err));
  for (uint64_t v = 0, end = 0; v < adj->rows; v++) {
    uint64_t at = end;
    for (end = row_start(adj, v + 1); at < end; at += block) {
      const size_t count = block_size(at, end);
      load_indices(indices, &adj->indices, at, count);
      for (size_t i = 0; i < count; i++) {
        const double value = adj->values.data == NULL ? 1 : sotto_i_array_double(&adj->values, at + i);
        if (value == 0) continue;
        weighted = weighted || value != 1;
        pairs.from[pairs.count] = (uint32_t)v;
        pairs.to[pairs.count++] = (uint32_t)indices[i];
      }
    }
  }
  SOTTO_TRY(sotto_i_parts_take_edges(parts, adj->rows, &pairs, file, err));
  if (weighted) SOTTO_TRY(sotto_i_reading_weights(parts, err));
done:
  sotto_i_edge_list_free(&pairs);
  return status;
}
