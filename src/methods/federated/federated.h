/* Federated averaging: clients train a common model, each on its own data, and a server averages their
 * models (McMahan et al. 2017). Protocols of both sides, over links. */
#ifndef SOTTO_SRC_METHODS_FEDERATED_FEDERATED_H
#define SOTTO_SRC_METHODS_FEDERATED_FEDERATED_H

#include "cells.h"
#include "inside/nn.h"
#include "inside/secure_sum.h"
#include "linked.h"
#include "nn/graph_net.h"
#include "nn/number_scale.h"
#include "nn/targets.h"
#include "noisy.h"
#include "options.h"
#include "run/parties/roles.h"
#include "sotto/split.h"
#include "turns.h"

enum { SOTTO_I_MOST_CLIENTS = 1024 };

/* The keys with which clients, and after them the helper of checked sums, sign: public keys of all; secret
 * keys of all in one process, else of this party (zeros at a server). */
typedef struct sotto_i_fed_sums {
  uint8_t *signers, *secrets;
  uint32_t secret_count;
  uint8_t run[SOTTO_SUM_DIGEST]; /* of the terms, the seed and the public keys */
} sotto_i_fed_sums;

/* What all parties know. */
typedef struct sotto_i_federation {
  const sotto_options *options;
  const sotto_i_client_settings *settings;
  uint64_t epochs; /* of a client in a round */
  uint64_t seed;
  uint32_t clients, taking; /* all, and how many take part in a round */
  uint32_t classes;         /* outputs of the network: 1 with `numbers` */
  bool numbers;             /* task regression: clients learn a number of each node (numbers.h) */
  const struct sotto_i_fed_embedding *embedding; /* clients also send these embeddings; NULL: none */
  bool counts;             /* edge level: networks read features and counts of neighbours, but no edges */
  bool linked;             /* with counts: of edges between clients too (linked.h) */
  uint32_t *sizes;         /* with `linked`: the number of nodes of each client, which is public; between
                            * processes zeros until clients meet */
  bool noisy;              /* node level: a perceptron on features, trained by noisy sums of gradients */
  sotto_i_fed_noise noise; /* with `noisy` */
  uint64_t rounds;         /* total number */
  uint64_t cluster_rounds; /* with counts: the number of first rounds, on features alone */
  bool alone; /* globsage, locsage: nothing is averaged; each client predicts with its own model */
  const sotto_i_job *job;
  bool graphs;                  /* classification of graphs, not of nodes */
  bool apart;                   /* each party has its own process: clients get the model at the end */
  size_t inputs;                /* columns of features, and of features from counts */
  sotto_i_turns *turns;         /* of the clients in this process; NULL: there is one */
  const sotto_i_fed_sums *sums; /* --secure-aggregation, --update-bound, linked: keys of the clients */
} sotto_i_federation;

/* At node level the network reads each node's features, but no edges. */
static inline bool sotto_i_fed_reads_rows(const sotto_i_federation *federation) {
  return federation->noisy && federation->options->adjacency == SOTTO_ADJACENCY_NODE;
}

/* Where the server sees no update of one client: noise hides it, or a secure or checked sum. The server chose
 * the model, and a failure would tell it which client has data that make it overflow. */
static inline bool sotto_i_fed_hides_failures(const sotto_i_federation *federation) {
  return federation->noisy || federation->settings->secure_aggregation ||
         federation->settings->update_bound > 0;
}

/* The shared model, as either side has it. */
typedef struct sotto_i_fed_model {
  sotto_i_graph_net net;
  sotto_params *params;
  sotto_i_number_scale scale; /* of clients that learn numbers */
  size_t size;                /* of all parameters, concatenated; with momenta, followed by these */
  bool momenta;               /* clients send their momenta with the model */
} sotto_i_fed_model;

/* Models that are measured at the end: the last one, and the best at the beginning of a round. */
enum { SOTTO_I_FED_MODELS = 2 };
/* A client's message in a round: the change of the model, then its examples, right and all predictions on
 * validation items by the received model, and the loss. Of numbers squared errors, in deviations, are in
 * place of right predictions. */
