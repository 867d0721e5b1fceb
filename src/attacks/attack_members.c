/* Membership attacks that train the method anew on a subgraph, with a shadow model. */
#include <stdlib.h>

#include "attack.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "members.h"
#include "shadow.h"

enum { halves_stream = 32, members_stream = 33 };

static const char sees_shadow[] =
    "class probabilities of all nodes, and another graph of the same kind to train a shadow model on";
static const char sees_posteriors[] = "class probabilities of all nodes";

static int ascending(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Trains on the subgraph of `inside` nodes of `whole`, tests on all of it. */
static sotto_status train_on_half(sotto_i_members *out, const sotto_i_attacked *a,
                                  const sotto_options *options, const sotto_dataset *whole,
                                  const uint32_t *inside, size_t count, sotto_error *err) {
  sotto_status status;
  sotto_dataset part = {0};
  sotto_i_parted parted = {0};
  char folder[SOTTO_I_SCRATCH] = "";
  uint8_t *role = NULL;
  const sotto_i_job job = {.options = options, .data = &part, .seed = a->ask.link.seed};
  SOTTO_TRY(sotto_dataset_take(&part, whole, inside, count, "subgraph", err));
  SOTTO_TRY(sotto_i_parted_new(&parted, &job, err));
  SOTTO_TRY(sotto_i_new(&role, whole->graph.nodes, 1, err));
  for (size_t i = 0; i < count; i++) role[inside[i]] = SOTTO_I_NEITHER;
  for (size_t i = 0; i < parted.split.count[SOTTO_PART_TRAIN]; i++)
    role[inside[parted.split.rows[SOTTO_PART_TRAIN][i]]] = SOTTO_I_MEMBER;
  SOTTO_TRY(sotto_i_scratch_train(folder, options, &part, job.seed, a->observer, err));
  SOTTO_TRY(sotto_i_members_ask(out, folder, options, whole, &part, inside, role, true, err));
done:
  sotto_i_scratch_end(folder);
  sotto_i_free(role);
  sotto_i_parted_free(&parted);
  sotto_dataset_free(&part);
  return status;
}

/* One half of the data's nodes, and within it the half that is trained on. */
static sotto_status make_world(sotto_i_members *out, const sotto_i_attacked *a, const sotto_options *options,
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

static sotto_status find(sotto_i_attacked *a, bool by_entropy, bool corrected, const sotto_i_members *target,
                         const sotto_i_members *shadow, sotto_error *err) {
  const char *variant = corrected ? "trained on a subgraph" : "uncorrected: each with its usual edges";
  const sotto_membership attacked = {corrected ? &target->same : &target->usual, target->members};
  const sotto_membership known = {corrected ? &shadow->same : &shadow->usual, shadow->members};
  sotto_finding *f = by_entropy ? sotto_i_finding(a, "entropy", variant, sees_posteriors, err)
                                : sotto_i_finding(a, "node-mia", variant, sees_shadow, err);
  if (f == NULL) return SOTTO_RANGE;
  return by_entropy ? sotto_attack_entropy(&f->attacked, &attacked, a->options->delta, err)
                    : sotto_attack_node_mia(&f->attacked, &attacked, &known, a->ask.link.seed,
                                            a->options->delta, err);
}

sotto_status sotto_i_attack_members(sotto_i_attacked *a, bool by_entropy, sotto_error *err) {
  const uint64_t nodes = a->data->graph.nodes;
  sotto_options options = *a->options;
  sotto_status status;
  sotto_i_random random;
  uint32_t *order = NULL;
  sotto_i_members target = {.members = NULL}, shadow = {.members = NULL};
  options.split = SOTTO_SPLITTING_RANDOM;
  options.train_share = 0.8;
  options.validation_share = 0.1;
  SOTTO_TRY(sotto_i_new_raw(&order, nodes, sizeof *order, err));
  for (uint32_t v = 0; v < nodes; v++) order[v] = v;
  sotto_i_attack_stream(&random, a, halves_stream, 0);
  sotto_i_random_shuffle(&random, order, nodes);
  SOTTO_TRY(make_world(&target, a, &options, order, nodes / 2, 0, err));
  if (!by_entropy) SOTTO_TRY(make_world(&shadow, a, &options, order + nodes / 2, nodes - nodes / 2, 1, err));
  SOTTO_TRY(find(a, by_entropy, true, &target, &shadow, err));
  if (target.differs) SOTTO_TRY(find(a, by_entropy, false, &target, &shadow, err));
done:
  sotto_i_free(order);
  sotto_i_members_free(&target);
  sotto_i_members_free(&shadow);
  return status;
}
