/* A federation: clients and a server, all in one process or each in its own. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "methods/federated/federated.h"
#include "methods/federated/protocol.h"

/* All clients in their initial state, for an audit. */
struct sotto_i_fed_assembly {
  sotto_i_fed_parties parties;
  sotto_i_job job; /* of the run in this process: the caller's job without a folder */
};

/* Outputs of the network. Numbers are of nodes. */
static sotto_status settle_outputs(sotto_i_federation *f, sotto_error *err) {
  const sotto_i_facts *facts = f->job->facts;
  const sotto_dataset *data = f->job->data;
  f->numbers = sotto_i_learns_numbers(f->options);
  f->classes = facts != NULL ? facts->words[SOTTO_I_FACT_CLASSES]
               : f->graphs   ? data->graph_classes
                             : data->classes;
  if (!f->numbers) return SOTTO_OK;
  f->classes = 1;
  if (!f->graphs) return SOTTO_OK;
  return sotto_i_fail(
      err, SOTTO_UNSUPPORTED,
      "task: clients with many graphs learn classes of graphs alone, and numbers are of nodes");
}

sotto_status sotto_i_fed_settle(sotto_i_federation *out, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  const sotto_i_client_settings *own = sotto_i_client_settings_of(o);
  const sotto_dataset *data = job->data;
  const uint32_t *facts = job->facts == NULL ? NULL : job->facts->words;
  const sotto_i_fed_protocol *protocol = sotto_i_fed_protocol_of(o);
  const uint32_t clients = protocol->whole ? 1 : (uint32_t)o->clients;
  *out =
      (sotto_i_federation){.options = o,
                           .settings = sotto_i_client_settings_of(o),
                           .epochs = o->epochs,
                           .seed = job->seed,
                           .clients = clients,
                           .taking = sotto_i_fed_taking(o, clients),
                           .embedding = protocol->embedding,
                           .alone = protocol->alone,
                           .job = job,
                           .graphs = facts == NULL ? data->graph_count > 0 : facts[SOTTO_I_FACT_KIND] == 2,
                           .apart = facts != NULL,
                           .inputs = facts == NULL ? sotto_i_fed_inputs(data) : facts[SOTTO_I_FACT_INPUTS]};
  sotto_status status = settle_outputs(out, err);
  if (status != SOTTO_OK) return status;
  out->counts = protocol->counts;
  out->linked = out->counts && sotto_i_fed_linked_asked(o);
  out->noisy = protocol->noisy;
  if (out->noisy) {
    status = sotto_i_fed_noise_new(&out->noise, o, out->taking, err);
    if (status != SOTTO_OK) return status;
  }
  out->cluster_rounds = out->counts ? o->encoder_epochs : 0;
  out->rounds = own->rounds + out->cluster_rounds;
  out->inputs += sotto_i_fed_counts_width(out, SOTTO_I_BY_CLASS);
  sotto_sum_plan plan; /* planned here as in each round, so that errors appear before anything is sent */
  if (own->secure_aggregation) return sotto_i_fed_sum_plan(&plan, o, out->taking, 1, err);
  if (own->update_bound > 0 && out->taking < 3)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "update-bound: %u clients take part in a round; a sum of fewer than 3 hides nothing",
                        (unsigned)out->taking);
  return SOTTO_OK;
}

static sotto_status begin(sotto_i_fed_parties *p, const sotto_i_job *job, uint32_t count, sotto_error *err) {
  p->server = (sotto_i_fed_server){.federation = &p->shared, .job = job};
  p->count = count;
  sotto_status status = sotto_i_new(&p->clients, count, sizeof *p->clients, err);
  if (status == SOTTO_OK) status = sotto_i_turns_new(&p->turns, count, err);
  p->shared.turns = p->turns;
  for (uint32_t i = 0; status == SOTTO_OK && i < count; i++) {
    p->clients[i].federation = &p->shared;
    p->clients[i].number = i;
  }
  return status;
}

static sotto_status set_data(sotto_i_fed_parties *p, const sotto_i_job *job, sotto_error *err) {
  sotto_status status = sotto_i_fed_give_data(&p->places, p->clients, p->count, job, err);
  p->server.places = p->places;
  if (status != SOTTO_OK || !p->shared.linked) return status;
  SOTTO_TRY(sotto_i_new(&p->sizes, p->count, sizeof *p->sizes, err));
  for (uint32_t i = 0; i < p->count; i++) p->sizes[i] = (uint32_t)p->clients[i].data.graph.nodes;
  p->shared.sizes = p->sizes;
done:
  return status;
}