enum { SOTTO_I_FED_EXAMPLES, SOTTO_I_FED_RIGHT, SOTTO_I_FED_ASKED, SOTTO_I_FED_LOSS, SOTTO_I_FED_EXTRAS };

/* federated_model.c */
sotto_status sotto_i_fed_model_new(sotto_i_fed_model *out, const sotto_i_federation *federation,
                                   sotto_error *err);
/* With counts: that of the second training, on counts in these cells; with those by class it is the same. */
sotto_status sotto_i_fed_model_of(sotto_i_fed_model *out, const sotto_i_federation *federation,
                                  sotto_i_cluster_kind kind, sotto_error *err);
void sotto_i_fed_model_free(sotto_i_fed_model *model);
/* Converts between parameters (and momenta) and one row of numbers. */
void sotto_i_fed_model_pack(float *out, const sotto_i_fed_model *model);
void sotto_i_fed_model_unpack(sotto_i_fed_model *model, const float *values);
/* The features that clients train on, of one client: scaled according to the options; classes of degrees if
 * the data has none. */
sotto_status sotto_i_fed_features(sotto_matrix *out, const sotto_options *options, const sotto_dataset *data,
                                  sotto_error *err);
/* The clients of a round, ascending, out[federation->taking]. Each side computes them itself. Errors:
 * NOMEM. */
sotto_status sotto_i_fed_round(uint32_t *out, const sotto_i_federation *federation, uint64_t round,
                               sotto_error *err);
void sotto_i_sort_numbers(uint32_t *numbers, size_t count); /* ascending */
enum { SOTTO_I_FED_BITS = 24 };                             /* fixed-point bits in a secure sum */

struct sotto_i_fed_client;
/* federated_sums.c. Over a network keys are those of certificates (`client-keys`, and the party's own).
 * With --insecure-loopback, where anyone may connect, they follow from the public seed; in one process they
 * are generated here. Without --secure-aggregation this does nothing. `number` is the client's, from 1, or
 * 0. Errors: INVALID, NOT_FOUND, IO, NOMEM. */
sotto_status sotto_i_fed_sums_new(sotto_i_fed_sums *out, const sotto_i_federation *federation,
                                  uint32_t number, sotto_error *err);
void sotto_i_fed_sums_free(sotto_i_fed_sums *sums);
/* Clients, neighbours and threshold of a round's sum, by the options. Errors: RANGE, INVALID (fewer than
 * three clients). */
sotto_status sotto_i_fed_sum_plan(sotto_sum_plan *out, const sotto_options *options, uint32_t taking,
                                  size_t values, sotto_error *err);
/* out (fresh): the numbers of all clients, for sums that none may miss. Errors: NOMEM. */
sotto_status sotto_i_fed_all_clients(uint32_t **out, const sotto_i_federation *federation, sotto_error *err);
/* The sum of a round over the clients taking[federation->taking], for updates of this model. */
typedef struct sotto_i_fed_sum {
  sotto_sum_plan plan;
  uint8_t *signers; /* of the round's clients */
} sotto_i_fed_sum;
/* Its number, clients, ascending, and values. */
typedef struct sotto_i_fed_summed {
  uint64_t round;
  const uint32_t *taking;
  uint32_t count;
  size_t values;
} sotto_i_fed_summed;
/* The sum of updates of a round. */
sotto_i_fed_summed sotto_i_fed_round_summed(const sotto_i_federation *federation, uint64_t round,
                                            const uint32_t *taking, const sotto_matrix *model);
sotto_status sotto_i_fed_sum_new(sotto_i_fed_sum *out, const sotto_i_federation *federation,
                                 const sotto_i_fed_summed *of, const sotto_matrix *model, sotto_error *err);
void sotto_i_fed_sum_free(sotto_i_fed_sum *sum);
/* A client's part in it. Its signatures are stored in the seed's folder if clients have their own
 * processes. If other survivors were signed in this round before, the sum is *declined, and nothing of it is
 * revealed; with `declined` NULL it fails. Errors: those of the sum; PROTOCOL as said. */
