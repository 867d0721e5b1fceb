/* Edges between clients at edge level. A client answers once for the cluster of each of its customers, by
 * randomised response, and counts these answers for each other client: for every node of the other one, the
 * linked customers by reported cluster. The other client adds the counts to its own before their noise.
 *
 * An answer depends on no edge, and the counts of an answer are post-processing of it. An edge between two
 * clients changes one count at either end by 1, as one within a client changes one count of each end. */
#include "linked.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "federated.h"
#include "protocol.h"
#include "protocols/counts.h"
#include "protocols/labels_account.h"
#include "protocols/options.h"
#include "release/artifact.h"
#include "release/plan.h"
#include "run/train/run.h"

enum { response_stream = 3 };
static const char payload[] = "linked counts";

bool sotto_i_fed_linked_asked(const sotto_options *o) {
  sotto_partition partition;
  return sotto_partition_read(&partition, sotto_i_partition_of(o), NULL) == SOTTO_OK && partition.linked;
}

sotto_status sotto_i_fed_linked_check(const sotto_options *o, sotto_error *err) {
  if (!sotto_i_fed_linked_asked(o)) return SOTTO_OK;
  if (!sotto_i_fed_protocol_of(o)->counts)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "partition: linked keeps edges between clients, which are counted at edge level "
                        "alone; set adjacency to edge");
  if (!sotto_i_price_asked(o))
    return sotto_i_fail(err, SOTTO_INVALID,
                        "partition: linked needs a finite epsilon, since one client's clusters go to another "
                        "one with noise alone");
  if (o->least_clients > 0)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "least-clients: with partition linked every client has to send its counts; leave one "
                        "of the two out");
  return SOTTO_OK;
}

void sotto_i_fed_linked_free(sotto_i_fed_linked *l) {
  sotto_i_free(l->own);
  sotto_i_free(l->client);
  sotto_i_free(l->theirs);
  *l = (sotto_i_fed_linked){.count = 0};
}

/* Counts them, or writes them too. */
static size_t visit_edges(const sotto_i_fed_linked *out, const sotto_graph *graph, const uint32_t *owner,
                          const uint32_t *number, uint32_t client) {
  size_t count = 0;
  if (graph->offsets == NULL) return 0; /* a table without edges */
  for (uint64_t v = 0; v < graph->nodes; v++)
    for (uint64_t e = graph->offsets[v]; owner[v] == client && e < graph->offsets[v + 1]; e++) {
      const uint32_t u = graph->targets[e];
      if (owner[u] == client) continue;
      if (out != NULL) {
        out->own[count] = number[v];
        out->client[count] = owner[u];
        out->theirs[count] = number[u];
      }
      count++;
    }
  return count;
}

sotto_status sotto_i_fed_linked_find(sotto_i_fed_linked *out, const sotto_graph *graph, const uint32_t *owner,
                                     const uint32_t *number, uint32_t client, sotto_error *err) {
  sotto_status status;
  *out = (sotto_i_fed_linked){.count = visit_edges(NULL, graph, owner, number, client)};
  SOTTO_TRY(sotto_i_new(&out->own, out->count, sizeof *out->own, err));
  SOTTO_TRY(sotto_i_new(&out->client, out->count, sizeof *out->client, err));
  SOTTO_TRY(sotto_i_new(&out->theirs, out->count, sizeof *out->theirs, err));
  (void)visit_edges(out, graph, owner, number, client);
done:
  return status;
}

/* Randomised response has no larger epsilon. */
static sotto_status plan_response(sotto_response *out, const sotto_options *o, uint32_t classes,
                                  sotto_error *err) {
  enum { most = 40 };
  *out = (sotto_response){.choices = classes};
  if (classes < 2)
    return sotto_i_fail(err, SOTTO_INVALID, "partition: linked needs labels of two classes or more");
  return sotto_response_new(out, classes, fmin(o->epsilon, most), err);
}

sotto_status sotto_i_fed_linked_response(sotto_response *out, const sotto_i_run *r, sotto_error *err) {
  return plan_response(out, r->options, r->data->classes, err);
}

