/* Planetoid (Yang et al. 2016): features and labels of x, tx and allx, a dict of neighbours, and the test
 * rows.
 *
 * - Rows of allx are nodes 0 .. a - 1; row i of tx is node test.index[i].
 * - In citeseer, the range of test.index has gaps. Those nodes have neighbours, but no features and no
 *   label: they get zero features and label -1, and are in no part of the split.
 * - Split: the rows of x train, the next 500 validate, the test rows test. */
#include <string.h>

#include "base/memory.h"
#include "pickle.h"

enum { validation_nodes = 500 };

typedef struct planetoid {
  sotto_i_pickle pickles[SOTTO_I_PLANETOID_TEST]; /* all files but the last are pickles */
  sotto_i_csr x, tx, allx;
  sotto_i_array y, ty, ally;
  uint64_t *test;
  size_t test_count, test_room;
} planetoid;

static sotto_status decode_pickles(planetoid *p, const sotto_i_source *files, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; i < SOTTO_I_PLANETOID_TEST; i++)
    SOTTO_TRY(sotto_i_pickle_decode(&p->pickles[i], &files[i], err));
  static const uint8_t features[3] = {SOTTO_I_PLANETOID_X, SOTTO_I_PLANETOID_TX, SOTTO_I_PLANETOID_ALLX};
  static const uint8_t labels[3] = {SOTTO_I_PLANETOID_Y, SOTTO_I_PLANETOID_TY, SOTTO_I_PLANETOID_ALLY};
  sotto_i_csr *matrices[3] = {&p->x, &p->tx, &p->allx};
  sotto_i_array *arrays[3] = {&p->y, &p->ty, &p->ally};
  for (size_t i = 0; i < 3; i++) {
    const sotto_i_pickle *matrix = &p->pickles[features[i]], *array = &p->pickles[labels[i]];
    SOTTO_TRY(sotto_i_pickle_csr(matrix, &matrix->values[matrix->root], matrices[i], err));
    SOTTO_TRY(sotto_i_pickle_array(array, &array->values[array->root], "of labels", arrays[i], err));
    if (arrays[i]->dims != 2 || arrays[i]->shape[0] != matrices[i]->rows ||
        arrays[i]->shape[1] != p->y.shape[1])
      return sotto_i_fail(err, SOTTO_PARSE,
                          "%s: the labels do not have one row per node and one column per class",
                          array->source.file);
    if (matrices[i]->cols != p->x.cols)
      return sotto_i_fail(err, SOTTO_PARSE, "%s: has %llu features, but x has %llu", matrix->source.file,
                          (unsigned long long)matrices[i]->cols, (unsigned long long)p->x.cols);
  }
  if (p->x.rows == 0 || p->x.rows > p->allx.rows)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: has no rows, or more than allx",
                        files[SOTTO_I_PLANETOID_X].file);
done:
  return status;
}

/* Reads one node number per line, one line per row of tx; each in [first, nodes), all different. */
static sotto_status read_test(planetoid *p, const sotto_i_source *file, uint64_t nodes, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  sotto_i_lines lines;
  const uint8_t *text;
  size_t size;
  uint8_t *seen = NULL;
  SOTTO_TRY(sotto_i_new(&seen, nodes, 1, err));
  sotto_i_lines_init(&lines, file);
  while (sotto_i_lines_next(&lines, &text, &size)) {
    int64_t node;
    if (!sotto_i_text_integer(text, size, &node) || node < 0 || (uint64_t)node < p->allx.rows ||
        (uint64_t)node >= nodes || seen[node]++ != 0) {
      status = sotto_i_fail(
          err, SOTTO_RANGE, "%s: line %llu: needs a test node from %llu to below %llu, each once", file->file,
          (unsigned long long)lines.line, (unsigned long long)p->allx.rows, (unsigned long long)nodes);
      goto done;
    }
    SOTTO_TRY(sotto_i_grow(&p->test, &p->test_room, p->test_count + 1, sizeof *p->test, err));
    p->test[p->test_count++] = (uint64_t)node;
  }
  if (p->test_count != p->tx.rows)
    status = sotto_i_fail(err, SOTTO_PARSE, "%s: line %llu: %zu test nodes, but tx has %llu rows", file->file,
                          (unsigned long long)lines.line, p->test_count, (unsigned long long)p->tx.rows);
done:
  sotto_i_free(seen);
  return status;
}

/* Features: the rows of allx, then those of tx at their nodes; nodes without a row stay zero. */
typedef struct placed_rows {
  const planetoid *p;
  uint64_t *row; /* row of tx + 1; 0: none */
} placed_rows;

static void add_row(const void *context, uint64_t v, float *row) {
  const placed_rows *x = context;
  if (v < x->p->allx.rows)
    sotto_i_csr_row(&x->p->allx, v, row);
  else if (x->row[v] > 0)
    sotto_i_csr_row(&x->p->tx, x->row[v] - 1, row);
}

