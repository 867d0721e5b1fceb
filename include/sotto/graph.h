/* Graphs, datasets, sparse kernels. */
#ifndef SOTTO_GRAPH_H
#define SOTTO_GRAPH_H

#include "sotto/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A simple undirected graph in CSR form: the neighbours of node v are targets[offsets[v] .. offsets[v + 1]),
 * ascending, without v itself and without repeats; every edge stands twice. */
typedef struct sotto_graph {
  uint64_t nodes;          /* below 2^32 */
  uint64_t entries;        /* twice the number of undirected edges; offsets[nodes] */
  const uint64_t *offsets; /* nodes + 1 */
  const uint32_t *targets; /* entries */
} sotto_graph;

/* Makes a graph from `count` pairs (sources[i], targets[i]) in any order: symmetrised, self-loops and repeats
 * removed. Ids at or above `nodes` are an error (RANGE, naming the pair). The arrays inside belong to the
 * result; free with sotto_graph_free. */
SOTTO_API sotto_status sotto_graph_from_pairs(sotto_graph *out, uint64_t nodes, const uint32_t *sources,
                                              const uint32_t *targets, uint64_t count, sotto_error *err);
/* Frees a graph made by a function of this header (not one borrowed from a dataset). */
SOTTO_API void sotto_graph_free(sotto_graph *graph);
/* Communities by the Louvain method (Blondel et al. 2008): community[nodes], numbers below *count in the
 * order of their first nodes. Nodes are visited in an order drawn from (key, generate), so the same key gives
 * the same communities. A node without edges is a community of its own. Time is near linear in entries.
 * Errors: INVALID (an empty key), NOMEM. */
static inline uint64_t sotto_graph_degree(const sotto_graph *graph, uint64_t node) {
  return graph->offsets[node + 1] - graph->offsets[node];
}

/* Where the number of classes, of nodes or of graphs, comes from. */
typedef enum sotto_classes_from {
  SOTTO_CLASSES_DECLARED, /* the file states it, or the caller gave it */
  SOTTO_CLASSES_LARGEST,  /* one more than the largest label */
  SOTTO_CLASSES_FOUND     /* the different labels that occur, numbered in their order */
} sotto_classes_from;

/* Texts of a dataset, one an item: UTF-8 without control characters. They name things for people: no digest
 * and no account has them, and nothing of them is sent to another party. */
typedef struct sotto_names {
  uint64_t count;         /* 0: there are none */
  const uint64_t *starts; /* count + 1 */
  const char *text;       /* name i is the string at text + starts[i], which ends with a zero byte; the texts
                             stand one after the other, directly behind the starts */
} sotto_names;
/* Name i, or NULL where there is none; borrowed from the dataset. */
static inline const char *sotto_name(const sotto_names *names, uint64_t i) {
  return i < names->count ? names->text + names->starts[i] : 0;
}

/* What is done about cells of features without a value: empty, or NA, N/A, NaN, null, None or ? */
typedef enum sotto_missing {
  SOTTO_MISSING_REFUSE, /* an error that names the place */
  SOTTO_MISSING_MEAN,   /* the mean of the other nodes; no noise covers what it says of them */
  SOTTO_MISSING_ZERO
} sotto_missing;

/* What became of a column of a table, or of an attribute of nodes or edges. */
typedef enum sotto_column_kind {
  SOTTO_COLUMN_ID,
  SOTTO_COLUMN_LABEL,
  SOTTO_COLUMN_SPLIT,
  SOTTO_COLUMN_NUMBER,   /* one feature */
  SOTTO_COLUMN_CATEGORY, /* one-hot: a feature for each word that occurs, NAME=WORD */
  SOTTO_COLUMN_DATE,     /* one feature: days since 2000-01-01, with the time of the day as a fraction */
  SOTTO_COLUMN_UNUSED    /* read past, such as weights of edges */
} sotto_column_kind;
typedef struct sotto_column {
  const char *name;
  sotto_column_kind kind;
  bool of_edges;                 /* of the table of edges, not of nodes */
  uint64_t first, feature_count; /* NUMBER, CATEGORY: which features it became */
  uint64_t missing;              /* cells without a value; of features they were filled */
  const char *missing_words;     /* what stands in them, with commas between, the first few; NULL: nothing */
} sotto_column;
/* How a dataset was read from another form than the native one. */
typedef struct sotto_reading {
  const char *form;    /* for people: "edge list, tabs, with a header" */
  uint64_t pairs;      /* of nodes, as edges were listed */
  uint64_t self_loops; /* among them, left out */
  uint64_t repeats;    /* among them, an edge once more in this or the other direction, left out */
  sotto_missing
      filled; /* what missing values of features became; REFUSE: there were none, or nothing to fill */
  uint64_t column_count;
  const sotto_column *columns;
} sotto_reading;

