/* Arrays of a numpy .npz archive. */
#ifndef SOTTO_SRC_GRAPH_IO_NPY_H
#define SOTTO_SRC_GRAPH_IO_NPY_H

#include "read.h"

/* Reads the .npy header in bytes[size] (format versions 1 to 3, C order, one or two dimensions, little-endian
 * numbers) and points *out at the data behind it, whose length is checked. `file` and `name` are for errors:
 * PARSE, UNSUPPORTED. */
sotto_status sotto_i_npy_parse(sotto_i_array *out, const uint8_t *bytes, size_t size, const char *file,
                               const char *name, sotto_error *err);

#endif
