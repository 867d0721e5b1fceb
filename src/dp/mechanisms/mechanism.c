/* The table of mechanisms: names, limits, and access to descriptors. */
#include "mechanism.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define DECLARE(name, symbol) extern const sotto_i_descriptor sotto_i_mechanism_##symbol;
SOTTO_MECHANISM_LIST(DECLARE)
#undef DECLARE
static const sotto_i_descriptor *const descriptors[] = {
#define DESCRIPTOR(name, symbol) &sotto_i_mechanism_##symbol,
    SOTTO_MECHANISM_LIST(DESCRIPTOR)
#undef DESCRIPTOR
};
enum { kinds = sizeof descriptors / sizeof *descriptors };

static const char *const accountant_names[] = {"gdp", "rdp", "pld", "paper"};
enum { accountants = sizeof accountant_names / sizeof *accountant_names };

const char *sotto_mechanism_name(sotto_mechanism_kind kind) {
  return (unsigned)kind < kinds ? descriptors[kind]->name : "unknown mechanism";
}

const sotto_i_descriptor *sotto_i_descriptor_of(sotto_mechanism_kind kind) {
  SOTTO_I_CHECK((unsigned)kind < kinds);
  return descriptors[kind];
}

const char *sotto_accountant_name(sotto_accountant accountant) {
  return (unsigned)accountant < accountants ? accountant_names[accountant] : "unknown accountant";
}

static sotto_status find_name(size_t *out, const char *word, const char *const *names, size_t count,
                              const char *what, sotto_error *err) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(word, names[i]) != 0) continue;
    *out = i;
    return SOTTO_OK;
  }
  const char *nearest = sotto_i_nearest(word, names, count);
  if (nearest != NULL)
    return sotto_i_fail(err, SOTTO_NOT_FOUND, "no %s is named '%.60s'; did you mean '%s'?", what, word,
                        nearest);
  char all[800] = "";
  for (size_t i = 0, used = 0; i < count && used < sizeof all; i++)
    used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i == 0 ? "" : ", ", names[i]);
  return sotto_i_fail(err, SOTTO_NOT_FOUND, "no %s is named '%.60s'; there are %s", what, word, all);
}

sotto_status sotto_mechanism_from_name(sotto_mechanism_kind *out, const char *name, sotto_error *err) {
  const char *names[kinds];
  size_t found = 0;
  for (size_t i = 0; i < kinds; i++) names[i] = descriptors[i]->name;
  sotto_status status = find_name(&found, name, names, kinds, "mechanism", err);
  if (status == SOTTO_OK) *out = (sotto_mechanism_kind)found;
  return status;
}

sotto_status sotto_accountant_from_name(sotto_accountant *out, const char *name, sotto_error *err) {
  size_t found = 0;
  sotto_status status = find_name(&found, name, accountant_names, accountants, "accountant", err);
  if (status == SOTTO_OK) *out = (sotto_accountant)found;
  return status;
}

static sotto_status check_unused(const sotto_mechanism *m, sotto_error *err) {
  const sotto_mechanism d = sotto_mechanism_default(m->kind);
  const unsigned used = descriptors[m->kind]->fields;
  const struct {
    const char *name;
    unsigned bit;
    bool changed;
  } fields[] = {
      {"noise", SOTTO_I_FIELD_NOISE, m->noise != d.noise},
      {"sensitivity", SOTTO_I_FIELD_SENSITIVITY, m->sensitivity != d.sensitivity},
      {"rate", SOTTO_I_FIELD_RATE, m->rate != d.rate},
      {"population", SOTTO_I_FIELD_POPULATION, m->population != d.population},
      {"batch", SOTTO_I_FIELD_POPULATION, m->batch != d.batch},
      {"layers", SOTTO_I_FIELD_LAYERS, m->layers != d.layers},
      {"lipschitz", SOTTO_I_FIELD_LIPSCHITZ, m->lipschitz != d.lipschitz},
      {"epsilon", SOTTO_I_FIELD_EPSILON, m->epsilon != d.epsilon},
      {"choices", SOTTO_I_FIELD_CHOICES, m->choices != d.choices},
      {"sampled", SOTTO_I_FIELD_SAMPLED, m->sampled != d.sampled},
      {"epochs", SOTTO_I_FIELD_EPOCHS, m->epochs != d.epochs},
      {"sample", SOTTO_I_FIELD_SAMPLE, m->sample != d.sample},
      {"degree", SOTTO_I_FIELD_SAMPLE, m->degree != d.degree},
      {"slack", SOTTO_I_FIELD_EPOCHS, m->slack != d.slack},
  };
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    if (fields[i].changed && (used & fields[i].bit) == 0)
      return sotto_i_fail(err, SOTTO_INVALID, "%s has no %s; leave it out", sotto_mechanism_name(m->kind),
                          fields[i].name);
  return SOTTO_OK;
}

