/* The audit by one training: many canaries, each in by a coin, one run of the method, and guesses. */
#include "one_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "graph/csr.h"
#include "graph_less.h"
#include "inside/audit.h"
#include "run/train/model.h"
#include "shadow.h"

enum { canaries_stream = 36, coins_stream = 37, least = 64 };

static const char sees_answers[] = "class probabilities of all nodes; the graph but for the canaries";
static const char sees_release[] =
    "all that one training releases, as a peer receives it; the graph but for the canaries, features, labels";

/* Chooses nodes with neighbours, no two of them joined. */
static void choose_nodes(sotto_i_one_run *run, const sotto_dataset *data, const uint32_t *order,
                         uint8_t *taken, size_t most) {
  const sotto_graph *g = &data->graph;
  for (uint64_t i = 0; i < g->nodes && run->count < most; i++) {
    const uint32_t u = order[i];
    if (taken[u] != 0 || g->offsets[u] == g->offsets[u + 1]) continue;
    for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) taken[g->targets[e]] = 1;
    run->nodes[run->count++] = u;
  }
}

static sotto_status find_nodes(sotto_i_one_run *run, const sotto_i_attacked *a, sotto_error *err) {
  const uint64_t nodes = a->data->graph.nodes;
  const size_t most = a->ask.link.pairs < nodes / 2 ? (size_t)a->ask.link.pairs : (size_t)(nodes / 2);
  sotto_status status;
  sotto_i_random random;
  uint32_t *order = NULL;
  uint8_t *taken = NULL;
  run->data = *a->data;
  SOTTO_TRY(sotto_i_new_raw(&order, nodes, sizeof *order, err));
  SOTTO_TRY(sotto_i_new(&taken, nodes, 1, err));
  SOTTO_TRY(sotto_i_new(&run->nodes, most + 1, sizeof *run->nodes, err));
  for (uint32_t v = 0; v < nodes; v++) order[v] = v;
  sotto_i_attack_stream(&random, a, canaries_stream, 0);
  sotto_i_random_shuffle(&random, order, nodes);
  choose_nodes(run, a->data, order, taken, most);
done:
  sotto_i_free(order);
  sotto_i_free(taken);
  return status;
}

static sotto_status choose_canaries(sotto_i_one_run *run, const sotto_i_attacked *a, bool of_nodes,
                                    sotto_error *err) {
  sotto_status status;
  sotto_i_random random;
  sotto_key coins;
  if (of_nodes)
    SOTTO_TRY(find_nodes(run, a, err));
  else
    SOTTO_TRY(sotto_i_one_run_add_nodes(run, a->data, a->ask.link.pairs, err));
  if (run->count < least) {
    status = sotto_i_fail(err, SOTTO_INVALID, "%s: has place for %zu canaries, and one-run needs %d",
                          a->data->name, run->count, least);
    goto done;
  }
  SOTTO_TRY(sotto_i_new(&run->members, run->count, 1, err));
  SOTTO_TRY(sotto_i_new(&run->scores, run->count, sizeof *run->scores, err));
  SOTTO_TRY(sotto_i_new(&run->likeness, run->count, sizeof *run->likeness, err));
  sotto_key_system(&coins);
  sotto_i_random_init(&random, &coins, SOTTO_I_PURPOSE_NEGATIVE, coins_stream, 0);
  for (size_t i = 0; i < run->count; i++) run->members[i] = (uint8_t)sotto_i_random_below(&random, 2);
  sotto_key_wipe(&coins);
done:
  return status;
}

/* Copies the edges of a graph, with space for more edges. */
static sotto_status copy_edges(uint32_t **ends, uint64_t *kept, uint64_t room, const sotto_graph *g,
                               sotto_error *err) {
  sotto_status status = sotto_i_new_raw(ends, 2 * room + 1, sizeof **ends, err);
  *kept = 0;
  for (uint32_t v = 0; status == SOTTO_OK && v < g->nodes; v++)
    for (uint64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
      if (g->targets[e] < v) continue;
      (*ends)[*kept] = v;
      (*ends)[room + (*kept)++] = g->targets[e];
    }
  return status;
}

