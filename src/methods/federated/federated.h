/* Federated averaging: clients train a common model, each on its own data, and a server averages their models
 * (McMahan et al. 2017). 2017). Recipes of both sides, over links. */
#ifndef SOTTO_SRC_METHODS_FEDERATED_FEDERATED_H
#define SOTTO_SRC_METHODS_FEDERATED_FEDERATED_H

#include "inside/nn.h"
#include "nn/graph_net.h"
#include "noisy.h"
#include "options.h"
#include "run/parties/roles.h"
#include "sotto/secure_sum.h"
#include "sotto/split.h"

enum { SOTTO_I_MOST_CLIENTS = 1024 };

/* By which keys clients, and after them the helper of checked sums, sign: public ones of all; secret ones of
 * all in one process, else of the one (zeros at a server). */
typedef struct sotto_i_fed_sums {
  uint8_t *signers, *secrets;
  uint32_t secret_count;
  uint8_t run[SOTTO_SUM_DIGEST]; /* of the terms, the seed and the public keys */
} sotto_i_fed_sums;

/* What all know. */
typedef struct sotto_i_federation {
  const sotto_options *options;
  const sotto_i_client_settings *settings;
  uint64_t seed;
  uint32_t clients, taking; /* all, and how many take part in a round */
  uint32_t classes;
  const struct sotto_i_fed_embedding *embedding; /* clients also send these; NULL: none */
  bool counts;             /* edge level: networks read features and counts of neighbours, and no edge */
  bool noisy;              /* node level: a perceptron on features by noisy sums of gradients */
  sotto_i_fed_noise noise; /* with `noisy` */
  uint64_t rounds;         /* all of them */
  uint64_t cluster_rounds; /* of these, with counts: the first ones, on features alone */
  bool alone; /* globsage, locsage: nothing is averaged; clients answer for a model of their own */
  const sotto_i_job *job;
  bool graphs;                  /* graphs are classified, not nodes */
  bool apart;                   /* each in a process of its own: clients get the model at the end */
  size_t inputs;                /* columns of features, and of what is read of counts */
  const sotto_i_fed_sums *sums; /* --secure-aggregation, --update-bound: keys by which clients sign */
} sotto_i_federation;

/* At node level the network reads each node's features, and no edge. */
static inline bool sotto_i_fed_reads_rows(const sotto_i_federation *federation) {
  return federation->noisy && federation->options->adjacency == SOTTO_ADJACENCY_NODE;
}

/* The shared model, as either side keeps it. */
typedef struct sotto_i_fed_model {
  sotto_i_graph_net net;
  sotto_params *params;
  size_t size;  /* of all parameters, one after the other; with momenta, of these after them too */
  bool momenta; /* clients share their momenta with the model */
} sotto_i_fed_model;

/* After the change of the model: examples, right and all answers on validation items by the model that came,
 * loss. Together they are what a client says in a round. */
enum { SOTTO_I_FED_EXAMPLES, SOTTO_I_FED_RIGHT, SOTTO_I_FED_ASKED, SOTTO_I_FED_LOSS, SOTTO_I_FED_EXTRAS };

/* federated_model.c */
sotto_status sotto_i_fed_model_new(sotto_i_fed_model *out, const sotto_i_federation *federation,
                                   sotto_error *err);
void sotto_i_fed_model_free(sotto_i_fed_model *model);
/* Between parameters (and momenta) and one row of numbers. */
void sotto_i_fed_model_pack(float *out, const sotto_i_fed_model *model);
void sotto_i_fed_model_unpack(sotto_i_fed_model *model, const float *values);
/* Columns of the features that clients learn from, and those of one client: scaled as the options say;
 * classes of degrees where the data have none. */
sotto_status sotto_i_fed_features(sotto_matrix *out, const sotto_options *options, const sotto_dataset *data,
                                  sotto_error *err);
/* Who takes part in a round, ascending, out[federation->taking]. All sides work it out by themselves. Errors:
 * NOMEM. */
sotto_status sotto_i_fed_round(uint32_t *out, const sotto_i_federation *federation, uint64_t round,
                               sotto_error *err);
void sotto_i_sort_numbers(uint32_t *numbers, size_t count); /* ascending */
enum { SOTTO_I_FED_BITS = 24 };                             /* of fixed point in a secure sum */

