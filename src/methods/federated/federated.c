/* --method fedavg and gwldp: server and clients in one process, a thread each. */
#include "federated.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/memory.h"
#include "recipe.h"
#include "run/wire_log.h"

/* A whole federation in one place. */
struct sotto_i_fed_assembly {
  sotto_i_federation shared;
  sotto_i_fed_server server;
  sotto_i_fed_client *clients;
  pthread_t *threads;
  uint32_t *places;       /* rows of all clients, one after the other, in the data */
  sotto_i_wire_log *logs; /* with record-wire: two a client, of what it and the server receive */
};
typedef struct sotto_i_fed_assembly assembly;

sotto_status sotto_i_fed_deal(uint32_t *owner, const sotto_i_job *job, uint32_t clients, sotto_error *err) {
  const sotto_options *o = job->options;
  sotto_key key;
  sotto_i_job_key(&key, job);
  if (clients == 1) { /* globsage: one owner of all */
    memset(owner, 0, sotto_deal_items(job->data) * sizeof *owner);
    return SOTTO_OK;
  }
  if (o->client_list[0] != '\0') {
    uint32_t listed;
    sotto_status status = sotto_deal_list(owner, &listed, job->data, o->client_list, err);
    if (status == SOTTO_OK && listed != clients)
      return sotto_i_fail(err, SOTTO_INVALID, "client-list: names %u clients, and clients is %u",
                          (unsigned)listed, (unsigned)clients);
    return status;
  }
  if (o->dirichlet > 0) return sotto_deal_dirichlet(owner, job->data, clients, o->dirichlet, &key, err);
  if (strcmp(o->deal, "communities") == 0)
    return sotto_deal_communities(owner, job->data, clients, &key, err);
  return sotto_deal_iid(owner, job->data, clients, &key, err);
}

/* The rows of a client in each part, by their numbers in its own data. */
static sotto_status own_rows(sotto_i_fed_client *c, const sotto_split *split, const uint32_t *owner,
                             const uint32_t *number, sotto_error *err) {
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++) {
    sotto_status status = sotto_i_new_raw(&c->rows[part], split->count[part], sizeof(uint32_t), err);
    if (status != SOTTO_OK) return status;
    for (size_t i = 0; i < split->count[part]; i++)
      if (owner[split->rows[part][i]] == c->number)
        c->rows[part][c->count[part]++] = number[split->rows[part][i]];
  }
  return SOTTO_OK;
}

/* Where the nodes of each client stand in the data. */
static sotto_status find_places(assembly *a, const sotto_dataset *data, const uint32_t *owner,
                                sotto_error *err) {
  size_t at = 0;
  sotto_status status = sotto_i_new(&a->places, data->graph.nodes, sizeof *a->places, err);
  if (status != SOTTO_OK) return status;
  for (uint32_t c = 0; c < a->shared.clients; c++)
    for (uint64_t i = 0; i < sotto_deal_items(data); i++) {
      uint64_t begin = data->graph_count > 0 ? data->graph_first[i] : i;
      uint64_t end = data->graph_count > 0 ? data->graph_first[i + 1] : i + 1;
      for (uint64_t v = begin; owner[i] == c && v < end; v++) a->places[at++] = (uint32_t)v;
    }
  a->server.places = a->places;
  return SOTTO_OK;
}

static sotto_status give_data(assembly *a, const sotto_i_job *job, sotto_error *err) {
  uint64_t items = sotto_deal_items(job->data);
  uint32_t clients = a->shared.clients, *owner = NULL, *number = NULL, *counted = NULL;
  sotto_dataset *parts = NULL;
  sotto_i_parted parted = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_parted_new(&parted, job, err));
  SOTTO_TRY(sotto_i_new(&owner, items, sizeof *owner, err));
  SOTTO_TRY(sotto_i_new(&number, items, sizeof *number, err));
  SOTTO_TRY(sotto_i_new(&counted, clients, sizeof *counted, err));
  SOTTO_TRY(sotto_i_new(&parts, clients, sizeof *parts, err));
  SOTTO_TRY(sotto_i_fed_deal(owner, job, clients, err));
  SOTTO_TRY(sotto_split_horizontal(parts, job->data, owner, clients, err));
  for (uint64_t i = 0; i < items; i++) number[i] = counted[owner[i]]++;
  for (uint32_t c = 0; c < clients; c++) {
    a->clients[c].data = parts[c];
    parts[c] = (sotto_dataset){0};
  }
  for (uint32_t c = 0; c < clients; c++)
    SOTTO_TRY(own_rows(&a->clients[c], &parted.split, owner, number, err));
  SOTTO_TRY(find_places(a, job->data, owner, err));
  if (job->folder != NULL) SOTTO_TRY(sotto_i_fed_log_parts(job, owner, &parted.split, err));
done:
  for (uint32_t c = 0; parts != NULL && c < clients; c++) sotto_dataset_free(&parts[c]);
  sotto_i_parted_free(&parted);
  sotto_i_free(owner);
  sotto_i_free(number);
  sotto_i_free(counted);
  sotto_i_free(parts);
  return status;
}

