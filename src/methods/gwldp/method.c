/* GW-LDP: federated training, then embeddings of each graph's nodes under local privacy, for comparison. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "audit/attack.h"
#include "audit/canary.h"
#include "base/error.h"
#include "base/memory.h"
#include "code.h"
#include "gwldp.h"
#include "inside/nn.h"
#include "inside/party.h"
#include "methods/federated/options.h"
#include "methods/federated/protocol.h"
#include "options.h"
#include "protocols/options.h"
#include "release/plan.h"
#include "run/method/method.h"
#include "run/settings/options.h"
#include "run/settings/rows.h"

typedef struct parties {
  sotto_i_federation shared;
  sotto_i_code_terms terms;
  bool local;
  sotto_role role;
  sotto_i_fed_server base_server;
  sotto_i_code_server server;
  sotto_i_fed_client *base; /* all clients, or the one of this process */
  sotto_i_code_client *clients;
  uint32_t count;
} parties;

static sotto_status begin(parties *p, const sotto_i_job *job, uint32_t count, sotto_error *err) {
  sotto_status status;
  p->count = count;
  p->base_server = (sotto_i_fed_server){.federation = &p->shared, .job = job};
  p->server = (sotto_i_code_server){.base = &p->base_server, .terms = &p->terms};
  SOTTO_TRY(sotto_i_new(&p->base, count, sizeof *p->base, err));
  SOTTO_TRY(sotto_i_new(&p->clients, count, sizeof *p->clients, err));
  for (uint32_t i = 0; i < count; i++) {
    p->base[i].federation = &p->shared;
    p->base[i].number = i;
    p->clients[i] = (sotto_i_code_client){.base = &p->base[i], .terms = &p->terms};
  }
done:
  return status;
}

static sotto_status join_server(parties *p, sotto_i_session *session, sotto_error *err) {
  const size_t width = sotto_i_fed_answers_width(&p->shared);
  sotto_status status;
  session->own = &p->server;
  SOTTO_TRY(sotto_i_new(&p->base_server.links, session->link_count, sizeof(sotto_link *), err));
  memcpy(p->base_server.links, session->links, session->link_count * sizeof(sotto_link *));
  SOTTO_TRY(sotto_i_new(&p->base_server.evaluation, 2 * p->shared.clients * width,
                        sizeof *p->base_server.evaluation, err));
done:
  return status;
}

/* Checks the budget of each client's own account, before anything is sent. */
static sotto_status check_budgets(const parties *p, const sotto_i_job *job, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (uint32_t i = 0; !p->terms.exact && i < p->count && status == SOTTO_OK; i++)
    status = sotto_i_job_ask_part(job, sotto_i_cost_item_of(job->cost, SOTTO_ACCOUNT_DATA), 1,
                                  &p->base[i].data, err);
  return status;
}

static sotto_status prepare_one(parties *p, const sotto_i_job *job, sotto_i_session *session,
                                sotto_error *err) {
  if (session->role == SOTTO_ROLE_SERVER) return join_server(p, session, err);
  session->own = p->clients;
  p->base[0].number = session->number - 1;
  p->base[0].link = session->links[0];
  p->base[0].data = *job->data;
  p->base[0].data.storage = NULL; /* borrowed from the job */
  return sotto_i_fed_own_rows(&p->base[0], job, err);
}

static sotto_status prepare(void *shared, const sotto_i_job *job, sotto_i_session *sessions, size_t count,
                            sotto_error *err) {
  parties *p = shared;
  uint32_t *places = NULL;
  sotto_status status;
  p->role = sessions[0].role;
  p->local = sessions[0].local;
  SOTTO_TRY(sotto_i_fed_settle(&p->shared, job, err));
  if (!p->shared.graphs) {
    status = sotto_i_fail(err, SOTTO_INVALID,
                          "publication code takes collections of graphs; publication multibit "
                          "takes one graph of each client too");
    goto done;
  }
  SOTTO_TRY(sotto_i_code_terms_new(&p->terms, job->options, p->shared.classes, err));
  SOTTO_TRY(begin(p, job, p->local ? (uint32_t)count - 1 : p->role == SOTTO_ROLE_CLIENT, err));
  if (!p->local) return prepare_one(p, job, sessions, err);
  SOTTO_TRY(join_server(p, &sessions[0], err));
  for (size_t i = 1; i < count; i++) {
    sessions[i].own = &p->clients[i - 1];
    p->base[i - 1].link = sessions[i].links[0];
  }
  SOTTO_TRY(sotto_i_fed_give_data(&places, p->base, p->count, job, err));
  SOTTO_TRY(check_budgets(p, job, err));
done:
  sotto_i_free(places);
  return status;
}

