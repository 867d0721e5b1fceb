/* All methods. A new method adds its line here, and its folder. */
#include "registry.h"

#include "run/method/method.h"

#define SOTTO_I_METHODS(X)                                                                                   \
  X(vesper)                                                                                                  \
  X(mlp)                                                                                                     \
  X(best)                                                                                                    \
  X(gap)                                                                                                     \
  X(progap)                                                                                                  \
  X(caribou)                                                                                                 \
  X(dpdgc)                                                                                                   \
  X(lpgnet)                                                                                                  \
  X(pertgraph)                                                                                               \
  X(sage)                                                                                                    \
  X(gnn)                                                                                                     \
  X(vfgnn)                                                                                                   \
  X(securegnn)                                                                                               \
  X(feddep)                                                                                                  \
  X(fedsage_plus)                                                                                            \
  X(fedsage)                                                                                                 \
  X(locsage)                                                                                                 \
  X(globsage)                                                                                                \
  X(fedavg)                                                                                                  \
  X(gwldp)

#define DECLARE(name) extern const sotto_i_method sotto_i_method_##name;
SOTTO_I_METHODS(DECLARE)

#define ENTRY(name) &sotto_i_method_##name,
static const sotto_i_method *const methods[] = {SOTTO_I_METHODS(ENTRY) NULL};

void sotto_i_registry_use(void) {
  sotto_i_methods_use(methods);
}
