/* Means over secret samples of neighbours. */
#include "subgraphs.h"

#include <math.h>
#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "base/threads.h"
#include "dp/noise/exact.h"

enum { nodes_per_range = 64 };

typedef struct filling {
  const sotto_i_subgraphs *s;
  sotto_matrix *out;
  const uint32_t *nodes;
  const sotto_key *key;
  uint32_t step;
  uint64_t chance; /* of 2^64; not read where the sample is all neighbours */
} filling;

static bool joins(const filling *f, sotto_i_random *random) {
  return f->s->sample == f->s->degree || sotto_i_coin(random, f->chance);
}

static void fill_range(void *context, size_t begin, size_t end) {
  const filling *f = context;
  const sotto_graph *graph = f->s->graph;
  const size_t cols = f->s->features->cols;
  sotto_i_random random;
  for (size_t i = begin; i < end; i++) {
    const uint32_t v = f->nodes[i];
    float *own = f->out->data + i * 2 * cols, *around = own + cols;
    double joined = 0;
    sotto_i_random_init(&random, f->key, SOTTO_I_PURPOSE_NEIGHBOUR, f->step, v);
    memcpy(own, f->s->features->data + v * cols, cols * sizeof *own);
    memset(around, 0, cols * sizeof *around);
    for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) {
      if (!joins(f, &random)) continue;
      const float *row = f->s->features->data + graph->targets[e] * cols;
      for (size_t j = 0; j < cols; j++) around[j] += row[j];
      joined++;
    }
    for (size_t j = 0; j < cols && joined > 1; j++) around[j] = (float)(around[j] / joined);
  }
  sodium_memzero(&random, sizeof random);
}

sotto_status sotto_i_subgraph_rows(void *subgraphs, sotto_matrix *out, const uint32_t *nodes, size_t count,
                                   const sotto_key *key, uint32_t step, sotto_error *err) {
  const sotto_i_subgraphs *s = subgraphs;
  sotto_status status = sotto_i_check_secret(key, step, err);
  if (status != SOTTO_OK) return status;
  SOTTO_I_CHECK(s->sample >= 1 && s->sample <= s->degree && out->cols == 2 * s->features->cols);
  filling f = {.s = s, .out = out, .nodes = nodes, .key = key, .step = step};
  if (s->sample < s->degree) f.chance = (uint64_t)ldexp((double)s->sample / (double)s->degree, 64);
  sotto_i_parallel(count, nodes_per_range, fill_range, &f);
  return SOTTO_OK;
}
