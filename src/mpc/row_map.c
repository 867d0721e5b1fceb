/* Maps of rows that one party knows: its rows are moved, or multiplied by its factors, under shares.
 *
 * Let X_j be the shares and i the owner. Each other party j expands R_j and U_j, sends X_j - R_j to the owner
 * and has U_j in its result. The dealer corrects by the map of R = sum R_j minus U = sum U_j, without knowing
 * the map: it has a random order r (random factors a) in its place, and what the others were shown turns that
 * into the owner's.
 * - in <= out: the others reorder U by d, r d = from. Correction: R moved by r, minus U.
 * - in > out: they reorder X_j by t, t r = from, before they mask it. The correction has `out` rows.
 * - Factors c: the others know e = c - a and add e R_j. Correction: a R - U. */
#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "inside/mpc.h"
#include "ring.h"

static size_t most(const sotto_row_map *m) {
  return m->in > m->out ? m->in : m->out;
}

static bool moves(const sotto_row_map *m) {
  return m->rest.data == NULL && m->random.data == NULL;
}

void sotto_row_map_free(sotto_row_map *m) {
  uint32_t *orders[] = {m->from, m->order, m->shown};
  for (size_t i = 0; i < 3; i++) {
    if (orders[i] != NULL) sodium_memzero(orders[i], most(m) * sizeof *orders[i]);
    sotto_i_free(orders[i]);
  }
  sotto_ring_free(&m->factor);
  sotto_ring_free(&m->random);
  sotto_ring_free(&m->rest);
  *m = (sotto_row_map){.owner = 0};
}

static sotto_status draw_order(sotto_row_map *m, const sotto_key *seed, uint64_t number, sotto_error *err) {
  sotto_i_random random;
  const sotto_status status = sotto_i_new_raw(&m->order, most(m), sizeof *m->order, err);
  if (status != SOTTO_OK) return status;
  for (size_t k = 0; k < most(m); k++) m->order[k] = (uint32_t)k;
  sotto_i_random_init(&random, seed, SOTTO_I_PURPOSE_SHARE, SOTTO_I_STREAM_ORDER, number);
  sotto_i_random_shuffle(&random, m->order, most(m));
  sodium_memzero(&random, sizeof random);
  return SOTTO_OK;
}

static sotto_status check_rows(size_t in, size_t out, sotto_error *err) {
  if (in < UINT32_MAX && out < UINT32_MAX) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_RANGE, "%zu rows are moved under shares; fewer than 2^32 can be",
                      in > out ? in : out);
}

sotto_status sotto_row_map_check(const sotto_row_map *m, sotto_error *err) {
  uint8_t *seen = NULL;
  sotto_status status;
  if (!moves(m)) return SOTTO_OK;
  SOTTO_TRY(sotto_i_new(&seen, most(m), 1, err));
  for (size_t k = 0; k < most(m); k++) {
    if (m->shown[k] >= most(m) || seen[m->shown[k]] != 0) {
      status = sotto_i_fail(err, SOTTO_INVALID, "party %zu: what it sent is no order of %zu rows", m->owner,
                            most(m));
      goto done;
    }
    seen[m->shown[k]] = 1;
  }
done:
  sotto_i_free(seen);
  return status;
}

/* shown: d or t, above. */
static sotto_status disguise(sotto_row_map *m, sotto_error *err) {
  uint32_t *place = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&place, most(m), sizeof *place, err));
  for (size_t k = 0; k < most(m); k++) place[m->order[k]] = (uint32_t)k;
  for (size_t k = 0; k < most(m); k++) m->shown[k] = m->in <= m->out ? place[m->from[k]] : m->from[place[k]];
done:
  if (place != NULL) sodium_memzero(place, most(m) * sizeof *place);
  sotto_i_free(place);
  return status;
}

