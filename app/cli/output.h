/* Files that a verb writes: what they must not replace. */
#ifndef SOTTO_APP_CLI_OUTPUT_H
#define SOTTO_APP_CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

/* How a verb writes a file. `flag` names it in the message. Of the inputs, files or folders (also
 * FOLDER:NAME), some may be NULL. `own` is a pattern (fnmatch) for the names that this verb itself writes in
 * a run folder; NULL: none. */
typedef struct cli_output {
  const char *flag;
  const char *const *inputs;
  size_t input_count;
  const char *own;
  bool datasets; /* it writes datasets, and may replace one */
} cli_output;

/* May the verb write to `path`? False, after a message of usage, where a file is there that is one of the
 * inputs, a ledger, a key or a certificate, a dataset where none is written, or was written to a run folder
 * by something else. A path that is NULL, "-" or new is fine. Called before any work, so that nothing is lost
 * or charged. */
bool cli_may_write(const char *path, const cli_output *as);

#endif
