/* Graphs, datasets, readers of data, sparse operators. */
#ifndef SOTTO_GRAPH_H
#define SOTTO_GRAPH_H

#include "sotto/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A simple undirected graph in CSR form. The neighbours of node v are targets[offsets[v] .. offsets[v +
 * 1]): ascending, without v itself, without repeats. Every edge is stored twice. */
typedef struct sotto_graph {
  uint64_t nodes;          /* below 2^32 */
  uint64_t entries;        /* offsets[nodes]: twice the number of undirected edges */
  const uint64_t *offsets; /* nodes + 1 */
  const uint32_t *targets; /* entries */
} sotto_graph;

/* Makes a graph from `count` pairs (sources[i], targets[i]) in any order. Edges are symmetrised;
 * self-loops and repeats are removed. The result owns its arrays; free with sotto_graph_free. Errors:
 * RANGE (an id at or above `nodes`, naming the pair), NOMEM. */
SOTTO_API sotto_status sotto_graph_from_pairs(sotto_graph *out, uint64_t nodes, const uint32_t *sources,
                                              const uint32_t *targets, uint64_t count, sotto_error *err);
/* Frees a graph made by a function of this header, but not one borrowed from a dataset. */
SOTTO_API void sotto_graph_free(sotto_graph *graph);
/* Number of neighbours of a node. */
static inline uint64_t sotto_graph_degree(const sotto_graph *graph, uint64_t node) {
  return graph->offsets[node + 1] - graph->offsets[node];
}

/* Where the number of classes, of nodes or of graphs, comes from. */
typedef enum sotto_classes_from {
  SOTTO_CLASSES_DECLARED, /* the file states it, or the caller gave it */
  SOTTO_CLASSES_LARGEST,  /* one more than the largest label */
  SOTTO_CLASSES_FOUND     /* the distinct labels that occur, numbered in ascending order */
} sotto_classes_from;

/* Names in a dataset, one per item: UTF-8 without control characters. They are for people only: not part
 * of any digest or account. Names of columns and classes are sent in federations; names of nodes never are.
 */
typedef struct sotto_names {
  uint64_t count;         /* 0: no names */
  const uint64_t *starts; /* count + 1 */
  /* name i is the zero-terminated string at text + starts[i]; the texts follow the starts without gaps */
  const char *text;
} sotto_names;
/* Name i, or NULL when there is none; borrowed from the dataset. */
static inline const char *sotto_name(const sotto_names *names, uint64_t i) {
  return i < names->count ? names->text + names->starts[i] : 0;
}

/* Handling of feature cells without a value: empty, or NA, N/A, NaN, null, None or ? */
typedef enum sotto_missing {
  SOTTO_MISSING_REFUSE, /* an error that names the cell */
  SOTTO_MISSING_MEAN,   /* mean of the training nodes with a value, of all nodes where none is said to train;
                           no noise protects what it reveals about them */
  SOTTO_MISSING_ZERO,
  SOTTO_MISSING_VALUE /* what a schema declares */
} sotto_missing;

