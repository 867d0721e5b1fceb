/* Trained models: a run folder and a dataset, opened. */
#include "model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "graph/blocks/block.h"
#include "run/files/folder_file.h"
#include "run/files/job_file.h"
#include "run/files/kept_check.h"
#include "run/settings/options.h"
#include "run/storage/data_file.h"
#include "run/storage/facts_file.h"
#include "run/storage/schema_file.h"
#include "run/storage/seed_file.h"
#include "tensor/columns.h"

bool sotto_model_of_graphs(const sotto_options *options, const sotto_dataset *data) {
  const sotto_i_method *method = sotto_i_method_named(options->method);
  if (method == NULL || method->items == NULL) return false;
  return !method->nodes_too || (data != NULL && data->graph_count > 0);
}

/* What the run keeps of its data; zeros where it keeps nothing. */
static sotto_status read_facts(sotto_i_facts *out, const char *run, sotto_error *err) {
  char *path = NULL;
  *out = (sotto_i_facts){{0}};
  sotto_status status = sotto_i_folder_find(&path, run, "facts", err);
  if (status == SOTTO_OK && sotto_i_is_file(path)) status = sotto_i_facts_load(out, run, err);
  sotto_i_free(path);
  return status;
}

/* The number of classes is the run's: other data need not have labels. */
static sotto_status set_facts(sotto_model *m, const char *run, sotto_error *err) {
  const sotto_dataset *data = m->run.data;
  sotto_i_facts facts;
  sotto_status status = read_facts(&facts, run, err);
  if (status != SOTTO_OK || facts.words[SOTTO_I_FACT_KIND] == 0) return status;
  if (facts.words[SOTTO_I_FACT_KIND] == 2)
    return sotto_i_fail(
        err, SOTTO_INVALID,
        "%s: is one graph, and the run in %s learnt classes of whole graphs; ask about a collection",
        data->name, run);
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
  return status;
}

/* A client has the whole model; other parties have only a part of it, or no data. */
static sotto_status set_role(sotto_model *m, const char *run, sotto_error *err) {
  sotto_party party = {.number = 0};
  bool found;
  sotto_status status = sotto_i_role_load(&party, &found, run, err);
  if (status != SOTTO_OK || !found) return status;
  const bool joined = sotto_i_labels_join(&m->options);
  if ((party.role == SOTTO_ROLE_DATA || party.role == SOTTO_ROLE_LABEL) && !joined)
    return sotto_i_fail(
        err, SOTTO_INVALID,
        "%s: is the folder of one of two parties, which has half of the model; the two answer "
        "together, by `sotto run predict`, or `sotto serve` with a role",
        run);
  if (party.role == SOTTO_ROLE_HOLDER || joined ||
      (party.role == SOTTO_ROLE_SERVER && sotto_i_variant_of(&m->options)->answer != NULL))
    return sotto_i_fail(
        err, SOTTO_INVALID,
        "%s: is the folder of one of several parties, which has a part of the model; all of them answer "
        "together, by `sotto run predict`",
        run);
  if (party.role != SOTTO_ROLE_CLIENT)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "%s: is the folder of a party that does not answer queries",
                        run);
  m->seat = (sotto_i_seat){.role = party.role, .number = party.number};
  return sotto_i_facts_load(&m->facts, run, err);
}

static sotto_ranks *ranks_of(const sotto_model *m) {
  return m->window.ranks;
}

/* Over ranks: the rows of this rank, and the data without its ranks, since each works alone from here on. */
static sotto_status set_window(sotto_model *m, sotto_error *err) {
  const sotto_i_block *block = sotto_i_block_of(m->run.data);
  if (block == NULL) return sotto_i_scaled_features(&m->run.features, &m->options, m->run.data, err);
  const sotto_status status =
      sotto_i_window_features(&m->run.features, &m->window, &m->options, m->run.data, err);
  m->apart = *m->run.data;
  m->apart.storage = NULL;
  m->run.data = &m->apart;
  return status;
}

