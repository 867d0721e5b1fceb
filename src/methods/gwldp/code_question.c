/* After a run of codes: a client asks the server for the classes of graphs that did not train.
 *
 * Each graph reports the label of its anchor by randomised response, as a held-out graph of the run does. The
 * reports are one release of these graphs, charged to the client's ledger before they leave. What the server
 * learnt follows from the reports in its codes.npz, so its answer does as well. */
#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "code.h"
#include "inside/dp.h"
#include "inside/nn.h"
#include "inside/party.h"
#include "party/wire/link/transport.h"
#include "release/artifact.h"
#include "run/files/job_file.h"
#include "run/joint/joint.h"

/* The only parameter of the model; `number` is its place. */
static sotto_status new_labels(sotto_params **params, size_t *number, const sotto_i_code_terms *terms,
                               sotto_error *err) {
  sotto_status status = sotto_params_new(params, err);
  if (status != SOTTO_OK) return status;
  return sotto_params_add(*params, number, "anchors.label", terms->anchors.count, terms->classes,
                          SOTTO_INIT_ZERO, false, NULL, err);
}

sotto_status sotto_i_code_save_labels(const sotto_i_job *job, const sotto_i_code_terms *terms,
                                      const uint32_t *label, sotto_error *err) {
  sotto_params *params = NULL;
  size_t number;
  sotto_status status;
  SOTTO_TRY(new_labels(&params, &number, terms, err));
  for (size_t a = 0; a < terms->anchors.count; a++)
    sotto_params_value(params, number)->data[a * terms->classes + label[a]] = 1;
  const sotto_params *sets[] = {params};
  SOTTO_TRY(sotto_i_job_save_model(job, sets, 1, err));
done:
  sotto_params_free(params);
  return status;
}

sotto_status sotto_i_code_load_labels(uint32_t **label, const sotto_i_code_terms *terms, const char *file,
                                      sotto_error *err) {
  const size_t classes = terms->classes;
  sotto_params *params = NULL;
  size_t number;
  sotto_status status;
  SOTTO_TRY(new_labels(&params, &number, terms, err));
  SOTTO_TRY(sotto_params_load(&params, 1, file, err));
  SOTTO_TRY(sotto_i_new(label, terms->anchors.count, sizeof **label, err));
  for (size_t a = 0; a < terms->anchors.count; a++) {
    const float *row = sotto_params_value(params, number)->data + a * classes;
    while ((*label)[a] < classes && row[(*label)[a]] != 1) (*label)[a]++;
    if ((*label)[a] == classes) {
      status = sotto_i_fail(err, SOTTO_CORRUPT, "%s: anchor %zu has no label", file, a);
      goto done;
    }
  }
done:
  sotto_params_free(params);
  return status;
}

/* What both sides know: the anchors, and the labels that the run learnt. */
typedef struct common {
  sotto_i_code_terms terms;
  uint32_t *label;
  uint8_t digest[32]; /* of both */
  sotto_subset subset;
} common;

static sotto_status open_common(common *c, const sotto_i_joint *joint, sotto_error *err) {
  crypto_generichash_state hash;
  uint8_t terms[32];
  sotto_status status;
  const uint32_t classes = joint->job->facts->words[SOTTO_I_FACT_CLASSES];
  SOTTO_TRY(sotto_i_code_terms_new(&c->terms, joint->job->options, classes, err));
  SOTTO_TRY(sotto_subset_new(&c->subset, classes, 1, joint->epsilon, err));
  SOTTO_TRY(sotto_i_code_load_labels(&c->label, &c->terms, joint->file, err));
  sotto_i_code_digest(terms, &c->terms);
  (void)crypto_generichash_init(&hash, NULL, 0, sizeof c->digest);
  (void)crypto_generichash_update(&hash, terms, sizeof terms);
  (void)crypto_generichash_update(&hash, (const uint8_t *)c->label,
                                  c->terms.anchors.count * sizeof *c->label);
  (void)crypto_generichash_final(&hash, c->digest, sizeof c->digest);
done:
  return status;
}

static void close_common(common *c) {
  sotto_i_code_terms_free(&c->terms);
  sotto_i_free(c->label);
}

