/* Predictions of a federation's model: each client's nodes by the averaged model, or by its own, over that
 * client's graph or its stored counts. Other data of a client is completed by the generator that it kept, or
 * counted by one more release of that client. In one process all clients are here; the folder of one client
 * predicts its own nodes. Whole graphs are answered about where they are, by the model alone: nothing leaves
 * or is charged. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "inside/nn.h"
#include "methods/federated/federated.h"
#include "methods/federated/protocol.h"
#include "protocols/answers/graph_items.h"
#include "run/files/folder_file.h"
#include "run/train/predict.h"
#include "tensor/columns.h"

typedef struct answering {
  const sotto_i_job *job;
  sotto_i_fed_assembly *all;
  sotto_i_fed_client *clients;
  uint32_t count;
  const uint32_t *places; /* positions of the clients' nodes in the data, one client after the other */
  sotto_matrix kept;      /* stored scores of all nodes, if the run stores them; of all graphs */
  bool completes;         /* other data: what is generated follows from the features */
} answering;

/* Stored scores hold only for the run's own features. */
static sotto_status check_own(const answering *a, const sotto_matrix *x, const uint32_t *nodes,
                              sotto_error *err) {
  const sotto_matrix *own = a->job->features;
  for (size_t i = 0; a->kept.rows > 0 && i < x->rows; i++) {
    const size_t v = nodes == NULL ? i : nodes[i];
    if (memcmp(x->data + i * x->cols, own->data + v * own->cols, own->cols * sizeof(float)) != 0)
      return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                          "%s answers from scores that it keeps, so not about other "
                          "features",
                          a->job->options->method);
  }
  return SOTTO_OK;
}

static sotto_status copy_features(void *self, sotto_matrix *out, const sotto_matrix *x, const uint32_t *nodes,
                                  sotto_error *err) {
  const sotto_status status = check_own(self, x, nodes, err);
  if (status != SOTTO_OK) return status;
  return sotto_i_take_columns(out, x, 0, x->cols, err);
}

/* Columns of counts follow the features, and generated nodes the client's own; both stay unchanged. */
static void set_features(sotto_i_fed_client *c, const sotto_matrix *rows, const uint32_t *places) {
  for (size_t i = 0; i < c->data.graph.nodes; i++)
    memcpy(c->features.data + i * c->features.cols, rows->data + places[i] * rows->cols,
           rows->cols * sizeof(float));
}

static sotto_status scores_of(void *self, sotto_matrix *out, const sotto_matrix *rows, const uint32_t *nodes,
                              size_t count, sotto_error *err) {
  const answering *a = self;
  sotto_matrix all = {0}, scores;
  const uint32_t *places = a->places;
  sotto_status status;
  if (a->kept.rows > 0) return sotto_i_take_rows(out, &a->kept, nodes, count, err);
  SOTTO_TRY(sotto_matrix_new(&all, rows->rows, sotto_i_outputs(a->job->options, a->job->data), err));
  for (uint32_t k = 0; k < a->count; k++) {
    sotto_i_fed_client *c = &a->clients[k];
    const uint64_t own = c->data.graph.nodes;
    if (own == 0) continue;
    set_features(c, rows, places);
    if (a->completes) SOTTO_TRY(sotto_i_fed_protocol_of(a->job->options)->complete(c, a->job->folder, err));
    SOTTO_TRY(sotto_i_fed_scores(&scores, c, err));
    for (size_t i = 0; i < own; i++)
      memcpy(all.data + places[i] * all.cols, scores.data + i * all.cols, all.cols * sizeof(float));
    places += own;
  }
  SOTTO_TRY(sotto_i_take_rows(out, &all, nodes, count, err));
done:
  sotto_matrix_free(&all);
  return status;
}

static void free_answering(void *self) {
  answering *a = self;
  sotto_i_fed_disassemble(a->all);
  sotto_matrix_free(&a->kept);
  sotto_i_free(a);
}

static sotto_status check_supported(const sotto_i_opening *from, sotto_error *err) {
  const sotto_options *o = from->job->options;
  const sotto_i_fed_protocol *protocol = sotto_i_fed_protocol_of(o);
  if (from->job->data->graph_count > 0)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "%s: is a collection, of whose nodes %s answers nothing; ask about its graphs",
                        from->job->data->name, o->method);
  const bool stores = protocol->counts || protocol->prepare != NULL || protocol->fuses != NULL;
  if (from->fresh && stores)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "fresh: %s answers from the %s that it keeps alone",
                        o->method, protocol->counts ? "counts" : "scores");
  return protocol->counts && sotto_i_price_asked(o) && from->release == NULL
             ? sotto_i_opening_check(from, err)
             : SOTTO_OK;
}

static sotto_status read_stored(answering *a, sotto_error *err) {
  const uint32_t *places = a->places;
  sotto_matrix one = {0};
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(&a->kept, a->job->data->graph.nodes, a->job->data->classes, err));
  for (uint32_t k = 0; k < a->count; k++) {
    const size_t cols = a->kept.cols;
    if (a->clients[k].data.graph.nodes == 0) continue;
    sotto_matrix_free(&one);
    SOTTO_TRY(sotto_i_fed_kept(&one, &a->clients[k], a->job, err));
    for (size_t i = 0; i < one.rows; i++)
      memcpy(a->kept.data + places[i] * cols, one.data + i * cols, cols * sizeof(float));
    places += one.rows;
  }
