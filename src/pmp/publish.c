/* K clean layers, one noisy publication. */
#include "publish.h"

#include <math.h>
#include <sodium.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "dp/noise.h"
#include "release.h"

enum { rows_per_range = 64 };

sotto_status sotto_i_publish_plan(sotto_pmp_plan *out, const sotto_pmp_options *options, uint64_t max_degree,
                                  uint64_t nodes, size_t cols, double epsilon, double delta,
                                  sotto_error *err) {
  sotto_status status;
  double ball = 0, reach = 1, total;
  *out = (sotto_pmp_plan){.options = *options, .mu = INFINITY};
  out->options.layers = 1;
  SOTTO_TRY(sotto_i_pmp_check(options, err));
  if (options->aggregator != SOTTO_AGGREGATOR_SUM)
    return sotto_i_fail(err, SOTTO_INVALID, "publication vfgnn: its bound is one of aggregator gin alone");
  if (max_degree == 0)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "publication vfgnn: give --max-degree, a declared bound on the neighbours of a node");
  for (uint32_t step = 0; step < options->layers; step++) {
    ball += reach;
    reach *= (double)max_degree;
  }
  double rows = fmin((double)nodes, 2 * ball), ideal = 2 * sqrt(rows);
  out->sensitivity = ideal;
  if (isinf(epsilon) && epsilon > 0) return SOTTO_OK;
  SOTTO_TRY(sotto_gdp_mu(&total, epsilon, delta, err));
  SOTTO_TRY(sotto_i_settle_grid(&out->grid, &out->sensitivity, ideal, rows * (double)cols, 1, total, err));
  out->mu = out->sensitivity / out->grid.sigma;
done:
  return status;
}

typedef struct publication {
  const sotto_pmp_plan *plan;
  const sotto_matrix *clean;
  sotto_matrix *shown;
  const sotto_key *key;
  int32_t *noise; /* one row of scratch a range */
} publication;

static void publish_rows(void *context, size_t begin, size_t end) {
  const publication *p = context;
  size_t cols = p->clean->cols;
  double step = p->plan->grid.step;
  int32_t *noise = p->noise + begin / rows_per_range * cols;
  for (size_t v = begin; v < end; v++) {
    const float *from = p->clean->data + v * cols;
    float *to = p->shown->data + v * cols;
    double square = 0;
    sotto_i_noise_steps(noise, cols, p->plan->grid.sigma / step, p->key, 1, v);
    for (size_t j = 0; j < cols; j++) {
      to[j] = (float)((nearbyint((double)from[j] / step) + noise[j]) * step);
      square += (double)to[j] * to[j];
    }
    double factor = square < 1e-24 ? 0 : (1 - 0x1p-40) / sqrt(square);
    for (size_t j = 0; j < cols && !p->plan->options.raw; j++) to[j] = (float)(to[j] * factor);
  }
}

sotto_status sotto_i_publish_release(sotto_release **out, const sotto_pmp_plan *plan, uint32_t hops,
                                     const sotto_graph *graph, const sotto_matrix *inputs,
                                     const sotto_key *key, const char *id, const char *run,
                                     const char *description, const sotto_observer *observer,
                                     sotto_error *err) {
  sotto_status status;
  sotto_release *clean = NULL, *release = NULL;
  sotto_pmp_plan without = {.options = plan->options, .mu = INFINITY};
  publication p = {.plan = plan, .key = key};
  bool noisy = plan->grid.sigma > 0;
  size_t scratch = (inputs->rows / rows_per_range + 1) * inputs->cols, bytes;
  without.options.layers = hops;
  without.options.raw = false;
  *out = NULL;
  SOTTO_TRY(sotto_i_release_check(graph, inputs, &plan->options.protection, noisy, key, err));
  SOTTO_TRY(sotto_release_new(&clean, &without, graph, inputs, key, "", "", "", observer, err));
  SOTTO_TRY(sotto_i_release_shell(&release, plan, inputs->rows, inputs->cols, id, run, description, err));
  SOTTO_TRY(sotto_i_new_raw(&p.noise, scratch, sizeof *p.noise, err));
  bytes = inputs->rows * inputs->cols * sizeof(float);
  p.clean = &clean->layers[hops];
  p.shown = &release->layers[1];
  memcpy(release->layers[0].data, clean->layers[0].data, bytes);
  if (noisy)
    sotto_i_parallel(inputs->rows, rows_per_range, publish_rows, &p);
  else
    memcpy(p.shown->data, p.clean->data, bytes);
  release->insecure = noisy && key->origin == SOTTO_KEY_INSECURE;
  *out = release;
  release = NULL;
done:
  if (p.noise != NULL) sodium_memzero(p.noise, scratch * sizeof *p.noise);
  sotto_i_free(p.noise);
  sotto_release_free(clean);
  sotto_release_free(release);
  return status;
}
