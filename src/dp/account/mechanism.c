/* Mechanisms: names, defaults, limits, closed forms. */
#include "mechanism.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "dp/inside/dp.h"

static const char *const mechanism_names[] = {
#define NAME(name, text) text,
    SOTTO_MECHANISM_LIST(NAME)
#undef NAME
};
enum { mechanism_kinds = sizeof mechanism_names / sizeof *mechanism_names };

static const char *const accountant_names[] = {"gdp", "rdp", "pld", "paper"};
enum { accountants = sizeof accountant_names / sizeof *accountant_names };

static const uint64_t count_limit = (uint64_t)1 << 62;

const char *sotto_mechanism_name(sotto_mechanism_kind kind) {
  return (unsigned)kind < mechanism_kinds ? mechanism_names[kind] : "unknown mechanism";
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
  if (nearest == NULL) return sotto_i_fail(err, SOTTO_NOT_FOUND, "no %s is named '%.60s'", what, word);
  return sotto_i_fail(err, SOTTO_NOT_FOUND, "no %s is named '%.60s'; did you mean '%s'?", what, word,
                      nearest);
}

sotto_status sotto_mechanism_from_name(sotto_mechanism_kind *out, const char *name, sotto_error *err) {
  size_t found = 0;
  sotto_status status = find_name(&found, name, mechanism_names, mechanism_kinds, "mechanism", err);
  if (status == SOTTO_OK) *out = (sotto_mechanism_kind)found;
  return status;
}

sotto_status sotto_accountant_from_name(sotto_accountant *out, const char *name, sotto_error *err) {
  size_t found = 0;
  sotto_status status = find_name(&found, name, accountant_names, accountants, "accountant", err);
  if (status == SOTTO_OK) *out = (sotto_accountant)found;
  return status;
}

sotto_mechanism sotto_mechanism_default(sotto_mechanism_kind kind) {
  return (sotto_mechanism){.kind = kind,
                           .count = 1,
                           .sensitivity = 1,
                           .layers = 1,
                           .choices = 2,
                           .sampled = 1,
                           .epochs = 1,
                           .slack = 1e-6};
}

/* Which fields each kind reads, as bits. */
enum {
  uses_noise = 1,
  uses_sensitivity = 2,
  uses_rate = 4,
  uses_population = 8,
  uses_layers = 16,
  uses_lipschitz = 32,
  uses_epsilon = 64,
  uses_choices = 128,
  uses_sampled = 256,
  uses_epochs = 512, /* and slack */
  uses_sample = 1024 /* and degree */
};
static const unsigned uses[] = {
    [SOTTO_MECHANISM_GAUSSIAN] = uses_noise | uses_sensitivity,
    [SOTTO_MECHANISM_DISCRETE_GAUSSIAN] = uses_noise | uses_sensitivity,
    [SOTTO_MECHANISM_LAPLACE] = uses_noise | uses_sensitivity,
    [SOTTO_MECHANISM_SUBSAMPLED_GAUSSIAN] = uses_noise | uses_sensitivity | uses_rate | uses_population,
    [SOTTO_MECHANISM_CONTRACTIVE] = uses_noise | uses_sensitivity | uses_layers | uses_lipschitz,
    [SOTTO_MECHANISM_RANDOMIZED_RESPONSE] = uses_noise | uses_epsilon | uses_choices,
    [SOTTO_MECHANISM_MULTIBIT] = uses_noise | uses_epsilon | uses_sampled,
    [SOTTO_MECHANISM_NOISE_FREE_SAMPLING] = uses_layers | uses_epochs | uses_sample | uses_rate,
    [SOTTO_MECHANISM_POISSON_SUM] = uses_noise | uses_sensitivity | uses_rate,
    [SOTTO_MECHANISM_REPLACED_GAUSSIAN] = uses_noise | uses_sensitivity | uses_rate,
    [SOTTO_MECHANISM_SAMPLED_SUBGRAPHS] = uses_noise | uses_sensitivity | uses_rate | uses_sample,
};

static sotto_status check_unused(const sotto_mechanism *m, sotto_error *err) {
  const sotto_mechanism d = sotto_mechanism_default(m->kind);
  const struct {
    const char *name;
    unsigned bit;
    bool changed;
  } fields[] = {
      {"noise", uses_noise, m->noise != d.noise},
      {"sensitivity", uses_sensitivity, m->sensitivity != d.sensitivity},
      {"rate", uses_rate, m->rate != d.rate},
      {"population", uses_population, m->population != d.population},
      {"batch", uses_population, m->batch != d.batch},
      {"layers", uses_layers, m->layers != d.layers},
      {"lipschitz", uses_lipschitz, m->lipschitz != d.lipschitz},
      {"epsilon", uses_epsilon, m->epsilon != d.epsilon},
      {"choices", uses_choices, m->choices != d.choices},
      {"sampled", uses_sampled, m->sampled != d.sampled},
      {"epochs", uses_epochs, m->epochs != d.epochs},
      {"sample", uses_sample, m->sample != d.sample},
      {"degree", uses_sample, m->degree != d.degree},
      {"slack", uses_epochs, m->slack != d.slack},
  };
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    if (fields[i].changed && (uses[m->kind] & fields[i].bit) == 0)
      return sotto_i_fail(err, SOTTO_INVALID, "%s has no %s; leave it out", sotto_mechanism_name(m->kind),
                          fields[i].name);
  return SOTTO_OK;
}

static sotto_status check_count(const char *what, uint64_t value, uint64_t least, sotto_error *err) {
  if (value >= least && value <= count_limit) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_RANGE, "%s is %llu; it must be between %llu and 2^62", what,
                      (unsigned long long)value, (unsigned long long)least);
}

