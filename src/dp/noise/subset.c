/* Subset selection over k choices (Ye and Barg 2018).
 *
 * An answer is a set S of w choices. With flip probability f, Pr[truth in S] = 1 - f, and S is uniform among
 * the sets with the truth, or among those without it. So Pr[S | truth] takes two values, (1 - f) / C(k-1,
 * w-1) and f / C(k-1, w), and epsilon = log((1 - f)(k - w) / (f w)). f is rounded up to a multiple of 2^-64,
 * past the error of the arithmetic. */
#include <math.h>
#include <sodium.h>

#include "base/error.h"
#include "base/threads.h"
#include "exact.h"
#include "inside/dp.h"
#include "sotto/dp.h"

enum { values_per_range = 64 };

static double flip_probability(const sotto_subset *subset) {
  return ldexp((double)subset->flip, -64);
}

void sotto_subset_chances(double *truth, double *other, const sotto_subset *subset) {
  *truth = 1 - flip_probability(subset);
  *other = ((double)subset->members - *truth) / ((double)subset->choices - 1);
}

/* The variance of the estimated count of a choice that nobody has, per answer (Ye and Barg 2018, proposition
 * 3.1). */
static double variance(double choices, double members, double epsilon) {
  const double truth = 1 / (1 + (choices - members) / members * exp(-epsilon));
  const double other = (members - truth) / (choices - 1);
  return other * (1 - other) / ((truth - other) * (truth - other));
}

static uint32_t best_members(uint32_t choices, double epsilon) {
  const double near = choices / (exp(epsilon) + 1);
  const uint32_t low = near < 1 ? 1 : (uint32_t)near;
  if (low + 1 >= choices) return low;
  return variance(choices, low + 1, epsilon) < variance(choices, low, epsilon) ? low + 1 : low;
}

sotto_status sotto_subset_new(sotto_subset *out, uint32_t choices, uint32_t members, double epsilon,
                              sotto_error *err) {
  if (choices < 2 || choices >= 1U << 24)
    return sotto_i_fail(err, SOTTO_RANGE, "subset selection over %u choices; it takes 2 to 2^24 - 1",
                        (unsigned)choices);
  if (members >= choices)
    return sotto_i_fail(err, SOTTO_RANGE, "a subset of %u of %u choices; leave at least one out",
                        (unsigned)members, (unsigned)choices);
  if (!(epsilon >= 1e-9 && epsilon <= 40))
    return sotto_i_fail(err, SOTTO_RANGE, "epsilon of subset selection is %g; it must be in [1e-9, 40]",
                        epsilon);
  sotto_subset made = {.choices = choices,
                       .members = members == 0 ? best_members(choices, epsilon) : members};
  const double in = made.members, others = (double)choices - in;
  const double flip = others / (in * exp(epsilon) + others) * (1 + 0x1p-50);
  made.flip = (uint64_t)ceil(ldexp(flip, 64));
  const double f = flip_probability(&made), honest = log((1 - f) * others / (f * in));
  if (!(honest > 0))
    return sotto_i_fail(err, SOTTO_RANGE,
                        "epsilon %g over %u choices is too small for probabilities of 64 bits", epsilon,
                        (unsigned)choices);
  made.epsilon = fmin(honest, epsilon);
  *out = made;
  return SOTTO_OK;
}

typedef struct work {
  int32_t *answers;
  const int32_t *values;
  const sotto_subset *subset;
  const sotto_key *key;
  uint32_t sub;
} work;

/* Selection sampling (Knuth, volume 2, algorithm S) among the other choices: one of `left` is taken with
 * probability wanted / left. */
static void draw_answers(void *context, size_t begin, size_t end) {
  const work *w = context;
  const uint32_t members = w->subset->members;
  sotto_i_random random;
  for (size_t i = begin; i < end; i++) {
    int32_t *out = w->answers + i * members;
    sotto_i_random_init(&random, w->key, SOTTO_I_PURPOSE_SUBSET, w->sub, i);
    const bool in = !sotto_i_coin(&random, w->subset->flip);
    uint32_t wanted = members - in, left = w->subset->choices - 1, count = 0;
    for (int32_t c = 0; (uint32_t)c < w->subset->choices; c++) {
      bool taken = in;
      if (c != w->values[i]) {
        taken = sotto_i_random_below(&random, left--) < wanted;
        wanted -= taken;
      }
      if (taken) out[count++] = c;
    }
  }
  sodium_memzero(&random, sizeof random);
}

sotto_status sotto_subset_apply(int32_t *answers, const int32_t *values, size_t count,
                                const sotto_subset *subset, const sotto_key *key, uint32_t sub,
                                sotto_error *err) {
  sotto_status status = sotto_i_check_secret(key, sub, err);
  if (status != SOTTO_OK) return status;
  if (subset->flip == 0 || subset->members < 1 || subset->members >= subset->choices)
    return sotto_i_fail(err, SOTTO_INVALID, "a subset that was not made by sotto_subset_new");
  for (size_t i = 0; i < count; i++)
    if (values[i] < 0 || (uint32_t)values[i] >= subset->choices)
      return sotto_i_fail(err, SOTTO_RANGE, "value %zu is not one of the %u choices", i,
                          (unsigned)subset->choices);
  work w = {answers, values, subset, key, sub};
  sotto_i_parallel(count, values_per_range, draw_answers, &w);
  return SOTTO_OK;
}

/* Between inputs i and j the loss is epsilon where S contains i and not j: probability (1 - f)(k - w) / (k -
 * 1). Over k' choices randomised response has e / (e + k' - 1) there, e = e^epsilon. Fewer choices are easier
 * to distinguish, so k' is rounded down. */
sotto_mechanism sotto_subset_mechanism(const sotto_subset *subset) {
  sotto_mechanism mechanism = sotto_mechanism_default(SOTTO_MECHANISM_RANDOMIZED_RESPONSE);
  const double k = subset->choices, w = subset->members;
  const double separated = (1 - flip_probability(subset)) * (k - w) / (k - 1) * (1 + 0x1p-40);
  const double others = floor(exp(subset->epsilon) * (1 / separated - 1));
  mechanism.choices = subset->members == 1 ? subset->choices : 1 + (uint64_t)fmax(1, others);
  mechanism.epsilon = nextafter(subset->epsilon, INFINITY);
  return mechanism;
}