/* The release of all graphs' reports, and the message with it. */
static sotto_status send_reports(const sotto_i_job *job, const common *c, sotto_link *link,
                                 sotto_error *err) {
  const sotto_i_federation federation = {.job = job, .options = job->options, .seed = job->seed};
  const sotto_i_fed_client base = {.federation = &federation};
  const size_t graphs = job->data->graph_count;
  uint32_t *codes = NULL;
  int32_t *values = NULL;
  sotto_dataset rows = {0};
  sotto_i_receipt receipt;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&codes, graphs, sizeof *codes, err));
  SOTTO_TRY(sotto_i_new(&values, graphs, sizeof *values, err));
  if (!job->kept) SOTTO_TRY(sotto_i_gw_code(codes, &c->terms.anchors, job->data, err));
  for (size_t g = 0; g < graphs; g++) values[g] = (int32_t)c->label[codes[g]];
  sotto_i_code_reporting reporting = {
      .base = &base, .values = values, .count = graphs, .subset = &c->subset, .which = 1};
  const sotto_i_table_artifact table = {
      .artifact = {.owner = sotto_i_job_owner(job),
                   .item = sotto_i_cost_item_of(job->cost, SOTTO_ACCOUNT_DATA),
                   .file = "question.sotto",
                   .made_with = "labels of the anchors of all graphs, by randomised response",
                   .kept = job->kept,
                   .run_key = true},
      .rows = graphs,
      .context = &reporting,
      .make = sotto_i_code_report};
  SOTTO_TRY(sotto_i_table_use(&rows, &receipt, &table, err));
  SOTTO_TRY(sotto_i_link_send_charged(link, "question", &rows.features, &receipt, err));
done:
  sotto_i_free(codes);
  sotto_i_free(values);
  sotto_dataset_free(&rows);
  return status;
}

/* The model of the two sides first: nothing is released for a server of another run. */
static sotto_status compare_models(const common *c, sotto_link *link, sotto_error *err) {
  const sotto_words own = {"question.model", SOTTO_WIRE_PUBLIC, NULL, c->digest, 1, 8};
  const sotto_expectation expected = {"question.model", SOTTO_WIRE_PUBLIC, 1, 8, 0};
  uint8_t theirs[32];
  sotto_status status;
  SOTTO_TRY(sotto_link_send_words(link, &own, err));
  SOTTO_TRY(sotto_link_receive_words(link, theirs, &expected, err));
  if (memcmp(c->digest, theirs, sizeof theirs) != 0)
    status =
        sotto_i_fail(err, SOTTO_INVALID,
                     "the other party's folder is of another run or seed: its anchors have other labels; "
                     "both have to give the folders of one run");
done:
  return status;
}

static sotto_status ask(sotto_matrix *out, const sotto_i_joint *joint, const common *c, sotto_error *err) {
  const sotto_i_job *job;
  sotto_status status;
  SOTTO_TRY(joint->release(joint->context, &job, 0, err));
  const uint32_t graphs = (uint32_t)job->data->graph_count;
  const sotto_words count = {"question.graphs",
                             SOTTO_WIRE_EXPOSED,
                             "how many graphs a client asks about is taken as public",
                             &graphs,
                             1,
                             1};
  const sotto_expectation expected = {
      .name = "question.answers", .kind = SOTTO_WIRE_PUBLIC, .rows = graphs, .cols = c->terms.classes};
  SOTTO_TRY(sotto_link_send_words(joint->link, &count, err));
  SOTTO_TRY(send_reports(job, c, joint->link, err));
  SOTTO_TRY(sotto_matrix_new(out, graphs, c->terms.classes, err));
  SOTTO_TRY(sotto_link_receive(joint->link, out, &expected, err));
  for (size_t k = 0; k < out->rows * out->cols; k++)
    if (!(out->data[k] >= 0 && out->data[k] <= 1)) {
      status = sotto_i_fail(err, SOTTO_RANGE, "answers: that of graph %zu is no probability", k / out->cols);
      goto done;
    }
done:
  return status;
}