static void free_roles(void *shared) {
  sotto_i_fed_parties *p = shared;
  for (uint32_t i = 0; p->clients != NULL && i < p->count; i++) {
    p->clients[i].link = NULL; /* owned by the session */
    sotto_i_fed_client_free(&p->clients[i]);
  }
  for (uint32_t i = 0; p->server.links != NULL && i < p->shared.clients; i++) p->server.links[i] = NULL;
  sotto_i_fed_server_free(&p->server);
  sotto_i_fed_sums_free(&p->sums);
  sotto_i_free(p->clients);
  sotto_i_free(p->places);
  sotto_i_free(p->sizes);
  sotto_i_turns_free(p->turns);
}

/* The client of a seat, which has the job's data. */
static sotto_status set_role_data(sotto_i_fed_parties *p, const sotto_i_job *job, sotto_error *err) {
  const uint64_t nodes = job->data->graph.nodes;
  sotto_status status = sotto_i_new(&p->places, nodes, sizeof *p->places, err);
  if (status != SOTTO_OK) return status;
  for (uint32_t v = 0; v < nodes; v++) p->places[v] = v;
  p->clients[0].number = job->seat->number - 1;
  p->clients[0].data = *job->data;
  p->clients[0].data.storage = NULL; /* borrowed from the job */
  return SOTTO_OK;
}

sotto_status sotto_i_fed_assemble(sotto_i_fed_assembly **out, const sotto_i_job *job, sotto_error *err) {
  sotto_status status = sotto_i_new(out, 1, sizeof **out, err);
  if (status != SOTTO_OK) return status;
  sotto_i_fed_parties *p = &(*out)->parties;
  sotto_i_job *silent = &(*out)->job;
  *silent = *job;
  silent->folder = NULL;
  SOTTO_TRY(sotto_i_fed_settle(&p->shared, silent, err));
  SOTTO_TRY(begin(p, silent, job->seat != NULL ? 1 : p->shared.clients, err));
  p->server.job = NULL;
  for (uint32_t i = 0; i < p->count; i++) p->clients[i].dense = true; /* queries write other rows into them */
  SOTTO_TRY(job->seat != NULL ? set_role_data(p, silent, err) : set_data(p, silent, err));
  for (uint32_t i = 0; i < p->count; i++) SOTTO_TRY(sotto_i_fed_client_begin(&p->clients[i], err));
done:
  return status;
}

sotto_i_fed_client *sotto_i_fed_clients(sotto_i_fed_assembly *of, uint32_t *count) {
  *count = of->parties.count;
  return of->parties.clients;
}

const uint32_t *sotto_i_fed_places(const sotto_i_fed_assembly *of) {
  return of->parties.places;
}

void sotto_i_fed_disassemble(sotto_i_fed_assembly *of) {
  if (of != NULL) free_roles(&of->parties);
  sotto_i_free(of);
}

static sotto_status join_server(sotto_i_fed_parties *p, sotto_i_session *session, sotto_error *err) {
  session->own = &p->server;
  sotto_status status = sotto_i_new(&p->server.links, session->link_count, sizeof(sotto_link *), err);
  if (status != SOTTO_OK) return status;
  memcpy(p->server.links, session->links, session->link_count * sizeof(sotto_link *));
  p->server.checkpoints = &session->checkpoints;
  if (p->shared.settings->update_bound == 0) return SOTTO_OK;
  p->server.helper = session->links[p->shared.clients];
  if (p->server.helper == NULL) return sotto_i_fail(err, SOTTO_PROTOCOL, "the helper left");
  return SOTTO_OK;
}

static void join_helper(sotto_i_fed_parties *p, sotto_i_session *session) {
  p->helper = (sotto_i_fed_helper){&p->shared, session->links[0], &session->checkpoints};
  session->own = &p->helper;
}

static sotto_status sizes_new(sotto_i_fed_parties *p, sotto_error *err) {
  if (!p->shared.linked) return SOTTO_OK;
  const sotto_status status = sotto_i_new(&p->sizes, p->shared.clients, sizeof *p->sizes, err);
  p->shared.sizes = p->sizes;
  return status;
}

