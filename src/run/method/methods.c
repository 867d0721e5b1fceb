/* The list of methods, and the one that options choose with its variant. */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/error.h"
#include "method.h"

static const sotto_i_method *const *_Atomic list;

void sotto_i_methods_use(const sotto_i_method *const *methods) {
  atomic_store(&list, methods);
}

const sotto_i_method *const *sotto_i_methods(void) {
  const sotto_i_method *const *methods = atomic_load_explicit(&list, memory_order_acquire);
  if (methods == NULL)
    sotto_i_broken(__FILE__, __LINE__, "no list of methods: a public call did not hand it over (entry.c)");
  return methods;
}

unsigned sotto_i_adjacency_bit(const sotto_options *options) {
  return 1U << options->adjacency;
}

unsigned sotto_i_accounting_bit(const sotto_options *options) {
  return 1U << options->accounting;
}

const sotto_i_method *sotto_i_method_named(const char *name) {
  for (const sotto_i_method *const *m = sotto_i_methods(); *m != NULL; m++)
    if (strcmp((*m)->name, name) == 0) return *m;
  return NULL;
}

const sotto_i_method *sotto_i_method_of(const sotto_options *options) {
  const sotto_i_method *method = sotto_i_method_named(options->method);
  SOTTO_I_CHECK(method != NULL);
  return method;
}

const sotto_i_variant *sotto_i_variant_find(const sotto_i_method *method, const sotto_options *options) {
  for (size_t i = 0; i < method->variant_count; i++) {
    const sotto_i_variant *v = &method->variants[i];
    if ((v->adjacencies & sotto_i_adjacency_bit(options)) != 0 &&
        (v->accountings & sotto_i_accounting_bit(options)) != 0 && (v->chosen == NULL || v->chosen(options)))
      return v;
  }
  return NULL;
}

const sotto_i_variant *sotto_i_variant_of(const sotto_options *options) {
  const sotto_i_variant *found = sotto_i_variant_find(sotto_i_method_of(options), options);
  if (found != NULL) return found;
  sotto_i_broken(__FILE__, __LINE__, "the options were checked, so the method has a variant for them");
}

bool sotto_i_labels_join(const sotto_options *options) {
  const sotto_i_variant *v = sotto_i_variant_find(sotto_i_method_of(options), options);
  return v != NULL && v->labels_join;
}

bool sotto_i_is_of_two(const sotto_options *options) {
  return sotto_i_method_of(options)->topology == SOTTO_TWO_PARTIES &&
         !sotto_i_variant_of(options)->one_owner && !sotto_i_labels_join(options);
}

bool sotto_i_model_has_labels(const sotto_options *options) {
  return options->label_epsilon > 0 ||
         (options->adjacency == SOTTO_ADJACENCY_NODE && sotto_i_is_of_two(options));
}

bool sotto_i_has_holders(const sotto_options *options) {
  return sotto_i_method_of(options)->topology == SOTTO_HOLDERS_AND_SERVER || sotto_i_labels_join(options);
}

bool sotto_i_has_labels_apart(const sotto_options *options) {
  return sotto_i_has_holders(options) && !sotto_i_labels_join(options) &&
         options->label_holder > options->holders;
}

bool sotto_i_has_clients(const sotto_options *options) {
  return sotto_i_method_of(options)->topology == SOTTO_CLIENTS_AND_SERVER;
}

bool sotto_i_has_helper(const sotto_options *options) {
  const sotto_i_method *method = sotto_i_method_of(options);
  return method->helper != NULL && method->helper(options);
}

bool sotto_i_job_wants_privacy(const sotto_options *options) {
  return options->adjacency != SOTTO_ADJACENCY_NONE && !isinf(options->epsilon);
}

bool sotto_i_price_asked(const sotto_options *options) {
  return options->adjacency != SOTTO_ADJACENCY_NONE && isfinite(options->epsilon);
}

bool sotto_i_variant_has_noise(const sotto_i_variant *v) {
  return v->edges && (v->noisy || (v->price != NULL && v->price != sotto_i_price_nothing));
}

sotto_status sotto_i_price_nothing(sotto_cost *out, const sotto_i_job *job, sotto_error *err) {
  (void)job, (void)err;
  *out = (sotto_cost){.adjacency = "edge"};
  return SOTTO_OK;
}
