/* A transport that plays a script. */
#include "scripted_link.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

static void clear(script_payload *payload) {
  sotto_i_free(payload->bytes);
  *payload = (script_payload){.size = 0};
}

static void end_when_full(script *s) {
  if (s->out.at < s->out.size) return;
  if (s->sent != NULL) s->sent(s->context, &s->out);
  clear(&s->out);
}

static sotto_status play_send_header(void *state, const sotto_i_header *header, sotto_error *err) {
  script *s = state;
  uint64_t size;
  if (!sotto_i_payload_bytes(&size, header))
    return sotto_i_fail(err, SOTTO_RANGE, "%s: is too large to send", header->name);
  clear(&s->out);
  s->out = (script_payload){.header = *header, .size = size};
  sotto_status status = sotto_i_new_raw(&s->out.bytes, size, 1, err);
  if (status == SOTTO_OK) end_when_full(s);
  return status;
}

static sotto_status play_send_bytes(void *state, const void *bytes, size_t size, sotto_error *err) {
  script *s = state;
  (void)err;
  SOTTO_I_CHECK(size <= s->out.size - s->out.at);
  memcpy(s->out.bytes + s->out.at, bytes, size);
  s->out.at += size;
  end_when_full(s);
  return SOTTO_OK;
}

static sotto_status play_receive_header(void *state, sotto_i_header *out, sotto_error *err) {
  script *s = state;
  clear(&s->in);
  sotto_status status = s->next(s->context, &s->in, err);
  if (status == SOTTO_OK) *out = s->in.header;
  return status;
}

static sotto_status play_receive_bytes(void *state, void *out, size_t size, sotto_error *err) {
  script *s = state;
  (void)err;
  SOTTO_I_CHECK(size <= s->in.size - s->in.at);
  memcpy(out, s->in.bytes + s->in.at, size);
  s->in.at += size;
  return SOTTO_OK;
}

static void play_close(void *state, const char *reason) {
  (void)state;
  (void)reason;
}

static void play_free(void *state) {
  script *s = state;
  clear(&s->out);
  clear(&s->in);
}

sotto_status script_link(sotto_link **out, script *s, sotto_error *err) {
  static const sotto_i_transport transport = {play_send_header,
                                              play_send_bytes,
                                              play_receive_header,
                                              play_receive_bytes,
                                              play_close,
                                              play_free,
                                              NULL,
                                              NULL,
                                              NULL};
  return sotto_i_link_new(out, &transport, s, err);
}

sotto_status script_words(script_payload *out, sotto_wire_kind kind, const char *name, const void *data,
                          size_t rows, size_t cols, sotto_error *err) {
  *out = (script_payload){.header = {.kind = (uint8_t)kind, .rows = rows, .cols = cols},
                          .size = rows * cols * 4};
  (void)snprintf(out->header.name, sizeof out->header.name, "%s", name);
  sotto_status status = sotto_i_new_raw(&out->bytes, out->size, 1, err);
  if (status == SOTTO_OK && out->size > 0) memcpy(out->bytes, data, out->size);
  return status;
}
