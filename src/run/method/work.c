/* Work counts: the work of layers, and of a method's run. */
#include "work.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "method.h"

enum { vector_values = 16 };
static const double most_count = 1099511627776.0; /* 2^40 */

sotto_plan_phase *sotto_i_work_phase(sotto_plan_work *work, const char *name, uint64_t times, double rows,
                                     double width) {
  SOTTO_I_CHECK(work->count < SOTTO_PLAN_PHASES);
  sotto_plan_phase *phase = &work->phases[work->count++];
  *phase = (sotto_plan_phase){.name = name, .times = times, .rows = rows, .width = width};
  return phase;
}

void sotto_i_work_product(sotto_plan_phase *phase, double rows, double in, double out, double times) {
  phase->multiply_adds += times * rows * in * ceil(out / vector_values) * vector_values;
  phase->operands += times * rows * (in + out);
}

void sotto_i_work_linear(sotto_plan_phase *phase, double train, double validation, double in, double out,
                         bool inner) {
  sotto_i_work_product(phase, train, in, out, inner ? 3 : 2);
  sotto_i_work_product(phase, validation, in, out, 1);
  phase->passes += train * out; /* the bias's gradient */
  phase->reduced += (in + 1) * out;
}

void sotto_i_work_activation(sotto_plan_phase *phase, sotto_activation activation, double train,
                             double validation, double width) {
  double *values = activation == SOTTO_ACTIVATION_RELU ? &phase->passes : &phase->curves;
  *values += (2 * train + validation) * width;
}

void sotto_i_work_dropout(sotto_plan_phase *phase, double train, double width, double rate, bool inner) {
  if (rate <= 0) return;
  phase->draws += train * width;
  if (inner) phase->passes += train * width;
}

void sotto_i_work_spread(sotto_plan_phase *phase, const sotto_plan_shape *shape, double width, double times) {
  phase->gathers += times * 2 * (double)shape->edges * width;
  phase->exchanges += times;
  phase->exchanged += times * width;
}

void sotto_i_work_scores(sotto_plan_phase *phase, double train, double validation, double classes) {
  phase->passes += 2 * train * classes;
  phase->scores += validation * classes;
}

/* Adds the messages of two parties before a run, for a split by the options' shares. */
static void count_exchange(sotto_plan_work *out, const sotto_options *options,
                           const sotto_plan_shape *shape) {
  const sotto_i_variant *variant = sotto_i_variant_of(options);
  sotto_i_exchange_shape of = sotto_i_exchange_of_shares(options, shape->nodes, shape->classes);
  sotto_i_exchanged e = {0};
  of.columns = shape->features;
  if (variant->exchange == NULL || !variant->exchange(&e, options, &of)) return;
  out->wire_bytes = e.to_label + e.to_data;
  out->wire_trips = e.trips;
}

static sotto_status check_shape(const sotto_plan_shape *shape, sotto_error *err) {
  if (shape->nodes == 0 || shape->features == 0 || shape->classes < 2)
    return sotto_i_fail(err, SOTTO_RANGE,
                        "plan: a graph has at least one node, one column of features and two classes");
  if ((double)shape->nodes > most_count || (double)shape->edges > most_count ||
      (double)shape->features > most_count)
    return sotto_i_fail(err, SOTTO_RANGE, "plan: at most 2^40 nodes, edges and features can be counted");
  return SOTTO_OK;
}

static sotto_status fail_shape(const sotto_options *options, sotto_error *err) {
  char names[256] = "";
  for (const sotto_i_method *const *m = sotto_i_methods(); *m != NULL; m++) {
    bool counted = false;
    for (size_t i = 0; i < (*m)->variant_count; i++) counted |= (*m)->variants[i].work != NULL;
    const size_t used = strlen(names);
    if (counted) (void)snprintf(names + used, sizeof names - used, "%s%s", used == 0 ? "" : ", ", (*m)->name);
  }
  return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                      "plan: %s has no count of its work with these options; those of %s are counted (edge "
                      "level, or no privacy), and the estimate of a training works for every method",
                      options->method, names);
}

sotto_status sotto_plan_count(sotto_plan_work *out, const sotto_options *options,
                              const sotto_plan_shape *shape, sotto_error *err) {
  *out = (sotto_plan_work){.count = 0};
  if (sotto_i_learns_numbers(options))
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "plan: the work of task regression is not counted yet");
  const sotto_status status = check_shape(shape, err);
  if (status != SOTTO_OK) return status;
  const sotto_i_variant *variant = sotto_i_variant_of(options);
  if (variant == NULL || variant->work == NULL || !variant->work(out, options, shape))
    return fail_shape(options, err);
  count_exchange(out, options, shape);
  return SOTTO_OK;
}