static sotto_status run_server(sotto_i_session *session, sotto_error *err) {
  return sotto_i_code_server_run(session->own, err);
}

static sotto_status run_client(sotto_i_session *session, sotto_error *err) {
  return sotto_i_code_client_run(session->own, err);
}

/* The positions of all clients' graphs in the data, in the server's order. */
static sotto_status find_places(uint32_t **places, const parties *p, const sotto_i_job *job,
                                sotto_error *err) {
  const uint64_t graphs = job->data->graph_count;
  uint32_t *owner = NULL, *own = NULL;
  size_t at = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(places, graphs, sizeof **places, err));
  SOTTO_TRY(sotto_i_new(&owner, graphs, sizeof *owner, err));
  SOTTO_TRY(sotto_i_new(&own, graphs, sizeof *own, err));
  SOTTO_TRY(sotto_i_fed_deal(owner, job, p->count, err));
  for (uint32_t c = 0; c < p->count; c++) {
    const sotto_i_code_client *client = &p->clients[c];
    size_t count = 0;
    for (uint64_t g = 0; g < graphs; g++)
      if (owner[g] == c) own[count++] = (uint32_t)g;
    for (uint32_t i = 0; i < client->counts[0]; i++) (*places)[at++] = own[client->labelled[i]];
    for (uint32_t i = 0; i < client->counts[1]; i++) (*places)[at++] = own[client->held[i]];
  }
done:
  sotto_i_free(owner);
  sotto_i_free(own);
  return status;
}

/* Fills in the counts of held-out graphs by reported label, of client i as number `slot`. */
static void count_answers(parties *p, uint32_t i, uint32_t slot) {
  const size_t width = sotto_i_fed_answers_width(&p->shared);
  double *row = p->base_server.evaluation + (2 * slot + 1) * width;
  memcpy(row, p->clients[i].confusion, (width - 1) * sizeof *row);
  row[width - 1] = -1; /* no AUC, since there are no scores */
}

static void begin_outcome(sotto_i_outcome *out, const parties *p) {
  const sotto_quality none = sotto_i_quality_none();
  out->quality = (sotto_seed_result){.seed = p->shared.seed,
                                     .test = none,
                                     .validation = none,
                                     .baseline_test = none,
                                     .baseline_validation = none};
  if (p->server.learned.label != NULL)
    out->quality.validation.of[SOTTO_MEASURE_ACCURACY] = p->server.learned.accuracy;
}

static sotto_status finish_all(sotto_i_outcome *out, parties *p, sotto_error *err) {
  const sotto_i_job *job = p->base_server.job;
  uint32_t *places = NULL;
  sotto_status status;
  for (uint32_t i = 0; i < p->count; i++) {
    count_answers(p, i, i);
    sotto_traffic_add(&out->data_party, sotto_link_traffic(p->base[i].link));
    sotto_traffic_add(&out->label_party, sotto_link_traffic(p->base_server.links[i]));
    sotto_i_fed_add_exposures(out, 0, p->base[i].link);
  }
  out->data_exposures = out->exposure_count;
  out->quality.test = sotto_i_fed_quality(&p->base_server, 0, p->count, 1);
  SOTTO_TRY(find_places(&places, p, job, err));
  SOTTO_TRY(sotto_i_code_write(&p->server, places, err));
  SOTTO_TRY(sotto_i_code_save_labels(job, &p->terms, p->server.learned.label, err));
  SOTTO_TRY(sotto_i_fed_log(&p->base_server, p->base, err));
done:
  sotto_i_free(places);
  return status;
}

