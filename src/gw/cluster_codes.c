/* k-means over codes: a centre is the mean posterior of its graphs. */
#include <math.h>
#include <string.h>

#include "base/cancel.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/random.h"
#include "gw/codes.h"

typedef struct work {
  const sotto_gw_codes *codes;
  size_t graphs, anchors;
  uint32_t clusters;
  double *expected; /* graphs x anchors: expected distance of a graph to each anchor */
  double *value;    /* graphs x clusters: expected distance of a graph to each centre */
  double *centre;   /* the posterior of one centre, over the anchors */
} work;

static void fill_expected_distances(work *w) {
  const size_t n = w->anchors;
  for (size_t g = 0; g < w->graphs; g++)
    for (size_t b = 0; b < n; b++)
      for (size_t a = 0; a < n; a++)
        w->expected[g * n + b] +=
            (double)w->codes->posterior.data[g * n + a] * (double)w->codes->distance.data[a * n + b];
}

/* Distances of all graphs to w->centre, which becomes centre k. */
static void measure_graphs(work *w, uint32_t k) {
  for (size_t g = 0; g < w->graphs; g++) {
    double sum = 0;
    for (size_t a = 0; a < w->anchors; a++) sum += w->expected[g * w->anchors + a] * w->centre[a];
    w->value[g * w->clusters + k] = sum;
  }
}

static uint32_t nearest_centre(const work *w, size_t g, uint32_t centres) {
  uint32_t best = 0;
  for (uint32_t k = 1; k < centres; k++)
    if (w->value[g * w->clusters + k] < w->value[g * w->clusters + best]) best = k;
  return best;
}

static void copy_posterior(work *w, size_t g) {
  for (size_t a = 0; a < w->anchors; a++) w->centre[a] = (double)w->codes->posterior.data[g * w->anchors + a];
}

/* k-means++: draws each further centre with probability proportional to its distance to the nearest
 * centre. */
static void seed_centres(work *w, const sotto_key *key) {
  sotto_i_random random;
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_INIT, 0, 0);
  size_t chosen = sotto_i_random_below(&random, w->graphs);
  for (uint32_t k = 0; k < w->clusters; k++) {
    double total = 0;
    copy_posterior(w, chosen);
    measure_graphs(w, k);
    for (size_t g = 0; g < w->graphs; g++) total += w->value[g * w->clusters + nearest_centre(w, g, k + 1)];
    double left = sotto_i_random_double(&random) * total;
    for (chosen = 0; chosen + 1 < w->graphs; chosen++) {
      left -= w->value[chosen * w->clusters + nearest_centre(w, chosen, k + 1)];
      if (left < 0) break;
    }
  }
}

/* A cluster that lost all its graphs keeps its centre. */
static void move_centre(work *w, const uint32_t *cluster, uint32_t k) {
  double count = 0;
  for (size_t g = 0; g < w->graphs; g++) count += cluster[g] == k;
  if (count == 0) return;
  memset(w->centre, 0, w->anchors * sizeof *w->centre);
  for (size_t g = 0; g < w->graphs; g++)
    for (size_t a = 0; cluster[g] == k && a < w->anchors; a++)
      w->centre[a] += (double)w->codes->posterior.data[g * w->anchors + a] / count;
  measure_graphs(w, k);
}

static bool assign_clusters(sotto_gw_clusters *out, const work *w) {
  bool moved = false;
  out->spread = 0;
  for (size_t g = 0; g < w->graphs; g++) {
    const uint32_t best = nearest_centre(w, g, w->clusters);
    moved = moved || out->cluster[g] != best;
    out->cluster[g] = best;
    out->spread += w->value[g * w->clusters + best] / (double)w->graphs;
  }
  return moved;
}

sotto_status sotto_i_gw_cluster_codes(sotto_gw_clusters *out, const sotto_dataset *data,
                                      const sotto_gw_codes *codes, uint32_t clusters, uint32_t rounds,
                                      const sotto_key *key, sotto_error *err) {
  work w = {.codes = codes, .graphs = data->graph_count, .clusters = clusters};
  sotto_status status;
  *out = (sotto_gw_clusters){.rand_index = NAN, .count = w.graphs};
  if (codes == NULL || codes->posterior.rows != w.graphs)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: clusters by codes need a code of every graph", data->name);
  w.anchors = codes->posterior.cols;
  SOTTO_TRY(sotto_i_new(&out->cluster, w.graphs, sizeof *out->cluster, err));
  SOTTO_TRY(sotto_i_new(&out->medoid, clusters, sizeof *out->medoid, err));
  SOTTO_TRY(sotto_i_new(&w.expected, w.graphs * w.anchors, sizeof *w.expected, err));
  SOTTO_TRY(sotto_i_new(&w.value, w.graphs * clusters, sizeof *w.value, err));
  SOTTO_TRY(sotto_i_new(&w.centre, w.anchors, sizeof *w.centre, err));
  fill_expected_distances(&w);
  seed_centres(&w, key);
  for (size_t g = 0; g < w.graphs; g++) out->cluster[g] = UINT32_MAX;
  for (; out->rounds < rounds && assign_clusters(out, &w); out->rounds++) {
    SOTTO_TRY(sotto_i_check_interrupt(err));
    for (uint32_t k = 0; k < clusters; k++) move_centre(&w, out->cluster, k);
  }
  (void)assign_clusters(out, &w);
  sotto_i_gw_find_medoids(out, w.value, clusters);
  if (data->graph_labels != NULL)
    out->rand_index = sotto_i_gw_rand_index(out->cluster, data->graph_labels, w.graphs);
done:
  sotto_i_free(w.expected);
  sotto_i_free(w.value);
  sotto_i_free(w.centre);
  if (status != SOTTO_OK) sotto_gw_clusters_free(out);
  return status;
}
