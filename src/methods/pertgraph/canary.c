/* Canaries of perturbed graphs: an edge in the smallest graph, and answers about the edges of a complete
 * graph. */
#include "attacks/canary.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "graph/csr.h"
#include "pertgraph.h"
#include "run/train/run.h"

enum { nodes = 64, pairs = nodes * (nodes - 1) / 2 };

static sotto_status perturb(sotto_graph *out, const sotto_i_canary *c, const sotto_graph *graph,
                            const sotto_key *key, sotto_error *err) {
  const sotto_dataset data = {.name = "canary", .graph = *graph};
  sotto_i_job job = {.options = &c->options, .data = &data};
  *out = (sotto_graph){0};
  return sotto_i_pertgraph_make(&job, out, NULL, key, err);
}

/* The edge is there after the perturbation, or it is not. */
static sotto_status draw(void *context, double *value, bool second, const sotto_key *key, sotto_error *err) {
  const sotto_i_canary *c = context;
  sotto_graph out = {0};
  sotto_status status = perturb(&out, c, &c->world[second ? 1 : 0].graph, key, err);
  *value = status == SOTTO_OK && sotto_i_graph_has(&out, 0, 1) ? 1 : 0;
  sotto_graph_free(&out);
  return status;
}

/* Which of its edges a complete graph loses. */
static sotto_status draw_noise(void *context, sotto_noise_draw *out, const sotto_key *key, sotto_error *err) {
  const sotto_i_canary *c = context;
  sotto_graph left = {0};
  sotto_status status = perturb(&left, c, &c->complete, key, err);
  *out = (sotto_noise_draw){.cols = 1, .flip = 1 - ldexp((double)c->response.keep, -64)};
  for (uint32_t u = 0; status == SOTTO_OK && u < nodes; u++)
    for (uint32_t v = u + 1; v < nodes; v++)
      out->values[out->rows++] = sotto_i_graph_has(&left, u, v) ? 0 : 1;
  sotto_graph_free(&left);
  return status;
}

static sotto_status make_graphs(sotto_i_canary *c, sotto_error *err) {
  uint32_t *ends = NULL;
  uint64_t count = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&ends, 2 * (size_t)pairs, sizeof *ends, err));
  for (uint32_t u = 0; u < nodes; u++)
    for (uint32_t v = u + 1; v < nodes; v++) {
      ends[count] = u;
      ends[pairs + count++] = v;
    }
  SOTTO_TRY(sotto_graph_from_pairs(&c->complete, nodes, ends, ends + pairs, pairs, err));
  for (uint64_t with = 0; with < 2; with++)
    SOTTO_TRY(sotto_graph_from_pairs(&c->world[with].graph, 2, ends, ends + pairs, with, err));
done:
  sotto_i_free(ends);
  return status;
}

sotto_status sotto_i_pertgraph_canary(sotto_i_canary *c, const sotto_i_run *run, unsigned kind,
                                      sotto_error *err) {
  sotto_status status;
  (void)kind;
  (void)run;
  SOTTO_TRY(sotto_i_pertgraph_response(&c->response, &c->options, nodes, pairs, err));
  SOTTO_TRY(make_graphs(c, err));
  c->stated.delta = 0; /* the release is pure */
  c->stated.context = c;
  c->stated.statistics = 1;
  c->stated.draw = draw;
  c->stated.noise = draw_noise;
done:
  return status;
}
