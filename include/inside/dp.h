/* Noise, sampling and ledger for a run. Internal: other folders call these, programs outside do not. */
#ifndef SOTTO_INSIDE_DP_H
#define SOTTO_INSIDE_DP_H

#include "sotto/claims.h"
#include "sotto/dp.h"
#include "sotto/ledger.h"

/* gamma of sotto_paper_vesper. */
sotto_status sotto_paper_vesper_gamma(double *gamma, uint64_t layers, uint64_t fanout, uint64_t roots,
                                      uint64_t batch, sotto_error *err);
/* eta of VESPER's Prop. 2 for weights of operator norm 1, as claimed for GCN layers on graphs of least degree
 * `least_degree`, at least 2. Alg. 2 claims it for every graph, which is false (docs/privacy/papers.md). */
sotto_status sotto_paper_vesper_eta(double *eta, uint64_t least_degree, sotto_error *err);
/* CARIBOU Thm 4: the edge sensitivity of a contractive layer on a graph of least degree `least_degree` (d):
 * sqrt 2 C_L a_1 (1/((d+1)(d+2)) + C(d)/sqrt(d+1) + 1/(d+2)), where C(d) = d (1/sqrt(d+1) - 1/sqrt(d+2)) for
 * d above 3 and C(3) below. Taken from the theorem's proof, since its formula is lost. Unsound, since the
 * least degree depends on the private graph. contraction in [0, 1), graph_weight in [0, 1]. */
sotto_status sotto_paper_caribou(double *sensitivity, double contraction, double graph_weight,
                                 uint64_t least_degree, sotto_error *err);
/* FedDEP Thm 1 (appendix, Lemmas 2 and 3) for a noise-free-sampling mechanism: epsilon and delta together.
 * Without `corrected`, delta-tilde = (1-delta)^{LN} (1-delta') as printed, which is one minus the correct
 * value. With it, 1 - (1-delta)^{LN} (1-delta'), which is near 1 and vacuous for most parameters.
 * mechanism->count is 1. */
sotto_status sotto_paper_feddep(double *epsilon, double *delta, const sotto_mechanism *mechanism,
                                bool corrected, sotto_error *err);

/* Mechanisms other than Gaussian noise on a grid. What runs and what is accounted use the same numbers:
 * - each `_new` rounds the requested parameters to ones that the sampler meets exactly, to the private side;
 * - each `_mechanism` describes one run with the rounded ones.
 *
 * All draws come from the streams (key, mechanism, sub, index). The key must be SYSTEM or INSECURE (INVALID
 * otherwise) and sub below 2^24 (RANGE). One (key, sub) pair must never serve two runs of one mechanism.
 * Graph mechanisms are in sotto/pmp.h, DP-SGD in inside/nn.h. */

/* Discrete Gaussian noise on the integers, sampled exactly (Canonne, Kamath and Steinke 2020, algorithm 3):
 * Pr[x] proportional to exp(-x^2 / (2 sigma^2)). */
typedef struct sotto_discrete_gaussian {
  double sigma; /* mantissa / 2^shift: at least the requested one, at most 2^-15 of it more */
  uint32_t mantissa;
  int32_t shift;
} sotto_discrete_gaussian;
/* Errors: RANGE unless sigma is in [2^-4, 2^23]. */
SOTTO_MUST_USE sotto_status sotto_discrete_gaussian_new(sotto_discrete_gaussian *out, double sigma,
                                                        sotto_error *err);
/* Adds a draw to each of the values. Sums saturate at +-2^62. Cost: some 2 us a value. Errors: INVALID (key,
 * or parameters not made by _new), RANGE (sub). On failure nothing is changed. */
SOTTO_MUST_USE sotto_status sotto_discrete_gaussian_add(int64_t *values, size_t count,
                                                        const sotto_discrete_gaussian *noise,
                                                        const sotto_key *key, uint32_t sub, sotto_error *err);
/* For releases in which one value moves between neighbours, by at most `sensitivity`, a whole number. */
sotto_mechanism sotto_discrete_gaussian_mechanism(const sotto_discrete_gaussian *noise, double sensitivity);

/* Laplace noise on a public grid. Values are rounded to multiples of the step, the noise is a discrete
 * Laplace on the same multiples, drawn exactly (Canonne, Kamath and Steinke 2020, algorithm 2), and sums are
 * clamped to +-2^24 steps. Pr[x steps] is proportional to exp(-|x| rate / 2^30). */