sotto_status sotto_i_fed_settle(sotto_i_federation *out, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  const sotto_dataset *data = job->data;
  const uint32_t *facts = job->facts == NULL ? NULL : job->facts->words;
  const sotto_i_fed_recipe *recipe = sotto_i_fed_recipe_of(o);
  const uint32_t clients = recipe->whole ? 1 : (uint32_t)o->clients;
  uint32_t taking = (uint32_t)ceil(o->fraction * clients - 1e-9);
  *out =
      (sotto_i_federation){.options = o,
                           .seed = job->seed,
                           .clients = clients,
                           .taking = taking < 1 ? 1 : taking,
                           .embeds = recipe->embeds,
                           .alone = recipe->alone,
                           .job = job,
                           .graphs = facts == NULL ? data->graph_count > 0 : facts[SOTTO_I_FACT_KIND] == 2,
                           .apart = facts != NULL,
                           .inputs = facts == NULL ? sotto_i_fed_inputs(data) : facts[SOTTO_I_FACT_INPUTS]};
  out->classes = facts != NULL ? facts[SOTTO_I_FACT_CLASSES]
                 : out->graphs ? data->graph_classes
                               : data->classes;
  if (o->secure_aggregation && out->taking < 3)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "secure-aggregation: %u clients take part in a round; a sum of fewer than 3 hides "
                        "nothing",
                        (unsigned)out->taking);
  return SOTTO_OK;
}

static sotto_status assemble(assembly *a, const sotto_i_job *job, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_fed_settle(&a->shared, job, err));
  const uint32_t clients = a->shared.clients;
  a->server = (sotto_i_fed_server){.federation = &a->shared, .job = job};
  SOTTO_TRY(sotto_i_new(&a->clients, clients, sizeof *a->clients, err));
  SOTTO_TRY(sotto_i_new(&a->threads, clients, sizeof *a->threads, err));
  SOTTO_TRY(sotto_i_new(&a->server.links, clients, sizeof(void *), err));
  for (uint32_t i = 0; i < clients; i++) {
    a->clients[i].federation = &a->shared;
    a->clients[i].number = i;
    SOTTO_TRY(sotto_link_pair(&a->server.links[i], &a->clients[i].link, err));
  }
  SOTTO_TRY(give_data(a, job, err));
done:
  return status;
}

static sotto_status record(assembly *a, const sotto_i_job *job, sotto_error *err) {
  const uint32_t clients = a->shared.clients;
  sotto_status status = sotto_i_new(&a->logs, 2 * (size_t)clients, sizeof *a->logs, err);
  for (uint32_t i = 0; status == SOTTO_OK && i < clients; i++) {
    const sotto_i_wire_end client = {SOTTO_ROLE_CLIENT, i + 1}, server = {SOTTO_ROLE_SERVER, i + 1};
    SOTTO_TRY(sotto_i_wire_log_begin(&a->logs[2 * i], a->clients[i].link, job, client, false, err));
    SOTTO_TRY(sotto_i_wire_log_begin(&a->logs[2 * i + 1], a->server.links[i], job, server, false, err));
  }
done:
  return status;
}

static void dissolve(assembly *a) {
  for (uint32_t i = 0; a->clients != NULL && i < a->shared.clients; i++)
    sotto_i_fed_client_free(&a->clients[i]);
  sotto_i_fed_server_free(&a->server);
  sotto_i_free(a->clients);
  sotto_i_free(a->threads);
  sotto_i_free(a->places);
  sotto_i_free(a->logs);
}

sotto_status sotto_i_fed_assemble(sotto_i_fed_assembly **out, const sotto_i_job *job, sotto_error *err) {
  sotto_i_job silent = *job;
  silent.folder = NULL;
  sotto_status status = sotto_i_new(out, 1, sizeof **out, err);
  if (status != SOTTO_OK) return status;
  SOTTO_TRY(assemble(*out, &silent, err));
  for (uint32_t i = 0; i < (*out)->shared.clients; i++)
    SOTTO_TRY(sotto_i_fed_client_begin(&(*out)->clients[i], err));
done:
  return status;
}

sotto_i_fed_client *sotto_i_fed_clients(sotto_i_fed_assembly *of, uint32_t *count) {
  *count = of->shared.clients;
  return of->clients;
}

void sotto_i_fed_disassemble(sotto_i_fed_assembly *of) {
  if (of != NULL) dissolve(of);
  sotto_i_free(of);
}

static void *client_thread(void *context) {
  sotto_i_fed_client *client = context;
  client->status = sotto_i_fed_client_recipe(client, &client->error);
  if (client->status != SOTTO_OK) sotto_link_close(client->link, "a client stopped");
  return NULL;
}

