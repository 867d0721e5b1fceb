/* The choice by what holders count neighbours, and clusters of each holder's columns. */
#include "vfgnn_choice.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "run/files/job_file.h"

static const char centres_file[] = "centres.safetensors";

void sotto_i_vfgnn_cells_free(sotto_i_vfgnn_cells *c) {
  sotto_i_pilots_free(&c->pilots);
  sotto_params_free(c->centres);
  sotto_i_clusters_free(&c->by_features);
  *c = (sotto_i_vfgnn_cells){.centres = NULL};
}

sotto_i_cluster_choice sotto_i_vfgnn_choice(const sotto_i_vfgnn *shared, const size_t *cols,
                                            size_t training) {
  sotto_i_cluster_choice choice = {.features = shared->counts, .apart = true};
  size_t sizes[SOTTO_I_STAGES];
  for (size_t i = 0; i < shared->holders; i++)
    choice.features = choice.features && sotto_i_can_cluster_features(cols[i]);
  if (!sotto_i_pilots_sizes(sizes, training, choice)) choice.features = false;
  return choice;
}

sotto_status sotto_i_vfgnn_cells_draw(sotto_i_vfgnn_holder *h, const size_t *cols, const sotto_split *split,
                                      sotto_error *err) {
  sotto_i_vfgnn_cells *c = &h->cells;
  const sotto_i_parted whole = {.split = *split};
  c->choice = sotto_i_vfgnn_choice(h->shared, cols, split->count[SOTTO_PART_TRAIN]);
  return sotto_i_pilots_draw(&c->pilots, h->shared->job, &whole, c->choice, err);
}

void sotto_i_vfgnn_cells_settle(sotto_i_vfgnn_server *s, const size_t *cols, size_t training) {
  s->cells.choice = sotto_i_vfgnn_choice(s->shared, cols, training);
  (void)sotto_i_pilots_sizes(s->cells.pilots.count, training, s->cells.choice);
}

/* By the centres that are there. */
static sotto_status assign(sotto_i_vfgnn_holder *h, sotto_error *err) {
  const sotto_i_row_source rows = sotto_i_row_source_of(&h->features);
  return sotto_i_feature_clusters_of(&h->cells.by_features, h->cells.centres, &rows, err);
}

sotto_status sotto_i_vfgnn_cells_fit(sotto_i_vfgnn_holder *h, sotto_error *err) {
  const sotto_i_row_source rows = sotto_i_row_source_of(&h->features);
  sotto_key key;
  sotto_status status = SOTTO_OK;
  if (!h->cells.choice.features) return SOTTO_OK;
  sotto_i_job_key(&key, h->shared->job);
  SOTTO_TRY(sotto_params_new(&h->cells.centres, err));
  SOTTO_TRY(sotto_i_feature_clusters_fit(h->cells.centres, &rows, &key, err));
  SOTTO_TRY(assign(h, err));
done:
  return status;
}

/* A file of one process has the centres of all holders, by number; that of a holder alone has its own. */
static sotto_status centres_new(sotto_params *set, size_t index, size_t cols, bool whole, sotto_error *err) {
  char name[32];
  size_t number;
  (void)snprintf(name, sizeof name, whole ? SOTTO_I_CLUSTERS_PARAMETER "%zu" : SOTTO_I_CLUSTERS_PARAMETER,
                 index + 1);
  return sotto_params_add(set, &number, name, SOTTO_I_FEATURE_CLUSTERS, cols, SOTTO_INIT_ZERO, false, NULL,
                          err);
}

sotto_status sotto_i_vfgnn_cells_keep(const sotto_i_vfgnn_holder *holders, size_t count, bool whole,
                                      sotto_error *err) {
  sotto_params *set = NULL;
  sotto_status status;
  if (holders->cells.kind != SOTTO_I_BY_FEATURES) return SOTTO_OK;
  SOTTO_TRY(sotto_params_new(&set, err));
  for (size_t i = 0; i < count; i++) {
    const sotto_matrix *centres = sotto_params_value(holders[i].cells.centres, 0);
    SOTTO_TRY(centres_new(set, holders[i].index, centres->cols, whole, err));
    memcpy(sotto_params_value(set, i)->data, centres->data, centres->rows * centres->cols * sizeof(float));
  }
  SOTTO_TRY(sotto_i_job_save_table(holders->shared->job, centres_file, set, err));
done:
  sotto_params_free(set);
  return status;
}

sotto_status sotto_i_vfgnn_cells_check(uint32_t kind, sotto_error *err) {
  if (kind == SOTTO_I_BY_CLASS || kind == SOTTO_I_BY_FEATURES) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_PROTOCOL,
                      "clusters.kind: the label holder says %u; it must be 0 for classes or 1 for features",
                      (unsigned)kind);
}

sotto_status sotto_i_vfgnn_cells_open(sotto_i_vfgnn_holder *h, uint32_t kind, bool whole, sotto_error *err) {
  sotto_i_vfgnn_cells *c = &h->cells;
  sotto_status status;
  SOTTO_TRY(sotto_i_vfgnn_cells_check(kind, err));
  c->kind = (sotto_i_cluster_kind)kind;
  if (c->kind == SOTTO_I_BY_CLASS || !sotto_i_vfgnn_has_columns(h)) goto done;
  SOTTO_TRY(sotto_params_new(&c->centres, err));
  SOTTO_TRY(centres_new(c->centres, h->index, h->features.cols, whole, err));
  SOTTO_TRY(sotto_i_job_load_table(c->centres, h->shared->job, centres_file, whole, err));
  SOTTO_TRY(assign(h, err));
done:
  return status;
}

size_t sotto_i_vfgnn_stages(sotto_i_vfgnn_stage out[SOTTO_I_STAGES], const sotto_i_vfgnn_cells *c,
                            uint32_t round) {
  sotto_i_pilot_stage stages[SOTTO_I_STAGES] = {SOTTO_I_STAGE_OTHERS};
  const size_t count = round == 0 ? sotto_i_pilots_stages(stages, &c->pilots) : 1;
  for (size_t i = 0; i < count; i++) {
    const bool last = stages[i] == SOTTO_I_STAGE_OTHERS;
    out[i] = (sotto_i_vfgnn_stage){.round = round,
                                   .number = stages[i],
                                   .after_pilots = last && i > 0,
                                   .kind = last ? sotto_i_kind_of_round(c->kind, round)
                                                : sotto_i_pilots_kind(stages[i])};
  }
  return count;
}

size_t sotto_i_vfgnn_stage_rows(const sotto_i_vfgnn_stage *s, const sotto_i_vfgnn *shared,
                                const sotto_i_vfgnn_cells *c) {
  return s->number == SOTTO_I_STAGE_OTHERS ? shared->nodes : c->pilots.count[s->number];
}

size_t sotto_i_vfgnn_kind_cols(sotto_i_cluster_kind kind, const sotto_i_vfgnn *shared) {
  return kind == SOTTO_I_BY_FEATURES ? SOTTO_I_FEATURE_CLUSTERS : shared->classes;
}

size_t sotto_i_vfgnn_kind_cols_of_all(sotto_i_cluster_kind kind, const sotto_i_vfgnn *shared) {
  return kind == SOTTO_I_BY_FEATURES ? SOTTO_I_FEATURE_CLUSTERS * shared->holders : shared->classes;
}
