/* One party of a joint prediction: connection, agreement, the method's protocol, the result. */
#include <string.h>

#include "answers.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "graph/names.h"
#include "inside/party.h"
#include "party/wire/link/transport.h"
#include "predicting.h"
#include "record.h"
#include "run/parties/party_among.h"
#include "run/parties/party_run.h"

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

/* Sends the predictions to the data party, or to all other holders, not to the server. */
static sotto_status send_answers(const sotto_matrix *rows, const sotto_i_links *links,
                                 sotto_i_answer_kind kind, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (size_t i = sotto_i_first_learner(links); status == SOTTO_OK && i < links->count; i++)
    status = sotto_i_answers_send(links->all[i], rows, kind, err);
  return status;
}

static sotto_status exchange_two(sotto_answers *out, sotto_i_predicting *p, const sotto_i_links *links,
                                 sotto_error *err) {
  const sotto_i_answer_kind kind = sotto_i_answer_kind_of(&p->options);
  sotto_status status;
  SOTTO_TRY(sotto_i_predicting_answer(&out->rows, &out->nodes, &out->count, p, links, err));
  out->learnt = sotto_i_party_learns(p);
  if (sotto_i_is_label_party(p)) {
    if (!sotto_i_is_other_data(p)) SOTTO_TRY(name_parts(out, &p->parted, p->run.data->graph.nodes, err));
    if (sotto_i_data_learns(p)) SOTTO_TRY(send_answers(&out->rows, links, kind, err));
  } else if (out->learnt) {
    SOTTO_TRY(
        sotto_i_answers_receive(&out->rows, links->all[sotto_i_label_link(p, links)], out->count, kind, err));
  }
  if (!out->learnt) sotto_matrix_free(&out->rows);
done:
  return status;
}

/* Both sides learn the answers: the server's follow from what it receives. */
static sotto_status exchange_question(sotto_answers *out, sotto_i_predicting *p, const sotto_i_links *links,
                                      sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_predicting_question(&out->rows, p, links, err));
  out->learnt = true;
  out->count = out->rows.rows;
  SOTTO_TRY(sotto_i_new_raw(&out->nodes, out->count, sizeof *out->nodes, err));
  for (uint32_t g = 0; g < out->count; g++) out->nodes[g] = g;
done:
  return status;
}

/* A party that was restarted repeats the exchange; what was received before is discarded. */
static sotto_status run_session(sotto_answers *out, sotto_i_predicting *p, sotto_wire *wire,
                                sotto_error *err) {
  for (;;) {
    sotto_progress common;
    sotto_link *link = NULL;
    sotto_answers_free(out);
    sotto_status status = sotto_wire_meet(wire, &common, err);
    if (status != SOTTO_OK) return status;
    const sotto_i_links links = {.all = &link, .count = 1};
    status = sotto_wire_link(wire, &link, err);
    if (status == SOTTO_OK)
      status =
          sotto_i_is_question(p) ? exchange_question(out, p, &links, err) : exchange_two(out, p, &links, err);
    if (status == SOTTO_OK) status = sotto_i_other_data_state(&p->release, &link, 1, err);
    if (status == SOTTO_OK) status = sotto_wire_finish(wire, err);
    if (status == SOTTO_OK) status = sotto_i_joint_record(p, out->count, &links, err);
    sotto_link_free(link);
    if (status == SOTTO_OK || !sotto_wire_anew(wire)) return status;
    if (err != NULL) *err = (sotto_error){.status = SOTTO_OK};
  }
}

typedef struct among {
  sotto_answers *out;
  sotto_i_predicting *p;
} among;

static sotto_status exchange_among(void *context, const sotto_i_among_links *met, sotto_error *err) {
  const among *a = context;
  const sotto_i_links links = {.all = met->links,
                               .count = met->count,
                               .several = true,
                               .server = sotto_i_party_is_hub(a->p->run.party, &a->p->options)};
  sotto_answers_free(a->out);
  sotto_status status = exchange_two(a->out, a->p, &links, err);
  if (status == SOTTO_OK) status = sotto_i_other_data_state(&a->p->release, links.all, links.count, err);
  return status == SOTTO_OK ? sotto_i_joint_record(a->p, a->out->count, &links, err) : status;
}

