/* Sources of predictions: a table of scores computed at the start, or any other implementation. */
#ifndef SOTTO_APP_SERVE_SOURCE_H
#define SOTTO_APP_SERVE_SOURCE_H

#include "sotto/alerts.h"
#include "sotto/joint.h"
#include "sotto/schema.h"

/* Names of nodes or classes, owned; count 0: they have none. */
typedef struct serve_names {
  char **names;
  uint32_t *order; /* of nodes: their numbers, ascending by name; NULL: no look-up */
  size_t count;
} serve_names;
/* Copies the names. `sorted`: serve_find can find the number of a name. Errors: NOMEM. */
sotto_status serve_names_copy(serve_names *out, const sotto_names *from, bool sorted, sotto_error *err);
void serve_names_free(serve_names *names);
/* Finds the number of a name. False: no such name. */
bool serve_find(uint32_t *out, const serve_names *names, const char *name);

/* Answers about rows of new nodes. */
typedef struct serve_answered {
  float *rows; /* rows x classes: class probabilities; to be freed */
  sotto_unseen unseen;
} serve_answered;
#define SERVE_ROWS_NAME "rows" /* stands for the table of a request in messages */

/* The interface of a source. Each implementation has its own file; to add one, fill these members and
 * choose it in run.c. */
typedef struct serve_source {
  void *context;                /* owned: `free` frees it */
  size_t nodes, classes;        /* classes: if `look` is set, it reports them */
  serve_names ids, class_names; /* freed with the context */
  bool numbers;                 /* an answer is one number, and no class */
  bool has_alerts;              /* of a rare class */
  sotto_alerts alerts;
  /* Class probabilities: out[i * classes + c] for nodes[i], all below `nodes`. Called by several threads at
   * once; it must end within the request's time. The caller reports errors: REFUSED (the budget) becomes
   * 403, INTERRUPTED and PROTOCOL (another party is missing) 503. */
  sotto_status (*answer)(void *context, float *out, const uint32_t *nodes, size_t count, size_t classes,
                         sotto_error *err);
  /* Class probabilities of new nodes without edges, by a table of them in CSV (sotto_dataset_of_table) with
   * the feature columns of `schema`. Called by several threads at once. NULL: it answers about its own nodes
   * alone. */
  sotto_status (*answer_rows)(void *context, serve_answered *out, const char *csv, size_t size,
                              sotto_error *err);
  const sotto_schema *schema; /* of the training; freed with the context; NULL: columns have no names */
  const sotto_schema_column **columns; /* its columns, ascending by name; freed with the context */
  /* State of a source that needs another party. NULL: it needs none. */
  void (*look)(void *context, sotto_joint_state *out);
  void (*free)(void *context);
} serve_source;

/* The columns of a schema, ascending by name: borrowed, in a list to be freed. Errors: NOMEM. */
sotto_status serve_columns_sort(const sotto_schema_column ***out, const sotto_schema *schema,
                                sotto_error *err);
/* The column of a name; NULL: the training had none. */
const sotto_schema_column *serve_column(const serve_source *source, const char *name);

/* Source of a run that this process has whole: all nodes' probabilities are computed once, so that a
 * request is a look-up. The model and the data are then closed. The other arguments get the facts about the
 * run. Errors: those of sotto_model_open and sotto_model_predict. */
typedef struct serve_facts {
  char method[64], adjacency[16];
} serve_facts;
sotto_status serve_table_open(serve_source *out, serve_facts *facts, const char *run, uint64_t seed,
                              sotto_error *err);

/* Source of a run of two parties, with this process as one of them. All is borrowed until the source is
 * freed. Errors: those of sotto_joint_open. */
typedef struct serve_joint {
  const sotto_options *options;
  const sotto_dataset *data;
  const uint8_t *nodes; /* 32 bytes: digest of the ids */
  const sotto_party *party;
  sotto_asking asking;
  const sotto_observer *observer;
} serve_joint;
sotto_status serve_joint_open(serve_source *out, serve_facts *facts, const serve_joint *from,
                              sotto_error *err);

#endif
