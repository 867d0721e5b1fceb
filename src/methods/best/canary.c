/* The canary of nodes: the table of a graph in which one node and all its neighbours are of one class and one
 * cluster, and that of the graph in which the node is another one, with as many neighbours of another class
 * and cluster. No node can move the table further. */
#include "attacks/canary.h"

#include "base/memory.h"
#include "best_node.h"

enum { classes = 2 };

/* Node 0, then as many nodes of one class as of the other; it is joined to those of its own. */
static sotto_status make_table(sotto_matrix *table, sotto_graph *graph, uint32_t leaves, int32_t own,
                               sotto_error *err) {
  const uint32_t nodes = 1 + 2 * leaves;
  uint32_t *from = NULL, *to = NULL, *rows = NULL;
  int32_t *labels = NULL;
  sotto_matrix scores = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&from, leaves, sizeof *from, err));
  SOTTO_TRY(sotto_i_new(&to, leaves, sizeof *to, err));
  SOTTO_TRY(sotto_i_new(&rows, nodes, sizeof *rows, err));
  SOTTO_TRY(sotto_i_new(&labels, nodes, sizeof *labels, err));
  SOTTO_TRY(sotto_matrix_new(&scores, nodes, classes, err));
  SOTTO_TRY(sotto_matrix_new(table, classes, classes, err));
  for (uint32_t v = 0; v < nodes; v++) {
    rows[v] = v;
    labels[v] = v == 0 ? own : v > leaves;
    scores.data[v * classes + (uint32_t)labels[v]] = 1;
  }
  for (uint32_t k = 0; k < leaves; k++) to[k] = 1 + k + (uint32_t)own * leaves;
  SOTTO_TRY(sotto_graph_from_pairs(graph, nodes, from, to, leaves, err));
  const sotto_i_parted parted = {.split.rows[SOTTO_PART_TRAIN] = rows,
                                 .split.count[SOTTO_PART_TRAIN] = nodes,
                                 .labels[SOTTO_PART_TRAIN] = labels};
  sotto_i_class_table_fill(table, graph, &scores, &parted);
done:
  sotto_i_free(from);
  sotto_i_free(to);
  sotto_i_free(rows);
  sotto_i_free(labels);
  sotto_matrix_free(&scores);
  return status;
}

/* Along the way from one table to the other. */
static sotto_status draw(void *context, double *value, bool second, const sotto_key *key, sotto_error *err) {
  sotto_i_canary *c = context;
  float cells[classes * classes];
  sotto_matrix table = {cells, classes, classes};
  for (size_t i = 0; i < classes * classes; i++) cells[i] = c->clean[second ? 1 : 0].data[i];
  sotto_status status = sotto_grid_add_noise(&table, &c->world[0].plan.grid, key, 0, err);
  *value = 0;
  for (size_t i = 0; i < classes * classes; i++)
    *value += (double)cells[i] * ((double)c->clean[1].data[i] - (double)c->clean[0].data[i]);
  return status;
}

static sotto_status draw_noise(void *context, sotto_noise_draw *out, const sotto_key *key, sotto_error *err) {
  const sotto_i_canary *c = context;
  float cells[classes * classes];
  sotto_matrix table = {cells, classes, classes};
  for (size_t i = 0; i < classes * classes; i++) cells[i] = c->clean[0].data[i];
  sotto_status status = sotto_grid_add_noise(&table, &c->world[0].plan.grid, key, 0, err);
  sotto_i_canary_noise(out, &table, &c->clean[0], c->world[0].plan.grid.sigma);
  return status;
}

sotto_status sotto_i_best_node_canary(sotto_i_canary *c, const sotto_i_run *run, unsigned kind,
                                      sotto_error *err) {
  const sotto_i_job job = {.options = &c->options, .data = run->data, .seed = c->options.seed};
  const uint32_t leaves = sotto_i_canary_leaves(&c->options);
  sotto_status status;
  (void)kind;
  SOTTO_TRY(sotto_i_best_node_noise(&c->world[0].plan.grid, &c->stated.mu, &job, err));
  SOTTO_TRY(sotto_gdp_epsilon(&c->stated.epsilon, c->stated.mu, c->options.delta, err));
  for (int32_t which = 0; which < 2; which++)
    SOTTO_TRY(make_table(&c->clean[which], &c->world[which].graph, leaves, which, err));
  c->releases = 1;
  c->stated.context = c;
  c->stated.statistics = 1;
  c->stated.draw = draw;
  c->stated.noise = draw_noise;
done:
  return status;
}
