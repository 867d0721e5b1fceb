/* Small files of JSON. */
#ifndef SOTTO_SRC_BASE_JSON_FILE_H
#define SOTTO_SRC_BASE_JSON_FILE_H

#include <jansson.h>

#include "sotto/base.h"

/* Writes root, which is taken, as folder/name, with jansson's flags. NULL: memory for it was missing. Errors:
 * NOMEM, IO. */
SOTTO_MUST_USE sotto_status sotto_i_json_save(json_t *root, const char *folder, const char *name,
                                              size_t flags, sotto_error *err);

#endif