static sotto_status check_noise(const sotto_mechanism *m, sotto_error *err) {
  if (!(m->sensitivity > 0 && isfinite(m->sensitivity)))
    return sotto_i_fail(err, SOTTO_RANGE, "sensitivity is %g; it must be finite and above 0", m->sensitivity);
  double ratio = m->noise / m->sensitivity;
  if (!(m->noise > 0 && isfinite(m->noise) && ratio >= 1e-3 && ratio <= 1e12))
    return sotto_i_fail(err, SOTTO_RANGE,
                        "noise is %g; it must be between 0.001 and 1e12 times the sensitivity", m->noise);
  if (m->kind == SOTTO_MECHANISM_DISCRETE_GAUSSIAN && m->sensitivity != floor(m->sensitivity))
    return sotto_i_fail(err, SOTTO_RANGE, "sensitivity is %g; a discrete Gaussian takes whole numbers",
                        m->sensitivity);
  return SOTTO_OK;
}

/* randomised response and multibit: noise or epsilon, one of them. */
static sotto_status check_flip(const sotto_mechanism *m, sotto_error *err) {
  double most = m->kind == SOTTO_MECHANISM_MULTIBIT ? 0.5 : 1 - 1 / (double)m->choices;
  if ((m->noise != 0) == (m->epsilon != 0))
    return sotto_i_fail(err, m->noise != 0 ? SOTTO_INVALID : SOTTO_RANGE,
                        "%s takes either noise, the flip probability, or epsilon",
                        sotto_mechanism_name(m->kind));
  if (m->noise != 0 && !(m->noise >= 1e-300 && m->noise <= most))
    return sotto_i_fail(err, SOTTO_RANGE, "noise is %g; the flip probability is above 0 and at most %g",
                        m->noise, most);
  if (m->epsilon != 0 && !(m->epsilon > 0 && m->epsilon <= 600))
    return sotto_i_fail(err, SOTTO_RANGE, "epsilon is %g; it must be above 0 and at most 600", m->epsilon);
  return SOTTO_OK;
}

static sotto_status check_sampling(const sotto_mechanism *m, sotto_error *err) {
  bool poisson = m->rate != 0, without = m->population != 0 || m->batch != 0;
  if (poisson == without)
    return sotto_i_fail(err, poisson ? SOTTO_INVALID : SOTTO_RANGE,
                        "subsampled-gaussian takes either rate, or population and batch");
  if (poisson && !(m->rate > 0 && m->rate <= 1))
    return sotto_i_fail(err, SOTTO_RANGE, "rate is %g; it must be above 0 and at most 1", m->rate);
  if (without && (m->batch < 1 || m->batch > m->population || m->population > count_limit))
    return sotto_i_fail(err, SOTTO_RANGE,
                        "batch is %llu of a population of %llu; it must be between 1 and the population",
                        (unsigned long long)m->batch, (unsigned long long)m->population);
  return SOTTO_OK;
}

static sotto_status check_poisson(const sotto_mechanism *m, sotto_error *err) {
  const bool graph = m->kind == SOTTO_MECHANISM_SAMPLED_SUBGRAPHS;
  const bool poisson = m->kind == SOTTO_MECHANISM_POISSON_SUM || m->kind == SOTTO_MECHANISM_REPLACED_GAUSSIAN;
  if ((poisson || graph) && !(m->rate > 0 && m->rate <= 1))
    return sotto_i_fail(err, SOTTO_RANGE, "rate is %g; it must be above 0 and at most 1", m->rate);
  if (graph && (m->sample < 1 || m->sample > m->degree || m->degree > UINT32_MAX))
    return sotto_i_fail(err, SOTTO_RANGE,
                        "sample is %llu of a degree of %llu; it must be between 1 and the degree, which is "
                        "below 2^32",
                        (unsigned long long)m->sample, (unsigned long long)m->degree);
  return SOTTO_OK;
}

static sotto_status check_noise_free(const sotto_mechanism *m, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  SOTTO_TRY(check_count("epochs", m->epochs, 1, err));
  SOTTO_TRY(check_count("sample", m->sample, 1, err));
  SOTTO_TRY(check_count("degree", m->degree, 1, err));
  if (m->rate != 0 && !(m->rate > 0 && m->rate <= 1))
    return sotto_i_fail(err, SOTTO_RANGE, "rate is %g; it must be above 0 and at most 1", m->rate);
  if (!(m->slack > 0 && m->slack < 1))
    return sotto_i_fail(err, SOTTO_RANGE, "slack is %g; it must be above 0 and below 1", m->slack);
done:
  return status;
}

sotto_status sotto_mechanism_check(const sotto_mechanism *m, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if ((unsigned)m->kind >= mechanism_kinds)
    return sotto_i_fail(err, SOTTO_INVALID, "%d is no kind of mechanism", (int)m->kind);
  SOTTO_TRY(check_unused(m, err));
  SOTTO_TRY(check_count("count", m->count, 1, err));
  SOTTO_TRY(check_count("layers", m->layers, 1, err));
  SOTTO_TRY(check_count("choices", m->choices, 2, err));
  SOTTO_TRY(check_count("sampled", m->sampled, 1, err));
  if (uses[m->kind] & uses_epsilon) SOTTO_TRY(check_flip(m, err));
  if (uses[m->kind] & uses_sensitivity) SOTTO_TRY(check_noise(m, err));
  if (uses[m->kind] & uses_population) SOTTO_TRY(check_sampling(m, err));
  if (uses[m->kind] & uses_epochs) SOTTO_TRY(check_noise_free(m, err));
  SOTTO_TRY(check_poisson(m, err));
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
