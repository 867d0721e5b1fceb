/* Packed files: gzip and zstd, by their first bytes. */
#ifndef SOTTO_SRC_GRAPH_IO_UNPACK_H
#define SOTTO_SRC_GRAPH_IO_UNPACK_H

#include "read.h"

typedef enum sotto_i_packing {
  SOTTO_I_PACKING_NONE,
  SOTTO_I_PACKING_GZIP,
  SOTTO_I_PACKING_ZSTD
} sotto_i_packing;
sotto_i_packing sotto_i_packing_of(const uint8_t *bytes, size_t size);
const char *sotto_i_packing_name(sotto_i_packing packing);

/* Unpacks a file of zstd, or of gzip, into new memory *out, which the caller frees also after a failure. It
 * may unpack to sotto_i_most_unpacked bytes. Errors: CORRUPT, RANGE, NOMEM. */
sotto_status sotto_i_unpack(uint8_t **out, size_t *size, const sotto_i_source *file, sotto_error *err);

#endif