/* A client in its own process has the job's data; the servers have none. */
static sotto_status prepare_one(sotto_i_fed_parties *p, const sotto_i_job *job, sotto_i_session *session,
                                sotto_error *err) {
  sotto_i_fed_client *c = p->clients;
  sotto_status status = sizes_new(p, err);
  if (status != SOTTO_OK) return status;
  if (session->role != SOTTO_ROLE_CLIENT) {
    if (p->shared.classes == 0 || p->shared.inputs == 0)
      return sotto_i_fail(err, SOTTO_PROTOCOL, "no client said how many classes there are");
    if (session->role == SOTTO_ROLE_SERVER) return join_server(p, session, err);
    join_helper(p, session);
    return SOTTO_OK;
  }
  session->own = c;
  c->number = session->number - 1;
  c->link = session->links[0];
  c->checkpoints = &session->checkpoints;
  c->data = *job->data;
  c->data.storage = NULL; /* borrowed from the job */
  SOTTO_TRY(sotto_i_fed_own_rows(c, job, err));
  if (c->federation->embedding != NULL) SOTTO_TRY(c->federation->embedding->begin(c, err));
done:
  return status;
}

/* Keys for secure sums. If clients may leave, a summed round is never repeated, since all its clients would
 * be needed: each round is followed by a checkpoint. */
static sotto_status prepare_sums(sotto_i_fed_parties *p, sotto_i_session *sessions, sotto_error *err) {
  const bool helped = p->shared.settings->update_bound > 0;
  if (!p->shared.settings->secure_aggregation && !helped && !p->shared.linked) return SOTTO_OK;
  if (sotto_i_fed_may_leave(&p->shared) && sessions[0].checkpoints.every > 0)
    sessions[0].checkpoints.every = 1;
  p->shared.sums = &p->sums;
  return sotto_i_fed_sums_new(&p->sums, &p->shared,
                              p->role == SOTTO_ROLE_HELPER ? p->shared.clients + 1 : sessions[0].number, err);
}

static sotto_status prepare(void *shared, const sotto_i_job *job, sotto_i_session *sessions, size_t count,
                            sotto_error *err) {
  sotto_i_fed_parties *p = shared;
  sotto_status status;
  p->role = sessions[0].role;
  p->local = sessions[0].local;
  SOTTO_TRY(sotto_i_fed_settle(&p->shared, job, err));
  SOTTO_TRY(prepare_sums(p, sessions, err));
  SOTTO_TRY(begin(p, job, p->local ? p->shared.clients : p->role == SOTTO_ROLE_CLIENT, err));
  if (!p->local) return prepare_one(p, job, sessions, err);
  SOTTO_TRY(join_server(p, &sessions[0], err));
  if (p->shared.settings->update_bound > 0) join_helper(p, &sessions[count - 1]);
  for (size_t i = 1; i <= p->count; i++) {
    sessions[i].own = &p->clients[i - 1];
    p->clients[i - 1].link = sessions[i].links[0];
    p->clients[i - 1].checkpoints = &sessions[i].checkpoints;
  }
  SOTTO_TRY(set_data(p, job, err));
  for (uint32_t i = 0; p->shared.counts && i < p->count; i++)
    SOTTO_TRY(sotto_i_fed_counts_ask(&p->clients[i], err));
  for (uint32_t i = 0; p->shared.linked && i < p->count; i++)
    SOTTO_TRY(sotto_i_fed_linked_ask(&p->clients[i], err));
  for (uint32_t i = 0; p->shared.noisy && i < p->count; i++)
    SOTTO_TRY(sotto_i_fed_noisy_ask(&p->clients[i], err));
  const sotto_i_fed_embedding *embedding = p->shared.embedding;
  for (uint32_t i = 0; embedding != NULL && i < p->count; i++)
    SOTTO_TRY(embedding->begin(&p->clients[i], err));
done:
  return status;
}

static sotto_status run_server(sotto_i_session *session, sotto_error *err) {
  return sotto_i_fed_server_protocol(session->own, err);
}

static sotto_status run_helper(sotto_i_session *session, sotto_error *err) {
  return sotto_i_fed_helper_protocol(session->own, err);
}

static sotto_status run_client(sotto_i_session *session, sotto_error *err) {
  return sotto_i_fed_client_protocol(session->own, err);
}

static uint32_t member_count(const sotto_i_job *job) {
  return sotto_i_fed_protocol_of(job->options)->whole ? 1 : (uint32_t)job->options->clients;
}

const sotto_i_roles sotto_i_federated_roles = {.member = SOTTO_ROLE_CLIENT,
                                               .members_record = true,
                                               .size = sizeof(sotto_i_fed_parties),
                                               .members = member_count,
                                               .prepare = prepare,
                                               .run = {[SOTTO_ROLE_SERVER] = run_server,
                                                       [SOTTO_ROLE_CLIENT] = run_client,
                                                       [SOTTO_ROLE_HELPER] = run_helper},
                                               .finish = sotto_i_fed_finish,
                                               .release = free_roles};

sotto_status sotto_i_fed_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  return sotto_i_roles_run(out, job, &sotto_i_federated_roles, err);
}
