/* Exact t-SNE on a distance table (van der Maaten and Hinton 2008). */
#include <math.h>
#include <string.h>

#include "base/cancel.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/random.h"
#include "base/threads.h"
#include "sotto/gw.h"

enum { steps = 1000, exaggerated = 250, grain = 16 };

typedef struct work {
  const sotto_gw_table *table;
  size_t n;
  double perplexity;
  double *affinity;            /* n x n */
  double *position, *gradient; /* n x 2 */
  double *sums;                /* one per row: its part of the normaliser */
  double normaliser, factor;
} work;

/* Row i of exp(-b d^2), with b chosen so that the entropy of the row is log(perplexity). */
static void fit_row(work *w, size_t i) {
  const double *distance = w->table->distance + i * w->n;
  double *row = w->affinity + i * w->n, low = 0, high = INFINITY, b = 1, least = INFINITY;
  for (size_t j = 0; j < w->n; j++)
    if (j != i) least = fmin(least, distance[j] * distance[j]);
  for (int round = 0; round < 100; round++) {
    double sum = 0, mean = 0;
    for (size_t j = 0; j < w->n; j++) {
      const double gap = distance[j] * distance[j] - least;
      row[j] = j == i ? 0 : exp(-b * gap);
      sum += row[j];
      mean += row[j] * b * gap;
    }
    for (size_t j = 0; j < w->n; j++) row[j] /= fmax(sum, 1e-300);
    const double off = log(fmax(sum, 1e-300)) + mean / fmax(sum, 1e-300) - log(w->perplexity);
    if (fabs(off) < 1e-5) return;
    if (off > 0)
      low = b;
    else
      high = b;
    b = isinf(high) ? 2 * b : (low + high) / 2;
    if (!(b < 1e300)) return;
  }
}

static void fit_rows(void *context, size_t begin, size_t end) {
  for (size_t i = begin; i < end; i++) fit_row(context, i);
}

static double similarity(const double *a, const double *b) {
  return 1 / (1 + (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]));
}

static void sum_rows(void *context, size_t begin, size_t end) {
  work *w = context;
  for (size_t i = begin; i < end; i++) {
    w->sums[i] = 0;
    for (size_t j = 0; j < w->n; j++)
      if (j != i) w->sums[i] += similarity(w->position + 2 * i, w->position + 2 * j);
  }
}

static void fill_gradient(void *context, size_t begin, size_t end) {
  work *w = context;
  for (size_t i = begin; i < end; i++) {
    double x = 0, y = 0;
    const double *here = w->position + 2 * i;
    for (size_t j = 0; j < w->n; j++) {
      if (j == i) continue;
      const double *there = w->position + 2 * j, near = similarity(here, there);
      const double pull = 4 * (w->factor * w->affinity[i * w->n + j] - near / w->normaliser) * near;
      x += pull * (here[0] - there[0]);
      y += pull * (here[1] - there[1]);
    }
    w->gradient[2 * i] = x;
    w->gradient[2 * i + 1] = y;
  }
}

/* Gradient descent with momentum and one gain per coordinate, as published. */
static sotto_status run_descent(work *w, double *speed, double *gain, const sotto_observer *observer,
                                sotto_error *err) {
  const double rate = fmax(50, (double)w->n / 12);
  for (int step = 0; step < steps; step++) {
    const sotto_status status = sotto_i_check_interrupt(err);
    if (status != SOTTO_OK) return status;
    w->factor = step < exaggerated ? 12 : 1;
    sotto_i_parallel(w->n, grain, sum_rows, w);
    w->normaliser = 0;
    for (size_t i = 0; i < w->n; i++) w->normaliser += w->sums[i];
    sotto_i_parallel(w->n, grain, fill_gradient, w);
    double centre[2] = {0};
    for (size_t k = 0; k < 2 * w->n; k++) {
      gain[k] = (w->gradient[k] > 0) == (speed[k] > 0) ? fmax(0.01, 0.8 * gain[k]) : gain[k] + 0.2;
      speed[k] = (step < exaggerated ? 0.5 : 0.8) * speed[k] - rate * gain[k] * w->gradient[k];
      w->position[k] += speed[k];
      centre[k % 2] += w->position[k] / (double)w->n;
    }
    for (size_t k = 0; k < 2 * w->n; k++) w->position[k] -= centre[k % 2];
    if ((step + 1) % 50 == 0) sotto_i_progress(observer, "t-SNE", (uint64_t)step + 1, steps, NULL);
  }
  return SOTTO_OK;
}

static void symmetrise(work *w) {
  const size_t n = w->n;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++) {
      const double mean = (w->affinity[i * n + j] + w->affinity[j * n + i]) / (2 * (double)n);
      w->affinity[i * n + j] = w->affinity[j * n + i] = fmax(mean, 1e-12);
    }
}

sotto_status sotto_gw_places(double *out, const sotto_gw_table *table, double perplexity,
                             const sotto_key *key, const sotto_observer *observer, sotto_error *err) {
  SOTTO_I_CANCELLED_BY(observer);
  const size_t n = table->count;
  work w = {.table = table, .n = n, .perplexity = perplexity, .position = out};
  sotto_i_random random;
  double *memory = NULL;
  sotto_status status;
  if (key->origin == SOTTO_KEY_NONE)
    return sotto_i_fail(err, SOTTO_INVALID, "the key of the initial positions is empty");
  if (n < 4 || !(perplexity >= 1 && perplexity <= (double)(n - 1) / 3))
    return sotto_i_fail(err, SOTTO_RANGE, "perplexity %g of %zu graphs is outside 1 to (graphs - 1) / 3",
                        perplexity, n);
  SOTTO_TRY(sotto_i_new(&memory, n * n + 7 * n, sizeof *memory, err));
  w.affinity = memory;
  w.gradient = memory + n * n;
  w.sums = w.gradient + 2 * n;
  double *speed = w.sums + n, *gain = speed + 2 * n;
  for (size_t k = 0; k < 2 * n; k++) gain[k] = 1;
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_INIT, 1, 0);
  for (size_t k = 0; k < 2 * n; k++) out[k] = 1e-4 * sotto_i_random_normal(&random);
  sotto_i_parallel(n, grain, fit_rows, &w);
  symmetrise(&w);
  SOTTO_TRY(run_descent(&w, speed, gain, observer, err));
done:
  sotto_i_free(memory);
  return status;
}
