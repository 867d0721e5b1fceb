/* What a server works out from its shares of a client's vector and proof: values at two random points, each a
 * share of what both servers then see. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "check_inside.h"

/* The orders of roots whose polynomials are asked: squares and their sum, bits and theirs. */
static size_t nodes_of(const sotto_i_check_shape *shape, int which) {
  return (which < 2 ? shape->squares.nodes : shape->bits.nodes) << (which & 1);
}

/* Two points that differ and are no roots of unity of these orders. */
static void draw_points(uint64_t out[SOTTO_I_CHECK_REPEATS], const sotto_i_check_shape *shape,
                        const sotto_key *key) {
  sotto_i_random random;
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_SHARE, 0, 0);
  for (size_t t = 0; t < SOTTO_I_CHECK_REPEATS;) {
    const uint64_t r = sotto_i_random_below(&random, SOTTO_I_PRIME);
    if (r == 0 || (t > 0 && r == out[0]) || sotto_i_prime_power(r, nodes_of(shape, 1)) == 1 ||
        sotto_i_prime_power(r, nodes_of(shape, 3)) == 1)
      continue;
    out[t++] = r;
  }
}

sotto_status sotto_i_check_points_new(sotto_i_check_points *out, const sotto_i_check_plan *plan,
                                      sotto_i_check_role role, const uint8_t challenge[SOTTO_I_CHECK_KEY],
                                      const uint8_t coin[SOTTO_I_CHECK_KEY], sotto_error *err) {
  uint64_t points[SOTTO_I_CHECK_REPEATS];
  sotto_key key;
  sotto_status status = SOTTO_OK;
  *out = (sotto_i_check_points){.plan = plan, .adds = role == SOTTO_I_CHECK_LEADER};
  out->shape = sotto_i_check_shape_of(plan);
  sotto_i_check_public_key(&key, plan, challenge, coin);
  sotto_i_check_public_key(&out->key, plan, challenge, NULL);
  draw_points(points, &out->shape, &key);
  for (size_t t = 0; t < SOTTO_I_CHECK_REPEATS; t++) {

    for (int which = 0; which < 4; which++) {
      const size_t nodes = nodes_of(&out->shape, which);
      SOTTO_TRY(sotto_i_new(&out->lagrange[t][which], nodes, sizeof ***out->lagrange, err));
      sotto_i_lagrange(out->lagrange[t][which], nodes, points[t]);
    }
  }
  SOTTO_TRY(
      sotto_i_new(&out->digits, SOTTO_I_CHECK_GROUP * out->shape.bits.values, sizeof *out->digits, err));
done:
  return status;
}

void sotto_i_check_points_free(sotto_i_check_points *points) {
  for (size_t t = 0; t < SOTTO_I_CHECK_REPEATS; t++) {

    for (int which = 0; which < 4; which++) sotto_i_free(points->lagrange[t][which]);
  }
  sotto_i_free(points->digits);
  *points = (sotto_i_check_points){.plan = NULL};
}

/* All digits: those that are sent, and of each range the last, from what the digits stand for. */
static void fill_digits(uint64_t *digits, const sotto_i_check_points *p, const uint64_t *projections,
                        const uint64_t *proof) {
  const sotto_i_check_shape *s = &p->shape;
  uint64_t number = 0, inverse = 0, inverse_of = 0;
  for (size_t m = SOTTO_I_TABLE_FREE; m < s->squares.nodes; m++)
    number = sotto_i_prime_add(number, proof[s->squares_sum + 2 * m]);
  for (size_t i = 0; i < SOTTO_I_CHECK_RANGES; i++) {
    const sotto_i_check_range range = sotto_i_check_range_of(p->plan, s, i);
    const size_t last = range.digits - 1;
    const uint64_t *sent = proof + range.first - i, weight = sotto_i_check_digit_weight(&range, last);
    if (i > 0) number = p->adds ? sotto_i_prime_add(projections[i - 1], s->reach) : projections[i - 1];
    for (size_t d = 0; d < last; d++) {
      digits[range.first + d] = sent[d];
      number = sotto_i_prime_sub(number, sotto_i_prime_mul(sent[d], sotto_i_check_digit_weight(&range, d)));
    }
    if (weight != inverse_of) inverse = sotto_i_prime_inverse(inverse_of = weight);
    digits[range.first + last] = sotto_i_prime_mul(number, inverse);
  }
}

