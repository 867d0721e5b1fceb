/* The server: threads of libmicrohttpd, and the life of a request from its first line to its response.
 *
 * Each request has an exchange, which belongs to the connection's thread. State shared by connections is in
 * the crowd, which has a lock. */
#include <microhttpd.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "address.h"
#include "base/progress.h"
#include "common/memory.h"
#include "crowd.h"
#include "flow.h"
#include "frame.h"
#include "gate.h"
#include "http.h"

enum { most_head = 16 << 10, most_extra = 1 << 20, usual_head_limit = 5, least_strangers = 64 };

struct http_server {
  http_options options;
  http_address address;
  http_gate gate;
  http_crowd crowd;
  http_flows flows;
  struct MHD_Daemon *daemon;
  pthread_t watcher;
  bool watched;
  _Atomic bool closing;
};

/* One request. */
typedef struct exchange {
  double begun;
  unsigned refused; /* HTTP status by which the headers refuse it; 0: accepted */
  bool last;        /* the end of the request is uncertain, so the connection closes after the response */
  char *body;
  size_t size, capacity, skipped;
} exchange;

/* In the place of an exchange until there is one: the target of the request is no target. */
static char bad_target;

static void *look_at_target(void *context, const char *target, struct MHD_Connection *connection) {
  (void)context;
  (void)connection;
  return http_frame_is_target(target) ? NULL : &bad_target;
}

static const char *header(struct MHD_Connection *connection, const char *name) {
  return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static http_guest *guest_of(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info == NULL ? NULL : info->socket_context;
}

static void note_connection(void *context, struct MHD_Connection *connection, void **own,
                            enum MHD_ConnectionNotificationCode code) {
  http_server *server = context;
  if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
    http_crowd_leave(&server->crowd, *own);
    *own = NULL;
    return;
  }
  /* newer versions store all results in one place: read one before asking for the next */
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  const int socket = info == NULL ? -1 : info->connect_fd;
  info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  const struct sockaddr *from = info == NULL ? NULL : info->client_addr;
  *own = socket < 0 ? NULL : http_crowd_add(&server->crowd, socket, from);
}

static void note_end(void *context, struct MHD_Connection *connection, void **state,
                     enum MHD_RequestTerminationCode code) {
  http_server *server = context;
  exchange *e = *state;
  (void)code;
  if (e == NULL || *state == &bad_target) return;
  free(e->body);
  free(e);
  *state = NULL;
  http_crowd_answered(&server->crowd, guest_of(connection));
}

static bool path_fits(const char *pattern, const char *path) {
  const size_t length = strlen(pattern);
  if (length > 0 && pattern[length - 1] == '*') return strncmp(pattern, path, length - 1) == 0;
  return strcmp(pattern, path) == 0;
}

/* The route, or NULL with the methods that the path allows ("": no such path). */
static const http_route *find_route(char allowed[80], const http_options *o, const char *method,
                                    const char *path) {
  const char *sought = strcmp(method, "HEAD") == 0 ? "GET" : method;
  size_t used = 0;
  allowed[0] = '\0';
  for (size_t i = 0; i < o->route_count; i++) {
    const http_route *route = &o->routes[i];
    if (!path_fits(route->path, path)) continue;
    if (strcmp(route->method, sought) == 0) return route;
    if (used < 60)
      used += (size_t)snprintf(allowed + used, 80 - used, "%s%s", used > 0 ? ", " : "", route->method);
  }
  return NULL;
}

/* The response of a reply, with a body or a stream. NULL: out of memory. If memory or a free stream is
 * missing, the reply gets the status of that refusal. */
