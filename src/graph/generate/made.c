/* Graphs generated in pieces: all in one process, or distributed over ranks, which write one file
 * together. */
#include "base/cancel.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/threads.h"
#include "generate.h"
#include "graph/spread/written.h"

typedef struct row_job {
  const sotto_i_made *made;
  sotto_i_parts *parts;
} row_job;

static void make_rows(void *context, size_t begin, size_t end) {
  const row_job *m = context;
  sotto_i_parts *p = m->parts;
  if (sotto_i_stopped()) return; /* sotto_i_generate_finish reports it */
  m->made->rows(m->made->context, p->width == 0 ? NULL : p->features + begin * p->width,
                p->labels == NULL ? NULL : p->labels + begin, begin, end);
}

sotto_status sotto_i_made_whole(sotto_dataset *out, const sotto_i_made *made, sotto_error *err) {
  sotto_i_parts parts = {0};
  sotto_i_edge_arrays pairs = {0};
  row_job m = {made, &parts};
  sotto_status status;
  SOTTO_TRY(
      sotto_i_generate_begin(&parts, made->name, made->nodes, made->width, made->classes, made->key, err));
  sotto_i_parallel(made->nodes, SOTTO_I_MADE_ROWS, make_rows, &m);
  SOTTO_TRY(made->edges(made->context, &pairs, 0, made->streams, err));
  SOTTO_TRY(sotto_i_generate_finish(out, &parts, &pairs, err));
done:
  sotto_i_edge_arrays_free(&pairs);
  sotto_i_parts_free(&parts);
  return status;
}

/* Generates pieces of streams in turn, piece i at rank i modulo the number of ranks, with an exchange
 * after each round. */
static sotto_status make_edges(sotto_i_rows *rows, const sotto_i_made *made, sotto_error *err) {
  sotto_i_edge_arrays pairs = {0};
  sotto_status status = SOTTO_OK;
  bool more = true;
  const uint64_t each = (made->streams + rows->mail.count - 1) / rows->mail.count;
  const uint64_t at_once = made->at_once < each ? made->at_once : each;
  for (uint64_t turn = rows->mail.number; more; turn += rows->mail.count) {
    const uint64_t first = turn * at_once, left = first < made->streams ? made->streams - first : 0;
    const uint64_t count = left < at_once ? left : at_once;
    if (count > 0) SOTTO_TRY(made->edges(made->context, &pairs, first, first + count, err));
    SOTTO_TRY(sotto_i_check_interrupt(err));
    for (uint64_t i = 0; i < pairs.count; i++)
      SOTTO_TRY(sotto_i_rows_add(rows, pairs.sources[i], pairs.targets[i], err));
    sotto_i_edge_arrays_free(&pairs);
    more = left > at_once * rows->mail.count;
    SOTTO_TRY(sotto_i_rows_pass(rows, &more, err));
  }
  SOTTO_TRY(sotto_i_rows_finish(rows, err));
done:
  sotto_i_edge_arrays_free(&pairs);
  return status;
}

typedef struct feature_job {
  const sotto_i_made *made;
  float *features;
  int32_t *labels;
  uint64_t first;
} feature_job;

static void fill_features(void *context, size_t begin, size_t end) {
  const feature_job *s = context;
  if (sotto_i_stopped()) return;
  s->made->rows(s->made->context, s->features == NULL ? NULL : s->features + begin * s->made->width,
                s->labels == NULL ? NULL : s->labels + begin, s->first + begin, s->first + end);
}

/* Generates the features of own nodes in batches, directly into the file; returns their labels. */
static sotto_status make_attributes(int32_t **labels, sotto_i_shared_file *file, const sotto_i_made *made,
                                    uint64_t first, uint64_t end, sotto_error *err) {
  enum { at_once = 4 * SOTTO_I_MADE_ROWS };
  const uint64_t size = (end - first) * made->width * sizeof(float);
  sotto_i_strip strip = {0};
  float *features = NULL;
  sotto_status status = SOTTO_OK;
  if (made->classes > 0) SOTTO_TRY(sotto_i_new(labels, end - first, sizeof **labels, err));
  if (made->width > 0) SOTTO_TRY(sotto_i_strip_begin(&strip, file, SOTTO_I_NATIVE_FEATURES, &size, 1, err));
  for (uint64_t v = first; v < end; v += at_once) {
    const uint64_t rows = end - v < at_once ? end - v : at_once;
    if (made->width > 0) SOTTO_TRY(sotto_i_new(&features, rows, made->width * sizeof *features, err));
    feature_job s = {made, features, *labels == NULL ? NULL : *labels + (v - first), v};
    sotto_i_parallel(rows, SOTTO_I_MADE_ROWS, fill_features, &s);
    SOTTO_TRY(sotto_i_check_interrupt(err));
    if (made->width > 0)
      SOTTO_TRY(sotto_i_strip_add(&strip, features, rows * made->width * sizeof *features, err));
    sotto_i_free(features);
    features = NULL;
  }
  if (made->width > 0) SOTTO_TRY(sotto_i_strip_end(&strip, err));
done:
  sotto_i_free(features);
  sotto_i_strip_free(&strip);
  return status;
}