/* Use of a column of a table, or of an attribute of nodes or edges. */
typedef enum sotto_column_kind {
  SOTTO_COLUMN_ID,
  SOTTO_COLUMN_LABEL,
  SOTTO_COLUMN_SPLIT,
  SOTTO_COLUMN_NUMBER,   /* one feature */
  SOTTO_COLUMN_CATEGORY, /* one-hot: a feature for each word that occurs, NAME=WORD */
  SOTTO_COLUMN_DATE,     /* one feature: days since 2000-01-01, with the time of the day as a fraction */
  SOTTO_COLUMN_UNUSED,   /* read past, such as weights of edges */
  SOTTO_COLUMN_FLAG,     /* one feature: 0 (0, no, false) or 1 (1, yes, true) */
  SOTTO_COLUMN_AMOUNT,   /* of edges: amounts of transfers */
  SOTTO_COLUMN_TIME,     /* of edges: times of transfers */
  SOTTO_COLUMN_OUTCOME,  /* numbers to learn */
  SOTTO_COLUMN_KIND      /* of edges: kinds of transfers */
} sotto_column_kind;
typedef struct sotto_column {
  const char *name;
  sotto_column_kind kind;
  bool of_edges;                 /* of the table of edges, not of nodes */
  uint64_t first, feature_count; /* NUMBER, CATEGORY: which features it became */
  uint64_t missing;              /* cells without a value; of features they were filled */
  const char *missing_words;     /* words in such cells, the first few, separated by commas; NULL: none */
} sotto_column;
/* Report of how a dataset was read from another format than the native one. */
typedef struct sotto_reading {
  const char *form;     /* for people: "edge list, tabs, with a header" */
  uint64_t pairs;       /* pairs of nodes, as the edges were listed */
  uint64_t self_loops;  /* among them: removed self-loops */
  uint64_t repeats;     /* among them: removed repeats of an edge, in either direction */
  sotto_missing filled; /* how missing feature values were filled; REFUSE: none were missing */
  bool stated; /* words and classes are those of a schema that was given, not those that the rows have */
  uint64_t column_count;
  const sotto_column *columns;
} sotto_reading;

/* Types of columns by name (sotto/schema.h). */
typedef struct sotto_schema sotto_schema;

/* Sparse features by rows: row v has values[i] in column columns[i] for i from offsets[v] to offsets[v +
 * 1] - 1. Columns ascend within a row. A value with all bits 0 is never stored. */
typedef struct sotto_entries {
  const uint64_t *offsets; /* nodes + 1; NULL: the features are dense */
  const uint32_t *columns;
  const float *values;
} sotto_entries;

/* Directed and repeated edges, as transfers between accounts: row i goes from sources[i] to targets[i]. The
 * graph of the dataset has one edge for all rows between two nodes, which are its relation. Rows ascend by
 * the lower end, then by the higher end, then by time. */
typedef struct sotto_transfers {
  uint64_t count;
  const uint32_t *sources, *targets; /* NULL: the dataset has no transfers, whatever its edges are */
  const float *amounts;              /* finite, at least 0; NULL: none */
  const double *times;               /* days since 2000-01-01, of the years 1 to 3999; NULL: none */
  const uint8_t *kinds;              /* numbers of kind_names; NULL: none */
  sotto_names kind_names;            /* public, as the owner declared them: 1 to 16 different ones */
} sotto_transfers;

/* Edges whose other end another owner has, such as an account at another bank: edge i joins node nodes[i] to
 * what has the id sotto_name(&ids, i). They ascend by node, then by the bytes of the id, without repeats. The
 * graph has none of them. */
typedef struct sotto_foreign {
  const uint32_t *nodes; /* ids.count of them; NULL: the dataset has no list of such edges */
  sotto_names ids;
} sotto_foreign;

/* A node-classification dataset, or a collection of small graphs (graph_count > 0) whose nodes and edges
 * are stored graph by graph. The dataset owns everything in it; arrays may be in a memory map. */