static struct MHD_Response *response_of(http_server *server, struct MHD_Connection *connection,
                                        http_reply *reply, const char *path) {
  static const char nothing[] = "";
  bool full = false;
  if (reply->stream.more != NULL) {
    struct MHD_Response *flow = http_flow_response(&server->flows, &full, &reply->stream, connection,
                                                   &server->crowd, guest_of(connection));
    if (flow != NULL) return flow;
    *reply = (http_reply){.status = 0};
    if (full) http_reply_refused(reply, MHD_HTTP_SERVICE_UNAVAILABLE, path, server->options.most_body);
  }
  if (reply->body != NULL) {
    struct MHD_Response *text =
        MHD_create_response_from_buffer(reply->size, reply->body, MHD_RESPMEM_MUST_FREE);
    if (text == NULL) free(reply->body);
    return text;
  }
  reply->status = MHD_HTTP_INTERNAL_SERVER_ERROR;
  reply->type = HTTP_JSON;
  return MHD_create_response_from_buffer(0, (void *)(uintptr_t)nothing, MHD_RESPMEM_PERSISTENT);
}

static enum MHD_Result send_reply(http_server *server, struct MHD_Connection *connection, http_reply *reply,
                                  const char *path, const char *allowed, bool last) {
  struct MHD_Response *response = response_of(server, connection, reply, path);
  if (response == NULL) return MHD_NO;
  const struct {
    const char *name, *value;
  } headers[] = {{"Content-Type", reply->type},
                 {"Cache-Control", "no-store"},
                 {"X-Content-Type-Options", "nosniff"},
                 {"Referrer-Policy", "no-referrer"},
                 {"Cross-Origin-Resource-Policy", "same-origin"},
                 {"Content-Security-Policy",
                  reply->policy == NULL ? "default-src 'none'; frame-ancestors 'none'" : reply->policy}};
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
    (void)MHD_add_response_header(response, headers[i].name, headers[i].value);
  if (reply->status == MHD_HTTP_UNAUTHORIZED)
    (void)MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
  if (allowed[0] != '\0') (void)MHD_add_response_header(response, "Allow", allowed);
  if (last || atomic_load(&server->closing)) (void)MHD_add_response_header(response, "Connection", "close");
  const enum MHD_Result sent = MHD_queue_response(connection, reply->status, response);
  MHD_destroy_response(response);
  return sent;
}

static enum MHD_Result run_handler(http_server *server, struct MHD_Connection *connection, const char *path,
                                   const char *method, const exchange *e) {
  static const char empty[] = "";
  char allowed[80] = "";
  http_reply reply = {0};
  const http_route *route = e->refused != 0 ? NULL : find_route(allowed, &server->options, method, path);
  const http_request request = {method, path, e->body == NULL ? empty : e->body, e->size};
  if (route != NULL)
    route->handle(server->options.context, &request, &reply);
  else if (e->refused != 0)
    http_reply_refused(&reply, e->refused, path, server->options.most_body);
  else
    http_reply_refused(&reply, allowed[0] != '\0' ? MHD_HTTP_METHOD_NOT_ALLOWED : MHD_HTTP_NOT_FOUND, path,
                       server->options.most_body);
  if (server->options.note != NULL)
    server->options.note(server->options.context, route,
                         reply.body == NULL && reply.stream.more == NULL ? 500 : reply.status,
                         sotto_i_seconds() - e->begun);
  return send_reply(server, connection, &reply, path, route != NULL ? "" : allowed, e->last);
}

static enum MHD_Result add_header(void *frame, enum MHD_ValueKind kind, const char *name, size_t name_size,
                                  const char *value, size_t value_size) {
  (void)kind;
  http_frame_follows(frame, name, value, value_size);
  http_frame_add(frame, name, name_size, value, value_size);
  return MHD_YES;
}

/* Versions before 0.9.77 accept folded header lines and lines that end with LF alone, and leave the headers
 * in the read buffer. Later ones refuse such heads themselves. The loaded library may be newer than its
 * header file. */
static bool reads_loosely(void) {
  unsigned major = 0, minor = 0, patch = 0;
  (void)sscanf(MHD_get_version(), "%u.%u.%u", &major, &minor, &patch);
  return major == 0 && minor == 9 && patch < 77;
}