/* Distributes nodes nearly equally, in whole pieces of rows. */
static void share_nodes(uint64_t *first, uint32_t ranks, uint64_t nodes) {
  const uint64_t pieces = (nodes + SOTTO_I_MADE_ROWS - 1) / SOTTO_I_MADE_ROWS;
  for (uint32_t r = 0; r <= ranks; r++) {
    const uint64_t node = pieces * r / ranks * SOTTO_I_MADE_ROWS;
    first[r] = node < nodes ? node : nodes;
  }
}

static sotto_status write_all(sotto_dataset *out, sotto_figures *figures, const sotto_i_rows *rows,
                              const sotto_i_made *made, const char *path, sotto_error *err) {
  const uint64_t first = rows->first[rows->mail.number], end = rows->first[rows->mail.number + 1];
  sotto_i_native_header header = {.width = made->width, .classes = made->classes};
  sotto_i_shared_file file = {.writer = {.descriptor = -1}};
  bool present[SOTTO_I_NATIVE_KINDS] = {false};
  sotto_i_parts parts = {.nodes = made->nodes, .width = made->width, .classes = made->classes};
  int32_t *labels = NULL;
  size_t size = 0;
  sotto_status status;
  SOTTO_I_CHECK(sotto_i_is_made_name(made->name));
  SOTTO_TRY(sotto_i_strdup(&parts.name, made->name, err));
  sotto_i_written_graph_header(&header, present, rows, made->name);
  present[SOTTO_I_NATIVE_FEATURES] = made->width > 0;
  present[SOTTO_I_NATIVE_LABELS] = made->classes > 0;
  SOTTO_TRY(sotto_i_shared_file_open(&file, rows->mail.ranks, path, &header, present, err));
  SOTTO_TRY(sotto_i_written_graph(&file, rows, made->name, err));
  SOTTO_TRY(make_attributes(&labels, &file, made, first, end, err));
  if (made->classes > 0) {
    SOTTO_TRY(sotto_i_strip_write(&file, SOTTO_I_NATIVE_LABELS, labels, (end - first) * sizeof *labels, err));
    SOTTO_TRY(sotto_i_exchange_all((void **)&parts.labels, &size, rows->mail.ranks, labels,
                                   (end - first) * sizeof *labels, err));
  }
  SOTTO_TRY(sotto_i_written_figures(figures, rows, NULL, err));
  SOTTO_TRY(sotto_i_shared_file_commit(&file, err));
  SOTTO_TRY(sotto_i_written_dataset(out, &parts, &file.header, err));
done:
  sotto_i_shared_file_close(&file);
  sotto_i_free(labels);
  sotto_i_parts_free(&parts);
  return status;
}

sotto_status sotto_i_made_ranks(sotto_dataset *out, sotto_figures *figures, sotto_ranks *ranks,
                                const sotto_i_made *made, const char *path, sotto_error *err) {
  const uint32_t count = sotto_ranks_count(ranks);
  sotto_i_rows rows = {0};
  uint64_t *first = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_generate_check(made->nodes, made->classes, made->key, err));
  SOTTO_TRY(sotto_i_new(&first, (size_t)count + 1, sizeof *first, err));
  share_nodes(first, count, made->nodes);
  SOTTO_TRY(sotto_i_rows_new(&rows, ranks, first, err));
  SOTTO_TRY(make_edges(&rows, made, err));
  SOTTO_TRY(write_all(out, figures, &rows, made, path, err));
done:
  sotto_i_rows_free(&rows);
  sotto_i_free(first);
  return status;
}
