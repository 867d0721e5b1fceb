/* The protocol of a federated method, by its options. */
#include "protocol.h"

#include "run/method/method.h"

const sotto_i_fed_protocol *sotto_i_fed_protocol_of(const sotto_options *options) {
  return sotto_i_variant_of(options)->protocol;
}

sotto_i_fed_fusion sotto_i_fed_fused(const sotto_options *options, size_t inputs) {
  const sotto_i_fed_protocol *protocol = sotto_i_fed_protocol_of(options);
  return protocol->fuses == NULL ? (sotto_i_fed_fusion){0} : protocol->fuses(options, inputs);
}
