/* Collective operations of ranks, made of point-to-point parcels. Sums are made at rank 0 in the order of
 * the ranks. */
#include "base/memory.h"
#include "ranks.h"

sotto_status sotto_i_ranks_pass(sotto_ranks *ranks, const sotto_i_parcel *parcels, size_t count,
                                sotto_error *err) {
  sotto_i_route *route = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_route_new(&route, ranks, parcels, count, err));
  SOTTO_TRY(sotto_i_route_run(route, err));
done:
  sotto_i_route_free(route);
  return status;
}

static bool is_alone(const sotto_ranks *ranks) {
  return ranks == NULL || sotto_ranks_count(ranks) == 1;
}

sotto_status sotto_i_ranks_give(sotto_ranks *ranks, void *data, uint64_t bytes, sotto_error *err) {
  sotto_i_parcel *parcels = NULL;
  sotto_status status;
  if (is_alone(ranks)) return SOTTO_OK;
  const uint32_t count = sotto_ranks_count(ranks);
  if (!sotto_i_ranks_first(ranks)) {
    const sotto_i_parcel taken = {.peer = 0, .take = true, .data = data, .bytes = bytes};
    return sotto_i_ranks_pass(ranks, &taken, 1, err);
  }
  SOTTO_TRY(sotto_i_new(&parcels, count - 1, sizeof *parcels, err));
  for (uint32_t r = 1; r < count; r++)
    parcels[r - 1] = (sotto_i_parcel){.peer = r, .data = data, .bytes = bytes};
  SOTTO_TRY(sotto_i_ranks_pass(ranks, parcels, count - 1, err));
done:
  sotto_i_free(parcels);
  return status;
}

sotto_status sotto_i_ranks_sum(sotto_ranks *ranks, uint64_t *values, size_t count, sotto_error *err) {
  uint64_t *other = NULL;
  sotto_status status = SOTTO_OK;
  const uint64_t bytes = count * sizeof *values;
  if (is_alone(ranks)) return SOTTO_OK;
  if (!sotto_i_ranks_first(ranks)) {
    const sotto_i_parcel sent = {.peer = 0, .data = values, .bytes = bytes};
    SOTTO_TRY(sotto_i_ranks_pass(ranks, &sent, 1, err));
  } else {
    SOTTO_TRY(sotto_i_new(&other, count, sizeof *other, err));
    for (uint32_t r = 1; r < sotto_ranks_count(ranks); r++) {
      const sotto_i_parcel taken = {.peer = r, .take = true, .data = other, .bytes = bytes};
      SOTTO_TRY(sotto_i_ranks_pass(ranks, &taken, 1, err));
      for (size_t i = 0; i < count; i++) values[i] += other[i];
    }
  }
  SOTTO_TRY(sotto_i_ranks_give(ranks, values, bytes, err));
done:
  sotto_i_free(other);
  return status;
}

sotto_status sotto_i_ranks_meet(sotto_ranks *ranks, sotto_error *err) {
  uint64_t one = 1;
  return sotto_i_ranks_sum(ranks, &one, 1, err);
}

sotto_status sotto_i_ranks_all_to_all(sotto_ranks *ranks, uint64_t *out, const uint64_t *numbers,
                                      sotto_error *err) {
  const uint32_t count = sotto_ranks_count(ranks), number = sotto_ranks_number(ranks);
  sotto_i_parcel *parcels = NULL;
  uint64_t *sent = NULL;
  sotto_status status;
  size_t used = 0;
  SOTTO_TRY(sotto_i_new(&parcels, 2 * (size_t)count, sizeof *parcels, err));
  SOTTO_TRY(sotto_i_new(&sent, count, sizeof *sent, err));
  for (uint32_t r = 0; r < count; r++) {
    sent[r] = numbers[r];
    if (r == number) continue;
    parcels[used++] = (sotto_i_parcel){.peer = r, .data = &sent[r], .bytes = sizeof *sent};
    parcels[used++] = (sotto_i_parcel){.peer = r, .take = true, .data = &out[r], .bytes = sizeof *out};
  }
  out[number] = numbers[number];
  SOTTO_TRY(sotto_i_ranks_pass(ranks, parcels, used, err));
done:
  sotto_i_free(parcels);
  sotto_i_free(sent);
  return status;
}

sotto_status sotto_ranks_text(sotto_ranks *ranks, char *text, size_t size, sotto_error *err) {
  return sotto_i_ranks_give(ranks, text, size, err);
}
