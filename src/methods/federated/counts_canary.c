/* Canaries of counts at edge level, by the code of the releases: an edge within a client, of which one end
 * may be a pilot, an edge between two clients, and a reported cluster. */
#include <string.h>

#include "audit/canary.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "federated.h"
#include "protocol.h"
#include "protocols/counts.h"
#include "protocols/unsure.h"

/* The counts of two nodes of two clusters, in one world: at one client, where one may be a pilot, whose
 * counts are a release of their own, or each at a client of its own. */
typedef struct counted {
  sotto_i_federation federation;
  sotto_i_fed_client client[2];
  uint32_t zero[2], one[2]; /* the edge of either client, where there are two */
  sotto_graph alone;        /* owned; of one node */
  sotto_i_clusters known[2];
  sotto_matrix foreign[2];
  sotto_i_fed_counting counting[2];
  size_t clients, tables;
} counted;

static void free_worlds(sotto_i_canary *c) {
  for (int which = 0; which < 2; which++) {
    counted *of = c->made_of[which];
    for (size_t i = 0; of != NULL && i < 2; i++) {
      sotto_i_clusters_free(&of->known[i]);
      sotto_matrix_free(&of->foreign[i]);
    }
    if (of != NULL) sotto_graph_free(&of->alone);
    sotto_i_free(of);
    c->made_of[which] = NULL;
  }
}

/* All tables, one below the other. */
static sotto_status make_tables(void *context, sotto_graph *unused, sotto_matrix *table, const sotto_key *key,
                                sotto_error *err) {
  counted *of = context;
  sotto_matrix one = {0};
  size_t at = 0;
  sotto_status status;
  if (of->tables == 1) return sotto_i_fed_counts_make(&of->counting[0], unused, table, key, err);
  SOTTO_TRY(sotto_matrix_new(table, of->tables == of->clients ? 2 : 3, 2, err));
  for (size_t i = 0; i < of->tables; i++) {
    SOTTO_TRY(sotto_i_fed_counts_make(&of->counting[i], unused, &one, key, err));
    memcpy(table->data + at, one.data, one.rows * one.cols * sizeof(float));
    at += one.rows * one.cols;
    sotto_matrix_free(&one);
  }
done:
  sotto_matrix_free(&one);
  return status;
}

/* Both nodes at one client, with the world's graph. */
static sotto_status set_within(counted *of, const sotto_graph *graph, sotto_error *err) {
  sotto_status status = sotto_i_clusters_new(&of->known[0], 2, 2, err);
  if (status != SOTTO_OK) return status;
  of->known[0].of[1] = 1;
  of->client[0].data.graph = *graph;
  of->clients = of->tables = 1;
  return SOTTO_OK;
}

/* Turns the counts of one client into those of a pilot, node 0, and those of both nodes after it. */
static void add_pilot(counted *of) {
  static const uint8_t pilot[2] = {SOTTO_I_PILOT, SOTTO_I_DEAF}, others[2] = {SOTTO_I_SPENT, 1};
  static const uint32_t rows[1] = {0};
  of->tables = 2;
  of->counting[1] = of->counting[0];
  of->counting[0].levels = pilot;
  of->counting[0].stage = SOTTO_I_STAGE_CLASS;
  of->counting[0].rows = rows;
  of->counting[0].row_count = 1;
  of->counting[1].levels = others;
}

/* Each node at a client of its own; what one reports is given, and the other one counts it. */
static sotto_status set_between(counted *of, uint32_t which, sotto_error *err) {
  sotto_status status;
  of->clients = of->tables = 2;
  of->one[0] = 1;
  SOTTO_TRY(sotto_graph_from_pairs(&of->alone, 1, NULL, NULL, 0, err));
  for (uint32_t i = 0; i < 2; i++) {
    of->client[i].number = i;
    of->client[i].data.graph = of->alone;
    of->client[i].linked = (sotto_i_fed_linked){of->zero, of->one + i, of->zero, which};
    SOTTO_TRY(sotto_i_clusters_new(&of->known[i], 1, 2, err));
    of->known[i].of[0] = (uint16_t)i;
  }
  for (uint32_t i = 0; i < 2; i++) {
    const float reported = (float)(1 - i);
    uint32_t table[2] = {0};
    sotto_i_fed_linked_rows(table, 2, &of->client[1 - i].linked, i, &reported);
    SOTTO_TRY(sotto_matrix_new(&of->foreign[i], 1, 2, err));
    SOTTO_TRY(sotto_i_fed_linked_add(&of->foreign[i], table, &of->client[i].linked, 1 - i, err));
  }
done:
  return status;
}

