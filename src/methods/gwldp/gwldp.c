/* --method gwldp (Jin and Chen 2022): federated averaging, then each client's embeddings of its graphs under
 * the multi-bit encoder, also every few rounds if requested. The server stores them for `sotto compare`. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "graph/io/npz.h"
#include "gwldp.h"
#include "inside/nn.h"
#include "inside/party.h"
#include "inside/tensor.h"
#include "party/coded.h"
#include "party/wire/link/transport.h"
#include "protocols/options.h"
#include "release/artifact.h"
#include "run/files/folder_file.h"
#include "tensor/columns.h"

static const char *const sizes_reason = "distances between graphs need to know how many nodes each has";

static size_t graphs_of(const sotto_dataset *data) {
  return data->graph_count > 0 ? data->graph_count : 1;
}

/* The borders of the client's graphs; a single graph has one. */
static void set_borders(uint64_t *first, const sotto_i_fed_client *c) {
  first[0] = 0;
  first[1] = c->data.graph.nodes;
  if (c->data.graph_count > 0) memcpy(first, c->data.graph_first, (c->data.graph_count + 1) * sizeof *first);
}

static bool embeds_in(const sotto_i_federation *f, uint64_t round) {
  uint64_t every = sotto_i_gwldp_settings_of(f->options)->embed_every;
  return every > 0 && round % every == 0;
}

/* The number of times that a client sends its embeddings in rounds 1 to `last`. */
static sotto_status count_releases(uint64_t *out, const sotto_i_federation *f, uint32_t client, uint64_t last,
                                   sotto_error *err) {
  uint32_t *taking = NULL;
  sotto_status status;
  *out = 0;
  SOTTO_TRY(sotto_i_new_raw(&taking, f->taking, sizeof *taking, err));
  for (uint64_t round = 1; round <= last; round++) {
    if (!embeds_in(f, round)) continue;
    SOTTO_TRY(sotto_i_fed_round(taking, f, round, err));
    for (uint32_t i = 0; i < f->taking; i++) *out += taking[i] == client;
  }
done:
  sotto_i_free(taking);
  return status;
}

/* The number of a round's release among the client's releases, from 0; that after the last round comes
 * last. */
static sotto_status number_of(uint64_t *out, const sotto_i_fed_client *c, uint64_t round, sotto_error *err) {
  const sotto_i_federation *f = c->federation;
  return count_releases(out, f, c->number, round == 0 ? f->settings->rounds : round - 1, err);
}

static sotto_status update_range(double *least, double *most, uint64_t rows, size_t classes, double epsilon,
                                 sotto_error *err) {
  sotto_multibit encoder;
  if (rows == 0) return SOTTO_OK;
  sotto_status status = sotto_i_coded_encoder(&encoder, rows, classes, epsilon, err);
  if (status != SOTTO_OK) return status;
  *least = fmin(*least, encoder.epsilon);
  *most = fmax(*most, encoder.epsilon);
  return SOTTO_OK;
}

/* The cost of one release of the client, and the number of releases. */
static sotto_status price_client(sotto_i_fed_client *c, sotto_error *err) {
  const sotto_i_federation *f = c->federation;
  size_t graphs = graphs_of(&c->data);
  uint64_t *first = NULL;
  sotto_status status;
  c->least = INFINITY;
  c->most = 0;
  SOTTO_TRY(sotto_i_new(&first, graphs + 1, sizeof *first, err));
  set_borders(first, c);
  for (size_t g = 0; g < graphs; g++)
    SOTTO_TRY(
        update_range(&c->least, &c->most, first[g + 1] - first[g], f->classes, f->options->epsilon, err));
  SOTTO_TRY(count_releases(&c->releases, f, c->number, f->settings->rounds, err));
  c->releases++;
done:
  sotto_i_free(first);
  return status;
}

