/* Options of two parties, one with the graph, one with labels. */
#ifndef SOTTO_SRC_METHODS_VESPER_OPTIONS_H
#define SOTTO_SRC_METHODS_VESPER_OPTIONS_H

#include "protocols/options.h"

/* The settings of these options. */
typedef enum sotto_i_clusters_by {
  SOTTO_I_CLUSTERS_PREDICTIONS,
  SOTTO_I_CLUSTERS_LABELS
} sotto_i_clusters_by;
typedef enum sotto_i_share_features {
  SOTTO_I_SHARE_FEATURES_NO,
  SOTTO_I_SHARE_FEATURES_ONCE
} sotto_i_share_features;
typedef struct sotto_i_vesper_settings {
  sotto_i_clusters_by clusters;
  sotto_i_share_features share_features;
} sotto_i_vesper_settings;
const sotto_i_vesper_settings *sotto_i_vesper_settings_of(const sotto_options *options);
extern const sotto_i_option_rows sotto_i_clusters_rows;
/* Options of releases to a label party, which other methods share. */
extern const sotto_i_option_rows sotto_i_vesper_rows;
extern const sotto_i_option_rows sotto_i_label_rows;
/* Are there several holders of columns and edges, and a label party? */
bool sotto_i_vesper_has_holders(const sotto_options *options);
/* The variants that release counts of neighbours; do the options choose one? */
extern const char sotto_i_vesper_counts_protocol;
bool sotto_i_vesper_by_counts(const sotto_options *options);

#endif
