/* Shared code of the generators: random streams, features, and the dataset from pairs. */
#ifndef SOTTO_SRC_GRAPH_GENERATE_GENERATE_H
#define SOTTO_SRC_GRAPH_GENERATE_GENERATE_H

#include "base/random.h"
#include "graph/dataset.h"
#include "sotto/ranks.h"

/* Sub-streams of (key, generate). Append only: the number is part of the stream. */
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
  SOTTO_I_GENERATE_CUT = 12,         /* index = 2 (64 cycle + level), plus 1 in the refinement */
  SOTTO_I_GENERATE_MINES = 13,
  SOTTO_I_GENERATE_PAYMENT_ACCOUNTS = 14,
  SOTTO_I_GENERATE_PAYMENT_RELATIONS = 15,
  SOTTO_I_GENERATE_PAYMENTS = 16,
  SOTTO_I_GENERATE_BANK_ACCOUNTS = 17,
  SOTTO_I_GENERATE_BANK_PAYMENTS = 18,
  SOTTO_I_GENERATE_PAYMENT_KINDS = 19,
} sotto_i_generate_stream;

/* A known number of pairs (sources[i], targets[i]), so that threads can write their own ranges; the holder
 * of the struct owns them. */
typedef struct sotto_i_edge_arrays {
  uint32_t *sources, *targets;
  uint64_t count;
} sotto_i_edge_arrays;

sotto_status sotto_i_edge_arrays_new(sotto_i_edge_arrays *out, uint64_t count, sotto_error *err);
void sotto_i_edge_arrays_free(sotto_i_edge_arrays *pairs);

/* Checks the parameters. Errors: INVALID (an empty key), RANGE. */
sotto_status sotto_i_generate_check(uint64_t nodes, uint32_t classes, const sotto_key *key, sotto_error *err);
/* Prepares a dataset: name, zeroed features (nodes x width), and zeroed labels if classes > 0. Errors:
 * INVALID (an empty key), RANGE (nodes is 0, or 2^32 and above), NOMEM; *parts can be freed in any case. */
sotto_status sotto_i_generate_begin(sotto_i_parts *parts, const char *name, uint64_t nodes, size_t width,
                                    uint32_t classes, const sotto_key *key, sotto_error *err);

/* Whether it is the name of a generator, or derived from one ("sbm.client-1"). Generated datasets have
 * such a name; nobody chose it. */
bool sotto_i_is_made_name(const char *name);

/* Adds a standard normal number to every feature, the same for any number of threads. */
void sotto_i_generate_noise(sotto_i_parts *parts, const sotto_key *key);
/* The same for nodes first to end - 1, whose features start at `features`; `first` is a multiple of
 * SOTTO_I_MADE_ROWS. */
void sotto_i_generate_noise_rows(float *features, size_t width, uint64_t first, uint64_t end,
                                 const sotto_key *key);

/* A graph whose rows and edges can be generated in pieces, each from its own streams, in any order and by
 * any rank. */
enum { SOTTO_I_MADE_ROWS = 1 << 12 }; /* a piece of rows starts at a multiple of it */
typedef struct sotto_i_made {
  const char *name;
  const sotto_key *key;
  uint64_t nodes;
  size_t width;
  uint32_t classes;
  /* number of edge streams; streams that one rank draws between two exchange rounds */
  uint64_t streams, at_once;
  void *context;
  /* Writes features (zeroed; NULL: none) and labels (NULL without classes) of nodes first to end - 1, on
   * this thread. */
  void (*rows)(const void *context, float *features, int32_t *labels, uint64_t first, uint64_t end);
  /* Generates the edges of streams first to end - 1 into new arrays, on all threads. Errors: NOMEM. */
  sotto_status (*edges)(void *context, sotto_i_edge_arrays *out, uint64_t first, uint64_t end,
                        sotto_error *err);
} sotto_i_made;
/* Generates the graph in one process. Errors: those of sotto_i_generate_begin and _finish. */
sotto_status sotto_i_made_whole(sotto_dataset *out, const sotto_i_made *made, sotto_error *err);
/* Generates the graph on all ranks into a file. Errors also: IO, those of another rank. */
sotto_status sotto_i_made_ranks(sotto_dataset *out, sotto_figures *figures, sotto_ranks *ranks,
                                const sotto_i_made *made, const char *path, sotto_error *err);

/* Adds the edges and moves everything into *out. Errors also: INTERRUPTED (interrupted parts are
 * incomplete). */
sotto_status sotto_i_generate_finish(sotto_dataset *out, sotto_i_parts *parts,
                                     const sotto_i_edge_arrays *pairs, sotto_error *err);

#endif
