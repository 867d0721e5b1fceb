/* What a party received, kept in the seed's folder: wire/ROLE-NUMBER.sotto (of a server:
 * server-from-MEMBER-NUMBER.sotto), one file a payload, in the native format of datasets without edges; its
 * name there is "KIND NAME". */
#ifndef SOTTO_SRC_RUN_PARTIES_WIRE_LOG_H
#define SOTTO_SRC_RUN_PARTIES_WIRE_LOG_H

#include "run/method/method.h"

/* One end of a link. */
typedef struct sotto_i_wire_end {
  sotto_role role;
  uint32_t number; /* of a client or holder, from 1; of a server: that of the member at the other end */
} sotto_i_wire_end;

typedef struct sotto_i_wire_log {
  const sotto_i_job *job;
  sotto_i_wire_end end;
  uint64_t count;
} sotto_i_wire_log;

/* Keeps all payloads of rows that arrive at this end; the log outlives the link. `goes_on`: after those that
 * an earlier start kept; else in their place. */
sotto_status sotto_i_wire_log_begin(sotto_i_wire_log *log, sotto_link *link, const sotto_i_job *job,
                                    sotto_i_wire_end end, bool goes_on, sotto_error *err);

/* The nth payload, from 1, of a seed's folder; *found is false beyond the last. `out` is freed by the caller.
 */
sotto_status sotto_i_wire_log_read(sotto_dataset *out, bool *found, const char *folder, sotto_i_wire_end end,
                                   uint64_t number, sotto_error *err);

#endif