typedef struct sotto_dataset {
  const char *name;
  sotto_graph graph;
  sotto_transfers transfers; /* what its edges stand for */
  sotto_foreign foreign;     /* edges to nodes of other owners; node_ids name the own ends */
  /* nodes x d, borrowed from the dataset; d may be 0. data is NULL for sparse features; sotto_dataset_rows
   * reads both */
  sotto_matrix features;
  /* sparse features: used when the dense table would take 32 MB or more and at most an eighth of it is
   * nonzero, in formats that are sparse */
  sotto_entries entries;
  const int32_t *labels; /* one per node, -1 where unknown; NULL: none */
  uint32_t classes;      /* labels are below this */
  /* what regression learns: one per node of a single graph, finite, or NAN where unknown; NULL: none. They
   * are as private as labels, and learnt with the task regression */
  const float *numbers;
  sotto_classes_from classes_from;
  const uint8_t *split;        /* published split, one sotto_part per node; NULL: none */
  uint64_t graph_count;        /* 0 for a single graph */
  const uint64_t *graph_first; /* graph_count + 1: first node of each graph */
  const int32_t *graph_labels; /* one per graph */
  uint32_t graph_classes;
  sotto_classes_from graph_classes_from;
  sotto_names node_ids;          /* one per node; absent when ids are the numbers of nodes, or unknown */
  sotto_names feature_names;     /* one per column of the features */
  sotto_names class_names;       /* one per class of nodes */
  sotto_names graph_class_names; /* one per class of graphs */
  const sotto_schema *schema;    /* columns of the table that it was read from, without classes; NULL: none */
  const sotto_reading *reading;  /* NULL: a native file, the caller's arrays, a generator */
  uint8_t digest[32];            /* BLAKE2b of the content without names */
  /* key of its ledger account: BLAKE2b of nodes and edges only, so other features or labels give the same
   * account; of the content when there are no edges */
  uint8_t account[32];
  uint8_t features_digest[32]; /* BLAKE2b of nodes and features only */
  void *storage;               /* private */
  const char *path;            /* path given to sotto_dataset_open; NULL: not from a file */
} sotto_dataset;

typedef enum sotto_part {
  SOTTO_PART_NONE = 0,
  SOTTO_PART_TRAIN = 1,
  SOTTO_PART_VALIDATION = 2,
  SOTTO_PART_TEST = 3
} sotto_part;

typedef enum sotto_header {
  SOTTO_HEADER_GUESS, /* refused where it is not clear */
  SOTTO_HEADER_YES,
  SOTTO_HEADER_NO
} sotto_header;

typedef struct sotto_import_options {
  const char *source; /* edge list: the name of the column of one end, where the target is that of the other;
                         NULL: their names decide */
  const char *target; /* and in facebook100 the column that is the label (default "year"); "year:1000" drops
                       * classes of fewer nodes, with their nodes */
  const char *amount; /* the column or attribute of amounts of transfers, or NULL: its name decides; of a
                         matrix "value" */
  const char *time;   /* the same for times: dates, seconds or milliseconds since 1970, or days */
  const char *kind;   /* the same for kinds: a word in each row, whose names the schema declares */
  bool directed;      /* edges are transfers, also without an amount, a time or a kind */
  bool undirected;    /* edges alone; amounts, times and kinds are not read */
  const char *nodes_table; /* edge list: path of the node table, or NULL; the path of the list itself: nodes
                              without edges, as the schema then says */
  bool nodes_only;         /* .csv, .tsv: the path is that of a node table, and there are no edges */
  sotto_missing missing;   /* tables and attributes of nodes */
  const char *label;       /* the column of classes, or NULL: label (in GML: value) */
  bool regression;         /* that column has numbers to learn, not classes */
  const char *types;       /* NAME=TYPE with commas between: number, date, category, flag, label, outcome, id,
                              split,       drop; NULL: cells and names decide */
  const sotto_schema *schema; /* columns, types, words and classes as stated: a cell that does not fit is an
                                 error; or NULL. Borrowed */
  bool others; /* of a schema: a word or class that it lacks follows those that it has; else an error */
  const char *missing_words; /* words, with commas between, of cells without a value; NULL: NA, N/A, NaN,
                                null, None, ? in any case, and of labels unknown and -1 too */
  sotto_header header;       /* edge list: is the first line one of names? */
  bool decimal_comma;        /* numbers are written 1.234,5 */
  const char *split; /* a file with the part of each node: a word a line in the order of nodes, or a table
                        with the columns id and split; words are train, validation, test, none. It replaces a
                        split of the data. NULL: none */
  const char *edges_to_others; /* the path of a list of edges from own nodes to nodes of other owners: a table
                                  of text whose first line names its columns. Those of both ends are `source`
                                  and `target`, else the first two; one end is an own node, and the other is
                                  none. NULL: none */
  const sotto_observer *observer; /* told how much of a large table is read, in megabytes; or NULL */
} sotto_import_options;