static sotto_status begin(sotto_i_fed_client *c, sotto_error *err) {
  const sotto_i_federation *f = c->federation;
  if (!isfinite(f->options->epsilon)) return SOTTO_OK;
  sotto_status status = price_client(c, err);
  if (status != SOTTO_OK || f->apart) return status;
  return sotto_i_job_ask_part(f->job, sotto_i_cost_item_of(f->job->cost, SOTTO_ACCOUNT_DATA), c->releases,
                              &c->data, err);
}

/* The costliest release over all clients of a seed, and the largest number of releases of a client. Graphs
 * and clients are disjoint: the whole costs as much as one of them. */
static sotto_status price_seed(double *most, uint64_t *times, const sotto_i_job *job, sotto_error *err) {
  sotto_i_federation f;
  const sotto_dataset *data = job->data;
  double least = INFINITY, epsilon = job->options->epsilon;
  uint32_t *owner = NULL;
  uint64_t *rows = NULL, count;
  sotto_status status;
  SOTTO_TRY(sotto_i_fed_settle(&f, job, err));
  SOTTO_TRY(sotto_i_new(&rows, f.clients, sizeof *rows, err));
  for (uint32_t c = 0; c < f.clients; c++) {
    if (job->seat != NULL && c + 1 != job->seat->number) continue;
    SOTTO_TRY(count_releases(&count, &f, c, f.settings->rounds, err));
    if (count + 1 > *times) *times = count + 1;
  }
  if (data->graph_count > 0) {
    for (size_t g = 0; g < data->graph_count; g++)
      SOTTO_TRY(update_range(&least, most, data->graph_first[g + 1] - data->graph_first[g], f.classes,
                             epsilon, err));
    goto done;
  }
  if (job->seat != NULL) {
    SOTTO_TRY(update_range(&least, most, data->graph.nodes, f.classes, epsilon, err));
    goto done;
  }
  SOTTO_TRY(sotto_i_new(&owner, data->graph.nodes, sizeof *owner, err));
  SOTTO_TRY(sotto_i_fed_deal(owner, job, f.clients, err));
  for (uint64_t v = 0; v < data->graph.nodes; v++) rows[owner[v]]++;
  for (uint32_t c = 0; c < f.clients; c++)
    SOTTO_TRY(update_range(&least, most, rows[c], f.classes, epsilon, err));
done:
  sotto_i_free(owner);
  sotto_i_free(rows);
  return status;
}

/* A replaced graph is more than a replaced node or edge, so it is charged at both levels. */
sotto_status sotto_i_gwldp_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  double most = 0;
  uint64_t times = 0;
  *out = (sotto_cost){.adjacency = "node"};
  if (!isfinite(o->epsilon) || (job->seat != NULL && job->seat->role == SOTTO_ROLE_SERVER)) return SOTTO_OK;
  for (uint64_t s = 0; s < o->seeds; s++) {
    sotto_i_job seed = *job;
    seed.seed = o->seed + s;
    sotto_status status = price_seed(&most, &times, &seed, err);
    if (status != SOTTO_OK) return status;
  }
  sotto_mechanism multibit = sotto_mechanism_default(SOTTO_MECHANISM_MULTIBIT);
  multibit.epsilon = most;
  sotto_cost_item *item =
      sotto_i_cost_add(out, "embeddings of graphs, each under the multi-bit encoder", &multibit, 0, most);
  item->times = times;
  return SOTTO_OK;
}

static sotto_status send_sizes(sotto_i_fed_client *c, sotto_error *err) {
  size_t graphs = graphs_of(&c->data);
  uint64_t *first = NULL;
  uint32_t *sizes = NULL, count = (uint32_t)graphs;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&first, graphs + 1, sizeof *first, err));
  SOTTO_TRY(sotto_i_new(&sizes, graphs, sizeof *sizes, err));
  set_borders(first, c);
  for (size_t g = 0; g < graphs; g++) sizes[g] = (uint32_t)(first[g + 1] - first[g]);
  const sotto_words number = {"graphs", SOTTO_WIRE_EXPOSED, sizes_reason, &count, 1, 1};
  const sotto_words all = {"graph sizes", SOTTO_WIRE_EXPOSED, sizes_reason, sizes, 1, graphs};
  SOTTO_TRY(sotto_link_send_words(c->link, &number, err));
  SOTTO_TRY(sotto_link_send_words(c->link, &all, err));
