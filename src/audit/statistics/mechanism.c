/* An audit of one mechanism by name: calibrate, draw on both inputs, bound. */
#include <string.h>

#include "audit.h"
#include "base/cancel.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/text.h"

enum { mechanism_count = SOTTO_I_AUDITED_NOISE + SOTTO_I_AUDITED_GRAPH };

static const sotto_i_audited *audited_row(size_t index) {
  return index < SOTTO_I_AUDITED_NOISE ? &sotto_i_audited_noise[index]
                                       : &sotto_i_audited_graph[index - SOTTO_I_AUDITED_NOISE];
}

const char *const *sotto_audit_names(void) {
  static const char *const names[mechanism_count + 1] = {"gaussian",
                                                         "discrete-gaussian",
                                                         "laplace",
                                                         "randomized-response",
                                                         "subset-selection",
                                                         "multibit",
                                                         "subsampled-gaussian",
                                                         "replaced-gaussian",
                                                         "release",
                                                         "contractive",
                                                         "edge-response",
                                                         "lapgraph",
                                                         NULL};
  return names;
}

static const sotto_i_audited *find_audited(const char *name) {
  for (size_t i = 0; i < mechanism_count; i++)
    if (strcmp(audited_row(i)->name, name) == 0) return audited_row(i);
  return NULL;
}

static sotto_status check_options(const sotto_audit_options *options, sotto_error *err) {
  if (!(options->epsilon >= 0.1 && options->epsilon <= 20))
    return sotto_i_fail(err, SOTTO_RANGE, "epsilon %g is outside 0.1 to 20", options->epsilon);
  if (!(options->delta >= 1e-6 && options->delta <= 0.5))
    return sotto_i_fail(err, SOTTO_RANGE, "delta %g is outside 1e-6 to 0.5", options->delta);
  if (options->trials < 1000 || options->trials > 1 << 23)
    return sotto_i_fail(err, SOTTO_RANGE, "%llu trials are outside 1000 to 8388608",
                        (unsigned long long)options->trials);
  if (options->layers < 1 || options->layers > 16)
    return sotto_i_fail(err, SOTTO_RANGE, "%u layers are outside 1 to 16", options->layers);
  return SOTTO_OK;
}

sotto_status sotto_audit_mechanism(sotto_audit_result *out, const char *name,
                                   const sotto_audit_options *options, const sotto_observer *observer,
                                   sotto_error *err) {
  SOTTO_I_CANCELLED_BY(observer);
  sotto_status status;
  double *values[2] = {NULL, NULL};
  sotto_i_audit audit = {.options = *options, .observer = observer};
  const sotto_i_audited *mechanism = find_audited(name);
  *out = (sotto_audit_result){.holds = false};
  if (mechanism == NULL) {
    const char *nearest = sotto_i_nearest(name, sotto_audit_names(), mechanism_count);
    return sotto_i_fail(err, SOTTO_NOT_FOUND, "no audit of '%s'; the nearest is '%s'", name,
                        nearest == NULL ? "gaussian" : nearest);
  }
  SOTTO_TRY(check_options(options, err));
  SOTTO_TRY(mechanism->setup(&audit, err));
  for (int second = 0; second < 2; second++) {
    SOTTO_TRY(sotto_i_new_raw(&values[second], options->trials, sizeof **values, err));
    sotto_key_system(&audit.key);
    SOTTO_TRY(mechanism->draw(&audit, values[second], second != 0, err));
    sotto_i_progress(observer, second != 0 ? "second input" : "first input", options->trials, options->trials,
                     NULL);
  }
  out->stated = audit.stated;
  SOTTO_TRY(sotto_audit_bound(&out->lower, values[0], values[1], options->trials, options->delta, err));
  out->holds = out->lower <= out->stated;
done:
  sotto_key_wipe(&audit.key);
  sotto_i_free(values[0]);
  sotto_i_free(values[1]);
  return status;
}
