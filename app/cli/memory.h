/* --memory: the largest memory that a training may use. */
#ifndef SOTTO_APP_CLI_MEMORY_H
#define SOTTO_APP_CLI_MEMORY_H

#include "sotto/run.h"

/* Parses "500M", "4G", or a number of bytes; K, M and G are powers of 1000. Errors: PARSE, RANGE. */
sotto_status cli_memory_parse(uint64_t *out, const char *text, sotto_error *err);

/* Refuses a run whose estimate is above `bytes`. Large data and tables do not count: they are mapped files,
 * whose pages the system drops under memory pressure. Errors: NOMEM (refused), and those of an estimate. */
sotto_status cli_memory_check(uint64_t bytes, const sotto_options *options, const sotto_dataset *data,
                              sotto_error *err);

#endif
