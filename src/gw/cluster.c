/* k-means over graphs, with barycentres as centres. */
#include <math.h>
#include <string.h>

#include "base/cancel.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/random.h"
#include "base/threads.h"
#include "gw/codes.h"
#include "gw/collection.h"

typedef struct work {
  const sotto_i_gw_collection *collection;
  sotto_gw_options options;
  size_t count;
  uint32_t clusters;
  sotto_gw_space *centre; /* one per cluster */
  double **memory;        /* the centres' distances; owned */
  double *value;          /* count x clusters */
  sotto_status *status;   /* one per graph */
  sotto_error *errors;
  sotto_gw_space *members; /* scratch */
  size_t first, last;      /* the centres to measure distances to: [first, last) */
} work;

static void measure_graphs(void *context, size_t begin, size_t end) {
  work *w = context;
  for (size_t g = begin; g < end; g++) {
    w->status[g] = sotto_i_check_interrupt(&w->errors[g]);
    for (size_t k = w->first; k < w->last && w->status[g] == SOTTO_OK; k++) {
      sotto_gw_result result;
      w->status[g] = sotto_gw_distance(&result, NULL, &w->collection->space[g], &w->centre[k], &w->options,
                                       &w->errors[g]);
      w->value[g * w->clusters + k] = result.value;
    }
  }
}

/* Measures the distances of all graphs to centres [first, last). */
static sotto_status measure_all(work *w, size_t first, size_t last, sotto_error *err) {
  w->first = first;
  w->last = last;
  memset(w->errors, 0, w->count * sizeof *w->errors);
  sotto_i_parallel(w->count, 2, measure_graphs, w);
  for (size_t g = 0; g < w->count; g++)
    if (w->status[g] != SOTTO_OK)
      return sotto_i_fail(err, w->status[g], "graph %zu: %s", g, w->errors[g].text);
  return SOTTO_OK;
}

static uint32_t nearest_centre(const work *w, size_t g, uint32_t centres) {
  uint32_t best = 0;
  for (uint32_t k = 1; k < centres; k++)
    if (w->value[g * w->clusters + k] < w->value[g * w->clusters + best]) best = k;
  return best;
}

/* k-means++: draws each further centre with probability proportional to its distance to the nearest
 * centre. */
static sotto_status seed_centres(work *w, const sotto_key *key, sotto_error *err) {
  sotto_i_random random;
  sotto_status status = SOTTO_OK;
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_INIT, 0, 0);
  size_t chosen = sotto_i_random_below(&random, w->count);
  for (uint32_t k = 0; k < w->clusters; k++) {
    w->centre[k] = w->collection->space[chosen];
    SOTTO_TRY(measure_all(w, k, k + 1, err));
    double total = 0;
    for (size_t g = 0; g < w->count; g++) total += w->value[g * w->clusters + nearest_centre(w, g, k + 1)];
    double left = sotto_i_random_double(&random) * total;
    for (chosen = 0; chosen + 1 < w->count; chosen++) {
      left -= w->value[chosen * w->clusters + nearest_centre(w, chosen, k + 1)];
      if (left < 0) break;
    }
  }
done:
  return status;
}

/* Assigns every graph to its nearest centre; true when any assignment changed. */
static bool assign_clusters(uint32_t *cluster, double *spread, const work *w) {
  bool moved = false;
  *spread = 0;
  for (size_t g = 0; g < w->count; g++) {
    const uint32_t best = nearest_centre(w, g, w->clusters);
    moved = moved || cluster[g] != best;
    cluster[g] = best;
    *spread += w->value[g * w->clusters + best] / (double)w->count;
  }
  return moved;
}

/* A cluster that lost all its graphs keeps its centre. */
static sotto_status move_centre(work *w, const uint32_t *cluster, uint32_t k, sotto_error *err) {
  size_t count = 0, points = 0;
  double *distance = NULL, value;
  for (size_t g = 0; g < w->count; g++)
    if (cluster[g] == k) {
      w->members[count++] = w->collection->space[g];
      points += w->collection->graph[g].nodes;
    }
  if (count == 0) return SOTTO_OK;
  points = (points + count / 2) / count;
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&distance, points * points, sizeof *distance, err));
  SOTTO_TRY(sotto_gw_barycentre(distance, &value, points, w->members, NULL, count, 10, &w->options, err));
  sotto_i_free(w->memory[k]);
  w->memory[k] = distance;
  w->centre[k] = (sotto_gw_space){.points = points, .distance = distance};
  return SOTTO_OK;
done:
  sotto_i_free(distance);
  return status;
}

static double count_pairs(double count) {
  return count * (count - 1) / 2;
}

/* Adjusted Rand index of two partitions. */
double sotto_i_gw_rand_index(const uint32_t *cluster, const int32_t *labels, size_t count) {
  double both = 0, in_cluster = 0, in_label = 0;
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < i; j++) {
      const bool a = cluster[i] == cluster[j], b = labels[i] == labels[j];
      both += a && b;
      in_cluster += a;
      in_label += b;
    }
  const double expected = in_cluster * in_label / count_pairs((double)count);
  const double most = (in_cluster + in_label) / 2;
  return most == expected ? 1 : (both - expected) / (most - expected);
}

