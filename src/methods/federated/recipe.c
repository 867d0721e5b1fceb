/* The protocol of a federated method, by its options. */
#include "recipe.h"

#include "run/method/method.h"

const sotto_i_fed_recipe *sotto_i_fed_recipe_of(const sotto_options *options) {
  return sotto_i_variant_of(options)->recipe;
}

sotto_i_fed_fusion sotto_i_fed_fused(const sotto_options *options, size_t inputs) {
  const sotto_i_fed_recipe *recipe = sotto_i_fed_recipe_of(options);
  return recipe->fuses == NULL ? (sotto_i_fed_fusion){0} : recipe->fuses(options, inputs);
}
