/* Paths of the service, which docs/openapi.yaml describes. */
#include <string.h>

#include "common/memory.h"
#include "service.h"

enum {
  under_predict = sizeof "/predict/" - 1,
  under_statement = sizeof "/statement/" - 1,
  under_board = sizeof "/board/" - 1
};

static void post_predict(void *context, const http_request *request, http_reply *reply) {
  serve_predict(context, NULL, request, reply);
}

static void post_predict_name(void *context, const http_request *request, http_reply *reply) {
  serve_predict(context, request->path + under_predict, request, reply);
}

/* The run of a name, to be released with serve_release; NULL: the reply is an error. */
static serve_run *find_run(serve_service *service, const char *name, const http_request *request,
                           http_reply *reply) {
  serve_slot *slot;
  serve_run *run = serve_hold(service, &slot, name);
  if (slot == NULL)
    http_reply_error(reply, 404, "no run of this name is served", request->path,
                     "GET /health lists the names");
  else if (run == NULL)
    http_reply_error(reply, 503, "the run is not loaded yet", request->path, "ask again later");
  return run;
}

static void reply_statement(serve_service *service, const char *name, const http_request *request,
                            http_reply *reply) {
  char *text = NULL;
  serve_run *run = find_run(service, name, request, reply);
  if (run == NULL) return;
  (void)app_strdup(&text, run->statement, NULL);
  http_reply_text(reply, 200, HTTP_JSON, text);
  serve_release(service, run);
}

/* Replies with the page of a run, as a live board shows it at the end. It contains its style and loads
 * nothing. */
static void reply_board(serve_service *service, const char *name, const http_request *request,
                        http_reply *reply) {
  static const char policy[] = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
                               "form-action 'none'; frame-ancestors 'none'";
  char *text = NULL;
  if (!service->board) {
    http_reply_error(reply, 404, "this service does not show the pages of its runs", request->path,
                     "start it with --board");
    return;
  }
  serve_run *run = find_run(service, name, request, reply);
  if (run == NULL) return;
  (void)app_strdup(&text, run->board, NULL);
  http_reply_page(reply, policy, text);
  serve_release(service, run);
}

static void get_board(void *context, const http_request *request, http_reply *reply) {
  reply_board(context, NULL, request, reply);
}

static void get_board_name(void *context, const http_request *request, http_reply *reply) {
  reply_board(context, request->path + under_board, request, reply);
}

static void get_statement(void *context, const http_request *request, http_reply *reply) {
  reply_statement(context, NULL, request, reply);
}

static void get_statement_name(void *context, const http_request *request, http_reply *reply) {
  reply_statement(context, request->path + under_statement, request, reply);
}

static void get_health(void *context, const http_request *request, http_reply *reply) {
  (void)request;
  http_reply_text(reply, 200, HTTP_JSON, serve_health(context));
}

static void get_ready(void *context, const http_request *request, http_reply *reply) {
  char why[SOTTO_ERROR_TEXT];
  if (serve_is_ready(context, why))
    http_reply_text(reply, 200, HTTP_JSON, serve_health(context));
  else
    http_reply_error(reply, 503, why, request->path, "ask again later; GET /health says more");
}

static void get_metrics(void *context, const http_request *request, http_reply *reply) {
  (void)request;
  http_reply_text(reply, 200, HTTP_TEXT, serve_metrics(context));
}

static void post_reload(void *context, const http_request *request, http_reply *reply) {
  char *text = NULL;
  if (((const serve_service *)context)->joint != NULL) {
    http_reply_error(reply, 409, "a run of several parties is not loaded anew while it is served",
                     request->path, "stop the service and start it again; the other party's goes on");
    return;
  }
  serve_service_ask(context);
  (void)app_strdup(&text, "{\"reloading\":true}\n", NULL);
  http_reply_text(reply, 202, HTTP_JSON, text);
}

const http_route serve_routes[] = {
    {"POST", "/predict", post_predict},   {"POST", "/predict/*", post_predict_name},
    {"GET", "/statement", get_statement}, {"GET", "/statement/*", get_statement_name},
    {"GET", "/board", get_board},         {"GET", "/board/*", get_board_name},
    {"GET", "/health", get_health},       {"GET", "/ready", get_ready},
    {"GET", "/metrics", get_metrics},     {"POST", "/reload", post_reload}};
const size_t serve_route_count = sizeof serve_routes / sizeof *serve_routes;

void serve_note(void *context, const http_route *route, unsigned status, double seconds) {
  const bool prediction =
      route != NULL && (route->handle == post_predict || route->handle == post_predict_name);
  serve_count(context, status, prediction && status == 200, seconds);
}
