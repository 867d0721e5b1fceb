/* One party of a prediction by a finished run of two: checks, meeting, the method's conversation, the
 * answers. Nothing is sent before every check of this side has passed. */
#include "joint.h"

#include <stdio.h>
#include <string.h>

#include "answers.h"
#include "asked.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/progress.h"
#include "party/wire/transport.h"
#include "record.h"
#include "run/parties/party_roles.h"
#include "run/parties/party_run.h"
#include "run/storage/data_file.h"
#include "run/storage/facts_file.h"
#include "run/storage/run_folder.h"
#include "run/storage/seed_file.h"
#include "run/train/other_data.h"
#include "tensor/columns.h"

typedef struct predicting {
  sotto_answers *out;
  sotto_options options;
  sotto_i_run run;
  sotto_i_run_folder folder;
  sotto_i_run_name name;
  const sotto_asking *asking;
  uint64_t seed;
  char *seed_folder, *model;
  sotto_i_parted parted;      /* of the run's own data */
  sotto_dataset labelled;     /* of other data, at the label party: with the run's number of classes */
  sotto_i_other_data release; /* of other data, at the data party */
} predicting;

static bool is_label(const predicting *p) {
  return p->run.party->role == SOTTO_ROLE_LABEL;
}

static bool is_other(const predicting *p) {
  return p->asking->epsilon != 0;
}

static bool data_learns(const predicting *p) {
  return p->asking->learns != SOTTO_LEARNS_LABEL;
}

static bool learns(const predicting *p) {
  return is_label(p) ? p->asking->learns != SOTTO_LEARNS_DATA : data_learns(p);
}

/* The last network of the label party may have read true labels, which label-epsilon hides from the other. */
static sotto_status check_method(const predicting *p, sotto_error *err) {
  const sotto_options *o = &p->options;
  const sotto_i_variant *v = sotto_i_variant_of(o);
  if (v->answer == NULL)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "method: the parties of a run of %s at %s level do not answer together yet",
                        o->method, sotto_adjacency_name(o->adjacency));
  if (is_other(p) && (v->other_sends[0] == NULL || !sotto_i_job_wants_privacy(o)))
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "epsilon: the parties of this run do not answer about other data yet");
  if (is_other(p) && !(p->asking->epsilon > 0 && p->asking->epsilon <= 1e3))
    return sotto_i_fail(err, SOTTO_RANGE, "epsilon: %g; it must be above 0, and 1000 at most",
                        p->asking->epsilon);
  if (is_other(p) && o->label_epsilon > 0)
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "epsilon: true labels, which label-epsilon protects, chose what is read of other data");
  if (o->label_edges > 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "label-edges: the parties of a run that reads them do not answer together yet");
  if (o->label_epsilon > 0 && data_learns(p))
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "learns: the data party may not learn the answers of this run; they follow from true "
                        "labels, which label-epsilon protects. Let the label party alone learn them");
  return sotto_party_role_check(p->run.party, o, err);
}

static sotto_status check_nodes(const predicting *p, sotto_error *err) {
  const sotto_asking *a = p->asking;
  const uint64_t all = p->run.data->graph.nodes;
  if (a->nodes != NULL && (a->count == 0 || a->count > all))
    return sotto_i_fail(err, SOTTO_RANGE, "nodes: %zu are asked for, and the data has %llu", a->count,
                        (unsigned long long)all);
  for (size_t i = 0; a->nodes != NULL && i < a->count; i++)
    if (a->nodes[i] >= all || (i > 0 && a->nodes[i] <= a->nodes[i - 1]))
      return sotto_i_fail(err, SOTTO_RANGE, "nodes: they have to ascend, below %llu",
                          (unsigned long long)all);
  return SOTTO_OK;
}

static sotto_status find_seed(predicting *p, sotto_error *err) {
  const sotto_options *o = &p->options;
  char name[40];
  sotto_status status;
  p->seed = p->asking->seed == SOTTO_UNSET ? o->seed : p->asking->seed;
  if (p->seed < o->seed || p->seed >= o->seed + o->seeds)
    return sotto_i_fail(err, SOTTO_RANGE, "seed: %llu is none of the run's, %llu to %llu",
                        (unsigned long long)p->seed, (unsigned long long)o->seed,
                        (unsigned long long)(o->seed + o->seeds - 1));
  (void)snprintf(name, sizeof name, "seed-%llu", (unsigned long long)p->seed);
  SOTTO_TRY(sotto_i_join(&p->seed_folder, o->out, name, err));
  SOTTO_TRY(sotto_i_join(&p->model, p->seed_folder, "model.safetensors", err));
  if (!sotto_i_seed_file_exists(p->seed_folder))
    status = sotto_i_fail(err, SOTTO_INVALID, "%s: is not finished; give the command of the training again",
                          p->seed_folder);
done:
  return status;
}