struct sotto_i_fed_client;
/* federated_sums.c. Over a network keys are those of certificates (`client-keys`, and the party's own); with
 * --insecure-loopback, where anyone may connect, they follow from the public seed; in one process they are
 * made here. Nothing without --secure-aggregation. `number` is the client's, from 1, or 0. Errors: INVALID,
 * NOT_FOUND, IO, NOMEM. */
sotto_status sotto_i_fed_sums_new(sotto_i_fed_sums *out, const sotto_i_federation *federation,
                                  uint32_t number, sotto_error *err);
void sotto_i_fed_sums_free(sotto_i_fed_sums *sums);
/* Clients, neighbours and threshold of a round's sum, as the options say. Errors: RANGE, INVALID (fewer than
 * three clients). */
sotto_status sotto_i_fed_sum_plan(sotto_sum_plan *out, const sotto_options *options, uint32_t taking,
                                  size_t values, sotto_error *err);
/* The sum of a round over the clients taking[federation->taking], of what follows from this model. */
typedef struct sotto_i_fed_sum {
  sotto_sum_plan plan;
  uint8_t *signers; /* of those who take part */
} sotto_i_fed_sum;
sotto_status sotto_i_fed_sum_new(sotto_i_fed_sum *out, const sotto_i_federation *federation, uint64_t round,
                                 const uint32_t *taking, const sotto_matrix *model, sotto_error *err);
void sotto_i_fed_sum_free(sotto_i_fed_sum *sum);
/* A client's part in it. What it signs is kept in the seed's folder where clients are apart. Errors: those of
 * the sum; PROTOCOL when other survivors were signed in this round before. */
sotto_status sotto_i_fed_sum_take_part(struct sotto_i_fed_client *client, const sotto_i_fed_sum *sum,
                                       const uint32_t *taking, const uint64_t *values, sotto_error *err);

/* federated_checks.c: --update-bound. */
/* Of so many that take part, at least so many have to pass. */
uint32_t sotto_i_fed_least_checked(uint32_t taking);
/* A client's part in the sum of a round, with its update and figures. */
sotto_status sotto_i_fed_check_take_part(struct sotto_i_fed_client *client, uint64_t round,
                                         const uint32_t *taking, sotto_error *err);

/* One client and its data. */
typedef struct sotto_i_fed_client {
  const sotto_i_federation *federation;
  uint32_t number;
  sotto_link *link;
  sotto_i_checkpoints *checkpoints; /* NULL: none are kept */
  sotto_dataset data;
  sotto_matrix features;
  sotto_i_sparse *entries; /* not NULL: the features, of which `features` has the shape alone */
  bool dense;              /* they are to be dense in any case */
  uint32_t *rows[4];       /* its nodes or graphs by part, by their numbers in its data */
  size_t count[4];
  /* made by the recipe */
  sotto_operator *spread;
  sotto_i_hops hops;     /* with --fan-out */
  sotto_graph completed; /* fedsage+: with generated neighbours; with counts: without an edge */
  sotto_matrix beside;   /* feddep: rows that are fused into convolutions */
  sotto_i_fed_model model;
  sotto_tape *tape;
  sotto_matrix global, update; /* the model that came; what is said of it */
  sotto_key key;               /* of dropout and batches */
  uint64_t steps;
  double least, most; /* what a release of its graphs' embeddings costs */
  uint64_t releases;
  sotto_i_drawn_key drawn; /* node level */
  sotto_matrix answers;    /* node level: what the client itself counts of right answers in the end */
} sotto_i_fed_client;
/* What the client makes by itself before anything is sent. */
sotto_status sotto_i_fed_client_begin(sotto_i_fed_client *client, sotto_error *err);
sotto_status sotto_i_fed_client_recipe(sotto_i_fed_client *client, sotto_error *err);
void sotto_i_fed_client_free(sotto_i_fed_client *client);
/* Takes the model that the server sends; answers for its items by the model as it stands. */
sotto_status sotto_i_fed_receive_model(sotto_i_fed_client *client, sotto_error *err);
sotto_status sotto_i_fed_answer(sotto_i_fed_client *client, sotto_error *err);
/* The same into *answers, zeros at first, 2 x sotto_i_fed_answers_width; nothing is sent. */
sotto_status sotto_i_fed_judge(sotto_matrix *answers, sotto_i_fed_client *client, sotto_error *err);
/* Right answers of the model as it stands among the validation items, and how many there are. */
sotto_status sotto_i_fed_validate(sotto_i_fed_client *client, float *extras, sotto_error *err);

