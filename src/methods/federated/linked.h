/* Edges between clients at edge level: what a client tells another one about its customers, and charges for
 * it. Derivation: docs/privacy/federated.md, "Edges between clients of a federation". */
#ifndef SOTTO_SRC_METHODS_FEDERATED_LINKED_H
#define SOTTO_SRC_METHODS_FEDERATED_LINKED_H

#include "inside/dp.h"
#include "protocols/clusters.h"
#include "run/method/method.h"

struct sotto_i_canary;
struct sotto_i_federation;
struct sotto_i_fed_client;
struct sotto_i_fed_server;
struct sotto_i_run;

/* The edges of one client to nodes of others: edge i joins its node own[i] to node theirs[i] of client[i],
 * each a number in its client's data. The arrays are owned. */
typedef struct sotto_i_fed_linked {
  uint32_t *own, *client, *theirs;
  size_t count;
} sotto_i_fed_linked;

/* Does the partition keep edges between clients? */
bool sotto_i_fed_linked_asked(const sotto_options *options);
/* Where they are kept, can they be counted with noise? Errors: INVALID. */
sotto_status sotto_i_fed_linked_check(const sotto_options *options, sotto_error *err);

/* The edges of `client` in the graph of all: owner[v] is the client of node v, number[v] its number there.
 * Errors: NOMEM. */
sotto_status sotto_i_fed_linked_find(sotto_i_fed_linked *out, const sotto_graph *graph, const uint32_t *owner,
                                     const uint32_t *number, uint32_t client, sotto_error *err);
void sotto_i_fed_linked_free(sotto_i_fed_linked *linked);

/* Hooks of a method: the account of the answers with their item, and their epsilon in the result. */
sotto_status sotto_i_fed_linked_accounts(struct sotto_i_run *run, sotto_error *err);
sotto_status sotto_i_fed_linked_state(sotto_result *out, const struct sotto_i_run *run, sotto_error *err);
/* Does the client's own account of labels have the budget? Errors: REFUSED, and the ledger's others. */
sotto_status sotto_i_fed_linked_ask(const struct sotto_i_fed_client *client, sotto_error *err);

/* A client's part: reports one cluster for each of its nodes by randomised response, charged; sends each
 * other client sealed counts of them; foreign (fresh, nodes x classes) gets the sum of what the others sent.
 * `known` are the true clusters. Errors: those of artifacts and links. */
SOTTO_MUST_USE sotto_status sotto_i_fed_linked_exchange(sotto_matrix *foreign,
                                                        struct sotto_i_fed_client *client,
                                                        const sotto_i_clusters *known, sotto_error *err);
/* The server's part: passes the sealed counts on. */
sotto_status sotto_i_fed_linked_relay(struct sotto_i_fed_server *server, sotto_error *err);

/* Randomised response of a node's cluster, by the run's options and classes. Errors: RANGE, INVALID. */
sotto_status sotto_i_fed_linked_response(sotto_response *out, const struct sotto_i_run *run,
                                         sotto_error *err);

/* What a client tells another one: table (rows x classes, zeroed) counts, for each node of `other`, the
 * linked nodes by reported cluster. */
void sotto_i_fed_linked_rows(uint32_t *table, size_t classes, const sotto_i_fed_linked *linked,
                             uint32_t other, const float *reported);
/* Adds a table that `other` sent to `foreign`. A row whose sum is not the client's own number of edges of
 * that node to `other` counts as zero. Errors: NOMEM. */
sotto_status sotto_i_fed_linked_add(sotto_matrix *foreign, const uint32_t *table,
                                    const sotto_i_fed_linked *linked, uint32_t other, sotto_error *err);

/* Reported clusters, for the release and its audit: `make` of a table artifact. */
typedef struct sotto_i_fed_reporting {
  const sotto_i_clusters *known; /* NULL: stored answers are read, and none are drawn */
  const sotto_response *response;
  uint64_t stream; /* separates clients and seeds under one key */
} sotto_i_fed_reporting;
sotto_status sotto_i_fed_linked_make(void *reporting, sotto_graph *unused, sotto_matrix *table,
                                     const sotto_key *whole, sotto_error *err);

/* linked_meet.c, between processes: which edges two clients both have. A list of edges to others is padded to
 * max-degree, or 16, for each node of its client, so that its length reveals none.
 * Has the data of a client such a list, and no more of them? Errors: INVALID, RANGE. */
sotto_status sotto_i_fed_linked_list_check(const sotto_options *options, const sotto_dataset *data,
                                           sotto_error *err);
/* A client's part: learns how many nodes each client has; compares its list with that of each other one by
 * private set intersection of pairs of ids; client->linked gets the edges that both have. Errors: PROTOCOL
 * (naming the client), NOMEM, those of links. */
sotto_status sotto_i_fed_linked_meet(struct sotto_i_fed_client *client, sotto_error *err);
/* The server's part. */
sotto_status sotto_i_fed_linked_introduce(struct sotto_i_fed_server *server, sotto_error *err);

/* linked_boxes.c: sealed payloads from client to client. */
typedef struct sotto_i_fed_box {
  const char *name;
  const uint8_t *token; /* as in sotto_i_fed_seal */
  void *text;           /* whole words of 4 bytes */
  size_t size;          /* bytes */
} sotto_i_fed_box;
sotto_status sotto_i_fed_box_send(const struct sotto_i_fed_client *client, uint32_t to,
                                  const sotto_i_fed_box *box, sotto_error *err);
sotto_status sotto_i_fed_box_receive(const struct sotto_i_fed_client *client, uint32_t from,
                                     const sotto_i_fed_box *box, sotto_error *err);
/* The server passes one box from each client to each other one; size is that of its text. */
sotto_status sotto_i_fed_boxes_relay(struct sotto_i_fed_server *server, const char *name,
                                     size_t (*size)(const struct sotto_i_federation *federation,
                                                    uint32_t from, uint32_t to),
                                     sotto_error *err);

/* linked_seal.c: seals bytes between two clients of a run, so that the server which carries them reads
 * nothing. `box` has SOTTO_I_FED_SEAL bytes more than the text. Keys are those that sign secure sums. */
enum { SOTTO_I_FED_SEAL = 40 };
typedef struct sotto_i_fed_seal {
  const uint8_t *own;    /* secret key of this client, of Ed25519 */
  const uint8_t *theirs; /* public key of the other one */
  const uint8_t *run;    /* identity of the run and seed, SOTTO_SUM_DIGEST bytes */
  uint32_t from, to;     /* numbers of the clients */
  const char *name;      /* of the payload */
  const uint8_t *token;  /* of the exchange that it is of, SOTTO_SUM_DIGEST bytes; NULL: of none */
} sotto_i_fed_seal;
/* Errors: INVALID (a key of low order). */
sotto_status sotto_i_fed_seal_close(uint8_t *box, const void *text, size_t size, const sotto_i_fed_seal *seal,
                                    sotto_error *err);
/* Errors: PROTOCOL (changed, or sealed by another key). */
sotto_status sotto_i_fed_seal_open(void *text, const uint8_t *box, size_t size, const sotto_i_fed_seal *seal,
                                   sotto_error *err);

#endif
