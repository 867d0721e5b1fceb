/* The roles of a method, and the engine that starts them. Each role is one function over a session: the same
 * whether all roles are threads of this process, or this process runs one role of two over a wire or of
 * several over a mesh. */
#ifndef SOTTO_SRC_RUN_PARTIES_ROLES_H
#define SOTTO_SRC_RUN_PARTIES_ROLES_H

#include "run/storage/checkpoints.h"

/* One role's end of a repetition. Links and checkpoints are the engine's. */
typedef struct sotto_i_session {
  sotto_role role;
  uint32_t number; /* number of a holder or client, from 1; 0 for other roles */
  bool local;      /* all roles are in this process */
  /* Of a server, or a label party in its place: to all members by number (NULL: that one left). Of a member:
   * first to the server, then to the other holders by number. Of two parties: to the other one. */
  sotto_link **links;
  size_t link_count;
  sotto_i_checkpoints checkpoints; /* `at` is where all roles go on from */
  void *own;                       /* state of this role, of the method; set by `prepare` */
} sotto_i_session;

/* What a method's roles are, and what they do. */
typedef struct sotto_i_roles {
  /* DATA: a data and a label party. HOLDER: holders, who talk to each other, and a server; or holders who
   * talk to a label party alone, which has the server's place (labels_join of the variant). CLIENT: clients,
   * and a server that they talk to. Where the method has a helper, it is the server's last link, and the last
   * session of one process. */
  sotto_role member;
  bool members_record; /* with --record-wire members keep what they receive, not the server alone */
  size_t size;         /* of what the roles of one process share; zero at first */
  /* Number of holders or clients; unused for two parties. */
  uint32_t (*members)(const sotto_i_job *job);
  /* Before any role runs: what the roles in this process know. Sets `own` of each session. The sessions
   * outlive `shared`. */
  sotto_status (*prepare)(void *shared, const sotto_i_job *job, sotto_i_session *sessions, size_t count,
                          sotto_error *err);
  /* Each role that the method has, on a thread of its own where several are in this process. */
  sotto_status (*run[SOTTO_ROLE_HELPER + 1])(sotto_i_session *session, sotto_error *err);
  /* After all roles of this process: what they leave behind. */
  sotto_status (*finish)(sotto_i_outcome *out, void *shared, sotto_error *err);
  /* Frees what `shared` holds, in any state. */
  void (*release)(void *shared);
  /* Instead of a fresh `shared`: the caller's, which the caller frees. All roles are in this process, and
   * nothing is trained: no checkpoint is looked for, no wire is recorded, and there is no `finish`. */
  void *given;
  /* A seed at a rank other than the first, while rank 0 runs all roles. NULL: no variant is shared. */
  sotto_status (*help)(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err);
} sotto_i_roles;

/* Adds exposures of a link, each name once from number `first` of the outcome on. */
void sotto_i_outcome_expose(sotto_i_outcome *out, size_t first, const sotto_exposure *list, size_t count);

/* Traffic and exposures of two parties, from the links' ends in this process; NULL: that end is in another.
 */
void sotto_i_outcome_exchange(sotto_i_outcome *out, const sotto_link *data, const sotto_link *label);

/* Plays the role of the job's seat, or all roles when it has none; ranks other than the first help. When one
 * fails its links are closed, so that the others end too; the failure that came first is the one that is
 * returned. */
sotto_status sotto_i_roles_run(sotto_i_outcome *out, const sotto_i_job *job, const sotto_i_roles *roles,
                               sotto_error *err);

#endif
