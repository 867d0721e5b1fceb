/* Sparse features: what they promise, checked, and their dense table. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "features.h"

sotto_status sotto_i_entries_check(const sotto_i_parts *parts, sotto_error *err) {
  const sotto_i_entries *e = &parts->entries;
  if (e->offsets[0] != 0)
    return sotto_i_fail(err, SOTTO_CORRUPT, "the entries of features do not begin with the first");
  for (uint64_t v = 0; v < parts->nodes; v++)
    if (e->offsets[v] > e->offsets[v + 1])
      return sotto_i_fail(err, SOTTO_CORRUPT, "the features of node %llu end before they begin",
                          (unsigned long long)v);
  for (uint64_t v = 0; v < parts->nodes; v++)
    for (uint64_t i = e->offsets[v]; i < e->offsets[v + 1]; i++) {
      const bool ascends = i == e->offsets[v] || e->columns[i - 1] < e->columns[i];
      if (!ascends || e->columns[i] >= parts->width || sotto_i_is_zero(e->values[i]))
        return sotto_i_fail(err, SOTTO_CORRUPT,
                            "features of node %llu: entry %llu is 0, not below column %zu, or out of order",
                            (unsigned long long)v, (unsigned long long)(i - e->offsets[v]), parts->width);
      if (!isfinite(e->values[i]))
        return sotto_i_fail(err, SOTTO_NUMERIC, "feature %u of node %llu is not finite", e->columns[i],
                            (unsigned long long)v);
    }
  return SOTTO_OK;
}

/* The first entry of a row that is not before a column. */
static uint64_t entry_from(const sotto_entries *e, uint64_t row, uint64_t column) {
  uint64_t low = e->offsets[row], high = e->offsets[row + 1];
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (e->columns[middle] < column)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void sotto_i_entries_expand(float *out, const sotto_entries *e, uint64_t width, uint64_t first,
                            uint64_t count) {
  memset(out, 0, count * sizeof *out);
  for (uint64_t v = first / width; v * width < first + count; v++) {
    const uint64_t cell = v * width;
    for (uint64_t i = entry_from(e, v, cell < first ? first - cell : 0);
         i < e->offsets[v + 1] && cell + e->columns[i] < first + count; i++)
      out[cell + e->columns[i] - first] = e->values[i];
  }
}