/* Features that are mostly 0, by rows: row v has values[i] in column columns[i], for i from offsets[v] to
 * offsets[v + 1] - 1. Columns ascend in each row; all bits 0 is the one value that does not stand here. */
typedef struct sotto_entries {
  const uint64_t *offsets; /* nodes + 1; NULL: the features are dense */
  const uint32_t *columns;
  const float *values;
} sotto_entries;

/* A node-classification dataset, or a collection of small graphs (graph_count > 0) whose nodes and edges
 * stand one graph after the other. Everything inside is owned by the dataset, and may lie in a memory map. */
typedef struct sotto_dataset {
  const char *name;
  sotto_graph graph;
  sotto_matrix features; /* nodes x d, borrowed from the dataset; d may be 0. data is NULL where `entries` has
                            the values: sotto_dataset_rows reads either */
  sotto_entries entries; /* of features that are sparse: what takes 32 MB or more as a dense table, and is not
                            0 in an eighth of the places or fewer, in the forms of data that are sparse */
  const int32_t *labels; /* one a node, -1 where unknown; NULL when there are none */
  uint32_t classes;      /* labels are below this */
  sotto_classes_from classes_from;
  const uint8_t *split;        /* a published split, one sotto_part a node; NULL when there is none */
  uint64_t graph_count;        /* 0 for a single graph */
  const uint64_t *graph_first; /* graph_count + 1: first node of each graph */
  const int32_t *graph_labels; /* one a graph */
  uint32_t graph_classes;
  sotto_classes_from graph_classes_from;
  sotto_names node_ids;          /* one a node; absent where ids are the numbers of nodes, or not known */
  sotto_names feature_names;     /* one a column of the features */
  sotto_names class_names;       /* one a class of nodes */
  sotto_names graph_class_names; /* one a class of graphs */
  const sotto_reading *reading;  /* NULL: a native file, arrays of a caller, a generator */
  uint8_t digest[32];            /* BLAKE2b of the content, names excepted */
  uint8_t account[32]; /* key of its account in a ledger: BLAKE2b of nodes and edges alone, so that other
                          features or labels are no other account; of the content where there are no edges */
  uint8_t features_digest[32]; /* BLAKE2b of nodes and features alone */
  void *storage;               /* private */
  const char *path;            /* that sotto_dataset_open was given; NULL: from no file */
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
  const char *target; /* facebook100: the column that is the label (default "year"); "year:1000" drops classes
                       * of fewer nodes, with their nodes */
  const char *nodes_table; /* edge list: path of the node table, or NULL */
  bool nodes_only;         /* .csv, .tsv: the path is that of a node table, and there are no edges */
  sotto_missing missing;   /* tables and attributes of nodes */
  const char *label;       /* the column of classes, or NULL: label (in GML: value) */
  const char *categories;  /* columns with commas between whose numbers are codes: one-hot; or NULL */
  const char *types; /* NAME=TYPE with commas between: number, date, category, label, id, split, drop; NULL:
                        cells and names decide */
  const char *missing_words; /* words, with commas between, of cells without a value; NULL: NA, N/A, NaN,
                                null, None, ? in any case, and of labels unknown and -1 too */
  sotto_header header;       /* edge list: is the first line one of names? */
  bool decimal_comma;        /* numbers are written 1.234,5 */
  const char *drop;          /* columns with commas between that are not read; or NULL */
  const char *split; /* a file with the part of each node: a word a line in the order of nodes, or a table
                        with the columns id and split; words are train, validation, test, none. It replaces a
                        split of the data. NULL: none */
  const sotto_observer *observer; /* told how much of a large table is read, in megabytes; or NULL */
} sotto_import_options;

