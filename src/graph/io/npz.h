/* Archives of arrays in the format of numpy.savez. */
#ifndef SOTTO_SRC_GRAPH_IO_NPZ_H
#define SOTTO_SRC_GRAPH_IO_NPZ_H

#include "npy.h"

/* An open archive; the bytes of the source are borrowed. */
typedef struct sotto_i_npz {
  struct zip *zip;
  const sotto_i_source *file;
  uint64_t left; /* bytes that may still be unpacked */
} sotto_i_npz;

/* Errors: PARSE (not an archive). A zeroed archive may be closed. */
sotto_status sotto_i_npz_open(sotto_i_npz *out, const sotto_i_source *file, sotto_error *err);
/* Reads type and shape of array `name` from its first bytes, so that sizes can be checked before anything
 * large is unpacked. array->data stays NULL. Errors: as below. */
sotto_status sotto_i_npz_shape(sotto_i_npz *npz, sotto_i_array *array, const char *name, sotto_error *err);
/* Unpacks array `name` into new memory *bytes, which the caller frees, and points *array at it. All arrays
 * together may be SOTTO_I_UNPACKED times as large as the file (sotto_i_most_unpacked). Errors: PARSE (no
 * such array, malformed), RANGE (too large), UNSUPPORTED, CORRUPT (checksum), NOMEM. */
sotto_status sotto_i_npz_array(sotto_i_npz *npz, sotto_i_array *array, uint8_t **bytes, const char *name,
                               sotto_error *err);
/* Whether an array of that name exists. */
bool sotto_i_npz_has(const sotto_i_npz *npz, const char *name);
/* The name of entry i of the archive, from 0, as "NAME.npy"; NULL behind the last. */
const char *sotto_i_npz_entry(const sotto_i_npz *npz, uint64_t i);
void sotto_i_npz_close(sotto_i_npz *npz);

/* An array to write: `type` is numpy's ("<f8", "<i8"), dims 1 or 2. Borrowed. */
typedef struct sotto_i_npz_part {
  const char *name, *type;
  const void *data;
  size_t item, dims, shape[2];
} sotto_i_npz_part;
/* Writes an uncompressed archive, atomically. Errors: IO, NOMEM. */
sotto_status sotto_i_npz_write(const char *path, const sotto_i_npz_part *parts, size_t count,
                               sotto_error *err);

#endif