/* Does the head end where its last header and the empty line do? Not after a zero byte at the end of a value.
 */
static bool ends_with(const http_frame *frame, struct MHD_Connection *connection, const char *method) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return frame->next == NULL || info == NULL || frame->next + 2 == method + info->header_size;
}

/* The headers are complete. A refused body is still read, and dropped, because many clients read a response
 * only after sending everything; a very long one is not. */
static enum MHD_Result begin_request(http_server *server, struct MHD_Connection *connection, const char *path,
                                     const char *method, const char *version, void **state) {
  const bool line_holds = *state == NULL && http_frame_is_method(method);
  exchange *e;
  *state = NULL;
  if (app_new(&e, 1, sizeof *e, NULL) != SOTTO_OK) return MHD_NO;
  *state = e;
  e->begun = sotto_i_seconds();
  http_crowd_asked(&server->crowd, guest_of(connection));
  http_frame frame = {.next = reads_loosely() ? version + strlen(version) + 2 : NULL};
  (void)MHD_get_connection_values_n(connection, MHD_HEADER_KIND, add_header, &frame);
  http_frame_follows(&frame, NULL, NULL, 0);
  e->last = !line_holds || !http_frame_holds(&frame, version) || !ends_with(&frame, connection, method);
  if (e->last) {
    e->refused = MHD_HTTP_BAD_REQUEST;
    return run_handler(server, connection, path, method, e);
  }
  const http_shown shown = {.method = method,
                            .authorization = header(connection, "Authorization"),
                            .host = header(connection, "Host"),
                            .origin = header(connection, "Origin"),
                            .site = header(connection, "Sec-Fetch-Site"),
                            .type = header(connection, "Content-Type")};
  e->refused = http_gate_check(&server->gate, &shown);
  if (e->refused == 0) http_crowd_known(&server->crowd, guest_of(connection));
  if (e->refused == 0 && frame.length > server->options.most_body) e->refused = MHD_HTTP_CONTENT_TOO_LARGE;
  const bool at_once = e->refused != 0 && frame.length > most_extra;
  /* libmicrohttpd accepts LF alone after the size of a chunk, where a proxy may continue reading: the
   * connection closes after a chunked body */
  e->last = at_once || frame.encodings > 0;
  return at_once ? run_handler(server, connection, path, method, e) : MHD_YES;
}

/* Adds a piece of the body. A body that turns out to be too long is read on for a while, so that the client
 * gets the response. */
static enum MHD_Result add_body(const http_server *server, exchange *e, const char *data, size_t *size) {
  const size_t count = *size;
  *size = 0;
  if (e->refused != 0 || e->size + count > server->options.most_body) {
    if (e->refused == 0) e->refused = MHD_HTTP_CONTENT_TOO_LARGE;
    e->skipped += count;
    return e->skipped > most_extra ? MHD_NO : MHD_YES;
  }
  if (app_grow(&e->body, &e->capacity, e->size + count + 1, 1, NULL) != SOTTO_OK) return MHD_NO;
  memcpy(e->body + e->size, data, count);
  e->size += count;
  e->body[e->size] = '\0';
  return MHD_YES;
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *data, size_t *size,
                              void **state) {
  http_server *server = context;
  if (*state == NULL || *state == &bad_target)
    return begin_request(server, connection, path, method, version, state);
  if (*size > 0) return add_body(server, *state, data, size);
  return run_handler(server, connection, path, method, *state);
}

/* Threads of the server block all signals, which belong to the program. Poll is used instead of epoll: with
 * epoll, a thread of libmicrohttpd 0.9.75 at its connection limit no longer gets events of its connections.
 */
