/* Schemas: what the columns of a table are, by name. Datasets, run folders and models keep one. */
#ifndef SOTTO_SCHEMA_H
#define SOTTO_SCHEMA_H

#include "sotto/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sotto_schema_column {
  const char *name;
  sotto_column_kind kind;
  sotto_missing missing;         /* of features: how cells without a value are filled */
  uint64_t first, feature_count; /* which features it is; 0 features: id, label, split, unused */
  sotto_names words;             /* CATEGORY: one for each of its features, in their order */
  /* MEAN, VALUE: one for each feature, which cells without a value get; NULL: none is known yet */
  const double *fill;
} sotto_schema_column;

struct sotto_schema {
  uint64_t column_count;
  const sotto_schema_column *columns; /* in the order of the table; their features follow each other */
  uint64_t feature_count;             /* of all columns */
  sotto_names classes;                /* of nodes; none: classes are numbers */
  sotto_names kinds;                  /* of transfers, at most 16; none: kinds are not read */
  /* means and then variances of the features that the model was trained on, for standardising; NULL: features
   * are not standardised */
  const double *moments;
  const char *source, *target; /* columns of the ends of an edge; NULL: they have no names */
  bool edgeless;               /* the data are a table of nodes alone: no list of edges belongs to it */
  bool stated; /* false: made from names of features, so that NUMBER stands for any type of one feature */
};

/* What the data of a model has that its training did not, where columns have names. */
typedef struct sotto_unseen {
  uint64_t nodes;  /* with a word that no feature stands for: all features of its category are 0 */
  uint64_t labels; /* of classes that the model does not have: taken for unknown */
  uint64_t count;  /* of these words and classes */
  char words[200]; /* the first of them, with commas between: NAME=WORD, or the name of a class */
} sotto_unseen;

/* The schema of a dataset, to be freed; *out is NULL where neither features nor classes have names. Errors:
 * NOMEM. */
SOTTO_API sotto_status sotto_schema_of(sotto_schema **out, const sotto_dataset *data, sotto_error *err);
/* Reads a schema from YAML (docs/data.md). Errors: NOT_FOUND, IO; PARSE, naming the line; NOMEM. */
SOTTO_API sotto_status sotto_schema_read(sotto_schema **out, const char *path, sotto_error *err);
/* The same from YAML in memory; `name` stands for it in messages. Errors: PARSE, naming the line; NOMEM. */
SOTTO_API sotto_status sotto_schema_parse(sotto_schema **out, const char *name, const void *text, size_t size,
                                          sotto_error *err);
/* The schema as YAML that sotto_schema_read takes, to be freed with sotto_text_free. Errors: NOMEM. */
SOTTO_API sotto_status sotto_schema_yaml(char **out, const sotto_schema *schema, sotto_error *err);
SOTTO_API void sotto_schema_free(sotto_schema *schema);
/* "number", "category" and so on, as in --types and in YAML. */
SOTTO_API const char *sotto_schema_type(sotto_column_kind kind);
/* "refuse", "mean" and so on, as in YAML. */
SOTTO_API const char *sotto_schema_missing(sotto_missing rule);

#ifdef __cplusplus
}
#endif

#endif
