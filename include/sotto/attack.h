/* Attacks on finished runs. */
#ifndef SOTTO_ATTACK_H
#define SOTTO_ATTACK_H

#include "sotto/audit.h"
#include "sotto/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sotto_view {
  SOTTO_VIEW_ANYONE,
  SOTTO_VIEW_LABEL,
  SOTTO_VIEW_DATA,
  SOTTO_VIEW_SERVER, /* of holders (vfgnn) or clients (fedavg, gwldp, feddep, fedsage) */
  SOTTO_VIEW_CLIENT  /* the first client's */
} sotto_view;
typedef struct sotto_audit_ask {
  sotto_model_options model;
  sotto_link_options link; /* linkteller, link-stealing; pairs and seed of lira and one-run too (canaries,
                              at most). delta is the run's */
  uint64_t trials;         /* canary: on each input; where a whole graph is released, fewer are made */
  double confidence;       /* that all bounds which decide hold together, 0.5 to below 1 */
  uint64_t shadows;        /* lira: models that are trained, 4 to 1000 */
  bool of_edges;           /* lira: targets are edges; else training nodes */
  sotto_view view; /* received: from what that party got in a recorded run; ANYONE: from the cached release */
  sotto_ranks *ranks; /* processes that share the attacks, and all get the findings; NULL: none */
  const char *const *self_attacks; /* sotto_self_audit: of one-run, canary, release, then NULL; NULL: all */
  const sotto_dataset *night_data; /* release, of a run with nights: the data of its latest night; NULL: the
                                    * run's own, where it has as many nodes */
  const char *state; /* a folder, which is made, for cells that are finished: an audit that was ended goes on
                        from them. They are for the owner of the data alone. NULL: none are kept */
} sotto_audit_ask;
SOTTO_API sotto_audit_ask sotto_audit_ask_default(void); /* 20000 trials, 95% confidence, 16 shadows, nodes */

/* What `release` found: the releases of a training that was made once more with those that the run keeps.
 * Each is drawn again by the code that made it. */
typedef struct sotto_release_result {
  uint64_t releases; /* that were looked at, at most 4096 */
  uint64_t draws;    /* of all of them together */
  uint64_t edges;    /* that were left out or put in, with the same noise */
  double moved; /* the largest change by one of these, as a share of the stated sensitivity; NAN: none was
                 * tried */
  double false_alarm; /* the largest probability that sound noise is objected to */
  bool kept;          /* there is a run folder, whose releases were looked for; else new draws alone */
  uint64_t compared;  /* of the releases: those in the run folder whose numbers were compared with what they
                       * are without noise, or with the draws */
  uint64_t seeds;     /* of the run, that were looked at */
  bool noise_holds; /* nothing shows that noise is absent, also in a row alone, narrower than stated, or used
                     * twice */
  bool edges_hold;  /* no edge moved more than the stated sensitivity; no chance is in this */
} sotto_release_result;

/* What one attack found. `decides`: its lower bound tests the statement of the run, because the two cases
 * differ in nothing else; then `holds` is the result. */
typedef struct sotto_finding {
  char attack[16], variant[48], sees[200];
  bool is_canary, is_one_run, decides, holds;
  bool has_hops;                /* a canary of layers: a hop over the graph may follow the noise by a fault */
  sotto_attack_result attacked; /* unless is_canary, is_one_run or is_release */
  sotto_canary_result canary;
  sotto_one_run_result one_run;
  double seconds;
  bool is_release;
  sotto_release_result release;
} sotto_finding;

enum { SOTTO_MOST_FINDINGS = 32 };
typedef struct sotto_findings {
  sotto_finding items[SOTTO_MOST_FINDINGS];
  size_t count;
  char method[32], adjacency[32], data[128];
  double stated, mu, delta; /* of one seed of the run: epsilon, mu (0: not stated so), delta */
  double confidence;        /* of all bounds that decide, together */
  uint64_t seed;
  bool fresh;
  /* What nothing here tests, in words; empty: all that the run states was tested, or the caller chose
   * attacks. */
  char not_audited[400];
} sotto_findings;

/* Attacks the run, whose data this is, and puts what was found into *out, which is zeroed or has findings
 * of the same run already. `attack` is one of sotto_attack_names (ending with NULL). node-mia, entropy and
 * lira train the run's method anew, on parts of the data, and release on all of it, in a folder that is
 * removed; all noise and every charge of that stays in it. Errors: NOT_FOUND (attack, with the nearest),
 * RANGE, those of sotto_model_open, of training and of the attacks, NOMEM, INTERRUPTED. */
SOTTO_API const char *const *sotto_attack_names(void);
SOTTO_API SOTTO_MUST_USE sotto_status sotto_attack(sotto_findings *out, const char *run,
                                                   const sotto_dataset *data, const char *attack,
                                                   const sotto_audit_ask *ask, const sotto_observer *observer,
                                                   sotto_error *err);
/* Several attacks; findings are in the order of `attacks`. With ranks, attacks of one training or of one
 * query are made by a rank each at the same time. The others are shared: queries of linkteller, trainings of
 * node-mia and of lira, trials of canary. With state, finished cells stay in files of mode 0600, and the same
 * call on the same run and data goes on from them, over any number of ranks; after success they are removed.
 * `passed`: an error for each attack, which says why one was passed over that the run does not allow
 * (UNSUPPORTED, INVALID), or is OK, and out->not_audited says what no attack could test; NULL: the call fails
 * then. Errors: as sotto_attack; also CORRUPT (a damaged file), IO, those of another rank. */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_attack_several(sotto_findings *out, sotto_error *passed,
                                                           const char *run, const sotto_dataset *data,
                                                           const char *const *attacks, size_t count,
                                                           const sotto_audit_ask *ask,
                                                           const sotto_observer *observer, sotto_error *err);
/* No finding that decides is above what is stated, and nothing is left that was not audited. */
SOTTO_API bool sotto_findings_hold(const sotto_findings *findings);

/* The audit of this program: each private variant of each method, at each of its levels, is trained small
 * with epsilon 3 (of nodes 8) on a made graph, and attacked by one-run and by canary, whichever it allows.
 * All bounds of all variants hold together with the confidence that is asked for. Numbers go from 0
 * to the last for which sotto_self_method gives a name. */
typedef struct sotto_self_result {
  char method[32], variant[32], adjacency[32]; /* variant: empty where a level has one alone */
  sotto_findings findings;                     /* none: `why` says why */
  char why[400];
} sotto_self_result;
/* The method of that number, static; NULL: there is none. */
SOTTO_API const char *sotto_self_method(size_t number);
/* The made graph: 4000 nodes of 3 classes; variants at graph level get pieces of it. Free it with
 * sotto_dataset_free. Errors: NOMEM. */
SOTTO_API sotto_status sotto_self_data(sotto_dataset *out, sotto_error *err);
/* Of `ask`, trials, link, confidence and self_attacks are read. All files are in a folder that is removed.
 * Errors: RANGE (number, confidence), those of training and of the attacks,
 * NOMEM, INTERRUPTED. */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_self_audit(sotto_self_result *out, size_t number,
                                                       const sotto_dataset *data, const sotto_audit_ask *ask,
                                                       const sotto_observer *observer, sotto_error *err);

#ifdef __cplusplus
}
#endif

#endif
