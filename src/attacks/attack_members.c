/* Membership attacks that train the method anew on a subgraph, with a shadow model. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attack.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "shadow.h"

enum { halves_stream = 32, members_stream = 33 };

static const char sees_shadow[] =
    "class probabilities of all nodes, and another graph of the same kind to train a shadow model on";
static const char sees_posteriors[] = "class probabilities of all nodes";

/* A world: a graph of which a half is trained on, and what the model then says of all of it. */
typedef struct world {
  sotto_matrix posteriors;
  uint8_t *members;
} world;

static void world_free(world *w) {
  sotto_matrix_free(&w->posteriors);
  sotto_i_free(w->members);
}

static int ascending(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Keeps the rows of the nodes that trained, and of those outside of the subgraph: validation and test nodes
 * of the subgraph are neither. */
static void keep_judged(world *w, const uint8_t *role) {
  size_t kept = 0, cols = w->posteriors.cols;
  for (size_t v = 0; v < w->posteriors.rows; v++) {
    if (role[v] == 1) continue;
    memmove(w->posteriors.data + kept * cols, w->posteriors.data + v * cols, cols * sizeof(float));
    w->members[kept++] = role[v] == 2;
  }
  w->posteriors.rows = kept;
}

/* Trains on the subgraph of `inside` nodes of `whole`, tests on all of it. */
static sotto_status train_on_half(world *out, const sotto_i_attacked *a, const sotto_options *options,
                                  const sotto_dataset *whole, const uint32_t *inside, size_t count,
                                  sotto_error *err) {
  sotto_status status;
  sotto_dataset part = {0};
  sotto_model *asked = NULL;
  sotto_i_parted parted = {0};
  uint8_t *role = NULL;
  const sotto_i_job job = {.options = options, .data = &part, .seed = a->ask.link.seed};
  SOTTO_TRY(sotto_dataset_take(&part, whole, inside, count, "subgraph", err));
  SOTTO_TRY(sotto_i_parted_new(&parted, &job, err));
  SOTTO_TRY(sotto_i_shadow(&asked, options, &part, whole, job.seed, a->observer, err));
  SOTTO_TRY(sotto_model_query(&out->posteriors, asked, &(sotto_query){0}, err));
  SOTTO_TRY(sotto_i_new(&role, whole->graph.nodes, 1, err));
  SOTTO_TRY(sotto_i_new(&out->members, whole->graph.nodes, 1, err));
  for (size_t i = 0; i < count; i++) role[inside[i]] = 1;
  for (size_t i = 0; i < parted.split.count[SOTTO_PART_TRAIN]; i++)
    role[inside[parted.split.rows[SOTTO_PART_TRAIN][i]]] = 2;
  keep_judged(out, role);
done:
  sotto_i_free(role);
  sotto_i_parted_free(&parted);
  sotto_model_free(asked);
  sotto_dataset_free(&part);
  return status;
}

/* One half of the data's nodes, and within it the half that is trained on. */
static sotto_status make_world(world *out, const sotto_i_attacked *a, const sotto_options *options,
                               uint32_t *nodes, size_t count, uint64_t number, sotto_error *err) {
  sotto_status status;
  sotto_dataset whole = {0};
  uint32_t *inside = NULL;
  sotto_i_random random;
  qsort(nodes, count, sizeof *nodes, ascending);
  SOTTO_TRY(sotto_dataset_take(&whole, a->data, nodes, count, "half", err));
  SOTTO_TRY(sotto_i_new_raw(&inside, count, sizeof *inside, err));
  for (uint32_t i = 0; i < count; i++) inside[i] = i;
  sotto_i_attack_stream(&random, a, members_stream, number);
  sotto_i_random_shuffle(&random, inside, count);
  qsort(inside, count / 2, sizeof *inside, ascending);
  SOTTO_TRY(train_on_half(out, a, options, &whole, inside, count / 2, err));
done:
  sotto_i_free(inside);
  sotto_dataset_free(&whole);
  return status;
}

sotto_status sotto_i_attack_members(sotto_i_attacked *a, bool by_entropy, sotto_error *err) {
  const uint64_t nodes = a->data->graph.nodes;
  sotto_options options = *a->options;
  sotto_status status;
  sotto_i_random random;
  uint32_t *order = NULL;
  world target = {.members = NULL}, shadow = {.members = NULL};
  options.split = SOTTO_SPLITTING_RANDOM;
  options.train_share = 0.8;
  options.validation_share = 0.1;
  SOTTO_TRY(sotto_i_new_raw(&order, nodes, sizeof *order, err));
  for (uint32_t v = 0; v < nodes; v++) order[v] = v;
  sotto_i_attack_stream(&random, a, halves_stream, 0);
  sotto_i_random_shuffle(&random, order, nodes);
  SOTTO_TRY(make_world(&target, a, &options, order, nodes / 2, 0, err));
  const sotto_membership attacked = {&target.posteriors, target.members};
  sotto_finding *f = by_entropy ? sotto_i_finding(a, "entropy", "trained on a subgraph", sees_posteriors, err)
                                : sotto_i_finding(a, "node-mia", "trained on a subgraph", sees_shadow, err);
  if (f == NULL) {
    status = SOTTO_RANGE;
  } else if (by_entropy) {
    status = sotto_attack_entropy(&f->attacked, &attacked, a->options->delta, err);
  } else {
    SOTTO_TRY(make_world(&shadow, a, &options, order + nodes / 2, nodes - nodes / 2, 1, err));
    const sotto_membership known = {&shadow.posteriors, shadow.members};
    status = sotto_attack_node_mia(&f->attacked, &attacked, &known, a->ask.link.seed, a->options->delta, err);
  }
done:
  sotto_i_free(order);
  world_free(&target);
  world_free(&shadow);
  return status;
}