static sotto_status check_fit(const sotto_model *m, sotto_error *err) {
  const sotto_dataset *data = m->run.data;
  if (data->features.cols == 0 || sotto_i_outputs(&m->options, data) == 0)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: has no features to predict from, or no classes", data->name);
  return SOTTO_OK;
}

static bool is_of_graphs(const sotto_model *m, const sotto_model_options *asked) {
  const bool of_graphs = sotto_model_of_graphs(&m->options, m->run.data);
  return asked != NULL && (asked->graphs || (asked->served && of_graphs));
}

static bool is_repeat(const sotto_model_options *asked) {
  return asked != NULL && (asked->again > 0 || (asked->nightly && asked->night > 0));
}

static bool is_alone(const sotto_model_options *asked) {
  return asked != NULL && asked->alone;
}

/* Counts and sums of a node without neighbours are 0 without any release, so the model reads them without
 * noise. The model's inputs were selected by true labels, so label-epsilon refuses them, as for all other
 * data. */
static sotto_status set_alone(sotto_model *m, const sotto_model_options *asked, sotto_error *err) {
  if (!is_alone(asked)) return SOTTO_OK;
  if (asked->fresh || asked->nightly || asked->again > 0 || asked->epsilon != 0)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "alone: goes with none of fresh, epsilon, again and nightly, which read edges");
  m->options.epsilon = INFINITY;
  return sotto_i_other_data_check_labels(&m->options, err);
}

/* Graphs are read as in training by models that read features of their nodes. */
static sotto_status match_graphs(sotto_model *m, const char *run, const sotto_dataset *data,
                                 sotto_error *err) {
  const sotto_i_method *method = sotto_i_method_of(&m->options);
  const size_t inputs = method->inputs == NULL ? data->features.cols : method->inputs(data);
  sotto_i_facts facts;
  sotto_status status = read_facts(&facts, run, err);
  if (status != SOTTO_OK) return status;
  if (facts.words[SOTTO_I_FACT_KIND] != 2)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "%s: is a collection of graphs, and the run in %s learnt classes of nodes",
                        data->name, run);
  m->facts = facts;
  SOTTO_TRY(sotto_i_matched_open(&m->matched, data, run, &m->options, true, NULL, err));
  if (m->matched.schema == NULL && inputs != facts.words[SOTTO_I_FACT_INPUTS])
    return sotto_i_fail(err, SOTTO_INVALID, "%s: has %zu columns of features, and the model reads %u",
                        data->name, inputs, (unsigned)facts.words[SOTTO_I_FACT_INPUTS]);
done:
  return status;
}

/* Answers about graphs read no release and make none, so that nothing is planned. Labels by other names than
 * those of the training are not compared with answers. */
static sotto_status open_items(sotto_model *m, const char *run, const sotto_dataset *data, uint64_t seed,
                               const sotto_model_options *asked, sotto_error *err) {
  sotto_status status;
  if (asked->fresh || asked->alone || is_repeat(asked) || asked->nightly || asked->epsilon != 0)
    return sotto_i_fail(
        err, SOTTO_INVALID,
        "graphs: answers about graphs are made here and leave nothing, so they need no release "
        "and no epsilon; to ask the server of a run, `sotto run predict`");
  if (sotto_i_method_of(&m->options)->nodes_too) {
    SOTTO_TRY(match_graphs(m, run, data, err));
  } else {
    m->matched = (sotto_i_matched){.given = data, .data = data};
    SOTTO_TRY(sotto_i_schema_load(&m->matched.schema, run, err));
  }
  SOTTO_TRY(sotto_i_method_of(&m->options)->items(&m->items, &m->options, m->matched.data, err));
  const uint64_t classes =
      m->facts.words[SOTTO_I_FACT_CLASSES] > 0 ? m->facts.words[SOTTO_I_FACT_CLASSES] : m->options.classes;
  if (classes > 0 && m->items.classes > classes)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: has labels of %u classes, and the model %llu", data->name,
                        (unsigned)m->items.classes, (unsigned long long)classes);
  if (classes > 0) m->items.classes = (uint32_t)classes;
  if (m->matched.schema != NULL) m->items.labels = NULL;
  m->run.data = &m->items;
  SOTTO_TRY(sotto_i_take_columns(&m->run.features, &m->items.features, 0, m->items.features.cols, err));
  m->job = sotto_i_run_job(&m->run, m->folder, seed);
  if (m->seat.number > 0 && sotto_i_method_of(&m->options)->nodes_too) {
    m->job.seat = &m->seat;
    m->job.facts = &m->facts;
  }
