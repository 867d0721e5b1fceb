/* Header of the native file format (docs/format.md). */
#ifndef SOTTO_SRC_GRAPH_IO_NATIVE_H
#define SOTTO_SRC_GRAPH_IO_NATIVE_H

#include "read.h"

#define SOTTO_I_NATIVE_MAGIC "SOTTO\x1a\r\n"

/* Sections in file order; from OFFSETS on in the order of SOTTO_I_SUM_. */
typedef enum sotto_i_native_kind {
  SOTTO_I_NATIVE_NAME,
  SOTTO_I_NATIVE_OFFSETS,
  SOTTO_I_NATIVE_TARGETS,
  SOTTO_I_NATIVE_FEATURES,
  SOTTO_I_NATIVE_LABELS,
  SOTTO_I_NATIVE_SPLIT,
  SOTTO_I_NATIVE_GRAPH_FIRST,
  SOTTO_I_NATIVE_GRAPH_LABELS,
  SOTTO_I_NATIVE_NAMES, /* from here on the order of SOTTO_I_NAMES_ */
  SOTTO_I_NATIVE_ENTRY_OFFSETS =
      SOTTO_I_NATIVE_NAMES + SOTTO_I_NAME_LISTS, /* sparse features; version 2 ends before */
  SOTTO_I_NATIVE_ENTRY_COLUMNS,
  SOTTO_I_NATIVE_ENTRY_VALUES,
  SOTTO_I_NATIVE_SCHEMA,  /* YAML; version 3 ends before */
  SOTTO_I_NATIVE_SOURCES, /* of transfers; version 4 ends before */
  SOTTO_I_NATIVE_ENDS,
  SOTTO_I_NATIVE_AMOUNTS,
  SOTTO_I_NATIVE_TIMES,
  SOTTO_I_NATIVE_NUMBERS, /* to learn; version 5 ends before */
  SOTTO_I_NATIVE_FOREIGN, /* own ends of edges to others; version 6 ends before */
  SOTTO_I_NATIVE_FOREIGN_IDS,
  SOTTO_I_NATIVE_TRANSFER_KINDS, /* version 7 ends before */
  SOTTO_I_NATIVE_KIND_NAMES,
  SOTTO_I_NATIVE_KINDS
} sotto_i_native_kind;

/* Version 2 has dense features or none, version 3 sparse features, version 4 a schema with either, version 5
 * transfers, with a schema or without; version 6 numbers to learn, with any of these or without; version 7
 * edges to nodes of other owners, with any of these or without; version 8 kinds of transfers, with any of
 * these or without. */
enum {
  SOTTO_I_NATIVE_DENSE = 2,
  SOTTO_I_NATIVE_SPARSE = 3,
  SOTTO_I_NATIVE_NAMED = 4,
  SOTTO_I_NATIVE_TRANSFERS = 5,
  SOTTO_I_NATIVE_LEARNT = 6,
  SOTTO_I_NATIVE_LINKED = 7,
  SOTTO_I_NATIVE_VERSION = 8,
  SOTTO_I_NATIVE_ALIGN = 64
};

typedef struct sotto_i_native_section {
  uint64_t offset; /* from the beginning of the file; 0: the section is absent */
  uint64_t size;   /* bytes, without the padding up to the next section */
  uint8_t reserved[16];
  uint8_t checksum[32]; /* sotto_i_checksum */
} sotto_i_native_section;

/* In earlier versions the table has fewer entries and the header is smaller. */
typedef struct sotto_i_native_header {
  uint8_t magic[8];
  uint32_t version, sections;
  uint64_t file_size, nodes, entries, width, graph_count;
  uint32_t classes, graph_classes;
  sotto_i_native_section table[SOTTO_I_NATIVE_KINDS];
  uint8_t reserved[32];
  uint8_t checksum[32]; /* BLAKE2b-256 of everything before it */
} sotto_i_native_header;

/* Number of table entries of a version, SOTTO_I_NATIVE_DENSE to SOTTO_I_NATIVE_VERSION. */
uint32_t sotto_i_native_sections(uint32_t version);
/* "offsets" and so on. */
const char *sotto_i_native_kind_name(sotto_i_native_kind kind);
/* Computes offsets, sizes and the file size of the present sections from the counts. The table must
 * already have the sizes of the name, of the lists of names and of the entries. False: too large for any
 * file. */
bool sotto_i_native_place(sotto_i_native_header *header, const bool present[SOTTO_I_NATIVE_KINDS]);
/* Writes the header in the form of its version, with its checksum; returns its size. */
size_t sotto_i_native_pack(uint8_t bytes[sizeof(sotto_i_native_header)], const sotto_i_native_header *header);
/* Reads and checks the header and the layout of the sections. `file` has the first bytes of the file: at
 * least a header, or all; file->size is the size of the whole file. Errors: as below. */
sotto_status sotto_i_native_header_read(sotto_i_native_header *out, const sotto_i_source *file,
                                        sotto_error *err);

/* Fills the parts with pointers into the bytes, which must be aligned to 8. parts->map stays unset and
 * only the name and the schema are owned: the caller sets the map, or clears the pointers before freeing.
 * Errors: PARSE, CORRUPT, UNSUPPORTED (a newer version), NOMEM. */
sotto_status sotto_i_read_native(sotto_i_parts *parts, const sotto_i_source *file, sotto_error *err);

#endif
