/* Flags of how to read tables, one group for every verb that reads one: the options of the group TABLES. */
#ifndef SOTTO_APP_CLI_TABLE_H
#define SOTTO_APP_CLI_TABLE_H

#include "cli.h"
#include "sotto/options.h"

enum { CLI_MOST_TABLE_FLAGS = 24, CLI_MOST_OWN_FLAGS = 32 };
typedef struct cli_table {
  const char *values[CLI_MOST_TABLE_FLAGS]; /* in the order of the group */
  bool header, no_header;
} cli_table;

/* As cli_parse, with the flags of the group behind those of the verb, which come first where names are the
 * same. */
bool cli_table_parse(cli_table *table, const cli_flag *own, size_t own_count, int argc, char **argv,
                     const char **words, size_t most, size_t *word_count);
/* Sets the options that were given. Errors: INVALID, naming the option. */
sotto_status cli_table_set(sotto_options *options, const cli_table *table, sotto_error *err);
/* False, after a message, where that would fail. */
bool cli_table_check(const cli_table *table);

#endif
