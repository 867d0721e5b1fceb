/* Schemas of what was read, and of datasets. */
#ifndef SOTTO_SRC_GRAPH_SCHEMA_OF_H
#define SOTTO_SRC_GRAPH_SCHEMA_OF_H

#include "dataset.h"
#include "schema.h"

/* parts->schema, from the columns of the report and the names of features; unset where there are no columns.
 * `options` say how cells without a value were filled. Errors: PARSE (two columns of one name, with `file`),
 * INVALID (the options have a schema, and `file` no columns for it), NOMEM. */
sotto_status sotto_i_parts_make_schema(sotto_i_parts *parts, const char *file,
                                       const sotto_import_options *options, sotto_error *err);

#endif
