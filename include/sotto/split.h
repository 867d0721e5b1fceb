/* Splits into training, validation and test parts; partitions of one dataset among several owners. */
#ifndef SOTTO_SPLIT_H
#define SOTTO_SPLIT_H

#include "sotto/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A split: the rows of each part, ascending. The arrays are owned; free with sotto_split_free. */
typedef struct sotto_split {
  uint32_t *rows[4]; /* by sotto_part; NONE is empty */
  size_t count[4];
} sotto_split;
/* Shuffles the labelled nodes (those with a number, in a dataset with numbers alone) with (key, split) and
 * splits them at the given shares (CARIBOU: 0.7, 0.1; the rest is the test part); of a collection, labelled
 * graphs. One key gives one split. Errors: RANGE (shares), NOT_FOUND (no labels), INVALID (key), NOMEM. */
SOTTO_API sotto_status sotto_split_random(sotto_split *out, const sotto_dataset *data, double train,
                                          double validation, const sotto_key *key, sotto_error *err);
SOTTO_API void sotto_split_free(sotto_split *split);

/* Vertical partition of one dataset, for experiments: all holders have the same nodes; feature columns and
 * edges are partitioned; one holder has the labels and the published split, or a party that has nothing else.
 */
enum { SOTTO_MOST_HOLDERS = 16 };
typedef struct sotto_vertical {
  size_t holders;                   /* 2 to SOTTO_MOST_HOLDERS; with a party of labels alone one less */
  double share[SOTTO_MOST_HOLDERS]; /* share of each holder, above 0, sum 1 */
  size_t label_holder;  /* from 0; `holders`: a party of labels alone, without columns and edges */
  bool features, edges; /* what is partitioned; otherwise every holder has all of it */
} sotto_vertical;
/* Makes out[holders], and with a party of labels alone out[holders + 1]; free each of them.
 *
 * - Columns are shuffled and split at the shares, at least one each; each holder's columns stay in order.
 * - Each edge is assigned independently, with the shares as probabilities, from a stream of (key, its two
 *   nodes). So the holder of one edge reveals nothing about another edge.
 *
 * Errors: RANGE, INVALID (an empty key, too few columns), UNSUPPORTED (a collection), NOMEM. */
SOTTO_API sotto_status sotto_split_vertical(sotto_dataset *out, const sotto_dataset *data,
                                            const sotto_vertical *how, const sotto_key *key,
                                            sotto_error *err);
/* Reads "5:5" or "2:1:1" into shares that add up to 1. Errors: INVALID unless there are `holders` numbers,
 * PARSE, RANGE. */
SOTTO_API sotto_status sotto_vertical_shares(double *share, size_t holders, const char *text,
                                             sotto_error *err);

/* Horizontal partition of one dataset among clients: whole nodes, or whole graphs of a collection. The
 * sotto_deal_ functions fill owner[items] with numbers below `clients`; each client gets at least one
 * item. sotto_deal_items is the number of items. */
SOTTO_API uint64_t sotto_deal_items(const sotto_dataset *data);
/* How it is decided: at random; by whole communities of the graph (Louvain), so that few edges are lost; in
 * parts of one size with few edges between them; labels unevenly, by a Dirichlet distribution; by a file. */
typedef enum sotto_partition_kind {
  SOTTO_PARTITION_ALIKE,
  SOTTO_PARTITION_COMMUNITIES,
  SOTTO_PARTITION_CUT,
  SOTTO_PARTITION_DIRICHLET,
  SOTTO_PARTITION_FILE
} sotto_partition_kind;
typedef struct sotto_partition {
  sotto_partition_kind kind;
  bool linked;          /* edges between clients stay known to both, where a method counts them */
  double concentration; /* DIRICHLET: above 0 */
  const char *path;     /* FILE: a line for each item, its client's number from 1; lent */
} sotto_partition;
/* Reads alike, communities, cut, dirichlet:A or file:PATH, after "linked:" or not; a path lies within `text`.
 * Errors: INVALID (none of them), PARSE, RANGE. */
SOTTO_API sotto_status sotto_partition_read(sotto_partition *out, const char *text, sotto_error *err);
/* Decides by the partition; a file sets *clients, which the others read (2 to the items). Errors: RANGE,
 * INVALID (an empty key), NOT_FOUND (no labels for DIRICHLET, no file), UNSUPPORTED (communities and cuts of
 * a collection), IO and PARSE, naming the line of the file, NOMEM. */
SOTTO_API sotto_status sotto_deal(uint32_t *owner, uint32_t *clients, const sotto_dataset *data,
                                  const sotto_partition *partition, const sotto_key *key, sotto_error *err);
/* Makes out[clients], to be freed each: what each owns, and the edges within it; edges between clients are
 * nobody's. Errors: NOMEM. */
SOTTO_API sotto_status sotto_split_horizontal(sotto_dataset *out, const sotto_dataset *data,
                                              const uint32_t *owner, uint32_t clients, sotto_error *err);

/* The same of a single graph, and each has its edges to others (sotto_foreign). Nodes without ids get their
 * numbers in `data`. Errors: UNSUPPORTED (a collection), NOMEM. */
SOTTO_API sotto_status sotto_split_linked(sotto_dataset *out, const sotto_dataset *data,
                                          const uint32_t *owner, uint32_t clients, sotto_error *err);

/* A window of time. All nodes stay; of edges those that a transfer within it is of. */
typedef struct sotto_window {
  const char *since;  /* first day, as 2024-01-31; NULL: all before the end */
  const char *before; /* day before which it ends; NULL: all since the beginning */
  const char
      *known; /* column of dates: labels of nodes whose day is not before the end are unknown; or NULL */
} sotto_window;
/* What the window holds: the same whatever transfers come after it, or were before. Nodes, their features and
 * the list of classes are those of the dataset. It is another version of the dataset for the ledger, which
 * knows it by its nodes. Errors: INVALID (no day, a column of days that may have been filled), PARSE, RANGE
 * (it ends before it begins), NOT_FOUND (no times, no such column), NOMEM. */
SOTTO_API sotto_status sotto_dataset_window(sotto_dataset *out, const sotto_dataset *data,
                                            const sotto_window *how, sotto_error *err);

/* A collection of ego graphs of `count` labelled nodes drawn by the key (0: of all labelled nodes). Each
 * has the nodes within `hops` (1 to 100), ascending, and all edges among them; the label of the centre is
 * the label of the graph. Graphs may overlap, so one node's data may occur in several of them. Errors:
 * INVALID (a collection, no labels, an empty key), RANGE (hops, count, more than 2^32 - 2 nodes), NOMEM. */
SOTTO_API sotto_status sotto_split_ego(sotto_dataset *out, const sotto_dataset *data, uint32_t hops,
                                       size_t count, const sotto_key *key, sotto_error *err);

#ifdef __cplusplus
}
#endif
#endif
