/* Attacks on a run: their inputs, and the list of findings. */
#ifndef SOTTO_SRC_AUDIT_ATTACK_H
#define SOTTO_SRC_AUDIT_ATTACK_H

#include "base/random.h"
#include "ranks/cells.h"
#include "run/method/method.h"
#include "sotto/attack.h"

typedef struct sotto_i_attacked {
  sotto_findings *out;
  const char *run;
  const sotto_options *options;
  const sotto_dataset *data;
  sotto_audit_ask ask;
  const sotto_observer *observer;
  const struct sotto_i_run *planned; /* the planned releases of the run; set by sotto_i_attack_as */
  uint32_t share; /* number of audits of other runs that share the confidence, at least 1 */
} sotto_i_attacked;

/* RANGE: the confidence is outside its limits. */
sotto_status sotto_i_ask_check(const sotto_audit_ask *ask, sotto_error *err);

/* Fills in what a run with these options states, and attacks it. `run` is its folder. It is NULL where the
 * attack reads no folder (canary, one-run), or where there is none (release). */
sotto_status sotto_i_attack_as(sotto_findings *out, const sotto_i_attacked *as, const char *attack,
                               sotto_error *err);

/* What one seed of a run with these options on this data states. */
sotto_status sotto_i_attack_state(sotto_findings *out, const sotto_options *options,
                                  const sotto_dataset *data, sotto_error *err);

/* Plans the run and its releases. End it with sotto_i_run_end, after an error too. */
sotto_status sotto_i_attack_plan(struct sotto_i_run *run, const sotto_options *options,
                                 const sotto_dataset *data, sotto_error *err);
/* What one seed of the planned run states. */
sotto_status sotto_i_attack_stated(sotto_findings *out, const struct sotto_i_run *run,
                                   const sotto_dataset *data, sotto_error *err);

/* Does the folder (NULL: none) have a night of a plan? Errors: NOMEM. */
sotto_status sotto_i_attack_has_nights(bool *out, const char *run, sotto_error *err);

/* Adds a finding; its time starts now. */
sotto_finding *sotto_i_finding(sotto_i_attacked *a, const char *attack, const char *variant, const char *sees,
                               sotto_error *err);

/* Random numbers from the attack's own seed. */
void sotto_i_attack_stream(sotto_i_random *random, const sotto_i_attacked *a, uint32_t number,
                           uint64_t index);

/* Ranks, identity and file of the cells of an attack; `name` is the file's. Free `path`. Errors: NOMEM, IO.
 */
typedef struct sotto_i_attack_cells {
  sotto_i_cells like;
  char *path; /* owned; NULL: cells are not stored */
} sotto_i_attack_cells;
sotto_status sotto_i_attack_cells_of(sotto_i_attack_cells *out, const sotto_i_attacked *a, const char *name,
                                     sotto_error *err);
/* Removes the cell files of an attack. */
sotto_status sotto_i_attack_cells_remove(const char *folder, const char *attack, sotto_error *err);

/* For sotto_i_attack_several: checks the name; *shared: ranks share the attack's cells. */
sotto_status sotto_i_attack_find(bool *shared, const char *attack, sotto_error *err);

/* As sotto_attack_several, sotto_self_method and sotto_self_audit, once the list of
 * methods is set. */
SOTTO_MUST_USE sotto_status sotto_i_attack_several(sotto_findings *out, sotto_error *passed, const char *run,
                                                   const sotto_dataset *data, const char *const *attacks,
                                                   size_t count, const sotto_audit_ask *ask,
                                                   const sotto_observer *observer, sotto_error *err);
const char *sotto_i_self_method(size_t number);
SOTTO_MUST_USE sotto_status sotto_i_self_audit(sotto_self_result *out, size_t number,
                                               const sotto_dataset *data, const sotto_audit_ask *ask,
                                               const sotto_observer *observer, sotto_error *err);

sotto_status sotto_i_attack_members(sotto_i_attacked *a, bool by_entropy, sotto_error *err);
sotto_status sotto_i_attack_received(sotto_i_attacked *a, sotto_error *err);
sotto_status sotto_i_attack_lira(sotto_i_attacked *a, sotto_error *err);
sotto_status sotto_i_attack_one_run(sotto_i_attacked *a, sotto_error *err);
sotto_status sotto_i_attack_release(sotto_i_attacked *a, sotto_error *err);

#endif
