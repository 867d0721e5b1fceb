/* Results of verbs as JSON. */
#include "json.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli.h"

int cli_print_json(json_t *value) {
  char *text = value == NULL ? NULL : json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(17));
  json_decref(value);
  if (text == NULL)
    return cli_error(&(sotto_error){.status = SOTTO_PARSE, .text = "a name in the output is not UTF-8"});
  (void)puts(text);
  free(text);
  return EXIT_DONE;
}