/* What went wrong first is the cause; the others only saw a link close. */
static sotto_status first_failure(const assembly *a, sotto_error *err) {
  const sotto_error *cause = a->server.status != SOTTO_OK ? &a->server.error : NULL;
  sotto_status status = a->server.status;
  for (uint32_t i = 0; i < a->shared.clients; i++) {
    const sotto_i_fed_client *c = &a->clients[i];
    bool speaks = c->status != SOTTO_OK && c->status != SOTTO_PROTOCOL;
    if (c->status == SOTTO_OK || (cause != NULL && !(speaks && status == SOTTO_PROTOCOL))) continue;
    cause = &c->error;
    status = c->status;
  }
  if (cause != NULL && err != NULL) *err = *cause;
  return status;
}

static sotto_status run_all(assembly *a, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  uint32_t started = 0;
  SOTTO_I_CHECK(a->clients != NULL && a->threads != NULL);
  for (; started < a->shared.clients; started++)
    if (!sotto_i_thread_start(&a->threads[started], client_thread, &a->clients[started])) {
      status = sotto_i_fail(err, SOTTO_NOMEM, "the system refused to start a thread for a client");
      break;
    }
  if (status == SOTTO_OK) a->server.status = sotto_i_fed_server_recipe(&a->server, &a->server.error);
  if (status != SOTTO_OK || a->server.status != SOTTO_OK)
    for (uint32_t i = 0; i < a->shared.clients; i++)
      sotto_link_close(a->server.links[i], "the server stopped");
  for (uint32_t i = 0; i < started; i++) pthread_join(a->threads[i], NULL);
  return status != SOTTO_OK ? status : first_failure(a, err);
}

/* Clients' traffic and exposures come first, as those of the party that holds data. */
void sotto_i_fed_add_exposures(sotto_i_outcome *out, size_t first, const sotto_link *link) {
  sotto_exposure found[SOTTO_MOST_EXPOSURES];
  size_t count = sotto_link_exposures(link, found);
  for (size_t i = 0; i < count; i++) {
    bool known = false;
    for (size_t j = first; j < out->exposure_count; j++)
      known |= strcmp(out->exposures[j].name, found[i].name) == 0;
    if (!known) out->exposures[out->exposure_count++] = found[i];
  }
}

static void add_epsilons(sotto_i_outcome *out, const sotto_i_fed_client *c) {
  sotto_graph_epsilon *all = &out->graph_epsilon;
  if (c->releases == 0) return;
  if (all->releases == 0 || c->least < all->least) all->least = c->least;
  if (c->most > all->most) all->most = c->most;
  if (c->releases > all->releases) all->releases = c->releases;
}

static void fill_outcome(sotto_i_outcome *out, const assembly *a, const sotto_i_job *job) {
  const sotto_quality none = {NAN, NAN, NAN};
  uint32_t clients = a->shared.clients;
  out->quality = (sotto_seed_result){.seed = job->seed,
                                     .validation = sotto_i_fed_quality(&a->server, 0, clients, 0),
                                     .test = sotto_i_fed_quality(&a->server, 0, clients, 1),
                                     .baseline_test = none,
                                     .baseline_validation = none};
  for (uint32_t i = 0; i < clients; i++) {
    const sotto_traffic client = sotto_link_traffic(a->clients[i].link);
    const sotto_traffic server = sotto_link_traffic(a->server.links[i]);
    for (int kind = 0; kind < SOTTO_WIRE_KINDS; kind++) {
      out->data_party.sent[kind] += client.sent[kind];
      out->data_party.received[kind] += client.received[kind];
      out->label_party.sent[kind] += server.sent[kind];
      out->label_party.received[kind] += server.received[kind];
    }
    sotto_i_fed_add_exposures(out, 0, a->clients[i].link);
    add_epsilons(out, &a->clients[i]);
  }
  out->data_exposures = out->exposure_count;
  sotto_i_fed_add_exposures(out, 0, a->server.links[0]);
}

/* The average; or the clients' own: the first one's in the usual file, the others' beside it. */
static sotto_status save_models(const assembly *a, const sotto_i_job *job, sotto_error *err) {
  const sotto_params *sets[] = {a->shared.alone ? a->clients[0].model.params : a->server.model.params};
  sotto_status status = sotto_i_job_save_model(job, sets, 1, err);
  for (uint32_t i = 1; status == SOTTO_OK && a->shared.alone && i < a->shared.clients; i++) {
    char name[40];
    sets[0] = a->clients[i].model.params;
    (void)snprintf(name, sizeof name, "model-%u.safetensors", (unsigned)i + 1);
    status = sotto_i_job_save_params(job, name, sets, 1, err);
  }
  return status;
}

sotto_status sotto_i_federated_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  assembly a = {.clients = NULL};
  sotto_status status;
  if (job->seat != NULL) return sotto_i_fed_party(out, job, err);
  SOTTO_TRY(assemble(&a, job, err));
  for (uint32_t i = 0; i < a.shared.clients; i++) SOTTO_TRY(sotto_i_gwldp_begin(&a.clients[i], err));
  if (job->options->record_wire) SOTTO_TRY(record(&a, job, err));
  SOTTO_TRY(run_all(&a, err));
  fill_outcome(out, &a, job);
  SOTTO_TRY(sotto_i_fed_log(&a.server, a.clients, err));
  SOTTO_TRY(save_models(&a, job, err));
done:
  dissolve(&a);
  return status;
}
