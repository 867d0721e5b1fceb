/* Queries of a model, and its facts. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "inside/run.h"
#include "model.h"
#include "nn/rows/batch.h"
#include "run/storage/schema_file.h"
#include "tensor/columns.h"

const char *sotto_model_release_folder(const sotto_model *model) {
  if (model->nights.folder_of_night != NULL) return model->nights.folder_of_night;
  return model->release.has_job ? model->release.path : NULL;
}

const sotto_options *sotto_model_run(const sotto_model *model) {
  return &model->options;
}

const sotto_dataset *sotto_model_data(const sotto_model *model) {
  return model->run.data;
}

const uint32_t *sotto_model_night_rows(const sotto_model *model) {
  return model->tonight.rows;
}

const sotto_unseen *sotto_model_unseen(const sotto_model *model) {
  return &model->matched.unseen;
}

const sotto_names *sotto_model_class_names(const sotto_model *model) {
  return model->matched.schema != NULL ? &model->matched.schema->classes : &model->run.data->class_names;
}

sotto_status sotto_model_read_schema(sotto_schema **out, const char *run, sotto_error *err) {
  return sotto_i_schema_load(out, run, err);
}

size_t sotto_model_classes(const sotto_model *model) {
  return sotto_i_outputs(&model->options, model->run.data);
}

bool sotto_model_is_fixed(const sotto_model *model) {
  return model->kind.fixed;
}

const sotto_matrix *sotto_model_features(const sotto_model *model) {
  return &model->run.features;
}

const sotto_matrix *sotto_model_embeddings(const sotto_model *model) {
  return &model->rows;
}

const uint32_t *sotto_model_part(const sotto_model *model, sotto_part part, size_t *count) {
  *count = model->parted.split.count[part];
  return model->parted.split.rows[part];
}

/* Swaps rows of the stored table with those of `with`. */
static void swap_rows(sotto_matrix *table, const uint32_t *nodes, sotto_matrix *with) {
  for (size_t i = 0; i < with->rows; i++)
    for (size_t j = 0; j < with->cols; j++) {
      float *kept = &table->data[nodes[i] * table->cols + j], *other = &with->data[i * with->cols + j],
            was = *kept;
      *kept = *other;
      *other = was;
    }
}

static sotto_status check_query(const sotto_model *m, const sotto_query *q, sotto_error *err) {
  const uint64_t nodes = m->run.data->graph.nodes;
  if (q->changed_count > 0 &&
      (q->x == NULL || q->x->rows != q->changed_count || q->x->cols != m->run.features.cols))
    return sotto_i_fail(err, SOTTO_INVALID, "a query needs a row of %zu features for each node it changes",
                        m->run.features.cols);
  for (size_t i = 0; i < q->changed_count; i++)
    if (q->changed[i] >= nodes) return sotto_i_fail(err, SOTTO_RANGE, "there is no node %u", q->changed[i]);
  for (size_t i = 0; q->wanted != NULL && i < q->wanted_count; i++)
    if (q->wanted[i] >= nodes) return sotto_i_fail(err, SOTTO_RANGE, "there is no node %u", q->wanted[i]);
  return SOTTO_OK;
}

/* An error would reveal to the client that a node or its neighbours have such features. */
static void fill_probabilities(sotto_matrix *scores, const sotto_observer *observer) {
  const size_t found = sotto_i_rows_to_finite(scores);
  sotto_i_rows_to_softmax(scores);
  if (found > 0)
    sotto_i_log(
        observer, SOTTO_LOG_WARNING,
        "%zu of %zu answers overflow, and give all classes the same probability: features of these nodes "
        "or their neighbours are too large",
        found, scores->rows);
}

static void check_numbers(sotto_matrix *numbers, const sotto_observer *observer) {
  const size_t found = sotto_i_rows_to_finite(numbers);
  if (found > 0)
    sotto_i_log(
        observer, SOTTO_LOG_WARNING,
        "%zu of %zu predicted numbers overflow, and are 0: features of these nodes or their neighbours "
        "are too large",
        found, numbers->rows);
}

/* Do these nodes ascend? */
static bool ascends(const uint32_t *nodes, size_t count) {
  for (size_t i = 1; i < count; i++)
    if (nodes[i] <= nodes[i - 1]) return false;
  return true;
}

/* Scores of wanted[0..count), which ascend, into `out`, one batch of nodes after the other: so they have the
 * same bytes in one process and over ranks, which have whole batches. */
static sotto_status scores_by_batches(sotto_matrix *out, sotto_model *m, const uint32_t *wanted, size_t count,
                                      sotto_error *err) {
  const size_t most = sotto_i_batch_rows();
  sotto_matrix part = {0};
  uint32_t *places = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&places, most, sizeof *places, err));
  for (size_t begin = 0, end; begin < count; begin = end) {
    const size_t after = (wanted[begin] / most + 1) * most;
    end = begin + sotto_i_window_place(wanted + begin, count - begin, after);
    for (size_t i = begin; i < end; i++) places[i - begin] = wanted[i] - (uint32_t)m->window.first;
    SOTTO_TRY(m->kind.scores(m->kind.self, &part, &m->rows, places, end - begin, err));
    memcpy(out->data + begin * out->cols, part.data, (end - begin) * out->cols * sizeof *out->data);
    sotto_matrix_free(&part);
  }
