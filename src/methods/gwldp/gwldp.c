/* --method gwldp (paper 004): federated averaging, and then, or every so many rounds too, each client's
 * embeddings of its graphs, under the multi-bit encoder. The server writes them down for `sotto compare`. */
#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "graph/io/npz.h"
#include "methods/federated/federated.h"
#include "models/table.h"
#include "party/coded.h"

static const char *const sizes_reason = "distances between graphs need to know how many nodes each has";

static size_t graphs_of(const sotto_dataset *data) {
  return data->graph_count > 0 ? data->graph_count : 1;
}

/* The borders of the client's graphs: one, when its data is a single graph. */
static void borders_of(uint64_t *first, const sotto_i_fed_client *c) {
  first[0] = 0;
  first[1] = c->data.graph.nodes;
  if (c->data.graph_count > 0) memcpy(first, c->data.graph_first, (c->data.graph_count + 1) * sizeof *first);
}

static bool embeds_in(const sotto_i_federation *f, uint64_t round) {
  uint64_t every = f->options->embed_every;
  return f->embeds && every > 0 && round % every == 0;
}

/* How many times the client sends its embeddings. */
static sotto_status count_releases(uint64_t *out, const sotto_i_fed_client *c, sotto_error *err) {
  const sotto_i_federation *f = c->federation;
  uint32_t *taking = NULL;
  sotto_status status;
  *out = 1;
  SOTTO_TRY(sotto_i_new_raw(&taking, f->taking, sizeof *taking, err));
  for (uint64_t round = 1; round <= f->options->rounds; round++) {
    if (!embeds_in(f, round)) continue;
    SOTTO_TRY(sotto_i_fed_round(taking, f, round, err));
    for (uint32_t i = 0; i < f->taking; i++) *out += taking[i] == c->number;
  }
done:
  sotto_i_free(taking);
  return status;
}

/* A name of its own each time: codes that are made again are another release. */
static void name_release(char id[64], const sotto_i_federation *f, const char *what, uint64_t number) {
  char nonce[17];
  uint8_t random[8];
  randombytes_buf(random, sizeof random);
  sotto_i_hex(nonce, random, sizeof random);
  (void)snprintf(id, 64, "%.8s-%llu-%s%llu-%s", f->run_id, (unsigned long long)f->seed, what,
                 (unsigned long long)number, nonce);
}

static sotto_i_coded_bill bill_for(const sotto_i_federation *f, const sotto_dataset *data,
                                   sotto_ledger *ledger, const char *id) {
  return (sotto_i_coded_bill){.ledger = ledger,
                              .digest = data->digest,
                              .name = data->name,
                              .id = id,
                              .run = f->options->out,
                              .insecure = f->options->insecure_seed != SOTTO_UNSET};
}

static sotto_status open_ledger(sotto_ledger **out, const sotto_options *o, sotto_error *err) {
  return sotto_ledger_open(out, o->ledger[0] == '\0' ? NULL : o->ledger, err);
}

/* What a release of the client costs, and how many it makes. */
static sotto_status price(sotto_i_fed_client *c, sotto_error *err) {
  size_t graphs = graphs_of(&c->data);
  uint64_t *first = NULL;
  sotto_status status;
  c->least = INFINITY;
  c->most = 0;
  SOTTO_TRY(sotto_i_new(&first, graphs + 1, sizeof *first, err));
  borders_of(first, c);
  for (size_t g = 0; g < graphs; g++) {
    sotto_multibit encoder;
    if (first[g] == first[g + 1]) continue;
    SOTTO_TRY(sotto_i_coded_encoder(&encoder, first[g + 1] - first[g], c->federation->classes,
                                    c->federation->options->epsilon, err));
    c->least = fmin(c->least, encoder.epsilon);
    c->most = fmax(c->most, encoder.epsilon);
  }
  SOTTO_TRY(count_releases(&c->releases, c, err));
done:
  sotto_i_free(first);
  return status;
}

