/* Ids of nodes for the output. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "common/file.h"
#include "common/memory.h"
#include "predict.h"

/* End of the line that begins at `at`, without its line break. */
static char *line_end(char *at) {
  char *end = at + strcspn(at, "\n");
  return end > at && end[-1] == '\r' ? end - 1 : end;
}

static sotto_status check_ids(const predict_ids *ids, size_t size, const char *path, uint64_t nodes,
                              sotto_error *err) {
  uint64_t lines = 0;
  if (memchr(ids->text, '\0', size) != NULL)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: has a zero byte; it is text with one id a line", path);
  for (size_t i = 0; i < size; i++) lines += ids->text[i] == '\n' || i + 1 == size;
  if (lines == nodes) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID, "%s: has %llu ids, and the data %llu nodes", path,
                      (unsigned long long)lines, (unsigned long long)nodes);
}

sotto_status predict_ids_read(predict_ids *out, const char *path, const sotto_dataset *data,
                              sotto_error *err) {
  sotto_status status;
  const uint64_t nodes = data->graph.nodes;
  size_t size = 0;
  *out = (predict_ids){.listed = &data->node_ids};
  if (path == NULL) return SOTTO_OK;
  if (data->node_ids.count > 0)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "%s: the data have ids of their own, which answers are given by; leave out --ids",
                        path);
  SOTTO_TRY(app_read_file(&out->text, &size, path, err));
  SOTTO_TRY(check_ids(out, size, path, nodes, err));
  SOTTO_TRY(app_new(&out->ids, nodes, sizeof *out->ids, err));
  char *at = out->text;
  for (uint64_t v = 0; v < nodes; v++) {
    char *end = line_end(at), *next = at + strcspn(at, "\n");
    out->ids[v] = at;
    at = *next == '\0' ? next : next + 1;
    *end = '\0';
  }
done:
  return status;
}

void predict_ids_free(predict_ids *ids) {
  free(ids->ids);
  free(ids->text);
}

const char *predict_id(const predict_ids *ids, uint32_t node) {
  return ids->ids != NULL ? ids->ids[node] : sotto_name(ids->listed, node);
}
