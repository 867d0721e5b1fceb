/* Shared code of the readers: named bytes, numeric arrays, sparse matrices, edge lists; and the readers'
 * functions.
 *
 * Every reader takes bytes, never a path, so that a fuzzer can call it; src/graph/open/ maps the files. A
 * reader fills *parts, which starts zeroed; on failure the caller frees its contents. Nothing is allocated
 * for a claim that the size of the bytes refutes. */
#ifndef SOTTO_SRC_GRAPH_IO_READ_H
#define SOTTO_SRC_GRAPH_IO_READ_H

#include "graph/features.h"

/* Bytes, and their name in errors. `data` is NULL for an optional file that is absent. */
typedef struct sotto_i_source {
  const char *file;
  const uint8_t *data;
  size_t size;
} sotto_i_source;

/* Deflate expands a byte to at most 1032 (258 bytes for two bits, rounded up), so larger claims are false.
 * True claims may still be a decompression bomb. So a file may unpack to 64 times its size, and to 16 MB
 * in any case; published graphs, whose indices do not repeat, stay below 12 times. */
enum { SOTTO_I_EXPANSION = 1032, SOTTO_I_UNPACKED = 64 };
uint64_t sotto_i_most_unpacked(size_t file_size);

/* A little-endian array inside borrowed bytes, possibly unaligned. */
typedef struct sotto_i_array {
  const uint8_t *data;
  char kind; /* 'i' signed, 'u' unsigned, 'f' floating */
  uint8_t item;
  uint8_t dims;       /* 1 or 2, row-major */
  bool swapped;       /* big-endian, and */
  bool columns_first; /* in Fortran order: as a file may have it, until sotto_i_npy_settle */
  uint64_t shape[2];
  uint64_t count;
} sotto_i_array;

/* Sets the type of an array from numpy's name ("i4", "f8", "b1" ...); false for unsupported types. */
bool sotto_i_array_type(sotto_i_array *array, const char *type, size_t length);
double sotto_i_array_double(const sotto_i_array *array, uint64_t i);
/* False when element i is not an integer in the range of int64. */
bool sotto_i_array_integer(const sotto_i_array *array, uint64_t i, int64_t *out);

/* A sparse matrix by rows (or by columns, with rows and columns exchanged). `name` is for errors. */
typedef struct sotto_i_csr {
  const char *name;
  uint64_t rows, cols;
  sotto_i_array starts, indices, values; /* values without data: all are 1, as in an adjacency */
} sotto_i_csr;

/* Checks lengths, ascending starts, indices below cols, finite values. Errors: PARSE, RANGE, NUMERIC. */
sotto_status sotto_i_sparse_check(const sotto_i_csr *sparse, const char *file, sotto_error *err);
/* Rows of a checked matrix (a sotto_i_csr), as functions of a sotto_i_feature_reader. */
void sotto_i_csr_row(const void *sparse, uint64_t row, float *out);
size_t sotto_i_csr_entries(const void *sparse, uint64_t row, uint32_t *columns, float *values);

/* Allocates zeroed nodes x width floats (NULL when width is 0). Errors: RANGE
 * (sotto_i_features_check_size), NOMEM. */
sotto_status sotto_i_features_new(float **out, uint64_t nodes, uint64_t width, const char *file, size_t bytes,
                                  sotto_error *err);

/* Builds the graph of a checked adjacency; stored zeros are no edges, and values other
 * than 0 and 1 are reported as weights. Errors: RANGE, NOMEM. */
sotto_status sotto_i_sparse_edges(sotto_i_parts *parts, const sotto_i_csr *adj, const char *file,
                                  sotto_error *err);
/* Labels of the parts from an array of class numbers, -1 unknown. A class number at or above the number of
 * nodes is a mistake, not a class. Errors: PARSE, RANGE, NOMEM. */
sotto_status sotto_i_labels_of_array(sotto_i_parts *parts, const sotto_i_array *labels, const char *file,
                                     sotto_error *err);
/* Refuses (RANGE) an implausible number of nodes before memory is allocated. Nodes without edges take no
 * bytes in a file, so 8 million are accepted from any file, and 32 per byte. */
