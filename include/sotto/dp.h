/* Differential privacy: mechanisms, accountants and calibration. The budget ledger is in ledger.h. */
#ifndef SOTTO_DP_H
#define SOTTO_DP_H

#include "sotto/ledger.h"
#include "sotto/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Gaussian differential privacy (Dong, Roth and Su 2022), exact for Gaussian releases. `mu` is the square
 * root of the sum of (sensitivity / sigma)^2 over the releases; 0 means that nothing is released, INFINITY
 * that everything is. Answers lie between the bounds of every accountant (docs/privacy/mechanisms.md). */

/* delta(epsilon) = Phi(-epsilon/mu + mu/2) - exp(epsilon) Phi(-epsilon/mu - mu/2), accurate to 1e-12 relative
 * where delta > 1e-300. 1 where the value is outside of its bounds. epsilon >= 0, mu >= 0. */
SOTTO_API double sotto_gdp_delta(double mu, double epsilon);
/* The least epsilon >= 0 at which a mu-GDP release is (epsilon, delta)-DP: to 1e-9 relative, or to 1e-11 mu
 * where epsilon is near 0, and never below. INFINITY when a double cannot hold it. Cost: microseconds.
 * Errors: RANGE unless mu is finite and >= 0 and 0 < delta < 1; NUMERIC outside of the bounds;
 * INTERRUPTED. */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_gdp_epsilon(double *epsilon, double mu, double delta,
                                                        sotto_error *err);
/* The largest mu that is (epsilon, delta)-DP, to 1e-9 relative and never above. Its epsilon is computed again
 * from mu and compared. Errors: RANGE unless epsilon is finite and > 0 and 0 < delta < 1; NUMERIC where the
 * two epsilons differ; INTERRUPTED. */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_gdp_mu(double *mu, double epsilon, double delta,
                                                   sotto_error *err);

/* Gaussian noise on a public grid (docs/privacy/mechanisms.md). Every value is rounded to a multiple of the
 * grid's step, and so is the noise. Their sum is exact in float32 up to 2^24 steps and is clamped beyond
 * (symmetric, data-independent, post-processing). Rounding the noise has no privacy cost: a rounded value
 * plus rounded noise is the rounded sum of the value and continuous noise, which is post-processing of the
 * Gaussian mechanism. The step is the power of two in (sigma / 2^11, sigma / 2^10]. Rounding rows moves two
 * neighbouring inputs apart by at most `step * sqrt(number of values that differ)`. sotto_grid_sensitivity
 * adds that to the sensitivity, and callers account with its result. */
typedef struct sotto_grid {
  double sigma; /* standard deviation of the noise, > 0 */
  double step;  /* a power of two */
} sotto_grid;
/* Errors: RANGE unless sigma is in [1e-20, 1e20]. */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_grid_new(sotto_grid *out, double sigma, sotto_error *err);
/* Adds noise to each row of x in place. Row i uses the stream (key, noise, sub, i). The noise is the same on
 * every machine and for any number of threads. One (key, sub) pair must never be used for two releases.
 * Errors: INVALID unless the key is SYSTEM or INSECURE and the grid was made by sotto_grid_new; RANGE unless
 * sub is below 2^24; NUMERIC (a value is not finite). On failure nothing is changed. */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_grid_add_noise(sotto_matrix *x, const sotto_grid *grid,
                                                           const sotto_key *key, uint32_t sub,
                                                           sotto_error *err);

/* The description of a mechanism for an accountant (below). */

/* Kinds: a line for each, with the name of its descriptor (docs/add-a-mechanism.md). Never reorder them: the
 * number of a kind is in compiled programs. */
#define SOTTO_MECHANISM_LIST(X)                                                                              \
  X(GAUSSIAN, gaussian)                                                                                      \
  X(DISCRETE_GAUSSIAN, discrete_gaussian)                                                                    \
  X(LAPLACE, laplace)                                                                                        \
  X(SUBSAMPLED_GAUSSIAN, subsampled_gaussian)                                                                \
  X(CONTRACTIVE, contractive)                                                                                \
  X(RANDOMIZED_RESPONSE, randomized_response)                                                                \
  X(MULTIBIT, multibit)                                                                                      \
  X(NOISE_FREE_SAMPLING, noise_free_sampling)                                                                \
  X(POISSON_SUM, poisson_sum)                                                                                \
  X(REPLACED_GAUSSIAN, replaced_gaussian)                                                                    \
  X(SAMPLED_SUBGRAPHS, sampled_subgraphs)                                                                    \
  /* add the next one as a line above this one */

typedef enum sotto_mechanism_kind {
#define SOTTO_MECHANISM_ENUM(name, symbol) SOTTO_MECHANISM_##name,
  SOTTO_MECHANISM_LIST(SOTTO_MECHANISM_ENUM)
#undef SOTTO_MECHANISM_ENUM
} sotto_mechanism_kind;

