/* Reader of parts.csv: the split of graphs that a run recorded. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "graph/io/csv.h"
#include "sotto/gw.h"

static const char *const part_names[] = {"none", "train", "validation", "test"};

/* Reads the part of graph number `item` from the current line. */
static sotto_status read_line(uint8_t *part, const sotto_i_csv *csv, size_t item, sotto_error *err) {
  char number[24];
  (void)snprintf(number, sizeof number, "%zu", item);
  if (csv->count != 3)
    return sotto_i_csv_fail(csv, SOTTO_PARSE, 0, "expected item, client and part, not", err);
  if (!sotto_i_field_is(&csv->fields[0], number))
    return sotto_i_csv_fail(csv, SOTTO_PARSE, 0, "expected the graphs in ascending order from 0, not", err);
  for (size_t p = 0; p < sizeof part_names / sizeof *part_names; p++)
    if (sotto_i_field_is(&csv->fields[2], part_names[p])) {
      *part = (uint8_t)p;
      return SOTTO_OK;
    }
  return sotto_i_csv_fail(csv, SOTTO_PARSE, 2, "is neither train, validation, test nor none:", err);
}

sotto_status sotto_gw_parts_open(uint8_t *parts, size_t count, const char *path, sotto_error *err) {
  sotto_i_map map = {0};
  sotto_i_csv csv = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_map_open(&map, path, err));
  const sotto_i_source source = {path, map.data, map.size};
  SOTTO_TRY(sotto_i_csv_open(&csv, &source, ',', err));
  SOTTO_TRY(sotto_i_csv_next(&csv, err));
  if (csv.count != 3 || !sotto_i_field_is(&csv.fields[2], "part")) {
    status = sotto_i_fail(err, SOTTO_PARSE, "%s: does not begin with item,client,part", path);
    goto done;
  }
  for (size_t g = 0; g < count; g++) {
    SOTTO_TRY(sotto_i_csv_next(&csv, err));
    if (csv.count == 0) {
      status = sotto_i_fail(err, SOTTO_PARSE, "%s: has %zu graphs, and the table %zu", path, g, count);
      goto done;
    }
    SOTTO_TRY(read_line(&parts[g], &csv, g, err));
  }
  SOTTO_TRY(sotto_i_csv_next(&csv, err));
  if (csv.count != 0)
    status = sotto_i_fail(err, SOTTO_PARSE, "%s: has more than the %zu graphs of the table", path, count);
done:
  sotto_i_csv_free(&csv);
  sotto_i_map_close(&map);
  return status;
}
