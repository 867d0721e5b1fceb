/* The server of codes: it receives reports, learns a label for each anchor, and writes the posterior of
 * each graph. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "code.h"
#include "inside/dp.h"
#include "inside/party.h"
#include "run/files/folder_file.h"

/* A client that leaves after its reports of labelled graphs leaves these behind: they were charged, and what
 * follows from them does too. `round` is 1, or 2 after the labels were sent. */
static sotto_status leave_out(sotto_i_code_server *s, uint32_t i, int which, sotto_status status,
                              const sotto_error *problem, sotto_error *err) {
  if (status == SOTTO_OK) return SOTTO_OK;
  status = sotto_i_fed_left(s->base, i, (uint64_t)which + 1, status, problem, err);
  for (int kind = which; status == SOTTO_OK && kind < 2; kind++) s->counts[i][kind] = 0;
  return status;
}

static sotto_status receive_count(sotto_i_code_server *s, uint32_t i, const uint8_t own[32],
                                  sotto_error *err) {
  const uint32_t most = 1U << 24;
  const sotto_expectation anchors = {"anchors", SOTTO_WIRE_PUBLIC, 1, 8, 0},
                          graphs = {"graphs", SOTTO_WIRE_EXPOSED, 1, 2, 0};
  uint8_t theirs[32];
  sotto_status status;
  SOTTO_TRY(sotto_link_receive_words(s->base->links[i], theirs, &anchors, err));
  SOTTO_TRY(sotto_link_receive_words(s->base->links[i], s->counts[i], &graphs, err));
  if (memcmp(own, theirs, sizeof theirs) != 0)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "anchors: client %u has other anchors than the server; all parties take the same",
                        (unsigned)i + 1);
  if (s->counts[i][0] > most || s->counts[i][1] > most)
    return sotto_i_fail(err, SOTTO_RANGE, "graphs: client %u names more than 2^24", (unsigned)i + 1);
done:
  return status;
}

static sotto_status receive_counts(sotto_i_code_server *s, sotto_error *err) {
  const uint32_t clients = s->base->federation->clients;
  uint8_t own[32];
  sotto_status status;
  sotto_i_code_digest(own, s->terms);
  SOTTO_TRY(sotto_i_new(&s->counts, clients, sizeof *s->counts, err));
  SOTTO_TRY(sotto_i_fed_left_new(s->base, err));
  for (uint32_t i = 0; i < clients; i++) {
    sotto_error problem = {0};
    if (!sotto_i_fed_is_here(s->base, i)) continue;
    sotto_i_fed_give_time(s->base, i);
    status = receive_count(s, i, own, &problem);
    SOTTO_TRY(leave_out(s, i, 0, status, &problem, err));
  }
done:
  return status;
}

/* Checks and copies whole numbers below `values`, ascending in each row. */
static sotto_status read_answers(int32_t *out, const sotto_matrix *rows, size_t values, sotto_error *err) {
  for (size_t i = 0; i < rows->rows * rows->cols; i++) {
    const float value = rows->data[i];
    if (!(value >= 0 && value < (float)values && value == floorf(value)) ||
        (i % rows->cols > 0 && value <= rows->data[i - 1]))
      return sotto_i_fail(err, SOTTO_RANGE, "codes: row %zu is no answer out of %zu choices", i / rows->cols,
                          values);
    out[i] = (int32_t)value;
  }
  return SOTTO_OK;
}

/* The reports of one client, into out (count x members). */
static sotto_status receive_from(int32_t *out, const sotto_i_code_server *s, uint32_t i, int which,
                                 size_t members, size_t values, sotto_error *err) {
  static const char *const names[] = {"codes", "held-out"};
  const sotto_expectation expected = {.name = names[which],
                                      .kind = s->terms->exact ? SOTTO_WIRE_EXPOSED : SOTTO_WIRE_RELEASE,
                                      .rows = s->counts[i][which],
                                      .cols = members};
  sotto_matrix rows = {0};
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(&rows, expected.rows, members, err));
  SOTTO_TRY(sotto_link_receive(s->base->links[i], &rows, &expected, err));
  SOTTO_TRY(read_answers(out, &rows, values, err));
