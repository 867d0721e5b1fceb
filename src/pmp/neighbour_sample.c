/* Noise-free neighbour sampling, as FedDEP trains its local models. */
#include "neighbour_sample.h"

#include <sodium.h>

#include "base/error.h"
#include "base/threads.h"
#include "dp/noise/exact.h"
#include "sotto/pmp.h"

enum { nodes_per_range = 256 };

typedef struct sample_job {
  uint32_t *out;
  const sotto_graph *graph;
  const uint32_t *nodes;
  uint32_t sample, sub;
  const sotto_key *key;
} sample_job;

/* Selection sampling: neighbour i with probability wanted / left. */
void sotto_i_choose_neighbours(uint32_t *out, const uint32_t *row, uint64_t degree, uint32_t sample,
                               sotto_i_random *random) {
  uint32_t taken = 0;
  for (uint64_t i = 0; taken < sample; i++)
    if (sotto_i_random_below(random, degree - i) < sample - taken) out[taken++] = row[i];
}

static void sample_range(void *context, size_t begin, size_t end) {
  const sample_job *job = context;
  sotto_i_random random;
  for (size_t i = begin; i < end; i++) {
    const uint32_t *row = job->graph->targets + job->graph->offsets[job->nodes[i]];
    uint64_t degree = sotto_graph_degree(job->graph, job->nodes[i]);
    uint32_t *out = job->out + i * job->sample;
    sotto_i_random_init(&random, job->key, SOTTO_I_PURPOSE_NEIGHBOUR, job->sub, i);
    if (degree > job->sample) {
      sotto_i_choose_neighbours(out, row, degree, job->sample, &random);
      continue;
    }
    for (uint32_t j = 0; j < job->sample; j++)
      out[j] = degree == 0 ? SOTTO_NO_NEIGHBOUR : row[sotto_i_random_below(&random, degree)];
  }
  sodium_memzero(&random, sizeof random);
}

sotto_status sotto_neighbour_sample(uint32_t *out, const sotto_graph *graph, const uint32_t *nodes,
                                    size_t count, uint32_t sample, const sotto_key *key, uint32_t sub,
                                    sotto_error *err) {
  sotto_status status = sotto_i_check_secret(key, sub, err);
  if (status != SOTTO_OK) return status;
  if (sample == 0) return sotto_i_fail(err, SOTTO_RANGE, "a sample of no neighbours");
  for (size_t i = 0; i < count; i++)
    if (nodes[i] >= graph->nodes)
      return sotto_i_fail(err, SOTTO_RANGE, "node %u at place %zu is not below %llu", nodes[i], i,
                          (unsigned long long)graph->nodes);
  sample_job job = {.out = out, .graph = graph, .nodes = nodes, .sample = sample, .sub = sub, .key = key};
  sotto_i_parallel(count, nodes_per_range, sample_range, &job);
  return SOTTO_OK;
}

sotto_mechanism sotto_neighbour_sample_mechanism(uint32_t sample, uint64_t degree, uint64_t layers,
                                                 uint64_t epochs) {
  sotto_mechanism mechanism = sotto_mechanism_default(SOTTO_MECHANISM_NOISE_FREE_SAMPLING);
  mechanism.sample = sample;
  mechanism.degree = degree;
  mechanism.layers = layers;
  mechanism.epochs = epochs;
  return mechanism;
}