sotto_status sotto_mechanism_check(const sotto_mechanism *m, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if ((unsigned)m->kind >= kinds)
    return sotto_i_fail(err, SOTTO_INVALID, "%d is not a kind of mechanism", (int)m->kind);
  const sotto_i_descriptor *d = descriptors[m->kind];
  SOTTO_TRY(check_unused(m, err));
  SOTTO_TRY(sotto_i_check_whole("count", m->count, 1, err));
  SOTTO_TRY(sotto_i_check_whole("layers", m->layers, 1, err));
  SOTTO_TRY(sotto_i_check_whole("choices", m->choices, 2, err));
  SOTTO_TRY(sotto_i_check_whole("sampled", m->sampled, 1, err));
  if (d->fields & SOTTO_I_FIELD_SENSITIVITY) SOTTO_TRY(sotto_i_check_noise(m, err));
  if (d->check != NULL) SOTTO_TRY(d->check(m, err));
  if (!(m->lipschitz >= 0 && m->lipschitz < 1))
    return sotto_i_fail(err, SOTTO_RANGE, "lipschitz is %g; it must be at least 0 and below 1", m->lipschitz);
done:
  return status;
}

sotto_status sotto_i_mechanisms_check(const sotto_mechanism *list, size_t count, sotto_error *err) {
  if (count == 0 || count > SOTTO_MECHANISMS_MAX)
    return sotto_i_fail(err, SOTTO_RANGE, "a list has 1 to %d mechanisms, not %zu", SOTTO_MECHANISMS_MAX,
                        count);
  for (size_t i = 0; i < count; i++) {
    sotto_status status = sotto_mechanism_check(&list[i], err);
    if (status == SOTTO_OK) continue;
    if (err != NULL && count > 1) sotto_i_error_prefix(err, "mechanism %zu", i + 1);
    return status;
  }
  return SOTTO_OK;
}

double sotto_i_mechanism_mu(const sotto_mechanism *m) {
  return descriptors[m->kind]->mu(m);
}

double sotto_i_mechanism_pure(const sotto_mechanism *m) {
  double (*const pure)(const sotto_mechanism *) = descriptors[m->kind]->pure;
  return pure == NULL ? INFINITY : pure(m);
}

double sotto_i_mechanism_runs(const sotto_mechanism *m) {
  double (*const runs)(const sotto_mechanism *) = descriptors[m->kind]->runs;
  return runs == NULL ? (double)m->count : runs(m);
}

double sotto_i_mechanism_examples(const sotto_mechanism *m) {
  double (*const examples)(const sotto_mechanism *) = descriptors[m->kind]->examples;
  return examples == NULL ? 1 : examples(m);
}

double sotto_i_mechanism_gaussian_mu(const sotto_mechanism *m) {
  const sotto_i_descriptor *d = descriptors[m->kind];
  if (d->gaussian_mu != NULL) return d->gaussian_mu(m);
  return d->mu == NULL ? 0 : d->mu(m);
}

bool sotto_i_mechanism_is_gaussian(const sotto_mechanism *m) {
  return descriptors[m->kind]->mu != NULL;
}

bool sotto_i_mechanism_by_renyi(const sotto_mechanism *m) {
  return descriptors[m->kind]->pld == NULL && descriptors[m->kind]->mu == NULL;
}

sotto_status sotto_i_rdp_add(sotto_i_rdp *rdp, const sotto_mechanism *m, sotto_error *err) {
  const sotto_i_descriptor *d = descriptors[m->kind];
  const double runs = sotto_i_mechanism_runs(m);
  if (d->add_renyi != NULL) return d->add_renyi(rdp, m, err);
  if (d->renyi == NULL && d->mu == NULL)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "%s; use pld", d->no_renyi);
  for (size_t i = 0; i < rdp->count; i++)
    rdp->value[i] += runs * (d->renyi != NULL ? d->renyi(m, rdp->order[i])
                                              : sotto_i_rdp_gaussian(d->mu(m), rdp->order[i]));
  return SOTTO_OK;
}

double sotto_i_mechanism_variance(const sotto_mechanism *m) {
  const sotto_i_descriptor *d = descriptors[m->kind];
  if (d->variance != NULL) return d->variance(m);
  if (d->unit == NULL) return d->mu(m) * d->mu(m);
  const double unit = d->unit(m),
               width = m->sensitivity / m->noise; /* of a loss that rounds to 0: any bound */
  return unit > 0 ? unit * unit : width * width;
}

double sotto_i_pld_unit(const sotto_mechanism *m) {
  double (*const unit)(const sotto_mechanism *) = descriptors[m->kind]->unit;
  return unit == NULL ? 0 : unit(m);
}

sotto_status sotto_i_pld_make(sotto_i_pld *forward, sotto_i_pld *backward, const sotto_mechanism *m,
                              double width, double tail, sotto_error *err) {
  const sotto_i_descriptor *d = descriptors[m->kind];
  const double unit = sotto_i_pld_unit(m), steps = unit / width, mu = sotto_i_mechanism_gaussian_mu(m);
  *forward = *backward = (sotto_i_pld){0};
  if (sotto_i_mechanism_by_renyi(m))
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "%s has no privacy loss distribution here; use rdp", d->name);
  const sotto_status status = mu > 0 ? sotto_i_pld_gaussian(forward, mu, width, tail, err)
                                     : d->pld(forward, backward, m, width, tail, err);
  if (status != SOTTO_OK) return status;
  forward->runs = backward->runs = sotto_i_mechanism_runs(m);
  /* Atoms off the grid: at most a quarter of width^2, half of it counts. */
  if (unit > 0 && fabs(steps - nearbyint(steps)) > 1e-9 * steps) forward->spread = 1.0 / 8;
  return status;
}