done:
  sotto_matrix_free(&rows);
  return status;
}

/* Receives the reports of all clients about one kind of graphs. */
static sotto_status receive_reports(int32_t **out, sotto_i_code_server *s, int which, size_t members,
                                    size_t values, sotto_error *err) {
  const uint32_t clients = s->base->federation->clients;
  size_t total = 0, at = 0;
  sotto_status status;
  for (uint32_t i = 0; i < clients; i++) total += s->counts[i][which];
  SOTTO_TRY(sotto_i_new(out, total * members, sizeof **out, err));
  for (uint32_t i = 0; i < clients; i++) {
    sotto_error problem = {0};
    if (s->counts[i][which] == 0 || !sotto_i_fed_is_here(s->base, i)) continue;
    sotto_i_fed_give_time(s->base, i);
    status = receive_from(*out + at * members, s, i, which, members, values, &problem);
    SOTTO_TRY(leave_out(s, i, which, status, &problem, err));
    at += s->counts[i][which];
  }
done:
  return status;
}

static sotto_status learn_labels(sotto_i_code_server *s, sotto_error *err) {
  const sotto_i_code_terms *t = s->terms;
  sotto_i_gw_reports *r = &s->reports;
  *r = (sotto_i_gw_reports){
      .members = sotto_i_code_members(t), .truth = 1, .anchors = t->anchors.count, .classes = t->classes};
  if (!t->exact) sotto_subset_chances(&r->truth, &r->other, &t->labelled);
  sotto_status status = receive_reports(&s->answers, s, 0, r->members, r->anchors * r->classes, err);
  for (uint32_t i = 0; i < s->base->federation->clients; i++) r->count += s->counts[i][0];
  r->answers = s->answers;
  return status == SOTTO_OK ? sotto_i_gw_learn(&s->learned, r, t->anchors.distance, err) : status;
}

/* Sends the labels of anchors and the classes of reports; both follow from released reports alone. */
static sotto_status send_labels(sotto_i_code_server *s, sotto_error *err) {
  const size_t classes = s->terms->classes;
  double truth = 1, other = 0;
  uint32_t *answers = NULL;
  sotto_status status;
  if (!s->terms->exact) sotto_subset_chances(&truth, &other, &s->terms->held);
  SOTTO_TRY(sotto_i_new(&answers, classes, sizeof *answers, err));
  for (uint32_t c = 0; c < classes; c++)
    answers[c] = sotto_i_gw_answer(&s->learned, classes, truth, other, c);
  const sotto_words learnt = {"labels of anchors",    SOTTO_WIRE_PUBLIC, NULL, s->learned.label, 1,
                              s->terms->anchors.count},
                    taken = {"classes of reports", SOTTO_WIRE_PUBLIC, NULL, answers, 1, classes};
  for (uint32_t i = 0; i < s->base->federation->clients; i++) {
    sotto_error problem = {0};
    if (!sotto_i_fed_is_here(s->base, i)) continue;
    status = sotto_link_send_words(s->base->links[i], &learnt, &problem);
    if (status == SOTTO_OK) status = sotto_link_send_words(s->base->links[i], &taken, &problem);
    SOTTO_TRY(leave_out(s, i, 1, status, &problem, err));
  }
done:
  sotto_i_free(answers);
  return status;
}

sotto_status sotto_i_code_server_run(sotto_i_code_server *s, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(receive_counts(s, err));
  SOTTO_TRY(learn_labels(s, err));
  SOTTO_TRY(send_labels(s, err));
  SOTTO_TRY(receive_reports(&s->held, s, 1, 1, s->terms->classes, err));
done:
  return status;
}

static const sotto_i_folder_file codes_file = {"seed-*/codes.npz", SOTTO_I_FOR_ANYONE,
                                               "graphs of clients, as their noisy codes show them"};

