/* Arrays of numpy .npy files. */
#ifndef SOTTO_SRC_GRAPH_IO_NPY_H
#define SOTTO_SRC_GRAPH_IO_NPY_H

#include "read.h"

/* Maximum bytes of the header of an array. */
enum { SOTTO_I_NPY_HEAD = 1 << 16 };

/* Reads type and shape (format versions 1 to 3, one or two dimensions, numbers) from the first size bytes of
 * an .npy file of `whole` bytes, whose length is checked against them; *begin becomes the place of the data.
 * `file` and `name` are for errors: PARSE, UNSUPPORTED. */
sotto_status sotto_i_npy_head(sotto_i_array *out, size_t *begin, const uint8_t *bytes, size_t size,
                              size_t whole, const char *file, const char *name, sotto_error *err);
/* Brings the array to little-endian numbers of single precision or more, row by row. Where it is not so yet,
 * its data becomes *made (fresh), of at most twice the bytes; else *made is NULL. Errors: NOMEM. */
sotto_status sotto_i_npy_settle(sotto_i_array *array, uint8_t **made, sotto_error *err);

#endif
