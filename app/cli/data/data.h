/* Shared code of `sotto data`. */
#ifndef SOTTO_APP_CLI_DATA_H
#define SOTTO_APP_CLI_DATA_H

#include "cli/cli.h"
#include "cli/json.h"
#include "sotto/graph.h"

/* What cannot go to standard output, since it is not written from its beginning to its end. */
#define data_file "a dataset, whose head is written last"

/* sotto data generate: argv[0] is the kind. */
int cli_generate(int argc, char **argv);
/* sotto data split: argv[0] is the dataset. */
int cli_split(int argc, char **argv);
int cli_split_horizontal(int argc, char **argv);
int cli_split_ego(int argc, char **argv);
/* As cli_may_write: `dataset`, with the tables that go with it, or NULL, is the input. */
bool cli_data_may_write(const char *path, const char *flag, const char *dataset);
/* The same of the files STEM-1.sotto to STEM-COUNT.sotto of --out. */
bool cli_data_may_write_parts(const char *stem, size_t count, const char *dataset);
/* Ctrl-C came while a dataset was made or read, which not every step of that looks at: true after a message,
 * and nothing is to be written. */
bool cli_data_stopped(int *code);
/* `figures` in what follows: of a dataset that ranks wrote; NULL: they are counted here.
 *
 * Counts of a dataset that was made. With `list`, a JSON array, they become an element of it; NULL: text. */
void cli_print_counts(const sotto_dataset *data, const sotto_figures *figures, json_t *list);
/* Of one dataset, as text or JSON. */
void cli_print_one(const sotto_dataset *data, const sotto_figures *figures, bool json);
/* The same with how it was read, columns, classes and parts. Returns an exit status. */
int cli_print_info(const sotto_dataset *data, const sotto_figures *figures, bool json);

/* The schema of `data`, or, where that is NULL, of the run folder `path`: as a table, YAML or JSON. Returns
 * an exit status. */
typedef struct data_schema_form {
  bool yaml, json;
} data_schema_form;
int data_print_schema(const sotto_dataset *data, const char *path, const data_schema_form *form);

#endif
