/* Which cells there are, and whether pilots may choose. */
#include "cells.h"

#include "base/memory.h"
#include "federated.h"
#include "nn/readings.h"
#include "protocols/feature_clusters.h"

void sotto_i_fed_cells_free(sotto_i_fed_cells *cells) {
  sotto_params_free(cells->centres);
  sotto_i_clusters_free(&cells->by_features);
  sotto_i_pilots_free(&cells->pilots);
  *cells = (sotto_i_fed_cells){.centres = NULL};
}

size_t sotto_i_fed_cell_count(const sotto_i_federation *f, sotto_i_cluster_kind kind) {
  return kind == SOTTO_I_BY_FEATURES ? SOTTO_I_FEATURE_CLUSTERS : f->classes;
}

size_t sotto_i_fed_counts_width(const sotto_i_federation *f, sotto_i_cluster_kind kind) {
  if (!f->counts) return 0;
  return sotto_i_readings_width(sotto_i_fed_cell_count(f, kind), kind == SOTTO_I_BY_FEATURES);
}

static size_t columns_of(const sotto_i_federation *f) {
  return f->inputs - sotto_i_fed_counts_width(f, SOTTO_I_BY_CLASS);
}

bool sotto_i_fed_can_choose(const sotto_i_federation *f) {
  return f->counts && !f->linked && !f->numbers && f->settings->update_bound == 0 && f->classes > 1 &&
         f->classes <= SOTTO_I_FED_MOST_CLASSES && sotto_i_can_cluster_features(columns_of(f));
}
