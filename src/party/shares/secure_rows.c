/* Arithmetic on shared matrices: rows that one holder moves or multiplies, as it alone knows. */
#include "base/error.h"
#include "inside/party.h"
#include "secure.h"

/* Sends the owner's disguised map to the other holders, and receives it there. */
static sotto_status show_words(sotto_i_secure *s, size_t owner, const char *name, void *data, size_t rows,
                               size_t cols, sotto_error *err) {
  const sotto_words words = {
      .name = name, .kind = SOTTO_WIRE_SHARE, .data = data, .rows = rows, .cols = cols};
  const sotto_expectation expected = {.name = name, .kind = SOTTO_WIRE_SHARE, .rows = rows, .cols = cols};
  sotto_status status = SOTTO_OK;
  if (s->peers->self != owner) return sotto_link_receive_words(s->peers->holder[owner], data, &expected, err);
  for (size_t i = 0; status == SOTTO_OK && i < s->holders; i++)
    if (i != owner) status = sotto_link_send_words(s->peers->holder[i], &words, err);
  return status;
}

sotto_status sotto_i_secure_move(sotto_row_map *out, sotto_i_secure *s, size_t owner, size_t in, size_t rows,
                                 const uint32_t *from, sotto_error *err) {
  sotto_status status;
  if (s->dealing) return sotto_dealer_move(out, &s->dealer, owner, in, rows, err);
  SOTTO_TRY(sotto_row_map_move(out, &s->party, owner, in, rows, from, err));
  SOTTO_TRY(show_words(s, owner, "order", out->shown, in > rows ? in : rows, 1, err));
  SOTTO_TRY(sotto_row_map_check(out, err));
done:
  return status;
}

sotto_status sotto_i_secure_scale(sotto_row_map *out, sotto_i_secure *s, size_t owner,
                                  const sotto_ring *factor, size_t rows, sotto_error *err) {
  sotto_status status;
  if (s->dealing) return sotto_dealer_scale(out, &s->dealer, owner, rows, err);
  SOTTO_TRY(sotto_row_map_scale(out, &s->party, owner, factor, rows, err));
  SOTTO_TRY(show_words(s, owner, "factors", out->rest.data, rows, 2, err));
done:
  return status;
}

/* The sum of all other holders' messages. */
static sotto_status receive_asked(sotto_ring *sum, const sotto_i_secure *s, size_t rows, size_t cols,
                                  sotto_error *err) {
  sotto_ring message = {0};
  sotto_status status;
  SOTTO_TRY(sotto_ring_new(sum, rows, cols, err));
  for (size_t i = 0; i < s->holders; i++) {
    if (i == s->peers->self) continue;
    SOTTO_TRY(sotto_i_receive_ring(&message, s->peers->holder[i], "rows", rows, cols, err));
    sotto_ring_add(sum, sum, &message);
    sotto_ring_free(&message);
  }
done:
  sotto_ring_free(&message);
  return status;
}

static sotto_status apply_owned(sotto_i_secret *out, sotto_i_secure *s, const sotto_row_map *map,
                                const sotto_i_secret *x, sotto_error *err) {
  sotto_ring asked = {0}, correction = {0};
  sotto_status status;
  SOTTO_TRY(receive_asked(&asked, s, x->rows, x->cols, err));
  SOTTO_TRY(sotto_i_receive_ring(&correction, s->peers->dealer, "correction", out->rows, out->cols, err));
  SOTTO_TRY(sotto_row_map_apply(&out->share, &s->party, map, &x->share, &asked, &correction, err));
done:
  sotto_ring_free(&asked);
  sotto_ring_free(&correction);
  return status;
}

sotto_status sotto_i_secure_map(sotto_i_secret *out, sotto_i_secure *s, const sotto_row_map *map,
                                const sotto_i_secret *x, sotto_error *err) {
  sotto_ring message = {0};
  sotto_status status;
  *out = (sotto_i_secret){.rows = map->out, .cols = x->cols};
  if (s->dealing) {
    SOTTO_TRY(sotto_dealer_row_map(&message, &s->dealer, map, x->cols, err));
    SOTTO_TRY(sotto_i_send_ring(s->links[map->owner], "correction", &message, err));
  } else if (s->peers->self == map->owner) {
    SOTTO_TRY(apply_owned(out, s, map, x, err));
  } else {
    SOTTO_TRY(sotto_row_map_ask(&out->share, &message, &s->party, map, &x->share, err));
    SOTTO_TRY(sotto_i_send_ring(s->peers->holder[map->owner], "rows", &message, err));
  }
done:
  sotto_ring_free(&message);
  return status;
}
