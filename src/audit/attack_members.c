/* Membership attacks that train the method again on a subgraph, with a shadow model. Each training is a
 * cell. */
#include <stdlib.h>

#include "attack.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "inside/audit.h"
#include "inside/graph.h"
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

/* The role of each node in the attack, and the training, validation and test nodes. */
static sotto_status set_roles(uint8_t *role, uint8_t *split, const sotto_i_job *job, const uint32_t *inside,
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

/* Trains on the subgraph of `inside` nodes of `whole` and tests on all of it. A method that can predict
 * only over the graph of its release is trained on all of it, with the labels of the same nodes. */
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
  SOTTO_TRY(set_roles(role, split, &job, inside, count, err));
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

/* One half of the data's nodes, and within it the half for training. */
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

static sotto_status add_finding(sotto_i_attacked *a, bool by_entropy, bool corrected,
                                const sotto_i_members *target, const sotto_i_members *shadow,
                                sotto_error *err) {
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

/* The target's half of the nodes, and the shadow model's. */
typedef struct worlds {
  const sotto_i_attacked *attacked;
  sotto_options options;
  uint32_t *order;
  size_t first, second; /* number of nodes of each */
  size_t classes;
} worlds;

static sotto_status make_worlds(void *context, void *values, size_t first, size_t count, size_t *finished,
                                sotto_error *err) {
  const worlds *w = context;
  sotto_i_members made = {.members = NULL};
  const size_t bytes = sotto_i_members_bytes(w->second, w->classes);
  sotto_status status = SOTTO_OK;
  for (*finished = 0; *finished < count; ++*finished) {
    const size_t number = first + *finished;
    SOTTO_TRY(make_world(&made, w->attacked, &w->options, w->order + (number == 0 ? 0 : w->first),
                         number == 0 ? w->first : w->second, number, err));
    SOTTO_TRY(sotto_i_members_put((uint8_t *)values + *finished * bytes, &made, w->second, w->classes, err));
    sotto_i_members_free(&made);
    made = (sotto_i_members){.members = NULL};
  }
done:
  sotto_i_members_free(&made);
  return status;
}

/* Predictions of all models, for all ranks. */
static sotto_status predict_all(sotto_i_members *out, size_t count, worlds *w, const char *attack,
                                sotto_error *err) {
  sotto_i_attack_cells cells = {.path = NULL};
  uint8_t *values = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_attack_cells_of(&cells, w->attacked, attack, err));
  cells.like.bytes = sotto_i_members_bytes(w->second, w->classes);
  cells.like.total = count;
  cells.like.block = 1;
  SOTTO_TRY(sotto_i_new(&values, count, cells.like.bytes, err));
  cells.like.values = values;
  SOTTO_TRY(sotto_i_cells_open(&cells.like, err));
  SOTTO_TRY(sotto_i_cells_run(&cells.like, make_worlds, w, "models", w->attacked->observer, err));
  SOTTO_TRY(sotto_i_cells_share(&cells.like, err));
  for (size_t i = 0; i < count; i++)
    SOTTO_TRY(sotto_i_members_take(&out[i], values + i * cells.like.bytes, w->second, w->classes, err));
done:
  sotto_i_cells_close(&cells.like, false);
  sotto_i_free(cells.path);
  sotto_i_free(values);
  return status;
}

sotto_status sotto_i_attack_members(sotto_i_attacked *a, bool by_entropy, sotto_error *err) {
  enum { target, shadow };
  const uint64_t nodes = a->data->graph.nodes;
  worlds w = {.attacked = a,
              .options = *a->options,
              .first = nodes / 2,
              .second = nodes - nodes / 2,
              .classes = a->data->classes};
  sotto_status status;
  sotto_i_random random;
  sotto_i_members all[2] = {{.members = NULL}, {.members = NULL}};
  w.options.split = SOTTO_SPLITTING_RANDOM;
  w.options.train_share = 0.8;
  w.options.validation_share = 0.1;
  SOTTO_TRY(sotto_i_new_raw(&w.order, nodes, sizeof *w.order, err));
  for (uint32_t v = 0; v < nodes; v++) w.order[v] = v;
  sotto_i_attack_stream(&random, a, halves_stream, 0);
  sotto_i_random_shuffle(&random, w.order, nodes);
  SOTTO_TRY(predict_all(all, by_entropy ? 1 : 2, &w, by_entropy ? "entropy" : "node-mia", err));
  SOTTO_TRY(add_finding(a, by_entropy, true, &all[target], &all[shadow], err));
  if (all[target].differs) SOTTO_TRY(add_finding(a, by_entropy, false, &all[target], &all[shadow], err));
done:
  sotto_i_free(w.order);
  for (int i = 0; i < 2; i++) sotto_i_members_free(&all[i]);
  return status;
}
