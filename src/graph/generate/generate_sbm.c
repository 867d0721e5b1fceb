/* Stochastic block model, and the contextual one (Deshpande et al. 2018). Blocks are contiguous ranges of ids
 * of nearly equal size. Edges are found by geometric jumps (Batagelj and Brandes 2005), so the time is
 * proportional to nodes and edges, not to pairs of nodes. */
#include <math.h>

#include "base/memory.h"
#include "base/threads.h"
#include "generate.h"
#include "sotto/generate.h"

enum { rows_a_stream = 1024 };

typedef struct sbm {
  const sotto_key *key;
  uint64_t nodes;
  uint32_t classes;
  double log_inside, log_outside; /* log(1 - p): 0 for p = 0, -infinity for p = 1 */
  uint64_t *first;                /* pairs found before each stream: counts at first, then their sums */
  sotto_i_edge_arrays pairs;      /* without arrays during the counting pass */
} sbm;

static uint64_t block_begin(const sbm *s, uint64_t block) {
  return s->nodes * block / s->classes;
}

static uint64_t block_of(const sbm *s, uint64_t node) {
  uint64_t block = node * s->classes / s->nodes;
  while (block + 1 < s->classes && block_begin(s, block + 1) <= node) block++;
  while (block_begin(s, block) > node) block--;
  return block;
}

/* Joins v to each u of [begin, end) with probability p, log_miss = log(1 - p); returns the next free place.
 */
static uint64_t join(sbm *s, sotto_i_random *random, uint64_t v, uint64_t begin, uint64_t end,
                     double log_miss, uint64_t place) {
  if (log_miss == 0) return place;
  for (uint64_t u = begin; u < end; u++) {
    /* 1 - U is in (0, 1]: the jump is finite, and 0 when p = 1. */
    double jump = floor(log(1 - sotto_i_random_double(random)) / log_miss);
    if (!(jump < (double)(end - u))) break;
    u += (uint64_t)jump;
    if (s->pairs.sources != NULL) {
      s->pairs.sources[place] = (uint32_t)v;
      s->pairs.targets[place] = (uint32_t)u;
    }
    place++;
  }
  return place;
}

/* The same stream is drawn twice, once to count and once to write, so that nothing has to grow. */
static void visit_rows(void *context, size_t begin, size_t end) {
  sbm *s = context;
  const size_t stream = begin / rows_a_stream;
  sotto_i_random random;
  sotto_i_random_init(&random, s->key, SOTTO_I_PURPOSE_GENERATE, SOTTO_I_GENERATE_SBM_EDGES, stream);
  uint64_t place = s->pairs.sources == NULL ? 0 : s->first[stream];
  for (uint64_t v = begin; v < end; v++) {
    uint64_t border = block_begin(s, block_of(s, v));
    place = join(s, &random, v, 0, border, s->log_outside, place);
    place = join(s, &random, v, border, v, s->log_inside, place);
  }
  if (s->pairs.sources == NULL) s->first[stream] = place;
}

static sotto_status find_edges(sbm *s, sotto_error *err) {
  const size_t streams = (s->nodes - 1) / rows_a_stream + 1;
  uint64_t total = 0;
  sotto_status status = sotto_i_new(&s->first, streams, sizeof *s->first, err);
  if (status != SOTTO_OK) return status;
  sotto_i_parallel(s->nodes, rows_a_stream, visit_rows, s);
  for (size_t i = 0; i < streams; i++) {
    uint64_t here = s->first[i];
    s->first[i] = total;
    total += here;
  }
  status = sotto_i_edge_arrays_new(&s->pairs, total, err);
  if (status == SOTTO_OK && total > 0) sotto_i_parallel(s->nodes, rows_a_stream, visit_rows, s);
  return status;
}

static sotto_status probability(double *log_miss, double degree, double others, const char *what,
                                sotto_error *err) {
  if (!(degree >= 0) || degree > others)
    return sotto_i_fail(err, SOTTO_RANGE, "sbm: %s is %g; it must be from 0 to %g, the nodes there are", what,
                        degree, others);
  *log_miss = degree == 0 ? 0 : log1p(-degree / others);
  return SOTTO_OK;
}

static sotto_status set_up(sbm *s, const sotto_sbm_options *o, sotto_error *err) {
  if (o->classes == 0 || o->classes > o->nodes)
    return sotto_i_fail(err, SOTTO_RANGE, "sbm: %u classes of %llu nodes; each class needs a node",
                        o->classes, (unsigned long long)o->nodes);
  if (!(o->feature_signal >= 0) || o->feature_signal > 1e6)
    return sotto_i_fail(err, SOTTO_RANGE, "sbm: a feature signal of %g; it must be from 0 to 1e6",
                        o->feature_signal);
  if (o->feature_signal > 0 && o->features < o->classes)
    return sotto_i_fail(err, SOTTO_RANGE, "sbm: %u features cannot hold the means of %u classes", o->features,
                        o->classes);
  double size = (double)o->nodes / o->classes;
  sotto_status status =
      probability(&s->log_inside, o->degree_inside, fmax(size - 1, 0), "degree_inside", err);
  if (status != SOTTO_OK) return status;
  return probability(&s->log_outside, o->degree_outside, (double)o->nodes - size, "degree_outside", err);
}

sotto_status sotto_generate_sbm(sotto_dataset *out, const sotto_sbm_options *options, const sotto_key *key,
                                sotto_error *err) {
  sotto_status status;
  sotto_i_parts parts = {0};
  sbm s = {.key = key, .nodes = options->nodes, .classes = options->classes};
  *out = (sotto_dataset){0};
  SOTTO_TRY(set_up(&s, options, err));
  SOTTO_TRY(sotto_i_generate_begin(&parts, "sbm", s.nodes, options->features, s.classes, key, err));
  /* Means signal / sqrt 2 along one axis a class are `signal` apart. */
  for (uint64_t v = 0; v < s.nodes; v++) {
    parts.labels[v] = (int32_t)block_of(&s, v);
    if (options->feature_signal > 0)
      parts.features[v * parts.width + (size_t)parts.labels[v]] =
          (float)(options->feature_signal * sqrt(0.5));
  }
  sotto_i_generate_noise(&parts, key);
  SOTTO_TRY(find_edges(&s, err));
  SOTTO_TRY(sotto_i_generate_finish(out, &parts, &s.pairs, err));
done:
  sotto_i_edge_arrays_free(&s.pairs);
  sotto_i_free(s.first);
  sotto_i_parts_free(&parts);
  return status;
}
