/* Shared code of the generators: streams, features, and building a dataset from pairs. */
#ifndef SOTTO_SRC_GRAPH_GENERATE_GENERATE_H
#define SOTTO_SRC_GRAPH_GENERATE_GENERATE_H

#include "base/random.h"
#include "graph/dataset.h"

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

/* The name, zeroed features (nodes x width) and zeroed labels (if classes > 0) of a dataset to come. Errors:
 * INVALID (an empty key), RANGE (nodes is 0, or 2^32 and above), NOMEM; *parts can be freed in any case. */
sotto_status sotto_i_generate_begin(sotto_i_parts *parts, const char *name, uint64_t nodes, size_t width,
                                    uint32_t classes, const sotto_key *key, sotto_error *err);

/* Adds a standard normal number to every feature; the same for any number of threads. */
void sotto_i_generate_noise(sotto_i_parts *parts, const sotto_key *key);

/* Adds the edges and moves all into *out. Errors also: INTERRUPTED, as parts that were asked to stop are not
 * whole. */
sotto_status sotto_i_generate_finish(sotto_dataset *out, sotto_i_parts *parts,
                                     const sotto_i_edge_arrays *pairs, sotto_error *err);

#endif