typedef struct sotto_laplace_grid {
  double scale; /* step 2^30 / rate: at least the requested one, at most 2^-18 of it more */
  double step;  /* the power of two in (scale / 2^11, scale / 2^10]; 1 for whole numbers */
  uint64_t rate;
} sotto_laplace_grid;
/* Errors: RANGE unless scale is in [1e-20, 1e20]. */
SOTTO_MUST_USE sotto_status sotto_laplace_grid_new(sotto_laplace_grid *out, double scale, sotto_error *err);
/* Adds noise to x as sotto_grid_add_noise does. Row i uses index i; the noise is the same for any number of
 * threads. Errors: INVALID, RANGE, NUMERIC (a value is not finite). On failure nothing is changed. */
SOTTO_MUST_USE sotto_status sotto_laplace_grid_add_noise(sotto_matrix *x, const sotto_laplace_grid *grid,
                                                         const sotto_key *key, uint32_t sub,
                                                         sotto_error *err);
sotto_mechanism sotto_laplace_grid_mechanism(const sotto_laplace_grid *grid, double sensitivity,
                                             double differing);

/* Randomised response over k choices (Warner 1965; Kairouz, Bonawitz and Ramage 2016): the true choice with
 * probability 1 - flip / 2^64, and otherwise each other choice with equal probability. */
typedef struct sotto_response {
  uint32_t choices;
  uint64_t flip;  /* the least multiple of 2^-64 that is known to suffice */
  double epsilon; /* of one answer: at most the requested one */
} sotto_response;
/* Errors: RANGE unless choices >= 2 and epsilon is in [1e-9, 40]. */
SOTTO_MUST_USE sotto_status sotto_response_new(sotto_response *out, uint32_t choices, double epsilon,
                                               sotto_error *err);
/* Replaces each of the values, all below `choices`, by an answer. A value below 0 (no label) is left as it
 * is. Errors: RANGE (a value), and nothing is changed then. */
SOTTO_MUST_USE sotto_status sotto_response_apply(int32_t *values, size_t count,
                                                 const sotto_response *response, const sotto_key *key,
                                                 uint32_t sub, sotto_error *err);
/* The mechanism of one answer. */
sotto_mechanism sotto_response_mechanism(const sotto_response *response);

/* Subset selection (Ye and Barg 2018): an answer is a set of `members` out of k choices. It contains the true
 * choice with probability 1 - flip / 2^64; the other members are drawn uniformly. With one member it is
 * randomised response. More members are better where k is large compared with e^epsilon. */
typedef struct sotto_subset {
  uint32_t choices, members;
  uint64_t flip; /* probability that the true choice is left out: the least multiple of 2^-64 that is known to
                    suffice */
  double epsilon; /* of one answer: at most the requested one */
} sotto_subset;
/* `members` 0: the number with the least variance of estimated counts, about k / (e^epsilon + 1). Errors:
 * RANGE unless 2 <= choices < 2^24, members < choices and epsilon is in [1e-9, 40]. */
SOTTO_MUST_USE sotto_status sotto_subset_new(sotto_subset *out, uint32_t choices, uint32_t members,
                                             double epsilon, sotto_error *err);
/* The answer to each of `count` values, all below `choices`: answers[count * members], the members of each
 * ascending. Value i uses the stream of index i. Cost: O(choices) a value. Errors: RANGE (a value, sub),
 * INVALID (key, or a subset not made by _new). On failure nothing is written. */
SOTTO_MUST_USE sotto_status sotto_subset_apply(int32_t *answers, const int32_t *values, size_t count,
                                               const sotto_subset *subset, const sotto_key *key, uint32_t sub,
                                               sotto_error *err);
/* One answer, described as randomised response. The number of choices is the one at which two inputs are as
 * easily distinguished: both mechanisms have the losses epsilon, 0 and -epsilon with the same probabilities
 * (docs/privacy/mechanisms.md), up to rounding to fewer choices. */
sotto_mechanism sotto_subset_mechanism(const sotto_subset *subset);

/* Multi-bit encoder (Jin and Chen 2022, algorithm 1; Sajadmanesh and Gatica-Perez 2021), for a matrix with
 * values in [low, high]. In each row `sampled` columns are drawn without replacement. Each of them becomes a
 * bit that is 1 with probability (x - low) / (high - low) and is then flipped with probability flip / 2^64;
 * the other columns become 0. A matrix of n rows releases n * sampled bits, each with epsilon / (n sampled),
 * so that the whole matrix is epsilon-locally private. Columns are drawn anew for each row
 * (docs/privacy/mechanisms.md). */
