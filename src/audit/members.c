/* Predictions for members and others over one graph, and over the graphs of an inductive split. */
#include "members.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "run/train/model.h"

/* `fresh`: over a graph other than that of the release. */
static sotto_status query_model(sotto_matrix *out, const char *folder, const sotto_options *options,
                                const sotto_dataset *data, bool fresh, sotto_error *err) {
  const sotto_model_options as = {.seed = SOTTO_UNSET,
                                  .fresh = fresh && !sotto_i_method_of(options)->no_fresh};
  sotto_model *model = NULL;
  sotto_status status = sotto_i_model_open(&model, folder, data, &as, err);
  if (status == SOTTO_OK) status = sotto_model_query(out, model, &(sotto_query){0}, err);
  sotto_model_free(model);
  return status;
}

/* Replaces rows of members in the whole graph by those in the training graph. */
static void replace_members(sotto_i_members *m, const sotto_matrix *trained, const uint32_t *inside,
                            const uint8_t *role) {
  const size_t cols = trained->cols;
  for (size_t i = 0; i < trained->rows; i++) {
    const float *row = trained->data + i * cols;
    float *to = m->usual.data + inside[i] * cols;
    if (role[inside[i]] != SOTTO_I_MEMBER) continue;
    m->differs = m->differs || memcmp(to, row, cols * sizeof *row) != 0;
    memcpy(to, row, cols * sizeof *row);
  }
}

static void drop_neither(sotto_i_members *m, const uint8_t *role) {
  size_t kept = 0;
  const size_t cols = m->same.cols, rows = m->same.rows;
  for (size_t v = 0; v < rows; v++) {
    if (role[v] == SOTTO_I_NEITHER) continue;
    memmove(m->same.data + kept * cols, m->same.data + v * cols, cols * sizeof(float));
    memmove(m->usual.data + kept * cols, m->usual.data + v * cols, cols * sizeof(float));
    m->members[kept++] = role[v] == SOTTO_I_MEMBER;
  }
  m->same.rows = m->usual.rows = kept;
}

sotto_status sotto_i_members_ask(sotto_i_members *out, const char *folder, const sotto_options *options,
                                 const sotto_dataset *whole, const sotto_dataset *part,
                                 const uint32_t *inside, const uint8_t *role, bool own, sotto_error *err) {
  sotto_status status;
  sotto_matrix trained = {0};
  *out = (sotto_i_members){.members = NULL};
  SOTTO_TRY(query_model(&out->same, folder, options, whole, true, err));
  SOTTO_TRY(query_model(&trained, folder, options, part, !own, err));
  SOTTO_TRY(sotto_matrix_new(&out->usual, out->same.rows, out->same.cols, err));
  memcpy(out->usual.data, out->same.data, out->same.rows * out->same.cols * sizeof(float));
  SOTTO_TRY(sotto_i_new(&out->members, whole->graph.nodes, 1, err));
  replace_members(out, &trained, inside, role);
  drop_neither(out, role);
done:
  sotto_matrix_free(&trained);
  return status;
}

/* Number of rows, whether the tables differ, both tables, members. */
typedef struct head {
  uint64_t rows, differs;
} head;

size_t sotto_i_members_bytes(size_t rows, size_t classes) {
  return sizeof(head) + rows * (2 * classes * sizeof(float) + 1);
}

sotto_status sotto_i_members_put(uint8_t *to, const sotto_i_members *m, size_t rows, size_t classes,
                                 sotto_error *err) {
  const head h = {m->same.rows, m->differs ? 1 : 0};
  const size_t table = h.rows * classes * sizeof(float);
  if (m->same.cols != classes || h.rows > rows)
    return sotto_i_fail(err, SOTTO_INVALID, "a model answers with %zu classes where the data has %zu",
                        m->same.cols, classes);
  memcpy(to, &h, sizeof h);
  memcpy(to + sizeof h, m->same.data, table);
  memcpy(to + sizeof h + table, m->usual.data, table);
  memcpy(to + sizeof h + 2 * table, m->members, h.rows);
  return SOTTO_OK;
}

sotto_status sotto_i_members_take(sotto_i_members *out, const uint8_t *from, size_t rows, size_t classes,
                                  sotto_error *err) {
  head h;
  sotto_status status;
  memcpy(&h, from, sizeof h);
  if (h.rows > rows)
    return sotto_i_fail(err, SOTTO_CORRUPT, "a kept cell of the audit has %llu rows where %zu are the most",
                        (unsigned long long)h.rows, rows);
  const size_t table = h.rows * classes * sizeof(float);
  out->differs = h.differs != 0;
  SOTTO_TRY(sotto_matrix_new(&out->same, h.rows, classes, err));
  SOTTO_TRY(sotto_matrix_new(&out->usual, h.rows, classes, err));
  SOTTO_TRY(sotto_i_new(&out->members, h.rows, 1, err));
  memcpy(out->same.data, from + sizeof h, table);
  memcpy(out->usual.data, from + sizeof h + table, table);
  memcpy(out->members, from + sizeof h + 2 * table, h.rows);
done:
  return status;
}

void sotto_i_members_free(sotto_i_members *members) {
  sotto_matrix_free(&members->same);
  sotto_matrix_free(&members->usual);
  sotto_i_free(members->members);
}
