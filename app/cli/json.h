/* Results of verbs as JSON. */
#ifndef SOTTO_APP_CLI_JSON_H
#define SOTTO_APP_CLI_JSON_H

#include <jansson.h>

/* Prints one line on standard output; takes ownership of the value. Returns the exit status. NULL is a
 * failure: jansson returns NULL for a text that is not UTF-8. */
int cli_print_json(json_t *value);

#endif
