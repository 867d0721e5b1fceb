/* Checks of options that federated methods share. */
#include "recipe.h"

#include <string.h>

#include "base/error.h"
#include "run/method/method.h"
#include "run/settings/options.h"

const sotto_i_fed_recipe *sotto_i_fed_recipe_of(const sotto_options *options) {
  return sotto_i_variant_of(options)->recipe;
}

size_t sotto_i_fed_fused(const sotto_options *options, size_t inputs) {
  const sotto_i_fed_recipe *recipe = sotto_i_fed_recipe_of(options);
  return recipe->width == NULL ? 0 : recipe->width(options, inputs);
}

/* A round that is done again, for a client that came back, has to have the same clients where sums hide them.
 */
static sotto_status check_least_clients(const sotto_options *o, sotto_error *err) {
  if (!sotto_i_fed_recipe_of(o)->leave)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "least-clients: %s has no rounds that go on without a client",
                        o->method);
  if (o->secure_aggregation)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "least-clients: not with secure-aggregation, since two sums of a round, of which one "
                        "is without a client, show what that client sent");
  if (o->least_clients > o->clients)
    return sotto_i_fail(err, SOTTO_RANGE, "least-clients: %llu are more than the %llu clients",
                        (unsigned long long)o->least_clients, (unsigned long long)o->clients);
  return SOTTO_OK;
}

sotto_status sotto_i_fed_check(const sotto_options *o, sotto_error *err) {
  if (o->least_clients > 0) {
    sotto_status status = check_least_clients(o, err);
    if (status != SOTTO_OK) return status;
  }
  if (o->local_momentum > 0 && strcmp(o->optimiser, "sgd") != 0)
    return sotto_i_fail(err, SOTTO_INVALID, "local-momentum: is that of optimiser sgd");
  if (strcmp(o->deal, "communities") == 0 && sotto_i_option_given(o, "deal") &&
      (o->dirichlet > 0 || o->client_list[0] != '\0'))
    return sotto_i_fail(err, SOTTO_INVALID, "deal: communities goes with neither dirichlet nor client-list");
  if (o->client_list[0] != '\0' && o->dirichlet > 0)
    return sotto_i_fail(err, SOTTO_INVALID, "client-list says who has what: leave dirichlet out");
  return SOTTO_OK;
}
