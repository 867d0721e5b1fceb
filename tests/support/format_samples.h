/* Small graphs in the forms of other programs: one reader, its bytes and what it should give. */
#ifndef SOTTO_TESTS_SUPPORT_FORMAT_SAMPLES_H
#define SOTTO_TESTS_SUPPORT_FORMAT_SAMPLES_H

#include "graph/formats/elements.h"
#include "graph/formats/formats.h"
#include "samples.h"

typedef sotto_status (*format_reader)(sotto_i_parts *parts, const sotto_i_source *file,
                                      const sotto_import_options *options, sotto_error *err);

typedef struct format_sample {
  const char *name; /* of the file */
  format_reader read;
  uint64_t nodes, edges;
  size_t width;
  uint32_t classes;
} format_sample;

enum { FORMAT_SAMPLES = 8 };
extern const format_sample format_samples[FORMAT_SAMPLES];
/* The bytes of sample `which`: GraphML, GML, JSON, MatrixMarket, scipy's CSR with x and y, coordinates,
 * edge_index with masks, edge_index in .npy. */
sample format_sample_bytes(size_t which);

/* Three nodes, edges 0-1 and 1-2, two features, two classes, each in a part of the split. */
void sample_ogb(sample files[SOTTO_I_OGB_FILES]);
/* gzip of some bytes. */
sample sample_gzip(const void *data, size_t size);
/* An .npy of a type such as "<i8" and a shape such as "(3,)". */
sample sample_npy(const char *type, const char *shape, const void *data, size_t size);

#endif
