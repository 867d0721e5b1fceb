/* Datasets from the texts of two tables. */
#include "table_texts.h"

#include <string.h>

#include "graph/schema_of.h"
#include "graph/tables/tables.h"

sotto_status check_read_texts(sotto_dataset *out, const char *edges, const char *nodes,
                              const sotto_import_options *options, sotto_error *err) {
  sotto_i_parts parts = {0};
  const sotto_i_source edge_file = {"edges.csv", (const uint8_t *)edges, edges == NULL ? 0 : strlen(edges)};
  const sotto_i_source node_file = {"nodes.csv", (const uint8_t *)nodes, nodes == NULL ? 0 : strlen(nodes)};
  *out = (sotto_dataset){0};
  sotto_status status = sotto_i_read_edges(&parts, &edge_file, &node_file, options, err);
  if (status == SOTTO_OK) status = sotto_i_parts_make_schema(&parts, "nodes.csv", options, err);
  if (status == SOTTO_OK) status = sotto_i_dataset_assemble(out, &parts, err);
  sotto_i_parts_free(&parts);
  return status;
}