sotto_status sotto_i_fed_linked_accounts(sotto_i_run *r, sotto_error *err) {
  sotto_response response;
  uint8_t digest[32];
  char name[128];
  if (!sotto_i_fed_linked_asked(r->options)) return SOTTO_OK;
  const bool has_data = r->party == NULL || r->party->role == SOTTO_ROLE_CLIENT;
  if (!has_data && r->data->classes < 2)
    return SOTTO_OK; /* a server before clients said how many there are */
  if (has_data && r->data->graph_count > 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "partition: linked is for nodes with labels; %s has none",
                        r->data->name);
  if (has_data && r->data->labels == NULL)
    return SOTTO_OK; /* of answers about other data: nothing is reported; a training needs labels and says so
                      */
  sotto_status status =
      r->party != NULL && has_data ? sotto_i_fed_linked_list_check(r->options, r->data, err) : SOTTO_OK;
  if (status == SOTTO_OK) status = sotto_i_fed_linked_response(&response, r, err);
  if (status != SOTTO_OK) return status;
  const sotto_mechanism mechanism = sotto_response_mechanism(&response);
  sotto_cost_item *item =
      sotto_i_cost_add(&r->cost, "clusters of nodes as other clients count them, each by randomised response",
                       &mechanism, 0, response.epsilon);
  item->account = SOTTO_ACCOUNT_LABELS;
  item->adjacency = "node";
  if (!has_data) return SOTTO_OK;
  sotto_i_labels_account(digest, name, r->data);
  sotto_i_cost_account(&r->cost, SOTTO_ACCOUNT_LABELS, digest, name);
  return SOTTO_OK;
}

sotto_status sotto_i_fed_linked_state(sotto_result *out, const sotto_i_run *r, sotto_error *err) {
  sotto_response response;
  const size_t item = sotto_i_cost_item_of(&r->cost, SOTTO_ACCOUNT_LABELS);
  if (item == SOTTO_I_NO_ITEM) return SOTTO_OK;
  sotto_status status = sotto_i_fed_linked_response(&response, r, err);
  if (status != SOTTO_OK) return status;
  out->label_epsilon_planned = response.epsilon * (double)r->options->seeds;
  out->label_epsilon = out->made.label_charges > 0 ? out->made.label_epsilon : out->label_epsilon_planned;
  out->label_flip = (double)response.flip * 0x1p-64;
  if (r->ledger == NULL || !r->cost.accounts[SOTTO_ACCOUNT_LABELS].here)
    return SOTTO_OK; /* a run that is planned alone, a server */
  return sotto_ledger_spent(r->ledger, &out->label_spent, r->cost.accounts[SOTTO_ACCOUNT_LABELS].digest,
                            "node", err);
}

/* The client's account of its labels, as a dataset of which only account and name are read. */
static void own_account(sotto_dataset *out, char name[128], const sotto_i_fed_client *c) {
  *out = (sotto_dataset){.name = name};
  sotto_i_labels_account(out->account, name, &c->data);
}

static size_t item_of(const sotto_i_fed_client *c) {
  return sotto_i_cost_item_of(c->federation->job->cost, SOTTO_ACCOUNT_LABELS);
}

sotto_status sotto_i_fed_linked_ask(const sotto_i_fed_client *c, sotto_error *err) {
  sotto_dataset account;
  char name[128];
  if (!c->federation->linked || item_of(c) == SOTTO_I_NO_ITEM) return SOTTO_OK;
  own_account(&account, name, c);
  return sotto_i_job_ask_part(c->federation->job, item_of(c), 1, &account, err);
}

sotto_status sotto_i_fed_linked_make(void *reporting, sotto_graph *unused, sotto_matrix *table,
                                     const sotto_key *whole, sotto_error *err) {
  const sotto_i_fed_reporting *r = reporting;
  int32_t *clusters = NULL;
  sotto_key key = {.origin = SOTTO_KEY_NONE};
  sotto_status status;
  (void)unused;
  if (r->known == NULL)
    return sotto_i_fail(err, SOTTO_NOT_FOUND,
                        "the reported clusters of this seed are gone; remove the seed's folder to begin it "
                        "again");
  sotto_i_key_derive(&key, whole, r->stream);
  SOTTO_TRY(sotto_i_new_raw(&clusters, r->known->nodes, sizeof *clusters, err));
  for (size_t v = 0; v < r->known->nodes; v++) clusters[v] = r->known->of[v];
  SOTTO_TRY(sotto_response_apply(clusters, r->known->nodes, r->response, &key, response_stream, err));
  SOTTO_TRY(sotto_matrix_new(table, r->known->nodes, 1, err));
  for (size_t v = 0; v < r->known->nodes; v++) table->data[v] = (float)clusters[v];
done:
  sotto_i_free(clusters);
  sotto_key_wipe(&key);
  return status;
}

