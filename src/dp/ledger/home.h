/* Where data lies, for the files that remember its ledger. */
#ifndef SOTTO_SRC_DP_LEDGER_HOME_H
#define SOTTO_SRC_DP_LEDGER_HOME_H

#include "sotto/ledger.h"

/* The absolute path of data: of a file, a folder, or FOLDER:NAME, without symbolic links. *out stays NULL
 * where nothing is there; free it. Errors: NOMEM. */
sotto_status sotto_i_whole_path(char **out, const char *path, sotto_error *err);
/* Does data, or a run folder, remember some ledger? */
bool sotto_i_is_remembered(const char *path);
/* Data and run folders remember the ledger that they are charged to (sotto/ledger.h). `path` is that of data,
 * also FOLDER:NAME, or of a run folder; NULL, or where nothing is: nothing is remembered. A ledger that goes
 * with its run is not remembered. Errors: REFUSED (it is another ledger; both, and the way out, are in the
 * text), CORRUPT (of the memory), IO, NOMEM. */
SOTTO_MUST_USE sotto_status sotto_i_ledger_check_memory(const sotto_ledger *ledger, const char *path,
                                                        sotto_error *err);
/* The same, and writes the memory where there is none: of several processes with ledgers of their own one
 * succeeds. Before a charge. */
SOTTO_MUST_USE sotto_status sotto_i_ledger_remember(const sotto_ledger *ledger, const char *path,
                                                    sotto_error *err);
/* The same for data: a folder that cannot be written is no reason against a charge, and `forgotten` then says
 * why. */
enum { SOTTO_I_FORGOTTEN = 200 };
SOTTO_MUST_USE sotto_status sotto_i_ledger_remember_data(char forgotten[SOTTO_I_FORGOTTEN],
                                                         const sotto_ledger *ledger, const char *path,
                                                         sotto_error *err);

#endif
