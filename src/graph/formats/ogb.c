/* Folders of node datasets of the Open Graph Benchmark (Hu et al. 2020): gzipped CSV without headers. */
#include <string.h>

#include "base/memory.h"
#include "formats.h"
#include "graph/io/unpack.h"

typedef struct unpacked {
  uint8_t *bytes;
  sotto_i_source source; /* with the name of the file */
} unpacked;

static sotto_status open_text(unpacked *out, const sotto_i_source *file, sotto_error *err) {
  size_t size = 0;
  *out = (unpacked){0};
  if (file->data == NULL) return SOTTO_OK;
  sotto_status status = sotto_i_unpack(&out->bytes, &size, file, err);
  out->source = (sotto_i_source){file->file, out->bytes, size};
  return status;
}

static sotto_status fail(const sotto_i_lines *lines, sotto_status status, const char *what,
                         sotto_error *err) {
  return sotto_i_fail(err, status, "%s: line %llu: %s", lines->file, (unsigned long long)lines->line, what);
}

/* Removes the first field of a line; false when there is none. */
static bool take_field(const uint8_t **line, size_t *size, const uint8_t **field, size_t *length) {
  if (*line == NULL) return false;
  const uint8_t *comma = *size == 0 ? NULL : memchr(*line, ',', *size);
  *field = *line;
  *length = comma == NULL ? *size : (size_t)(comma - *line);
  *size -= comma == NULL ? *size : *length + 1;
  *line = comma == NULL ? NULL : comma + 1;
  return true;
}

static sotto_status read_count(uint64_t *out, const sotto_i_source *file, sotto_error *err) {
  unpacked t;
  sotto_i_lines lines;
  const uint8_t *line, *more;
  size_t size, ignored;
  int64_t count = 0;
  sotto_status status;
  SOTTO_TRY(open_text(&t, file, err));
  sotto_i_lines_init(&lines, &t.source);
  if (!sotto_i_lines_next(&lines, &line, &size) || !sotto_i_text_integer(line, size, &count) || count < 0)
    status = fail(&lines, SOTTO_PARSE, "needs the number of nodes", err);
  else if (sotto_i_lines_next(&lines, &more, &ignored))
    status =
        fail(&lines, SOTTO_UNSUPPORTED,
             "has a second graph; datasets of graphs are not read from OGB, write them as TUDataset", err);
  *out = (uint64_t)count;
done:
  sotto_i_free(t.bytes);
  return status;
}

static sotto_status read_edges(sotto_i_parts *parts, uint64_t nodes, const sotto_i_source *file,
                               sotto_error *err) {
  unpacked t;
  sotto_i_edge_list pairs = {0};
  sotto_i_lines lines;
  const uint8_t *line, *words[2];
  size_t size, sizes[2];
  sotto_status status;
  SOTTO_TRY(open_text(&t, file, err));
  sotto_i_lines_init(&lines, &t.source);
  while (sotto_i_lines_next(&lines, &line, &size)) {
    int64_t ends[2];
    for (size_t i = 0; i < 2; i++)
      if (!take_field(&line, &size, &words[i], &sizes[i]) ||
          !sotto_i_text_integer(words[i], sizes[i], &ends[i])) {
        status = fail(&lines, SOTTO_PARSE, "needs two node numbers with a comma between them", err);
        goto done;
      }
    if (line != NULL || ends[0] < 0 || ends[1] < 0 || (uint64_t)ends[0] >= nodes ||
        (uint64_t)ends[1] >= nodes) {
      status =
          fail(&lines, SOTTO_RANGE,
               line != NULL ? "has more than two numbers" : "a node is not below the number of nodes", err);
      goto done;
    }
    SOTTO_TRY(sotto_i_edge_list_add(&pairs, (uint32_t)ends[0], (uint32_t)ends[1], err));
  }
  SOTTO_TRY(sotto_i_parts_edges(parts, nodes, &pairs, file->file, err));
done:
  sotto_i_edge_list_free(&pairs);
  sotto_i_free(t.bytes);
  return status;
}

static size_t count_fields(const sotto_i_source *source) {
  sotto_i_lines lines;
  const uint8_t *line;
  size_t size, count = 1;
  sotto_i_lines_init(&lines, source);
  if (!sotto_i_lines_next(&lines, &line, &size)) return 0;
  for (size_t i = 0; i < size; i++) count += line[i] == ',';
  return count;
}