done:
  sotto_i_free(first);
  sotto_i_free(sizes);
  return status;
}

sotto_status sotto_i_gwldp_encode(void *context, sotto_graph *graph, sotto_matrix *table,
                                  const sotto_key *whole, sotto_error *err) {
  const sotto_i_gwldp_coding *c = context;
  const sotto_i_federation *f = c->client->federation;
  sotto_key key;
  (void)graph;
  sotto_i_key_derive(&key, whole, (f->seed << 40) ^ (c->round << 16) ^ c->client->number);
  sotto_status status =
      sotto_i_coded_rows(table, c->rows, c->first, c->graphs, f->options->epsilon, &key, err);
  sotto_key_wipe(&key);
  return status;
}

static sotto_status send_codes(sotto_i_fed_client *c, const sotto_matrix *rows, const uint64_t *first,
                               size_t graphs, uint64_t round, sotto_error *err) {
  const sotto_i_federation *f = c->federation;
  sotto_i_gwldp_coding context = {c, rows, first, graphs, round};
  sotto_dataset codes;
  sotto_i_receipt receipt;
  uint64_t number;
  char file[64], made_with[192];
  sotto_status status;
  SOTTO_TRY(number_of(&number, c, round, err));
  (void)snprintf(file, sizeof file, "codes-%u-%llu.sotto", (unsigned)c->number + 1,
                 (unsigned long long)round);
  (void)snprintf(made_with, sizeof made_with,
                 "codes of %zu graphs, %zu rows of %zu, epsilon %.17g, round %llu", graphs, rows->rows,
                 rows->cols, f->options->epsilon, (unsigned long long)round);
  const sotto_i_table_artifact table = {
      .artifact = {.owner = sotto_i_job_owner(f->job),
                   .item = sotto_i_cost_item_of(f->job->cost, SOTTO_ACCOUNT_DATA),
                   .number = number,
                   .file = file,
                   .made_with = made_with,
                   .part = f->apart ? 0 : c->number + 1,
                   .part_data = f->apart ? NULL : &c->data,
                   .run_key = true},
      .rows = rows->rows,
      .context = &context,
      .make = sotto_i_gwldp_encode};
  SOTTO_TRY(sotto_i_table_use(&codes, &receipt, &table, err));
  status = sotto_i_link_send_charged(c->link, "embeddings", &codes.features, &receipt, err);
  sotto_dataset_free(&codes);
done:
  return status;
}

/* Softmax of the model's logits of each node: values in [0, 1]. A row depends only on the model and the
 * node's own graph: running statistics, no dropout. */
static sotto_status softmax_rows(sotto_matrix *out, sotto_i_fed_client *c, sotto_error *err) {
  const sotto_i_graph_batch nodes = {.features = &c->features, .spread = c->spread};
  const sotto_pass pass = {.tape = c->tape, .key = &c->key};
  sotto_tape_reset(c->tape);
  sotto_var logits = sotto_i_graph_net_nodes(&c->model.net, c->model.params, &pass, &nodes);
  sotto_status status = sotto_tape_copy(out, c->tape, logits, err);
  if (status == SOTTO_OK) sotto_i_rows_to_softmax(out);
  if (status == SOTTO_OK) (void)sotto_i_rows_to_finite(out); /* the server chose the model */
  return status;
}