sotto_status sotto_i_fed_sum_take_part(struct sotto_i_fed_client *client, const sotto_i_fed_sum *sum,
                                       const uint32_t *taking, const uint64_t *values, bool *declined,
                                       sotto_error *err);

/* federated_checks.c: --update-bound. */
/* A client's part in the sum of a round, with its update and figures. */
sotto_status sotto_i_fed_check_take_part(struct sotto_i_fed_client *client, uint64_t round,
                                         const uint32_t *taking, sotto_error *err);

/* One client and its data. */
typedef struct sotto_i_fed_client {
  const sotto_i_federation *federation;
  uint32_t number;
  sotto_link *link;
  sotto_i_checkpoints *checkpoints; /* NULL: no checkpoints */
  sotto_dataset data;
  sotto_matrix features;
  sotto_i_sparse *entries; /* not NULL: the features; then `features` has only the shape */
  bool dense;              /* features must be dense */
  uint32_t *rows[4];       /* its nodes or graphs by part, as numbers in its data */
  size_t count[4];
  sotto_i_fed_linked linked; /* its edges to other clients, with `linked` */
  sotto_i_fed_cells cells;   /* with counts: in which cells neighbours are counted */
  size_t left_out;           /* training rows, after the others, that the second training lacks */
  /* made by the protocol */
  sotto_operator *spread;
  sotto_i_hops hops;     /* with --fan-out */
  sotto_graph completed; /* fedsage+: with generated neighbours; with counts: without an edge */
  sotto_matrix beside;   /* feddep: rows that are fused into convolutions */
  sotto_i_fed_model model;
  float *truth; /* numbers of the rows of a step, and how they are learnt */
  sotto_i_targets targets;
  sotto_tape *tape;
  sotto_matrix global, update; /* the received model; the answer to it */
  sotto_key key;               /* of dropout and batches */
  uint64_t steps;
  double least, most; /* the smallest and largest cost of a release of its graphs' embeddings */
  uint64_t releases;
  sotto_i_drawn_key drawn; /* node level */
  sotto_matrix answers;    /* noisy, or apart: the client's own counts of answers at the end */
  sotto_matrix measured[SOTTO_I_FED_MODELS]; /* the client's own counts of answers by the two last models */
} sotto_i_fed_client;
/* The client's preparations before anything is sent. */
sotto_status sotto_i_fed_client_begin(sotto_i_fed_client *client, sotto_error *err);
/* Room for messages of its model's size. */
sotto_status sotto_i_fed_client_room(sotto_i_fed_client *client, sotto_error *err);
sotto_status sotto_i_fed_client_protocol(sotto_i_fed_client *client, sotto_error *err);
void sotto_i_fed_client_free(sotto_i_fed_client *client);
/* Receives the server's model; sends predictions for its items by the current model. */
sotto_status sotto_i_fed_receive_model(sotto_i_fed_client *client, sotto_error *err);
/* locsage */
sotto_status sotto_i_fed_answer(sotto_i_fed_client *client, sotto_error *err);
/* Writes the same into *answers, which is zero, 2 x sotto_i_fed_answers_width; sends nothing. */
sotto_status sotto_i_fed_judge(sotto_matrix *answers, sotto_i_fed_client *client, sotto_error *err);
/* The number of right predictions of the current model on validation items, and of all of them; with
 * `numbers` the sum of squared errors in place of the first. These three and sotto_i_fed_train wait for a
 * turn of their process (turns.h). */
sotto_status sotto_i_fed_validate(sotto_i_fed_client *client, float *extras, sotto_error *err);

/* federated_alone.c: trains the client's own model for as many epochs as a federation would, selects the
 * best epoch on validation items, and saves it. */
sotto_status sotto_i_fed_alone(sotto_i_fed_client *client, sotto_error *err);
sotto_status sotto_i_fed_alone_answer(sotto_i_fed_client *client, sotto_error *err);
/* federated_counts.c: edge level. A client's edges are used only in one charged release: the number of
 * neighbours of each node in each cluster. */
