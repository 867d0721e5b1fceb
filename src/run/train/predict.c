/* Trained models: a run folder and a dataset, opened; queries. */
#include "predict.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "nights.h"
#include "other_data.h"
#include "run/files/folder_file.h"
#include "run/storage/data_file.h"
#include "run/storage/facts_file.h"
#include "tensor/columns.h"

struct sotto_model {
  sotto_options options;
  sotto_dataset own; /* opened here, when no data was given */
  sotto_i_run run;
  sotto_i_job job;
  sotto_i_parted parted;
  sotto_i_seat seat; /* of one client of a federation, whose folder it is */
  sotto_i_facts facts;
  sotto_dataset other; /* data with the run's number of classes */
  sotto_i_other_data release;
  sotto_i_nights nights;
  char *folder;
  sotto_i_predictor kind;
  sotto_matrix rows; /* of all nodes */
  uint32_t *all;     /* 0, 1, 2, ... */
};

static sotto_status check_kind(const sotto_options *o, sotto_error *err) {
  if (sotto_i_method_of(o)->open == NULL)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "method: %s does not answer queries yet", o->method);
  if (o->adjacency == SOTTO_ADJACENCY_NODE)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "adjacency: models of %s at node level do not answer queries yet", o->method);
  if (o->label_features > 0 || o->label_edges > 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "label-features, label-edges: models of %s that read them do not answer queries yet",
                        o->method);
  if (o->wire != SOTTO_FORMAT_FLOAT32)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "wire: only float32 keeps what the label party of %s received", o->method);
  return SOTTO_OK;
}

/* Labels are no part of other data, so the number of classes is the run's. */
static sotto_status take_facts(sotto_model *m, const char *run, sotto_error *err) {
  const sotto_dataset *data = m->run.data;
  sotto_i_facts facts = {{0}};
  char *path = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_folder_find(&path, run, "facts", err));
  if (!sotto_i_is_file(path)) goto done;
  SOTTO_TRY(sotto_i_facts_load(&facts, run, err));
  const uint32_t classes = facts.words[SOTTO_I_FACT_CLASSES], inputs = facts.words[SOTTO_I_FACT_INPUTS];
  if (data->classes < classes) {
    m->other = *data;
    m->other.classes = classes;
    m->run.data = &m->other;
  }
  if (data->classes > classes)
    status = sotto_i_fail(err, SOTTO_INVALID, "%s: has labels of %u classes, and the model %u", data->name,
                          (unsigned)data->classes, (unsigned)classes);
  else if (data->features.cols != inputs)
    status = sotto_i_fail(err, SOTTO_INVALID, "%s: has %zu columns of features, and the model reads %u",
                          data->name, data->features.cols, (unsigned)inputs);
done:
  sotto_i_free(path);
  return status;
}

/* A client has the whole model; other parties have a part of it, or no data. */
static sotto_status take_seat(sotto_model *m, const char *run, sotto_error *err) {
  sotto_party party = {.number = 0};
  bool found;
  sotto_status status = sotto_i_role_load(&party, &found, run, err);
  if (status != SOTTO_OK || !found) return status;
  if (party.role == SOTTO_ROLE_DATA || party.role == SOTTO_ROLE_LABEL)
    return sotto_i_fail(
        err, SOTTO_INVALID,
        "%s: is the folder of one of two parties, which has half of the model; the two answer "
        "together, by `sotto party predict`",
        run);
  if (party.role == SOTTO_ROLE_HOLDER ||
      (party.role == SOTTO_ROLE_SERVER && sotto_i_variant_of(&m->options)->answer != NULL))
    return sotto_i_fail(
        err, SOTTO_INVALID,
        "%s: is the folder of one of several parties, which has a part of the model; all of them answer "
        "together, by `sotto party predict`",
        run);
  if (party.role != SOTTO_ROLE_CLIENT)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "%s: is the folder of a party that does not answer queries",
                        run);
  m->seat = (sotto_i_seat){.role = party.role, .number = party.number};
  return sotto_i_facts_load(&m->facts, run, err);
}

static sotto_status check_fit(const sotto_model *m, sotto_error *err) {
  const sotto_dataset *data = m->run.data;
  if (data->features.cols == 0 || data->classes == 0)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: has no features to predict from, or no classes", data->name);
  return SOTTO_OK;
}

