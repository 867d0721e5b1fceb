/* What federated methods have in common, and how they differ: what the recipe of clients and a server
 * has to know of a method. */
#ifndef SOTTO_SRC_METHODS_FEDERATED_RECIPE_H
#define SOTTO_SRC_METHODS_FEDERATED_RECIPE_H

#include "run/statement/statement.h"

struct sotto_i_fed_client;
struct sotto_i_fed_server;

typedef struct sotto_i_fed_recipe {
  bool leave;  /* rounds go on without a client that left */
  bool embeds; /* embeddings of graphs are sent, through an encoder of local privacy */
  bool parts;  /* each client holds a part of one graph */
  bool whole;  /* one owner has all of it, and nothing is cut */
  bool alone;  /* each client trains by itself */
  /* Before the first round, each NULL where nothing is done: of a client, and of the server. */
  sotto_status (*prepare)(struct sotto_i_fed_client *client, sotto_error *err);
  sotto_status (*serve)(struct sotto_i_fed_server *server, sotto_error *err);
  /* Columns of rows that are fused into convolutions; NULL: there are none. */
  size_t (*width)(const sotto_options *options, size_t inputs);
  bool deep; /* embed-layers hops are read as well */
} sotto_i_fed_recipe;
/* That of the options' method. */
const sotto_i_fed_recipe *sotto_i_fed_recipe_of(const sotto_options *options);

/* What all of them ask of their options. */
sotto_status sotto_i_fed_check(const sotto_options *options, sotto_error *err);
/* Columns of fused rows in a run with these options. */
size_t sotto_i_fed_fused(const sotto_options *options, size_t inputs);
/* attack.c: from the view of the server, and of a client. */
struct sotto_i_attacked;
sotto_status sotto_i_fed_attack(struct sotto_i_attacked *attacked, const char *folder, sotto_error *err);
/* Columns of features, or of degrees where there are none. */
size_t sotto_i_fed_inputs(const sotto_dataset *data);
/* What the statement says of clients and a server. */
void sotto_i_describe_clients(sotto_i_description *out, const sotto_report *report);
void sotto_i_annotate_clients(json_t *statement, const sotto_report *report);
/* Defaults of models of whole graphs. */
void sotto_i_fed_resolve_graphs(sotto_options *options, const sotto_options *asked);

#endif
