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
  sotto_view view; /* received: attacks the messages that this party got in a recorded run; ANYONE: the cached
                      release */
  sotto_ranks *ranks; /* processes that share the attacks; each gets all findings; NULL: one process */
  const char *const *self_attacks; /* sotto_self_audit: of one-run, canary, release, then NULL; NULL: all */
  const sotto_dataset *night_data; /* release, of a run with nights: the data of its latest night; NULL: the
                                    * run's own, where it has as many nodes */
  const char *state; /* folder for finished cells, created if missing: an interrupted audit resumes from them.
                        They are private to the owner of the data. NULL: nothing is stored */
} sotto_audit_ask;
SOTTO_API sotto_audit_ask sotto_audit_ask_default(void); /* 20000 trials, 95% confidence, 16 shadows, nodes */

/* Findings of the attack `release`. It trains the run again, draws each release again by the code that made
 * it, and compares the draws with the releases in the run folder. */
typedef struct sotto_release_result {
  uint64_t releases; /* examined, at most 4096 */
  uint64_t draws;    /* of all of them together */
  uint64_t edges;    /* removed or added one at a time, with the same noise */
  double moved; /* largest change of a release by one of these edges, divided by the stated sensitivity; NAN:
                   none was tried */
  double false_alarm; /* probability that a test rejects sound noise, at most */
  bool kept;          /* releases of a run folder were looked for; false: new draws alone */
  uint64_t compared;  /* number of releases in the run folder that were compared with their values without
                         noise, or with the draws */
  uint64_t seeds;     /* of the run, examined */
  bool noise_holds;   /* no test found noise that is absent (in all rows or in one), narrower than stated, or
                         used twice */
  bool edges_hold;    /* no edge moved a release by more than the stated sensitivity; deterministic */
} sotto_release_result;

/* What one attack found. `decides`: its lower bound tests the statement of the run, because the two cases
 * differ in nothing else; then `holds` is the result. */
typedef struct sotto_finding {
  char attack[16], variant[48], sees[200];
  bool is_canary, is_one_run, decides, holds;
  bool has_hops; /* a canary of layers, where a fault could aggregate over the graph after the noise */
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
  /* What no attack tested, in words; empty: everything that the run states was tested, or the caller chose
   * the attacks. */
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
/* True if no deciding finding exceeds what the run states, and nothing was left without an audit. */
SOTTO_API bool sotto_findings_hold(const sotto_findings *findings);

/* The audit of this program: each private variant of each method, at each of its levels, is trained small
 * with epsilon 3 (of nodes 8) on a made graph, and attacked by one-run and by canary, whichever it allows.
 * All bounds of all variants hold together with confidence ask->confidence. Variants are numbered from 0;
 * sotto_self_method returns NULL after the last. */
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