static sotto_status read_run(sotto_model *m, const char *run, const sotto_dataset *data, uint64_t seed,
                             sotto_error *err) {
  sotto_status status;
  char *path = NULL, name[40];
  sotto_options_default(&m->options);
  SOTTO_TRY(sotto_i_join(&path, run, "run.yaml", err));
  SOTTO_TRY(sotto_options_read(&m->options, path, err));
  sotto_options_resolve(&m->options);
  SOTTO_TRY(sotto_options_check(&m->options, err));
  SOTTO_TRY(take_seat(m, run, err));
  SOTTO_TRY(check_kind(&m->options, err));
  if (data == NULL) SOTTO_TRY(sotto_i_data_file_open(&m->own, &m->options, err));
  if (seed == SOTTO_UNSET) seed = m->options.seed;
  if (seed < m->options.seed || seed >= m->options.seed + m->options.seeds) {
    status = sotto_i_fail(err, SOTTO_RANGE, "seed: %llu is none of the run's, %llu to %llu",
                          (unsigned long long)seed, (unsigned long long)m->options.seed,
                          (unsigned long long)(m->options.seed + m->options.seeds - 1));
    goto done;
  }
  (void)snprintf(name, sizeof name, "seed-%llu", (unsigned long long)seed);
  SOTTO_TRY(sotto_i_join(&m->folder, run, name, err));
  m->run = (sotto_i_run){.options = &m->options,
                         .data = data == NULL ? &m->own : data,
                         .variant = sotto_i_variant_of(&m->options),
                         .releases = sotto_i_job_releases(&m->options)};
  if (data != NULL) SOTTO_TRY(take_facts(m, run, err));
  SOTTO_TRY(check_fit(m, err));
  SOTTO_TRY(sotto_i_run_check_domain(&m->run, err));
  SOTTO_TRY(sotto_i_run_plan(&m->run, err));
  SOTTO_TRY(sotto_i_scaled_features(&m->run.features, &m->options, m->run.data, err));
  m->job = sotto_i_run_job(&m->run, m->folder, seed);
  if (m->seat.number > 0) {
    m->job.seat = &m->seat;
    m->job.facts = &m->facts;
  }
done:
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_opening_check(const sotto_i_opening *from, sotto_error *err) {
  if (from->own) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID,
                      "%s: what this run keeps is not of %s, as far as can be seen; other data is another "
                      "release, which is made and charged when epsilon is given for it. Where it is the same "
                      "data, give the run's folder with its owner-only",
                      from->job->folder, from->job->data->name);
}

/* Other data of a run with noise: the release that answers need, once epsilon was given for it. */
static sotto_status open_release(sotto_i_opening *from, sotto_model *m, const char *run,
                                 const sotto_model_options *asked, sotto_error *err) {
  const sotto_options *o = &m->options;
  const bool noisy = m->run.variant->edges && sotto_i_job_wants_privacy(o);
  if (asked == NULL || asked->epsilon == 0) return SOTTO_OK;
  if (from->own)
    return sotto_i_fail(
        err, SOTTO_INVALID,
        "epsilon: %s is the run's own data, of which it keeps a release; answers cost nothing, "
        "so leave epsilon out",
        m->run.data->name);
  if (!noisy)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "epsilon: this run has no noise, and neither have its answers; leave epsilon out");
  if (!(asked->epsilon > 0 && asked->epsilon <= 1e3))
    return sotto_i_fail(err, SOTTO_RANGE, "epsilon: %g; it must be above 0, and 1000 at most",
                        asked->epsilon);
  const sotto_i_other_request request = {.options = o,
                                         .run = run,
                                         .file = from->file,
                                         .data = m->run.data,
                                         .seed = m->job.seed,
                                         .epsilon = asked->epsilon,
                                         .account = asked->account,
                                         .observer = asked->observer};
  sotto_status status = sotto_i_other_data_open(&m->release, &request, err);
  if (status == SOTTO_OK && m->release.has_job) from->release = &m->release.job;
  return status;
}