typedef struct sotto_multibit {
  double low, high;
  size_t rows, cols, sampled;
  uint64_t flip;
  double epsilon; /* of the whole matrix: at most the requested one */
} sotto_multibit;
/* epsilon is spent over `rows` rows: all rows of a graph for GW-LDP, 1 for epsilon a row. Errors: RANGE
 * unless low < high, finite, 1 <= sampled <= cols, rows >= 1, and epsilon / (rows sampled) is in [1e-9,
 * 40]. */
SOTTO_MUST_USE sotto_status sotto_multibit_new(sotto_multibit *out, double low, double high, size_t rows,
                                               size_t cols, size_t sampled, double epsilon, sotto_error *err);
/* codes (rows x cols): -1, 0 or 1. Values outside [low, high] are clamped. Row i uses index i. x may have
 * fewer rows than the encoder. Errors: INVALID (more rows, or other columns), NUMERIC (not a number),
 * NOMEM. */
SOTTO_MUST_USE sotto_status sotto_multibit_encode(int8_t *codes, const sotto_matrix *x,
                                                  const sotto_multibit *encoder, const sotto_key *key,
                                                  uint32_t sub, sotto_error *err);
sotto_mechanism sotto_multibit_mechanism(const sotto_multibit *encoder);

/* Upper bound on the l2 distance of two rounded inputs whose unrounded distance is at most `sensitivity` and
 * that differ in at most `differing` values. */
double sotto_grid_sensitivity(const sotto_grid *grid, double sensitivity, double differing);
/* Laplace noise for counts: the step is 1 at any scale. The noise has less variance than on a fine grid, and
 * at a small scale most counts do not change (Ghosh, Roughgarden and Sundararajan 2012). Pure epsilon is
 * sensitivity / scale. Where the scale is small, the curve of delta lies above that of the continuous
 * mechanism that sotto_laplace_grid_mechanism describes: compose such releases by their pure epsilons alone.
 * The scale is at most 2^-13 of it more than requested. Errors: RANGE unless scale is in [1e-4, 1e5]. */
SOTTO_MUST_USE sotto_status sotto_laplace_grid_whole(sotto_laplace_grid *out, double scale, sotto_error *err);
/* Upper bound on the l1 distance of two rounded inputs whose unrounded distance is at most `sensitivity` and
 * that differ in at most `differing` values. */
double sotto_laplace_grid_sensitivity(const sotto_laplace_grid *grid, double sensitivity, double differing);
/* Probability that a choice is in an answer: for the true choice, and for any other choice. */
void sotto_subset_chances(double *truth, double *other, const sotto_subset *subset);
/* The unbiased estimate of each value: (low + high)/2 + code (cols/sampled) (high - low)/2 / (1 - 2 flip). */
sotto_status sotto_multibit_decode(sotto_matrix *x, const int8_t *codes, const sotto_multibit *encoder,
                                   sotto_error *err);
/* Errors: RANGE, INVALID (both or none of rate and batch). */
SOTTO_MUST_USE sotto_status sotto_sampling_check(const sotto_sampling *sampling, sotto_error *err);
/* Draws a batch, ascending, into rows (space for `population`, or for `batch`). *count may be 0. */
SOTTO_MUST_USE sotto_status sotto_sampling_draw(uint32_t *rows, size_t *count, const sotto_sampling *sampling,
                                                const sotto_key *key, uint32_t sub, sotto_error *err);
/* Subsampled Gaussian: sum (1 x d, overwritten) = sum over a secret batch of rows of x, each clipped to norm
 * at most `clip`, plus noise. Sums are exact in integers, so the order of rows does not matter. Clipped rows
 * lie on a grid of clip / 2^24. x has `population` rows. The batch must stay secret, or amplification does
 * not hold. Errors: INVALID, RANGE, NUMERIC, NOMEM. */
SOTTO_MUST_USE sotto_status sotto_sampled_gaussian_sum(sotto_matrix *sum, const sotto_matrix *x, double clip,
                                                       const sotto_sampling *sampling, const sotto_grid *grid,
                                                       const sotto_key *key, uint32_t sub, sotto_error *err);
/* The mechanism of sums of `cols` values. Poisson: add or remove one record, sensitivity clip. Without
 * replacement: replace one, sensitivity 2 clip. Both include the slack of the grid. */
