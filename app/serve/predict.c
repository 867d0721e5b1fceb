/* POST /predict: takes a list of nodes, returns class probabilities. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "common/memory.h"
#include "common/print.h"

/* A request for predictions, parsed and checked. */
typedef struct question {
  uint32_t *nodes;
  size_t count, top;
  char *unknown; /* JSON: ids that the data does not have; NULL: the request was by number */
} question;

static const char form[] = "send {\"nodes\": [0, 5], \"top\": 3}; top may be left out";
static const char id_form[] = "send {\"ids\": [\"C-1\", \"C-2\"], \"top\": 3}; top may be left out";

/* Keys with which a client would send its own data, which is not supported. */
static bool brings_data(const char *key) {
  static const char *const keys[] = {"features", "x", "edges", "data", "graph", "neighbours", "neighbors"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (strcmp(key, keys[i]) == 0) return true;
  return false;
}

static bool check_keys(json_t *body, http_reply *reply) {
  const char *key;
  json_t *value;
  char what[160];
  json_object_foreach(body, key, value) {
    if (brings_data(key)) {
      (void)snprintf(what, sizeof what, "'%s' is new data, which no release of this run covers", key);
      http_reply_error(
          reply, 403, what, key,
          "answers come from what the run released and the ledger was charged for; train a run on "
          "the new data, which is a release of its own, and reload");
      return false;
    }
    if (strcmp(key, "nodes") == 0 || strcmp(key, "ids") == 0 || strcmp(key, "rows") == 0 ||
        strcmp(key, "top") == 0)
      continue;
    (void)snprintf(what, sizeof what, "there is no member '%.60s'", key);
    http_reply_error(reply, 400, what, "body", form);
    return false;
  }
  return true;
}

bool serve_read_top(size_t *out, const json_t *top, size_t classes, http_reply *reply) {
  char what[120];
  *out = classes;
  if (top == NULL) return true;
  const json_int_t value = json_integer_value(top);
  if (json_is_integer(top) && value >= 1 && (unsigned long long)value <= classes) {
    *out = (size_t)value;
    return true;
  }
  (void)snprintf(what, sizeof what, "'top' is not a whole number from 1 to %zu, the number of classes",
                 classes);
  http_reply_error(reply, 400, what, "top", form);
  return false;
}

/* Allocates the list of nodes; false with a reply. */
static bool new_list(question *q, const json_t *list, const char *key, http_reply *reply) {
  char what[160];
  q->count = json_array_size(list);
  if (q->count > SERVE_MOST_NODES || q->count * q->top > SERVE_MOST_VALUES) {
    (void)snprintf(what, sizeof what, "%zu nodes with %zu classes each are too many for one answer", q->count,
                   q->top);
    http_reply_error(reply, 413, what, key,
                     "ask for at most 10000 nodes and 1000000 probabilities at a time, or set 'top'");
    return false;
  }
  return app_new(&q->nodes, q->count, sizeof *q->nodes, NULL) == SOTTO_OK;
}

/* Reads ids; those that the data does not have are listed in the answer. */
static bool read_ids(question *q, const json_t *ids, const serve_names *names, http_reply *reply) {
  char where[40];
  if (names->count == 0) {
    http_reply_error(reply, 400, "the nodes of this run have no ids but their numbers", "ids", form);
    return false;
  }
  if (!json_is_array(ids) || json_array_size(ids) == 0) {
    http_reply_error(reply, 400, "'ids' is not a list of one or more ids", "ids", id_form);
    return false;
  }
  if (!new_list(q, ids, "ids", reply)) return false;
  json_t *unknown = json_array();
  size_t found = 0;
  for (size_t i = 0; i < q->count; i++) {
    json_t *id = json_array_get(ids, i);
    if (!json_is_string(id)) {
      (void)snprintf(where, sizeof where, "ids[%zu]", i);
      http_reply_error(reply, 400, "is not a text", where, id_form);
      json_decref(unknown);
      return false;
    }
    if (serve_find(&q->nodes[found], names, json_string_value(id)))
      found++;
    else
      (void)json_array_append(unknown, id);
  }
  q->count = found;
  q->unknown = unknown == NULL ? NULL : json_dumps(unknown, JSON_COMPACT);
  json_decref(unknown);
  return q->unknown != NULL;
}

static bool read_nodes(question *q, const json_t *nodes, size_t all, http_reply *reply) {
  char what[160], where[40];
  if (!json_is_array(nodes) || json_array_size(nodes) == 0) {
    http_reply_error(reply, 400, "'nodes' is not a list of one or more node numbers", "nodes", form);
    return false;
  }
  if (!new_list(q, nodes, "nodes", reply)) return false;
  for (size_t i = 0; i < q->count; i++) {
    const json_t *node = json_array_get(nodes, i);
    const json_int_t value = json_integer_value(node);
    if (json_is_integer(node) && value >= 0 && (unsigned long long)value < all) {
      q->nodes[i] = (uint32_t)value;
      continue;
    }
    (void)snprintf(where, sizeof where, "nodes[%zu]", i);
    (void)snprintf(what, sizeof what, "is not a node: the data has nodes 0 to %zu", all - 1);
    http_reply_error(reply, 400, what, where, form);
    return false;
  }
  return true;
}

/* NULL with a reply, which has no body if memory ran out. */
static json_t *read_body(const http_request *request, http_reply *reply) {
  json_error_t problem;
  char what[200], where[60];
  reply->status = 500;
  json_t *body = json_loadb(request->body, request->size, JSON_REJECT_DUPLICATES, &problem);
  if (json_is_object(body)) return body;
  (void)snprintf(what, sizeof what, "the body is not a JSON object%s%.120s", body == NULL ? ": " : "",
                 body == NULL ? problem.text : "");
  sotto_text_clean(what, false);
  (void)snprintf(where, sizeof where, "body, byte %d", body == NULL ? problem.position : 0);
  http_reply_error(reply, 400, what, where, form);
  json_decref(body);
  return NULL;
}

/* False with a reply, as above. */
static bool read_question(question *q, const json_t *body, const serve_source *source, size_t classes,
                          http_reply *reply) {
  const json_t *nodes = json_object_get(body, "nodes"), *ids = json_object_get(body, "ids");
  if (!serve_read_top(&q->top, json_object_get(body, "top"), classes, reply)) return false;
  if (nodes != NULL && ids != NULL) {
    http_reply_error(reply, 400, "'nodes' and 'ids' are given; one of them names the nodes", "body", id_form);
    return false;
  }
  return ids != NULL ? read_ids(q, ids, &source->ids, reply) : read_nodes(q, nodes, source->nodes, reply);
}

/* Without the brace that ends it. */
static bool add_answer(serve_page *p, const serve_source *source, uint32_t node) {
  char piece[64];
  const int size = snprintf(piece, sizeof piece, "{\"node\":%u", (unsigned)node);
  const bool good = serve_add_text(p, piece, (size_t)size);
  if (source->ids.count == 0) return good;
  return good && serve_add_text(p, ",\"id\":", 6) && serve_add_name(p, source->ids.names[node]);
}

/* {"run": NAME, "answers": [...]}, and "unknown": [...] for a request by ids; NULL: out of memory. */
static char *write_answers(const char *name, const serve_source *source, const question *q, const float *rows,
                           size_t classes) {
  serve_page p = {NULL, 0, 0};
  char piece[120];
  const int size = snprintf(piece, sizeof piece, "{\"run\":\"%s\",\"answers\":[", name);
  bool good = serve_add_text(&p, piece, (size_t)size);
  for (size_t i = 0; good && i < q->count; i++)
    good = (i == 0 || serve_add_text(&p, ",", 1)) && add_answer(&p, source, q->nodes[i]) &&
           serve_add_classes(&p, source, rows + i * classes, classes, q->top) && serve_add_text(&p, "}", 1);
  good = good && serve_add_text(&p, "]", 1);
  if (q->unknown != NULL)
    good =
        good && serve_add_text(&p, ",\"unknown\":", 11) && serve_add_text(&p, q->unknown, strlen(q->unknown));
  good = good && serve_add_text(&p, "}\n", 2);
  if (good) return p.text;
  free(p.text);
  return NULL;
}

void serve_reply_failure(http_reply *reply, sotto_status status, const sotto_error *problem) {
  char text[SOTTO_ERROR_TEXT];
  (void)snprintf(text, sizeof text, "%s", problem->text);
  app_hide_folders(text);
  if (status == SOTTO_REFUSED)
    http_reply_error(reply, 403, text, "budget", "raise the budget, or ask for what was released");
  else if (status == SOTTO_INTERRUPTED || status == SOTTO_PROTOCOL)
    http_reply_error(reply, 503, text, "source", "ask again later; GET /ready says when");
  else
    http_reply_error(reply, 500, text, "source", "see the log of the service");
}

/* Checks a source that needs another party: false with a reply if it cannot answer now. */
static bool may_answer(const serve_source *source, size_t *classes, http_reply *reply) {
  sotto_joint_state state;
  char what[SOTTO_ERROR_TEXT];
  source->look(source->context, &state);
  *classes = state.classes;
  if (state.learns && state.classes > 0) return true;
  (void)snprintf(what, sizeof what, "no session with %.127s: %.300s", state.peer, state.problem);
  if (state.learns)
    http_reply_error(reply, 503, what, "source", "ask again later; GET /ready says when");
  else
    http_reply_error(reply, 403, "the answers are for the other party alone", "learns",
                     "ask the service of the party that learns");
  return false;
}

static void answer_nodes(serve_slot *slot, const serve_source *source, const json_t *body, size_t classes,
                         http_reply *reply) {
  question q = {.nodes = NULL};
  float *rows = NULL;
  sotto_error problem = {0};
  if (!read_question(&q, body, source, classes, reply) ||
      app_new(&rows, q.count, classes * sizeof *rows, NULL) != SOTTO_OK)
    goto done;
  const sotto_status status = source->answer(source->context, rows, q.nodes, q.count, classes, &problem);
  if (status == SOTTO_OK) {
    http_reply_text(reply, 200, HTTP_JSON, write_answers(slot->name, source, &q, rows, classes));
    atomic_fetch_add_explicit(&slot->predictions, q.count, memory_order_relaxed);
  } else {
    serve_reply_failure(reply, status, &problem);
  }
done:
  free(rows);
  free(q.nodes);
  free(q.unknown);
}

static void answer(serve_slot *slot, const serve_source *source, const http_request *request,
                   http_reply *reply) {
  size_t classes = source->classes;
  if (source->look != NULL && !may_answer(source, &classes, reply)) return;
  json_t *body = read_body(request, reply);
  if (body != NULL && check_keys(body, reply)) {
    if (json_object_get(body, "rows") != NULL)
      serve_predict_rows(slot, source, body, classes, reply);
    else
      answer_nodes(slot, source, body, classes, reply);
  }
  json_decref(body);
}

void serve_predict(serve_service *service, const char *name, const http_request *request, http_reply *reply) {
  serve_slot *slot;
  serve_run *run = serve_hold(service, &slot, name);
  if (slot == NULL) {
    http_reply_error(reply, 404, "no run of this name is served", request->path,
                     "GET /health lists the names; /predict asks the first");
    return;
  }
  if (run == NULL) {
    http_reply_error(reply, 503, "the run is not loaded yet", request->path,
                     "ask again later; GET /ready says when it is");
    return;
  }
  answer(slot, &run->source, request, reply);
  serve_release(service, run);
}