static sotto_status read_features(sotto_i_parts *parts, const sotto_i_source *file, sotto_error *err) {
  unpacked t;
  sotto_i_lines lines;
  const uint8_t *line, *word;
  size_t size, length;
  uint64_t node = 0;
  sotto_status status;
  SOTTO_TRY(open_text(&t, file, err));
  const size_t width = count_fields(&t.source);
  SOTTO_TRY(sotto_i_features_new(&parts->features, parts->nodes, width, file->file, t.source.size, err));
  parts->width = width;
  sotto_i_lines_init(&lines, &t.source);
  for (; sotto_i_lines_next(&lines, &line, &size); node++) {
    if (node == parts->nodes) {
      status = fail(&lines, SOTTO_PARSE, "there are fewer nodes than lines", err);
      goto done;
    }
    for (size_t j = 0; j < width; j++) {
      double value;
      if (!take_field(&line, &size, &word, &length) || !sotto_i_text_double(word, length, &value) ||
          (line == NULL) != (j + 1 == width)) {
        status =
            fail(&lines, SOTTO_PARSE, "needs as many finite numbers as the first line, with commas", err);
        goto done;
      }
      parts->features[node * width + j] = (float)value;
    }
  }
  if (node != parts->nodes) status = fail(&lines, SOTTO_PARSE, "the file ends before the last node", err);
done:
  sotto_i_free(t.bytes);
  return status;
}

/* Reads class numbers; nan and empty lines are unknown labels. */
static sotto_status read_labels(sotto_i_parts *parts, const sotto_i_source *file, sotto_error *err) {
  unpacked t;
  sotto_i_lines lines;
  const uint8_t *line;
  size_t size;
  uint64_t node = 0;
  sotto_status status;
  SOTTO_TRY(open_text(&t, file, err));
  SOTTO_TRY(sotto_i_new(&parts->labels, parts->nodes, sizeof *parts->labels, err));
  parts->classes_from = SOTTO_CLASSES_LARGEST;
  sotto_i_lines_init(&lines, &t.source);
  for (; sotto_i_lines_next(&lines, &line, &size); node++) {
    double label = -1;
    const bool unknown = size == 0 || (size == 3 && memcmp(line, "nan", 3) == 0);
    if (node == parts->nodes || (!unknown && (!sotto_i_text_double(line, size, &label) || label < 0 ||
                                              label >= (double)parts->nodes || label > INT32_MAX ||
                                              label != (double)(int32_t)label))) {
      status =
          node == parts->nodes
              ? fail(&lines, SOTTO_PARSE, "there are fewer nodes than lines", err)
              : fail(&lines, SOTTO_UNSUPPORTED,
                     "is not one class number; tasks with several labels for each node are not read", err);
      goto done;
    }
    parts->labels[node] = (int32_t)label;
    if (label >= (double)parts->classes) parts->classes = (uint32_t)label + 1;
  }
  if (node != parts->nodes) status = fail(&lines, SOTTO_PARSE, "the file ends before the last node", err);
done:
  sotto_i_free(t.bytes);
  return status;
}

static sotto_status read_part(sotto_i_parts *parts, const sotto_i_source *file, uint8_t part,
                              sotto_error *err) {
  unpacked t;
  sotto_i_lines lines;
  const uint8_t *line;
  size_t size;
  sotto_status status;
  SOTTO_TRY(open_text(&t, file, err));
  sotto_i_lines_init(&lines, &t.source);
  while (sotto_i_lines_next(&lines, &line, &size)) {
    int64_t node;
    if (!sotto_i_text_integer(line, size, &node) || node < 0 || (uint64_t)node >= parts->nodes) {
      status = fail(&lines, SOTTO_RANGE, "needs one node number below the number of nodes", err);
      goto done;
    }
    if (parts->split[node] != SOTTO_PART_NONE) {
      status = fail(&lines, SOTTO_PARSE, "the node is in a part of the split already", err);
      goto done;
    }
    parts->split[node] = part;
  }
done:
  sotto_i_free(t.bytes);
  return status;
}

sotto_status sotto_i_read_ogb(sotto_i_parts *parts, const sotto_i_source *files, sotto_error *err) {
  sotto_status status;
  uint64_t nodes = 0;
  size_t bytes = 0;
  for (size_t i = 0; i < SOTTO_I_OGB_FILES; i++) bytes += files[i].size;
  SOTTO_TRY(read_count(&nodes, &files[SOTTO_I_OGB_NODES], err));
  SOTTO_TRY(sotto_i_check_nodes(nodes, files[SOTTO_I_OGB_NODES].file, bytes, err));
  SOTTO_TRY(read_edges(parts, nodes, &files[SOTTO_I_OGB_EDGES], err));
  if (files[SOTTO_I_OGB_FEATURES].data != NULL)
    SOTTO_TRY(read_features(parts, &files[SOTTO_I_OGB_FEATURES], err));
  if (files[SOTTO_I_OGB_LABELS].data != NULL) SOTTO_TRY(read_labels(parts, &files[SOTTO_I_OGB_LABELS], err));
  if (files[SOTTO_I_OGB_TRAIN].data == NULL) goto done;
  SOTTO_TRY(sotto_i_new(&parts->split, nodes, 1, err));
  for (size_t i = SOTTO_I_OGB_TRAIN; i < SOTTO_I_OGB_FILES; i++)
    if (files[i].data != NULL)
      SOTTO_TRY(read_part(parts, &files[i], (uint8_t)(SOTTO_PART_TRAIN + i - SOTTO_I_OGB_TRAIN), err));
done:
  return status;
}
