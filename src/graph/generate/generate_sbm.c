/* Stochastic block model, and the contextual one (Deshpande et al. 2018). Blocks are contiguous ranges of
 * ids of nearly equal size. Edges are found by geometric jumps (Batagelj and Brandes 2005), so time is
 * proportional to nodes and edges, not to pairs of nodes. */
#include <math.h>

#include "base/cancel.h"
#include "base/memory.h"
#include "base/threads.h"
#include "generate.h"
#include "sotto/generate.h"

enum { rows_a_stream = 1024, edges_at_once = 1 << 18 };

typedef struct sbm {
  const sotto_key *key;
  uint64_t nodes;
  size_t width;
  uint32_t classes;
  double signal;
  double log_inside, log_outside; /* log(1 - p): 0 for p = 0, -infinity for p = 1 */
  uint64_t row;                   /* first row of the piece */
  uint64_t *first;           /* pairs before each of its streams: first counts, then their running sums */
  sotto_i_edge_arrays pairs; /* no arrays during the counting pass */
} sbm;

static uint64_t block_begin(const sbm *s, uint64_t block) {
  return s->nodes * block / s->classes;
}

static uint64_t find_block(const sbm *s, uint64_t node) {
  uint64_t block = node * s->classes / s->nodes;
  while (block + 1 < s->classes && block_begin(s, block + 1) <= node) block++;
  while (block_begin(s, block) > node) block--;
  return block;
}

/* Joins v to each u of [begin, end) with probability p, log_miss = log(1 - p); returns the next free
 * position. */
static uint64_t join_block(sbm *s, sotto_i_random *random, uint64_t v, uint64_t begin, uint64_t end,
                           double log_miss, uint64_t position) {
  if (log_miss == 0) return position;
  for (uint64_t u = begin; u < end; u++) {
    /* 1 - U is in (0, 1]: the jump is finite, and 0 when p = 1 */
    double jump = floor(log(1 - sotto_i_random_double(random)) / log_miss);
    if (!(jump < (double)(end - u))) break;
    u += (uint64_t)jump;
    if (s->pairs.sources != NULL) {
      s->pairs.sources[position] = (uint32_t)v;
      s->pairs.targets[position] = (uint32_t)u;
    }
    position++;
  }
  return position;
}

/* Draws each stream twice, once to count and once to write, so that no array has to grow. */
static void visit_rows(void *context, size_t begin, size_t end) {
  sbm *s = context;
  const size_t stream = begin / rows_a_stream;
  sotto_i_random random;
  if (sotto_i_stopped()) return; /* sotto_i_generate_finish reports it */
  sotto_i_random_init(&random, s->key, SOTTO_I_PURPOSE_GENERATE, SOTTO_I_GENERATE_SBM_EDGES,
                      s->row / rows_a_stream + stream);
  uint64_t position = s->pairs.sources == NULL ? 0 : s->first[stream];
  for (uint64_t v = s->row + begin; v < s->row + end; v++) {
    uint64_t border = block_begin(s, find_block(s, v));
    position = join_block(s, &random, v, 0, border, s->log_outside, position);
    position = join_block(s, &random, v, border, v, s->log_inside, position);
  }
  if (s->pairs.sources == NULL) s->first[stream] = position;
}

static sotto_status find_edges(void *context, sotto_i_edge_arrays *out, uint64_t first, uint64_t end,
                               sotto_error *err) {
  sbm *s = context;
  const size_t streams = (size_t)(end - first);
  uint64_t total = 0;
  s->row = first * rows_a_stream;
  s->pairs = (sotto_i_edge_arrays){0};
  const uint64_t last = end * rows_a_stream < s->nodes ? end * rows_a_stream : s->nodes;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&s->first, streams, sizeof *s->first, err));
  sotto_i_parallel(last - s->row, rows_a_stream, visit_rows, s);
  for (size_t i = 0; i < streams; i++) {
    uint64_t here = s->first[i];
    s->first[i] = total;
    total += here;
  }
  SOTTO_TRY(sotto_i_edge_arrays_new(&s->pairs, total, err));
  if (total > 0) sotto_i_parallel(last - s->row, rows_a_stream, visit_rows, s);
