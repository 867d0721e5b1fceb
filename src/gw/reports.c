/* Graphs as a server has them: what their owners reported, without edges and labels. */
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "graph/dataset.h"
#include "graph/io/npz.h"
#include "sotto/gw.h"

/* The borders of graphs from their numbers of nodes; `first` is fresh. */
static sotto_status read_sizes(uint64_t **first, uint64_t *graphs, const char *path, sotto_error *err) {
  sotto_i_map map = {0};
  sotto_i_npz npz = {0};
  uint8_t *bytes = NULL;
  sotto_i_array array;
  sotto_status status;
  SOTTO_TRY(sotto_i_map_open(&map, path, err));
  const sotto_i_source source = {path, map.data, map.size};
  SOTTO_TRY(sotto_i_npz_open(&npz, &source, err));
  SOTTO_TRY(sotto_i_npz_array(&npz, &array, &bytes, "sizes", err));
  *graphs = array.count;
  SOTTO_TRY(sotto_i_new(first, array.count + 1, sizeof **first, err));
  for (uint64_t g = 0; g < array.count; g++) {
    int64_t size;
    if (!sotto_i_array_integer(&array, g, &size) || size < 0 || size > UINT32_MAX) {
      status = sotto_i_fail(err, SOTTO_CORRUPT, "%s: graph %llu has no such number of nodes", path,
                            (unsigned long long)g);
      goto done;
    }
    (*first)[g + 1] = (*first)[g] + (uint64_t)size;
  }
done:
  sotto_i_npz_close(&npz);
  sotto_i_map_close(&map);
  sotto_i_free(bytes);
  return status;
}

/* A collection without edges and labels. Takes `first` (graphs + 1), also on failure. */
static sotto_status make_graphs(sotto_dataset *out, const char *name, uint64_t *first, uint64_t graphs,
                                sotto_error *err) {
  sotto_i_parts parts = {.graph_count = graphs, .graph_first = first, .nodes = first[graphs]};
  sotto_status status;
  SOTTO_TRY(sotto_i_strdup(&parts.name, name, err));
  SOTTO_TRY(sotto_i_new(&parts.offsets, parts.nodes + 1, sizeof *parts.offsets, err));
  SOTTO_TRY(sotto_i_dataset_assemble(out, &parts, err));
done:
  sotto_i_free(parts.name);
  sotto_i_free(parts.offsets);
  sotto_i_free(parts.graph_first);
  return status;
}

static sotto_status open_codes(sotto_gw_reports *out, const char *folder, sotto_error *err) {
  char *path = NULL;
  uint64_t *first = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_join(&path, folder, "codes.npz", err));
  SOTTO_TRY(sotto_gw_codes_open(&out->codes, path, err));
  SOTTO_TRY(sotto_i_new(&first, out->codes.posterior.rows + 1, sizeof *first, err));
  SOTTO_TRY(make_graphs(&out->graphs, path, first, out->codes.posterior.rows, err));
done:
  sotto_i_free(path);
  return status;
}

static sotto_status open_embeddings(sotto_gw_reports *out, const char *folder, sotto_error *err) {
  char *path = NULL, *sizes = NULL;
  uint64_t *first = NULL, graphs = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_join(&path, folder, "embeddings.npz", err));
  SOTTO_TRY(sotto_i_join(&sizes, folder, "owner-only/sizes.npz", err));
  SOTTO_TRY(sotto_gw_embeddings_open(&out->embeddings, path, "embeddings", err));
  SOTTO_TRY(read_sizes(&first, &graphs, sizes, err));
  if (first[graphs] != out->embeddings.rows) {
    status = sotto_i_fail(err, SOTTO_CORRUPT, "%s: %llu graphs have %llu nodes together, and %s has %zu rows",
                          sizes, (unsigned long long)graphs, (unsigned long long)first[graphs], path,
                          out->embeddings.rows);
    goto done;
  }
  status = make_graphs(&out->graphs, path, first, graphs, err);
  first = NULL;
done:
  sotto_i_free(first);
  sotto_i_free(sizes);
  sotto_i_free(path);
  return status;
}

sotto_status sotto_gw_reports_open(sotto_gw_reports *out, const char *folder, sotto_gw_by by,
                                   sotto_error *err) {
  sotto_status status;
  *out = (sotto_gw_reports){.codes = {.posterior = {0}}};
  if (by == SOTTO_GW_BY_CODES)
    status = open_codes(out, folder, err);
  else if (by == SOTTO_GW_BY_EMBEDDINGS)
    status = open_embeddings(out, folder, err);
  else
    status = sotto_i_fail(err, SOTTO_RANGE, "%s: reports are compared by codes or by embeddings", folder);
  if (status != SOTTO_OK) sotto_gw_reports_free(out);
  return status;
}

void sotto_gw_reports_free(sotto_gw_reports *reports) {
  sotto_dataset_free(&reports->graphs);
  sotto_gw_codes_free(&reports->codes);
  sotto_matrix_free(&reports->embeddings);
}
