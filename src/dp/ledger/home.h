/* Paths of data, and the files by which data remembers its ledger. */
#ifndef SOTTO_SRC_DP_LEDGER_HOME_H
#define SOTTO_SRC_DP_LEDGER_HOME_H

#include "sotto/ledger.h"

/* The absolute path of data: of a file, a folder, or FOLDER:NAME, without symbolic links. *out stays NULL
 * where nothing exists; free it. Errors: NOMEM. */
sotto_status sotto_i_whole_path(char **out, const char *path, sotto_error *err);
/* Does the data, or the run folder, remember a ledger? */
bool sotto_i_is_remembered(const char *path);
/* Compares the ledger with the one that the data or run folder remembers (sotto/ledger.h). `path` is that of
 * data, also FOLDER:NAME, or of a run folder; for NULL, or where nothing exists, nothing is remembered. A
 * scratch ledger is not remembered. Errors: REFUSED (another ledger is remembered; the text names both, and
 * the way out), CORRUPT (of the memory file), IO, NOMEM. */
SOTTO_MUST_USE sotto_status sotto_i_ledger_check_memory(const sotto_ledger *ledger, const char *path,
                                                        sotto_error *err);
/* The same, and writes the memory file where there is none. Of several processes with different ledgers one
 * succeeds. Call it before a charge. */
SOTTO_MUST_USE sotto_status sotto_i_ledger_remember(const sotto_ledger *ledger, const char *path,
                                                    sotto_error *err);
/* The same for data. A folder that cannot be written does not prevent a charge; `forgotten` then gets the
 * reason. */
enum { SOTTO_I_FORGOTTEN = 200 };
SOTTO_MUST_USE sotto_status sotto_i_ledger_remember_data(char forgotten[SOTTO_I_FORGOTTEN],
                                                         const sotto_ledger *ledger, const char *path,
                                                         sotto_error *err);

#endif