sotto_status sotto_row_map_move(sotto_row_map *out, sotto_mpc_party *party, size_t owner, size_t in,
                                size_t rows, const uint32_t *from, sotto_error *err) {
  const uint64_t number = party->next++;
  sotto_status status;
  *out = (sotto_row_map){.owner = owner, .in = in, .out = rows};
  SOTTO_I_CHECK((from != NULL) == (party->party == owner));
  SOTTO_TRY(check_rows(in, rows, err));
  SOTTO_TRY(sotto_i_new_raw(&out->shown, most(out), sizeof *out->shown, err));
  if (from == NULL) goto done;
  SOTTO_TRY(sotto_i_new_raw(&out->from, most(out), sizeof *out->from, err));
  memcpy(out->from, from, most(out) * sizeof *from);
  SOTTO_TRY(draw_order(out, &party->seed, number, err));
  SOTTO_TRY(disguise(out, err));
  SOTTO_TRY(sotto_row_map_check(out, err));
done:
  if (status != SOTTO_OK) sotto_row_map_free(out);
  return status;
}

sotto_status sotto_row_map_scale(sotto_row_map *out, sotto_mpc_party *party, size_t owner,
                                 const sotto_ring *factor, size_t rows, sotto_error *err) {
  const uint64_t number = party->next++;
  sotto_status status;
  *out = (sotto_row_map){.owner = owner, .in = rows, .out = rows};
  SOTTO_I_CHECK((factor != NULL) == (party->party == owner));
  SOTTO_TRY(sotto_ring_new(&out->rest, rows, 1, err));
  if (factor == NULL) goto done;
  SOTTO_TRY(sotto_i_ring_expand_new(&out->random, rows, 1, &party->seed, SOTTO_I_STREAM_MASK, number, err));
  SOTTO_TRY(sotto_ring_new(&out->factor, rows, 1, err));
  sotto_ring_add(&out->factor, &out->factor, factor);
  sotto_ring_subtract(&out->rest, factor, &out->random);
done:
  if (status != SOTTO_OK) sotto_row_map_free(out);
  return status;
}

sotto_status sotto_dealer_move(sotto_row_map *out, sotto_dealer *dealer, size_t owner, size_t in, size_t rows,
                               sotto_error *err) {
  *out = (sotto_row_map){.owner = owner, .in = in, .out = rows};
  const sotto_status status = check_rows(in, rows, err);
  return status != SOTTO_OK ? status : draw_order(out, &dealer->seeds[owner], dealer->next++, err);
}

sotto_status sotto_dealer_scale(sotto_row_map *out, sotto_dealer *dealer, size_t owner, size_t rows,
                                sotto_error *err) {
  *out = (sotto_row_map){.owner = owner, .in = rows, .out = rows};
  return sotto_i_ring_expand_new(&out->random, rows, 1, &dealer->seeds[owner], SOTTO_I_STREAM_MASK,
                                 dealer->next++, err);
}

typedef struct addition {
  sotto_ring *to;
  const sotto_ring *from;
  const uint32_t *rows;
  const uint64_t *factor;
} addition;

static void add_range(void *context, size_t begin, size_t end) {
  const addition *a = context;
  const size_t cols = a->to->cols;
  for (size_t k = begin; k < end; k++) {
    const size_t row = a->rows == NULL ? k : a->rows[k];
    const uint64_t by = a->factor == NULL ? 1 : a->factor[k];
    if (row >= a->from->rows) continue;
    uint64_t *to = a->to->data + k * cols;
    const uint64_t *from = a->from->data + row * cols;
    for (size_t j = 0; j < cols; j++) to[j] += by * from[j];
  }
}

/* Row k of `to` += factor[k] times row rows[k] of `from`, which is zero beyond its end. NULL: 1; k. */
static void add_rows(sotto_ring *to, const sotto_ring *from, const uint32_t *rows, const uint64_t *factor) {
  addition a = {to, from, rows, factor};
  sotto_i_parallel(to->rows, 1024, add_range, &a);
}