/* Reads data of any known form, recognised by the path: a native file, FOLDER:NAME (Planetoid), .npz, .mat, a
 * folder of TUDataset files, .csv or .tsv (edge list); docs/format.md says what each becomes. `options` may
 * be NULL. Errors name the file and the place: NOT_FOUND, IO, PARSE, CORRUPT, RANGE, NUMERIC, UNSUPPORTED,
 * NOMEM; INTERRUPTED, in large tables. Nothing is allocated for a claim that the file's size refutes. */
SOTTO_API sotto_status sotto_dataset_open(sotto_dataset *out, const char *path,
                                          const sotto_import_options *options, sotto_error *err);

/* Whole numbers in an array of the caller, in one of four widths. */
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

/* Data in the caller's own arrays. Zero-initialise it and set what there is; only `nodes` is required. */
typedef struct sotto_arrays {
  const char *name; /* copied; NULL: "arrays" */
  uint64_t nodes;   /* 1 to 2^32 - 2; node ids are 0 to nodes - 1 */

  /* The edges, in one of two forms, or in neither (a graph without edges). Directed edges become undirected;
   * self-loops and repeats are removed, as the readers of files do.
   * CSR: the neighbours of node v are neighbours[offsets[v] .. offsets[v + 1]), in any order. */
  sotto_index_array offsets, neighbours; /* nodes + 1; offsets[nodes] */
  /* Pairs: edge i joins sources[i] and targets[i]. */
  sotto_index_array sources, targets; /* of the same length */

  /* The features, nodes x feature_columns float32, in one of two forms, or in neither (feature_columns 0).
   * Dense: row-major. */
  const float *features;
  size_t feature_columns;
  /* CSR, names as in scipy: row v has values[i] in column indices[i] for i in indptr[v] .. indptr[v + 1];
   * repeated columns are added up. Of 32 MB or more as a dense table, and mostly 0, the dataset holds the
   * entries alone (sotto_entries); else nodes * feature_columns * 4 bytes. */
  sotto_index_array feature_indptr, feature_indices; /* nodes + 1; indptr[nodes] */
  const float *feature_values;                       /* as many as feature_indices */

  const int32_t *labels; /* one a node, -1 where unknown; NULL: there are none */
  uint32_t classes;      /* labels are below this; 0: one more than the largest (not at node level) */

  /* A published split, one byte a node each: not 0 where the node is in the part. NULL: an empty part; all
   * three NULL: no published split. A node may be in none, and in one at most. */
  const uint8_t *train, *validation, *test;

  /* A collection of small graphs whose nodes stand one graph after the other; graph_count 0: one graph. */
  uint64_t graph_count;
  const uint64_t *graph_first; /* graph_count + 1: first node of each graph, then `nodes` */
  const int32_t *graph_labels; /* one a graph, -1 where unknown; NULL: there are none */
  uint32_t graph_classes;      /* as `classes` */

  /* false: everything is copied, and the arrays may be freed after the call. true: nothing is copied except
   * name and split; the arrays belong to the caller and must outlive the dataset unchanged. Edges must then
   * be CSR with U64 offsets and U32 neighbours that keep every promise of sotto_graph; features dense. */
  bool borrow;
  /* The dense features alone are the caller's, and must outlive the dataset unchanged; all else is as
   * `borrow` says. */
  bool borrow_features;
  /* CSR features are held as entries, whatever their size. */
  bool keep_entries;
} sotto_arrays;

/* Makes a dataset of the caller's arrays; free it with sotto_dataset_free. The digest is that of the content:
 * a file with the same data has the same one. A copy needs at its peak the dataset and 16 (nodes + 1) + 16
 * bytes an entry for the edges. Errors name the argument and the place: INVALID (arrays that do not fit
 * together or cannot be borrowed), RANGE (an id, a label or a part out of range), NUMERIC (a feature that is
 * not finite), CORRUPT (borrowed: the graph breaks a promise of sotto_graph; copy it instead), NOMEM. */
SOTTO_API sotto_status sotto_dataset_from_arrays(sotto_dataset *out, const sotto_arrays *arrays,
                                                 sotto_error *err);