done:
  return status;
}

/* The seed whose model is read: the first, if none is asked for. */
static sotto_status choose_seed(uint64_t *seed, const sotto_options *o, const sotto_model_options *asked,
                                sotto_error *err) {
  *seed = asked == NULL || asked->seed == SOTTO_UNSET ? o->seed : asked->seed;
  if (*seed >= o->seed && *seed < o->seed + o->seeds) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_RANGE, "seed: %llu is none of the run's, %llu to %llu",
                      (unsigned long long)*seed, (unsigned long long)o->seed,
                      (unsigned long long)(o->seed + o->seeds - 1));
}

/* The data as the run's task has it: with classes, or with numbers. */
static const sotto_dataset *for_task(sotto_model *m, const sotto_dataset *given) {
  if (!sotto_i_has_other_task(given, &m->options)) return given;
  m->view = *given;
  sotto_i_forget_other_task(&m->view, &m->options);
  return &m->view;
}

/* Answers of a run with a paper's accounting say that the claim is not what holds. */
static void tell_published(const sotto_model *m, const sotto_model_options *asked) {
  sotto_i_run told = m->run;
  told.observer = asked == NULL ? NULL : asked->observer;
  sotto_i_run_tell_published(&told);
}

static sotto_status open_seed(sotto_model *m, const char *run, uint64_t seed, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_seed_path(&m->folder, run, seed, err));
  SOTTO_TRY(sotto_i_seed_file_check(run, m->folder, err));
  status = sotto_i_kept_check_model(run, seed, err);
done:
  return status;
}

