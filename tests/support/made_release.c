#include "made_release.h"

#include "check.h"

sotto_pmp_options check_release_options(sotto_aggregator kind, uint32_t layers, sotto_activation activation) {
  return (sotto_pmp_options){
      .aggregator = kind, .layers = layers, .degree_floor = 3, .self = true, .activation = activation};
}

sotto_release *check_release(const sotto_pmp_plan *plan, const sotto_graph *graph, const sotto_matrix *x,
                             uint64_t seed) {
  sotto_release *release;
  sotto_key key;
  sotto_key_insecure(&key, seed);
  CHECK_OK(sotto_release_new(&release, plan, graph, x, &key, "id", "run", "a test", NULL, &err));
  return release;
}