done:
  sotto_matrix_free(&one);
  return status;
}

static const sotto_i_seat newcomer = {.role = SOTTO_ROLE_CLIENT, .number = 1};

/* Scores of all graphs: those of one client that has the whole collection. */
static sotto_status score_graphs(answering *a, const sotto_i_opening *from, sotto_error *err) {
  sotto_dataset graphs = *from->graphs;
  sotto_i_job job = *from->job;
  sotto_matrix scores;
  sotto_status status;
  graphs.graph_classes = from->job->data->classes;
  job.data = &graphs;
  if (job.seat == NULL) job.seat = &newcomer;
  SOTTO_TRY(sotto_i_fed_assemble(&a->all, &job, err));
  a->clients = sotto_i_fed_clients(a->all, &a->count);
  SOTTO_TRY(sotto_params_load(&a->clients[0].model.params, 1, from->file, err));
  SOTTO_TRY(sotto_i_fed_scores(&scores, &a->clients[0], err));
  SOTTO_TRY(sotto_i_take_columns(&a->kept, &scores, 0, scores.cols, err));
done:
  sotto_i_fed_disassemble(a->all); /* it borrows what ends here */
  a->all = NULL;
  a->clients = NULL;
  return status;
}

sotto_status sotto_i_fed_items(sotto_dataset *out, const sotto_options *options, const sotto_dataset *data,
                               sotto_error *err) {
  uint32_t *places = NULL;
  sotto_status status;
  (void)options;
  SOTTO_TRY(sotto_i_graph_items_check(data, err));
  SOTTO_TRY(sotto_i_new(&places, data->graph_count, sizeof *places, err));
  for (uint32_t g = 0; g < data->graph_count; g++) places[g] = g;
  SOTTO_TRY(sotto_i_graph_items(out, places, data, err));
done:
  sotto_i_free(places);
  return status;
}

/* Other data in one process are a client's own: which client would have which node is not known. */
static sotto_status assemble(answering *a, const sotto_i_opening *from, sotto_error *err) {
  sotto_i_job job = *from->job;
  if (!from->own && job.seat == NULL) job.seat = &newcomer;
  return sotto_i_fed_assemble(&a->all, &job, err);
}

/* Where each client trains its own model, other data are of no client. */
static bool has_own_models(const sotto_options *o) {
  const sotto_i_fed_protocol *protocol = sotto_i_fed_protocol_of(o);
  return protocol->alone && !protocol->whole;
}

/* The average, or the client's own model. */
static sotto_status load_model(sotto_i_fed_client *c, const sotto_i_opening *from, sotto_error *err) {
  char name[40], *path = NULL;
  sotto_status status;
  if (c->number == 0 || !has_own_models(from->job->options))
    return sotto_params_load(&c->model.params, 1, from->file, err);
  (void)snprintf(name, sizeof name, "model-%u.safetensors", (unsigned)c->number + 1);
  SOTTO_TRY(sotto_i_folder_find(&path, from->job->folder, name, err));
  status = sotto_params_load(&c->model.params, 1, path, err);
done:
  sotto_i_free(path);
  return status;
}

static sotto_status read_counts(sotto_i_fed_client *c, const sotto_i_opening *from, sotto_error *err) {
  if (from->own) return sotto_i_fed_counts_read(c, from->job->folder, err);
  return sotto_i_fed_counts_of_other(c, from->job->folder, from->release, err);
}

sotto_status sotto_i_fed_open(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err) {
  answering *a = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&a, 1, sizeof *a, err));
  *out = (sotto_i_predictor){.self = a, .rows = copy_features, .scores = scores_of, .free = free_answering};
  a->job = from->job;
  if (from->graphs != NULL) {
    out->fixed = true;
    return score_graphs(a, from, err);
  }
  SOTTO_TRY(check_supported(from, err));
  if (!from->own && has_own_models(from->job->options))
    return sotto_i_opening_refuse(from, "train a new run with it", err);
  const bool counts = sotto_i_fed_protocol_of(from->job->options)->counts;
  SOTTO_TRY(assemble(a, from, err));
  a->clients = sotto_i_fed_clients(a->all, &a->count);
  out->fixed = counts || (a->count > 0 && sotto_i_fed_reads_rows(a->clients[0].federation));
  a->places = sotto_i_fed_places(a->all);
  a->completes = !from->own && sotto_i_fed_protocol_of(from->job->options)->complete != NULL;
  if (!a->completes && a->count > 0 && sotto_i_fed_keeps(a->clients[0].federation)) {
    out->fixed = true;
    return read_stored(a, err);
  }
  for (uint32_t k = 0; k < a->count; k++) {
    if (counts) SOTTO_TRY(read_counts(&a->clients[k], from, err));
    SOTTO_TRY(load_model(&a->clients[k], from, err));
  }
done:
  return status;
}
