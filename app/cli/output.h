/* Output files of a verb, and the files that they must not replace. */
#ifndef SOTTO_APP_CLI_OUTPUT_H
#define SOTTO_APP_CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

/* What a verb writes, by the first bytes of the file; a table is any other text. */
typedef enum cli_kind { CLI_TABLE, CLI_DATASET, CLI_PAGE, CLI_PICTURE, CLI_ARCHIVE, CLI_KINDS } cli_kind;

/* How a verb writes a file. `flag` names the option in messages. `inputs` are files or folders (also
 * FOLDER:NAME), some may be NULL. `own` is a pattern (fnmatch) for the names that this verb itself writes
 * in a run folder; NULL: none. */
typedef struct cli_output {
  const char *flag;
  const char *const *inputs;
  size_t input_count;
  const char *own;
  cli_kind kind;
} cli_output;

/* May the verb write to `path`? False, after a message of usage, if the name is empty or the file there must
 * not be replaced: an input, a ledger, a key, a certificate, another command's file in a run folder, or a
 * file of another kind than the verb writes. A dataset that will be replaced is reported. A path that is
 * NULL, "-" or new is allowed. Call it before any work, so that no result or charge is wasted. */
bool cli_may_write(const char *path, const cli_output *as);

#endif
