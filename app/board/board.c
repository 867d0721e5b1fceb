/* The server of a live board and of the endpoints that monitoring programs read. */
#include "board.h"

#include <stdlib.h>

#include "base/progress.h"
#include "common/memory.h"
#include "files.h"
#include "readers.h"
#include "report/page/html.h"
#include "watch/state.h"

struct board {
  http_server *server;
  board_readers readers;
};

/* The page loads only the style, icon and script of this server, and no other page may frame it. */
static const char policy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/* A fresh copy of the run's state; NULL: out of memory. */
static board_view *copy_view(const board *b) {
  board_view *view;
  if (app_new(&view, 1, sizeof *view, NULL) != SOTTO_OK) return NULL;
  b->readers.look(view);
  return view;
}

static void get_health(void *context, const http_request *request, http_reply *reply) {
  board_view *view = copy_view(context);
  (void)request;
  http_reply_text(reply, 200, HTTP_JSON, view == NULL ? NULL : watch_health(&view->state, sotto_i_seconds()));
  free(view);
}

static void get_ready(void *context, const http_request *request, http_reply *reply) {
  board_view *view = copy_view(context);
  if (view != NULL && !watch_state_is_ready(&view->state))
    http_reply_error(reply, 503,
                     view->state.networked ? "not all parties are connected" : "the work has not begun",
                     request->path, "ask again later; /health says what is going on");
  else
    http_reply_text(reply, 200, HTTP_JSON,
                    view == NULL ? NULL : watch_health(&view->state, sotto_i_seconds()));
  free(view);
}

static void get_metrics(void *context, const http_request *request, http_reply *reply) {
  board_view *view = copy_view(context);
  (void)request;
  http_reply_text(reply, 200, HTTP_TEXT,
                  view == NULL ? NULL : watch_metrics(&view->state, sotto_i_seconds()));
  free(view);
}

static void get_page(void *context, const http_request *request, http_reply *reply) {
  board_view *view = copy_view(context);
  (void)request;
  http_reply_page(reply, policy, view == NULL ? NULL : board_page(view, sotto_i_seconds()));
  free(view);
}

static void get_events(void *context, const http_request *request, http_reply *reply) {
  board *b = context;
  http_stream stream;
  (void)request;
  if (board_reader_new(&stream, &b->readers))
    http_reply_stream(reply, HTTP_EVENTS, &stream);
  else
    http_reply_text(reply, 500, HTTP_EVENTS, NULL);
}

static void get_script(void *context, const http_request *request, http_reply *reply) {
  char *text = NULL;
  (void)context;
  (void)request;
  (void)app_strdup(&text, board_js, NULL);
  http_reply_text(reply, 200, "text/javascript; charset=utf-8", text);
}

static void get_style(void *context, const http_request *request, http_reply *reply) {
  char *text = NULL;
  size_t size = 0;
  (void)context;
  (void)request;
  FILE *out = open_memstream(&text, &size);
  if (out != NULL) {
    page_style(out);
    (void)fputs(board_css, out);
    (void)fclose(out);
  }
  http_reply_text(reply, 200, "text/css; charset=utf-8", text);
}

static void get_icon(void *context, const http_request *request, http_reply *reply) {
  char *text = NULL;
  (void)context;
  (void)request;
  (void)app_strdup(&text, board_svg, NULL);
  http_reply_text(reply, 200, "image/svg+xml", text);
}

enum { program_routes = 3 }; /* number of routes for programs, the first ones */
static const http_route routes[] = {{"GET", "/health", get_health},   {"GET", "/ready", get_ready},
                                    {"GET", "/metrics", get_metrics}, {"GET", "/", get_page},
                                    {"GET", "/events", get_events},   {"GET", "/board.js", get_script},
                                    {"GET", "/board.css", get_style}, {"GET", "/board.svg", get_icon}};

sotto_status board_open(board **out, const board_options *options, sotto_error *err) {
  board *b;
  *out = NULL;
  sotto_status status = app_new(&b, 1, sizeof *b, err);
  if (status != SOTTO_OK) return status;
  board_readers_begin(&b->readers, options->look);
  const http_options http = {.address = options->address,
                             .token_file = options->token_file,
                             .flag = options->flag,
                             .routes = routes,
                             .route_count = options->page ? sizeof routes / sizeof *routes : program_routes,
                             .context = b,
                             .most_body = 0,
                             .threads = 1,
                             .connections = 3 * BOARD_READERS, /* each reader also loads the page's files */
                             .streams = options->page ? BOARD_READERS : 0,
                             .idle_limit = 10,
                             .request_limit = 20};
  status = http_open(&b->server, &http, err);
  if (status == SOTTO_OK)
    *out = b;
  else
    board_close(b, 0);
  return status;
}

void board_close(board *b, double seconds) {
  if (b == NULL) return;
  board_readers_last(&b->readers);
  http_close(b->server, seconds);
  board_readers_end(&b->readers);
  free(b);
}
