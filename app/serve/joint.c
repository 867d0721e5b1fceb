/* Predictions of a run of several parties that all keep running: this party's end of their session. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
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
  sotto_joint *joint = NULL;
  const sotto_dataset *data = from->data;
  serve_names ids = {.names = NULL}, class_names = {.names = NULL};
  sotto_status status;
  *out = (serve_source){.nodes = 0};
  SOTTO_TRY(serve_names_copy(&ids, &data->node_ids, true, err));
  SOTTO_TRY(sotto_joint_open(&joint, from->options, data, from->nodes, from->party, &from->asking,
                             from->observer, err));
  SOTTO_TRY(serve_names_copy(&class_names, sotto_joint_class_names(joint), false, err));
  (void)snprintf(facts->method, sizeof facts->method, "%.63s", from->options->method);
  (void)snprintf(facts->adjacency, sizeof facts->adjacency, "%.15s",
                 sotto_adjacency_name(from->options->adjacency));
  *out = (serve_source){.context = joint,
                        .nodes = (size_t)data->graph.nodes,
                        .ids = ids,
                        .class_names = class_names,
                        .numbers = from->options->task == SOTTO_TASK_REGRESSION,
                        .answer = predict_jointly,
                        .look = read_state,
                        .free = close_session};
  return SOTTO_OK;
done:
  sotto_joint_close(joint);
  serve_names_free(&ids);
  serve_names_free(&class_names);
  return status;
}
