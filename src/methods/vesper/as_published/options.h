/* Options of a training as Wu et al. 2023 ran it. */
#ifndef SOTTO_SRC_METHODS_VESPER_AS_PUBLISHED_OPTIONS_H
#define SOTTO_SRC_METHODS_VESPER_AS_PUBLISHED_OPTIONS_H

#include "base/option.h"

/* Settings of mini-batches with sampled neighbours: those of these options. */
typedef struct sotto_i_vesper_paper_settings {
  uint64_t neighbour_cap;
  uint64_t batch;
} sotto_i_vesper_paper_settings;
const sotto_i_vesper_paper_settings *sotto_i_vesper_paper_settings_of(const sotto_options *options);
extern const sotto_i_option_rows sotto_i_vesper_paper_rows;

#endif
