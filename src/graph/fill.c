/* Features without a value. */
#include <math.h>

#include "base/memory.h"
#include "features.h"

void sotto_i_features_sum(sotto_i_feature_sum *out, const sotto_i_parts *parts, size_t j) {
  for (uint64_t v = 0; v < parts->nodes; v++) {
    const float value = parts->features[v * parts->width + j];
    const bool trains = parts->split != NULL && parts->split[v] == SOTTO_PART_TRAIN;
    if (isnan(value)) continue;
    for (size_t k = 0; k <= (size_t)trains; k++) {
      out->sum[k] += (double)value;
      out->count[k]++;
    }
  }
}

double sotto_i_features_mean(const sotto_i_feature_sum *of) {
  const size_t k = of->count[1] > 0;
  return of->count[k] > 0 ? of->sum[k] / (double)of->count[k] : 0;
}

void sotto_i_features_replace(sotto_i_parts *parts, size_t j, float value) {
  for (uint64_t v = 0; v < parts->nodes; v++)
    if (isnan(parts->features[v * parts->width + j])) parts->features[v * parts->width + j] = value;
}

void sotto_i_parts_fill(sotto_i_parts *parts) {
  for (size_t j = 0; parts->fill != NULL && parts->features != NULL && j < parts->width; j++) {
    sotto_i_feature_sum sum = {{0}, {0}};
    if (isnan(parts->fill[j])) continue;
    if (isinf(parts->fill[j])) {
      sotto_i_features_sum(&sum, parts, j);
      parts->fill[j] = sotto_i_features_mean(&sum);
    }
    sotto_i_features_replace(parts, j, (float)parts->fill[j]);
  }
}