/* federated_alone.c: trains by itself for as many epochs as a federation would, keeps the model of the best
 * validation, and saves it. */
sotto_status sotto_i_fed_alone(sotto_i_fed_client *client, sotto_error *err);
sotto_status sotto_i_fed_alone_answer(sotto_i_fed_client *client, sotto_error *err);
/* federated_counts.c: edge level, where all that a client reads of its edges is one charged release of how
 * many neighbours of each node lie in each cluster. */
/* Columns that are read of counts; 0: none are. */
size_t sotto_i_fed_counts_width(const sotto_i_federation *federation);
/* Would the client's own account pay? Before anything is sent. Errors: REFUSED, and the ledger's others. */
sotto_status sotto_i_fed_counts_ask(const sotto_i_fed_client *client, sotto_error *err);
/* Makes place for what is read of counts beside the features, zeros, and a graph without an edge. */
sotto_status sotto_i_fed_counts_begin(sotto_i_fed_client *client, sotto_error *err);
/* Reads the counts that the seed's folder keeps; nothing is charged. */
sotto_status sotto_i_fed_counts_read(sotto_i_fed_client *client, const char *folder, sotto_error *err);
/* After the rounds on features alone: takes the model that clusters are of, releases the counts, and begins a
 * model of its own anew. After a restart in later rounds (`resumed`) it takes the counts that are kept. */
sotto_status sotto_i_fed_counts_release(sotto_i_fed_client *client, bool resumed, sotto_error *err);
/* federated_local.c: all epochs of one round, from the global model. */
sotto_status sotto_i_fed_train(sotto_i_fed_client *client, double *loss, sotto_error *err);
/* The gradient of the loss on one graph of the client's, by the model as it stands, in the model's gradients.
 */
sotto_status sotto_i_fed_graph_gradient(sotto_i_fed_client *client, uint32_t graph, sotto_error *err);
/* At node level, the model as a perceptron on rows. */
sotto_mlp sotto_i_fed_perceptron(const sotto_i_fed_client *client);
/* Logits of all its nodes or graphs by the model as it stands, good until the tape's next use. */
sotto_status sotto_i_fed_scores(sotto_matrix *out, sotto_i_fed_client *client, sotto_error *err);

/* One round, for the log. */
typedef struct sotto_i_fed_turn {
  uint64_t round;
  uint32_t clients;
  double loss, validation;
  uint64_t sent, received; /* by the server */
} sotto_i_fed_turn;

/* Embeddings of one client's graphs, as the server has them. */
typedef struct sotto_i_fed_embedded {
  size_t graphs;
  uint64_t *first; /* graphs + 1 borders */
  sotto_matrix rows;
} sotto_i_fed_embedded;

/* The server. */
typedef struct sotto_i_fed_server {
  const sotto_i_federation *federation;
  const sotto_i_job *job;           /* for its observer, recorder and folder */
  sotto_i_checkpoints *checkpoints; /* NULL: none are kept */
  sotto_link **links;               /* of all clients; NULL where one left in a session before */
  sotto_link *helper;               /* --update-bound; borrowed */
  uint32_t *refused;                /* --update-bound: in how many rounds of this start each client failed */
  uint32_t *left; /* with --least-clients, of each client: the round that it left in; 0: it is there */
  float *missing; /* with --least-clients, rounds x clients: 1 where one had a part in a round and left */
  sotto_i_fed_model model;
  sotto_matrix values, best; /* the model now, and the one with the best validation */
  double *totals;            /* size + extras */
  double *evaluation; /* clients x 2 parts x (classes^2 + 1): validation, test; counts[label][answer], and the
                       own AUC (below 0: none); of locsage a model each, asked of all clients */
  double *own;        /* locsage: of each model, asked of its client alone */
  sotto_i_watch watch;
  sotto_i_fed_turn *turns;        /* a round each */
  sotto_i_fed_embedded *embedded; /* gwldp: a client each */
  const uint32_t *places;         /* of the rows of all clients in the data, where that is known; else NULL */
  sotto_i_drawn_key drawn;        /* of its own noise, from the first round that it adds some; wipe the key */
} sotto_i_fed_server;
/* federated_checks.c: the sum over the clients that pass, in totals; *accepted is how many. */
sotto_status sotto_i_fed_check_gather(uint32_t *accepted, sotto_i_fed_server *server, const uint32_t *taking,
                                      uint64_t round, sotto_error *err);
