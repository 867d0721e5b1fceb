/* How a verb that ends badly says so: a sentence on stderr, and with --json an object on stdout. */
#ifndef SOTTO_APP_CLI_FAILURE_H
#define SOTTO_APP_CLI_FAILURE_H

#include "sotto/base.h"

/* From now on the first failure is also a line of JSON on stdout (docs/error.schema.json), so that whoever
 * reads
 * --json always finds one document there. */
void cli_failure_json(void);
/* "sotto: TEXT" on stderr, or the log's line; `status` is the name of it, or "USAGE". Returns `code`. */
int cli_failure(const char *status, int code, const char *text);
/* Flushes stdout. What was printed and could not be written fails a verb that was done: EXIT_FAILED then,
 * else `code`. */
int cli_stdout_end(int code);

#endif