static sotto_status read_run(sotto_model *m, const char *run, const sotto_dataset *data,
                             const sotto_model_options *asked, sotto_error *err) {
  uint64_t seed;
  sotto_status status;
  char *path = NULL;
  sotto_i_options_default(&m->options);
  SOTTO_TRY(sotto_i_join(&path, run, "run.yaml", err));
  SOTTO_TRY(sotto_options_read(&m->options, path, err));
  if (asked != NULL && asked->ledger != NULL)
    SOTTO_TRY(sotto_options_set(&m->options, "ledger", asked->ledger, err));
  sotto_options_resolve(&m->options);
  SOTTO_TRY(sotto_options_check(&m->options, err));
  SOTTO_TRY(set_role(m, run, err));
  SOTTO_TRY(sotto_i_model_check_kind(&m->options, is_of_graphs(m, asked), err));
  SOTTO_TRY(sotto_i_model_check_rows(&m->options, asked, err));
  SOTTO_TRY(set_alone(m, asked, err));
  if (data == NULL) {
    SOTTO_TRY(sotto_i_model_check_named(asked, err));
    SOTTO_TRY(sotto_run_data_open(&m->own, &m->options, run, NULL, err));
  } else if (is_repeat(asked) || is_alone(asked)) {
    SOTTO_TRY(sotto_i_edgeless_new(&m->edgeless, data, err));
    data = &m->edgeless;
  }
  SOTTO_TRY(choose_seed(&seed, &m->options, asked, err));
  SOTTO_TRY(open_seed(m, run, seed, err));
  m->run = (sotto_i_run){.options = &m->options,
                         .data = for_task(m, data == NULL ? &m->own : data),
                         .variant = sotto_i_variant_of(&m->options),
                         .releases = sotto_i_job_releases(&m->options)};
  const sotto_i_block *block = sotto_i_block_of(m->run.data);
  if (block != NULL) m->window = sotto_i_window_of(block->ranks, block->nodes);
  if (block != NULL) SOTTO_TRY(sotto_i_model_check_ranks(m, asked, err));
  if (is_of_graphs(m, asked)) {
    if (asked->served) SOTTO_TRY(sotto_i_model_check_served(&m->options, err));
    status = open_items(m, run, m->run.data, seed, asked, err);
    goto done;
  }
  SOTTO_TRY(sotto_i_matched_open(&m->matched, m->run.data, run, &m->options, asked != NULL && asked->fresh,
                                 asked == NULL ? NULL : asked->observer, err));
  m->run.data = m->matched.data;
  if (data != NULL && asked != NULL && asked->nightly)
    SOTTO_TRY(sotto_i_tonight_open(&m->tonight, run, &m->options, m->run.data, asked->night, err));
  if (m->tonight.rows != NULL) m->run.data = &m->tonight.data;
  if (data != NULL) SOTTO_TRY(set_facts(m, run, err));
  SOTTO_TRY(check_fit(m, err));
  SOTTO_TRY(sotto_i_run_check_domain(&m->run, err));
  SOTTO_TRY(sotto_i_run_plan(&m->run, err));
  tell_published(m, asked);
  SOTTO_TRY(set_window(m, err));
  m->job = sotto_i_run_job(&m->run, m->folder, seed);
  if (m->seat.number > 0) {
    m->job.seat = &m->seat;
    m->job.facts = &m->facts;
  }
done:
  sotto_i_free(path);
  return status;
}

/* Only the caller's request decides whether a release is made, never the edges of the data. */
static sotto_status check_asked(const sotto_model *m, const sotto_model_options *asked, sotto_error *err) {
  const bool noisy = sotto_i_variant_has_noise(m->run.variant) && sotto_i_job_wants_privacy(&m->options);
  if (asked->again > 0 && asked->epsilon != 0)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "again: release %llu has its epsilon; leave epsilon out, or leave again out to make "
                        "another release",
                        (unsigned long long)asked->again);
  if (!noisy)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "%s: this run has no noise, and neither have its answers; leave %s out",
                        asked->again > 0 ? "again" : "epsilon", asked->again > 0 ? "again" : "epsilon");
  if (asked->again == 0 && !(asked->epsilon > 0 && asked->epsilon <= 1e3))
    return sotto_i_fail(err, SOTTO_RANGE, "epsilon: %g; it must be above 0, and 1000 at most",
                        asked->epsilon);
  return SOTTO_OK;
}

/* For other data of a run with noise: opens the release that predictions need, if it was requested. */
static sotto_status open_release(sotto_i_opening *from, sotto_model *m, const char *run,
                                 const sotto_model_options *asked, sotto_error *err) {
  sotto_status status = check_asked(m, asked, err);
  if (status != SOTTO_OK) return status;
  from->own = false;
  const sotto_i_other_request request = {.options = &m->options,
                                         .run = run,
                                         .file = from->file,
                                         .data = m->run.data,
                                         .seed = m->job.seed,
                                         .epsilon = asked->epsilon,
                                         .again = asked->again,
                                         .reads = !sotto_i_ranks_first(ranks_of(m)),
                                         .account = asked->account,
                                         .observer = asked->observer};
  status = sotto_i_other_data_open(&m->release, &request, err);
  if (status == SOTTO_OK && m->release.has_job) from->release = &m->release.job;
  return status;
}

