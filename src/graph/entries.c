/* Sparse features: validation, and expansion to a dense table. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "csr.h"
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

void sotto_i_entries_expand(float *out, const sotto_entries *e, uint64_t width, uint64_t first,
                            uint64_t count) {
  memset(out, 0, count * sizeof *out);
  for (uint64_t v = first / width; v * width < first + count; v++) {
    const uint64_t cell = v * width;
    for (uint64_t i = sotto_i_first_at_least(e->columns, e->offsets[v], e->offsets[v + 1],
                                             cell < first ? first - cell : 0);
         i < e->offsets[v + 1] && cell + e->columns[i] < first + count; i++)
      out[cell + e->columns[i] - first] = e->values[i];
  }
}
