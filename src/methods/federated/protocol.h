/* The interface between federated methods and the common protocol of clients and server. */
#ifndef SOTTO_SRC_METHODS_FEDERATED_PROTOCOL_H
#define SOTTO_SRC_METHODS_FEDERATED_PROTOCOL_H

#include "options.h"
#include "run/method/method.h"
#include "run/statement/statement.h"

struct sotto_i_fed_client;
struct sotto_i_fed_server;
struct sotto_i_fed_embedding;

typedef struct sotto_i_fed_draws {
  size_t fan_out; /* neighbours of a node in each hop, at most; 0: all */
  size_t depth;   /* hops that additional networks read */
} sotto_i_fed_draws;
typedef struct sotto_i_fed_fusion {
  size_t width; /* columns; 0: nothing is fused */
  bool once;    /* only into the first convolution */
} sotto_i_fed_fusion;

typedef struct sotto_i_fed_protocol {
  bool noisy;                                    /* DP-SGD: only noisy sums of gradients leave the client */
  bool counts;                                   /* a client's edges are used only through charged counts */
  const struct sotto_i_fed_embedding *embedding; /* of graphs, which clients also send; NULL: none */
  bool parts;                                    /* each client holds a part of one graph */
  bool whole;                                    /* one owner has the whole graph, and no edge is removed */
  bool alone;                                    /* each client trains its own model */
  /* Before the first round, at a client and at the server; NULL: nothing is done. */
  sotto_status (*prepare)(struct sotto_i_fed_client *client, sotto_error *err);
  sotto_status (*serve)(struct sotto_i_fed_server *server, sotto_error *err);
  /* For queries about other data of a client: makes of its features what `prepare` made of those of the
   * training, by what prepare stored in the seed's folder. Not NULL where `prepare` is not. */
  sotto_status (*complete)(struct sotto_i_fed_client *client, const char *folder, sotto_error *err);
  /* Do its clients' networks read features only in products, so that sparse features stay sparse? NULL: no.
   */
  bool (*by_products)(const sotto_options *options);
  /* Sampling of neighbours in training; NULL: all are read. */
  sotto_i_fed_draws (*draws)(const sotto_options *options);
  /* Rows that are fused into convolutions; NULL: none. */
  sotto_i_fed_fusion (*fuses)(const sotto_options *options, size_t inputs);
} sotto_i_fed_protocol;
/* The protocol of the options' method. */
const sotto_i_fed_protocol *sotto_i_fed_protocol_of(const sotto_options *options);

sotto_status sotto_i_fed_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err);
/* Does a second server check updates (--update-bound)? */
bool sotto_i_fed_has_helper(const sotto_options *options);
/* Checks that all federated methods share. */
sotto_status sotto_i_fed_check(const sotto_options *options, sotto_error *err);
/* The cost of the counts. Errors: RANGE, UNSUPPORTED (data without features, classification of graphs). */
sotto_status sotto_i_fed_counts_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err);
/* For releases of a client's other data: counts of its own edges alone, also where the run counted edges
 * between clients. */
sotto_status sotto_i_fed_counts_narrow(sotto_options *options, const char *file, sotto_error *err);
/* The canaries of counts, without and with edges between clients. */
struct sotto_i_canary;
struct sotto_i_run;
sotto_status sotto_i_fed_canary(struct sotto_i_canary *canary, const struct sotto_i_run *run, unsigned kind,
                                sotto_error *err);
sotto_status sotto_i_fed_linked_canary(struct sotto_i_canary *canary, const struct sotto_i_run *run,
                                       unsigned kind, sotto_error *err);
/* federated_predict.c */
struct sotto_i_predictor;
struct sotto_i_opening;
sotto_status sotto_i_fed_open(struct sotto_i_predictor *out, const struct sotto_i_opening *from,
                              sotto_error *err);
/* `items` of a method whose clients may have many graphs: a graph's feature is its place. */
sotto_status sotto_i_fed_items(sotto_dataset *out, const sotto_options *options, const sotto_dataset *data,
                               sotto_error *err);
/* What a run with these options fuses. */
sotto_i_fed_fusion sotto_i_fed_fused(const sotto_options *options, size_t inputs);
/* attack.c: from the view of the server, and of a client. */
struct sotto_i_attacked;
sotto_status sotto_i_fed_attack(struct sotto_i_attacked *attacked, const char *folder, sotto_error *err);
/* Columns of features, or of degrees where there are none. */
size_t sotto_i_fed_inputs(const sotto_dataset *data);
/* The statement of clients and a server. */
void sotto_i_describe_clients(sotto_i_description *out, const sotto_report *report);
void sotto_i_annotate_clients(json_t *statement, const sotto_report *report);
/* Defaults of models of whole graphs at these levels, if the option `key` has one of these values: Jin and
 * Chen 2022, section 4. */
#define SOTTO_I_FED_GRAPH_DEFAULTS(levels, key, words)                                                       \
  {"hidden", "16", .adjacencies = (levels),                                                                  \
   .when = {SOTTO_I_WHEN("aggregator", "gcn"), SOTTO_I_WHEN(key, words)}},                                   \
      {"weight-decay", "5e-4", .adjacencies = (levels),                                                      \
       .when = {SOTTO_I_WHEN("aggregator", "gcn"), SOTTO_I_WHEN(key, words)}},                               \
  {                                                                                                          \
    "layers", "5", .adjacencies = (levels), .when = {                                                        \
      SOTTO_I_WHEN("aggregator", "gin"),                                                                     \
      SOTTO_I_WHEN(key, words)                                                                               \
    }                                                                                                        \
  }

/* The option of rounds on features alone, for edge level. */
/* A change of the row `epochs`. */
#define SOTTO_I_CLIENT_EPOCHS(levels)                                                                        \
  { .key = "epochs", .fallback = "1", .help = "epochs of a client in a round", .adjacencies = (levels) }
#define SOTTO_I_FED_ENCODER_EPOCHS                                                                           \
  {                                                                                                          \
    .key = "encoder-epochs", .adjacencies = SOTTO_I_EDGE,                                                    \
    .help =                                                                                                  \
        "rounds on features alone, before those with counts; their model says in which cluster a node is"    \
  }

#endif
