/* k-means over graphs, with barycentres as centres.
 *
 * A distance to a centre is left out where its lower bound is above a distance that the graph has to another
 * centre: it is not the least one, and nothing else reads it. */
#include <math.h>
#include <string.h>

#include "base/cancel.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/random.h"
#include "base/threads.h"
#include "gw/bounds.h"
#include "gw/codes.h"
#include "gw/collection.h"

typedef struct work {
  const sotto_i_gw_collection *collection;
  sotto_gw_options options;
  size_t count;
  uint32_t clusters;
  sotto_gw_space *centre;            /* one per cluster */
  double **memory;                   /* the centres' distances; owned */
  sotto_i_gw_side *side;             /* the centres, preprocessed for pairs; owned */
  sotto_i_gw_moments *own, *centres; /* of each graph, and of each centre */
  bool prune;
  double *value;        /* count x clusters; INFINITY where it was left out */
  uint32_t *nearest;    /* the centre that each graph was nearest to */
  uint64_t *measured;   /* of each graph: distances that were measured */
  sotto_status *status; /* one per graph */
  sotto_error *errors;
  sotto_gw_space *members; /* scratch */
  size_t first, last;      /* the centres to measure distances to: [first, last) */
} work;

/* The least distance that is known of a graph to a centre before `first`; INFINITY: none. */
static double least_before(const work *w, size_t g) {
  double least = INFINITY;
  for (size_t k = 0; k < w->first; k++) least = fmin(least, w->value[g * w->clusters + k]);
  return least;
}

/* Measures one distance, unless its bound is above *least; keeps *least up to date. */
static sotto_status measure_one(double *least, work *w, size_t g, size_t k, sotto_error *err) {
  double *value = &w->value[g * w->clusters + k];
  sotto_gw_result result = {.value = INFINITY};
  sotto_status status = SOTTO_OK;
  if (!w->prune || !(sotto_i_gw_lower_bound(&w->own[g], &w->centres[k]) > *least)) {
    status = sotto_i_gw_distance(&result, NULL, &w->collection->side[g], &w->side[k], &w->options, err);
    w->measured[g]++;
  }
  *value = result.value;
  *least = fmin(*least, *value);
  return status;
}

/* The centre that was nearest comes first, since its distance leaves out most others. */
static void measure_graphs(void *context, size_t begin, size_t end) {
  work *w = context;
  for (size_t g = begin; g < end; g++) {
    const size_t near = w->nearest[g];
    const bool known = near >= w->first && near < w->last;
    double least = least_before(w, g);
    w->status[g] = sotto_i_check_interrupt(&w->errors[g]);
    if (known && w->status[g] == SOTTO_OK) w->status[g] = measure_one(&least, w, g, near, &w->errors[g]);
    for (size_t k = w->first; k < w->last && w->status[g] == SOTTO_OK; k++)
      if (!known || k != near) w->status[g] = measure_one(&least, w, g, k, &w->errors[g]);
  }
}

/* Prepares a centre that is new or was moved. */
static sotto_status set_centre(work *w, size_t k, const sotto_gw_space *space, sotto_error *err) {
  sotto_i_gw_side_free(&w->side[k]);
  w->centre[k] = *space;
  w->centres[k] = sotto_i_gw_moments_of(space);
  return sotto_i_gw_side_new(&w->side[k], space, "of a centre", &w->options, false, err);
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
    SOTTO_TRY(set_centre(w, k, &w->collection->space[chosen], err));
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
static bool assign_clusters(uint32_t *cluster, double *spread, work *w) {
  bool moved = false;
  *spread = 0;
  for (size_t g = 0; g < w->count; g++) {
    const uint32_t best = nearest_centre(w, g, w->clusters);
    moved = moved || cluster[g] != best;
    cluster[g] = w->nearest[g] = best;
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
  const sotto_gw_space moved = {.points = points, .distance = distance};
  SOTTO_TRY(set_centre(w, k, &moved, err));
  sotto_i_free(w->memory[k]);
  w->memory[k] = distance;
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
  if (data->graph_count == 0)
    return sotto_i_fail(err, SOTTO_INVALID, "%s is one graph; only graphs of a collection can be clustered",
                        data->name);
  if (clusters < 1 || clusters > data->graph_count)
    return sotto_i_fail(err, SOTTO_RANGE, "%u clusters: 1 to the number of graphs, %llu, are possible",
                        clusters, (unsigned long long)data->graph_count);
  return SOTTO_OK;
}

static sotto_status new_work(work *w, size_t n, uint32_t clusters, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&w->centre, clusters, sizeof *w->centre, err));
  SOTTO_TRY(sotto_i_new(&w->memory, clusters, sizeof(double *), err));
  SOTTO_TRY(sotto_i_new(&w->side, clusters, sizeof *w->side, err));
  SOTTO_TRY(sotto_i_new(&w->centres, clusters, sizeof *w->centres, err));
  SOTTO_TRY(sotto_i_new(&w->own, n, sizeof *w->own, err));
  SOTTO_TRY(sotto_i_new(&w->value, n * clusters, sizeof *w->value, err));
  SOTTO_TRY(sotto_i_new(&w->nearest, n, sizeof *w->nearest, err));
  SOTTO_TRY(sotto_i_new(&w->measured, n, sizeof *w->measured, err));
  SOTTO_TRY(sotto_i_new(&w->status, n, sizeof *w->status, err));
  SOTTO_TRY(sotto_i_new(&w->errors, n, sizeof *w->errors, err));
  SOTTO_TRY(sotto_i_new(&w->members, n, sizeof *w->members, err));
  for (size_t g = 0; g < n; g++) w->own[g] = sotto_i_gw_moments_of(&w->collection->space[g]);
done:
  return status;
}

