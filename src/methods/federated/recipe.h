/* What federated methods have in common, and how they differ: what the recipe of clients and a server is
 * told of a method. */
#ifndef SOTTO_SRC_METHODS_FEDERATED_RECIPE_H
#define SOTTO_SRC_METHODS_FEDERATED_RECIPE_H

#include "run/statement.h"

typedef struct sotto_i_fed_recipe {
  bool leave;     /* rounds go on without a client that left */
  bool embeds;    /* embeddings of graphs are sent, through an encoder of local privacy */
  bool parts;     /* each client holds a part of one graph */
  bool whole;     /* one owner has all of it, and nothing is cut */
  bool alone;     /* each client trains by itself */
  bool generates; /* neighbours are generated from other clients' prototypes */
  bool exchanges; /* neighbours are generated from other clients' rows and gradients */
} sotto_i_fed_recipe;
/* That of the options' method. */
const sotto_i_fed_recipe *sotto_i_fed_recipe_of(const sotto_options *options);

/* What all of them ask of their options. */
sotto_status sotto_i_fed_check(const sotto_options *options, sotto_error *err);
/* What the statement says of clients and a server. */
void sotto_i_describe_clients(sotto_i_description *out, const sotto_report *report);
void sotto_i_annotate_clients(json_t *statement, const sotto_report *report);
/* Defaults of models of whole graphs. */
void sotto_i_fed_resolve_graphs(sotto_options *options, const sotto_options *asked);

#endif