static sotto_status send_embeddings(sotto_i_fed_client *c, uint64_t round, sotto_error *err) {
  size_t graphs = graphs_of(&c->data);
  uint64_t *first = NULL;
  sotto_matrix rows = {0};
  sotto_status status;
  if (round > 0 && !embeds_in(c->federation, round)) return SOTTO_OK;
  SOTTO_TRY(sotto_i_new(&first, graphs + 1, sizeof *first, err));
  set_borders(first, c);
  SOTTO_TRY(softmax_rows(&rows, c, err));
  if (isfinite(c->federation->options->epsilon))
    SOTTO_TRY(send_codes(c, &rows, first, graphs, round, err));
  else
    SOTTO_TRY(sotto_link_send_exposed(
        c->link, "embeddings", "epsilon inf asked for them as they are, without an encoder", &rows, err));
done:
  sotto_matrix_free(&rows);
  sotto_i_free(first);
  return status;
}

/* The server learns the number of rows that follow. */
static sotto_status learn_sizes(sotto_i_fed_embedded *out, sotto_link *link, uint32_t classes,
                                sotto_error *err) {
  uint32_t count = 0, *sizes = NULL;
  const uint32_t most = 1U << 24;
  sotto_status status;
  const sotto_expectation number = {"graphs", SOTTO_WIRE_EXPOSED, 1, 1, 0};
  SOTTO_TRY(sotto_link_receive_words(link, &count, &number, err));
  if (count < 1 || count > most) {
    status = sotto_i_fail(err, SOTTO_RANGE, "graphs: %u is outside 1 to 2^24", (unsigned)count);
    goto done;
  }
  SOTTO_TRY(sotto_i_new(&sizes, count, sizeof *sizes, err));
  SOTTO_TRY(sotto_i_new(&out->first, (size_t)count + 1, sizeof *out->first, err));
  const sotto_expectation all = {"graph sizes", SOTTO_WIRE_EXPOSED, 1, count, 0};
  SOTTO_TRY(sotto_link_receive_words(link, sizes, &all, err));
  out->graphs = count;
  for (uint32_t g = 0; g < count; g++) out->first[g + 1] = out->first[g] + sizes[g];
  if (out->first[count] > (uint64_t)most * 16) {
    status = sotto_i_fail(err, SOTTO_RANGE, "graph sizes: %llu nodes are too many",
                          (unsigned long long)out->first[count]);
    goto done;
  }
  SOTTO_TRY(sotto_matrix_new(&out->rows, out->first[count], classes, err));
done:
  sotto_i_free(sizes);
  return status;
}

static sotto_status learn_all_sizes(sotto_i_fed_server *s, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&s->embedded, s->federation->clients, sizeof *s->embedded, err));
  for (uint32_t i = 0; i < s->federation->clients; i++)
    SOTTO_TRY(learn_sizes(&s->embedded[i], s->links[i], s->federation->classes, err));
done:
  return status;
}

static sotto_status receive_one(sotto_i_fed_embedded *e, sotto_link *link, const sotto_options *o,
                                sotto_error *err) {
  const sotto_expectation raw = {
      .name = "embeddings", .kind = SOTTO_WIRE_EXPOSED, .rows = e->rows.rows, .cols = e->rows.cols};
  if (!isfinite(o->epsilon)) return sotto_link_receive(link, &e->rows, &raw, err);
  sotto_status status = sotto_i_coded_receive(&e->rows, link, "embeddings", err);
  if (status != SOTTO_OK || sotto_i_estimator_of(o) != SOTTO_I_ESTIMATOR_UNBIASED) return status;
  return sotto_i_coded_decode(&e->rows, e->first, e->graphs, o->epsilon, err);
}

/* A graph's number of nodes, and where its first node stands in the file. */
typedef struct placed {
  uint32_t at, size;
} placed;

static int compare_places(const void *a, const void *b) {
  const placed *x = a, *y = b;
  return (x->at > y->at) - (x->at < y->at);
}

/* The numbers of nodes of all graphs, in the order of the rows: without them a row has no graph. They were
 * sent to the server alone. */
