/* Outputs of the roles of a federation: figures, logs and models. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "inside/nn.h"
#include "inside/party.h"
#include "methods/federated/federated.h"
#include "run/files/job_file.h"

/* Clients' traffic and exposures come first, since they are those of the party with data. */
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

/* The client's own counts, in the place of client `at`. */
static void copy_answers(const sotto_i_fed_server *s, uint32_t at, const sotto_matrix *own) {
  const size_t size = 2 * sotto_i_fed_answers_width(s->federation);
  for (size_t j = 0; j < size; j++) s->evaluation[at * size + j] = own->data[j];
}

/* If the clients are in this process too, each one's counts; those of locsage are in its models' order. */
static void copy_all(const sotto_i_fed_parties *p) {
  for (uint32_t i = 0; !p->shared.alone && i < p->shared.clients; i++) {
    const sotto_i_fed_client *c = &p->clients[i];
    copy_answers(&p->server, i, p->shared.noisy ? &c->answers : &c->measured[p->server.chosen]);
  }
}

/* Of all clients together: where a server in a process of its own would have a sum, this has the same. */
static sotto_quality quality_of_all(const sotto_i_fed_parties *p, int part) {
  return p->shared.settings->secure_aggregation && !p->shared.noisy && !p->shared.alone
             ? sotto_i_fed_measures_quality(&p->server, part)
             : sotto_i_fed_quality(&p->server, 0, p->shared.clients, part);
}

static void fill_all(sotto_i_outcome *out, const sotto_i_fed_parties *p) {
  const sotto_quality none = sotto_i_quality_none();
  uint32_t clients = p->shared.clients;
  copy_all(p);
  out->quality = (sotto_seed_result){.seed = p->shared.seed,
                                     .validation = quality_of_all(p, 0),
                                     .test = quality_of_all(p, 1),
                                     .baseline_test = none,
                                     .baseline_validation = none};
  for (uint32_t i = 0; i < clients; i++) {
    sotto_traffic_add(&out->data_party, sotto_link_traffic(p->clients[i].link));
    sotto_traffic_add(&out->label_party, sotto_link_traffic(p->server.links[i]));
    sotto_i_fed_add_exposures(out, 0, p->clients[i].link);
    add_epsilons(out, &p->clients[i]);
  }
  out->data_exposures = out->exposure_count;
  sotto_i_fed_add_exposures(out, 0, p->server.links[0]);
  if (p->server.helper != NULL) sotto_traffic_add(&out->label_party, sotto_link_traffic(p->server.helper));
  sotto_i_fed_list_refused(out->left_out, sizeof out->left_out, &p->server);
}

/* Saves the average, or the clients' own models: the first one in the usual file, the others in files next
 * to it. */
static sotto_status save_all(const sotto_i_fed_parties *p, sotto_error *err) {
  const sotto_params *sets[] = {p->shared.alone ? p->clients[0].model.params : p->server.model.params};
  sotto_status status = sotto_i_job_save_model(p->server.job, sets, 1, err);
  for (uint32_t i = 1; status == SOTTO_OK && p->shared.alone && i < p->shared.clients; i++) {
    char name[40];
    sets[0] = p->clients[i].model.params;
    (void)snprintf(name, sizeof name, "model-%u.safetensors", (unsigned)i + 1);
    status = sotto_i_job_save_params(p->server.job, name, sets, 1, err);
  }
  for (uint32_t i = 0; status == SOTTO_OK && sotto_i_fed_keeps(&p->shared) && i < p->count; i++) {
    status = sotto_params_copy(p->clients[i].model.params, p->server.model.params, err);
    if (status == SOTTO_OK) status = sotto_i_fed_keep(&p->clients[i], p->server.job, err);
  }
  return status;
}

static void begin_outcome(sotto_i_outcome *out, const sotto_i_job *job) {
  const sotto_quality none = sotto_i_quality_none();
  out->quality = (sotto_seed_result){.seed = job->seed,
                                     .test = none,
                                     .validation = none,
                                     .baseline_test = none,
                                     .baseline_validation = none};
}

/* The quality of the model on the client's own items, which it alone learns. */
static sotto_status measure_own(sotto_i_outcome *out, const sotto_i_fed_client *c, sotto_error *err) {
  sotto_i_fed_server own = {.federation = c->federation};
  sotto_status status =
      sotto_i_new(&own.evaluation, 2 * sotto_i_fed_answers_width(c->federation), sizeof(double), err);
  if (status != SOTTO_OK) return status;
  copy_answers(&own, 0, &c->answers);
  out->quality.validation = sotto_i_fed_quality(&own, 0, 1, 0);
  out->quality.test = sotto_i_fed_quality(&own, 0, 1, 1);
  sotto_i_free(own.evaluation);
  return SOTTO_OK;
}

static sotto_status finish_client(sotto_i_outcome *out, sotto_i_fed_client *c, const sotto_i_job *job,
                                  sotto_error *err) {
  const sotto_params *sets[] = {c->model.params};
  sotto_status status = SOTTO_OK;
  begin_outcome(out, job);
  if (c->answers.rows > 0) SOTTO_TRY(measure_own(out, c, err));
  out->data_party = sotto_link_traffic(c->link);
  sotto_i_fed_add_exposures(out, 0, c->link);
  out->data_exposures = out->exposure_count;
  if (c->releases > 0)
    out->graph_epsilon = (sotto_graph_epsilon){.least = c->least, .most = c->most, .releases = c->releases};
  SOTTO_TRY(sotto_i_job_save_model(job, sets, 1, err));
  status = sotto_i_fed_keep(c, job, err);
done:
  return status;
}

static sotto_status finish_server(sotto_i_outcome *out, const sotto_i_fed_server *s, sotto_error *err) {
  const uint32_t clients = s->federation->clients;
  const sotto_params *sets[] = {s->model.params};
  begin_outcome(out, s->job);
  if (!s->federation->noisy) {
    out->quality.validation = sotto_i_fed_measures_quality(s, 0);
    out->quality.test = sotto_i_fed_measures_quality(s, 1);
  }
  for (uint32_t i = 0; i < clients; i++) {
    sotto_traffic_add(&out->label_party, sotto_i_fed_traffic(s, i));
    if (s->links[i] != NULL) sotto_i_fed_add_exposures(out, 0, s->links[i]);
  }
  if (s->helper != NULL) sotto_traffic_add(&out->label_party, sotto_link_traffic(s->helper));
  sotto_i_fed_list_refused(out->left_out, sizeof out->left_out, s);
  sotto_status status = sotto_i_fed_log(s, NULL, err);
  return status == SOTTO_OK ? sotto_i_job_save_model(s->job, sets, 1, err) : status;
}

sotto_status sotto_i_fed_finish(sotto_i_outcome *out, void *shared, sotto_error *err) {
  const sotto_i_fed_parties *p = shared;
  if (p->role == SOTTO_ROLE_CLIENT) return finish_client(out, &p->clients[0], p->server.job, err);
  if (p->role == SOTTO_ROLE_HELPER) {
    begin_outcome(out, p->server.job);
    out->label_party = sotto_link_traffic(p->helper.link);
    return SOTTO_OK;
  }
  if (!p->local) return finish_server(out, &p->server, err);
  fill_all(out, p);
  sotto_status status = sotto_i_fed_log(&p->server, p->clients, err);
  return status == SOTTO_OK ? save_all(p, err) : status;
}
