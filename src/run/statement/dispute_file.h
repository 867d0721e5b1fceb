/* Files of checked sums for an arbiter: the leader's record of a refused client, and the client's record of
 * each round. JSON, with bytes in hexadecimal. */
#ifndef SOTTO_SRC_RUN_STATEMENT_DISPUTE_FILE_H
#define SOTTO_SRC_RUN_STATEMENT_DISPUTE_FILE_H

#include "party/checked_sum/check_links.h"

/* Write owner-only/refused-clientN-roundR-XXXXXXXX.json or sent-... into a seed's folder. X is the
 * beginning of the sealed seed, so the two files of one sum end alike. Errors: NOMEM, IO. */
SOTTO_MUST_USE sotto_status sotto_i_dispute_keep_refused(const char *folder,
                                                         const sotto_i_check_refusal *refusal,
                                                         sotto_error *err);
SOTTO_MUST_USE sotto_status sotto_i_dispute_keep_sent(const char *folder, const sotto_i_check_kept *kept,
                                                      sotto_error *err);

/* `out` is zero before, and must be freed in any case. Errors: NOT_FOUND, IO, PARSE; CORRUPT, naming the
 * field. */
SOTTO_MUST_USE sotto_status sotto_i_dispute_read_refused(sotto_i_check_refusal *out, const char *path,
                                                         sotto_error *err);
void sotto_i_dispute_free_refused(sotto_i_check_refusal *refusal);
SOTTO_MUST_USE sotto_status sotto_i_dispute_read_sent(sotto_i_check_kept *out, const char *path,
                                                      sotto_error *err);

#endif