/* Reads data of any known format, recognised by the path: a native file, FOLDER:NAME (Planetoid), .npz,
 * .mat, a TUDataset folder, .csv or .tsv (edge list), and more; docs/format.md lists them. `options` may
 * be NULL. Nothing is allocated for a claim that the size of the file refutes. Errors name the file and
 * the place: NOT_FOUND, IO, PARSE, CORRUPT, RANGE, NUMERIC, UNSUPPORTED, NOMEM; INTERRUPTED (large
 * tables). */
SOTTO_API sotto_status sotto_dataset_open(sotto_dataset *out, const char *path,
                                          const sotto_import_options *options, sotto_error *err);

/* Integers in an array of the caller, in one of four types. */
typedef enum sotto_index_type {
  SOTTO_INDEX_U32,
  SOTTO_INDEX_U64,
  SOTTO_INDEX_I32,
  SOTTO_INDEX_I64
} sotto_index_type;
typedef struct sotto_index_array {
  const void *data; /* NULL: absent */
  uint64_t count;
  sotto_index_type type;
} sotto_index_array;

/* Data in the caller's own arrays. Zero-initialise, then set what exists; only `nodes` is required. */
typedef struct sotto_arrays {
  const char *name; /* copied; NULL: "arrays" */
  uint64_t nodes;   /* 1 to 2^32 - 2; node ids are 0 to nodes - 1 */

  /* The edges: as CSR, as pairs, or neither (a graph without edges). Directed edges become undirected;
   * self-loops and repeats are removed, as by the readers of files. CSR: the neighbours of node v are
   * neighbours[offsets[v] .. offsets[v + 1]), in any order. */
  sotto_index_array offsets, neighbours; /* nodes + 1; offsets[nodes] */
  /* Pairs: edge i joins sources[i] and targets[i]. */
  sotto_index_array sources, targets; /* of equal length */
  /* Pairs are transfers from source to target (sotto_transfers), if `directed` is set or any of these is
   * given: one element a pair, finite, amounts at least 0, times in days since 2000-01-01 (years 1 to 3999).
   */
  const float *amounts;
  const double *times;
  const uint8_t *kinds;          /* below kind_names->count */
  const sotto_names *kind_names; /* 1 to 16, the owner's declaration, whether or not each occurs; copied */
  bool directed;

  /* The features, nodes x feature_columns float32: dense, as CSR, or neither (feature_columns 0). Dense:
   * row-major. */
  const float *features;
  size_t feature_columns;
  /* CSR, named as in scipy: row v has values[i] in column indices[i] for i in indptr[v] .. indptr[v + 1];
   * repeated columns are added. If the dense table would take 32 MB or more and is mostly 0, the dataset
   * stores the entries only (sotto_entries); else nodes * feature_columns * 4 bytes. */
  sotto_index_array feature_indptr, feature_indices; /* indptr: nodes + 1; indptr[nodes] indices */
  const float *feature_values;                       /* one per element of feature_indices */

  const int32_t *labels; /* one per node, -1 where unknown; NULL: none */
  uint32_t classes;      /* labels are below this; 0: one more than the largest (not allowed at node level) */
  /* Numbers to learn, with or without labels: one per node, finite, or NAN where unknown; NULL: none. Not
   * for a collection. Always copied. */
  const float *numbers;

  /* A published split, one byte per node and part: nonzero where the node is in the part. NULL: an empty
   * part; all three NULL: no split. A node may be in at most one part. */
  const uint8_t *train, *validation, *test;

  /* A collection of small graphs, stored graph by graph; graph_count 0: a single graph. */
  uint64_t graph_count;
  const uint64_t *graph_first; /* graph_count + 1: first node of each graph, then `nodes` */
  const int32_t *graph_labels; /* one per graph, -1 where unknown; NULL: none */
  uint32_t graph_classes;      /* as `classes` */

  /* Names, copied without statistics; NULL: none. Columns with their types and words, as many features as
   * feature_columns, or no columns; classes, as many as `classes` or fewer, in the order of their numbers. */
  const sotto_schema *schema;
  /* Words and classes of the schema were found in the rows, not declared, so that runs in which rows are
   * private refuse them. */
  bool schema_found;

  /* false: everything is copied, and the arrays may be freed after the call. true: nothing but name, split
   * and numbers is copied, and the arrays must outlive the dataset unchanged. Edges must then be CSR with U64
   * offsets and U32 neighbours that satisfy every condition of sotto_graph; features must be dense. */
  bool borrow;
  /* Only the dense features are borrowed, and must outlive the dataset unchanged; everything else follows
   * `borrow`. */
  bool borrow_features;
  /* CSR features stay entries, whatever their size. */
  bool keep_entries;
} sotto_arrays;

