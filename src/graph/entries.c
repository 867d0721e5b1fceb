/* What sparse features promise, checked. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "dataset.h"

static bool is_zero(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits == 0;
}

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
      if (!ascends || e->columns[i] >= parts->width || is_zero(e->values[i]))
        return sotto_i_fail(err, SOTTO_CORRUPT,
                            "features of node %llu: entry %llu is 0, not below column %zu, or out of order",
                            (unsigned long long)v, (unsigned long long)(i - e->offsets[v]), parts->width);
      if (!isfinite(e->values[i]))
        return sotto_i_fail(err, SOTTO_NUMERIC, "feature %u of node %llu is not finite", e->columns[i],
                            (unsigned long long)v);
    }
  return SOTTO_OK;
}