/* Learns once more from the reports of the run. */
static sotto_status learn_again(sotto_i_gw_learned *out, const sotto_i_joint *joint, const common *c,
                                sotto_error *err) {
  sotto_gw_codes codes = {.posterior = {0}};
  char *path = NULL;
  int32_t *answers = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_join(&path, joint->job->folder, "codes.npz", err));
  SOTTO_TRY(sotto_gw_codes_open(&codes, path, err));
  const sotto_gw_reported *r = &codes.reported;
  if (r->reports == NULL || r->classes != c->terms.classes ||
      codes.posterior.cols != c->terms.anchors.count) {
    status = sotto_i_fail(err, SOTTO_INVALID, "%s: has not the reports of this run", path);
    goto done;
  }
  sotto_i_gw_reports reports = {.members = r->members,
                                .truth = r->truth,
                                .other = r->other,
                                .anchors = c->terms.anchors.count,
                                .classes = r->classes};
  SOTTO_TRY(sotto_i_new(&answers, codes.posterior.rows * r->members, sizeof *answers, err));
  for (size_t g = 0; g < codes.posterior.rows; g++)
    if (r->reports[g * r->members] >= 0)
      memcpy(answers + reports.count++ * r->members, r->reports + g * r->members,
             r->members * sizeof *answers);
  reports.answers = answers;
  SOTTO_TRY(sotto_i_gw_learn(out, &reports, c->terms.anchors.distance, err));
done:
  sotto_gw_codes_free(&codes);
  sotto_i_free(answers);
  sotto_i_free(path);
  return status;
}

static sotto_status fill_answers(sotto_matrix *out, const sotto_matrix *asked, const common *c,
                                 const sotto_i_gw_learned *learned, sotto_error *err) {
  double truth, other;
  sotto_subset_chances(&truth, &other, &c->subset);
  for (size_t g = 0; g < asked->rows; g++) {
    const float value = asked->data[g];
    if (!(value >= 0 && value < (float)c->terms.classes && value == (float)(uint32_t)value))
      return sotto_i_fail(err, SOTTO_RANGE, "question: graph %zu reports no class", g);
    sotto_i_gw_class_probabilities(out->data + g * out->cols, learned, c->terms.classes, truth, other,
                                   (uint32_t)value);
  }
  return SOTTO_OK;
}

static sotto_status reply(sotto_matrix *out, const sotto_i_joint *joint, const common *c, sotto_error *err) {
  enum { most = 1 << 24 };
  const sotto_expectation count = {"question.graphs", SOTTO_WIRE_EXPOSED, 1, 1, 0};
  sotto_i_gw_learned learned = {.label = NULL};
  sotto_matrix asked = {0};
  uint32_t graphs = 0;
  sotto_status status;
  SOTTO_TRY(learn_again(&learned, joint, c, err));
  SOTTO_TRY(sotto_link_receive_words(joint->link, &graphs, &count, err));
  if (graphs < 1 || graphs > most / c->terms.classes) {
    status = sotto_i_fail(err, SOTTO_RANGE, "question: %u graphs; 1 to %u are possible", (unsigned)graphs,
                          (unsigned)(most / c->terms.classes));
    goto done;
  }
  const sotto_expectation expected = {
      .name = "question", .kind = SOTTO_WIRE_RELEASE, .rows = graphs, .cols = 1};
  SOTTO_TRY(sotto_matrix_new(&asked, graphs, 1, err));
  SOTTO_TRY(sotto_link_receive(joint->link, &asked, &expected, err));
  SOTTO_TRY(sotto_matrix_new(out, graphs, c->terms.classes, err));
  SOTTO_TRY(fill_answers(out, &asked, c, &learned, err));
  SOTTO_TRY(sotto_link_send_public(joint->link, "question.answers", out, err));
done:
  sotto_i_gw_learned_free(&learned);
  sotto_matrix_free(&asked);
  return status;
}

sotto_status sotto_i_code_question(sotto_matrix *out, const sotto_i_joint *joint, sotto_error *err) {
  common c = {.label = NULL};
  sotto_status status;
  SOTTO_TRY(open_common(&c, joint, err));
  SOTTO_TRY(compare_models(&c, joint->link, err));
  status = joint->role == SOTTO_ROLE_SERVER ? reply(out, joint, &c, err) : ask(out, joint, &c, err);
done:
  close_common(&c);
  return status;
}