void sotto_i_fed_list_refused(char *out, size_t room, const sotto_i_fed_server *server);
/* The second server. */
typedef struct sotto_i_fed_helper {
  const sotto_i_federation *federation;
  sotto_link *link;
  sotto_i_checkpoints *checkpoints;
} sotto_i_fed_helper;
sotto_status sotto_i_fed_helper_recipe(const sotto_i_fed_helper *helper, sotto_error *err);
sotto_status sotto_i_fed_server_recipe(sotto_i_fed_server *server, sotto_error *err);
void sotto_i_fed_server_free(sotto_i_fed_server *server);

/* federated_left.c: clients that leave (--least-clients), each for the rest of the run. Without that option
 * all of it passes failures on. */
/* Is anyone's failure not the run's? Only where each has a process of its own. */
bool sotto_i_fed_may_leave(const sotto_i_federation *federation);
/* What the server keeps of it; clients that left in a session before are known by their links. Errors: NOMEM,
 * and PROTOCOL when too few are there. */
sotto_status sotto_i_fed_left_new(sotto_i_fed_server *server, sotto_error *err);
bool sotto_i_fed_is_here(const sotto_i_fed_server *server, uint32_t client);
/* From now on the client has --grace to answer; or any time. */
void sotto_i_fed_give_time(const sotto_i_fed_server *server, uint32_t client);
void sotto_i_fed_give_all_time(const sotto_i_fed_server *server);
/* After a call on a client's link in this round (--rounds + 1: after them): OK when it went well, or the
 * client is left out now; else the failure, or that too few are left. */
sotto_status sotto_i_fed_left(sotto_i_fed_server *server, uint32_t client, uint64_t round,
                              sotto_status status, const sotto_error *problem, sotto_error *err);
/* Notes who of the round's clients left; how many answered. */
uint32_t sotto_i_fed_note_missing(sotto_i_fed_server *server, const uint32_t *taking, uint64_t round);
sotto_traffic sotto_i_fed_traffic(const sotto_i_fed_server *server, uint32_t client);
/* federated_move.c: the next model, from `totals`. Errors: NUMERIC (Adam at the server, a change that is not
 * finite). */
sotto_status sotto_i_fed_move(sotto_i_fed_server *server, sotto_error *err);
/* A step of Adam with `totals` times `scale` as the gradient. */
sotto_status sotto_i_fed_adam(sotto_i_fed_server *server, double scale, sotto_error *err);
/* Asks all clients for answers by a model; each is two rows of so many. */
sotto_status sotto_i_fed_evaluate(double *out, sotto_i_fed_server *server, const sotto_matrix *model,
                                  sotto_error *err);
size_t sotto_i_fed_answers_width(const sotto_i_federation *federation);
sotto_status sotto_i_fed_alone_ask(sotto_i_fed_server *server, sotto_error *err); /* locsage */
/* Quality from one client's answers, or from those of all clients together (AUC then their mean by answers).
 */
sotto_quality sotto_i_fed_quality(const sotto_i_fed_server *server, uint32_t first, uint32_t count, int part);

/* federated.c: all clients of a job in one process as they begin, with their data, rows, features and model,
 * to be asked by an audit or for answers, or, of a seat, the one client; nothing is written down and nothing
 * is sent. The job and its data outlive them. *out is freed in any case. */
