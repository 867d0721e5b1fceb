/* Python pickles as data: a decoder of the few opcodes and names in Planetoid files. It builds values and
 * calls nothing. Memory is a fixed multiple of the file size. */
#ifndef SOTTO_SRC_GRAPH_IO_PICKLE_H
#define SOTTO_SRC_GRAPH_IO_PICKLE_H

#include "read.h"

typedef enum sotto_i_pickle_kind {
  SOTTO_I_PICKLE_NONE,
  SOTTO_I_PICKLE_BOOL,
  SOTTO_I_PICKLE_INT,
  SOTTO_I_PICKLE_STRING,
  SOTTO_I_PICKLE_TUPLE,
  SOTTO_I_PICKLE_LIST,
  SOTTO_I_PICKLE_DICT,
  SOTTO_I_PICKLE_GLOBAL,
  SOTTO_I_PICKLE_OBJECT /* callable(arguments), never called, with a state; a dict also has items */
} sotto_i_pickle_kind;

typedef enum sotto_i_pickle_global {
  SOTTO_I_PICKLE_CSR,         /* scipy.sparse.csr csr_matrix */
  SOTTO_I_PICKLE_RECONSTRUCT, /* numpy.core.multiarray _reconstruct */
  SOTTO_I_PICKLE_NDARRAY,     /* numpy ndarray */
  SOTTO_I_PICKLE_DTYPE,       /* numpy dtype */
  SOTTO_I_PICKLE_DEFAULTDICT, /* collections defaultdict */
  SOTTO_I_PICKLE_BUILTIN_LIST /* __builtin__ list */
} sotto_i_pickle_global;

/* A value. Other values are referenced by their index in the document; index 0 is None. */
typedef struct sotto_i_pickle_value {
  sotto_i_pickle_kind kind;
  uint32_t count;      /* items of a tuple, list or dict (a key and a value count as two) */
  uint32_t head, tail; /* first and last chunk; 0 when empty */
  uint32_t callable, arguments, state;
  int64_t number;      /* BOOL, INT, GLOBAL */
  const uint8_t *text; /* STRING: in the source */
  size_t size;
} sotto_i_pickle_value;

/* Consecutive items of a container, and its next chunk. */
typedef struct sotto_i_pickle_chunk {
  uint32_t first, count, next;
} sotto_i_pickle_chunk;

typedef struct sotto_i_pickle {
  sotto_i_source source;
  sotto_i_pickle_value *values;
  sotto_i_pickle_chunk *chunks;
  uint32_t *items;
  size_t value_count, chunk_count, item_count, value_room, chunk_room, item_room;
  uint32_t root;
} sotto_i_pickle;

/* Decodes a pickle. Errors: PARSE naming the file, the offset and what is there; UNSUPPORTED for an opcode
 * or a name that these files do not use. Free also after a failure. Containers may contain themselves, so
 * do not recurse. */
sotto_status sotto_i_pickle_decode(sotto_i_pickle *out, const sotto_i_source *source, sotto_error *err);
void sotto_i_pickle_free(sotto_i_pickle *pickle);

/* Whether the value is callable(...) for this name. */
bool sotto_i_pickle_is(const sotto_i_pickle *pickle, const sotto_i_pickle_value *value,
                       sotto_i_pickle_global callable);

/* The pickled numpy array, or the scipy CSR matrix (checked), as views into the source. */
sotto_status sotto_i_pickle_array(const sotto_i_pickle *pickle, const sotto_i_pickle_value *value,
                                  const char *name, sotto_i_array *out, sotto_error *err);
sotto_status sotto_i_pickle_csr(const sotto_i_pickle *pickle, const sotto_i_pickle_value *value,
                                sotto_i_csr *out, sotto_error *err);
/* Adds every (key, neighbour) of a dict of lists. *nodes is the number of keys; each key is below it and
 * occurs once. */
sotto_status sotto_i_pickle_edges(const sotto_i_pickle *pickle, const sotto_i_pickle_value *value,
                                  uint64_t *nodes, sotto_i_edge_list *pairs, sotto_error *err);

#endif
