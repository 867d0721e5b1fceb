/* Chains (Zheng et al. 2026, appendix A-D1, after Gu et al. 2020): to classify a node, a method must carry
 * the class of the first node along the chain. Nothing is random. */
#include <string.h>

#include "base/error.h"
#include "generate.h"
#include "sotto/generate.h"

sotto_status sotto_chains_preset(sotto_chains_options *out, const char *name, sotto_error *err) {
  static const struct {
    const char *name;
    uint32_t chains, length;
  } rows[] = {{"s", 3, 8}, {"m", 3, 10}, {"l", 3, 15}, {"x", 5, 15}, {"large", 100, 15}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (strcmp(name, rows[i].name) != 0) continue;
    *out = (sotto_chains_options){
        .classes = 2, .chains_per_class = rows[i].chains, .length = rows[i].length, .features = 100};
    return SOTTO_OK;
  }
  return sotto_i_fail(err, SOTTO_NOT_FOUND, "no chains preset is named '%s'; presets are s, m, l, x, large",
                      name);
}

static sotto_status check_options(uint64_t *nodes, const sotto_chains_options *o, sotto_error *err) {
  if (o->classes == 0 || o->chains_per_class == 0 || o->length == 0)
    return sotto_i_fail(err, SOTTO_RANGE,
                        "chains: %u classes, %u chains a class, length %u; each must be at least 1",
                        o->classes, o->chains_per_class, o->length);
  if (o->features < o->classes)
    return sotto_i_fail(err, SOTTO_RANGE, "chains: %u features cannot encode %u classes one-hot", o->features,
                        o->classes);
  uint64_t chains = (uint64_t)o->classes * o->chains_per_class;
  if (chains > UINT32_MAX / o->length)
    return sotto_i_fail(err, SOTTO_RANGE, "chains: %llu chains of %u nodes have 2^32 nodes or more",
                        (unsigned long long)chains, o->length);
  *nodes = chains * o->length;
  return SOTTO_OK;
}

sotto_status sotto_generate_chains(sotto_dataset *out, const sotto_chains_options *options,
                                   const sotto_key *key, sotto_error *err) {
  sotto_status status;
  sotto_i_parts parts = {0};
  sotto_i_edge_arrays pairs = {0};
  uint64_t nodes = 0, edge = 0;
  *out = (sotto_dataset){0};
  SOTTO_TRY(check_options(&nodes, options, err));
  SOTTO_TRY(sotto_i_generate_begin(&parts, "chains", nodes, options->features, options->classes, key, err));
  SOTTO_TRY(sotto_i_edge_arrays_new(&pairs, nodes / options->length * (options->length - 1), err));
  const uint64_t class_nodes = (uint64_t)options->chains_per_class * options->length;
  for (uint64_t v = 0; v < nodes; v++) {
    parts.labels[v] = (int32_t)(v / class_nodes);
    if (v % options->length == 0) {
      parts.features[v * parts.width + (size_t)parts.labels[v]] = 1;
    } else {
      pairs.sources[edge] = (uint32_t)(v - 1);
      pairs.targets[edge++] = (uint32_t)v;
    }
  }
  SOTTO_TRY(sotto_i_generate_finish(out, &parts, &pairs, err));
done:
  sotto_i_edge_arrays_free(&pairs);
  sotto_i_parts_free(&parts);
  return status;
}
