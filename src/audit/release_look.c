/* One release of a run: its noise distribution from the plan, repeated draws of it, and the copy in the
 * folder. */
#include <math.h>
#include <string.h>

#include "audit/statistics/audit.h"
#include "base/error.h"
#include "base/progress.h"
#include "base/random.h"
#include "dp/mechanisms/mechanism.h"
#include "graph/csr.h"
#include "release.h"

enum { least_draws = 16, kept_after = 16 };
static const double most_cells = 4e6; /* over all draws of a release */

static const sotto_mechanism *mechanism_of(const sotto_i_artifact *a) {
  return &a->owner.cost->items[a->item].mechanism;
}

static const sotto_i_descriptor *descriptor_of(const sotto_i_artifact *a) {
  return sotto_i_descriptor_of(mechanism_of(a)->kind);
}

static void set_answer_law(sotto_i_residual *out, const sotto_mechanism *m, double epsilon) {
  static const double shares[] = {1, 0.5, 0};
  out->law = SOTTO_I_RESIDUAL_ANSWERS;
  for (int i = 0; i < 3; i++)
    out->agree[i] = sotto_i_descriptor_of(m->kind)->agreement(m, epsilon, shares[i]);
}

/* False: the plan's item states no distribution of single cells. */
static bool set_law(sotto_i_residual *out, const sotto_i_artifact *a, const sotto_matrix *table) {
  const sotto_mechanism *m = mechanism_of(a);
  const sotto_i_descriptor *d = descriptor_of(a);
  const double epsilon = a->owner.cost->items[a->item].epsilon;
  *out = (sotto_i_residual){.rows = table->rows, .cols = table->cols, .unit = m->noise};
  if (a->processed) {
    out->law = SOTTO_I_RESIDUAL_PROCESSED;
    return true;
  }
  if (d->log_ratio != NULL) {
    out->law = SOTTO_I_RESIDUAL_NUMBERS;
    out->mechanism = m->kind;
    return m->noise > 0;
  }
  if (d->agreement == NULL) return false;
  set_answer_law(out, m, epsilon > 0 ? epsilon : m->epsilon);
  return d->each_cell || table->cols == 1; /* sets of answers have another distribution */
}

/* Counts are whole numbers, whose noise distribution differs from that on a fine grid. */
static void find_step(sotto_i_residual *law, const sotto_matrix *table) {
  if (law->law != SOTTO_I_RESIDUAL_NUMBERS || !sotto_i_descriptor_of(law->mechanism)->whole_step) return;
  for (size_t i = 0; i < table->rows * table->cols; i++)
    if (table->data[i] != nearbyintf(table->data[i])) return;
  law->step = 1 / law->unit;
}

static sotto_status draw_release(sotto_graph *graph, sotto_matrix *table, const sotto_i_artifact *a,
                                 sotto_error *err) {
  sotto_key key;
  sotto_key_system(&key);
  *graph = (sotto_graph){0};
  *table = (sotto_matrix){0};
  const sotto_status status = a->show(a->context, graph, table, &key, err);
  sotto_key_wipe(&key);
  return status;
}

static uint64_t number_of_draws(const sotto_matrix *table, uint64_t most) {
  const double fit = most_cells / ((double)table->rows * (double)table->cols + 1);
  const uint64_t fitting = fit < least_draws ? least_draws : fit > (double)most ? most : (uint64_t)fit;
  return fitting < most ? fitting : most;
}

/* False: the shapes differ. */
static bool add_kept(sotto_i_residual *r, const sotto_matrix *kept) {
  if (kept->rows != r->rows || kept->cols != r->cols) return false;
  sotto_i_residual_restart(r);
  /* Answers are compared in pairs of consecutive draws. */
  if (r->law == SOTTO_I_RESIDUAL_ANSWERS && r->draws % 2 == 0) r->draws--;
  sotto_i_residual_add(r, kept->data);
  return true;
}

/* Compares stored rows with the exact ones. The evidence of layers adds up: each has its own noise, given
 * the one before. */
static sotto_status look_at_layer(double *evidence, const sotto_i_residual *like, const sotto_matrix *kept,
                                  const sotto_matrix *exact, bool scaled, sotto_error *err) {
  sotto_i_residual law = {.law = scaled ? SOTTO_I_RESIDUAL_DIRECTIONS : SOTTO_I_RESIDUAL_NUMBERS,
                          .mechanism = SOTTO_MECHANISM_GAUSSIAN,
                          .unit = like->unit,
                          .rows = exact->rows,
                          .cols = exact->cols};
  sotto_i_residual r = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_residual_new(&r, &law, err));
  sotto_i_residual_centre(&r, exact->data);
  sotto_i_residual_add(&r, kept->data);
  *evidence = sotto_i_residual_evidence(&r);
