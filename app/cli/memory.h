/* --memory: what a training may hold. */
#ifndef SOTTO_APP_CLI_MEMORY_H
#define SOTTO_APP_CLI_MEMORY_H

#include "sotto/run.h"

/* "500M", "4G", or a number of bytes; K, M and G are powers of 1000. Errors: PARSE, RANGE. */
sotto_status cli_memory_parse(uint64_t *out, const char *text, sotto_error *err);

/* Refuses a run that would need more than `bytes`, with the estimate. Large data and tables, which are pages
 * of files, do not count: the system drops them when it needs their room. Errors: NOMEM (refused), and those
 * of an estimate. */
sotto_status cli_memory_check(uint64_t bytes, const sotto_options *options, const sotto_dataset *data,
                              sotto_error *err);

#endif
