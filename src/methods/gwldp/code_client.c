/* A client of codes: it reports its labelled graphs, receives the learnt labels, and reports its held-out
 * graphs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "code.h"
#include "inside/party.h"
#include "party/wire/link/transport.h"
#include "release/artifact.h"

static sotto_status gather_rows(sotto_i_code_client *c, sotto_error *err) {
  const sotto_i_fed_client *base = c->base;
  const size_t *count = base->count;
  const size_t labelled = count[SOTTO_PART_TRAIN] + count[SOTTO_PART_VALIDATION];
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&c->labelled, labelled, sizeof *c->labelled, err));
  SOTTO_TRY(sotto_i_new(&c->held, count[SOTTO_PART_TEST], sizeof *c->held, err));
  SOTTO_TRY(sotto_i_new(&c->codes, base->data.graph_count, sizeof *c->codes, err));
  SOTTO_TRY(sotto_i_new(&c->confusion, c->terms->classes * c->terms->classes, sizeof *c->confusion, err));
  for (int part = SOTTO_PART_TRAIN; part <= SOTTO_PART_VALIDATION; part++)
    for (size_t i = 0; i < count[part]; i++) c->labelled[c->counts[0]++] = base->rows[part][i];
  for (size_t i = 0; i < count[SOTTO_PART_TEST]; i++)
    c->held[c->counts[1]++] = base->rows[SOTTO_PART_TEST][i];
  SOTTO_TRY(sotto_i_gw_code(c->codes, &c->terms->anchors, &base->data, err));
done:
  return status;
}

static sotto_status announce(const sotto_i_code_client *c, sotto_error *err) {
  uint8_t digest[32];
  sotto_status status;
  sotto_i_code_digest(digest, c->terms);
  const sotto_words anchors = {"anchors", SOTTO_WIRE_PUBLIC, NULL, digest, 1, 8};
  const sotto_words graphs = {"graphs",
                              SOTTO_WIRE_EXPOSED,
                              "how many labelled and held-out graphs a client has is taken as public",
                              c->counts,
                              1,
                              2};
  SOTTO_TRY(sotto_link_send_words(c->base->link, &anchors, err));
  SOTTO_TRY(sotto_link_send_words(c->base->link, &graphs, err));
done:
  return status;
}

/* The reports of some graphs, one value each. */
sotto_status sotto_i_code_report(void *context, sotto_graph *unused, sotto_matrix *table,
                                 const sotto_key *whole, sotto_error *err) {
  const sotto_i_code_reporting *r = context;
  const sotto_i_fed_client *base = r->base;
  const size_t members = r->subset->members;
  int32_t *answers = NULL;
  sotto_key key;
  sotto_status status;
  (void)unused;
  sotto_i_key_derive(&key, whole, (base->federation->seed << 40) ^ base->number);
  SOTTO_TRY(sotto_i_new(&answers, r->count * members, sizeof *answers, err));
  SOTTO_TRY(sotto_matrix_new(table, r->count, members, err));
  SOTTO_TRY(sotto_subset_apply(answers, r->values, r->count, r->subset, &key, r->which, err));
  for (size_t i = 0; i < r->count * members; i++) table->data[i] = (float)answers[i];
done:
  sotto_key_wipe(&key);
  sotto_i_free(answers);
  return status;
}

/* Labelled and held-out graphs are disjoint parts of the client's data and of all data: together they cost
 * as much as one of them. */
static sotto_status release_reports(sotto_matrix *out, const sotto_i_code_reporting *r, const char *name,
                                    sotto_error *err) {
  static const char *const words[] = {"codes", "held-out"};
  const sotto_i_fed_client *base = r->base;
  const sotto_i_federation *f = base->federation;
  sotto_i_code_reporting context = *r;
  sotto_dataset rows;
  sotto_i_receipt receipt;
  char file[64], made_with[192];
  (void)snprintf(file, sizeof file, "%s-%u.sotto", words[r->which], (unsigned)base->number + 1);
  (void)snprintf(made_with, sizeof made_with, "%s of %zu graphs, %u of %u choices, epsilon %.17g",
                 words[r->which], r->count, (unsigned)r->subset->members, (unsigned)r->subset->choices,
                 f->options->epsilon);
  const sotto_i_table_artifact table = {
      .artifact = {.owner = sotto_i_job_owner(f->job),
                   .item = sotto_i_cost_item_of(f->job->cost, SOTTO_ACCOUNT_DATA),
                   .file = file,
                   .made_with = made_with,
                   .part = (f->apart ? 0 : 2 * base->number) + r->which + 1,
                   .part_data = f->apart ? NULL : &base->data,
                   .own_part = r->which + 1,
                   .run_key = true},
      .rows = r->count,
      .context = &context,
      .make = sotto_i_code_report};
  sotto_status status = sotto_i_table_use(&rows, &receipt, &table, err);
  if (status != SOTTO_OK) return status;
  status = sotto_i_link_send_charged(base->link, name, &rows.features, &receipt, err);
  if (status == SOTTO_OK) status = sotto_matrix_new(out, rows.features.rows, rows.features.cols, err);
  if (status == SOTTO_OK) memcpy(out->data, rows.features.data, out->rows * out->cols * sizeof(float));
  sotto_dataset_free(&rows);
  return status;
}

