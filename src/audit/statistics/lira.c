/* Likelihood ratios against shadow models (Carlini et al. 2022). */
#include <math.h>

#include "audit.h"
#include "base/memory.h"
#include "inside/audit.h"

enum { least_models = 4 };

typedef struct table {
  const double *confidence;
  const uint8_t *members;
  size_t models, examples;
} table;

/* The mean over the models, except `without`, for which the example is, or is not, a member; false if there
 * is none. */
static bool side_mean(double *mean, const table *t, size_t example, bool member, size_t without) {
  double sum = 0;
  size_t count = 0;
  for (size_t i = 0; i < t->models; i++) {
    size_t place = i * t->examples + example;
    if (i == without || (t->members[place] != 0) != member) continue;
    sum += t->confidence[place];
    count++;
  }
  *mean = count > 0 ? sum / (double)count : 0;
  return count > 0;
}

/* The variance of one side's values around each example's mean: a few shadow models cannot estimate the
 * variance of a single example. */
static double side_variance(const table *t, bool member) {
  double square = 0, mean;
  size_t count = 0, sides = 0;
  for (size_t j = 0; j < t->examples; j++) {
    if (!side_mean(&mean, t, j, member, t->models)) continue;
    sides++;
    for (size_t i = 0; i < t->models; i++) {
      size_t place = i * t->examples + j;
      if ((t->members[place] != 0) != member) continue;
      square += pow(t->confidence[place] - mean, 2);
      count++;
    }
  }
  return count > sides ? fmax(square / (double)(count - sides), 1e-12) : 1;
}

static double log_normal(double x, double mean, double variance) {
  return -(x - mean) * (x - mean) / (2 * variance) - log(variance) / 2;
}

sotto_status sotto_attack_lira(sotto_attack_result *out, const double *confidence, const uint8_t *members,
                               size_t models, size_t examples, double delta, sotto_error *err) {
  const table t = {confidence, members, models, examples};
  sotto_status status;
  double *scores = NULL;
  size_t in = 0, outside = 0, all = models * examples;
  if (models < least_models)
    return sotto_i_fail(err, SOTTO_RANGE, "shadows: %zu models are too few; %d are the least", models,
                        least_models);
  for (size_t i = 0; i < all; i++)
    if (!isfinite(confidence[i]))
      return sotto_i_fail(err, SOTTO_NUMERIC, "model %zu says nothing finite of example %zu", i / examples,
                          i % examples);
  SOTTO_TRY(sotto_i_new_raw(&scores, 2 * all, sizeof *scores, err));
  double with = side_variance(&t, true), without = side_variance(&t, false);
  for (size_t i = 0; i < all; i++) {
    double mean_in, mean_out, value = confidence[i];
    if (!side_mean(&mean_in, &t, i % examples, true, i / examples) ||
        !side_mean(&mean_out, &t, i % examples, false, i / examples))
      continue;
    double ratio = log_normal(value, mean_in, with) - log_normal(value, mean_out, without);
    if (members[i] != 0)
      scores[in++] = ratio;
    else
      scores[all + outside++] = ratio;
  }
  SOTTO_TRY(sotto_attack_measure(out, scores, in, scores + all, outside, delta, err));
  out->queries = models;
done:
  sotto_i_free(scores);
  return status;
}
