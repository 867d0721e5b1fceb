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
  SOTTO_I_NATIVE_ENTRY_OFFSETS = SOTTO_I_NATIVE_NAMES + SOTTO_I_NAME_LISTS, /* of sparse features */
  SOTTO_I_NATIVE_ENTRY_COLUMNS,
  SOTTO_I_NATIVE_ENTRY_VALUES,
  SOTTO_I_NATIVE_SCHEMA,  /* YAML */
  SOTTO_I_NATIVE_SOURCES, /* of transfers */
  SOTTO_I_NATIVE_ENDS,
  SOTTO_I_NATIVE_AMOUNTS,
  SOTTO_I_NATIVE_TIMES,
  SOTTO_I_NATIVE_NUMBERS, /* to learn */
  SOTTO_I_NATIVE_FOREIGN, /* own ends of edges to others */
  SOTTO_I_NATIVE_FOREIGN_IDS,
  SOTTO_I_NATIVE_TRANSFER_KINDS,
  SOTTO_I_NATIVE_KIND_NAMES,
  SOTTO_I_NATIVE_KINDS
} sotto_i_native_kind;

enum { SOTTO_I_NATIVE_VERSION = 9, SOTTO_I_NATIVE_ALIGN = 64 };

typedef struct sotto_i_native_section {
  uint64_t offset; /* from the beginning of the file; 0: the section is absent */
  uint64_t size;   /* bytes, without the padding up to the next section */
  uint8_t reserved[16];
  uint8_t checksum[32]; /* sotto_i_checksum */
} sotto_i_native_section;

typedef struct sotto_i_native_header {
  uint8_t magic[8];
  uint32_t version, sections;
  uint64_t file_size, nodes, entries, width, graph_count;
  uint32_t classes, graph_classes;
  sotto_i_native_section table[SOTTO_I_NATIVE_KINDS];
  uint8_t reserved[32];
  uint8_t checksum[32]; /* BLAKE2b-256 of everything before it */
} sotto_i_native_header;

/* "offsets" and so on. */
const char *sotto_i_native_kind_name(sotto_i_native_kind kind);
/* Fills in what follows from the counts: magic, version, offsets and sizes of the present sections, and the
 * size of the file. The table must already have the sizes of the name, of the lists of names and of the
 * entries. False: too large for any file. */
bool sotto_i_native_place(sotto_i_native_header *header, const bool present[SOTTO_I_NATIVE_KINDS]);
/* Sets the header's own checksum. */
void sotto_i_native_seal(sotto_i_native_header *header);
/* Reads and checks the header and the layout of the sections. `file` has the first bytes of the file: at
 * least a header, or all; file->size is the size of the whole file. Errors: as below. */
sotto_status sotto_i_native_header_read(sotto_i_native_header *out, const sotto_i_source *file,
                                        sotto_error *err);

/* Fills the parts with pointers into the bytes, which must be aligned to 8. parts->map stays unset and
 * only the name and the schema are owned: the caller sets the map, or clears the pointers before freeing.
 * Errors: PARSE, CORRUPT, UNSUPPORTED (a newer version), NOMEM. */
sotto_status sotto_i_read_native(sotto_i_parts *parts, const sotto_i_source *file, sotto_error *err);

#endif