/* Row k of *mask becomes row rows[k] of `share` minus row k of *mask. */
static void mask_range(void *context, size_t begin, size_t end) {
  const addition *a = context;
  const size_t cols = a->to->cols;
  for (size_t k = begin; k < end; k++) {
    uint64_t *to = a->to->data + k * cols;
    const uint64_t *from = a->from->data + (a->rows == NULL ? k : a->rows[k]) * cols;
    for (size_t j = 0; j < cols; j++) to[j] = from[j] - to[j];
  }
}

sotto_status sotto_row_map_ask(sotto_ring *out, sotto_ring *message, sotto_mpc_party *party,
                               const sotto_row_map *m, const sotto_ring *share, sotto_error *err) {
  const uint64_t number = party->next++;
  const size_t cols = share->cols;
  const bool early = moves(m) && m->in > m->out;
  addition masked = {message, share, early ? m->shown : NULL, NULL};
  sotto_ring made = {0};
  sotto_status status;
  SOTTO_I_CHECK(party->party != m->owner && share->rows == m->in);
  *out = *message = (sotto_ring){0};
  SOTTO_TRY(sotto_i_ring_expand_new(message, m->in, cols, &party->seed, SOTTO_I_STREAM_MASK, number, err));
  SOTTO_TRY(sotto_i_ring_expand_new(&made, m->out, cols, &party->seed, SOTTO_I_STREAM_PRODUCT, number, err));
  if (!moves(m)) add_rows(&made, message, NULL, m->rest.data);
  sotto_i_parallel(m->in, 1024, mask_range, &masked);
  if (moves(m) && !early) {
    SOTTO_TRY(sotto_ring_new(out, m->out, cols, err));
    add_rows(out, &made, m->shown, NULL);
  } else {
    *out = made;
    made = (sotto_ring){0};
  }
done:
  sotto_ring_free(&made);
  if (status != SOTTO_OK) {
    sotto_ring_free(out);
    sotto_ring_free(message);
  }
  return status;
}

sotto_status sotto_row_map_apply(sotto_ring *out, sotto_mpc_party *party, const sotto_row_map *m,
                                 const sotto_ring *share, const sotto_ring *asked,
                                 const sotto_ring *correction, sotto_error *err) {
  const bool early = moves(m) && m->in > m->out;
  sotto_status status;
  party->next++;
  SOTTO_I_CHECK(party->party == m->owner && share->rows == m->in && asked->rows == m->in &&
                correction->rows == m->out && correction->cols == share->cols && asked->cols == share->cols);
  SOTTO_TRY(sotto_ring_new(out, m->out, share->cols, err));
  add_rows(out, share, m->from, m->factor.data);
  add_rows(out, asked, early ? m->order : m->from, m->factor.data);
  add_rows(out, correction, early ? NULL : m->shown, NULL);
done:
  return status;
}

sotto_status sotto_dealer_row_map(sotto_ring *correction, sotto_dealer *dealer, const sotto_row_map *m,
                                  size_t cols, sotto_error *err) {
  const uint64_t number = dealer->next++;
  sotto_ring mask = {0}, whole = {0}, made = {0};
  sotto_status status;
  *correction = (sotto_ring){0};
  SOTTO_TRY(sotto_ring_new(correction, m->out, cols, err));
  SOTTO_TRY(sotto_ring_new(&made, m->out, cols, err));
  SOTTO_TRY(sotto_ring_new(&mask, m->in, cols, err));
  SOTTO_TRY(sotto_ring_new(&whole, m->in, cols, err));
  for (size_t p = 0; p < dealer->parties; p++) {
    if (p == m->owner) continue;
    sotto_i_ring_expand(&mask, &dealer->seeds[p], SOTTO_I_STREAM_MASK, number);
    sotto_ring_add(&whole, &whole, &mask);
    sotto_i_ring_expand(&made, &dealer->seeds[p], SOTTO_I_STREAM_PRODUCT, number);
    sotto_ring_subtract(correction, correction, &made);
  }
  add_rows(correction, &whole, m->order, m->random.data);
done:
  sotto_ring_free(&mask);
  sotto_ring_free(&whole);
  sotto_ring_free(&made);
  if (status != SOTTO_OK) sotto_ring_free(correction);
  return status;
}
