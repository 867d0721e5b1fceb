/* Objects in files of JSON. */
#ifndef SOTTO_APP_REPORT_OBJECT_H
#define SOTTO_APP_REPORT_OBJECT_H

#include <jansson.h>

#include "sotto/base.h"

/* An object of a file of JSON in a folder; *out stays NULL, without an error, when there is no such file.
 * Errors: PARSE (naming file and line), IO, NOMEM. */
sotto_status page_load_json(json_t **out, const char *folder, const char *name, sotto_error *err);

#endif
