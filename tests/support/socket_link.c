/* A transport over a socket. */
#include "socket_link.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

static sotto_status put(socket_end *end, const void *bytes, size_t size, sotto_error *err) {
  const uint8_t *from = bytes;
  if (end->keep) {
    while (end->size + size > end->capacity) {
      end->capacity = end->capacity == 0 ? 1 << 16 : 2 * end->capacity;
      end->sent = realloc(end->sent, end->capacity);
      SOTTO_I_CHECK(end->sent != NULL);
    }
    memcpy(end->sent + end->size, bytes, size);
    end->size += size;
  }
  for (size_t at = 0; at < size;) {
    ssize_t written = write(end->socket, from + at, size - at);
    if (written <= 0) return sotto_i_fail(err, SOTTO_PROTOCOL, "the socket is gone");
    at += (size_t)written;
  }
  return SOTTO_OK;
}

static sotto_status take(socket_end *end, void *bytes, size_t size, sotto_error *err) {
  uint8_t *to = bytes;
  for (size_t at = 0; at < size;) {
    ssize_t got = read(end->socket, to + at, size - at);
    if (got <= 0) return sotto_i_fail(err, SOTTO_PROTOCOL, "the socket is gone");
    at += (size_t)got;
  }
  return SOTTO_OK;
}

static sotto_status socket_send_header(void *state, const sotto_i_header *header, sotto_error *err) {
  return put(state, header, sizeof *header, err);
}

static sotto_status socket_send_bytes(void *state, const void *bytes, size_t size, sotto_error *err) {
  return put(state, bytes, size, err);
}

static sotto_status socket_receive_header(void *state, sotto_i_header *out, sotto_error *err) {
  return take(state, out, sizeof *out, err);
}

static sotto_status socket_receive_bytes(void *state, void *out, size_t size, sotto_error *err) {
  return take(state, out, size, err);
}

static void socket_close(void *state, const char *reason) {
  (void)reason;
  (void)close(((socket_end *)state)->socket);
}

static void socket_free(void *state) {
  (void)state;
}

sotto_status socket_link(sotto_link **out, socket_end *end, sotto_error *err) {
  static const sotto_i_transport transport = {socket_send_header,
                                              socket_send_bytes,
                                              socket_receive_header,
                                              socket_receive_bytes,
                                              socket_close,
                                              socket_free,
                                              NULL,
                                              NULL,
                                              NULL};
  return sotto_i_link_new(out, &transport, end, err);
}
