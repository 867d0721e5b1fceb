/* Finished runs: models that answer, and attacks on them. */
#ifndef SOTTO_ATTACK_H
#define SOTTO_ATTACK_H

#include "sotto/audit.h"
#include "sotto/methods.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A trained model, with what it reads: its run folder, and a dataset.
 *
 * Features are those of the dataset, scaled as the run's options say; answers are class probabilities. Where
 * the run made a noisy release, the model answers from the one that the run folder keeps: a query re-reads
 * it, so that features which change at a node change that node's answer alone. Without noise nothing is kept
 * back, and a query computes everything anew, over the whole graph (but `best` and `lpgnet`, which keep their
 * counts). `pertgraph` computes over the graph that it released. */
typedef struct sotto_model sotto_model;
typedef struct sotto_model_options {
  uint64_t seed; /* which of the run's; SOTTO_UNSET: the first */
  /* Make a noisy release anew for every answer, from the system's randomness, as a service would that
   * answers so. Nothing is charged: for experiments on one's own data, whose answers must not leave. */
  bool fresh;
} sotto_model_options;

/* Reads RUN/run.yaml, the seed's model and release. `data` (borrowed until the model is freed) is the run's
 * own, or another with as many columns and classes: then a run with noise needs `fresh`. Errors: those of
 * reading files; UNSUPPORTED, naming what a model of this kind cannot answer (other methods; node level;
 * columns or edges of the label party); INVALID when model and data do not fit each other. */
SOTTO_API sotto_status sotto_model_open(sotto_model **out, const char *run, const sotto_dataset *data,
                                        const sotto_model_options *options, sotto_error *err);
SOTTO_API void sotto_model_free(sotto_model *model);
SOTTO_API const sotto_options *sotto_model_run(const sotto_model *model);
/* Does an answer come from a release that is kept, so that it depends on one node's features alone? */
SOTTO_API bool sotto_model_is_fixed(const sotto_model *model);
/* Borrowed from the model: the features that it reads, and the nodes of a part of the run's split, ascending
 * (none when the data has no labels). */
SOTTO_API const sotto_matrix *sotto_model_features(const sotto_model *model);
SOTTO_API const uint32_t *sotto_model_part(const sotto_model *model, sotto_part part, size_t *count);

/* Class probabilities (wanted_count x classes, or of all nodes when `wanted` is NULL; fresh) when the
 * features of nodes changed[0..changed_count) are the rows of x, and all others as they are; changed_count 0:
 * nothing changes. One call at a time. */
typedef struct sotto_query {
  const uint32_t *changed;
  size_t changed_count;
  const sotto_matrix *x;
  const uint32_t *wanted;
  size_t wanted_count;
} sotto_query;
SOTTO_API sotto_status sotto_model_query(sotto_matrix *out, sotto_model *model, const sotto_query *query,
                                         sotto_error *err);

/* Attacks on finished runs. */
typedef enum sotto_view {
  SOTTO_VIEW_ANYONE,
  SOTTO_VIEW_LABEL,
  SOTTO_VIEW_DATA,
  SOTTO_VIEW_SERVER, /* of holders (vfgnn) or clients (fedavg, gwldp, feddep, fedsage) */
  SOTTO_VIEW_CLIENT  /* the first client's */
} sotto_view;
typedef struct sotto_audit_ask {
  sotto_model_options model;
  sotto_link_options link; /* linkteller, link-stealing; pairs and seed of lira too. delta is the run's */
  uint64_t trials;         /* canary: on each input; where a whole graph is released, fewer are made */
  uint64_t shadows;        /* lira: models that are trained, 4 to 1000 */
  bool of_edges;           /* lira: targets are edges; else training nodes */
  sotto_view view; /* received: from what that party got in a recorded run; ANYONE: from the kept release */
} sotto_audit_ask;
SOTTO_API sotto_audit_ask sotto_audit_ask_default(void); /* 20000 trials, 16 shadows, nodes */

/* What one attack found. `decides`: its lower bound is a test of what the run states, because what it tells
 * apart differs in nothing else; then `holds` says how it ended. The strings are static. */
typedef struct sotto_finding {
  const char *attack, *variant, *sees;
  bool is_canary, decides, holds;
  sotto_attack_result attacked; /* unless is_canary */
  sotto_canary_result canary;
  double seconds;
} sotto_finding;

enum { SOTTO_MOST_FINDINGS = 16 };
typedef struct sotto_findings {
  sotto_finding items[SOTTO_MOST_FINDINGS];
  size_t count;
  char method[32], adjacency[32], data[128];
  double stated, mu, delta; /* of one seed of the run: epsilon, mu (0: not stated so), delta */
  uint64_t seed;
  bool fresh;
} sotto_findings;

/* Attacks the run, whose data this is, and puts what was found into *out, which is zeroed or has findings
 * of the same run already. `attack` is one of sotto_attack_names (ending with NULL). node-mia, entropy and
 * lira train the run's method anew, on parts of the data, in a folder that is removed; all noise and every
 * charge of that stays in it. Errors: NOT_FOUND (attack, with the nearest), RANGE, those of sotto_model_open,
 * of training and of the attacks, NOMEM, INTERRUPTED. */
SOTTO_API const char *const *sotto_attack_names(void);
SOTTO_API SOTTO_MUST_USE sotto_status sotto_attack(sotto_findings *out, const char *run,
                                                   const sotto_dataset *data, const char *attack,
                                                   const sotto_audit_ask *ask, const sotto_observer *observer,
                                                   sotto_error *err);
/* No finding that decides is above what is stated. */
SOTTO_API bool sotto_findings_hold(const sotto_findings *findings);

#ifdef __cplusplus
}
#endif

#endif