/* The answers of this seed: those in its folder, or new ones, which are charged before anybody reads them. */
static sotto_status report(sotto_dataset *out, const sotto_i_fed_client *c, const sotto_i_clusters *known,
                           sotto_error *err) {
  const sotto_i_federation *f = c->federation;
  sotto_response response;
  sotto_dataset account;
  char file[64], made_with[192], name[128];
  sotto_status status = plan_response(&response, f->options, f->classes, err);
  if (status != SOTTO_OK) return status;
  sotto_i_fed_reporting context = {
      .known = known, .response = &response, .stream = (f->seed << 20) ^ c->number};
  own_account(&account, name, c);
  (void)snprintf(file, sizeof file, "reported-%u.sotto", (unsigned)c->number + 1);
  (void)snprintf(made_with, sizeof made_with, "%s, reported clusters of a client: epsilon %.17g",
                 f->options->method, response.epsilon);
  const sotto_i_table_artifact table = {.artifact = {.owner = sotto_i_job_owner(f->job),
                                                     .item = item_of(c),
                                                     .file = file,
                                                     .made_with = made_with,
                                                     .part = f->apart ? 0 : c->number + 1,
                                                     .part_data = f->apart ? NULL : &account,
                                                     .run_key = true},
                                        .rows = c->features.rows,
                                        .context = &context,
                                        .make = sotto_i_fed_linked_make};
  return sotto_i_table_use(out, NULL, &table, err);
}

void sotto_i_fed_linked_rows(uint32_t *table, size_t classes, const sotto_i_fed_linked *l, uint32_t other,
                             const float *reported) {
  for (size_t i = 0; i < l->count; i++)
    if (l->client[i] == other) table[l->theirs[i] * classes + (size_t)reported[l->own[i]]]++;
}

sotto_status sotto_i_fed_linked_add(sotto_matrix *foreign, const uint32_t *table, const sotto_i_fed_linked *l,
                                    uint32_t other, sotto_error *err) {
  uint64_t *edges = NULL;
  sotto_status status = sotto_i_new(&edges, foreign->rows, sizeof *edges, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < l->count; i++) edges[l->own[i]] += l->client[i] == other;
  for (size_t v = 0; v < foreign->rows; v++) {
    const uint32_t *row = table + v * foreign->cols;
    uint64_t sum = 0;
    for (size_t j = 0; j < foreign->cols; j++) sum += row[j];
    for (size_t j = 0; sum == edges[v] && j < foreign->cols; j++)
      foreign->data[v * foreign->cols + j] += (float)row[j];
  }
  sotto_i_free(edges);
  return SOTTO_OK;
}

static size_t counts_size(const sotto_i_federation *f, uint32_t from, uint32_t to) {
  (void)from;
  return (size_t)f->sizes[to] * f->classes * sizeof(uint32_t);
}

static sotto_status send_counts(const sotto_i_fed_client *c, uint32_t to, const float *reported,
                                sotto_error *err) {
  const sotto_i_federation *f = c->federation;
  const size_t size = counts_size(f, c->number, to);
  uint32_t *table = NULL;
  sotto_status status = sotto_i_new(&table, size, 1, err);
  if (status != SOTTO_OK) return status;
  sotto_i_fed_linked_rows(table, f->classes, &c->linked, to, reported);
  status = sotto_i_fed_box_send(c, to, &(sotto_i_fed_box){payload, NULL, table, size}, err);
  sotto_i_free(table);
  return status;
}

static sotto_status receive_counts(sotto_matrix *foreign, const sotto_i_fed_client *c, uint32_t from,
                                   sotto_error *err) {
  const size_t size = counts_size(c->federation, from, c->number);
  uint32_t *table = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&table, size, 1, err));
  SOTTO_TRY(sotto_i_fed_box_receive(c, from, &(sotto_i_fed_box){payload, NULL, table, size}, err));
  SOTTO_TRY(sotto_i_fed_linked_add(foreign, table, &c->linked, from, err));
done:
  sotto_i_free(table);
  return status;
}

sotto_status sotto_i_fed_linked_exchange(sotto_matrix *foreign, sotto_i_fed_client *c,
                                         const sotto_i_clusters *known, sotto_error *err) {
  const sotto_i_federation *f = c->federation;
  sotto_dataset reported = {0};
  sotto_status status;
  if (f->apart) SOTTO_TRY(sotto_i_fed_linked_meet(c, err));
  SOTTO_TRY(report(&reported, c, known, err));
  for (uint32_t to = 0; to < f->clients; to++)
    if (to != c->number) SOTTO_TRY(send_counts(c, to, reported.features.data, err));
  SOTTO_TRY(sotto_matrix_new(foreign, known->nodes, known->count, err));
  for (uint32_t from = 0; from < f->clients; from++)
    if (from != c->number) SOTTO_TRY(receive_counts(foreign, c, from, err));
done:
  sotto_dataset_free(&reported);
  return status;
}

sotto_status sotto_i_fed_linked_relay(sotto_i_fed_server *s, sotto_error *err) {
  sotto_status status;
  if (s->federation->apart) SOTTO_TRY(sotto_i_fed_linked_introduce(s, err));
  status = sotto_i_fed_boxes_relay(s, payload, counts_size, err);
done:
  return status;
}
