/* Schemas being built, and their YAML. */
#ifndef SOTTO_SRC_GRAPH_SCHEMA_H
#define SOTTO_SRC_GRAPH_SCHEMA_H

#include "names.h"
#include "sotto/schema.h"

/* The word of each kind of column in --types and in YAML, up to a NULL. */
typedef struct sotto_i_column_type {
  const char *word;
  sotto_column_kind kind;
} sotto_i_column_type;
extern const sotto_i_column_type sotto_i_column_types[];
/* The words of sotto_missing in its order, up to a NULL. */
extern const char *const sotto_i_missing_rules[];
/* The kind whose word this is; false: none. */
bool sotto_i_column_type_find(sotto_column_kind *out, const char *word, size_t size);
static inline bool sotto_i_column_is_feature(sotto_column_kind kind) {
  return kind == SOTTO_COLUMN_NUMBER || kind == SOTTO_COLUMN_CATEGORY || kind == SOTTO_COLUMN_DATE ||
         kind == SOTTO_COLUMN_FLAG;
}

/* Has a table at most one column of the kind? */
static inline bool sotto_i_column_is_alone(sotto_column_kind kind) {
  return kind == SOTTO_COLUMN_ID || kind == SOTTO_COLUMN_LABEL || kind == SOTTO_COLUMN_OUTCOME ||
         kind == SOTTO_COLUMN_SPLIT;
}

/* An empty schema. Errors: NOMEM. */
sotto_status sotto_i_schema_new(sotto_schema **out, sotto_error *err);
/* Makes room for that many columns in all. Errors: NOMEM. */
sotto_status sotto_i_schema_reserve(sotto_schema *schema, size_t columns, sotto_error *err);
/* Adds a column; `name` is copied, and the words move from the maker (NULL: none). Its features follow those
 * before it. Errors: PARSE (a name that is no clean text), NOMEM. */
sotto_status sotto_i_schema_add(sotto_schema *schema, const char *name, sotto_column_kind kind,
                                sotto_missing missing, sotto_i_names_maker *words, sotto_error *err);
/* Sets the names of the ends of edges, and those of classes, from which names are copied. Errors: NOMEM. */
sotto_status sotto_i_schema_set_ends(sotto_schema *schema, const char *source, const char *target,
                                     sotto_error *err);
sotto_status sotto_i_schema_set_classes(sotto_schema *schema, const sotto_names *classes, sotto_error *err);
/* Copies the names of kinds of transfers. Errors: NOMEM. */
sotto_status sotto_i_schema_set_kinds(sotto_schema *schema, const sotto_names *kinds, sotto_error *err);
/* Copies what cells without a value get, to the column that was added last: one number for each of its
 * features. Errors: NOMEM. */
sotto_status sotto_i_schema_set_fill(sotto_schema *schema, const double *fill, sotto_error *err);
/* Copies statistics of all features. Errors: NOMEM. */
sotto_status sotto_i_schema_set_moments(sotto_schema *schema, const double *moments, sotto_error *err);
/* A copy; of NULL it is NULL. Errors: NOMEM. */
sotto_status sotto_i_schema_copy(sotto_schema **out, const sotto_schema *from, sotto_error *err);

/* Columns of data whose features have no names: numbers, named by their place from 1 on. */
#define SOTTO_I_COLUMN_NAME "column %zu"
/* A schema of such data, or by names of features where there are any, in both cases not stated. Errors:
 * NOMEM. */
sotto_status sotto_i_schema_by_position(sotto_schema **out, const sotto_dataset *data, sotto_error *err);
/* Are all its features such columns? Then data without names fits it. */
bool sotto_i_schema_is_by_position(const sotto_schema *schema);

/* The column of this name, or NULL. */
const sotto_schema_column *sotto_i_schema_find(const sotto_schema *schema, const char *name, size_t size);
/* The names of all features, as in a dataset: NAME, or NAME=WORD. Errors: NOMEM. */
sotto_status sotto_i_schema_features(sotto_names *out, const sotto_schema *schema, sotto_error *err);

#endif
