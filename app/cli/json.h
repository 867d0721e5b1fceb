/* Results of verbs as JSON. */
#ifndef SOTTO_APP_CLI_JSON_H
#define SOTTO_APP_CLI_JSON_H

#include <jansson.h>

/* One line on standard output; takes the value. Returns the exit status: a failure where it is NULL, which is
 * what jansson makes of a text that is not UTF-8. */
int cli_print_json(json_t *value);

#endif