/* Opens tonight's data under the plan of nights. */
static sotto_status open_night(sotto_i_opening *from, sotto_model *m, const char *run,
                               const sotto_model_options *asked, sotto_error *err) {
  const sotto_i_nights_request request = {&m->options, run, from->file, m->run.data, m->job.seed, asked};
  from->own = false;
  from->night = &m->nights.night;
  if (asked->again > 0)
    return sotto_i_fail(err, SOTTO_INVALID, "again: repeats a release; night repeats a night of a plan");
  return sotto_i_nights_open(&m->nights, &request, err);
}

/* Labels of other data, and of graphs, are only for evaluation, so few are enough; labels of the run's own
 * nodes give the split. */
static sotto_status set_split(sotto_model *m, const char *run, sotto_error *err) {
  bool own = false;
  sotto_error few = {0};
  sotto_status status;
  const bool learnt = m->run.data->labels != NULL || m->run.data->numbers != NULL;
  if (!learnt || m->job.seat != NULL) return SOTTO_OK;
  SOTTO_TRY(sotto_i_matched_is_own(&own, &m->matched, run, &m->options, err));
  if (!own && m->options.split == SOTTO_SPLITTING_TIME) goto done; /* other data are as they are */
  const bool needed = own && m->run.data != &m->items;
  status = sotto_i_parted_new(&m->parted, &m->job, needed ? err : &few);
  if (status == SOTTO_OK || needed) goto done;
  sotto_i_parted_free(&m->parted);
  m->parted = (sotto_i_parted){0};
  if (status == SOTTO_RANGE || status == SOTTO_INVALID) return SOTTO_OK;
  if (err != NULL) *err = few;
done:
  return status;
}

static sotto_status open_kind(sotto_model *m, const char *run, const sotto_model_options *asked,
                              sotto_error *err) {
  sotto_status status;
  char *file = NULL;
  const bool fresh = asked != NULL && asked->fresh;
  const bool parted = ranks_of(m) != NULL;
  const size_t nodes = parted ? m->window.count : m->run.data->graph.nodes;
  if (asked != NULL && (asked->nightly || asked->again > 0 || asked->epsilon != 0))
    SOTTO_TRY(sotto_i_other_data_check_labels(&m->options, err));
  SOTTO_TRY(sotto_i_job_find_model(&file, m->folder, &m->options, err));
  SOTTO_TRY(set_split(m, run, err));
  SOTTO_TRY(sotto_i_new_raw(&m->all, nodes + 1, sizeof *m->all, err));
  for (size_t i = 0; i < nodes; i++) m->all[i] = (uint32_t)(m->window.first + i);
  m->window.own = m->all;
  sotto_i_opening from = {.job = &m->job,
                          .parted = &m->parted,
                          .file = file,
                          .fresh = fresh,
                          .alone = is_alone(asked),
                          .window = parted ? &m->window : NULL};
  if (m->run.data == &m->items) from.graphs = m->matched.data;
  if (asked != NULL && asked->nightly)
    SOTTO_TRY(open_night(&from, m, run, asked, err));
  else if (asked != NULL && (asked->again > 0 || asked->epsilon != 0))
    SOTTO_TRY(open_release(&from, m, run, asked, err));
  else if (!is_alone(asked))
    SOTTO_TRY(sotto_i_matched_is_own(&from.own, &m->matched, run, &m->options, err));
  SOTTO_TRY(sotto_i_method_of(&m->options)->open(&m->kind, &from, err));
  SOTTO_TRY(sotto_i_other_data_state(&m->release, NULL, 0, err));
  SOTTO_TRY(sotto_i_nights_state(&m->nights, err));
  SOTTO_TRY(m->kind.rows(m->kind.self, &m->rows, &m->run.features, parted ? m->all : NULL, err));
done:
  sotto_i_free(file);
  return status;
}

static sotto_status open_model(sotto_model **out, const char *run, const sotto_dataset *data,
                               const sotto_model_options *options, sotto_error *err) {
  sotto_status status;
  sotto_model *m = NULL;
  *out = NULL;
  SOTTO_TRY(sotto_i_new(&m, 1, sizeof *m, err));
  SOTTO_TRY(read_run(m, run, data, options, err));
  SOTTO_TRY(open_kind(m, run, options, err));
  *out = m;
  m = NULL;
done:
  sotto_model_free(m);
  return status;
}