static sotto_status ask(sotto_i_fed_client *c, sotto_ledger *ledger, sotto_error *err) {
  char id[64];
  name_release(id, c->federation, "ask", c->number);
  const sotto_i_coded_bill asked = bill_for(c->federation, &c->data, ledger, id);
  return sotto_i_coded_charge(c->most, c->releases, &asked, true, err);
}

sotto_status sotto_i_gwldp_ask(sotto_i_fed_client *c, sotto_error *err) {
  const sotto_i_federation *f = c->federation;
  sotto_ledger *ledger = NULL;
  sotto_status status;
  if (!f->embeds || !isfinite(f->options->epsilon)) return SOTTO_OK;
  SOTTO_TRY(price(c, err));
  SOTTO_TRY(open_ledger(&ledger, f->options, err));
  SOTTO_TRY(ask(c, ledger, err));
done:
  sotto_ledger_close(ledger);
  return status;
}

/* Graphs are disjoint, so the whole pays for the one that costs most; and it pays for all releases before the
 * first, since another run may deal the same graphs to other clients. */
sotto_status sotto_i_gwldp_charge_whole(const sotto_i_federation *f, const sotto_dataset *data,
                                        sotto_i_fed_client *clients, sotto_error *err) {
  double most = 0;
  uint64_t releases = 0;
  sotto_ledger *ledger = NULL;
  char id[64];
  sotto_status status = SOTTO_OK;
  if (!f->embeds || !isfinite(f->options->epsilon)) return SOTTO_OK;
  for (uint32_t i = 0; i < f->clients; i++) {
    SOTTO_TRY(price(&clients[i], err));
    most = fmax(most, clients[i].most);
    if (clients[i].releases > releases) releases = clients[i].releases;
  }
  SOTTO_TRY(open_ledger(&ledger, f->options, err));
  for (uint32_t i = 0; i < f->clients; i++) SOTTO_TRY(ask(&clients[i], ledger, err));
  name_release(id, f, "all", 0);
  const sotto_i_coded_bill bill = bill_for(f, data, ledger, id);
  SOTTO_TRY(sotto_i_coded_charge(most, releases, &bill, false, err));
done:
  sotto_ledger_close(ledger);
  return status;
}

sotto_status sotto_i_gwldp_announce(sotto_i_fed_client *c, sotto_error *err) {
  size_t graphs = graphs_of(&c->data);
  uint64_t *first = NULL;
  uint32_t *sizes = NULL, count = (uint32_t)graphs;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&first, graphs + 1, sizeof *first, err));
  SOTTO_TRY(sotto_i_new(&sizes, graphs, sizeof *sizes, err));
  borders_of(first, c);
  for (size_t g = 0; g < graphs; g++) sizes[g] = (uint32_t)(first[g + 1] - first[g]);
  if (isfinite(c->federation->options->epsilon))
    SOTTO_TRY(open_ledger(&c->ledger, c->federation->options, err));
  const sotto_words number = {"graphs", SOTTO_WIRE_EXPOSED, sizes_reason, &count, 1, 1};
  const sotto_words all = {"graph sizes", SOTTO_WIRE_EXPOSED, sizes_reason, sizes, 1, graphs};
  SOTTO_TRY(sotto_link_send_words(c->link, &number, err));
  SOTTO_TRY(sotto_link_send_words(c->link, &all, err));
done:
  sotto_i_free(first);
  sotto_i_free(sizes);
  return status;
}