static sotto_status write_sizes(const sotto_i_fed_server *s, sotto_error *err) {
  static const sotto_i_folder_file sizes_file = {"seed-*/sizes.npz", SOTTO_I_FOR_PARTY,
                                                 "graphs of clients: their numbers of nodes"};
  size_t graphs = 0, at = 0, g = 0;
  placed *all = NULL;
  uint32_t *sizes = NULL;
  char *path = NULL;
  sotto_status status;
  for (uint32_t i = 0; i < s->federation->clients; i++) graphs += s->embedded[i].graphs;
  SOTTO_TRY(sotto_i_new(&all, graphs, sizeof *all, err));
  SOTTO_TRY(sotto_i_new(&sizes, graphs, sizeof *sizes, err));
  for (uint32_t i = 0; i < s->federation->clients; i++)
    for (size_t k = 0; k < s->embedded[i].graphs; k++, g++) {
      all[g].size = (uint32_t)(s->embedded[i].first[k + 1] - s->embedded[i].first[k]);
      all[g].at = s->places == NULL || all[g].size == 0 ? (uint32_t)at : s->places[at];
      at += all[g].size;
    }
  qsort(all, graphs, sizeof *all, compare_places);
  for (g = 0; g < graphs; g++) sizes[g] = all[g].size;
  SOTTO_TRY(sotto_i_folder_path(&path, s->job->folder, &sizes_file, NULL, NULL, err));
  const sotto_i_npz_part part = {"sizes", "<u4", sizes, sizeof *sizes, 1, {graphs, 1}};
  SOTTO_TRY(sotto_i_npz_write(path, &part, 1, err));
done:
  sotto_i_free(all);
  sotto_i_free(sizes);
  sotto_i_free(path);
  return status;
}

/* All rows in the order of the data if that is known, else client by client. */
static sotto_status write_rows(const sotto_i_fed_server *s, uint64_t round, sotto_error *err) {
  static const sotto_i_folder_file embedding_files = {"seed-*/embeddings*.npz", SOTTO_I_FOR_ANYONE,
                                                      "graphs of clients, as their noisy codes show them"};
  size_t cols = s->federation->classes, rows = 0, at = 0;
  sotto_matrix all = {0};
  char name[48] = "embeddings.npz", *path = NULL;
  sotto_status status;
  for (uint32_t i = 0; i < s->federation->clients; i++) rows += s->embedded[i].rows.rows;
  SOTTO_TRY(sotto_matrix_new(&all, rows, cols, err));
  for (uint32_t i = 0; i < s->federation->clients; i++)
    for (size_t v = 0; v < s->embedded[i].rows.rows; v++, at++)
      memcpy(all.data + (s->places == NULL ? at : s->places[at]) * cols, s->embedded[i].rows.data + v * cols,
             cols * sizeof(float));
  if (round > 0) (void)snprintf(name, sizeof name, "embeddings-%llu.npz", (unsigned long long)round);
  SOTTO_TRY(sotto_i_folder_path(&path, s->job->folder, &embedding_files, name, NULL, err));
  const sotto_i_npz_part part = {"embeddings", "<f4", all.data, sizeof(float), 2, {rows, cols}};
  SOTTO_TRY(sotto_i_npz_write(path, &part, 1, err));
  SOTTO_TRY(write_sizes(s, err));
done:
  sotto_i_free(path);
  sotto_matrix_free(&all);
  return status;
}

static sotto_status receive_embeddings(sotto_i_fed_server *s, const uint32_t *clients, uint32_t count,
                                       uint64_t round, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (round > 0 && !embeds_in(s->federation, round)) return SOTTO_OK;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t c = clients == NULL ? i : clients[i];
    SOTTO_TRY(receive_one(&s->embedded[c], s->links[c], s->federation->options, err));
  }
  SOTTO_TRY(write_rows(s, round, err));
done:
  return status;
}

const sotto_i_fed_embedding sotto_i_gwldp_embedding = {.begin = begin,
                                                       .announce = send_sizes,
                                                       .learn = learn_all_sizes,
                                                       .embed = send_embeddings,
                                                       .gather = receive_embeddings};
