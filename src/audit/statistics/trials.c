/* Progress and stated epsilon of audits of mechanisms. */
#include "audit.h"
#include "base/cancel.h"
#include "base/progress.h"

sotto_status sotto_i_audit_tick(const sotto_i_audit *audit, uint64_t trial, bool second, sotto_error *err) {
  if (trial % 1024 != 0) return SOTTO_OK;
  sotto_i_progress(audit->observer, second ? "second input" : "first input", trial, audit->options.trials,
                   NULL);
  return sotto_i_check_interrupt(err);
}

sotto_status sotto_i_audit_state(sotto_i_audit *audit, const sotto_mechanism *mechanism, sotto_error *err) {
  return sotto_account_epsilon(&audit->stated, mechanism, 1, audit->options.delta, SOTTO_ACCOUNTANT_PLD, err);
}