/* out: the graph with the added nodes and the pairs for which `in` is not 0 (NULL: all). */
static sotto_status with_pairs(sotto_graph *out, const sotto_graph *g, const sotto_i_one_run *run,
                               const uint8_t *in, sotto_error *err) {
  uint32_t *ends = NULL;
  const uint64_t room = g->entries / 2 + run->count;
  uint64_t kept;
  sotto_status status;
  SOTTO_TRY(copy_edges(&ends, &kept, room, g, err));
  for (size_t i = 0; i < run->count; i++) {
    if (in != NULL && in[i] == 0) continue;
    ends[kept] = run->nodes[i];
    ends[room + kept++] = run->others[i];
  }
  SOTTO_TRY(sotto_graph_from_pairs(out, g->nodes + 2 * run->count, ends, ends + room, kept, err));
done:
  sotto_i_free(ends);
  return status;
}

/* out: the graph without the edges of those nodes for which `in` is 0 (NULL: of all canary nodes). */
static sotto_status without_nodes(sotto_graph *out, const sotto_graph *g, const sotto_i_one_run *run,
                                  const uint8_t *in, sotto_error *err) {
  sotto_i_edge *gone = NULL;
  size_t count = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&gone, g->entries + 1, sizeof *gone, err));
  for (size_t i = 0; i < run->count; i++) {
    const uint32_t u = run->nodes[i];
    if (in != NULL && in[i] != 0) continue;
    for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++)
      gone[count++] = (sotto_i_edge){u, g->targets[e]};
  }
  SOTTO_TRY(sotto_i_graph_less(out, g, gone, count, err));
done:
  sotto_i_free(gone);
  return status;
}

static sotto_status build_graphs(sotto_i_one_run *run, const sotto_graph *g, sotto_error *err) {
  sotto_status status;
  if (run->others != NULL) {
    SOTTO_TRY(with_pairs(&run->with, g, run, NULL, err));
    SOTTO_TRY(with_pairs(&run->drawn, g, run, run->members, err));
    SOTTO_TRY(sotto_i_new(&run->nobody, run->count, 1, err));
    SOTTO_TRY(with_pairs(&run->without, g, run, run->nobody, err));
  } else {
    SOTTO_TRY(without_nodes(&run->without, g, run, NULL, err));
    SOTTO_TRY(without_nodes(&run->drawn, g, run, run->members, err));
    SOTTO_TRY(sotto_i_graph_less(&run->with, g, NULL, 0, err));
  }
done:
  return status;
}

static sotto_status add_finding(sotto_i_attacked *a, const sotto_i_one_run *run, const double *scores,
                                const char *variant, const char *sees, uint32_t share, sotto_error *err) {
  sotto_finding *f = sotto_i_finding(a, "one-run", variant, sees, err);
  if (f == NULL) return SOTTO_RANGE;
  const sotto_one_run guessed = {.scores = scores,
                                 .members = run->members,
                                 .canaries = run->count,
                                 .epsilon = a->out->stated,
                                 .delta = a->out->delta,
                                 .mu = a->out->mu,
                                 .risk = 1 - a->ask.confidence,
                                 .share = share * a->share};
  f->is_one_run = f->decides = true;
  sotto_status status = sotto_audit_one_run(&f->one_run, &guessed, err);
  f->holds = f->one_run.holds;
  return status;
}

static sotto_status judge_predictions(sotto_i_attacked *a, sotto_i_one_run *run, const char *folder,
                                      const sotto_dataset *data, uint32_t share, sotto_error *err) {
  const sotto_model_options as = {.seed = SOTTO_UNSET};
  sotto_error why = {0};
  sotto_model *model = NULL;
  sotto_matrix posteriors = {0};
  sotto_status status = sotto_i_model_open(&model, folder, data, &as, &why);
  if (status == SOTTO_OK) status = sotto_model_query(&posteriors, model, &(sotto_query){0}, &why);
  if (status == SOTTO_OK) {
    memset(run->scores, 0, run->count * sizeof *run->scores);
    status = sotto_i_one_run_score_answers(run, &posteriors, err);
    if (status == SOTTO_OK)
      status = add_finding(a, run, run->scores, "its answers", sees_answers, share, err);
  } else if (status == SOTTO_UNSUPPORTED) {
    status = SOTTO_OK;
  } else {
    *err = why;
  }
  sotto_model_free(model);
  sotto_matrix_free(&posteriors);
  return status;
}

