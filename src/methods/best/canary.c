/* The canary of nodes, with two tables. In the first graph, one node and all its neighbours have one class
 * and one cluster. In the second, the node is replaced and has as many neighbours of another class and
 * cluster. No node can change the table more. */
#include "audit/canary.h"

#include "base/memory.h"
#include "best_node.h"
#include "run/train/run.h"

enum { classes = 2 };

/* The inputs of one world's table. */
typedef struct world_of {
  sotto_i_best_table table;
  sotto_i_job job;
  sotto_dataset data; /* its graph is the world's */
  sotto_i_parted parted;
  sotto_matrix scores;
} world_of;

static void free_worlds(sotto_i_canary *c) {
  for (int which = 0; which < 2; which++) {
    world_of *of = c->made_of[which];
    if (of == NULL) continue;
    sotto_i_free(of->parted.split.rows[SOTTO_PART_TRAIN]);
    sotto_i_free(of->parted.labels[SOTTO_PART_TRAIN]);
    sotto_matrix_free(&of->scores);
    sotto_i_free(of);
    c->made_of[which] = NULL;
  }
}

/* Node 0 of class `own`, then equally many nodes of either class; all are training nodes. */
static sotto_status make_nodes(world_of *of, uint32_t nodes, uint32_t leaves, int32_t own, sotto_error *err) {
  sotto_status status;
  uint32_t **rows = &of->parted.split.rows[SOTTO_PART_TRAIN];
  int32_t **labels = &of->parted.labels[SOTTO_PART_TRAIN];
  SOTTO_TRY(sotto_i_new(rows, nodes, sizeof **rows, err));
  SOTTO_TRY(sotto_i_new(labels, nodes, sizeof **labels, err));
  SOTTO_TRY(sotto_matrix_new(&of->scores, nodes, classes, err));
  of->parted.split.count[SOTTO_PART_TRAIN] = nodes;
  for (uint32_t v = 0; v < nodes; v++) {
    (*rows)[v] = v;
    (*labels)[v] = v == 0 ? own : v > leaves;
    of->scores.data[v * classes + (uint32_t)(*labels)[v]] = 1;
  }
done:
  return status;
}

/* The node is joined to those of its own class. */
static sotto_status make_world(sotto_i_canary *c, uint32_t leaves, int32_t own, sotto_error *err) {
  const uint32_t nodes = 1 + 2 * leaves;
  uint32_t *from = NULL, *to = NULL;
  world_of *of = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&of, 1, sizeof *of, err));
  c->made_of[own] = of;
  SOTTO_TRY(sotto_i_new(&from, leaves, sizeof *from, err));
  SOTTO_TRY(sotto_i_new(&to, leaves, sizeof *to, err));
  for (uint32_t k = 0; k < leaves; k++) to[k] = 1 + k + (uint32_t)own * leaves;
  SOTTO_TRY(sotto_graph_from_pairs(&c->world[own].graph, nodes, from, to, leaves, err));
  SOTTO_TRY(make_nodes(of, nodes, leaves, own, err));
  of->data = (sotto_dataset){.name = "canary", .graph = c->world[own].graph, .classes = classes};
  of->job = (sotto_i_job){.options = &c->options, .data = &of->data};
  of->table = (sotto_i_best_table){&of->job, &of->parted, &of->scores, &c->world[0].plan.grid};
  SOTTO_TRY(sotto_matrix_new(&c->clean[own], classes, classes, err));
  sotto_i_class_table_fill(&c->clean[own], &of->data.graph, &of->scores, &of->parted);
done:
  sotto_i_free(from);
  sotto_i_free(to);
  return status;
}

sotto_status sotto_i_best_node_canary(sotto_i_canary *c, const sotto_i_run *run, unsigned kind,
                                      sotto_error *err) {
  const sotto_i_job job = {.options = &c->options, .data = run->data, .seed = c->options.seed};
  const uint32_t leaves = sotto_i_canary_leaves(&c->options);
  sotto_status status;
  (void)kind;
  c->make = sotto_i_best_table_make;
  c->forget = free_worlds;
  SOTTO_TRY(sotto_i_best_node_noise(&c->world[0].plan.grid, &c->stated.mu, &job, err));
  SOTTO_TRY(sotto_gdp_epsilon(&c->stated.epsilon, c->stated.mu, c->options.delta, err));
  for (int32_t which = 0; which < 2; which++) SOTTO_TRY(make_world(c, leaves, which, err));
  sotto_i_canary_sums(c);
done:
  return status;
}
