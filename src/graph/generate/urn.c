/* Urns: draws by activity. */
#include "urn.h"

#include "base/memory.h"

sotto_status sotto_i_urn_new(sotto_i_urn *c, uint64_t most, sotto_error *err) {
  const sotto_status status = sotto_i_new_raw(&c->ids, most, sizeof *c->ids, err);
  return status == SOTTO_OK ? sotto_i_new_raw(&c->sums, most, sizeof *c->sums, err) : status;
}

void sotto_i_urn_free(sotto_i_urn *c) {
  sotto_i_free(c->ids);
  sotto_i_free(c->sums);
}

void sotto_i_urn_add(sotto_i_urn *c, uint32_t id, double activity) {
  c->ids[c->count] = id;
  c->sums[c->count] = activity + (c->count > 0 ? c->sums[c->count - 1] : 0);
  c->count++;
}

uint32_t sotto_i_urn_draw(const sotto_i_urn *c, sotto_i_random *random) {
  const double mark = sotto_i_random_double(random) * c->sums[c->count - 1];
  uint64_t low = 0, high = c->count - 1;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (c->sums[middle] <= mark)
      low = middle + 1;
    else
      high = middle;
  }
  return c->ids[low];
}
