/* An .npz of arrays while a graph is read from it (bundle.c, bundle_nodes.c). */
#ifndef SOTTO_SRC_GRAPH_FORMATS_BUNDLE_H
#define SOTTO_SRC_GRAPH_FORMATS_BUNDLE_H

#include "formats.h"
#include "graph/io/npz.h"

enum { SOTTO_I_BUNDLE_ARRAYS = 31 };

typedef struct sotto_i_bundle {
  sotto_i_npz npz;
  const char *file;
  size_t size;
  uint8_t *bytes[SOTTO_I_BUNDLE_ARRAYS];
  const char *used[SOTTO_I_BUNDLE_ARRAYS]; /* names of the arrays that are read */
  size_t count;
  const sotto_names *kinds; /* of transfers, as declared; NULL: none */
} sotto_i_bundle;

/* Names of the arrays of features, and of class numbers; the last is NULL. */
extern const char *const sotto_i_bundle_features[], *const sotto_i_bundle_labels[];

/* Reads the array with the first of two names that exists; data NULL when neither does. */
sotto_status sotto_i_bundle_array(sotto_i_bundle *b, sotto_i_array *out, const char **name, const char *first,
                                  const char *second, sotto_error *err);
/* The same of several names, the last of which is NULL. */
sotto_status sotto_i_bundle_any(sotto_i_bundle *b, sotto_i_array *out, const char **name,
                                const char *const *names, sotto_error *err);
/* Reads what the arrays say of nodes, whose number is known. Errors: PARSE (a shape that does not fit, a node
 * in two parts), NUMERIC (a value that is no finite float32), NOMEM. */
sotto_status sotto_i_bundle_nodes(sotto_i_bundle *b, sotto_i_parts *parts, sotto_error *err);

#endif