static sotto_status finish_client(sotto_i_outcome *out, parties *p, sotto_error *err) {
  const size_t width = sotto_i_fed_answers_width(&p->shared);
  sotto_status status =
      sotto_i_new(&p->base_server.evaluation, 2 * width, sizeof *p->base_server.evaluation, err);
  if (status != SOTTO_OK) return status;
  count_answers(p, 0, 0);
  out->quality.test = sotto_i_fed_quality(&p->base_server, 0, 1, 1);
  out->data_party = sotto_link_traffic(p->base[0].link);
  sotto_i_fed_add_exposures(out, 0, p->base[0].link);
  out->data_exposures = out->exposure_count;
  return sotto_i_code_save_labels(p->base_server.job, &p->terms, p->clients[0].learnt, err);
}

static sotto_status finish(sotto_i_outcome *out, void *shared, sotto_error *err) {
  parties *p = shared;
  sotto_status status;
  begin_outcome(out, p);
  if (p->local) return finish_all(out, p, err);
  if (p->role == SOTTO_ROLE_CLIENT) return finish_client(out, p, err);
  for (uint32_t i = 0; i < p->shared.clients; i++) {
    sotto_traffic_add(&out->label_party, sotto_i_fed_traffic(&p->base_server, i));
    if (p->base_server.links[i] != NULL) sotto_i_fed_add_exposures(out, 0, p->base_server.links[i]);
  }
  status = sotto_i_code_write(&p->server, NULL, err);
  if (status != SOTTO_OK) return status;
  return sotto_i_code_save_labels(p->base_server.job, &p->terms, p->server.learned.label, err);
}

static void free_roles(void *shared) {
  parties *p = shared;
  for (uint32_t i = 0; p->base != NULL && i < p->count; i++) {
    p->base[i].link = NULL; /* owned by the session */
    if (p->clients != NULL) sotto_i_code_client_free(&p->clients[i]);
    sotto_i_fed_client_free(&p->base[i]);
  }
  for (uint32_t i = 0; p->base_server.links != NULL && i < p->shared.clients; i++)
    p->base_server.links[i] = NULL;
  sotto_i_code_server_free(&p->server);
  sotto_i_fed_server_free(&p->base_server);
  sotto_i_code_terms_free(&p->terms);
  sotto_i_free(p->base);
  sotto_i_free(p->clients);
}

static uint32_t member_count(const sotto_i_job *job) {
  return (uint32_t)job->options->clients;
}

static const sotto_i_roles roles = {
    .member = SOTTO_ROLE_CLIENT,
    .members_record = true,
    .size = sizeof(parties),
    .members = member_count,
    .prepare = prepare,
    .run = {[SOTTO_ROLE_SERVER] = run_server, [SOTTO_ROLE_CLIENT] = run_client},
    .finish = finish,
    .release = free_roles};

static sotto_status code_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  return sotto_i_roles_run(out, job, &roles, err);
}

static bool is_coded(const sotto_options *o) {
  return sotto_i_publication_of(o) == SOTTO_I_PUBLICATION_CODE;
}

static bool is_multibit(const sotto_options *o) {
  return !is_coded(o);
}

static sotto_status check(const sotto_options *o, sotto_error *err) {
  if (o->adjacency == SOTTO_ADJACENCY_NONE && isfinite(o->epsilon))
    return sotto_i_fail(err, SOTTO_INVALID, "adjacency: none goes with epsilon inf, which adds no noise");
  if (is_coded(o) && !(o->epsilon > 0))
    return sotto_i_fail(
        err, SOTTO_RANGE,
        "epsilon: must be above 0 with publication code; 0 is a choice of publication multibit");
  sotto_partition partition;
  sotto_status status = sotto_partition_read(&partition, sotto_i_partition_of(o), err);
  if (status == SOTTO_OK && is_coded(o) && partition.kind == SOTTO_PARTITION_DIRICHLET)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "partition: dirichlet follows from labels, on which codes may not depend");
  return status == SOTTO_OK ? sotto_i_fed_check(o, err) : status;
}

/* A question about other graphs releases reports of them under the options of the run. */
static sotto_status narrow(sotto_options *options, const char *file, sotto_error *err) {
  (void)file;
  if (is_coded(options)) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                      "epsilon: embeddings of other graphs are not released; train a new run with them");
}

