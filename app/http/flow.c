/* Long responses: responses of libmicrohttpd that are suspended while there is nothing new. */
#include "flow.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "common/memory.h"

struct http_flow {
  http_flows *flows;
  http_flow *before, *after;
  struct MHD_Connection *connection;
  http_crowd *crowd;
  http_guest *guest;
  int socket;
  http_stream stream;
  char *text; /* the text being sent */
  size_t size, sent;
  bool last; /* this text is the last one */
  bool asleep;
};

void http_flows_begin(http_flows *flows, unsigned most) {
  *flows = (http_flows){.most = most};
  (void)pthread_mutex_init(&flows->lock, NULL);
}

void http_flows_end(http_flows *flows) {
  (void)pthread_mutex_destroy(&flows->lock);
}

static bool add_flow(http_flows *flows, http_flow *flow) {
  (void)pthread_mutex_lock(&flows->lock);
  const bool room = flows->count < flows->most;
  if (room) {
    flows->count++;
    flow->after = flows->first;
    if (flow->after != NULL) flow->after->before = flow;
    flows->first = flow;
  }
  (void)pthread_mutex_unlock(&flows->lock);
  return room;
}

/* Frees a response that libmicrohttpd no longer needs. */
static void release_flow(void *context) {
  http_flow *flow = context;
  http_flows *flows = flow->flows;
  (void)pthread_mutex_lock(&flows->lock);
  flows->count--;
  if (flow->before != NULL)
    flow->before->after = flow->after;
  else
    flows->first = flow->after;
  if (flow->after != NULL) flow->after->before = flow->before;
  (void)pthread_mutex_unlock(&flows->lock);
  flow->stream.end(flow->stream.context);
  free(flow->text);
  free(flow);
}

static bool is_closing(http_flows *flows) {
  (void)pthread_mutex_lock(&flows->lock);
  const bool closing = flows->closing;
  (void)pthread_mutex_unlock(&flows->lock);
  return closing;
}

/* Suspends the response. False: the server has begun to close. */
static bool suspend_flow(http_flow *flow) {
  http_flows *flows = flow->flows;
  (void)pthread_mutex_lock(&flows->lock);
  const bool stays = !flows->closing;
  if (stays) {
    flow->asleep = true;
    MHD_suspend_connection(flow->connection);
  }
  (void)pthread_mutex_unlock(&flows->lock);
  return stays;
}

/* Has the reader closed its end? It then expects nothing more. */
static bool is_closed_by_reader(const http_flow *flow) {
  char byte;
  return recv(flow->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static ssize_t fill_buffer(void *context, uint64_t at, char *out, size_t most) {
  http_flow *flow = context;
  (void)at;
  http_crowd_alive(flow->crowd, flow->guest); /* the previous text has been sent */
  while (flow->sent == flow->size) {
    const bool closing = is_closing(flow->flows);
    if (flow->last || is_closed_by_reader(flow)) return MHD_CONTENT_READER_END_OF_STREAM;
    free(flow->text);
    flow->text = flow->stream.more(flow->stream.context, &flow->last);
    flow->size = flow->text == NULL ? 0 : strlen(flow->text);
    flow->sent = 0;
    flow->last |= closing;
    if (flow->size == 0 && !flow->last && suspend_flow(flow)) return 0;
  }
  const size_t left = flow->size - flow->sent, size = left < most ? left : most;
  memcpy(out, flow->text + flow->sent, size);
  flow->sent += size;
  return (ssize_t)size;
}

struct MHD_Response *http_flow_response(http_flows *flows, bool *full, const http_stream *stream,
                                        struct MHD_Connection *connection, http_crowd *crowd,
                                        http_guest *guest) {
  enum { block = 16 << 10 };
  const unsigned patience = 30000; /* milliseconds; limit for a machine that no longer responds */
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  http_flow *flow;
  *full = false;
  if (info == NULL || app_new(&flow, 1, sizeof *flow, NULL) != SOTTO_OK) {
    stream->end(stream->context);
    return NULL;
  }
  *flow = (http_flow){.flows = flows,
                      .connection = connection,
                      .crowd = crowd,
                      .guest = guest,
                      .socket = info->connect_fd,
                      .stream = *stream};
  if (!add_flow(flows, flow)) {
    *full = true;
    stream->end(stream->context);
    free(flow);
    return NULL;
  }
  (void)setsockopt(flow->socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &patience, sizeof patience);
  struct MHD_Response *response =
      MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, block, fill_buffer, flow, release_flow);
  if (response == NULL) release_flow(flow);
  return response;
}

void http_flows_wake(http_flows *flows, bool closing) {
  (void)pthread_mutex_lock(&flows->lock);
  flows->closing |= closing;
  for (http_flow *flow = flows->first; flow != NULL; flow = flow->after) {
    if (!flow->asleep) continue;
    flow->asleep = false;
    MHD_resume_connection(flow->connection);
  }
  (void)pthread_mutex_unlock(&flows->lock);
}
