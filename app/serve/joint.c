/* Predictions of a run of two parties that both keep running: this party's end of their session. */
#include <stdio.h>
#include <string.h>

#include "source.h"

static sotto_status predict_jointly(void *context, float *out, const uint32_t *nodes, size_t count,
                                    size_t classes, sotto_error *err) {
  return sotto_joint_answer(context, out, nodes, count, classes, err);
}

static void read_state(void *context, sotto_joint_state *out) {
  sotto_joint_look(context, out);
}

static void close_session(void *context) {
  sotto_joint_close(context);
}

sotto_status serve_joint_open(serve_source *out, serve_facts *facts, const serve_joint *from,
                              sotto_error *err) {
  sotto_joint *joint;
  const sotto_dataset *data = from->data;
  const sotto_status status = sotto_joint_open(&joint, from->options, data, from->nodes, from->party,
                                               &from->asking, from->observer, err);
  *out = (serve_source){.nodes = 0};
  if (status != SOTTO_OK) return status;
  (void)snprintf(facts->method, sizeof facts->method, "%.63s", from->options->method);
  (void)snprintf(facts->adjacency, sizeof facts->adjacency, "%.15s",
                 sotto_adjacency_name(from->options->adjacency));
  *out = (serve_source){.context = joint,
                        .nodes = (size_t)data->graph.nodes,
                        .answer = predict_jointly,
                        .look = read_state,
                        .free = close_session};
  return SOTTO_OK;
}