static void free_work(work *w) {
  for (uint32_t k = 0; w->memory != NULL && k < w->clusters; k++) sotto_i_free(w->memory[k]);
  for (uint32_t k = 0; w->side != NULL && k < w->clusters; k++) sotto_i_gw_side_free(&w->side[k]);
  sotto_i_free(w->memory);
  sotto_i_free(w->centre);
  sotto_i_free(w->side);
  sotto_i_free(w->centres);
  sotto_i_free(w->own);
  sotto_i_free(w->value);
  sotto_i_free(w->nearest);
  sotto_i_free(w->measured);
  sotto_i_free(w->status);
  sotto_i_free(w->errors);
  sotto_i_free(w->members);
}

sotto_status sotto_i_gw_cluster(sotto_gw_clusters *out, const sotto_dataset *data, const sotto_gw_plan *plan,
                                uint32_t clusters, uint32_t rounds, const sotto_key *key, bool prune,
                                uint64_t *measured, const sotto_observer *observer, sotto_error *err) {
  sotto_i_gw_collection collection = {0};
  work w = {.collection = &collection, .clusters = clusters, .prune = prune};
  sotto_status status;
  *measured = 0;
  w.options = plan->gw == NULL ? sotto_gw_defaults() : *plan->gw;
  w.options.feature_cost = NULL;
  SOTTO_TRY(sotto_i_gw_collection_new(&collection, data, plan, err));
  const size_t n = w.count = out->count = collection.count;
  SOTTO_TRY(sotto_i_new(&out->cluster, n, sizeof *out->cluster, err));
  SOTTO_TRY(sotto_i_new(&out->medoid, clusters, sizeof *out->medoid, err));
  SOTTO_TRY(new_work(&w, n, clusters, err));
  SOTTO_TRY(run_kmeans(out, &w, rounds, key, observer, err));
  for (size_t g = 0; g < n; g++) *measured += w.measured[g];
  if (data->graph_labels != NULL)
    out->rand_index = sotto_i_gw_rand_index(out->cluster, data->graph_labels, n);
done:
  free_work(&w);
  sotto_i_gw_collection_free(&collection);
  return status;
}

sotto_status sotto_gw_cluster(sotto_gw_clusters *out, const sotto_dataset *data, const sotto_gw_plan *plan,
                              uint32_t clusters, uint32_t rounds, const sotto_key *key,
                              const sotto_observer *observer, sotto_error *err) {
  SOTTO_I_CANCELLED_BY(observer);
  uint64_t measured;
  sotto_status status;
  *out = (sotto_gw_clusters){.rand_index = NAN};
  SOTTO_TRY(check_arguments(data, plan, clusters, key, err));
  status = plan->by == SOTTO_GW_BY_CODES
               ? sotto_i_gw_cluster_codes(out, data, plan->codes, clusters, rounds, key, err)
               : sotto_i_gw_cluster(out, data, plan, clusters, rounds, key, true, &measured, observer, err);
done:
  if (status != SOTTO_OK) sotto_gw_clusters_free(out);
  return status;
}

void sotto_gw_clusters_free(sotto_gw_clusters *clusters) {
  sotto_i_free(clusters->cluster);
  sotto_i_free(clusters->medoid);
  *clusters = (sotto_gw_clusters){0};
}