done:
  sotto_i_residual_free(&r);
  return status;
}

static bool same_shape(const sotto_matrix *a, const sotto_matrix *b) {
  return a->data != NULL && a->rows == b->rows && a->cols == b->cols;
}

/* Compares stored layers with the exact ones. `compared` is set if every layer, or its directions, has a
 * known distribution. */
static sotto_status look_at_layers(sotto_i_looked *out, const sotto_i_artifact *a, const char *path,
                                   sotto_error *err) {
  sotto_matrix kept = {0}, exact = {0};
  const bool gaussian = sotto_i_mechanism_is_gaussian(mechanism_of(a));
  sotto_status status = SOTTO_OK;
  bool scaled = false;
  for (uint32_t layer = 1; gaussian && a->compare != NULL && status == SOTTO_OK; layer++) {
    double evidence;
    SOTTO_TRY(a->compare(a->context, path, layer, &kept, &exact, &scaled, err));
    if (!same_shape(&kept, &exact) || (scaled && kept.cols < 2)) break;
    SOTTO_TRY(look_at_layer(&evidence, &out->residual, &kept, &exact, scaled, err));
    out->evidence = fmax(out->evidence, evidence);
    out->compared = true;
    if (layer == 1 && !scaled)
      (void)add_kept(&out->residual, &kept); /* another release may have the same noise */
    sotto_matrix_free(&kept);
    sotto_matrix_free(&exact);
  }
done:
  sotto_matrix_free(&kept);
  sotto_matrix_free(&exact);
  return status;
}

/* Tests the stored release with the same bets, restarted, or against the exact values. */
sotto_status sotto_i_look_at_kept(sotto_i_looked *out, const sotto_i_artifact *a, const char *path,
                                  sotto_error *err) {
  sotto_dataset kept = {0};
  if (!a->is_table || a->processed || a->apart) return look_at_layers(out, a, path, err);
  const sotto_status status = sotto_dataset_open(&kept, path, NULL, err);
  if (status == SOTTO_OK) out->compared = add_kept(&out->residual, &kept.features);
  if (out->compared) out->evidence = fmax(out->evidence, sotto_i_residual_evidence(&out->residual));
  sotto_dataset_free(&kept);
  return status;
}

/* Draws are compared with the exact table, where the artifact has one without scaling. */
static sotto_status set_centre(sotto_i_residual *r, const sotto_i_artifact *a, const char *path,
                               sotto_error *err) {
  sotto_matrix kept = {0}, exact = {0};
  bool scaled = false;
  sotto_status status = SOTTO_OK;
  if (!a->is_table || a->processed || a->apart || a->compare == NULL) return SOTTO_OK;
  SOTTO_TRY(a->compare(a->context, path, 1, &kept, &exact, &scaled, err));
  if (!scaled && same_shape(&kept, &exact) && exact.rows == r->rows && exact.cols == r->cols)
    sotto_i_residual_centre(r, exact.data);
done:
  sotto_matrix_free(&kept);
  sotto_matrix_free(&exact);
  return status;
}

static sotto_status look_at_table(sotto_i_looked *out, const sotto_i_artifact *a, const sotto_matrix *first,
                                  const char *path, uint64_t most, double enough, sotto_error *err) {
  sotto_i_residual *r = &out->residual;
  const uint64_t draws = number_of_draws(first, most);
  sotto_graph graph = {0};
  sotto_matrix table = {0};
  sotto_status status;
  SOTTO_TRY(set_centre(r, a, path, err));
  sotto_i_residual_add(r, first->data);
  for (out->draws = 1; out->draws < draws; out->draws++) {
    SOTTO_TRY(sotto_i_check_interrupt(err));
    SOTTO_TRY(draw_release(&graph, &table, a, err));
    if (table.rows != r->rows || table.cols != r->cols) {
      status = sotto_i_fail(err, SOTTO_INVALID, "%s: two draws of it have different shapes", a->file);
      goto done;
    }
    sotto_i_residual_add(r, table.data);
    sotto_graph_free(&graph);
    sotto_matrix_free(&table);
    out->evidence = sotto_i_residual_evidence(r);
    if (out->evidence >= enough && out->draws >= kept_after) break;
  }
  SOTTO_TRY(sotto_i_look_at_kept(out, a, path, err));
done:
  sotto_graph_free(&graph);
  sotto_matrix_free(&table);
  return status;
}