sotto_mechanism sotto_sampled_gaussian_mechanism(const sotto_sampling *sampling, const sotto_grid *grid,
                                                 double clip, size_t cols);
/* The same Poisson samples under replace-one adjacency: replaced-gaussian. */
sotto_mechanism sotto_replaced_gaussian_mechanism(const sotto_mechanism *sampled);

/* James-Stein shrinkage (Zhou et al. 2021, theorem 3.1) of rows with Gaussian noise of standard deviation
 * sigma: row *= 1 - (d - 2) sigma^2 / |row|^2. With `positive` the factor is never below 0 (better still:
 * Baranchik 1964). Post-processing: no privacy cost. Errors: RANGE (fewer than 3 columns; sigma), NUMERIC. On
 * failure nothing is changed. */
sotto_status sotto_james_stein(sotto_matrix *x, double sigma, bool positive, sotto_error *err);

/* Name of a kind; a static string. */
const char *sotto_mechanism_name(sotto_mechanism_kind kind);
/* Checks a mechanism's fields. Errors: RANGE (a value outside its range, not finite, or missing), INVALID (a
 * value that the kind does not use, or two of which one is allowed); the text names the field. */
sotto_status sotto_mechanism_check(const sotto_mechanism *mechanism, sotto_error *err);

/* Records all the charges, or none; on SOTTO_OK they are synced to disk. Gaussian releases compose exactly,
 * others by privacy loss distributions, never below the true epsilon (sotto_account_epsilon with
 * SOTTO_ACCOUNTANT_PLD). Without a budget every charge is accepted. A charge whose id exists (for the same
 * account and mechanism, and with the same epsilon and mu) is skipped.
 *
 * Errors:
 * - REFUSED when the composition of all charges to this account under an adjacency would exceed its budget,
 *   or that of an account of which it is a version, or when one of these is closed. A calibrated release may
 *   exceed the budget by 1e-9 of it. The text has spent, asked and budget; the ledger is unchanged.
 * - CORRUPT when the id exists with another epsilon or mu. */
SOTTO_MUST_USE sotto_status sotto_ledger_charge(sotto_ledger *ledger, const uint8_t key[32], const char *name,
                                                const sotto_charge *charges, size_t count, sotto_error *err);
/* sotto_ledger_init for a ledger that is deleted with its run: its head is not stored with the owner's key.
 */
sotto_status sotto_ledger_init_scratch(const char *path, sotto_error *err);
/* Would sotto_ledger_charge accept them now? Same statuses. Changes nothing, but waits for other writers. */
SOTTO_MUST_USE sotto_status sotto_ledger_would_accept(sotto_ledger *ledger, const uint8_t key[32],
                                                      const char *name, const sotto_charge *charges,
                                                      size_t count, sotto_error *err);
/* Records a run that protects nothing at `level`, "transfer", "edge" or "node", and above; once for each id.
 * `what` describes the training. */
typedef struct sotto_ledger_bare_run {
  const char *id, *folder, *level, *what;
} sotto_ledger_bare_run;
sotto_status sotto_ledger_not_private(sotto_ledger *ledger, const uint8_t key[32], const char *name,
                                      const sotto_ledger_bare_run *run, sotto_error *err);
/* The mark of the ledger as it is now. */
sotto_status sotto_ledger_mark_now(sotto_ledger *ledger, sotto_ledger_mark *out, sotto_error *err);
/* Finds a mark in a ledger: *same when it is of this ledger, and *entries is the length of its chain at that
 * moment (0: the chain never was in that state). Errors: those of reading. */
sotto_status sotto_ledger_mark_find(sotto_ledger *ledger, bool *same, uint64_t *entries,
                                    const sotto_ledger_mark *mark, sotto_error *err);
/* An Ed25519 signature by the owner's key over "sotto PURPOSE 1 DIGEST", where DIGEST is SHA-256 of the data
 * in hexadecimal. `purpose` is a literal of lower-case letters. */
typedef struct sotto_ledger_signature {
  uint8_t owner[32], bytes[64];
} sotto_ledger_signature;
void sotto_ledger_sign(sotto_ledger *ledger, sotto_ledger_signature *out, const char *purpose,
                       const void *data, size_t size);
SOTTO_MUST_USE bool sotto_ledger_signed(const sotto_ledger_signature *signature, const char *purpose,
                                        const void *data, size_t size);

#endif
