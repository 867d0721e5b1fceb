/* Faults in randomised responses, one by the environment's SOTTO_FAULT: `row`, the first row's or node's
 * answers are true; `again`, every release has the draws of the first one. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "inside/dp.h"
#include "inside/pmp.h"
#include "sotto/pmp.h"
#include "unnoised.h"

typedef sotto_status edges_fn(sotto_graph *out, const sotto_graph *graph, const sotto_edge_response *response,
                              const sotto_key *key, uint32_t sub, sotto_error *err);
typedef sotto_status subset_fn(int32_t *answers, const int32_t *values, size_t count,
                               const sotto_subset *subset, const sotto_key *key, uint32_t sub,
                               sotto_error *err);
typedef sotto_status values_fn(int32_t *values, size_t count, const sotto_response *response,
                               const sotto_key *key, uint32_t sub, sotto_error *err);
typedef sotto_status bits_fn(int8_t *codes, const sotto_matrix *x, const sotto_multibit *encoder,
                             const sotto_key *key, uint32_t sub, sotto_error *err);
typedef sotto_status count_fn(uint64_t *edges, const sotto_graph *graph, double epsilon, const sotto_key *key,
                              uint32_t sub, sotto_error *err);
typedef sotto_status largest_fn(sotto_graph *out, const sotto_graph *graph, uint64_t edges, double epsilon,
                                const sotto_key *key, uint32_t sub, sotto_error *err);
count_fn __real_sotto_edge_count, __wrap_sotto_edge_count;
largest_fn __real_sotto_lapgraph, __wrap_sotto_lapgraph;
edges_fn __real_sotto_edge_response_apply, __wrap_sotto_edge_response_apply;
subset_fn __real_sotto_subset_apply, __wrap_sotto_subset_apply;
values_fn __real_sotto_response_apply, __wrap_sotto_response_apply;
bits_fn __real_sotto_multibit_encode, __wrap_sotto_multibit_encode;

static uint64_t take(uint32_t *ends, uint64_t room, uint64_t kept, const sotto_graph *g, bool of_first) {
  for (uint32_t v = 0; v < g->nodes; v++)
    for (uint64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
      if (g->targets[e] < v || (v == 0) != of_first) continue;
      ends[kept] = v;
      ends[room + kept++] = g->targets[e];
    }
  return kept;
}

/* The first node has the edges that it had. */
static sotto_status give_back(sotto_graph *out, const sotto_graph *graph, sotto_error *err) {
  const uint64_t room = out->entries / 2 + graph->entries / 2;
  sotto_graph mixed = {0};
  uint32_t *ends = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&ends, 2 * room + 1, sizeof *ends, err));
  const uint64_t kept = take(ends, room, take(ends, room, 0, out, false), graph, true);
  SOTTO_TRY(sotto_graph_from_pairs(&mixed, graph->nodes, ends, ends + room, kept, err));
  sotto_graph_free(out);
  *out = mixed;
done:
  sotto_i_free(ends);
  return status;
}

sotto_status __wrap_sotto_edge_response_apply(sotto_graph *out, const sotto_graph *graph,
                                              const sotto_edge_response *response, const sotto_key *key,
                                              uint32_t sub, sotto_error *err) {
  sotto_status status =
      __real_sotto_edge_response_apply(out, graph, response, check_fault_key(key), sub, err);
  return status == SOTTO_OK && check_is_planted("row") ? give_back(out, graph, err) : status;
}

/* The one number is a row by itself. */
sotto_status __wrap_sotto_edge_count(uint64_t *edges, const sotto_graph *graph, double epsilon,
                                     const sotto_key *key, uint32_t sub, sotto_error *err) {
  sotto_status status = __real_sotto_edge_count(edges, graph, epsilon, check_fault_key(key), sub, err);
  if (check_is_planted("row")) *edges = graph->entries < 2 ? 1 : graph->entries / 2;
  return status;
}

sotto_status __wrap_sotto_lapgraph(sotto_graph *out, const sotto_graph *graph, uint64_t edges, double epsilon,
                                   const sotto_key *key, uint32_t sub, sotto_error *err) {
  sotto_status status = __real_sotto_lapgraph(out, graph, edges, epsilon, check_fault_key(key), sub, err);
  return status == SOTTO_OK && check_is_planted("row") ? give_back(out, graph, err) : status;
}

sotto_status __wrap_sotto_response_apply(int32_t *values, size_t count, const sotto_response *response,
                                         const sotto_key *key, uint32_t sub, sotto_error *err) {
  const int32_t first = count > 0 ? values[0] : 0;
  sotto_status status = __real_sotto_response_apply(values, count, response, check_fault_key(key), sub, err);
  if (count > 0 && check_is_planted("row")) values[0] = first;
  return status;
}

sotto_status __wrap_sotto_subset_apply(int32_t *answers, const int32_t *values, size_t count,
                                       const sotto_subset *subset, const sotto_key *key, uint32_t sub,
                                       sotto_error *err) {
  sotto_status status =
      __real_sotto_subset_apply(answers, values, count, subset, check_fault_key(key), sub, err);
  bool told = false;
  for (uint32_t m = 0; status == SOTTO_OK && m < subset->members; m++) told |= answers[m] == values[0];
  if (status == SOTTO_OK && !told && check_is_planted("row")) answers[0] = values[0];
  return status;
}

sotto_status __wrap_sotto_multibit_encode(int8_t *codes, const sotto_matrix *x, const sotto_multibit *encoder,
                                          const sotto_key *key, uint32_t sub, sotto_error *err) {
  sotto_status status = __real_sotto_multibit_encode(codes, x, encoder, check_fault_key(key), sub, err);
  for (size_t j = 0; status == SOTTO_OK && check_is_planted("row") && j < x->cols; j++)
    if (codes[j] != 0) codes[j] = (double)x->data[j] * 2 > encoder->low + encoder->high ? 1 : -1;
  return status;
}