/* Makes a dataset of the caller's arrays; free it with sotto_dataset_free. The digest depends on the
 * content only: a file with the same data has the same digest. A copy needs at its peak the dataset and 16
 * (nodes + 1) + 16 bytes per entry for the edges. Errors name the argument and the place: INVALID (arrays
 * that do not fit together or cannot be borrowed), RANGE (an id, a label or a part), NUMERIC (a feature
 * that is not finite, an infinite number), CORRUPT (borrowed: the graph violates a condition of sotto_graph;
 * copy it instead), NOMEM. */
SOTTO_API sotto_status sotto_dataset_from_arrays(sotto_dataset *out, const sotto_arrays *arrays,
                                                 sotto_error *err);

/* Saves in the native format: one file, versioned, checksummed, memory-mapped on open. */
SOTTO_API sotto_status sotto_dataset_save(const sotto_dataset *dataset, const char *path, sotto_error *err);
/* How nodes are distributed to ranks. */
typedef enum sotto_rank_parts {
  SOTTO_RANK_PARTS_RANDOM, /* blocks of a random permutation */
  /* parts of METIS with few edges between them; rank 0 holds all edges to compute them */
  SOTTO_RANK_PARTS_METIS,
  SOTTO_RANK_PARTS_NONE /* no rank reads edges: for sotto_model_open */
} sotto_rank_parts;
struct sotto_ranks;
/* Opens the native file at `path` in all ranks (sotto/ranks.h), which all of them must be able to read.
 * Each rank reads the edges of its own nodes, and features when it needs them.
 *
 * - *out has no offsets, targets or features in memory. Use it only for training (sotto_run_train,
 *   sotto_train) and models (sotto_model_open) with these ranks, which must outlive it.
 * - Labels and the split are in every rank: 5 bytes per node.
 *
 * Errors: UNSUPPORTED (no native file, a collection of graphs, no METIS), CORRUPT, IO, NOMEM, and those of
 * another rank. */
SOTTO_API sotto_status sotto_dataset_open_ranks(sotto_dataset *out, struct sotto_ranks *ranks,
                                                const char *path, sotto_rank_parts parts, sotto_error *err);

/* A table of nodes without edges, from its text in memory, as a program gets it from a request: `size` bytes
 * of CSV in UTF-8 with a header, which is not packed. `name` stands for it in messages. Errors: PARSE, RANGE,
 * INVALID, naming the line (the header is line 1); NOMEM. */
SOTTO_API sotto_status sotto_dataset_of_table(sotto_dataset *out, const char *name, const void *text,
                                              size_t size, const sotto_import_options *options,
                                              sotto_error *err);

