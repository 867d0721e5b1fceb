/* Fuzzes an edge list, its node table and a split file, bundled; the list from memory and in pieces. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/reader.h"
#include "graph/tables/tables.h"
#include "input_file.h"
#include "samples.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static sotto_status read_pieces(sotto_i_parts *parts, const sotto_i_source *edges,
                                const sotto_i_source *nodes, const sotto_import_options *options) {
  sotto_i_reader reader = {.descriptor = -1};
  sotto_status status = sotto_i_reader_open(&reader, fuzz_put("edges.csv", edges->data, edges->size), NULL);
  if (status == SOTTO_OK)
    status = sotto_i_read_edges_in_pieces(parts, &reader, 1 + edges->size % 64, nodes, options, NULL);
  sotto_i_reader_close(&reader);
  return status;
}

/* In pieces a list is accepted as well, or refused for the same, and gives the same graph. */
static void compare(const sotto_i_parts *read, sotto_status status, const sotto_i_source *files,
                    const sotto_import_options *options) {
  sotto_i_parts parts = {0};
  if (read_pieces(&parts, &files[0], &files[1], options) != status) abort();
  if (status == SOTTO_OK &&
      (parts.nodes != read->nodes ||
       memcmp(parts.offsets, read->offsets, (read->nodes + 1) * sizeof *read->offsets) != 0 ||
       memcmp(parts.targets, read->targets, read->offsets[read->nodes] * sizeof *read->targets) != 0))
    abort();
  sotto_i_parts_free(&parts);
}

/* Whatever is accepted must hold every promise of a dataset. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sotto_error err = {0};
  sotto_i_parts parts = {0};
  sotto_i_source files[3];
  const sotto_import_options options = {.missing = size % 2 == 0 ? SOTTO_MISSING_MEAN : SOTTO_MISSING_ZERO,
                                        .types = "age=category",
                                        .types = "x=drop,y=drop"};
  sample_unbundle(files, 3, data, size);
  const sotto_import_options *given = size % 3 == 0 ? NULL : &options;
  sotto_status status = sotto_i_read_edges(&parts, &files[0], &files[1], given, &err);
  if (files[0].data != NULL && size % 4 == 0) compare(&parts, status, files, given);
  if (status == SOTTO_OK && files[2].data != NULL) status = sotto_i_read_split(&parts, &files[2], &err);
  sotto_dataset dataset;
  if (status == SOTTO_OK && sotto_i_dataset_assemble(&dataset, &parts, &err) == SOTTO_OK)
    sotto_dataset_free(&dataset);
  sotto_i_parts_free(&parts);
  return 0;
}