/* Of other data the label party knows which nodes there are, and the run's number of classes. */
static sotto_status take_classes(predicting *p, sotto_error *err) {
  sotto_i_facts facts;
  sotto_status status = sotto_i_facts_load(&facts, p->options.out, err);
  if (status != SOTTO_OK) return status;
  const uint32_t classes = facts.words[SOTTO_I_FACT_CLASSES];
  p->labelled = *p->run.data;
  if (p->labelled.classes > classes)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: has labels of %u classes, and the model %u",
                        p->labelled.name, (unsigned)p->labelled.classes, (unsigned)classes);
  p->labelled.classes = classes;
  p->run.data = &p->labelled;
  return SOTTO_OK;
}

static sotto_status check_data(predicting *p, sotto_error *err) {
  sotto_i_run *r = &p->run;
  bool own = false;
  sotto_status status;
  if (is_other(p) && is_label(p)) return take_classes(p, err);
  status = sotto_i_data_file_is_of(&own, p->options.out, r->data, err);
  if (status != SOTTO_OK || own != is_other(p)) return status;
  return sotto_i_fail(
      err, SOTTO_INVALID,
      own ? "%s: is the data that the run in %s was trained on; answers about it cost nothing, "
            "so leave epsilon out"
          : "%s: the run in %s was trained on other data; give epsilon for a release of this",
      r->data->name, p->options.out);
}

static sotto_i_other_request request_of(const predicting *p, uint64_t layers) {
  return (sotto_i_other_request){.options = &p->options,
                                 .run = p->options.out,
                                 .file = p->model,
                                 .data = p->run.data,
                                 .seed = p->seed,
                                 .epsilon = p->asking->epsilon,
                                 .layers = layers,
                                 .party = p->run.party};
}

/* Before anything is sent: would the ledger take it? */
static sotto_status ask_ledger(predicting *p, sotto_error *err) {
  sotto_i_other_data asked;
  sotto_i_other_request request = request_of(p, p->options.layers);
  request.ask = true;
  request.observer = p->run.observer;
  sotto_status status = sotto_i_other_data_open(&asked, &request, err);
  sotto_i_other_data_free(&asked);
  return status;
}

/* A conversation that begins anew finds the same one. */
static sotto_status open_release(void *context, const sotto_i_job **out, uint64_t layers, sotto_error *err) {
  predicting *p = context;
  const sotto_i_other_request request = request_of(p, layers);
  sotto_status status = SOTTO_OK;
  if (!p->release.has_job) status = sotto_i_other_data_open(&p->release, &request, err);
  *out = &p->release.job;
  return status;
}

/* As in training (train.c), but that the ledger is not asked: what is sent was charged. */
static sotto_status prepare(predicting *p, sotto_error *err) {
  sotto_i_run *r = &p->run;
  sotto_status status;
  SOTTO_TRY(sotto_options_check(&p->options, err));
  SOTTO_TRY(check_method(p, err));
  SOTTO_TRY(check_nodes(p, err));
  SOTTO_TRY(find_seed(p, err));
  SOTTO_TRY(sotto_i_run_folder_open(&p->folder, p->options.out, err));
  SOTTO_TRY(check_data(p, err));
  SOTTO_TRY(sotto_i_run_name_read(&p->name, p->options.out, err));
  r->variant = sotto_i_variant_of(&p->options);
  r->releases = sotto_i_job_releases(&p->options);
  SOTTO_TRY(sotto_i_run_check_domain(r, err));
  SOTTO_TRY(sotto_i_run_folder_id(r->id, p->options.out, err));
  SOTTO_TRY(sotto_i_run_plan(r, err));
  if (is_other(p) && !is_label(p))
    SOTTO_TRY(ask_ledger(p, err));
  else
    SOTTO_TRY(sotto_i_run_open_account(r, err));
  if (r->data->features.cols > 0) SOTTO_TRY(sotto_i_scaled_features(&r->features, &p->options, r->data, err));
  const sotto_i_job job = sotto_i_run_job(r, p->seed_folder, p->seed);
  if (is_label(p) && !is_other(p)) SOTTO_TRY(sotto_i_parted_new(&p->parted, &job, err));
done:
  return status;
}

static sotto_status name_parts(sotto_answers *out, const sotto_i_parted *parted, uint64_t all,
                               sotto_error *err) {
  uint8_t *by_node = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&by_node, all, 1, err));
  for (int part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++)
    for (size_t i = 0; i < parted->split.count[part]; i++)
      by_node[parted->split.rows[part][i]] = (uint8_t)part;
  SOTTO_TRY(sotto_i_new(&out->parts, out->count, 1, err));
  for (size_t i = 0; i < out->count; i++) out->parts[i] = by_node[out->nodes[i]];
done:
  sotto_i_free(by_node);
  return status;
}

