/* Files of checked sums for an arbiter: what a leader shows of a client that it refused, and what a client
 * keeps of each round. JSON, bytes in hexadecimal. */
#ifndef SOTTO_SRC_RUN_STATEMENT_DISPUTE_FILE_H
#define SOTTO_SRC_RUN_STATEMENT_DISPUTE_FILE_H

#include "party/checked_sum/check_links.h"

/* Into a seed's folder, owner-only/refused-clientN-roundR-XXXXXXXX.json and sent-..., where X is the
 * beginning of the sealed seed: the two files of one sum have one end. Errors: NOMEM, IO. */
SOTTO_MUST_USE sotto_status sotto_i_dispute_keep_refused(const char *folder,
                                                         const sotto_i_check_refusal *refusal,
                                                         sotto_error *err);
SOTTO_MUST_USE sotto_status sotto_i_dispute_keep_sent(const char *folder, const sotto_i_check_kept *kept,
                                                      sotto_error *err);

/* `out` is zeros before, and is freed in any case. Errors: NOT_FOUND, IO, PARSE; CORRUPT, naming the field.
 */
SOTTO_MUST_USE sotto_status sotto_i_dispute_read_refused(sotto_i_check_refusal *out, const char *path,
                                                         sotto_error *err);
void sotto_i_dispute_free_refused(sotto_i_check_refusal *refusal);
SOTTO_MUST_USE sotto_status sotto_i_dispute_read_sent(sotto_i_check_kept *out, const char *path,
                                                      sotto_error *err);

#endif
