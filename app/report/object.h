/* JSON objects in files. */
#ifndef SOTTO_APP_REPORT_OBJECT_H
#define SOTTO_APP_REPORT_OBJECT_H

#include <jansson.h>

#include "sotto/base.h"

/* Reads a JSON object from a file in a folder; *out stays NULL, without an error, if there is no such file.
 * Errors: PARSE (naming file and line), IO, NOMEM. */
sotto_status page_load_json(json_t **out, const char *folder, const char *name, sotto_error *err);

#endif
