/* The canary of a plan of nights: an edge that appears on the first night or never, and the releases of
 * some nights, by the function that makes each of them. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "canary.h"
#include "inside/audit.h"
#include "protocols/nights/night_counts.h"

/* The noise is tested in a table with more rows and columns than the edge changes. */
enum { most_nights = 8, pair = 2, rows = 32, classes = 3, changes_after = 2 };
static const uint32_t clusters[rows] = {0, 1, 2, 0, 1, 2};

typedef struct world {
  sotto_i_night_log log;
  sotto_i_night_edge edge;
  uint64_t *nodes; /* owned */
  sotto_i_night night;
  sotto_i_night_counts counts;
} world;

struct sotto_i_canary_nights {
  sotto_i_continual mechanism;
  world world[2], noise; /* without the edge, with it; `noise`: more nodes, and no edge */
  uint32_t count, number[most_nights];
  int64_t *steps[most_nights]; /* owned: counts of the edge, pair x classes */
};

void sotto_i_canary_nights_free(struct sotto_i_canary_nights *n) {
  if (n == NULL) return;
  for (int which = 0; which < 2; which++) sotto_i_free(n->world[which].nodes);
  sotto_i_free(n->noise.nodes);
  for (uint32_t i = 0; i < n->count; i++) sotto_i_free(n->steps[i]);
  sotto_i_continual_free(&n->mechanism);
  sotto_i_free(n);
}

static sotto_status make_world(world *w, const sotto_i_continual *mechanism, const sotto_i_night_plan *plan,
                               uint64_t nodes, bool joined, sotto_error *err) {
  const uint32_t nights = mechanism->nights;
  const uint32_t gone = plan->changes >= changes_after && nights > 1 ? nights / 2 + 1 : 0;
  const sotto_status status = sotto_i_new(&w->nodes, nights + 1, sizeof *w->nodes, err);
  if (status != SOTTO_OK) return status;
  for (uint32_t t = 0; t <= nights; t++) w->nodes[t] = nodes;
  w->edge = (sotto_i_night_edge){.low = 0, .high = 1, .since = 1, .until = (uint16_t)gone};
  w->log = (sotto_i_night_log){
      .night = nights, .nodes = w->nodes, .edges = &w->edge, .edge_count = joined ? 1 : 0};
  w->night = (sotto_i_night){.mechanism = mechanism, .sigma = plan->sigma, .log = &w->log};
  w->counts = (sotto_i_night_counts){&w->night, clusters, classes};
  return SOTTO_OK;
}

/* The sum of each night's log likelihood ratio, given the other nights: their noise is independent. */
static sotto_status draw_ratio(void *context, double *value, bool second, const sotto_key *key,
                               sotto_error *err) {
  const struct sotto_i_canary_nights *n = ((const sotto_i_canary *)context)->nights;
  const world *w = &n->world[second ? 1 : 0];
  const double step = n->mechanism.step, sigma = w->night.sigma;
  *value = 0;
  for (uint32_t i = 0; i < n->count; i++) {
    sotto_matrix table;
    const sotto_status status = sotto_i_night_counts_draw(&table, &w->counts, n->number[i], key, err);
    if (status != SOTTO_OK) return status;
    for (size_t j = 0; j < (size_t)pair * classes; j++) {
      const double edge = (double)n->steps[i][j] * step;
      *value += (table.data[j] - edge / 2) * edge / (sigma * sigma);
    }
    sotto_matrix_free(&table);
  }
  return SOTTO_OK;
}

/* The noise of the chosen nights, one after the other. */
static sotto_status draw_noise(void *context, sotto_noise_draw *out, const sotto_key *key, sotto_error *err) {
  const struct sotto_i_canary_nights *n = ((const sotto_i_canary *)context)->nights;
  *out = (sotto_noise_draw){.rows = (size_t)rows * n->count, .cols = classes};
  for (uint32_t i = 0; i < n->count; i++) {
    double *to = out->values + (size_t)i * rows * classes;
    sotto_matrix table;
    const sotto_status status = sotto_i_night_counts_draw(&table, &n->noise.counts, n->number[i], key, err);
    if (status != SOTTO_OK) return status;
    for (size_t j = 0; j < (size_t)rows * classes; j++) to[j] = table.data[j] / n->noise.night.sigma;
    sotto_matrix_free(&table);
  }
  return SOTTO_OK;
}

/* Spread evenly from the first night to the last. */
static sotto_status choose_nights(struct sotto_i_canary_nights *n, sotto_error *err) {
  const uint32_t nights = n->mechanism.nights, count = nights < most_nights ? nights : most_nights;
  sotto_status status = SOTTO_OK;
  for (; n->count < count; n->count++) {
    const uint32_t i = n->count;
    n->number[i] = count > 1 ? 1 + i * (nights - 1) / (count - 1) : 1;
    SOTTO_TRY(sotto_i_new(&n->steps[i], (size_t)pair * classes, sizeof *n->steps[i], err));
    sotto_i_night_counts_fill(n->steps[i], &n->world[1].counts, n->number[i]);
  }
done:
  return status;
}

sotto_status sotto_i_canary_of_nights(sotto_i_canary *c, const sotto_options *options,
                                      const sotto_i_night_plan *plan, sotto_error *err) {
  sotto_grid grid;
  sotto_status status;
  *c = (sotto_i_canary){.options = *options, .stated = {.delta = plan->delta, .share = 1}};
  c->stated.mu = sotto_i_night_sensitivity(plan) / plan->sigma;
  c->stated.statistics = 1;
  c->stated.draw = draw_ratio;
  c->stated.noise = draw_noise;
  c->stated.context = c;
  SOTTO_TRY(sotto_gdp_epsilon(&c->stated.epsilon, c->stated.mu, plan->delta, err));
  SOTTO_TRY(sotto_i_new(&c->nights, 1, sizeof *c->nights, err));
  SOTTO_TRY(sotto_grid_new(&grid, plan->sigma, err));
  SOTTO_TRY(sotto_i_continual_new(&c->nights->mechanism, (uint32_t)plan->nights, grid.step, err));
  for (int which = 0; which < 2; which++)
    SOTTO_TRY(make_world(&c->nights->world[which], &c->nights->mechanism, plan, pair, which == 1, err));
  SOTTO_TRY(make_world(&c->nights->noise, &c->nights->mechanism, plan, rows, false, err));
  SOTTO_TRY(choose_nights(c->nights, err));
done:
  return status;
}
