/* Exchange of bytes between all ranks in rounds: first the sizes, then the bytes. */
#include "exchange.h"

#include <string.h>

#include "base/memory.h"

sotto_status sotto_i_exchange_new(sotto_i_exchange *out, sotto_ranks *ranks, sotto_error *err) {
  sotto_status status;
  *out = (sotto_i_exchange){
      .ranks = ranks, .count = sotto_ranks_count(ranks), .number = sotto_ranks_number(ranks)};
  SOTTO_TRY(sotto_i_new(&out->out, out->count, sizeof *out->out, err));
  SOTTO_TRY(sotto_i_new(&out->in, out->count, sizeof *out->in, err));
done:
  if (status != SOTTO_OK) sotto_i_exchange_free(out);
  return status;
}

void sotto_i_exchange_free(sotto_i_exchange *x) {
  for (uint32_t r = 0; r < x->count; r++) {
    if (x->out != NULL) sotto_i_free(x->out[r].data);
    if (x->in != NULL) sotto_i_free(x->in[r].data);
  }
  sotto_i_free(x->out);
  sotto_i_free(x->in);
  *x = (sotto_i_exchange){0};
}

sotto_status sotto_i_exchange_put(sotto_i_exchange *x, uint32_t to, const void *data, size_t size,
                                  sotto_error *err) {
  sotto_i_mail *m = &x->out[to];
  const sotto_status status = sotto_i_grow(&m->data, &m->room, m->size + size, 1, err);
  if (status != SOTTO_OK) return status;
  if (size > 0) memcpy(m->data + m->size, data, size);
  m->size += size;
  return SOTTO_OK;
}

/* Exchanges the sizes. The lowest bit of each message says whether the rank has more. */
static sotto_status exchange_sizes(sotto_i_exchange *x, bool *more, sotto_error *err) {
  uint64_t *numbers = NULL;
  sotto_status status;
  const bool own = *more;
  SOTTO_TRY(sotto_i_new(&numbers, 2 * (size_t)x->count, sizeof *numbers, err));
  for (uint32_t r = 0; r < x->count; r++) numbers[r] = (uint64_t)x->out[r].size << 1 | (own ? 1 : 0);
  SOTTO_TRY(sotto_i_ranks_all_to_all(x->ranks, numbers + x->count, numbers, err));
  for (uint32_t r = 0; r < x->count; r++) {
    sotto_i_mail *m = &x->in[r];
    const uint64_t coming = numbers[x->count + r];
    *more = *more || (coming & 1) != 0;
    m->size = m->at = 0;
    if (r == x->number) continue;
    SOTTO_TRY(sotto_i_grow(&m->data, &m->room, (size_t)(coming >> 1), 1, err));
    m->size = (size_t)(coming >> 1);
  }
done:
  sotto_i_free(numbers);
  return status;
}

sotto_status sotto_i_exchange_pass(sotto_i_exchange *x, bool *more, sotto_error *err) {
  sotto_i_parcel *parcels = NULL;
  size_t used = 0;
  sotto_status status;
  SOTTO_TRY(exchange_sizes(x, more, err));
  SOTTO_TRY(sotto_i_new(&parcels, 2 * (size_t)x->count, sizeof *parcels, err));
  for (uint32_t r = 0; r < x->count; r++) {
    if (r == x->number) continue;
    if (x->out[r].size > 0)
      parcels[used++] = (sotto_i_parcel){.peer = r, .data = x->out[r].data, .bytes = x->out[r].size};
    if (x->in[r].size > 0)
      parcels[used++] =
          (sotto_i_parcel){.peer = r, .take = true, .data = x->in[r].data, .bytes = x->in[r].size};
  }
  SOTTO_TRY(sotto_i_ranks_pass(x->ranks, parcels, used, err));
  for (uint32_t r = 0; r < x->count; r++) {
    if (r == x->number) {
      const sotto_i_mail held = x->in[r];
      x->in[r] = x->out[r];
      x->out[r] = held;
    }
    x->out[r].size = 0;
  }
done:
  sotto_i_free(parcels);
  return status;
}

const void *sotto_i_exchange_take(sotto_i_exchange *x, uint32_t from, size_t size) {
  static const uint8_t nothing;
  sotto_i_mail *m = &x->in[from];
  if (m->size - m->at < size) return NULL;
  if (size == 0) return &nothing;
  m->at += size;
  return m->data + m->at - size;
}

sotto_status sotto_i_exchange_all(void **out, size_t *out_size, sotto_ranks *ranks, const void *data,
                                  size_t size, sotto_error *err) {
  sotto_i_exchange x = {0};
  uint8_t *all = NULL;
  bool more = false;
  sotto_status status;
  *out = NULL;
  *out_size = 0;
  SOTTO_TRY(sotto_i_exchange_new(&x, ranks, err));
  for (uint32_t r = 0; r < x.count; r++) SOTTO_TRY(sotto_i_exchange_put(&x, r, data, size, err));
  SOTTO_TRY(sotto_i_exchange_pass(&x, &more, err));
  for (uint32_t r = 0; r < x.count; r++) *out_size += x.in[r].size;
  SOTTO_TRY(sotto_i_new_raw(&all, *out_size, 1, err));
  for (size_t r = 0, at = 0; r < x.count; at += x.in[r].size, r++)
    if (x.in[r].size > 0) memcpy(all + at, x.in[r].data, x.in[r].size);
  *out = all;
done:
  sotto_i_exchange_free(&x);
  return status;
}
