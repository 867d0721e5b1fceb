/* VFGNN's publication: K layers without noise, then one noisy release of the last. */
#include "publish.h"

#include <math.h>
#include <sodium.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "dp/noise/noise.h"
#include "release.h"

enum { rows_per_range = 64 };

double sotto_i_publish_rows_moved(sotto_aggregator aggregator, uint32_t hops, uint64_t max_degree,
                                  uint64_t nodes) {
  double ball = 0, reach = 1;
  uint32_t steps = aggregator == SOTTO_AGGREGATOR_GCN ? hops + 1 : hops;
  if (max_degree == 0 && steps > 1) return (double)nodes;
  for (uint32_t step = 0; step < steps; step++) {
    ball += reach;
    reach *= (double)max_degree;
  }
  return fmin((double)nodes, 2 * ball);
}

sotto_status sotto_i_publish_plan_for(sotto_pmp_plan *out, const sotto_pmp_options *options, double rows,
                                      size_t cols, double mu, sotto_error *err) {
  double ideal = 2 * sqrt(rows);
  *out = (sotto_pmp_plan){.options = *options, .sensitivity = ideal, .mu = INFINITY};
  out->options.layers = 1;
  if (isinf(mu)) return SOTTO_OK;
  sotto_status status =
      sotto_i_settle_grid(&out->grid, &out->sensitivity, ideal, rows * (double)cols, 1, mu, err);
  if (status == SOTTO_OK) out->mu = out->sensitivity / out->grid.sigma;
  return status;
}

sotto_status sotto_i_publish_plan(sotto_pmp_plan *out, const sotto_pmp_options *options, uint64_t max_degree,
                                  uint64_t nodes, size_t cols, double epsilon, double delta,
                                  sotto_error *err) {
  sotto_status status;
  double mu = INFINITY;
  SOTTO_TRY(sotto_i_pmp_check(options, err));
  if (options->aggregator != SOTTO_AGGREGATOR_SUM)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "publication: the bound on the last layer alone is one of aggregator gin alone");
  if (max_degree == 0)
    return sotto_i_fail(
        err, SOTTO_INVALID,
        "publication: the last layer alone needs max-degree, a declared bound on the neighbours of a node");
  if (!isinf(epsilon)) SOTTO_TRY(sotto_gdp_mu(&mu, epsilon, delta, err));
  double rows = sotto_i_publish_rows_moved(options->aggregator, options->layers, max_degree, nodes);
  SOTTO_TRY(sotto_i_publish_plan_for(out, options, rows, cols, mu, err));
done:
  return status;
}

typedef struct publication {
  const sotto_pmp_plan *plan;
  const sotto_matrix *clean;
  sotto_matrix *shown;
  const sotto_key *key;
  int32_t *noise; /* one row of scratch for each range */
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

sotto_status sotto_i_publish_clean(sotto_release **out, const sotto_pmp_plan *plan,
                                   const sotto_matrix *inputs, const sotto_matrix *clean,
                                   const sotto_key *key, const char *id, const char *run,
                                   const char *description, sotto_error *err) {
  sotto_status status;
  sotto_release *release = NULL;
  publication p = {.plan = plan, .clean = clean, .key = key};
  bool noisy = plan->grid.sigma > 0;
  size_t scratch = (clean->rows / rows_per_range + 1) * clean->cols;
  size_t bytes = clean->rows * clean->cols * sizeof(float);
  *out = NULL;
  SOTTO_TRY(sotto_i_release_shell(&release, plan, clean->rows, clean->cols, id, run, description, err));
  SOTTO_TRY(sotto_i_new_raw(&p.noise, scratch, sizeof *p.noise, err));
  p.shown = &release->layers[1];
  if (inputs != NULL) memcpy(release->layers[0].data, inputs->data, bytes);
  if (noisy)
    sotto_i_parallel(clean->rows, rows_per_range, publish_rows, &p);
  else
    memcpy(p.shown->data, clean->data, bytes);
  release->insecure = noisy && key->origin == SOTTO_KEY_INSECURE;
  *out = release;
  release = NULL;
done:
  if (p.noise != NULL) sodium_memzero(p.noise, scratch * sizeof *p.noise);
  sotto_i_free(p.noise);
  sotto_release_free(release);
  return status;
}

sotto_status sotto_i_publish_release(sotto_release **out, const sotto_pmp_plan *plan, uint32_t hops,
                                     const sotto_graph *graph, const sotto_matrix *inputs,
                                     const sotto_key *key, const char *id, const char *run,
                                     const char *description, const sotto_observer *observer,
                                     sotto_error *err) {
  sotto_status status;
  sotto_release *clean = NULL;
  sotto_pmp_plan without = {.options = plan->options, .mu = INFINITY};
  without.options.layers = hops;
  without.options.raw = false;
  *out = NULL;
  SOTTO_TRY(sotto_i_release_check(graph, inputs, &plan->options.protection, plan->grid.sigma > 0, key, err));
  SOTTO_TRY(sotto_release_new(&clean, &without, graph, inputs, key, "", "", "", observer, err));
  SOTTO_TRY(sotto_i_publish_clean(out, plan, &clean->layers[0], &clean->layers[hops], key, id, run,
                                  description, err));
done:
  sotto_release_free(clean);
  return status;
}