void sotto_i_gw_find_medoids(sotto_gw_clusters *out, const double *value, uint32_t clusters) {
  for (uint32_t k = 0; k < clusters; k++) {
    out->medoid[k] = UINT32_MAX;
    for (uint32_t g = 0; g < out->count; g++) {
      if (out->cluster[g] != k) continue;
      if (out->medoid[k] == UINT32_MAX || value[g * clusters + k] < value[out->medoid[k] * clusters + k])
        out->medoid[k] = g;
    }
  }
}

static sotto_status run_kmeans(sotto_gw_clusters *out, work *w, uint32_t rounds, const sotto_key *key,
                               const sotto_observer *observer, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(seed_centres(w, key, err));
  for (size_t g = 0; g < w->count; g++) out->cluster[g] = UINT32_MAX;
  for (; out->rounds < rounds && assign_clusters(out->cluster, &out->spread, w); out->rounds++) {
    for (uint32_t k = 0; k < w->clusters; k++) SOTTO_TRY(move_centre(w, out->cluster, k, err));
    SOTTO_TRY(measure_all(w, 0, w->clusters, err));
    sotto_i_progress(observer, "rounds", out->rounds + 1, rounds, NULL);
  }
  (void)assign_clusters(out->cluster, &out->spread, w);
  sotto_i_gw_find_medoids(out, w->value, w->clusters);
done:
  return status;
}

static sotto_status check_arguments(const sotto_dataset *data, const sotto_gw_plan *plan, uint32_t clusters,
                                    const sotto_key *key, sotto_error *err) {
  if (plan->by != SOTTO_GW_BY_PATHS && plan->by != SOTTO_GW_BY_FEATURES &&
      plan->by != SOTTO_GW_BY_EMBEDDINGS && plan->by != SOTTO_GW_BY_CODES)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "clusters need a comparison by paths, features, embeddings or codes");
  if (key->origin == SOTTO_KEY_NONE)
    return sotto_i_fail(err, SOTTO_INVALID, "the key that draws the first centres is empty");
  if (clusters < 1 || clusters > data->graph_count)
    return sotto_i_fail(err, SOTTO_RANGE, "%u clusters: 1 to the number of graphs, %llu, are possible",
                        clusters, (unsigned long long)data->graph_count);
  return SOTTO_OK;
}

sotto_status sotto_gw_cluster(sotto_gw_clusters *out, const sotto_dataset *data, const sotto_gw_plan *plan,
                              uint32_t clusters, uint32_t rounds, const sotto_key *key,
                              const sotto_observer *observer, sotto_error *err) {
  SOTTO_I_CANCELLED_BY(observer);
  sotto_i_gw_collection collection = {0};
  work w = {.collection = &collection, .clusters = clusters};
  sotto_status status;
  *out = (sotto_gw_clusters){.rand_index = NAN};
  w.options = plan->gw == NULL ? sotto_gw_defaults() : *plan->gw;
  w.options.feature_cost = NULL;
  SOTTO_TRY(check_arguments(data, plan, clusters, key, err));
  if (plan->by == SOTTO_GW_BY_CODES)
    return sotto_i_gw_cluster_codes(out, data, plan->codes, clusters, rounds, key, err);
  SOTTO_TRY(sotto_i_gw_collection_new(&collection, data, plan, err));
  const size_t n = w.count = out->count = collection.count;
  SOTTO_TRY(sotto_i_new(&out->cluster, n, sizeof *out->cluster, err));
  SOTTO_TRY(sotto_i_new(&out->medoid, clusters, sizeof *out->medoid, err));
  SOTTO_TRY(sotto_i_new(&w.centre, clusters, sizeof *w.centre, err));
  SOTTO_TRY(sotto_i_new(&w.memory, clusters, sizeof(double *), err));
  SOTTO_TRY(sotto_i_new(&w.value, n * clusters, sizeof *w.value, err));
  SOTTO_TRY(sotto_i_new(&w.status, n, sizeof *w.status, err));
  SOTTO_TRY(sotto_i_new(&w.errors, n, sizeof *w.errors, err));
  SOTTO_TRY(sotto_i_new(&w.members, n, sizeof *w.members, err));
  SOTTO_TRY(run_kmeans(out, &w, rounds, key, observer, err));
  if (data->graph_labels != NULL)
    out->rand_index = sotto_i_gw_rand_index(out->cluster, data->graph_labels, n);
done:
  for (uint32_t k = 0; w.memory != NULL && k < clusters; k++) sotto_i_free(w.memory[k]);
  sotto_i_free(w.memory);
  sotto_i_free(w.centre);
  sotto_i_free(w.value);
  sotto_i_free(w.status);
  sotto_i_free(w.errors);
  sotto_i_free(w.members);
  sotto_i_gw_collection_free(&collection);
  if (status != SOTTO_OK) sotto_gw_clusters_free(out);
  return status;
}

void sotto_gw_clusters_free(sotto_gw_clusters *clusters) {
  sotto_i_free(clusters->cluster);
  sotto_i_free(clusters->medoid);
  *clusters = (sotto_gw_clusters){0};
}