done:
  sotto_i_free(s->first);
  s->first = NULL;
  *out = s->pairs;
  return status;
}

/* Class means of signal / sqrt 2 along one axis per class have distance `signal`. */
static void make_rows(const void *context, float *features, int32_t *labels, uint64_t first, uint64_t end) {
  const sbm *s = context;
  for (uint64_t v = first; v < end; v++) {
    labels[v - first] = (int32_t)find_block(s, v);
    if (s->signal > 0)
      features[(v - first) * s->width + (size_t)labels[v - first]] = (float)(s->signal * sqrt(0.5));
  }
  sotto_i_generate_noise_rows(features, s->width, first, end, s->key);
}

static sotto_status set_probability(double *log_miss, double degree, double others, const char *what,
                                    sotto_error *err) {
  if (!(degree >= 0) || degree > others)
    return sotto_i_fail(err, SOTTO_RANGE,
                        "sbm: %s is %g; it must be from 0 to %g, the number of such nodes; name more nodes "
                        "or fewer neighbours",
                        what, degree, others);
  *log_miss = degree == 0 ? 0 : log1p(-degree / others);
  return SOTTO_OK;
}

static sotto_status set_parameters(sbm *s, const sotto_sbm_options *o, sotto_error *err) {
  if (o->classes == 0 || o->classes > o->nodes)
    return sotto_i_fail(err, SOTTO_RANGE, "sbm: %u classes of %llu nodes; each class needs a node",
                        o->classes, (unsigned long long)o->nodes);
  if (!(o->feature_signal >= 0) || o->feature_signal > 1e6)
    return sotto_i_fail(err, SOTTO_RANGE, "sbm: feature signal %g; it must be from 0 to 1e6",
                        o->feature_signal);
  if (o->feature_signal > 0 && o->features < o->classes)
    return sotto_i_fail(err, SOTTO_RANGE, "sbm: %u features cannot encode the means of %u classes",
                        o->features, o->classes);
  double size = (double)o->nodes / o->classes;
  sotto_status status = set_probability(&s->log_inside, o->degree_inside, fmax(size - 1, 0),
                                        "the expected number of neighbours inside", err);
  if (status != SOTTO_OK) return status;
  return set_probability(&s->log_outside, o->degree_outside, (double)o->nodes - size,
                         "the expected number of neighbours outside", err);
}

/* Generates into *out, or by ranks into a file. */
static sotto_status generate(sotto_dataset *out, sotto_figures *figures, sotto_ranks *ranks, const char *path,
                             const sotto_sbm_options *options, const sotto_key *key, sotto_error *err) {
  sotto_status status;
  sbm s = {.key = key,
           .nodes = options->nodes,
           .width = options->features,
           .classes = options->classes,
           .signal = options->feature_signal};
  sotto_i_made made = {.name = "sbm",
                       .key = key,
                       .nodes = s.nodes,
                       .width = s.width,
                       .classes = s.classes,
                       .streams = (s.nodes + rows_a_stream - 1) / rows_a_stream,
                       .context = &s,
                       .rows = make_rows,
                       .edges = find_edges};
  *out = (sotto_dataset){0};
  SOTTO_TRY(set_parameters(&s, options, err));
  const double each = rows_a_stream * (options->degree_inside + options->degree_outside) / 2;
  made.at_once = each < edges_at_once / 2 ? (uint64_t)(edges_at_once / (each + 1)) : 1;
  if (path == NULL)
    status = sotto_i_made_whole(out, &made, err);
  else
    status = sotto_i_made_ranks(out, figures, ranks, &made, path, err);
done:
  return status;
}

sotto_status sotto_generate_sbm(sotto_dataset *out, const sotto_sbm_options *options, const sotto_key *key,
                                sotto_error *err) {
  return generate(out, NULL, NULL, NULL, options, key, err);
}

sotto_status sotto_generate_sbm_ranks(sotto_dataset *out, sotto_figures *figures, sotto_ranks *ranks,
                                      const sotto_sbm_options *options, const sotto_key *key,
                                      const char *path, sotto_error *err) {
  return generate(out, figures, ranks, path, options, key, err);
}