/* Randomised response is independent for each pair, with one distribution for edges and one for other
 * pairs. */
static double log_of_ratio(uint64_t hits, uint64_t trials, uint64_t other_hits, uint64_t other_trials,
                           double risk) {
  return log(sotto_i_at_least(hits, trials, risk / 4)) -
         log(sotto_i_at_most(other_hits, other_trials, risk / 4));
}

bool sotto_i_shows_pairs(const sotto_graph *shown, const sotto_graph *truth, double epsilon, double risk) {
  const uint64_t edges = truth->entries / 2, nodes = truth->nodes;
  const uint64_t others = nodes * (nodes - 1) / 2 - edges;
  uint64_t kept = 0, all = shown->entries / 2;
  if (edges == 0 || others == 0) return false;
  for (uint64_t u = 0; u < nodes; u++)
    for (uint64_t e = shown->offsets[u]; e < shown->offsets[u + 1]; e++)
      kept += shown->targets[e] > u && sotto_i_graph_has(truth, u, shown->targets[e]);
  const uint64_t added = all - kept;
  const double there = log_of_ratio(kept, edges, added, others, risk);
  const double gone = log_of_ratio(others - added, others, edges - kept, edges, risk);
  return fmax(there, gone) > epsilon * (1 + 1e-9);
}

/* A perturbed graph: pairs are independent answers, if the plan says so. */
static sotto_status look_at_graph(sotto_i_looked *out, bool *seen, const sotto_i_artifact *a,
                                  const sotto_graph *first, const char *path, double enough,
                                  sotto_error *err) {
  const size_t items = a->items == 0 ? 1 : a->items;
  const sotto_graph *truth = &a->owner.data->graph;
  double epsilon = 0;
  bool answers = false;
  sotto_dataset kept = {0};
  for (size_t i = a->item; i < a->item + items; i++) {
    epsilon += a->owner.cost->items[i].epsilon;
    answers = answers || sotto_i_descriptor_of(a->owner.cost->items[i].mechanism.kind)->agreement != NULL;
  }
  *seen = answers && first->nodes == truth->nodes;
  if (!*seen) return SOTTO_OK;
  sotto_status status = sotto_dataset_open(&kept, path, NULL, err);
  if (status != SOTTO_OK) return status;
  if (sotto_i_shows_pairs(first, truth, epsilon, exp(-enough)) ||
      (kept.graph.nodes == truth->nodes && sotto_i_shows_pairs(&kept.graph, truth, epsilon, exp(-enough))))
    out->evidence = enough;
  out->compared = kept.graph.nodes == truth->nodes;
  out->draws = 1;
  sotto_dataset_free(&kept);
  return SOTTO_OK;
}

sotto_status sotto_i_look_at(sotto_i_looked *out, bool *seen, const sotto_i_artifact *a, const char *path,
                             sotto_dataset *data, uint64_t most, double enough, sotto_error *err) {
  sotto_graph graph = {0};
  sotto_matrix table = {0};
  sotto_i_residual law;
  sotto_status status;
  *out = (sotto_i_looked){.moved = NAN};
  *seen = false;
  if (a->show == NULL) return SOTTO_OK;
  SOTTO_TRY(draw_release(&graph, &table, a, err));
  if (table.data == NULL) {
    SOTTO_TRY(look_at_graph(out, seen, a, &graph, path, enough, err));
    goto done;
  }
  *seen = table.rows > 0 && set_law(&law, a, &table);
  if (!*seen) goto done;
  find_step(&law, &table);
  SOTTO_TRY(sotto_i_residual_new(&out->residual, &law, err));
  SOTTO_TRY(look_at_table(out, a, &table, path, most, enough, err));
  /* The run may read a copy of the dataset, but never of the graph: only the copy that the release reads is
   * changed. */
  if (!a->processed && a->owner.data->graph.offsets == data->graph.offsets)
    SOTTO_TRY(sotto_i_look_at_edges(out, a, (sotto_dataset *)(uintptr_t)a->owner.data, err));
done:
  sotto_graph_free(&graph);
  sotto_matrix_free(&table);
  return status;
}