/* One mechanism, run `count` times. Start from sotto_mechanism_default. Fields that a kind does not name must
 * keep their default.
 * - gaussian: noise, sensitivity. N(0, noise^2) on an l2 sensitivity.
 * - discrete-gaussian: noise, sensitivity. The discrete Gaussian on the integers with parameter noise
 *   (Canonne, Kamath and Steinke 2020), for a count that moves by `sensitivity`, a whole number.
 * - laplace: noise (the scale), sensitivity. On an l1 sensitivity.
 * - subsampled-gaussian: noise, sensitivity, and either rate (each record joins with this probability) or
 *   population and batch (batch records drawn without replacement).
 * - contractive: noise, sensitivity, layers, lipschitz. Noisy contractive layers, of which only the last is
 *   released: mu = (S/noise) sqrt((1-L^K)/(1+L^K) (1+L)/(1-L)).
 * - randomized-response: one value out of `choices`, and either noise (the flip probability, at most 1 -
 *   1/choices) or epsilon (of one run).
 * - multibit: `sampled` bits, of sampled coordinates, each under binary randomised response (m in Sajadmanesh
 *   and Gatica-Perez 2021; m per row times rows in GW-LDP). Either noise (the flip probability of a bit, at
 *   most 1/2) or epsilon (of all the bits of one run).
 * - noise-free-sampling: FedDEP. layers (L), epochs (N), sample (d) of at least degree (D) neighbours, rate
 *   (r, the prototypes' Bernoulli sampler) and slack (delta' of Lemma 3; used when rate < 1 and by the
 *   paper's form). It has no noise to calibrate.
 * - poisson-sum: noise, sensitivity, rate. A sum of vectors of l2 norm at most `sensitivity` over a secret
 *   Poisson sample, with Gaussian noise, discrete Gaussian noise on whole numbers, or a sum of several
 *   discrete Gaussians in each coordinate; replace-one. Always accounted by Renyi divergences
 *   (docs/privacy/mechanisms.md): under pld other mechanisms compose by pld, and both share delta.
 * - replaced-gaussian: noise, sensitivity, rate. The same with Gaussian noise alone. Accounted by its
 *   dominating pair (docs/privacy/mechanisms.md) under pld, and as poisson-sum under rdp.
 * - sampled-subgraphs: noise, sensitivity, rate, sample, degree. The same sum, where the vector of a node
 *   depends on the node and on those of its neighbours that join it, each with probability sample / degree
 *   and at most `degree` of them. Neighbouring data replace one node and its edges. Accounted by its
 *   dominating pair (docs/privacy/mechanisms.md), under pld alone. */
typedef struct sotto_mechanism {
  sotto_mechanism_kind kind;
  uint64_t count;                  /* runs, 1 to 2^62; default 1 */
  double noise;                    /* as above, in the sensitivity's units; default 0: not given */
  double sensitivity;              /* > 0; default 1 */
  double rate;                     /* in (0, 1]; default 0: not given (noise-free-sampling: 1) */
  uint64_t population, batch;      /* 1 <= batch <= population; default 0: not given */
  uint64_t layers;                 /* >= 1; default 1 */
  double lipschitz;                /* in [0, 1); default 0 */
  double epsilon;                  /* > 0; default 0: not given */
  uint64_t choices;                /* >= 2; default 2 */
  uint64_t sampled;                /* >= 1; default 1 */
  uint64_t epochs, sample, degree; /* >= 1; default: epochs 1, the others 0 (not given) */
  double slack;                    /* in (0, 1); default 1e-6 */
} sotto_mechanism;

/* A secret batch of records. Give one of two: `rate`, with which each record joins independently (Poisson;
 * the sampler rounds it down to a multiple of 2^-64), or `batch`, the number of records drawn without
 * replacement. */
typedef struct sotto_sampling {
  uint64_t population; /* records, below 2^32 */
  double rate;         /* in (0, 1], or 0 */
  uint64_t batch;      /* 1 to population, or 0 */
} sotto_sampling;

/* Accounting for any list of mechanisms (`sotto account`). A mechanism is described by numbers only; an
 * accountant turns a list into a privacy curve. Adjacency is that of the caller's sensitivities, except under
 * sampling: Poisson sampling is accounted for add-or-remove-one (the worse of the two directions), sampling
 * without replacement for replace-one. Amplification holds only if the receiver cannot see the sample. All
 * functions may be called from any thread. */

/* Accountants:
 * - gdp: exact for gaussian and contractive, and has no form for other kinds.
 * - rdp: Renyi orders 1.1 to 10.9 by 0.1, 11 to 63, 128, 256, 512 and 1024, converted as in Balle et al. 2020
 *   (Canonne et al. 2020, Prop. 12).
 * - pld: privacy loss distributions (Koskela et al. 2020), rounded pessimistically (connect-the-dots,
 *   Doroshenko et al. 2022). Never under-states, and is exact to 1e-3.
 * - paper: what a paper states for its method, sound or not. Only FedDEP's noise-free-sampling has such a
 *   form here, as the only mechanism of the list and with count 1. */
typedef enum sotto_accountant {
  SOTTO_ACCOUNTANT_GDP,
  SOTTO_ACCOUNTANT_RDP,
  SOTTO_ACCOUNTANT_PLD,
  SOTTO_ACCOUNTANT_PAPER
} sotto_accountant;

