/* A verb in several processes at once, started by mpirun. */
#ifndef SOTTO_APP_CLI_RANKS_H
#define SOTTO_APP_CLI_RANKS_H

#include "cli.h"
#include "sotto/graph.h"
#include "sotto/methods.h"
#include "sotto/ranks.h"

/* May several processes of a launcher run this verb with these words? False: *code is the exit status, after
 * a message by the first one. The others end well, so that the launcher does not end the first before it has
 * spoken. True without a launcher, and for help. */
bool cli_ranks_may(int *code, const char *verb, int argc, char **argv);
/* The ranks of the launcher; *out is NULL without a launcher. All ranks but the first then print nothing.
 * Errors: UNSUPPORTED (several processes of a program without MPI). */
sotto_status cli_ranks_begin(sotto_ranks **out, sotto_error *err);
/* Reports a failure to the other ranks, and ends. NULL is allowed. Returns `code`. */
int cli_ranks_end(sotto_ranks *ranks, int code, const sotto_error *err);
/* "random" or "metis". Errors: INVALID. */
sotto_status cli_ranks_parts(sotto_rank_parts *out, const char *word, sotto_error *err);
/* Ranks read native files alone. Errors: UNSUPPORTED, for an option about tables, with what to do. */
sotto_status cli_ranks_check_tables(const sotto_options *options, sotto_error *err);
/* Opens the data of a run in every rank. Errors: also UNSUPPORTED, with what to do. */
sotto_status cli_ranks_open(sotto_dataset *out, sotto_ranks *ranks, const sotto_options *options,
                            sotto_rank_parts parts, sotto_error *err);

#endif
