/* Entropic and proximal Gromov-Wasserstein (stub). */
#include "gw/problem.h"
#include "base/error.h"
sotto_status sotto_i_gw_sinkhorn(sotto_i_gw_problem *s, const sotto_gw_options *options, uint32_t *steps,
                                 sotto_error *err) {
  (void)s; (void)options; (void)steps;
  return sotto_i_fail(err, SOTTO_UNSUPPORTED, "not yet");
}