static sotto_status start_daemon(http_server *server, sotto_error *err) {
  const http_options *o = &server->options;
  const unsigned places = o->connections + server->crowd.most_strangers;
  const unsigned flags =
      MHD_USE_POLL_INTERNAL_THREAD | MHD_USE_ITC | (o->streams > 0 ? MHD_ALLOW_SUSPEND_RESUME : 0);
  enum { discipline = 38 }; /* MHD_OPTION_CLIENT_DISCIPLINE_LVL, since 0.9.77 */
  struct MHD_OptionItem strict[] = {{(enum MHD_OPTION)discipline, 1, NULL}, {MHD_OPTION_END, 0, NULL}};
  if (reads_loosely()) strict[0].option = MHD_OPTION_END;
  sigset_t all, before;
  (void)sigfillset(&all);
  (void)pthread_sigmask(SIG_BLOCK, &all, &before);
  server->daemon = MHD_start_daemon(
      flags, 0, NULL, NULL, handle, server, MHD_OPTION_LISTEN_SOCKET, server->address.socket,
      MHD_OPTION_CONNECTION_LIMIT, places, MHD_OPTION_CONNECTION_TIMEOUT,
      (unsigned)(o->idle_limit < 1 ? 1 : o->idle_limit), MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      (size_t)most_head, MHD_OPTION_URI_LOG_CALLBACK, look_at_target, NULL, MHD_OPTION_NOTIFY_COMPLETED,
      note_end, server, MHD_OPTION_NOTIFY_CONNECTION, note_connection, server, MHD_OPTION_ARRAY, strict,
      o->threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, o->threads, MHD_OPTION_END);
  if (server->daemon != NULL)
    server->watched = pthread_create(&server->watcher, NULL, http_crowd_watch, &server->crowd) == 0;
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (server->watched) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_NOMEM, "%s: the system refused the threads of the HTTP server", o->address);
}

static void wake_flows(void *context) {
  http_flows_wake(&((http_server *)context)->flows, false);
}

sotto_status http_open(http_server **out, const http_options *options, sotto_error *err) {
  http_server *server;
  *out = NULL;
  sotto_status status = app_new(&server, 1, sizeof *server, err);
  if (status != SOTTO_OK) return status;
  server->options = *options;
  server->address.socket = -1;
  http_crowd_begin(&server->crowd);
  server->crowd.request_limit = options->request_limit;
  server->crowd.idle_limit = options->idle_limit;
  server->crowd.head_limit = options->head_limit > 0 ? options->head_limit : usual_head_limit;
  server->crowd.most_strangers =
      options->connections > least_strangers ? options->connections : least_strangers;
  server->crowd.most_of_one = server->crowd.most_strangers / 2;
  server->crowd.most_known_of_one = options->connections > 2 ? options->connections / 2 : 1;
  http_flows_begin(&server->flows, options->streams);
  if (options->streams > 0) {
    server->crowd.tick = wake_flows;
    server->crowd.tick_context = server;
  }
  if (options->token_file != NULL) SOTTO_TRY(http_gate_read(&server->gate, options->token_file, err));
  SOTTO_TRY(http_address_listen(&server->address, options->address, options->token_file != NULL,
                                options->flag, err));
  server->gate.any_host = server->address.unix_path != NULL;
  SOTTO_TRY(start_daemon(server, err));
  *out = server;
done:
  if (status != SOTTO_OK) http_close(server, 0);
  return status;
}

bool http_is_local(const http_server *server) {
  return server->address.is_loopback;
}

void http_close(http_server *server, double seconds) {
  if (server == NULL) return;
  atomic_store(&server->closing, true);
  if (server->daemon != NULL) {
    (void)MHD_quiesce_daemon(server->daemon);
    http_flows_wake(&server->flows, true);
    http_crowd_wait(&server->crowd, seconds);
    MHD_stop_daemon(server->daemon);
  }
  http_crowd_quit(&server->crowd);
  if (server->watched) (void)pthread_join(server->watcher, NULL);
  http_crowd_end(&server->crowd);
  http_flows_end(&server->flows);
  http_address_leave(&server->address);
  if (server->address.socket >= 0) (void)close(server->address.socket);
  memset(server->gate.token, 0, sizeof server->gate.token);
  free(server);
}