/* Columns of features from counts; 0: none. */
/* Does the client's own account have the budget? Called before anything is sent. Errors: REFUSED, and the
 * ledger's others. */
sotto_status sotto_i_fed_counts_ask(const sotto_i_fed_client *client, sotto_error *err);
/* Extends the features by zero columns for the counts, and sets a graph without edges. */
sotto_status sotto_i_fed_counts_begin(sotto_i_fed_client *client, sotto_error *err);
/* Counts of a client, for the release and its audit: `make` of a table artifact. */
typedef struct sotto_i_fed_counting {
  const sotto_i_fed_client *client;
  const sotto_i_clusters *known; /* NULL: stored counts are read, and none are made */
  const sotto_matrix *foreign;   /* counts that other clients sent; NULL: none */
  const sotto_laplace_grid *noise;
  const uint8_t *levels; /* of protocols/unsure.h; NULL: all nodes count alike */
  uint32_t stage;        /* of a group of pilots (protocols/pilots.h); 0: of all other nodes */
  const uint32_t *rows;  /* of pilots: the nodes that have a row in the table; NULL: all */
  size_t row_count;
} sotto_i_fed_counting;
sotto_status sotto_i_fed_counts_make(void *counting, sotto_graph *unused, sotto_matrix *table,
                                     const sotto_key *whole, sotto_error *err);
/* After a restart in rounds that come after the counts: the cells and the model of these rounds. */
sotto_status sotto_i_fed_counts_resume(sotto_i_fed_client *client, sotto_error *err);
/* Reads the counts in the seed's folder without a charge, and sets a model of their width. */
sotto_status sotto_i_fed_counts_read(sotto_i_fed_client *client, const char *folder, sotto_error *err);
/* For other data of the client, whose clusters follow from the model of the first rounds in the seed's
 * `folder`: reads counts of neighbours at this client, as `release` plans them; NULL: without noise, which is
 * for runs without it. Errors: NOT_FOUND (the folder lacks that model), those of the release. */
sotto_status sotto_i_fed_counts_of_other(sotto_i_fed_client *client, const char *folder,
                                         const sotto_i_job *release, sotto_error *err);
/* After the rounds on features alone: receives the model that defines clusters, releases the counts, and
 * starts a new model. After a restart in later rounds (`resumed`) it reads the stored counts. */
sotto_status sotto_i_fed_counts_release(sotto_i_fed_client *client, bool resumed, sotto_error *err);
/* federated_local.c: all epochs of one round, starting from the global model. */
sotto_status sotto_i_fed_train(sotto_i_fed_client *client, double *loss, sotto_error *err);
/* Computes the gradient of the loss on one of the client's graphs, by the current model, in the model's
 * gradients. */
sotto_status sotto_i_fed_graph_gradient(sotto_i_fed_client *client, uint32_t graph, sotto_error *err);
/* At node level, the model as a perceptron on rows. */
sotto_mlp sotto_i_fed_perceptron(const sotto_i_fed_client *client);
/* Logits of all its nodes or graphs by the current model; borrowed until the tape's next use. */
sotto_status sotto_i_fed_scores(sotto_matrix *out, sotto_i_fed_client *client, sotto_error *err);

/* One round, for the log. */
typedef struct sotto_i_fed_turn {
  uint64_t round;
  uint32_t clients;
  double loss, validation;
  uint64_t sent, received; /* traffic of the server */
} sotto_i_fed_turn;

/* The server's copy of the embeddings of one client's graphs. */
typedef struct sotto_i_fed_embedded {
  size_t graphs;
  uint64_t *first; /* graphs + 1 borders */
  sotto_matrix rows;
} sotto_i_fed_embedded;