static sotto_status make_world(sotto_i_canary *c, uint32_t which, bool between, bool pilot,
                               sotto_error *err) {
  static const uint32_t from[] = {0}, to[] = {1};
  sotto_key unused; /* without noise nothing is drawn from it */
  counted *of = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&of, 1, sizeof *of, err));
  c->made_of[which] = of;
  of->federation.options = &c->options;
  SOTTO_TRY(sotto_graph_from_pairs(&c->world[which].graph, 2, from, to, which, err));
  SOTTO_TRY(between ? set_between(of, which, err) : set_within(of, &c->world[which].graph, err));
  for (size_t i = 0; i < of->clients; i++) {
    of->client[i].federation = &of->federation;
    of->counting[i] = (sotto_i_fed_counting){
        .client = &of->client[i], .known = &of->known[i], .foreign = between ? &of->foreign[i] : NULL};
  }
  if (pilot) add_pilot(of);
  sotto_key_public(&unused, 0);
  SOTTO_TRY(make_tables(of, NULL, &c->clean[which], &unused, err));
  for (size_t i = 0; i < of->tables; i++) of->counting[i].noise = &c->grid;
done:
  return status;
}

/* The counts are released once, whatever the number of layers. */
static sotto_status edge_canary(sotto_i_canary *c, bool between, bool pilot, sotto_error *err) {
  sotto_status status;
  c->make = make_tables;
  c->forget = free_worlds;
  c->options.layers = 1;
  SOTTO_TRY(sotto_i_counts_grid_of(&c->grid, c->options.epsilon, err));
  for (uint32_t which = 0; which < 2; which++) SOTTO_TRY(make_world(c, which, between, pilot, err));
  sotto_i_canary_counts(c);
done:
  return status;
}

sotto_status sotto_i_fed_canary(sotto_i_canary *c, const struct sotto_i_run *run, unsigned kind,
                                sotto_error *err) {
  (void)run;
  return edge_canary(c, false, kind == SOTTO_I_CANARY_PILOT, err);
}

/* What so many nodes of one cluster report, by the client's own code. */
static sotto_status report_clusters(sotto_matrix *out, const sotto_i_canary *c, size_t cluster, size_t nodes,
                                    const sotto_key *key, sotto_error *err) {
  sotto_i_clusters known = {.of = NULL};
  sotto_i_fed_reporting of = {.known = &known, .response = &c->clusters};
  sotto_status status = sotto_i_clusters_new(&known, nodes, c->clusters.choices, err);
  *out = (sotto_matrix){0};
  for (size_t v = 0; status == SOTTO_OK && v < nodes; v++) known.of[v] = (uint16_t)cluster;
  if (status == SOTTO_OK) status = sotto_i_fed_linked_make(&of, NULL, out, key, err);
  sotto_i_clusters_free(&known);
  return status;
}

/* A node in the first cluster, or in the last. */
static sotto_status draw_cluster(void *context, double *values, bool second, const sotto_key *key,
                                 sotto_error *err) {
  const sotto_i_canary *c = context;
  const size_t last = c->clusters.choices - 1;
  sotto_matrix answer = {0};
  const sotto_status status = report_clusters(&answer, c, second ? last : 0, 1, key, err);
  if (status == SOTTO_OK)
    *values = ((size_t)answer.data[0] == last ? 1 : 0) - ((size_t)answer.data[0] == 0 ? 1 : 0);
  sotto_matrix_free(&answer);
  return status;
}

/* Which of 64 answers are not the true cluster. */
static sotto_status draw_noise(void *context, sotto_noise_draw *out, const sotto_key *key, sotto_error *err) {
  enum { answers = 64 };
  const sotto_i_canary *c = context;
  sotto_matrix answer = {0};
  *out = (sotto_noise_draw){.cols = 1, .flip = (double)c->clusters.flip * 0x1p-64};
  const sotto_status status = report_clusters(&answer, c, 0, answers, key, err);
  for (size_t i = 0; status == SOTTO_OK && i < answer.rows; i++)
    out->values[out->rows++] = answer.data[i] != 0 ? 1 : 0;
  sotto_matrix_free(&answer);
  return status;
}

sotto_status sotto_i_fed_linked_canary(sotto_i_canary *c, const struct sotto_i_run *run, unsigned kind,
                                       sotto_error *err) {
  if (kind != SOTTO_I_CANARY_CLUSTER) return edge_canary(c, true, false, err);
  const sotto_status status = sotto_i_fed_linked_response(&c->clusters, run, err);
  c->releases = 1;
  c->stated.epsilon = c->clusters.epsilon;
  c->stated.mu = 0;
  c->stated.delta = 0; /* the release is pure */
  c->stated.context = c;
  c->stated.statistics = 1;
  c->stated.draw = draw_cluster;
  c->stated.noise = draw_noise;
  return status;
}
