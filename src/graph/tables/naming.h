/* Names of the columns and the classes of a dataset: as text, joined over several owners, and as the order in
 * which a dataset is read. Names decide which column is which; positions decide only where nothing has a
 * name. */
#ifndef SOTTO_SRC_GRAPH_TABLES_NAMING_H
#define SOTTO_SRC_GRAPH_TABLES_NAMING_H

#include "graph/dataset.h"
#include "sotto/schema.h"

typedef struct sotto_i_naming {
  uint64_t columns;
  uint32_t classes;           /* of graphs in a collection, else of nodes; 0: no example has a label */
  bool declared;              /* the number of classes is stated; else it follows from the labels */
  sotto_names features;       /* one per column; absent: columns have no names */
  sotto_names labels;         /* one per class; absent: classes are the numbers from 0 */
  bool typed;                 /* the types of columns are known */
  sotto_names dates;          /* columns that are dates, in days */
  sotto_names filled;         /* columns whose cells without a value are filled ... */
  sotto_names fills;          /* ... and with what, one for each: zero, mean (the owner's own), value V */
  bool suited;                /* statistics of the columns may be told, to find one scaling of all owners */
  char scaling[65];           /* digest of declared means and variances, in hexadecimal digits; empty: none */
  const sotto_schema *schema; /* of a dataset: where its types stand; else NULL */
} sotto_i_naming;

/* The names of a dataset with `columns` columns, borrowed from it. */
sotto_i_naming sotto_i_naming_of(const sotto_dataset *data, uint64_t columns, bool declared);
/* Frees the names of sotto_i_naming_read and sotto_i_naming_join. */
void sotto_i_naming_free(sotto_i_naming *naming);

/* Text in fresh memory, one item a line: "columns N" or "column NAME" each, "classes N" or "class NAME" each,
 * "declared"; "typed", and "date NAME" for each column of dates; "filled NAME" and "fill RULE" for each
 * column that has a rule for missing cells, of a mean without the mean; "suited"; "scaling DIGEST". Errors:
 * NOMEM. */
sotto_status sotto_i_naming_write(char **out, size_t *size, const sotto_i_naming *naming, sotto_error *err);
/* Names in fresh memory. Errors: PROTOCOL (not such a text), NOMEM. */
sotto_status sotto_i_naming_read(sotto_i_naming *out, const char *text, size_t size, sotto_error *err);

/* Joins the names of one more owner, `who`, into `known`, those of `first` and of others after it. Columns
 * keep the order of `first`. Words of a category, which are columns NAME=WORD, and classes become the union:
 * numbers by value, else by bytes. A column that one of both lacks, or that both fill otherwise, is an error
 * that names it. Errors: INVALID, NOMEM. */
sotto_status sotto_i_naming_join(sotto_i_naming *known, const char *first, const sotto_i_naming *said,
                                 const char *who, sotto_error *err);

/* Its part about missing cells (naming_fill.c): a column that one of both does not fill has no cell without a
 * value there, and any rule of the other holds. Errors: INVALID, naming the column; NOMEM. */
sotto_status sotto_i_naming_join_fills(sotto_i_naming *known, const sotto_i_naming *said, const char *who,
                                       sotto_error *err);

/* A dataset in the order of other names. */
typedef struct sotto_i_arranged {
  sotto_dataset view; /* borrows all that the order does not change */
  sotto_i_parts own;  /* features and labels in the new order */
  sotto_i_naming names;
  sotto_schema *schema; /* of the new order, with declared means and variances; NULL: none are */
} sotto_i_arranged;

/* The digest of the means and variances that the dataset's schema declares, by name; empty where it has none.
 * Errors: NOMEM. */
sotto_status sotto_i_naming_scaling(char out[65], const sotto_dataset *data, sotto_error *err);

/* The means and variances of `schema`, where it has any, become those of the dataset's own schema, by name.
 * Errors: INVALID (the schema lacks a column), NOMEM. */
sotto_status sotto_i_dataset_scale_by(sotto_dataset *data, const sotto_schema *schema, sotto_error *err);

/* Puts columns and labels of `data` in the order of `names`. Columns that the data lack are 0. `data` is
 * borrowed. Declared means and variances go along. Errors: INVALID (a column or a class of the data is not
 * among the names; a declared scaling lacks a column), NOMEM. */
sotto_status sotto_i_dataset_arrange(sotto_i_arranged *out, const sotto_dataset *data,
                                     const sotto_i_naming *names, sotto_error *err);
/* Its last step: the declared means and variances of `data`. */
sotto_status sotto_i_arranged_scale(sotto_i_arranged *arranged, const sotto_dataset *data, sotto_error *err);
void sotto_i_arranged_free(sotto_i_arranged *arranged);

#endif
