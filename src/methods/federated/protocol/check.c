/* Checks of options that federated methods share. */
#include "base/error.h"
#include "inside/base.h"
#include "methods/federated/linked.h"
#include "methods/federated/noisy.h"
#include "methods/federated/protocol.h"
#include "protocols/options.h"
#include "run/settings/options.h"

static sotto_status check_least_clients(const sotto_options *o, sotto_error *err) {
  if (o->least_clients > o->clients)
    return sotto_i_fail(err, SOTTO_RANGE, "least-clients: %llu are more than the %llu clients",
                        (unsigned long long)o->least_clients, (unsigned long long)o->clients);
  if (sotto_i_client_settings_of(o)->secure_aggregation && 3 * o->least_clients <= 2 * o->clients)
    return sotto_i_fail(
        err, SOTTO_RANGE,
        "least-clients: %llu; with secure-aggregation it is at least %llu, since more than two "
        "thirds of the %llu clients sign each sum",
        (unsigned long long)o->least_clients, (unsigned long long)(2 * o->clients / 3 + 1),
        (unsigned long long)o->clients);
  return SOTTO_OK;
}

sotto_status sotto_i_fed_check(const sotto_options *o, sotto_error *err) {
  const sotto_i_client_settings *own = sotto_i_client_settings_of(o);
  if (sotto_i_fed_protocol_of(o)->noisy) {
    sotto_status status = sotto_i_fed_noise_check(o, err);
    if (status != SOTTO_OK) return status;
  }
  if (o->least_clients > 0) {
    sotto_status status = check_least_clients(o, err);
    if (status != SOTTO_OK) return status;
  }
  if (own->update_bound > 0 && own->secure_aggregation)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "update-bound: goes without secure-aggregation; the servers see shares and the sum "
                        "alone, too");
  if (sotto_i_fed_protocol_of(o)->counts &&
      (o->aggregator == SOTTO_LAYER_GIN || o->aggregator == SOTTO_LAYER_SAGE))
    return sotto_i_fail(
        err, SOTTO_INVALID,
        "aggregator: %s reads neighbours, and at edge level networks read counts of them alone",
        sotto_layer_name(o->aggregator));
  if (own->local_momentum > 0 && own->optimiser != SOTTO_I_OPTIMISER_SGD)
    return sotto_i_fail(err, SOTTO_INVALID, "local-momentum: is that of optimiser sgd");
  sotto_partition partition;
  const sotto_status status = sotto_partition_read(&partition, sotto_i_partition_of(o), err);
  return status == SOTTO_OK ? sotto_i_fed_linked_check(o, err) : status;
}