static sotto_status send_exact(sotto_matrix *out, const sotto_i_code_reporting *r, const char *name,
                               sotto_error *err) {
  sotto_status status = sotto_matrix_new(out, r->count, 1, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < r->count; i++) out->data[i] = (float)r->values[i];
  return sotto_link_send_exposed(r->base->link, name,
                                 "epsilon inf asked for codes as they are, without noise", out, err);
}

static sotto_status send_reports(sotto_matrix *out, const sotto_i_code_client *c, const int32_t *values,
                                 uint32_t which, sotto_error *err) {
  static const char *const names[] = {"codes", "held-out"};
  const sotto_i_code_reporting r = {c->base, values, c->counts[which],
                                    which == 0 ? &c->terms->labelled : &c->terms->held, which};
  *out = (sotto_matrix){0};
  if (r.count == 0) return SOTTO_OK;
  return c->terms->exact ? send_exact(out, &r, names[which], err)
                         : release_reports(out, &r, names[which], err);
}

static sotto_status report_labelled(const sotto_i_code_client *c, sotto_error *err) {
  const int32_t *labels = c->base->data.graph_labels;
  int32_t *values = NULL;
  sotto_matrix sent = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&values, c->counts[0], sizeof *values, err));
  for (uint32_t i = 0; i < c->counts[0]; i++)
    values[i] = (int32_t)(c->codes[c->labelled[i]] * c->terms->classes) + labels[c->labelled[i]];
  SOTTO_TRY(send_reports(&sent, c, values, 0, err));
done:
  sotto_matrix_free(&sent);
  sotto_i_free(values);
  return status;
}

/* The class that the server assigns to a held-out graph follows from its report. The client counts it
 * locally and sends the counts to nobody. */
static sotto_status report_held(const sotto_i_code_client *c, sotto_error *err) {
  const int32_t *labels = c->base->data.graph_labels;
  int32_t *values = NULL;
  sotto_matrix sent = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&values, c->counts[1], sizeof *values, err));
  for (uint32_t i = 0; i < c->counts[1]; i++) values[i] = (int32_t)c->learnt[c->codes[c->held[i]]];
  SOTTO_TRY(send_reports(&sent, c, values, 1, err));
  for (uint32_t i = 0; i < c->counts[1]; i++)
    if (labels[c->held[i]] >= 0)
      c->confusion[(size_t)labels[c->held[i]] * c->terms->classes + c->answers[(size_t)sent.data[i]]]++;
done:
  sotto_matrix_free(&sent);
  sotto_i_free(values);
  return status;
}

/* Receives numbers that follow from released reports: one class each. */
static sotto_status receive_classes(uint32_t **out, const sotto_i_code_client *c, const char *name,
                                    size_t count, sotto_error *err) {
  const sotto_expectation expected = {name, SOTTO_WIRE_PUBLIC, 1, count, 0};
  sotto_status status;
  SOTTO_TRY(sotto_i_new(out, count, sizeof **out, err));
  SOTTO_TRY(sotto_link_receive_words(c->base->link, *out, &expected, err));
  for (size_t k = 0; k < count; k++)
    if ((*out)[k] >= c->terms->classes)
      return sotto_i_fail(err, SOTTO_RANGE, "%s: %u is none of %zu classes", name, (unsigned)(*out)[k],
                          c->terms->classes);
done:
  return status;
}

sotto_status sotto_i_code_client_run(sotto_i_code_client *c, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(gather_rows(c, err));
  SOTTO_TRY(announce(c, err));
  SOTTO_TRY(report_labelled(c, err));
  SOTTO_TRY(receive_classes(&c->learnt, c, "labels of anchors", c->terms->anchors.count, err));
  SOTTO_TRY(receive_classes(&c->answers, c, "classes of reports", c->terms->classes, err));
  SOTTO_TRY(report_held(c, err));
done:
  if (status != SOTTO_OK) sotto_i_error_prefix(err, "client %u", (unsigned)c->base->number + 1);
  return status;
}

void sotto_i_code_client_free(sotto_i_code_client *client) {
  sotto_i_free(client->labelled);
  sotto_i_free(client->held);
  sotto_i_free(client->codes);
  sotto_i_free(client->learnt);
  sotto_i_free(client->answers);
  sotto_i_free(client->confusion);
}
