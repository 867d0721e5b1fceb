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

/* What an attack knows of each node, and which nodes train, validate and test. */
static sotto_status part_roles(uint8_t *role, uint8_t *split, const sotto_i_job *job, const uint32_t *inside,
                               size_t count, sotto_error *err) {
  sotto_i_parted parted = {0};
  sotto_status status = sotto_i_parted_new(&parted, job, err);
  for (size_t i = 0; i < count; i++) role[inside[i]] = SOTTO_I_NEITHER;
  for (int part = SOTTO_PART_TRAIN; status == SOTTO_OK && part <= SOTTO_PART_TEST; part++)
    for (size_t i = 0; i < parted.split.count[part]; i++) {
      const uint32_t node = inside[parted.split.rows[part][i]];
      split[node] = (uint8_t)part;
      if (part == SOTTO_PART_TRAIN) role[node] = SOTTO_I_MEMBER;
    }
  sotto_i_parted_free(&parted);
  return status;
}

/* Trains on the subgraph of `inside` nodes of `whole`, tests on all of it. A method that answers over the
 * graph of its release alone is trained on all of it, with the labels of the same nodes. */
static sotto_status train_on_half(sotto_i_members *out, const sotto_i_attacked *a,
                                  const sotto_options *options, const sotto_dataset *whole,
                                  const uint32_t *inside, size_t count, sotto_error *err) {
  sotto_status status;
  sotto_dataset part = {0}, labelled = *whole;
  sotto_options own = *options;
  char folder[SOTTO_I_SCRATCH] = "";
  uint8_t *role = NULL, *split = NULL;
  uint32_t *all = NULL;
  const sotto_i_job job = {.options = options, .data = &part, .seed = a->ask.link.seed};
  const bool over_whole = sotto_i_method_of(options)->no_fresh;
  SOTTO_TRY(sotto_dataset_take(&part, whole, inside, count, "subgraph", err));
  SOTTO_TRY(sotto_i_new(&role, whole->graph.nodes, 1, err));
  SOTTO_TRY(sotto_i_new(&split, whole->graph.nodes, 1, err));
  SOTTO_TRY(sotto_i_new(&all, whole->graph.nodes, sizeof *all, err));
  SOTTO_TRY(part_roles(role, split, &job, inside, count, err));
  for (uint32_t v = 0; v < whole->graph.nodes; v++) all[v] = v;
  labelled.split = split;
  if (over_whole) own.split = SOTTO_SPLITTING_PLANETOID;
  const sotto_dataset *trained = over_whole ? &labelled : &part;
  SOTTO_TRY(sotto_i_scratch_train(folder, &own, trained, job.seed, a->observer, err));
  SOTTO_TRY(sotto_i_members_ask(out, folder, &own, over_whole ? &labelled : whole, trained,
                                over_whole ? all : inside, role, true, err));
done:
  sotto_i_scratch_end(folder);
  sotto_i_free(role);
  sotto_i_free(split);
  sotto_i_free(all);
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
  const bool by_labels = sotto_i_method_of(a->options)->no_fresh;
  const char *variant = by_labels   ? "labels of a subgraph"
                        : corrected ? "trained on a subgraph"
                                    : "inductive, uncorrected";
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
