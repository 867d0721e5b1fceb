/* Messages of a verb that fails, in addition to cli_usage and cli_error (cli.h). */
#ifndef SOTTO_APP_CLI_FAILURE_H
#define SOTTO_APP_CLI_FAILURE_H

/* From now on the first failure is also a line of JSON on stdout (docs/error.schema.json), so that whoever
 * reads
 * --json always finds one document there. */
void cli_failure_json(void);
/* Flushes stdout. What was printed and could not be written fails a verb that was done: EXIT_FAILED then,
 * else `code`. */
int cli_stdout_end(int code);

#endif
