/* Sampled neighbours, and the mean over them with its gradient. */
#include "hops.h"

#include <string.h>

#include "base/memory.h"
#include "inside/tensor.h"

sotto_status sotto_i_hops_new(sotto_i_hops *out, size_t count, size_t fan_out, const sotto_graph *graph,
                              sotto_error *err) {
  sotto_status status;
  *out = (sotto_i_hops){.count = count};
  SOTTO_TRY(sotto_i_new(&out->each, count, sizeof *out->each, err));
  for (size_t i = 0; i < count; i++) {
    out->each[i] = (sotto_i_hop){.graph = graph, .fan_out = fan_out};
    SOTTO_TRY(sotto_i_new(&out->each[i].drawn, graph->nodes * fan_out, sizeof(uint32_t), err));
  }
done:
  if (status != SOTTO_OK) sotto_i_hops_free(out);
  return status;
}

void sotto_i_hops_free(sotto_i_hops *hops) {
  for (size_t i = 0; hops->each != NULL && i < hops->count; i++) sotto_i_free(hops->each[i].drawn);
  sotto_i_free(hops->each);
  *hops = (sotto_i_hops){0};
}

/* Draws `count` of `all` positions without replacement (Floyd 1987) into drawn[0..count). */
static void draw_distinct(uint32_t *drawn, size_t count, uint64_t all, sotto_i_random *random) {
  for (size_t i = 0; i < count; i++) {
    uint64_t last = all - count + i, place = sotto_i_random_below(random, last + 1);
    for (size_t j = 0; j < i; j++)
      if (drawn[j] == place) {
        place = last;
        break;
      }
    drawn[i] = (uint32_t)place;
  }
}

void sotto_i_hops_draw(sotto_i_hops *hops, const sotto_key *key, uint64_t step) {
  for (size_t i = 0; i < hops->count; i++) {
    sotto_i_hop *hop = &hops->each[i];
    sotto_i_random random;
    sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_NEIGHBOUR, (uint32_t)i, step | (uint64_t)1 << 63);
    for (uint64_t v = 0; v < hop->graph->nodes; v++) {
      uint64_t degree = sotto_graph_degree(hop->graph, v);
      uint32_t *drawn = hop->drawn + v * hop->fan_out;
      if (degree == 0) continue;
      if (hop->fan_out < degree)
        draw_distinct(drawn, hop->fan_out, degree, &random);
      else
        for (size_t j = 0; j < hop->fan_out; j++) drawn[j] = (uint32_t)sotto_i_random_below(&random, degree);
      for (size_t j = 0; j < hop->fan_out; j++)
        drawn[j] = hop->graph->targets[hop->graph->offsets[v] + drawn[j]];
    }
  }
}

static sotto_status forward(const void *context, sotto_matrix *y, const sotto_matrix *x, sotto_error *err) {
  const sotto_i_hop *hop = context;
  size_t cols = x->cols;
  if (x->rows != hop->graph->nodes)
    return sotto_i_fail(err, SOTTO_INVALID, "mean over sampled neighbours: %zu rows for %llu nodes", x->rows,
                        (unsigned long long)hop->graph->nodes);
  for (uint64_t v = 0; v < hop->graph->nodes; v++) {
    float degree = (float)sotto_graph_degree(hop->graph, v), own = 1 / (degree + 1);
    float *row = y->data + v * cols, each = degree * own / (float)hop->fan_out;
    for (size_t j = 0; j < cols; j++) row[j] = own * x->data[v * cols + j];
    for (size_t i = 0; degree > 0 && i < hop->fan_out; i++) {
      const float *other = x->data + hop->drawn[v * hop->fan_out + i] * cols;
      for (size_t j = 0; j < cols; j++) row[j] += each * other[j];
    }
  }
  return SOTTO_OK;
}

static sotto_status backward(const void *context, sotto_matrix *dx, const sotto_matrix *dy,
                             const sotto_matrix *x, const sotto_matrix *y, sotto_error *err) {
  const sotto_i_hop *hop = context;
  size_t cols = dy->cols;
  (void)x, (void)y, (void)err;
  for (uint64_t v = 0; v < hop->graph->nodes; v++) {
    float degree = (float)sotto_graph_degree(hop->graph, v), own = 1 / (degree + 1);
    const float *row = dy->data + v * cols;
    float each = degree * own / (float)hop->fan_out;
    for (size_t j = 0; j < cols; j++) dx->data[v * cols + j] += own * row[j];
    for (size_t i = 0; degree > 0 && i < hop->fan_out; i++) {
      float *other = dx->data + hop->drawn[v * hop->fan_out + i] * cols;
      for (size_t j = 0; j < cols; j++) other[j] += each * row[j];
    }
  }
  return SOTTO_OK;
}

sotto_var sotto_i_hop_var(const sotto_i_hop *hop, sotto_tape *tape, sotto_var x) {
  static const sotto_tape_op op = {"mean over draws", forward, backward};
  sotto_matrix value = sotto_tape_value(tape, x);
  return sotto_tape_custom(tape, x, value.rows, value.cols, &op, hop);
}

sotto_status sotto_i_graph_hide(sotto_graph *out, const sotto_graph *graph, const bool *hidden,
                                sotto_error *err) {
  uint32_t *pairs[2] = {NULL, NULL};
  uint64_t count = 0;
  sotto_status status;
  for (int i = 0; i < 2; i++)
    SOTTO_TRY(sotto_i_new_raw(&pairs[i], graph->entries / 2, sizeof(uint32_t), err));
  for (uint64_t v = 0; v < graph->nodes; v++)
    for (uint64_t e = graph->offsets[v]; !hidden[v] && e < graph->offsets[v + 1]; e++) {
      uint32_t u = graph->targets[e];
      if (u <= v || hidden[u]) continue;
      pairs[0][count] = (uint32_t)v;
      pairs[1][count++] = u;
    }
  SOTTO_TRY(sotto_graph_from_pairs(out, graph->nodes, pairs[0], pairs[1], count, err));
done:
  for (int i = 0; i < 2; i++) sotto_i_free(pairs[i]);
  return status;
}