/* Tonight's data, by the plan of all nights. */
static sotto_status open_night(sotto_i_opening *from, sotto_model *m, const char *run,
                               const sotto_model_options *asked, sotto_error *err) {
  const sotto_i_nights_request request = {&m->options, run, from->file, m->run.data, m->job.seed, asked};
  from->own = false;
  from->night = &m->nights.night;
  return sotto_i_nights_open(&m->nights, &request, err);
}

static sotto_status open_kind(sotto_model *m, const char *run, const sotto_model_options *asked,
                              sotto_error *err) {
  sotto_status status;
  char *file = NULL;
  const bool fresh = asked != NULL && asked->fresh;
  const uint64_t nodes = m->run.data->graph.nodes;
  SOTTO_TRY(sotto_i_join(&file, m->folder, "model.safetensors", err));
  if (m->run.data->labels != NULL && m->job.seat == NULL)
    SOTTO_TRY(sotto_i_parted_new(&m->parted, &m->job, err));
  sotto_i_opening from = {.job = &m->job, .parted = &m->parted, .file = file, .fresh = fresh};
  SOTTO_TRY(sotto_i_data_file_is_of(&from.own, run, m->run.data, err));
  if (asked != NULL && asked->nightly)
    SOTTO_TRY(open_night(&from, m, run, asked, err));
  else
    SOTTO_TRY(open_release(&from, m, run, asked, err));
  SOTTO_TRY(sotto_i_method_of(&m->options)->open(&m->kind, &from, err));
  SOTTO_TRY(sotto_i_other_data_state(&m->release, NULL, err));
  SOTTO_TRY(sotto_i_nights_state(&m->nights, err));
  SOTTO_TRY(sotto_i_new_raw(&m->all, nodes, sizeof *m->all, err));
  for (uint32_t v = 0; v < nodes; v++) m->all[v] = v;
  SOTTO_TRY(m->kind.rows(m->kind.self, &m->rows, &m->run.features, NULL, err));
done:
  sotto_i_free(file);
  return status;
}

sotto_status sotto_model_open(sotto_model **out, const char *run, const sotto_dataset *data,
                              const sotto_model_options *options, sotto_error *err) {
  sotto_status status;
  sotto_model *m = NULL;
  *out = NULL;
  SOTTO_TRY(sotto_i_new(&m, 1, sizeof *m, err));
  SOTTO_TRY(read_run(m, run, data, options == NULL ? SOTTO_UNSET : options->seed, err));
  SOTTO_TRY(open_kind(m, run, options, err));
  *out = m;
  m = NULL;
done:
  sotto_model_free(m);
  return status;
}

void sotto_model_free(sotto_model *m) {
  if (m == NULL) return;
  if (m->kind.free != NULL) m->kind.free(m->kind.self);
  sotto_i_parted_free(&m->parted);
  sotto_matrix_free(&m->rows);
  sotto_i_free(m->all);
  sotto_i_free(m->folder);
  sotto_i_other_data_free(&m->release);
  sotto_i_nights_free(&m->nights);
  sotto_i_run_end(&m->run);
  sotto_dataset_free(&m->own);
  sotto_i_free(m);
}

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

size_t sotto_model_classes(const sotto_model *model) {
  return model->run.data->classes;
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

/* Exchanges rows of the kept table with those of `with`. */
static void exchange(sotto_matrix *table, const uint32_t *nodes, sotto_matrix *with) {
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

sotto_status sotto_model_query(sotto_matrix *out, sotto_model *m, const sotto_query *q, sotto_error *err) {
  sotto_status status;
  sotto_matrix rows = {0};
  const uint32_t *wanted = q->wanted == NULL ? m->all : q->wanted;
  size_t count = q->wanted == NULL ? m->run.data->graph.nodes : q->wanted_count;
  *out = (sotto_matrix){0};
  SOTTO_TRY(check_query(m, q, err));
  if (q->changed_count > 0) SOTTO_TRY(m->kind.rows(m->kind.self, &rows, q->x, q->changed, err));
  exchange(&m->rows, q->changed, &rows);
  status = m->kind.scores(m->kind.self, out, &m->rows, wanted, count, err);
  exchange(&m->rows, q->changed, &rows);
  if (status == SOTTO_OK) sotto_i_rows_to_softmax(out);
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
  if (status == SOTTO_OK) memcpy(out, answers.data, floats * sizeof *out);
  sotto_matrix_free(&answers);
  return status;
}