static sotto_status send_codes(sotto_i_fed_client *c, const sotto_matrix *rows, const uint64_t *first,
                               size_t graphs, uint64_t round, sotto_error *err) {
  const sotto_options *o = c->federation->options;
  sotto_i_coded *coded = NULL;
  sotto_key key, whole;
  char id[64];
  sotto_status status;
  if (o->insecure_seed == SOTTO_UNSET) {
    sotto_key_system(&key);
  } else {
    sotto_key_insecure(&whole, o->insecure_seed);
    sotto_i_key_derive(&key, &whole, (c->federation->seed << 40) ^ (round << 16) ^ c->number);
  }
  name_release(id, c->federation, "round", round);
  const sotto_i_coded_bill bill = bill_for(c->federation, &c->data, c->ledger, id);
  SOTTO_TRY(sotto_i_coded_new(&coded, rows, first, graphs, o->epsilon, &key, err));
  SOTTO_TRY(sotto_i_coded_pay(coded, &bill, err));
  SOTTO_TRY(sotto_i_coded_send(c->link, "embeddings", coded, err));
done:
  sotto_key_wipe(&key);
  sotto_i_coded_free(coded);
  return status;
}

/* Softmax of what the model says of each node: values in [0, 1]. Nothing but the model and the node's own
 * graph goes into a row: running statistics, no dropout. */
static sotto_status softmax_rows(sotto_matrix *out, sotto_i_fed_client *c, sotto_error *err) {
  const sotto_i_graph_batch nodes = {.features = &c->features, .spread = c->spread};
  const sotto_pass pass = {.tape = c->tape, .key = &c->key};
  sotto_tape_reset(c->tape);
  sotto_var logits = sotto_i_graph_net_nodes(&c->model.net, c->model.params, &pass, &nodes);
  sotto_status status = sotto_tape_copy(out, c->tape, logits, err);
  if (status == SOTTO_OK) sotto_i_rows_to_softmax(out);
  return status;
}

sotto_status sotto_i_gwldp_embed(sotto_i_fed_client *c, uint64_t round, sotto_error *err) {
  size_t graphs = graphs_of(&c->data);
  uint64_t *first = NULL;
  sotto_matrix rows = {0};
  sotto_status status;
  if (round > 0 && !embeds_in(c->federation, round)) return SOTTO_OK; /* also of fedavg */
  SOTTO_TRY(sotto_i_new(&first, graphs + 1, sizeof *first, err));
  borders_of(first, c);
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

/* The server learns how many rows will come. */
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

sotto_status sotto_i_gwldp_learn(sotto_i_fed_server *s, sotto_error *err) {
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
  if (status != SOTTO_OK || !o->unbiased) return status;
  return sotto_i_coded_decode(&e->rows, e->first, e->graphs, o->epsilon, err);
}

/* All rows in the order of the data where that is known, else client by client. */
static sotto_status write_rows(const sotto_i_fed_server *s, uint64_t round, sotto_error *err) {
  size_t cols = s->federation->classes, rows = 0, at = 0;
  sotto_matrix all = {0};
  char name[48], *path = NULL;
  sotto_status status;
  for (uint32_t i = 0; i < s->federation->clients; i++) rows += s->embedded[i].rows.rows;
  SOTTO_TRY(sotto_matrix_new(&all, rows, cols, err));
  for (uint32_t i = 0; i < s->federation->clients; i++)
    for (size_t v = 0; v < s->embedded[i].rows.rows; v++, at++)
      memcpy(all.data + (s->places == NULL ? at : s->places[at]) * cols, s->embedded[i].rows.data + v * cols,
             cols * sizeof(float));
  if (round > 0)
    (void)snprintf(name, sizeof name, "embeddings-%llu.npz", (unsigned long long)round);
  else
    (void)snprintf(name, sizeof name, "embeddings.npz");
  SOTTO_TRY(sotto_i_join(&path, s->job->folder, name, err));
  const sotto_i_npz_part part = {"embeddings", "<f4", all.data, sizeof(float), 2, {rows, cols}};
  SOTTO_TRY(sotto_i_npz_write(path, &part, 1, err));
done:
  sotto_i_free(path);
  sotto_matrix_free(&all);
  return status;
}

sotto_status sotto_i_gwldp_gather(sotto_i_fed_server *s, const uint32_t *clients, uint32_t count,
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
