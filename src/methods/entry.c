/* Public calls with which a program may begin: each hands the list of methods to the engine first. Calls
 * that need an earlier call, such as those with options or a run, find the list set. */
#include "audit/attack.h"
#include "registry.h"
#include "run/settings/options.h"
#include "run/statement/verify.h"
#include "run/train/handle.h"
#include "run/train/model.h"

void sotto_options_default(sotto_options *options) {
  sotto_i_registry_use();
  sotto_i_options_default(options);
}

const sotto_option_info *sotto_option_table(size_t *count) {
  sotto_i_registry_use();
  return sotto_i_option_infos(count);
}

sotto_status sotto_run_new(sotto_run **out, sotto_error *err) {
  sotto_i_registry_use();
  return sotto_i_run_new(out, err);
}

sotto_status sotto_model_open(sotto_model **out, const char *run, const sotto_dataset *data,
                              const sotto_model_options *options, sotto_error *err) {
  sotto_i_registry_use();
  return sotto_i_model_open(out, run, data, options, err);
}

sotto_status sotto_attack(sotto_findings *out, const char *run, const sotto_dataset *data, const char *attack,
                          const sotto_audit_ask *ask, const sotto_observer *observer, sotto_error *err) {
  return sotto_attack_several(out, NULL, run, data, &attack, 1, ask, observer, err);
}

sotto_status sotto_attack_several(sotto_findings *out, sotto_error *passed, const char *run,
                                  const sotto_dataset *data, const char *const *attacks, size_t count,
                                  const sotto_audit_ask *ask, const sotto_observer *observer,
                                  sotto_error *err) {
  sotto_i_registry_use();
  return sotto_i_attack_several(out, passed, run, data, attacks, count, ask, observer, err);
}

sotto_status sotto_statement_verify(sotto_statement_check *out, const char *folder,
                                    const sotto_statement_ask *ask, sotto_error *err) {
  sotto_i_registry_use();
  return sotto_i_statement_verify(out, folder, ask, err);
}

const char *sotto_self_method(size_t number) {
  sotto_i_registry_use();
  return sotto_i_self_method(number);
}

sotto_status sotto_self_audit(sotto_self_result *out, size_t number, const sotto_dataset *data,
                              const sotto_audit_ask *ask, const sotto_observer *observer, sotto_error *err) {
  sotto_i_registry_use();
  return sotto_i_self_audit(out, number, data, ask, observer, err);
}