static sotto_status converse(predicting *p, sotto_link *link, sotto_error *err) {
  sotto_answers *out = p->out;
  const uint64_t all = p->run.data->graph.nodes;
  const sotto_i_job job = sotto_i_run_job(&p->run, p->seed_folder, p->seed);
  sotto_status status;
  sotto_link_set_format(link, p->options.wire);
  SOTTO_TRY(sotto_i_asked_agree(&out->nodes, &out->count, link, p->asking, &p->name, all, err));
  const sotto_i_joint joint = {.job = &job,
                               .parted = is_label(p) ? &p->parted : NULL,
                               .role = p->run.party->role,
                               .link = link,
                               .file = p->model,
                               .nodes = out->nodes,
                               .count = out->count,
                               .release = is_other(p) ? open_release : NULL,
                               .context = p,
                               .epsilon = p->asking->epsilon};
  SOTTO_TRY(p->run.variant->answer(&out->rows, &joint, err));
  if (is_label(p)) {
    sotto_i_rows_to_softmax(&out->rows);
    if (!is_other(p)) SOTTO_TRY(name_parts(out, &p->parted, all, err));
    if (data_learns(p)) SOTTO_TRY(sotto_i_answers_send(link, &out->rows, err));
  } else if (data_learns(p)) {
    SOTTO_TRY(sotto_i_answers_receive(&out->rows, link, out->count, err));
  }
  out->learnt = learns(p);
  if (!out->learnt) sotto_matrix_free(&out->rows);
done:
  return status;
}

/* Whoever began anew asks again; what was received until then is forgotten. */
static sotto_status meet(predicting *p, sotto_wire *wire, sotto_error *err) {
  char role[SOTTO_ROLE_SIZE];
  sotto_party_role_name(role, p->run.party);
  for (;;) {
    sotto_progress common;
    sotto_link *link = NULL;
    sotto_answers_free(p->out);
    sotto_status status = sotto_wire_meet(wire, &common, err);
    if (status != SOTTO_OK) return status;
    status = sotto_wire_link(wire, &link, err);
    if (status == SOTTO_OK) status = converse(p, link, err);
    if (status == SOTTO_OK) status = sotto_i_other_data_state(&p->release, link, err);
    if (status == SOTTO_OK) status = sotto_wire_finish(wire, err);
    if (status == SOTTO_OK)
      status = sotto_i_joint_record(p->options.out, p->asking, p->seed, p->out->count, role, link, err);
    sotto_link_free(link);
    if (status == SOTTO_OK || !sotto_wire_anew(wire)) return status;
    if (err != NULL) *err = (sotto_error){.status = SOTTO_OK};
  }
}

/* For people, before anything is sent. */
static void say_what_leaves(const predicting *p, const sotto_observer *observer) {
  const sotto_i_variant *v = p->run.variant;
  const char *also = is_label(p) && data_learns(p) ? ", and their class probabilities" : "";
  const char *what = is_other(p) ? v->other_sends[is_label(p)] : v->answer_sends;
  sotto_i_log(observer, SOTTO_LOG_INFO, "this party sends: %s%s. The answers are for: %s",
              is_label(p) && !is_other(p) ? "numbers of nodes" : what, also,
              sotto_i_learns_name(p->asking->learns));
}

static sotto_status predict(predicting *p, const uint8_t nodes[32], const sotto_observer *observer,
                            sotto_error *err) {
  sotto_status status;
  sotto_wire *wire = NULL;
  char *terms = NULL;
  SOTTO_TRY(prepare(p, err));
  SOTTO_TRY(sotto_i_asked_terms(&terms, &p->options, p->asking, p->seed, err));
  say_what_leaves(p, observer);
  SOTTO_TRY(sotto_i_party_wire(&wire, &p->options, p->run.party, nodes, terms, (sotto_progress){0, 0}, false,
                               observer, err));
  status = meet(p, wire, err);
  if (status != SOTTO_OK) sotto_wire_give_up(wire, status);
done:
  sotto_wire_free(wire);
  sotto_i_free(terms);
  return status;
}

sotto_status sotto_predict_party(sotto_answers *out, const sotto_options *options, const sotto_dataset *data,
                                 const uint8_t nodes[32], const sotto_party *party,
                                 const sotto_asking *asking, const sotto_observer *observer,
                                 sotto_error *err) {
  SOTTO_I_CANCELLED_BY(observer);
  predicting p = {.out = out,
                  .options = *options,
                  .folder = {.lock = -1},
                  .asking = asking,
                  .release = {.folder = {.lock = -1}}};
  sotto_i_guard guard; /* the wire's thread speaks beside this one */
  const sotto_observer guarded = sotto_i_guard_begin(&guard, observer);
  *out = (sotto_answers){.nodes = NULL};
  sotto_options_resolve(&p.options);
  p.run = (sotto_i_run){
      .options = &p.options, .data = data, .nodes = nodes, .party = party, .observer = &guarded};
  const sotto_status status = predict(&p, nodes, &guarded, err);
  sotto_i_parted_free(&p.parted);
  sotto_i_other_data_free(&p.release);
  sotto_i_run_end(&p.run);
  sotto_i_run_folder_close(&p.folder, false);
  sotto_i_free(p.seed_folder);
  sotto_i_free(p.model);
  sotto_i_guard_end(&guard);
  if (status != SOTTO_OK) sotto_answers_free(out);
  return status;
}

void sotto_answers_free(sotto_answers *answers) {
  sotto_i_free(answers->nodes);
  sotto_i_free(answers->parts);
  sotto_matrix_free(&answers->rows);
  *answers = (sotto_answers){.nodes = NULL};
}