/* The native format: one file, versioned, checksummed, memory-mapped on open. */
SOTTO_API sotto_status sotto_dataset_save(const sotto_dataset *dataset, const char *path, sotto_error *err);
/* How nodes are shared out among ranks. */
typedef enum sotto_rank_parts {
  SOTTO_RANK_PARTS_RANDOM, /* blocks of a random permutation */
  SOTTO_RANK_PARTS_METIS /* parts of METIS with few edges between them: rank 0 holds all edges to find them */
} sotto_rank_parts;
struct sotto_ranks;
/* Opens the native file at `path` in all ranks (sotto/ranks.h): each reads the edges of its own nodes alone,
 * and features where it needs them, from the file, which all of them have to see. So *out has no offsets, no
 * targets and no features in memory: it is good for training (sotto_run_train, sotto_train) with these ranks,
 * which have to outlive it, and for nothing else. Labels and parts of the split are in every rank: 5 bytes a
 * node. Errors: UNSUPPORTED (no native file, a collection of graphs, no METIS), CORRUPT, IO, NOMEM, and those
 * of another rank. */
SOTTO_API sotto_status sotto_dataset_open_ranks(sotto_dataset *out, struct sotto_ranks *ranks,
                                                const char *path, sotto_rank_parts parts, sotto_error *err);

/* Figures of a graph that ranks wrote, of which each had some rows alone. */
typedef struct sotto_figures {
  uint64_t largest, isolated;           /* degree; nodes without edges */
  uint64_t labelled_edges, alike_edges; /* edges whose ends both have a label, and the same one */
} sotto_figures;
/* Reads the edge list `from`, with a table of nodes or without (as sotto_dataset_open does), in all ranks,
 * each a part of the text, and writes the native file `path`, each its own rows: the bytes are those of
 * sotto_dataset_save in one process. All ranks have to see both at the same paths. *out has counts, names of
 * columns and classes, labels and split of all nodes (5 bytes a node in every rank), of the ids of nodes the
 * first alone, and neither edges nor features. Memory of a rank: about 1 / ranks of what the graph takes, and
 * 16 MB on the way. Errors: those of sotto_dataset_open, naming the line, from the rank that finds one first;
 * UNSUPPORTED (another form of data, a split in a file of its own), IO, NOMEM, those of another rank. */
SOTTO_API sotto_status sotto_dataset_import_ranks(sotto_dataset *out, sotto_figures *figures,
                                                  struct sotto_ranks *ranks, const char *from,
                                                  const sotto_import_options *options, const char *path,
                                                  sotto_error *err);
SOTTO_API void sotto_dataset_free(sotto_dataset *dataset);
/* Features of nodes first to first + count - 1, which the dataset has: count x features.cols floats to `out`.
 */
SOTTO_API void sotto_dataset_rows(float *out, const sotto_dataset *dataset, uint64_t first, uint64_t count);

struct sotto_split; /* sotto/split.h */
/* Writes arrays for other programs as .npz, uncompressed: shape (nodes, columns; u8), indptr and indices
 * (each edge in both directions; u8, u4), features (f4) or, where they are sparse, feature_indptr,
 * feature_indices and feature_data, labels (i4; -1 unknown) and, with a split (else NULL), split (u1, a
 * sotto_part). Of a collection graph_first (u8) is added, and labels and split are those of graphs. All of
 * the data are in the file, without noise. At its peak it takes three times the arrays' bytes. Errors: RANGE
 * (a split of other data), UNSUPPORTED (a dataset over ranks), IO, NOMEM. */
SOTTO_API sotto_status sotto_dataset_export(const sotto_dataset *dataset, const struct sotto_split *split,
                                            const char *path, sotto_error *err);

/* Sparse operators S on a graph. d~ = max(degree, floor).
 *   SUM   x_v + sum over neighbours of x_u             (GIN with epsilon 0; without the own row if !self)
 *   MEAN  (x_v + sum over neighbours of x_u) / (d~_v + 1)   (without self: sum / max(d~_v, 1))
 *   GCN   own row 1 / (d~_v + 1), neighbour 1 / sqrt((d~_u + 1)(d~_v + 1))   (without self: the own term is
 * 0) The coefficients of one graph are computed once. Borrows the graph. */
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

/* Which kernels run here: "avx512", "avx2" or "plain". SOTTO_ISA in the environment can ask for a lesser one.
 */
SOTTO_API const char *sotto_kernels(void);

#ifdef __cplusplus
}
#endif

#endif
