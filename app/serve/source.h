/* Where answers come from: a table of scores that was computed at the start, or whatever else can answer. */
#ifndef SOTTO_APP_SERVE_SOURCE_H
#define SOTTO_APP_SERVE_SOURCE_H

#include "sotto/joint.h"

/* Names of nodes or classes, owned; count 0: they have none. */
typedef struct serve_names {
  char **names;
  uint32_t *order; /* of nodes: their numbers, ascending by name; NULL: no look-up */
  size_t count;
} serve_names;
/* Copies them. With `sorted`, serve_find finds the number of a name. Errors: NOMEM. */
sotto_status serve_names_copy(serve_names *out, const sotto_names *from, bool sorted, sotto_error *err);
void serve_names_free(serve_names *names);
/* False: there is no such name. */
bool serve_find(uint32_t *out, const serve_names *names, const char *name);

/* One implementation a file; to add one, fill these members and choose it in run.c. */
typedef struct serve_source {
  void *context;                /* owned: `free` ends it */
  size_t nodes, classes;        /* classes: as `look` says, where there is one */
  serve_names ids, class_names; /* freed with the context */
  /* Class probabilities: out[i * classes + c] for nodes[i], all below `nodes`. Several threads call it at
   * once; it must end within the request's time. Errors are the caller's to show: REFUSED (the budget)
   * becomes 403, INTERRUPTED and PROTOCOL (another party is not there) 503. */
  sotto_status (*answer)(void *context, float *out, const uint32_t *nodes, size_t count, size_t classes,
                         sotto_error *err);
  /* Of a source that needs another party: how it stands with that. NULL: it needs none. */
  void (*look)(void *context, sotto_joint_state *out);
  void (*free)(void *context);
} serve_source;

/* Source of a run that one process has whole: every node's probabilities, computed once, so that an answer is
 * a look-up. The model and the data are let go. What else it takes of them goes into the other arguments.
 * Errors: those of sotto_model_open and sotto_model_predict. */
typedef struct serve_facts {
  char method[64], adjacency[8];
} serve_facts;
sotto_status serve_table_open(serve_source *out, serve_facts *facts, const char *run, uint64_t seed,
                              sotto_error *err);

/* Source of a run of two parties, of which this process is one. All is borrowed until the source is freed.
 * Errors: those of sotto_joint_open. */
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