/* The labels and class names, or numbers, with which the label party evaluates and shows the predictions. */
static sotto_status add_truth(sotto_answers *out, const sotto_i_predicting *p, sotto_error *err) {
  const sotto_dataset *data = p->run.data;
  const sotto_schema *schema = p->matched.schema;
  sotto_status status = SOTTO_OK;
  if (!sotto_i_is_label_party(p) && !(sotto_i_is_question(p) && schema != NULL)) return SOTTO_OK;
  if (data->labels != NULL && !sotto_i_is_question(p)) {
    SOTTO_TRY(sotto_i_new_raw(&out->labels, data->graph.nodes, sizeof *out->labels, err));
    memcpy(out->labels, data->labels, data->graph.nodes * sizeof *out->labels);
  }
  if (data->numbers != NULL && sotto_i_learns_numbers(&p->options)) {
    SOTTO_TRY(sotto_i_new_raw(&out->numbers, data->graph.nodes, sizeof *out->numbers, err));
    memcpy(out->numbers, data->numbers, data->graph.nodes * sizeof *out->numbers);
  }
  SOTTO_TRY(sotto_i_names_take(&out->class_names, schema != NULL ? &schema->classes : &data->class_names,
                               NULL, 0, err));
done:
  return status;
}

static sotto_status run_prediction(sotto_answers *out, sotto_i_predicting *p, sotto_error *err) {
  sotto_status status;
  sotto_wire *wire = NULL;
  among all = {out, p};
  status = sotto_i_predicting_prepare(p, err);
  sotto_party_decline(&p->options, p->run.party, p->run.declines, p->run.observer);
  SOTTO_TRY(status);
  if (sotto_i_is_among_several(p)) {
    const sotto_i_among mesh = {.options = &p->options,
                                .party = p->run.party,
                                .nodes = p->run.nodes,
                                .terms = p->terms,
                                .observer = p->run.observer,
                                .context = &all,
                                .converse = exchange_among};
    return sotto_i_party_among(&mesh, err);
  }
  SOTTO_TRY(sotto_i_party_wire(&wire, &p->options, p->run.party, p->run.nodes, p->terms,
                               (sotto_progress){0, 0}, false, p->run.observer, err));
  status = run_session(out, p, wire, err);
  if (status != SOTTO_OK) sotto_wire_give_up(wire, status);
done:
  sotto_wire_free(wire);
  return status;
}

sotto_status sotto_predict_party(sotto_answers *out, const sotto_options *options, const sotto_dataset *data,
                                 const uint8_t nodes[32], const sotto_party *party,
                                 const sotto_asking *asking, const sotto_observer *observer,
                                 sotto_error *err) {
  SOTTO_I_CANCELLED_BY(observer);
  sotto_i_predicting p = {.stays = false};
  sotto_i_guard guard; /* the wire's thread calls the observer concurrently */
  const sotto_observer guarded = sotto_i_guard_begin(&guard, observer);
  *out = (sotto_answers){.nodes = NULL};
  sotto_i_predicting_begin(&p, options, data, nodes, party, asking, &guarded);
  sotto_status status = run_prediction(out, &p, err);
  if (status == SOTTO_OK) status = add_truth(out, &p, err);
  sotto_i_predicting_end(&p);
  sotto_i_guard_end(&guard);
  if (status != SOTTO_OK) sotto_answers_free(out);
  return status;
}

void sotto_answers_free(sotto_answers *answers) {
  sotto_i_free(answers->nodes);
  sotto_i_free(answers->parts);
  sotto_i_free(answers->labels);
  sotto_i_free(answers->numbers);
  sotto_i_names_free(&answers->class_names);
  sotto_matrix_free(&answers->rows);
  *answers = (sotto_answers){.nodes = NULL};
}
