/* One code of each graph under local privacy: terms, and the roles of clients and server.
 *
 * A labelled graph (training, validation) reports (anchor, label) once, by subset selection. From all reports
 * the server learns the label of each anchor and publishes it. A held-out graph then reports the label of its
 * anchor, by randomised response. Each graph makes one report at the run's epsilon: graphs are disjoint. */
#ifndef SOTTO_SRC_METHODS_GWLDP_CODE_H
#define SOTTO_SRC_METHODS_GWLDP_CODE_H

#include "gw/codes.h"
#include "methods/federated/federated.h"
#include "options.h"
#include "run/statement/statement.h"

struct sotto_i_canary;
struct sotto_i_run;

/* What all parties know before any report. */
typedef struct sotto_i_code_terms {
  sotto_i_gw_anchors anchors;
  size_t classes;
  bool exact;                  /* epsilon inf: reports are the exact codes */
  sotto_subset labelled, held; /* not read when exact */
} sotto_i_code_terms;
sotto_status sotto_i_code_open_anchors(sotto_i_gw_anchors *out, const sotto_options *options,
                                       sotto_error *err);
/* Errors: those of the anchors; RANGE (fewer than two classes, epsilon). */
sotto_status sotto_i_code_terms_new(sotto_i_code_terms *out, const sotto_options *options, size_t classes,
                                    sotto_error *err);
void sotto_i_code_terms_free(sotto_i_code_terms *terms);
/* Size of the answer of a labelled graph. */
size_t sotto_i_code_members(const sotto_i_code_terms *terms);
/* A digest of the anchors, 32 bytes, which must be equal on both sides. */
void sotto_i_code_digest(uint8_t out[32], const sotto_i_code_terms *terms);

/* The model: for each anchor, 1 at its label. `label` is fresh in the second. Errors: those of model files;
 * CORRUPT (no label). */
sotto_status sotto_i_code_save_labels(const sotto_i_job *job, const sotto_i_code_terms *terms,
                                      const uint32_t *label, sotto_error *err);
sotto_status sotto_i_code_load_labels(uint32_t **label, const sotto_i_code_terms *terms, const char *file,
                                      sotto_error *err);

/* One client. It reads `data`, `rows`, `number` and `link` of the federation's client. */
typedef struct sotto_i_code_client {
  sotto_i_fed_client *base;
  const sotto_i_code_terms *terms;
  uint32_t *labelled, *held; /* graphs by their numbers in its data; owned */
  uint32_t counts[2];        /* their numbers */
  uint32_t *codes;           /* of all its graphs; owned */
  uint32_t *answers;         /* the class for each reported label; owned */
  uint32_t *learnt;          /* the label of each anchor; owned */
  double *confusion; /* of its held-out graphs, classes x classes, by label and reported label; owned */
} sotto_i_code_client;
sotto_status sotto_i_code_client_run(sotto_i_code_client *client, sotto_error *err);
void sotto_i_code_client_free(sotto_i_code_client *client);

/* Reports of graphs, and the function that makes them: `context` is a sotto_i_code_reporting; `table`
 * (fresh) has a row of members a graph. For the release and its audit. */
typedef struct sotto_i_code_reporting {
  const sotto_i_fed_client *base;
  const int32_t *values;
  size_t count;
  const sotto_subset *subset;
  uint32_t which; /* 0: labelled, 1: held-out */
} sotto_i_code_reporting;
sotto_status sotto_i_code_report(void *context, sotto_graph *unused, sotto_matrix *table,
                                 const sotto_key *whole, sotto_error *err);

/* The server. Its arrays have client after client, each first labelled graphs, then held-out ones. */
typedef struct sotto_i_code_server {
  sotto_i_fed_server *base;
  const sotto_i_code_terms *terms;
  uint32_t (*counts)[2]; /* of each client; owned */
  sotto_i_gw_reports reports;
  int32_t *answers, *held; /* owned: of labelled, and of held-out graphs */
  sotto_i_gw_learned learned;
} sotto_i_code_server;
sotto_status sotto_i_code_server_run(sotto_i_code_server *server, sotto_error *err);
/* Writes codes.npz: row places[i] is that of graph i; places NULL: i. */
sotto_status sotto_i_code_write(const sotto_i_code_server *server, const uint32_t *places, sotto_error *err);
void sotto_i_code_server_free(sotto_i_code_server *server);

/* After a run: a client's question about other graphs (code_question.c). */
struct sotto_i_joint;
sotto_status sotto_i_code_question(sotto_matrix *out, const struct sotto_i_joint *joint, sotto_error *err);

/* The hooks `items` and `open` of the method (code_predict.c). */
struct sotto_i_opening;
struct sotto_i_predictor;
sotto_status sotto_i_code_items(sotto_dataset *out, const sotto_options *options, const sotto_dataset *data,
                                sotto_error *err);
sotto_status sotto_i_code_open(struct sotto_i_predictor *out, const struct sotto_i_opening *from,
                               sotto_error *err);

/* For the method's table. */
sotto_status sotto_i_code_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err);
sotto_status sotto_i_code_canary(struct sotto_i_canary *out, const struct sotto_i_run *run, unsigned kind,
                                 sotto_error *err);
void sotto_i_code_describe(sotto_i_description *out, const sotto_report *report);
void sotto_i_code_annotate(json_t *statement, const sotto_report *report);

#endif