/* G of the bits at a point, from the values that were sent; rows of digits are zero. */
static uint64_t bits_sum_at(const sotto_i_check_shape *s, const uint64_t *sent, const uint64_t *lagrange) {
  uint64_t sum = 0;
  for (size_t m = 0; m < SOTTO_I_TABLE_FREE; m++)
    sum = sotto_i_prime_add(sum, sotto_i_prime_mul(sent[m], lagrange[2 * m]));
  for (size_t m = 0; m < s->bits.nodes; m++)
    sum = sotto_i_prime_add(sum, sotto_i_prime_mul(sent[SOTTO_I_TABLE_FREE + m], lagrange[2 * m + 1]));
  return sum;
}

typedef struct group {
  uint64_t *const *out;
  const sotto_i_check_points *points;
  const uint64_t *const *vectors, *const *proofs;
  uint64_t (*projections)[SOTTO_I_PROJECTIONS];
} group;

static void points_of_clients(void *context, size_t begin, size_t end) {
  const group *g = context;
  const sotto_i_check_points *p = g->points;
  const sotto_i_check_shape *s = &p->shape;
  for (size_t i = begin; i < end; i++) {
    const uint64_t *proof = g->proofs[i];
    uint64_t *digits = p->digits + i * s->bits.values, *out = g->out[i];
    fill_digits(digits, p, g->projections[i], proof);
    for (size_t t = 0; t < SOTTO_I_CHECK_REPEATS; t++) {
      sotto_i_table_at(out, &s->squares, g->vectors[i], proof + s->squares_free, p->lagrange[t][0]);
      out += s->squares.width;
      sotto_i_table_at(out, &s->bits, digits, proof + s->bits_free, p->lagrange[t][2]);
      out += s->bits.width;
      *out++ = sotto_i_prime_best()->dot(proof + s->squares_sum, p->lagrange[t][1], 2 * s->squares.nodes);
      *out++ = bits_sum_at(s, proof + s->bits_sum, p->lagrange[t][3]);
    }
  }
}

sotto_status sotto_i_check_points_of(uint64_t *const *out, const sotto_i_check_points *points,
                                     const uint64_t *const *vectors, const uint64_t *const *proofs,
                                     size_t count, sotto_error *err) {
  uint64_t projections[SOTTO_I_CHECK_GROUP][SOTTO_I_PROJECTIONS];
  group g = {out, points, vectors, proofs, projections};
  SOTTO_I_CHECK(count <= SOTTO_I_CHECK_GROUP);
  sotto_status status = sotto_i_project(projections, vectors, count, points->plan->values, &points->key, err);
  if (status == SOTTO_OK) sotto_i_parallel(count, 1, points_of_clients, &g);
  return status;
}

bool sotto_i_check_holds(const sotto_i_check_points *points, const uint64_t *ours, const uint64_t *theirs) {
  const sotto_i_check_shape *s = &points->shape;
  bool holds = true;
  for (size_t t = 0; t < SOTTO_I_CHECK_REPEATS; t++) {
    uint64_t squares = 0, bits = 0;
    for (size_t c = 0; c < s->squares.width; c++) {
      const uint64_t f = sotto_i_prime_add(*ours++, *theirs++);
      squares = sotto_i_prime_add(squares, sotto_i_prime_mul(f, f));
    }
    for (size_t c = 0; c < s->bits.width; c++) {
      const uint64_t f = sotto_i_prime_add(*ours++, *theirs++);
      bits = sotto_i_prime_add(bits, sotto_i_prime_mul(f, sotto_i_prime_sub(f, 1)));
    }
    holds &= sotto_i_prime_add(*ours++, *theirs++) == squares;
    holds &= sotto_i_prime_add(*ours++, *theirs++) == bits;
  }
  return holds;
}
