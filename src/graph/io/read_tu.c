/* TUDataset folders (Morris et al. 2020): many small graphs in text files that number nodes and graphs
 * from 1.
 *
 * Features: one-hot node labels, distinct values ascending, then the node attributes; width 0 without
 * both. Node labels are used as features only. Graph labels are renumbered in ascending order. */
#include <string.h>

#include "base/memory.h"
#include "read.h"

typedef struct column {
  int64_t *values;
  size_t count, room;
} column;

static sotto_status fail_line(const sotto_i_lines *lines, sotto_status status, const char *what,
                              sotto_error *err) {
  return sotto_i_fail(err, status, "%s: line %llu: %s", lines->file, (unsigned long long)lines->line, what);
}

/* Reads a file with one integer per line. */
static sotto_status read_column(column *out, const sotto_i_source *file, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  sotto_i_lines lines;
  const uint8_t *text;
  size_t size;
  sotto_i_lines_init(&lines, file);
  while (sotto_i_lines_next(&lines, &text, &size)) {
    SOTTO_TRY(sotto_i_grow(&out->values, &out->room, out->count + 1, sizeof *out->values, err));
    if (!sotto_i_text_integer(text, size, &out->values[out->count++]))
      return fail_line(&lines, SOTTO_PARSE, "needs one whole number", err);
  }
done:
  return status;
}

/* First node of each graph, from the graph of each node, which must not descend. */
static sotto_status find_first_nodes(sotto_i_parts *parts, const column *indicator,
                                     const sotto_i_source *file, sotto_error *err) {
  sotto_status status;
  uint64_t graph = 0;
  SOTTO_TRY(sotto_i_new(&parts->graph_first, parts->graph_count + 1, sizeof *parts->graph_first, err));
  for (size_t v = 0; v < indicator->count; v++) {
    int64_t given = indicator->values[v];
    if (given < 1 || (uint64_t)given > parts->graph_count || (uint64_t)given < graph)
      return sotto_i_fail(err, SOTTO_RANGE, "%s: line %zu: graph %lld is not between the one before and %llu",
                          file->file, v + 1, (long long)given, (unsigned long long)parts->graph_count);
    while (graph < (uint64_t)given) parts->graph_first[graph++] = v;
  }
  while (graph <= parts->graph_count) parts->graph_first[graph++] = indicator->count;
done:
  return status;
}

/* Lines "u, v", both nodes in one graph. */
static sotto_status read_edges(sotto_i_edge_list *pairs, const sotto_i_source *file, const column *indicator,
                               sotto_error *err) {
  sotto_status status = SOTTO_OK;
  sotto_i_lines lines;
  const uint8_t *text;
  size_t size;
  sotto_i_lines_init(&lines, file);
  while (sotto_i_lines_next(&lines, &text, &size)) {
    int64_t from, to;
    const uint8_t *comma = memchr(text, ',', size);
    size_t left = comma == NULL ? 0 : (size_t)(comma - text);
    if (comma == NULL || !sotto_i_text_integer(text, left, &from) ||
        !sotto_i_text_integer(comma + 1, size - left - 1, &to))
      return fail_line(&lines, SOTTO_PARSE, "needs two node numbers with a comma between them", err);
    if (from < 1 || to < 1 || (uint64_t)from > indicator->count || (uint64_t)to > indicator->count)
      return fail_line(&lines, SOTTO_RANGE, "a node number is not between 1 and the number of nodes", err);
    if (indicator->values[from - 1] != indicator->values[to - 1])
      return fail_line(&lines, SOTTO_CORRUPT, "the edge joins two graphs", err);
    SOTTO_TRY(sotto_i_edge_list_add(pairs, (uint32_t)(from - 1), (uint32_t)(to - 1), err));
  }
done:
  return status;
}

static sotto_status number_classes(sotto_i_parts *parts, const column *labels, sotto_error *err) {
  sotto_status status;
  int64_t *sorted = NULL;
  SOTTO_TRY(sotto_i_new_raw(&sorted, labels->count, sizeof *sorted, err));
  if (labels->count > 0) memcpy(sorted, labels->values, labels->count * sizeof *sorted);
  size_t classes = sotto_i_distinct(sorted, labels->count);
  SOTTO_TRY(sotto_i_new(&parts->graph_labels, labels->count, sizeof *parts->graph_labels, err));
  for (size_t g = 0; g < labels->count; g++)
    parts->graph_labels[g] = (int32_t)sotto_i_rank(sorted, classes, labels->values[g]);
  parts->graph_classes = (uint32_t)classes;
  parts->graph_classes_from = SOTTO_CLASSES_FOUND;
  status = sotto_i_names_of_numbers(&parts->names[SOTTO_I_NAMES_GRAPH_CLASSES], sorted, classes, err);
done:
  sotto_i_free(sorted);
  return status;
}