/* Look-ups by name, and the static name of an accountant. Errors: NOT_FOUND, naming the nearest name. */
SOTTO_API sotto_status sotto_mechanism_from_name(sotto_mechanism_kind *out, const char *name,
                                                 sotto_error *err);
SOTTO_API const char *sotto_accountant_name(sotto_accountant accountant);
SOTTO_API sotto_status sotto_accountant_from_name(sotto_accountant *out, const char *name, sotto_error *err);

SOTTO_API sotto_mechanism sotto_mechanism_default(sotto_mechanism_kind kind);

/* The least epsilon >= 0 (natural log) that the accountant proves for all of `list` together at `delta`.
 * Domain: 0 < delta < 1. delta = 0 is accepted when every mechanism is pure (laplace, randomized-response,
 * multibit); their epsilons are then added. Every answer but the paper's lies between what one distinguisher
 * achieves and what Renyi divergences and sums of pure epsilons prove (docs/privacy/mechanisms.md).
 *
 * Accuracy:
 * - gdp: 1e-9 relative.
 * - pld: at most 1e-3 above the true value, with these exceptions, and never below.
 * - pld beyond 2^22 points: only never below.
 * - pld of sampled mechanisms at epsilons below about 0.1: up to 6 % above, on the grid of width 1e-4 that
 *   dp_accounting uses, with which it then agrees.
 * - pld at noise below a tenth of the sensitivity: up to 3e-3 above.
 * - pld where no distribution fits a grid (more than 2^40 runs, noise far below the sensitivity, delta below
 *   1e-100): that upper bound itself.
 *
 * Errors: those of sotto_mechanism_check, with the mechanism's place in the list; RANGE (delta, or no finite
 * epsilon exists at this delta); UNSUPPORTED (the accountant has no form for a mechanism); NUMERIC (an answer
 * outside of its bounds, a fault of the library); INTERRUPTED, within a fifth of a second; NOMEM.
 *
 * Cost: gdp microseconds; rdp about a millisecond; pld milliseconds, growing with the square root of the
 * number of steps, and up to a second for sampled-subgraphs. The process caches the last 64 answers under
 * pld, of this function and of sotto_account_noise. */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_account_epsilon(double *epsilon, const sotto_mechanism *list,
                                                            size_t count, double delta,
                                                            sotto_accountant accountant, sotto_error *err);
/* The least delta that the accountant proves at `epsilon` >= 0. pld: never below the true value, and at most
 * 1e-3 relative above it where delta > 1e-100 (6 % on the grid of width 1e-4). Errors, cost: as above. */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_account_delta(double *delta, const sotto_mechanism *list,
                                                          size_t count, double epsilon,
                                                          sotto_accountant accountant, sotto_error *err);
/* The least `noise` of list[which] at which the whole list is (epsilon, delta)-DP, in (0, 1e9] times the
 * sensitivity (for randomized-response and multibit: the flip probability). Accuracy: gdp 1e-9 relative,
 * others 1e-6, never below. list[which].noise and .epsilon are not read. Errors: RANGE (epsilon not finite
 * and > 0; no noise suffices, for instance because the other mechanisms alone exceed epsilon; the least noise
 * that can be accounted for has an epsilon more than 1 % below the requested one), INVALID
 * (noise-free-sampling has no noise), and those of sotto_account_epsilon. Cost: some 15 calls of
 * sotto_account_epsilon. */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_account_noise(double *noise, const sotto_mechanism *list,
                                                          size_t count, size_t which, double epsilon,
                                                          double delta, sotto_accountant accountant,
                                                          sotto_error *err);
/* The largest `count` of list[which] at which the whole list is (epsilon, delta)-DP; 0 when a single run
 * exceeds it. list[which].count is not read. Capped at 2^62, and under pld at 2^40. Errors: as above. Cost:
 * some 2 log2(*steps) calls. */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_account_steps(uint64_t *steps, const sotto_mechanism *list,
                                                          size_t count, size_t which, double epsilon,
                                                          double delta, sotto_accountant accountant,
                                                          sotto_error *err);

/* The largest number of mechanisms in a file. */
#define SOTTO_MECHANISMS_MAX 4096

/* Reads a list: one mechanism a line, its name and `key=value` words with the field names of sotto_mechanism,
 * e.g. "subsampled-gaussian noise=1.2 rate=0.02 count=500". '#' begins a comment; empty lines are skipped.
 * `text` need not end in a zero. On success *out has *count >= 1 checked mechanisms; free it with
 * sotto_mechanisms_free. Cost: linear. Errors: PARSE (with the line, and the nearest name for an unknown
 * word), RANGE and INVALID of sotto_mechanism_check, NOMEM. */
SOTTO_API sotto_status sotto_mechanisms_parse(sotto_mechanism **out, size_t *count, const char *text,
                                              size_t size, sotto_error *err);
SOTTO_API void sotto_mechanisms_free(sotto_mechanism *list);

#ifdef __cplusplus
}
#endif

#endif
