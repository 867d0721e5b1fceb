/* Parts of a dataset: how readers and generators pass their data on. */
#ifndef SOTTO_SRC_GRAPH_DATASET_H
#define SOTTO_SRC_GRAPH_DATASET_H

#include "base/file.h"
#include "foreign.h"
#include "schema.h"
#include "transfers.h"

/* Arrays with a checksum, in the order of the digest. */
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

/* Report of how a dataset is read, being built; texts are owned. */
typedef struct sotto_i_reading {
  sotto_reading view; /* form NULL: no report */
  sotto_column *columns;
  size_t room;
  char ends[2][84]; /* names of the columns of the ends of an edge; empty: without */
} sotto_i_reading;

/* Sparse features being built. */
typedef struct sotto_i_entries {
  uint64_t *offsets; /* nodes + 1; NULL: none */
  uint32_t *columns;
  float *values;
} sotto_i_entries;

/* Everything in a dataset. The holder of the struct owns the pointers, which come from sotto_i_new. */
typedef struct sotto_i_parts {
  char *name, *path; /* path NULL: not from a file */
  uint64_t nodes;
  uint64_t *offsets; /* nodes + 1 */
  uint32_t *targets;
  sotto_i_transfers transfers;
  sotto_i_foreign foreign;            /* never borrowed */
  const uint8_t (*transfer_sums)[32]; /* borrowed while the digest is made: checksums of sources, targets,
                                         amounts and times that are not in memory, and where
                                         `kind_sums` is set of kinds and their names; NULL: none */
  bool kind_sums;
  float *features; /* nodes x width; NULL when width is 0 or features are sparse */
  sotto_i_entries entries;
  size_t width;
  int32_t *labels;
  uint32_t classes;
  sotto_classes_from classes_from;
  float *numbers; /* one per node, NAN where unknown; NULL: none. Never borrowed */
  uint8_t *split;
  uint64_t graph_count;
  uint64_t *graph_first;
  int32_t *graph_labels;
  uint32_t graph_classes;
  sotto_classes_from graph_classes_from;
  sotto_names names[SOTTO_I_NAME_LISTS];
  sotto_i_reading reading;
  bool edgeless;        /* read from a table of nodes alone */
  sotto_schema *schema; /* owned, also with a map; NULL: none */
  /* One for each feature: what nodes without a value get, which have NAN until sotto_i_parts_fill; INFINITY:
   * the mean, and NAN: no node is without. NULL: of no feature. */
  double *fill;
  uint8_t *given_split; /* owned: a split from a separate file, while `split` may be in the map */
  sotto_i_map map;   /* when set, arrays and lists above are in it, and only the map and the name are owned */
  unsigned borrowed; /* bit 1 << SOTTO_I_SUM_x: array x belongs to the caller of sotto_dataset_from_arrays */
  struct sotto_i_block *block; /* owned: of a dataset over ranks (blocks/block.h), which has no offsets */
  void (*free_block)(struct sotto_i_block *block);
  uint64_t edge_entries; /* number of entries of such a dataset */
  bool summed;           /* `sums` holds the checksums of the arrays; zeros for absent arrays */
  uint8_t sums[SOTTO_I_SUMS][32];
} sotto_i_parts;

/* Fills features without a value, and sets their means in `fill`: of nodes in training, where the split says
 * which are, and these have values; else of all. */
void sotto_i_parts_fill(sotto_i_parts *parts);

/* Checks the parts (conditions of CSR, finite features, labels in range, graph borders), computes the
 * digest, and moves them into *out. On success *parts is zeroed; on failure it is unchanged. Errors:
 * CORRUPT, RANGE, NUMERIC, NOMEM. */
sotto_status sotto_i_dataset_assemble(sotto_dataset *out, sotto_i_parts *parts, sotto_error *err);

/* Makes a dataset over ranks from parts with checksums and counts, but without edges and features; moved
 * into *out as above, unchecked. Errors: NOMEM. */
sotto_status sotto_i_dataset_counted(sotto_dataset *out, sotto_i_parts *parts, sotto_error *err);

/* BLAKE2b-256 over the BLAKE2b-256 of each piece of 1 MiB, on all threads. Errors: NOMEM. */
sotto_status sotto_i_checksum(uint8_t out[32], const void *data, size_t size, sotto_error *err);
/* The same for the first `rows` rows of features as a dense table, even if they are sparse: both forms
 * have the same checksum. */
sotto_status sotto_i_checksum_rows(uint8_t out[32], const sotto_entries *entries, uint64_t rows, size_t width,
                                   sotto_error *err);

/* Key of the ledger account, from parts with a digest. */
void sotto_i_parts_account(uint8_t account[32], const uint8_t digest[32], const sotto_i_parts *parts);
/* Digest of nodes and features, from parts with a digest. */
void sotto_i_parts_features(uint8_t digest[32], const sotto_i_parts *parts);
/* Digest of the content: counts and arrays, without name and path. Computes the checksums if they are
 * missing. Errors: NOMEM. */
sotto_status sotto_i_parts_digest(uint8_t digest[32], sotto_i_parts *parts, sotto_error *err);

/* Records in the report the format of the data, or a column. Errors: NOMEM. */
sotto_status sotto_i_reading_form(sotto_i_parts *parts, sotto_error *err, const char *format, ...)
    SOTTO_PRINTF(3, 4);
/* Adds to the format that so many ids and words were not in the form in which they are compared. */
sotto_status sotto_i_reading_changed(sotto_i_parts *parts, uint64_t count, sotto_error *err);
/* Reports that edges have weights, which are not used. Errors: NOMEM. */
sotto_status sotto_i_reading_weights(sotto_i_parts *parts, sotto_error *err);
/* column->name is copied. */
sotto_status sotto_i_reading_column(sotto_i_parts *parts, const sotto_column *column, sotto_error *err);
void sotto_i_reading_free(sotto_i_reading *reading);

/* Checks every condition of sotto_entries. Errors: CORRUPT, NUMERIC. */
sotto_status sotto_i_entries_check(const sotto_i_parts *parts, sotto_error *err);

/* Copies one number of each of `nodes` nodes, or those of rows[i] when `rows` is not NULL; a row of
 * UINT32_MAX and every NaN become NAN, so that unknown numbers have one form. `from` NULL: none. Errors:
 * NOMEM. */
sotto_status sotto_i_parts_numbers(sotto_i_parts *parts, const float *from, const uint32_t *rows,
                                   uint64_t nodes, sotto_error *err);

/* Frees what the parts own and zeroes them. */
void sotto_i_parts_free(sotto_i_parts *parts);

#endif