static void describe(sotto_i_description *out, const sotto_report *report) {
  if (is_coded(report->options))
    sotto_i_code_describe(out, report);
  else
    sotto_i_describe_clients(out, report);
}

static void annotate(json_t *statement, const sotto_report *report) {
  if (is_coded(report->options))
    sotto_i_code_annotate(statement, report);
  else
    sotto_i_annotate_clients(statement, report);
}

/* All payloads between parties of codes are released or public, so a recorded wire has nothing to attack. */
static sotto_status attack(sotto_i_attacked *attacked, const char *folder, sotto_error *err) {
  if (is_coded(attacked->options))
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "publication: with code no model passes between parties; the canary tests the release");
  return sotto_i_fed_attack(attacked, folder, err);
}

static void claims(char out[SOTTO_I_CLAIM_TEXT], const sotto_options *o, const sotto_cost *cost) {
  (void)cost;
  if (!isfinite(o->epsilon))
    out[0] = '\0';
  else if (o->epsilon > 0)
    (void)snprintf(out, SOTTO_I_CLAIM_TEXT, "epsilon %g for each graph (theorem 1)", o->epsilon);
  else
    (void)snprintf(out, SOTTO_I_CLAIM_TEXT, "epsilon 1 / number of nodes for each graph (theorem 1)");
}

static const sotto_i_paper paper = {
    .claims = claims,
    .why =
        "the smallest graph has the largest epsilon, and algorithm 1 is read so that theorem 1 holds, with m "
        "entries a row; the claim leaves out the averaged models, which have no noise"};

static const sotto_i_option_change changes[] = {
    {.key = "adjacency", .fallback = "graph", .choices = "none graph"},
    {.key = "epsilon",
     .adjacencies = SOTTO_I_NONE | SOTTO_I_GRAPH, /* none is allowed only with inf */
     .fallback = "0",
     .help = "of a graph's release; publication multibit: 0 is 1 / number of nodes"},
    {.key = "publication",
     .adjacencies = SOTTO_I_NONE | SOTTO_I_GRAPH,
     .fallback = "code",
     .choices = "code multibit",
     .help = "code: one code a graph; multibit: class probabilities of all nodes, as published"},
    {.key = "aggregator", .fallback = "gcn", .choices = "gcn gin sage"},
    {.key = "feature-scale", .fallback = "suited", .choices = "suited l2 none"},
    {.key = "estimator",
     .fallback = "codes",
     .choices = "codes unbiased",
     .help = "what the server keeps of embeddings: their codes, or unbiased estimates"},
    {.key = "partition",
     .fallback = "alike",
     .help =
         "how nodes or graphs come to clients: alike, communities, cut, or file:PATH (the client of each, "
         "from 1, a line each); publication multibit also dirichlet:A"},
    SOTTO_I_CLIENT_EPOCHS(0),
    {.key = "batch-size", .help = "nodes or graphs a step; 0: all of a client's"},
};

#define PUBLISHED .when = {SOTTO_I_PUBLISHED}
static const sotto_i_option_default defaults[] = {
    {"publication", "multibit", PUBLISHED}, /* algorithm 1 */
    {"epsilon", "inf", .adjacencies = SOTTO_I_NONE, PUBLISHED},
    {"epsilon", "0", PUBLISHED},      /* section 4: 1 / number of nodes */
    {"aggregator", "gcn", PUBLISHED}, /* section 4; gin is the other one */
    {"layers", "2", .when = {SOTTO_I_PUBLISHED, SOTTO_I_WHEN("aggregator", "gcn")}},  /* section 4 */
    {"layers", "5", .when = {SOTTO_I_PUBLISHED, SOTTO_I_WHEN("aggregator", "gin")}},  /* section 4 */
    {"hidden", "16", .when = {SOTTO_I_PUBLISHED, SOTTO_I_WHEN("aggregator", "gcn")}}, /* section 4 */
    {"hidden", "64", .when = {SOTTO_I_PUBLISHED, SOTTO_I_WHEN("aggregator", "gin")}}, /* section 4 */
    {"clients", "10", PUBLISHED},                                                     /* section 4 */
    {"partition", "dirichlet:0.5",
     PUBLISHED},                            /* section 4, after Wang et al. 2020, whose concentration it is */
    {"train-share", "0.7", PUBLISHED},      /* section 4 */
    {"validation-share", "0.2", PUBLISHED}, /* section 4 */
    {"rounds", "200", PUBLISHED},           /* section 4 */
    {"batch-size", "0", PUBLISHED},         /* algorithm 3: full batches */
    {"prox-mu", "0", PUBLISHED},            /* section 3: FedAvg */
    {"epsilon", "inf", .adjacencies = SOTTO_I_NONE, .when = {SOTTO_I_WHEN("publication", "code")}},
    {"epsilon", "4", .when = {SOTTO_I_WHEN("publication", "code")}},
    SOTTO_I_FED_GRAPH_DEFAULTS(SOTTO_I_NONE | SOTTO_I_GRAPH, "publication", "multibit"),
};