/* Statistics of a graph that ranks wrote, each of them some rows. */
typedef struct sotto_figures {
  uint64_t largest, isolated; /* largest degree; number of nodes without edges */
  /* edges whose ends both have a label; among them, edges with equal labels */
  uint64_t labelled_edges, alike_edges;
} sotto_figures;
/* Converts the edge list `from`, with or without a node table (as sotto_dataset_open does), to the native
 * file `path`. All ranks must see both paths. Each rank reads a part of the text and writes its own rows;
 * the bytes are those of sotto_dataset_save in one process.
 *
 * - *out has counts, names of columns and classes, labels and split of all nodes (5 bytes per node in
 *   every rank), the first node id only, and neither edges nor features.
 * - Memory per rank: about 1 / ranks of the graph, and 16 MB of buffers.
 *
 * Errors: those of sotto_dataset_open, naming the line, from the rank that finds one first; UNSUPPORTED
 * (another format, a split in its own file), IO, NOMEM, those of another rank. */
SOTTO_API sotto_status sotto_dataset_import_ranks(sotto_dataset *out, sotto_figures *figures,
                                                  struct sotto_ranks *ranks, const char *from,
                                                  const sotto_import_options *options, const char *path,
                                                  sotto_error *err);
SOTTO_API void sotto_dataset_free(sotto_dataset *dataset);
/* Copies the features of nodes first to first + count - 1 to `out`: count x features.cols floats. */
SOTTO_API void sotto_dataset_rows(float *out, const sotto_dataset *dataset, uint64_t first, uint64_t count);

struct sotto_split; /* sotto/split.h */
/* Writes the dataset for other programs as an uncompressed .npz:
 *
 * - shape (nodes, columns; u8), indptr and indices (each edge in both directions; u8, u4)
 * - features (f4), or, when sparse, feature_indptr, feature_indices and feature_data
 * - labels (i4; -1 unknown) and, with a split (else NULL), split (u1, a sotto_part)
 * - with numbers to learn, targets (f4; NaN unknown)
 * - for a collection also graph_first (u8); labels and split are then those of graphs
 *
 * The file contains all data without noise. Peak memory is three times the size of the arrays. Errors:
 * RANGE (a split of other data), UNSUPPORTED (a dataset over ranks), IO, NOMEM. */
SOTTO_API sotto_status sotto_dataset_export(const sotto_dataset *dataset, const struct sotto_split *split,
                                            const char *path, sotto_error *err);

/* Sparse operators S on a graph, with d~ = max(degree, floor). The coefficients are computed once per
 * graph. Borrows the graph.
 *
 * - SUM: x_v + sum over neighbours of x_u (GIN with epsilon 0); without `self`, no own row.
 * - MEAN: (x_v + sum over neighbours of x_u) / (d~_v + 1); without `self`, sum / max(d~_v, 1).
 * - GCN: own row times 1 / (d~_v + 1), neighbours times 1 / sqrt((d~_u + 1)(d~_v + 1)); without `self`, no
 *   own row. */
typedef enum sotto_aggregator {
  SOTTO_AGGREGATOR_SUM,
  SOTTO_AGGREGATOR_MEAN,
  SOTTO_AGGREGATOR_GCN
} sotto_aggregator;
typedef struct sotto_operator sotto_operator;
SOTTO_API sotto_status sotto_operator_new(sotto_operator **out, const sotto_graph *graph,
                                          sotto_aggregator kind, uint64_t degree_floor, bool self,
                                          sotto_error *err);
SOTTO_API void sotto_operator_free(sotto_operator *op);
/* S x on a tape, with its gradient. The operator is borrowed until the tape's next reset. */
SOTTO_API sotto_var sotto_operator_var(const sotto_operator *op, sotto_tape *tape, sotto_var x);

/* The kernels in use: "avx512", "avx2" or "plain". SOTTO_ISA in the environment can select a lower one. */
SOTTO_API const char *sotto_kernels(void);

#ifdef __cplusplus
}
#endif

#endif