/* Over ranks: can they answer about this data once there is a release of it? Asked before it is charged. */
static sotto_status check_before(const char *run, const sotto_dataset *data,
                                 const sotto_model_options *options, sotto_error *err) {
  sotto_model_options without = *options;
  sotto_model *m = NULL;
  sotto_status status;
  without.epsilon = 0;
  SOTTO_TRY(sotto_i_new(&m, 1, sizeof *m, err));
  SOTTO_TRY(read_run(m, run, data, &without, err));
done:
  sotto_model_free(m);
  return status;
}

/* Ranks read no edges: rank 0 makes the release of other data alone, with its whole graph. *number: of its
 * folder, by which all ranks then read it; 0: the model reads none. */
static sotto_status release_at_first(uint64_t *number, const char *run, const sotto_dataset *data,
                                     const sotto_model_options *options, sotto_error *err) {
  sotto_ranks *ranks = sotto_i_block_of(data)->ranks;
  sotto_dataset whole = {0};
  sotto_model *m = NULL;
  sotto_status status;
  *number = 0;
  SOTTO_TRY(check_before(run, data, options, err));
  SOTTO_TRY(sotto_i_ranks_meet(ranks, err)); /* no rank refuses */
  if (sotto_i_ranks_first(ranks)) {
    SOTTO_TRY(sotto_dataset_open(&whole, data->path, NULL, err));
    SOTTO_TRY(open_model(&m, run, &whole, options, err));
    if (m->release.has_job) *number = m->release.number;
  }
  SOTTO_TRY(sotto_i_ranks_give(ranks, number, sizeof *number, err));
done:
  sotto_model_free(m);
  sotto_dataset_free(&whole);
  return status;
}

sotto_status sotto_i_model_open(sotto_model **out, const char *run, const sotto_dataset *data,
                                const sotto_model_options *options, sotto_error *err) {
  sotto_status status;
  *out = NULL;
  if (sotto_i_block_of(data) == NULL || options == NULL || options->epsilon == 0 || options->again > 0)
    return open_model(out, run, data, options, err);
  sotto_model_options from = *options;
  SOTTO_TRY(release_at_first(&from.again, run, data, options, err));
  from.epsilon = 0;
  SOTTO_TRY(open_model(out, run, data, &from, err));
done:
  return status;
}

sotto_status sotto_i_model_look_at_nights(const char *run, const sotto_dataset *data,
                                          const sotto_model_options *asked, const char *folder,
                                          const struct sotto_i_probe *probe, sotto_error *err) {
  char *file = NULL;
  sotto_model *m = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&m, 1, sizeof *m, err));
  SOTTO_TRY(read_run(m, run, data, asked, err));
  SOTTO_TRY(sotto_i_job_find_model(&file, m->folder, &m->options, err));
  if (m->run.data->labels != NULL || m->run.data->numbers != NULL)
    SOTTO_TRY(sotto_i_parted_new(&m->parted, &m->job, err));
  const sotto_i_nights_request request = {&m->options, run, file, m->run.data, m->job.seed, asked};
  const sotto_i_opening from = {
      .job = &m->job, .parted = &m->parted, .file = file, .night = &m->nights.night};
  SOTTO_TRY(sotto_i_nights_open_anew(&m->nights, &request, folder, probe, err));
  SOTTO_TRY(sotto_i_method_of(&m->options)->open(&m->kind, &from, err));
done:
  sotto_i_free(file);
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
  sotto_i_tonight_free(&m->tonight);
  sotto_i_matched_free(&m->matched);
  sotto_i_edgeless_free(&m->edgeless);
  sotto_dataset_free(&m->items);
  sotto_dataset_free(&m->own);
  sotto_i_free(m);
}