sotto_status sotto_i_check_nodes(uint64_t nodes, const char *file, size_t bytes, sotto_error *err);

/* Edges being collected, in one block of memory at `from`; `to` follows behind its capacity. */
typedef struct sotto_i_edge_list {
  uint32_t *from, *to;
  size_t count, room;
} sotto_i_edge_list;
/* Makes room for `more` further edges. */
sotto_status sotto_i_edge_list_room(sotto_i_edge_list *pairs, size_t more, sotto_error *err);
sotto_status sotto_i_edge_list_add(sotto_i_edge_list *pairs, uint32_t from, uint32_t to, sotto_error *err);
void sotto_i_edge_list_free(sotto_i_edge_list *pairs);
/* Builds the graph of `nodes` nodes and moves it into the parts. */
sotto_status sotto_i_parts_edges(sotto_i_parts *parts, uint64_t nodes, const sotto_i_edge_list *pairs,
                                 const char *file, sotto_error *err);

/* The same, but reuses the memory of the pairs for the graph as soon as possible. */
sotto_status sotto_i_parts_take_edges(sotto_i_parts *parts, uint64_t nodes, sotto_i_edge_list *pairs,
                                      const char *file, sotto_error *err);

/* Sorts the values and removes repeats; returns the number left. */
size_t sotto_i_distinct(int64_t *values, size_t count);
/* The index of `value` among distinct ascending values, or -1. */
int64_t sotto_i_rank(const int64_t *values, size_t count, int64_t value);

/* The bytes of a byte order mark of UTF-8 at the front of a text: 3, or 0. */
size_t sotto_i_utf8_mark(const uint8_t *text, size_t size);

/* Iterator over the lines of a text. */
typedef struct sotto_i_lines {
  const char *file;
  const uint8_t *at, *end;
  uint64_t line; /* number of the current line, from 1 */
} sotto_i_lines;
void sotto_i_lines_init(sotto_i_lines *lines, const sotto_i_source *source);
/* The next line without its end (LF or CRLF); false at the end of the text. */
bool sotto_i_lines_next(sotto_i_lines *lines, const uint8_t **text, size_t *size);
/* Parse a finite float32, or an integer, from text[size] with surrounding blanks only; false otherwise. */
bool sotto_i_text_double(const uint8_t *text, size_t size, double *out);
bool sotto_i_text_integer(const uint8_t *text, size_t size, int64_t *out);

/* The eight files of a Planetoid dataset, in this order. */
enum {
  SOTTO_I_PLANETOID_X,
  SOTTO_I_PLANETOID_Y,
  SOTTO_I_PLANETOID_TX,
  SOTTO_I_PLANETOID_TY,
  SOTTO_I_PLANETOID_ALLX,
  SOTTO_I_PLANETOID_ALLY,
  SOTTO_I_PLANETOID_GRAPH,
  SOTTO_I_PLANETOID_TEST,
  SOTTO_I_PLANETOID_FILES
};
/* Files of a TUDataset; the last two are optional. */
enum {
  SOTTO_I_TU_EDGES,
  SOTTO_I_TU_INDICATOR,
  SOTTO_I_TU_GRAPH_LABELS,
  SOTTO_I_TU_NODE_LABELS,
  SOTTO_I_TU_NODE_ATTRIBUTES,
  SOTTO_I_TU_FILES
};

/* Readers; parts->name stays unset. Errors: PARSE, RANGE, CORRUPT, NUMERIC, UNSUPPORTED, NOT_FOUND, NOMEM,
 * each naming the file and the place. */
sotto_status sotto_i_read_planetoid(sotto_i_parts *parts, const sotto_i_source *files, sotto_error *err);
sotto_status sotto_i_read_npz(sotto_i_parts *parts, const sotto_i_source *file, sotto_error *err);
sotto_status sotto_i_read_facebook(sotto_i_parts *parts, const sotto_i_source *file,
                                   const sotto_import_options *options, sotto_error *err);
sotto_status sotto_i_read_tu(sotto_i_parts *parts, const sotto_i_source *files, sotto_error *err);

#endif