done:
  sotto_matrix_free(&part);
  sotto_i_free(places);
  return status;
}

/* Rank 0 gets the scores of all ranks, the others have no answers. */
static sotto_status scores_over_ranks(sotto_matrix *out, sotto_model *m, const sotto_query *q, size_t count,
                                      sotto_error *err) {
  const sotto_i_window *w = &m->window;
  const bool first = sotto_i_ranks_first(w->ranks);
  uint32_t *all = NULL;
  sotto_status status;
  if (q->changed_count > 0 || (q->wanted != NULL && !ascends(q->wanted, count)) || !m->kind.fixed)
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "a query over ranks is of ascending nodes, whose answers follow from a release, and changes "
        "no features; ask in one process");
  if (q->wanted == NULL) SOTTO_TRY(sotto_i_new_raw(&all, w->nodes, sizeof *all, err));
  for (size_t v = 0; all != NULL && v < w->nodes; v++) all[v] = (uint32_t)v;
  const uint32_t *wanted = all != NULL ? all : q->wanted;
  const size_t begin = sotto_i_window_place(wanted, count, w->first),
               own = sotto_i_window_place(wanted, count, w->first + w->count) - begin;
  SOTTO_TRY(sotto_matrix_new(out, first ? count : own, sotto_model_classes(m), err));
  SOTTO_TRY(scores_by_batches(out, m, wanted + begin, own, err));
  SOTTO_TRY(sotto_i_window_gather(out, w, wanted, count, err));
  if (!first) sotto_matrix_free(out);
done:
  sotto_i_free(all);
  return status;
}

static sotto_status find_scores(sotto_matrix *out, sotto_model *m, const sotto_query *q, sotto_error *err) {
  const uint32_t *wanted = q->wanted == NULL ? m->all : q->wanted;
  const size_t count = q->wanted == NULL ? m->run.data->graph.nodes : q->wanted_count;
  if (m->window.ranks != NULL) return scores_over_ranks(out, m, q, count, err);
  if (!m->kind.fixed || !m->run.variant->ranks || !ascends(wanted, count))
    return m->kind.scores(m->kind.self, out, &m->rows, wanted, count, err);
  const sotto_status status = sotto_matrix_new(out, count, sotto_model_classes(m), err);
  return status == SOTTO_OK ? scores_by_batches(out, m, wanted, count, err) : status;
}

sotto_status sotto_model_query(sotto_matrix *out, sotto_model *m, const sotto_query *q, sotto_error *err) {
  sotto_status status;
  sotto_matrix rows = {0};
  *out = (sotto_matrix){0};
  SOTTO_TRY(check_query(m, q, err));
  if (q->changed_count > 0) SOTTO_TRY(m->kind.rows(m->kind.self, &rows, q->x, q->changed, err));
  swap_rows(&m->rows, q->changed, &rows);
  status = find_scores(out, m, q, err);
  swap_rows(&m->rows, q->changed, &rows);
  if (status == SOTTO_OK && sotto_i_learns_numbers(&m->options))
    check_numbers(out, m->run.observer);
  else if (status == SOTTO_OK)
    fill_probabilities(out, m->run.observer);
done:
  sotto_matrix_free(&rows);
  if (status != SOTTO_OK) sotto_matrix_free(out);
  return status;
}

sotto_status sotto_model_predict(sotto_model *m, float *out, size_t room, const uint32_t *nodes, size_t count,
                                 sotto_error *err) {
  const uint64_t all = m->run.data->graph.nodes;
  size_t floats;
  sotto_matrix answers = {0};
  if (nodes == NULL && count != all)
    return sotto_i_fail(err, SOTTO_INVALID, "count: %zu, and without nodes it is that of all, %llu", count,
                        (unsigned long long)all);
  for (size_t i = 0; nodes != NULL && i < count; i++)
    if (nodes[i] >= all)
      return sotto_i_fail(err, SOTTO_RANGE, "nodes: element %zu is %u, not below %llu", i, nodes[i],
                          (unsigned long long)all);
  if (__builtin_mul_overflow(count, sotto_model_classes(m), &floats) || floats > room)
    return sotto_i_fail(err, SOTTO_INVALID, "room: %zu floats, and %zu nodes of %zu classes need more", room,
                        count, sotto_model_classes(m));
  if (count == 0) return SOTTO_OK;
  sotto_status status =
      sotto_model_query(&answers, m, &(sotto_query){.wanted = nodes, .wanted_count = count}, err);
  if (status == SOTTO_OK && answers.rows == count) memcpy(out, answers.data, floats * sizeof *out);
  sotto_matrix_free(&answers);
  return status;
}