/* The server. */
typedef struct sotto_i_fed_server {
  const sotto_i_federation *federation;
  const sotto_i_job *job;           /* for its observer, recorder and folder */
  sotto_i_checkpoints *checkpoints; /* NULL: no checkpoints */
  sotto_link **links;               /* of all clients; NULL for one that left in an earlier session */
  sotto_link *helper;               /* --update-bound; borrowed */
  uint32_t *refused;                /* --update-bound: rounds in which each client failed, since this start */
  uint32_t *left; /* with --least-clients, of each client: the round in which it left; 0: it is present */
  float *missing; /* with --least-clients, rounds x clients: 1 where a client of the round left */
  sotto_i_fed_model model;
  sotto_i_fed_cells cells;
  sotto_matrix values, best;            /* the current model, and the best one on validation items */
  double *totals;                       /* size + extras */
  double *measured[SOTTO_I_FED_MODELS]; /* what clients said of the two models (federated_measures.c) */
  uint32_t chosen;                      /* which of them was kept */
  double *evaluation; /* clients x 2 parts x (classes^2 + 1): validation, test; counts[label][prediction],
                       * and the own AUC (below 0: none); for locsage of each model over all clients */
  double *own;        /* locsage: of each model at its own client */
  sotto_i_watch watch;
  sotto_i_fed_turn *turns;        /* one for each round */
  sotto_i_fed_embedded *embedded; /* gwldp: one for each client */
  const uint32_t *places;         /* positions of all clients' rows in the data, if known; else NULL */
  sotto_i_drawn_key drawn;        /* of its own noise, from its first noisy round; wipe the key */
} sotto_i_fed_server;
/* federated_checks.c: the sum over the clients that pass, in totals; *accepted is their number. */
sotto_status sotto_i_fed_check_gather(uint32_t *accepted, sotto_i_fed_server *server, const uint32_t *taking,
                                      uint64_t round, sotto_error *err);
void sotto_i_fed_list_refused(char *out, size_t room, const sotto_i_fed_server *server);
/* The second server. */
typedef struct sotto_i_fed_helper {
  const sotto_i_federation *federation;
  sotto_link *link;
  sotto_i_checkpoints *checkpoints;
} sotto_i_fed_helper;
sotto_status sotto_i_fed_helper_protocol(const sotto_i_fed_helper *helper, sotto_error *err);
sotto_status sotto_i_fed_server_protocol(sotto_i_fed_server *server, sotto_error *err);
void sotto_i_fed_server_free(sotto_i_fed_server *server);

/* federated_left.c: clients that leave for the rest of the run (--least-clients). Without that option these
 * functions pass failures on. */
/* May a client fail without the run? Only if each party has its own process. */
bool sotto_i_fed_may_leave(const sotto_i_federation *federation);
/* The server's record of it; clients that left in an earlier session are known by their links. Errors:
 * NOMEM, and PROTOCOL if too few are present. */
sotto_status sotto_i_fed_left_new(sotto_i_fed_server *server, sotto_error *err);
bool sotto_i_fed_is_here(const sotto_i_fed_server *server, uint32_t client);
/* Starts the client's time limit of --grace; the second does so for all clients. */
void sotto_i_fed_give_time(const sotto_i_fed_server *server, uint32_t client);
void sotto_i_fed_give_all_time(const sotto_i_fed_server *server);
/* Handles the status of a call on a client's link in this round (--rounds + 1: after them). Returns OK
 * after a success, or if the client is now left out; else the failure, or that too few are left. */
sotto_status sotto_i_fed_left(sotto_i_fed_server *server, uint32_t client, uint64_t round,
                              sotto_status status, const sotto_error *problem, sotto_error *err);
/* Records which of the round's clients left; returns how many answered. */
uint32_t sotto_i_fed_note_missing(sotto_i_fed_server *server, const uint32_t *taking, uint64_t round);
sotto_traffic sotto_i_fed_traffic(const sotto_i_fed_server *server, uint32_t client);
/* federated_move.c: the next model, from `totals`. Errors: NUMERIC (Adam at the server, an update that is
 * not finite). */
