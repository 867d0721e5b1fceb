/* The table of prototypes that a client of feddep shows, of either kind, and what it makes of those of
 * others.
 */
#ifndef SOTTO_SRC_METHODS_FEDDEP_PROTOTYPE_TABLE_H
#define SOTTO_SRC_METHODS_FEDDEP_PROTOTYPE_TABLE_H

#include "candidates.h"
#include "noisy_prototypes.h"
#include "prototypes.h"

/* Rows of each client's table; 0: none is shown. */
size_t sotto_i_prototype_rows(const sotto_options *options, uint32_t classes);
/* Fills out (rows x width) from the client's embeddings, without noise or, with a receipt, with it. `own` are
 * rows of nodes by themselves, with noise alone. Errors: NOMEM, those of the ledger. */
SOTTO_MUST_USE sotto_status sotto_i_own_prototypes(sotto_matrix *out, sotto_i_receipt *receipt,
                                                   const sotto_matrix *targets, const sotto_matrix *own,
                                                   const sotto_i_fed_client *client, sotto_error *err);
/* The scale that all who have the same tables have in common, of rows that are not empty (class tables have
 * empty rows: zeros); puts the tables on it. scale->mean is NULL where all rows are empty. Errors: NOMEM. */
sotto_status sotto_i_scale_prototypes(sotto_i_scale *scale, sotto_matrix *tables,
                                      const sotto_options *options, sotto_error *err);
/* Which prototypes of others the client's nodes ask, by the labels of rows[0..count) alone. Errors: NOMEM. */
sotto_status sotto_i_prototype_candidates(sotto_i_candidates *out, const sotto_matrix *others,
                                          const sotto_i_fed_client *client, const uint32_t *rows,
                                          size_t count, sotto_error *err);

#endif