/* The release has half of the confidence, since its bounds are the tightest. The other views share the
 * rest, whether they have something to look at or not. */
static sotto_status train_and_guess(sotto_i_attacked *a, sotto_i_one_run *run, char folder[SOTTO_I_SCRATCH],
                                    sotto_error *err) {
  sotto_status status;
  char name[32], *seed = NULL;
  bool any = false;
  const bool edges = run->others != NULL;
  const size_t before = a->out->count;
  SOTTO_TRY(build_graphs(run, &a->data->graph, err));
  run->data.graph = run->drawn;
  SOTTO_TRY(sotto_i_attack_state(a->out, a->options, &run->data, err));
  SOTTO_TRY(sotto_i_scratch_train(folder, a->options, &run->data, a->out->seed, a->observer, err));
  (void)snprintf(name, sizeof name, "seed-%llu", (unsigned long long)a->out->seed);
  SOTTO_TRY(sotto_i_join(&seed, folder, name, err));
  SOTTO_TRY(sotto_i_one_run_score_releases(run, &any, seed, a->options, err));
  if (any) SOTTO_TRY(add_finding(a, run, run->scores, "its release", sees_release, edges ? 2 : 1, err));
  if (any && edges)
    SOTTO_TRY(add_finding(a, run, run->likeness, "its release, alike rows", sees_release, 4, err));
  if (edges) SOTTO_TRY(judge_predictions(a, run, folder, &run->data, any ? 4 : 1, err));
  if (a->out->count == before)
    status = sotto_i_fail(err, SOTTO_UNSUPPORTED,
                          "one-run: a run of %s at this level keeps no release of rows, tables or graphs and "
                          "answers no queries, so there is nothing to guess from",
                          a->options->method);
done:
  sotto_i_free(seed);
  return status;
}

static sotto_status check_supported(const sotto_i_attacked *a, sotto_error *err) {
  const sotto_options *o = a->options;
  if (isinf(a->out->stated) || !sotto_i_job_wants_privacy(o))
    return sotto_i_fail(err, SOTTO_INVALID, "%s adds no noise in this run, and states no privacy to test",
                        o->method);
  if (o->adjacency != SOTTO_ADJACENCY_EDGE && o->adjacency != SOTTO_ADJACENCY_NEIGHBOURS &&
      o->adjacency != SOTTO_ADJACENCY_NODE)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "one-run: canaries are edges and nodes, and this run is of %s",
                        sotto_adjacency_name(o->adjacency));
  if (o->label_edges > 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "label-edges: canaries are of one party's edges yet");
  return SOTTO_OK;
}

static sotto_status audit_once(sotto_i_attacked *a, sotto_error *err) {
  sotto_i_one_run run = {.count = 0};
  char folder[SOTTO_I_SCRATCH] = "";
  sotto_status status;
  SOTTO_TRY(choose_canaries(&run, a, a->options->adjacency == SOTTO_ADJACENCY_NODE, err));
  SOTTO_TRY(train_and_guess(a, &run, folder, err));
done:
  sotto_i_scratch_end(folder);
  sotto_i_one_run_free(&run);
  return status;
}

static bool has_objection(const sotto_findings *found, size_t first) {
  for (size_t i = first; i < found->count; i++)
    if (!found->items[i].holds) return true;
  return false;
}

/* A bound at 95% exceeds the truth by chance in 1 of 20 trainings. So the audit fails only when several
 * trainings, with their own coins and noise, all object, until this has a probability below `together`. The
 * first training without an objection is the result. */
static const double joint_risk = 1e-6;

sotto_status sotto_i_attack_one_run(sotto_i_attacked *a, sotto_error *err) {
  const size_t first = a->out->count;
  double chance = 1;
  sotto_status status;
  SOTTO_TRY(check_supported(a, err));
  do {
    a->out->count = first;
    SOTTO_TRY(audit_once(a, err));
    chance *= 1 - a->ask.confidence;
  } while (has_objection(a->out, first) && chance > joint_risk);
done:
  return status;
}
