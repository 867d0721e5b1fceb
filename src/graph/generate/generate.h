/* Shared code of the generators: streams, features, and building a dataset from pairs. */
#ifndef SOTTO_SRC_GRAPH_GENERATE_GENERATE_H
#define SOTTO_SRC_GRAPH_GENERATE_GENERATE_H

#include "base/random.h"
#include "graph/dataset.h"
#include "sotto/ranks.h"

/* Sub-streams of (key, generate). Append only: the number decides what a key gives. */
typedef enum sotto_i_generate_stream {
  SOTTO_I_GENERATE_FEATURES = 0, /* index = block of rows */
  SOTTO_I_GENERATE_SBM_EDGES = 1,
  SOTTO_I_GENERATE_TRANSACTION_NODES = 2,
  SOTTO_I_GENERATE_TRANSACTION_EDGES = 3,
  SOTTO_I_GENERATE_POWERLAW_ORDER = 4,
  SOTTO_I_GENERATE_POWERLAW_EDGES = 5, /* index = block of edges */
  SOTTO_I_GENERATE_POWERLAW_LABELS = 6,
  SOTTO_I_GENERATE_DEAL_COLUMNS = 7,
  SOTTO_I_GENERATE_DEAL_EDGES = 8, /* index = the edge */
  SOTTO_I_GENERATE_DEAL_ITEMS = 9,
  SOTTO_I_GENERATE_DEAL_SHARES = 10,
  SOTTO_I_GENERATE_COMMUNITIES = 11, /* index = level */
  SOTTO_I_GENERATE_CUT = 12,         /* index = 2 (64 cycle + level), and 1 more on the way back */
} sotto_i_generate_stream;

/* Pairs (sources[i], targets[i]) of a number known beforehand, so that threads can write to their own places;
 * owned by whoever holds the struct. */
typedef struct sotto_i_edge_arrays {
  uint32_t *sources, *targets;
  uint64_t count;
} sotto_i_edge_arrays;

sotto_status sotto_i_edge_arrays_new(sotto_i_edge_arrays *out, uint64_t count, sotto_error *err);
void sotto_i_edge_arrays_free(sotto_i_edge_arrays *pairs);

/* Errors: INVALID (an empty key), RANGE. */
sotto_status sotto_i_generate_check(uint64_t nodes, uint32_t classes, const sotto_key *key, sotto_error *err);
/* The name, zeroed features (nodes x width) and zeroed labels (if classes > 0) of a dataset to come. Errors:
 * INVALID (an empty key), RANGE (nodes is 0, or 2^32 and above), NOMEM; *parts can be freed in any case. */
sotto_status sotto_i_generate_begin(sotto_i_parts *parts, const char *name, uint64_t nodes, size_t width,
                                    uint32_t classes, const sotto_key *key, sotto_error *err);

/* Is it the name of a generator, or one that follows from it ("sbm.client-1")? All that a generator makes has
 * its name, which nobody gave. */
bool sotto_i_is_made_name(const char *name);

/* Adds a standard normal number to every feature; the same for any number of threads. */
void sotto_i_generate_noise(sotto_i_parts *parts, const sotto_key *key);
/* The same for nodes first to end - 1, whose features begin at `features`; `first` is a multiple of
 * SOTTO_I_MADE_ROWS. */
void sotto_i_generate_noise_rows(float *features, size_t width, uint64_t first, uint64_t end,
                                 const sotto_key *key);

/* A graph whose rows and edges can be made in pieces, each from streams of its own, in any order and by any
 * rank. */
enum { SOTTO_I_MADE_ROWS = 1 << 12 }; /* a piece of rows begins at a multiple of it */
typedef struct sotto_i_made {
  const char *name;
  const sotto_key *key;
  uint64_t nodes;
  size_t width;
  uint32_t classes;
  uint64_t streams, at_once; /* of edges; those that are drawn by one rank between two rounds */
  void *context;
  /* Features (zeroed; NULL without any) and labels (NULL without classes) of nodes first to end - 1, on this
   * thread. */
  void (*rows)(const void *context, float *features, int32_t *labels, uint64_t first, uint64_t end);
  /* The edges of streams first to end - 1, into new arrays, on all threads. Errors: NOMEM. */
  sotto_status (*edges)(void *context, sotto_i_edge_arrays *out, uint64_t first, uint64_t end,
                        sotto_error *err);
} sotto_i_made;
/* The whole in one process. Errors: as of sotto_i_generate_begin and _finish. */
sotto_status sotto_i_made_whole(sotto_dataset *out, const sotto_i_made *made, sotto_error *err);
/* The whole in a file, made by all ranks. Errors also: IO, those of another rank. */
sotto_status sotto_i_made_ranks(sotto_dataset *out, sotto_figures *figures, sotto_ranks *ranks,
                                const sotto_i_made *made, const char *path, sotto_error *err);

/* Adds the edges and moves all into *out. Errors also: INTERRUPTED, as parts that were asked to stop are not
 * whole. */
sotto_status sotto_i_generate_finish(sotto_dataset *out, sotto_i_parts *parts,
                                     const sotto_i_edge_arrays *pairs, sotto_error *err);

#endif