sotto_status sotto_i_fed_move(sotto_i_fed_server *server, sotto_error *err);
/* A step of Adam with `totals` times `scale` as the gradient. */
sotto_status sotto_i_fed_adam(sotto_i_fed_server *server, double scale, sotto_error *err);
/* protocol/federated_measures.c: sends what the server learns about the client's items by the current model,
 * and keeps the client's own answers. `which`: 0 the last model, 1 the best. A sum that a client declines is
 * no error. Errors: those of sotto_i_fed_judge, of links and of sums. */
sotto_status sotto_i_fed_measures_send(sotto_i_fed_client *client, uint32_t which, sotto_error *err);
/* The server's part, into out[sotto_i_fed_measures_size], which is zero. NaN: a client declined the sum,
 * since it had signed other survivors, and the measures of this model are lost. */
size_t sotto_i_fed_measures_size(const sotto_i_federation *federation);
sotto_status sotto_i_fed_measures_gather(double *out, sotto_i_fed_server *server, uint32_t which,
                                         const sotto_matrix *model, sotto_error *err);
bool sotto_i_fed_measures_lost(const double *of);
double sotto_i_fed_measures_validation(const double *of, const sotto_i_fed_server *server);
/* What the server knows of the kept model on a part (0 validation, 1 test) of all clients together. */
sotto_quality sotto_i_fed_measures_quality(const sotto_i_fed_server *server, int part);
/* federated_quality.c: accuracy and macro F1 of the sum of tables counts[label][prediction], each `stride`
 * after the one before.
 */
sotto_quality sotto_i_fed_count_quality(const double *first, size_t stride, uint32_t tables, size_t classes);
/* federated_sums.c: the server's part in a secure sum over these clients; round as for sotto_i_fed_left. If a
 * client declines, *declined is set and there is no sum; `declined` NULL: none may. */
sotto_status sotto_i_fed_sum_gather(uint64_t *out, sotto_i_fed_server *server, const sotto_i_fed_sum *sum,
                                    uint64_t round, const uint32_t *taking, uint32_t count, bool *declined,
                                    sotto_error *err);
/* locsage: asks all clients for the evaluation of a model; each answer is two rows of
 * sotto_i_fed_answers_width. */
sotto_status sotto_i_fed_evaluate(double *out, sotto_i_fed_server *server, const sotto_matrix *model,
                                  sotto_error *err);
size_t sotto_i_fed_answers_width(const sotto_i_federation *federation);
sotto_status sotto_i_fed_alone_ask(sotto_i_fed_server *server, sotto_error *err); /* locsage */
/* Quality from one client's counts, or from those of all clients together (then the AUC is their mean,
 * weighted by predictions). */
sotto_quality sotto_i_fed_quality(const sotto_i_fed_server *server, uint32_t first, uint32_t count, int part);

/* federated.c: all clients of a job in one process in their initial state, with data, rows, features and
 * model, for an audit or for predictions; for a seat, its one client. Nothing is stored and nothing is
 * sent. The job and its data must outlive them. *out is freed in any case. */
typedef struct sotto_i_fed_assembly sotto_i_fed_assembly;
sotto_status sotto_i_fed_assemble(sotto_i_fed_assembly **out, const sotto_i_job *job, sotto_error *err);
sotto_i_fed_client *sotto_i_fed_clients(sotto_i_fed_assembly *of, uint32_t *count);
/* The positions of the clients' nodes in the job's data, one client after the other. */
const uint32_t *sotto_i_fed_places(const sotto_i_fed_assembly *of);
void sotto_i_fed_disassemble(sotto_i_fed_assembly *of);
/* federated_deal.c: the client of each node or graph of the data, in one process. */
sotto_status sotto_i_fed_deal(uint32_t *owner, const sotto_i_job *job, uint32_t clients, sotto_error *err);
/* federated.c: what all parties know of a job, which outlives it. */
sotto_status sotto_i_fed_settle(sotto_i_federation *out, const sotto_i_job *job, sotto_error *err);
void sotto_i_fed_add_exposures(sotto_i_outcome *out, size_t first, const sotto_link *link);
/* The roles in this process. */
typedef struct sotto_i_fed_parties {
  sotto_i_federation shared;
  sotto_i_fed_sums sums; /* `shared` points to these */
  sotto_role role;       /* the role of this process, or the server's */
  bool local;            /* all roles are in this process */
  sotto_i_fed_server server;
  sotto_i_fed_helper helper;   /* with --update-bound */
  sotto_i_fed_client *clients; /* all, or that of this process */
  uint32_t count;
  uint32_t *places;     /* positions of all clients' rows in the data, one client after the other */
  uint32_t *sizes;      /* with partition linked; `shared` points to these */
  sotto_i_turns *turns; /* `shared` points to these */
} sotto_i_fed_parties;
/* answers/federated_kept.c: does a run store scores of its clients' nodes? Stores those of one client by
 * its current model; then out (fresh), the stored ones. Errors: NOT_FOUND (the folder lacks them). */
