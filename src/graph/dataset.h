/* How readers and generators hand their data over. */
#ifndef SOTTO_SRC_GRAPH_DATASET_H
#define SOTTO_SRC_GRAPH_DATASET_H

#include "base/file.h"
#include "names.h"

/* Arrays that have a checksum, in the order in which the digest takes them. */
enum {
  SOTTO_I_SUM_OFFSETS,
  SOTTO_I_SUM_TARGETS,
  SOTTO_I_SUM_FEATURES,
  SOTTO_I_SUM_LABELS,
  SOTTO_I_SUM_SPLIT,
  SOTTO_I_SUM_GRAPH_FIRST,
  SOTTO_I_SUM_GRAPH_LABELS,
  SOTTO_I_SUMS
};

/* How a dataset is being read; texts are owned. */
typedef struct sotto_i_reading {
  sotto_reading view; /* form NULL: nothing to say */
  sotto_column *columns;
  size_t room;
} sotto_i_reading;

/* Sparse features, as they are being made. */
typedef struct sotto_i_entries {
  uint64_t *offsets; /* nodes + 1; NULL: none */
  uint32_t *columns;
  float *values;
} sotto_i_entries;

/* What a dataset is made of. Pointers are owned by whoever holds the struct, from sotto_i_new. */
typedef struct sotto_i_parts {
  char *name, *path; /* path NULL: of no file */
  uint64_t nodes;
  uint64_t *offsets; /* nodes + 1 */
  uint32_t *targets;
  float *features; /* nodes x width, NULL when width is 0 or there are entries */
  sotto_i_entries entries;
  size_t width;
  int32_t *labels;
  uint32_t classes;
  sotto_classes_from classes_from;
  uint8_t *split;
  uint64_t graph_count;
  uint64_t *graph_first;
  int32_t *graph_labels;
  uint32_t graph_classes;
  sotto_classes_from graph_classes_from;
  sotto_names names[SOTTO_I_NAME_LISTS];
  sotto_i_reading reading;
  uint8_t *given_split; /* owned: a split from a file of its own, where `split` may lie in the map */
  sotto_i_map map;      /* when set, arrays and lists above lie in it; only the map and the name are owned */
  unsigned borrowed; /* bit 1 << SOTTO_I_SUM_x: array x belongs to the caller of sotto_dataset_from_arrays */
  struct sotto_i_block *block; /* owned: of a dataset of ranks (blocks/block.h), which has no offsets */
  void (*free_block)(struct sotto_i_block *block);
  uint64_t edge_entries; /* of such a dataset */
  bool summed;           /* `sums` holds the checksums of the arrays, zeros for those that are absent */
  uint8_t sums[SOTTO_I_SUMS][32];
} sotto_i_parts;

/* Checks the parts (CSR promises, finite features, labels in range, graph borders), computes the digest, and
 * moves them into *out. On success *parts is zeroed; on failure it is untouched. Errors: CORRUPT, RANGE,
 * NUMERIC, NOMEM. */
sotto_status sotto_i_dataset_assemble(sotto_dataset *out, sotto_i_parts *parts, sotto_error *err);

/* A dataset over ranks from parts that have checksums and counts, and no edges or features: moved into *out
 * as above, unchecked. Errors: NOMEM. */
sotto_status sotto_i_dataset_counted(sotto_dataset *out, sotto_i_parts *parts, sotto_error *err);

/* BLAKE2b-256 over the BLAKE2b-256 of each piece of 1 MiB, on all threads. Errors: NOMEM. */
sotto_status sotto_i_checksum(uint8_t out[32], const void *data, size_t size, sotto_error *err);
/* The same of the first `rows` rows of features as a dense table has them, whatever form they have: it is
 * that of the values. */
sotto_status sotto_i_checksum_rows(uint8_t out[32], const sotto_entries *entries, uint64_t rows, size_t width,
                                   sotto_error *err);

/* The key of its account in a ledger, from parts that have a digest. */
void sotto_i_parts_account(uint8_t account[32], const uint8_t digest[32], const sotto_i_parts *parts);
/* The digest of nodes and features, from parts that have a digest. */
void sotto_i_parts_features(uint8_t digest[32], const sotto_i_parts *parts);
/* The digest of the content: counts and arrays, not the name or the place it is kept. Sums the arrays unless
 * that was done. Errors: NOMEM. */
sotto_status sotto_i_parts_digest(uint8_t digest[32], sotto_i_parts *parts, sotto_error *err);

/* Says how the parts are read: the form, a column. Errors: NOMEM. */
sotto_status sotto_i_reading_form(sotto_i_parts *parts, sotto_error *err, const char *format, ...)
    SOTTO_PRINTF(3, 4);
/* column->name is copied. */
sotto_status sotto_i_reading_column(sotto_i_parts *parts, const sotto_column *column, sotto_error *err);
void sotto_i_reading_free(sotto_i_reading *reading);

/* Every promise of sotto_entries. Errors: CORRUPT, NUMERIC. */
sotto_status sotto_i_entries_check(const sotto_i_parts *parts, sotto_error *err);

/* Frees what the parts own and zeroes them. */
void sotto_i_parts_free(sotto_i_parts *parts);

#endif