typedef struct sotto_i_fed_assembly sotto_i_fed_assembly;
sotto_status sotto_i_fed_assemble(sotto_i_fed_assembly **out, const sotto_i_job *job, sotto_error *err);
sotto_i_fed_client *sotto_i_fed_clients(sotto_i_fed_assembly *of, uint32_t *count);
/* Where the clients' nodes stand in the job's data, one client after the other. */
const uint32_t *sotto_i_fed_places(const sotto_i_fed_assembly *of);
void sotto_i_fed_disassemble(sotto_i_fed_assembly *of);
/* federated_deal.c: the client that each node or graph of the data is dealt to, in one process. */
sotto_status sotto_i_fed_deal(uint32_t *owner, const sotto_i_job *job, uint32_t clients, sotto_error *err);
/* federated.c: what all know of a job, which outlives it. */
sotto_status sotto_i_fed_settle(sotto_i_federation *out, const sotto_i_job *job, sotto_error *err);
void sotto_i_fed_add_exposures(sotto_i_outcome *out, size_t first, const sotto_link *link);
/* The roles that play in this process. */
typedef struct sotto_i_fed_play {
  sotto_i_federation shared;
  sotto_i_fed_sums sums; /* that `shared` points to */
  sotto_role role;       /* of the one, or the server's */
  bool local;            /* all are here */
  sotto_i_fed_server server;
  sotto_i_fed_helper helper;   /* with --update-bound */
  sotto_i_fed_client *clients; /* all, or the one */
  uint32_t count;
  uint32_t *places; /* rows of all clients, one after the other, in the data */
} sotto_i_fed_play;
/* answers/federated_kept.c: does a run keep scores of its clients' nodes? Keeps those of one client by its
 * model as it stands; and out (fresh), what was kept. Errors: NOT_FOUND (the folder lacks it). */
bool sotto_i_fed_keeps(const sotto_i_federation *federation);
sotto_status sotto_i_fed_keep(sotto_i_fed_client *client, const sotto_i_job *job, sotto_error *err);
sotto_status sotto_i_fed_kept(sotto_matrix *out, const sotto_i_fed_client *client, const sotto_i_job *job,
                              sotto_error *err);
/* federated_outcome.c: figures, logs and models, of a sotto_i_fed_play. */
sotto_status sotto_i_fed_finish(sotto_i_outcome *out, void *shared, sotto_error *err);
extern const sotto_i_roles sotto_i_federated_roles;
/* federated_deal.c: data and rows of all clients in one process, and of one client that has its own. */
sotto_status sotto_i_fed_give_data(uint32_t **places, sotto_i_fed_client *clients, uint32_t count,
                                   const sotto_i_job *job, sotto_error *err);
sotto_status sotto_i_fed_own_rows(sotto_i_fed_client *client, const sotto_i_job *job, sotto_error *err);
/* federated_checkpoints.c: after every --checkpoint-every rounds, each keeps what it knows once the server
 * says so. *round is where to go on, 0: from the beginning. */
sotto_status sotto_i_fed_client_load(uint64_t *round, sotto_i_fed_client *client, sotto_error *err);
sotto_status sotto_i_fed_client_save(sotto_i_fed_client *client, uint64_t round, sotto_error *err);
sotto_status sotto_i_fed_helper_save(const sotto_i_fed_helper *helper, uint64_t round, sotto_error *err);
sotto_status sotto_i_fed_server_load(uint64_t *round, sotto_i_fed_server *server, sotto_error *err);
sotto_status sotto_i_fed_server_save(sotto_i_fed_server *server, uint64_t round, sotto_error *err);

/* What both recipes do beside averaging, for embeddings of the clients' graphs; round 0 stands for the end.
 */
typedef struct sotto_i_fed_embedding {
  /* Before anything is sent: what its releases cost the client. Errors: REFUSED, and the ledger's others. */
  sotto_status (*begin)(sotto_i_fed_client *client, sotto_error *err);
  /* Before the first round: what the server has to know, said and learnt. */
  sotto_status (*announce)(sotto_i_fed_client *client, sotto_error *err);
  sotto_status (*learn)(sotto_i_fed_server *server, sotto_error *err);
  /* In a round, or at the end: sent, and received from these clients, or all of them (NULL). */
  sotto_status (*embed)(sotto_i_fed_client *client, uint64_t round, sotto_error *err);
  sotto_status (*gather)(sotto_i_fed_server *server, const uint32_t *clients, uint32_t count, uint64_t round,
                         sotto_error *err);
} sotto_i_fed_embedding;

/* federated_log.c: rounds.jsonl and clients.json in the seed's folder, as their readers say. */
/* `clients` NULL: how many items they have is not known here. */
sotto_status sotto_i_fed_log(const sotto_i_fed_server *server, const sotto_i_fed_client *clients,
                             sotto_error *err);
/* owner-only/parts.csv there: the client and the part of each node or graph, where all clients are in one
 * process. */
sotto_status sotto_i_fed_log_parts(const sotto_i_job *job, const uint32_t *owner, const sotto_split *split,
                                   sotto_error *err);

#endif
