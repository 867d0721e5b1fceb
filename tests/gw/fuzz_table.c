/* Any arrays as a table of distances, as codes or as embeddings, in a sound archive, and any bytes as the
 * state of a comparison. The first byte picks. */
#include <math.h>
#include <stdlib.h>

#include "input_file.h"
#include "ranks/cells.h"
#include "samples.h"
#include "sotto/gw.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_table(const uint8_t *data, size_t size) {
  enum { arrays = 5 };
  static const char *const names[arrays] = {"distance", "labels", "sizes", "posterior", "anchors"};
  sotto_i_source sources[arrays];
  sample each[arrays] = {0}, archive;
  sotto_gw_table table;
  sotto_matrix rows;
  sotto_error err = {0};
  sample_unbundle(sources, arrays, data, size);
  for (size_t i = 0; i < arrays; i++)
    if (sources[i].data != NULL) sample_add(&each[i], sources[i].data, sources[i].size);
  sample_archive(&archive, each, names, arrays, false);
  const char *path = fuzz_put("table.npz", archive.data, archive.size);
  if (sotto_gw_table_open(&table, path, &err) == SOTTO_OK) {
    for (size_t k = 0; k < table.count * table.count; k++)
      if (!(table.distance[k] >= 0) || !isfinite(table.distance[k])) abort();
    sotto_gw_table_free(&table);
  } else if (err.text[0] == '\0') {
    abort();
  }
  sotto_gw_codes codes;
  if (sotto_gw_codes_open(&codes, path, NULL) == SOTTO_OK) {
    if (codes.distance.rows != codes.posterior.cols) abort();
    sotto_gw_codes_free(&codes);
  }
  if (sotto_gw_embeddings_open(&rows, path, "distance", NULL) == SOTTO_OK) sotto_matrix_free(&rows);
  sample_free(&archive);
  sample_free_all(each, arrays);
}

static void open_state(const uint8_t *data, size_t size) {
  enum { total = 8 };
  double values[total];
  sotto_i_cells pairs = {.path = fuzz_put("pairs", data, size),
                         .kind = "SOTTOGW",
                         .holds = "pairs",
                         .values = values,
                         .bytes = sizeof *values,
                         .total = total,
                         .block = total};
  sotto_error err = {0};
  const sotto_status status = sotto_i_cells_open(&pairs, &err);
  if (status != SOTTO_OK && err.text[0] == '\0') abort();
  if (pairs.done > total) abort();
  sotto_i_cells_close(&pairs, false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  if ((data[0] & 1) == 0)
    read_table(data + 1, size - 1);
  else
    open_state(data + 1, size - 1);
  return 0;
}
