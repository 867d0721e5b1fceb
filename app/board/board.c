/* The server of a live board. */
#include "board.h"

#include <stdlib.h>

#include "common/clock.h"
#include "common/memory.h"
#include "files.h"
#include "readers.h"
#include "report/page/html.h"

struct board {
  http_server *server;
  board_readers readers;
};

/* Styles and the program are files of this server alone; nothing else is loaded, and no page may frame it. */
static const char policy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

static void get_page(void *context, const http_request *request, http_reply *reply) {
  const board *b = context;
  board_view *view;
  (void)request;
  char *text = NULL;
  if (app_new(&view, 1, sizeof *view, NULL) == SOTTO_OK) {
    b->readers.look(view);
    text = board_page(view, app_seconds());
  }
  free(view);
  http_reply_page(reply, policy, text);
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

static const http_route routes[] = {{"GET", "/", get_page},
                                    {"GET", "/events", get_events},
                                    {"GET", "/board.js", get_script},
                                    {"GET", "/board.css", get_style},
                                    {"GET", "/board.svg", get_icon}};

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
                             .route_count = sizeof routes / sizeof *routes,
                             .context = b,
                             .most_body = 0,
                             .threads = 1,
                             .connections = 3 * BOARD_READERS, /* each loads the page's files, too */
                             .streams = BOARD_READERS,
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