/* What codes.npz holds, in the order of the file. */
typedef struct written {
  sotto_matrix posterior;
  sotto_gw_reported reported;
} written;

static sotto_status new_written(written *w, const sotto_i_code_server *s, size_t graphs, sotto_error *err) {
  sotto_gw_reported *r = &w->reported;
  sotto_status status;
  *r = (sotto_gw_reported){.members = s->reports.members,
                           .classes = (uint32_t)s->reports.classes,
                           .truth = s->reports.truth,
                           .other = s->reports.other};
  SOTTO_TRY(sotto_matrix_new(&w->posterior, graphs, s->terms->anchors.count, err));
  SOTTO_TRY(sotto_i_new_raw(&r->reports, graphs * r->members, sizeof *r->reports, err));
  SOTTO_TRY(sotto_i_new_raw(&r->answers, graphs, sizeof *r->answers, err));
  memset(r->reports, -1, graphs * r->members * sizeof *r->reports);
done:
  return status;
}

static void free_written(written *w) {
  sotto_matrix_free(&w->posterior);
  sotto_i_free(w->reported.reports);
  sotto_i_free(w->reported.answers);
}

static void write_labelled(written *w, const sotto_i_code_server *s, size_t row, const int32_t *answer) {
  const size_t members = w->reported.members;
  sotto_i_gw_posterior(w->posterior.data + row * w->posterior.cols, &s->learned, &s->reports, answer);
  memcpy(w->reported.reports + row * members, answer, members * sizeof *answer);
  w->reported.answers[row] = (int32_t)sotto_i_gw_class_of_report(&s->learned, &s->reports, answer);
}

/* A held-out graph reported the label of its anchor alone, by the law of `held`. */
static void write_held(written *w, const sotto_i_code_server *s, size_t row, const sotto_i_gw_reports *held,
                       int32_t label) {
  sotto_i_gw_posterior_of_label(w->posterior.data + row * w->posterior.cols, &s->learned, held, label);
  w->reported.answers[row] =
      (int32_t)sotto_i_gw_answer(&s->learned, s->terms->classes, held->truth, held->other, (uint32_t)label);
}

/* Without noise a report is a true label, which no file holds. */
sotto_status sotto_i_code_write(const sotto_i_code_server *s, const uint32_t *places, sotto_error *err) {
  sotto_i_gw_reports of_held = s->reports;
  written all = {.posterior = {0}};
  char *path = NULL;
  size_t at = 0, labelled = 0, held = 0, total = 0;
  sotto_status status;
  if (!s->terms->exact) sotto_subset_chances(&of_held.truth, &of_held.other, &s->terms->held);
  for (uint32_t i = 0; i < s->base->federation->clients; i++) total += s->counts[i][0] + s->counts[i][1];
  SOTTO_TRY(new_written(&all, s, total, err));
  for (uint32_t i = 0; i < s->base->federation->clients; i++) {
    for (uint32_t k = 0; k < s->counts[i][0]; k++, at++)
      write_labelled(&all, s, places == NULL ? at : places[at], s->answers + labelled++ * s->reports.members);
    for (uint32_t k = 0; k < s->counts[i][1]; k++, at++)
      write_held(&all, s, places == NULL ? at : places[at], &of_held, s->held[held++]);
  }
  SOTTO_TRY(sotto_i_folder_path(&path, s->base->job->folder, &codes_file, NULL, NULL, err));
  SOTTO_TRY(sotto_i_gw_codes_save(path, &all.posterior, s->terms->anchors.distance,
                                  s->terms->exact ? NULL : &all.reported, err));
done:
  sotto_i_free(path);
  free_written(&all);
  return status;
}

void sotto_i_code_server_free(sotto_i_code_server *server) {
  sotto_i_free(server->counts);
  sotto_i_free(server->answers);
  sotto_i_free(server->held);
  sotto_i_gw_learned_free(&server->learned);
}