/* Numbers in the first line of the attributes; 0 when there is no such file or line. */
static size_t count_attributes(const sotto_i_source *file) {
  sotto_i_lines lines;
  const uint8_t *text;
  size_t size, count = 1;
  sotto_i_lines_init(&lines, file);
  if (!sotto_i_lines_next(&lines, &text, &size)) return 0;
  for (size_t i = 0; i < size; i++) count += text[i] == ',';
  return count;
}

static sotto_status read_attributes(sotto_i_parts *parts, const sotto_i_source *file, size_t before,
                                    sotto_error *err) {
  sotto_i_lines lines;
  const uint8_t *text;
  size_t size;
  uint64_t node = 0;
  sotto_i_lines_init(&lines, file);
  while (sotto_i_lines_next(&lines, &text, &size)) {
    if (node == parts->nodes) return fail_line(&lines, SOTTO_PARSE, "there are fewer nodes than lines", err);
    float *row = parts->features + node++ * parts->width;
    for (size_t j = before; j < parts->width; j++) {
      const uint8_t *comma = memchr(text, ',', size);
      size_t length = comma == NULL ? size : (size_t)(comma - text);
      double value;
      if (!sotto_i_text_double(text, length, &value) || (comma == NULL) != (j + 1 == parts->width))
        return fail_line(&lines, SOTTO_PARSE, "needs as many finite numbers as the first line, with commas",
                         err);
      row[j] = (float)value;
      text += length + (comma != NULL);
      size -= length + (comma != NULL);
    }
  }
  if (node != parts->nodes) return fail_line(&lines, SOTTO_PARSE, "the file ends before the last node", err);
  return SOTTO_OK;
}

static sotto_status add_features(sotto_i_parts *parts, const sotto_i_source *files, sotto_error *err) {
  sotto_status status;
  const sotto_i_source *label_file = &files[SOTTO_I_TU_NODE_LABELS];
  const sotto_i_source *attribute_file = &files[SOTTO_I_TU_NODE_ATTRIBUTES];
  column labels = {0};
  int64_t *sorted = NULL;
  size_t kinds = 0;
  SOTTO_TRY(read_column(&labels, label_file, err));
  if (label_file->data != NULL && labels.count != parts->nodes) {
    status = sotto_i_fail(err, SOTTO_PARSE, "%s: %zu lines for %llu nodes", label_file->file, labels.count,
                          (unsigned long long)parts->nodes);
    goto done;
  }
  SOTTO_TRY(sotto_i_new_raw(&sorted, labels.count, sizeof *sorted, err));
  if (labels.count > 0) memcpy(sorted, labels.values, labels.count * sizeof *sorted);
  kinds = sotto_i_distinct(sorted, labels.count);
  const size_t width = kinds + count_attributes(attribute_file);
  SOTTO_TRY(sotto_i_features_new(&parts->features, parts->nodes, width, label_file->file,
                                 label_file->size + attribute_file->size, err));
  parts->width = width;
  for (size_t v = 0; v < labels.count; v++)
    parts->features[v * width + (size_t)sotto_i_rank(sorted, kinds, labels.values[v])] = 1;
  if (width > kinds) SOTTO_TRY(read_attributes(parts, attribute_file, kinds, err));
done:
  sotto_i_free(labels.values);
  sotto_i_free(sorted);
  return status;
}

sotto_status sotto_i_read_tu(sotto_i_parts *parts, const sotto_i_source *files, sotto_error *err) {
  sotto_status status;
  column indicator = {0}, labels = {0};
  sotto_i_edge_list pairs = {0};
  SOTTO_TRY(read_column(&indicator, &files[SOTTO_I_TU_INDICATOR], err));
  SOTTO_TRY(read_column(&labels, &files[SOTTO_I_TU_GRAPH_LABELS], err));
  if (labels.count == 0) {
    status = sotto_i_fail(err, SOTTO_PARSE, "%s: has no graph", files[SOTTO_I_TU_GRAPH_LABELS].file);
    goto done;
  }
  parts->graph_count = labels.count;
  SOTTO_TRY(find_first_nodes(parts, &indicator, &files[SOTTO_I_TU_INDICATOR], err));
  SOTTO_TRY(read_edges(&pairs, &files[SOTTO_I_TU_EDGES], &indicator, err));
  SOTTO_TRY(sotto_i_parts_edges(parts, indicator.count, &pairs, files[SOTTO_I_TU_EDGES].file, err));
  SOTTO_TRY(number_classes(parts, &labels, err));
  SOTTO_TRY(add_features(parts, files, err));
done:
  sotto_i_free(indicator.values);
  sotto_i_free(labels.values);
  sotto_i_edge_list_free(&pairs);
  return status;
}
