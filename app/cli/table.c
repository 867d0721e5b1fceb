/* Flags of how to read tables. */
#include "table.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "sotto/model.h"

/* The options of the group, in their order; returns how many. */
static size_t list_options(const sotto_option_info *out[CLI_MOST_TABLE_FLAGS]) {
  size_t count, used = 0;
  const sotto_option_info *infos = sotto_option_table(&count);
  for (size_t i = 0; i < count; i++) {
    if (infos[i].group != SOTTO_GROUP_TABLES) continue;
    SOTTO_I_CHECK(used < CLI_MOST_TABLE_FLAGS);
    out[used++] = &infos[i];
  }
  return used;
}

static bool is_header(const sotto_option_info *option) {
  return strcmp(option->key, "header") == 0;
}

bool cli_table_parse(cli_table *table, const cli_flag *own, size_t own_count, int argc, char **argv,
                     const char **words, size_t most, size_t *word_count) {
  const sotto_option_info *group[CLI_MOST_TABLE_FLAGS];
  cli_flag flags[CLI_MOST_OWN_FLAGS + CLI_MOST_TABLE_FLAGS + 1];
  const size_t group_count = list_options(group);
  size_t count = own_count;
  SOTTO_I_CHECK(own_count <= CLI_MOST_OWN_FLAGS);
  memcpy(flags, own, count * sizeof *flags);
  for (size_t i = 0; i < group_count; i++)
    flags[count++] = is_header(group[i]) ? (cli_flag){group[i]->key, NULL, &table->header}
                                         : (cli_flag){group[i]->key, &table->values[i], NULL};
  flags[count++] = (cli_flag){"no-header", NULL, &table->no_header};
  return cli_parse(flags, count, argc, argv, words, most, word_count);
}

sotto_status cli_table_set(sotto_options *options, const cli_table *table, sotto_error *err) {
  const sotto_option_info *group[CLI_MOST_TABLE_FLAGS];
  const size_t count = list_options(group);
  sotto_import_options read;
  for (size_t i = 0; i < count; i++) {
    const char *value = is_header(group[i]) ? table->header      ? "yes"
                                              : table->no_header ? "no"
                                                                 : NULL
                                            : table->values[i];
    const sotto_status status =
        value == NULL ? SOTTO_OK : sotto_options_set(options, group[i]->key, value, err);
    if (status != SOTTO_OK) return status;
  }
  return sotto_table_options(&read, options, err);
}

bool cli_table_check(const cli_table *table) {
  static sotto_options options;
  sotto_error err = {0};
  sotto_options_default(&options);
  return cli_table_set(&options, table, &err) == SOTTO_OK || cli_usage("%s", err.text) == EXIT_DONE;
}