static size_t row_entries(const void *context, uint64_t v, uint32_t *columns, float *values) {
  const placed_rows *x = context;
  if (v < x->p->allx.rows) return sotto_i_csr_entries(&x->p->allx, v, columns, values);
  return x->row[v] > 0 ? sotto_i_csr_entries(&x->p->tx, x->row[v] - 1, columns, values) : 0;
}

static sotto_status fill_features(sotto_i_parts *parts, const planetoid *p, const char *file, size_t bytes,
                                  sotto_error *err) {
  placed_rows x = {p, NULL};
  sotto_status status = sotto_i_new(&x.row, parts->nodes, sizeof *x.row, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < p->test_count; i++) x.row[p->test[i]] = i + 1;
  parts->width = p->allx.cols;
  status = sotto_i_features_read(parts, p->allx.indices.count + p->tx.indices.count,
                                 &(sotto_i_feature_reader){&x, add_row, row_entries}, file, bytes, err);
  sotto_i_free(x.row);
  return status;
}

/* The class of a one-hot row; -1 for a row of zeros. */
static sotto_status read_label(const sotto_i_array *labels, uint64_t row, const char *file, int32_t *out,
                               sotto_error *err) {
  const uint64_t classes = labels->shape[1];
  *out = -1;
  for (uint64_t c = 0; c < classes; c++) {
    double value = sotto_i_array_double(labels, row * classes + c);
    if (value == 0) continue;
    if (*out >= 0 || value != 1)
      return sotto_i_fail(err, SOTTO_PARSE, "%s: row %llu is not one-hot", file, (unsigned long long)row);
    *out = (int32_t)c;
  }
  return SOTTO_OK;
}

static sotto_status fill_rows(sotto_i_parts *parts, const planetoid *p, const sotto_i_source *files,
                              sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (uint64_t v = 0; v < p->allx.rows; v++) {
    SOTTO_TRY(read_label(&p->ally, v, files[SOTTO_I_PLANETOID_ALLY].file, &parts->labels[v], err));
    if (parts->labels[v] < 0) continue;
    if (v < p->x.rows)
      parts->split[v] = SOTTO_PART_TRAIN;
    else if (v < p->x.rows + validation_nodes)
      parts->split[v] = SOTTO_PART_VALIDATION;
  }
  for (uint64_t i = 0; i < p->tx.rows; i++) {
    const uint64_t v = p->test[i];
    SOTTO_TRY(read_label(&p->ty, i, files[SOTTO_I_PLANETOID_TY].file, &parts->labels[v], err));
    if (parts->labels[v] >= 0) parts->split[v] = SOTTO_PART_TEST;
  }
done:
  return status;
}

static sotto_status assemble_parts(sotto_i_parts *parts, planetoid *p, const sotto_i_source *files,
                                   sotto_i_edge_list *pairs, sotto_error *err) {
  sotto_status status;
  uint64_t nodes;
  size_t bytes = 0;
  const sotto_i_pickle *graph = &p->pickles[SOTTO_I_PLANETOID_GRAPH];
  for (size_t i = 0; i < SOTTO_I_PLANETOID_FILES; i++) bytes += files[i].size;
  SOTTO_TRY(sotto_i_pickle_edges(graph, &graph->values[graph->root], &nodes, pairs, err));
  if (p->allx.rows > nodes)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: has more rows than the graph has nodes",
                        files[SOTTO_I_PLANETOID_ALLX].file);
  SOTTO_TRY(read_test(p, &files[SOTTO_I_PLANETOID_TEST], nodes, err));
  SOTTO_TRY(sotto_i_parts_edges(parts, nodes, pairs, files[SOTTO_I_PLANETOID_GRAPH].file, err));
  SOTTO_TRY(fill_features(parts, p, files[SOTTO_I_PLANETOID_ALLX].file, bytes, err));
  parts->classes = (uint32_t)p->y.shape[1];
  SOTTO_TRY(sotto_i_new(&parts->labels, nodes, sizeof *parts->labels, err));
  memset(parts->labels, 0xFF, nodes * sizeof *parts->labels);
  SOTTO_TRY(sotto_i_new(&parts->split, nodes, 1, err));
  SOTTO_TRY(fill_rows(parts, p, files, err));
done:
  return status;
}

sotto_status sotto_i_read_planetoid(sotto_i_parts *parts, const sotto_i_source *files, sotto_error *err) {
  planetoid p = {0};
  sotto_i_edge_list pairs = {0};
  sotto_status status = decode_pickles(&p, files, err);
  if (status == SOTTO_OK) status = assemble_parts(parts, &p, files, &pairs, err);
  for (size_t i = 0; i < SOTTO_I_PLANETOID_TEST; i++) sotto_i_pickle_free(&p.pickles[i]);
  sotto_i_edge_list_free(&pairs);
  sotto_i_free(p.test);
  return status;
}
