/* Messages of a verb that fails; cli_usage and cli_error are in cli.h. */
#ifndef SOTTO_APP_CLI_FAILURE_H
#define SOTTO_APP_CLI_FAILURE_H

/* After this call the first failure is also printed as a line of JSON on stdout (docs/error.schema.json). A
 * program that uses --json thus always reads one document. */
void cli_failure_json(void);
/* Flushes stdout. Returns EXIT_FAILED if the verb succeeded but part of its output could not be written,
 * else `code`. */
int cli_stdout_end(int code);

#endif