static const sotto_i_fed_protocol protocol = {.embedding = &sotto_i_gwldp_embedding}, coded = {.alone = true};
static const sotto_i_variant variants[] = {
    {.adjacencies = SOTTO_I_NONE | SOTTO_I_GRAPH,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .covered = true,
     .chosen = is_coded,
     .key = "publication",
     .word = "code",
     .without = "aggregator layers hidden dropout learning-rate weight-decay batch-size rounds "
                "fraction epochs optimiser prox-mu local-momentum "
                "secure-aggregation client-keys sum-neighbours embed-every estimator "
                "feature-scale max-degree as-published",
     .protocol = &coded,
     .run = code_run,
     .price = sotto_i_code_price,
     .question = sotto_i_code_question,
     .question_sends = {"one report of each graph of its data, with noise, and how many there are",
                        "the class of each graph, as the reports say, with probabilities"},
     .canaries = 1U << SOTTO_I_CANARY_GRAPH,
     .canary = sotto_i_code_canary},
    {.adjacencies = SOTTO_I_NONE | SOTTO_I_GRAPH,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .chosen = is_multibit,
     .key = "publication",
     .word = "multibit",
     .without = "anchors least-clients",
     .unanswered =
         "models of publication multibit do not answer queries; embeddings are compared (sotto compare)",
     .protocol = &protocol,
     .canaries = 1U << SOTTO_I_CANARY_GRAPH,
     .canary = sotto_i_multibit_canary,
     .run = sotto_i_fed_run,
     .price = sotto_i_gwldp_price},
};

const sotto_i_method sotto_i_method_gwldp = {
    .name = "gwldp",
    .summary = "one code of each graph under local privacy; or models, then class probabilities of nodes",
    .situation = "Many clients hold nodes or small graphs of their own",
    .source = "Jin and Chen 2022",
    .protects = "it protects whole graphs: take adjacency graph",
    .topology = SOTTO_CLIENTS_AND_SERVER,
    .options = {.uses = {{&sotto_i_run_rows, NULL},
                         {&sotto_i_privacy_rows, "adjacency epsilon delta max-degree"},
                         {&sotto_i_published_rows, NULL},
                         {&sotto_i_network_rows, "aggregator layers hidden dropout"},
                         {&sotto_i_training_rows, "epochs learning-rate weight-decay batch-size"},
                         {&sotto_i_member_rows, "clients least-clients"},
                         {&sotto_i_partition_rows, NULL},
                         {&sotto_i_client_rows, SOTTO_I_UNCHECKED_OPTIONS},
                         {&sotto_i_publication_rows, NULL},
                         {&sotto_i_gwldp_rows, NULL},
                         {&sotto_i_estimator_rows, NULL},
                         {&sotto_i_party_rows, "idle-limit grace ids record-wire"}},
                SOTTO_I_CHANGES(changes),
                SOTTO_I_DEFAULTS(defaults)},
    .paper = &paper,
    .check = check,
    .narrow = narrow,
    .items = sotto_i_code_items,
    .open = sotto_i_code_open,
    .inputs = sotto_i_fed_inputs,
    .attack_server = attack,
    .attack_client = attack,
    .describe = describe,
    .annotate = annotate,
    SOTTO_I_VARIANTS(variants),
};