bool sotto_i_fed_keeps(const sotto_i_federation *federation);
sotto_status sotto_i_fed_keep(sotto_i_fed_client *client, const sotto_i_job *job, sotto_error *err);
sotto_status sotto_i_fed_kept(sotto_matrix *out, const sotto_i_fed_client *client, const sotto_i_job *job,
                              sotto_error *err);
/* federated_outcome.c: figures, logs and models of a sotto_i_fed_parties. */
sotto_status sotto_i_fed_finish(sotto_i_outcome *out, void *shared, sotto_error *err);
extern const sotto_i_roles sotto_i_federated_roles;
/* federated_deal.c: data and rows of all clients in one process, and of one client with its own data. */
sotto_status sotto_i_fed_give_data(uint32_t **places, sotto_i_fed_client *clients, uint32_t count,
                                   const sotto_i_job *job, sotto_error *err);
sotto_status sotto_i_fed_own_rows(sotto_i_fed_client *client, const sotto_i_job *job, sotto_error *err);
/* federated_checkpoints.c: after every --checkpoint-every rounds, each party stores its state when the
 * server says so. *round is where to continue, 0: at the beginning. */
sotto_status sotto_i_fed_client_load(uint64_t *round, sotto_i_fed_client *client, sotto_error *err);
sotto_status sotto_i_fed_client_save(sotto_i_fed_client *client, uint64_t round, sotto_error *err);
sotto_status sotto_i_fed_helper_save(const sotto_i_fed_helper *helper, uint64_t round, sotto_error *err);
sotto_status sotto_i_fed_server_load(uint64_t *round, sotto_i_fed_server *server, sotto_error *err);
sotto_status sotto_i_fed_server_save(sotto_i_fed_server *server, uint64_t round, sotto_error *err);

/* Additions to both protocols for embeddings of the clients' graphs; round 0 means the end. */
typedef struct sotto_i_fed_embedding {
  /* Before anything is sent: checks the budget for the client's releases. Errors: REFUSED, and the ledger's
   * others. */
  sotto_status (*begin)(sotto_i_fed_client *client, sotto_error *err);
  /* Before the first round: what the server needs to know. */
  sotto_status (*announce)(sotto_i_fed_client *client, sotto_error *err);
  sotto_status (*learn)(sotto_i_fed_server *server, sotto_error *err);
  /* In a round, or at the end: sends embeddings; receives them from these clients, or from all (NULL). */
  sotto_status (*embed)(sotto_i_fed_client *client, uint64_t round, sotto_error *err);
  sotto_status (*gather)(sotto_i_fed_server *server, const uint32_t *clients, uint32_t count, uint64_t round,
                         sotto_error *err);
} sotto_i_fed_embedding;

/* federated_log.c: rounds.jsonl and clients.json in the seed's folder, in the form that their readers
 * expect. */
/* `clients` NULL: the numbers of their items are unknown here. */
sotto_status sotto_i_fed_log(const sotto_i_fed_server *server, const sotto_i_fed_client *clients,
                             sotto_error *err);
/* owner-only/parts.csv in the seed's folder: the client and the part of each node or graph, if all clients
 * are in one process. */
sotto_status sotto_i_fed_log_parts(const sotto_i_job *job, const uint32_t *owner, const sotto_split *split,
                                   sotto_error *err);

#endif
