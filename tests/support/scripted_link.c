/* A transport that plays a script. */
#include "scripted_link.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

static sotto_status play_send(void *state, sotto_i_message *message, sotto_error *err) {
  script *s = state;
  (void)err;
  if (s->sent != NULL) s->sent(s->context, message);
  sotto_i_free(message->values);
  message->values = NULL;
  return SOTTO_OK;
}

static sotto_status play_receive(void *state, sotto_i_message *out, sotto_error *err) {
  script *s = state;
  return s->next(s->context, out, err);
}

static void play_close(void *state, const char *reason) {
  (void)state;
  (void)reason;
}

static void play_free(void *state) {
  (void)state;
}

sotto_status script_link(sotto_link **out, script *s, sotto_error *err) {
  static const sotto_i_transport transport = {play_send, play_receive, play_close, play_free};
  return sotto_i_link_new(out, &transport, s, err);
}

sotto_status script_message(sotto_i_message *out, sotto_wire_kind kind, const char *name, const void *data,
                            size_t rows, size_t cols, sotto_error *err) {
  *out = (sotto_i_message){.kind = (uint8_t)kind, .rows = rows, .cols = cols};
  (void)snprintf(out->name, sizeof out->name, "%s", name);
  sotto_status status = sotto_i_new_raw(&out->values, rows * cols, 4, err);
  if (status == SOTTO_OK && rows * cols > 0) memcpy(out->values, data, rows * cols * 4);
  return status;
}
