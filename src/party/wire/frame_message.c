/* Encoding and decoding of frames, by protobuf-c. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "frame.h"
#include "inside/party.h"
#include "sotto.pb-c.h"

typedef Sotto__Wire__Frame wire_frame;

/* No run has so many; a larger number could not be increased. */
static const uint64_t most_attempts = UINT64_C(1) << 53;

/* Passes bytes to protobuf-c, which does not write through the pointer. */
static ProtobufCBinaryData lend(const uint8_t *bytes, size_t size) {
  return (ProtobufCBinaryData){.len = size, .data = (uint8_t *)(uintptr_t)bytes};
}

static char *lend_text(const char *text) {
  return (char *)(uintptr_t)text;
}

static void fill_hello(Sotto__Wire__Hello *to, const sotto_i_hello *from) {
  static const uint8_t none[16];
  to->protocol = from->protocol;
  to->version = lend_text(from->version);
  to->role = lend_text(from->role);
  to->terms = from->terms;
  to->nodes = lend(from->nodes, sizeof from->nodes);
  to->self = lend(from->self, sizeof from->self);
  to->session = lend(from->session, memcmp(from->session, none, sizeof none) == 0 ? 0 : sizeof from->session);
  to->received = from->received;
  to->seed = from->progress.seed;
  to->stage = from->progress.stage;
  to->check = from->check;
  to->busy = from->busy;
  to->attempt = from->attempt;
}

static size_t pack(uint8_t *out, const wire_frame *frame, size_t bulk) {
  size_t size = protobuf_c_message_get_packed_size(&frame->base);
  SOTTO_I_CHECK(size <= SOTTO_I_MOST_BODY);
  uint32_t lengths[2] = {(uint32_t)size, (uint32_t)bulk};
  memcpy(out, lengths, sizeof lengths);
  return SOTTO_I_PREFIX + protobuf_c_message_pack(&frame->base, out + SOTTO_I_PREFIX);
}

size_t sotto_i_frame_encode(uint8_t out[SOTTO_I_PREFIX + SOTTO_I_MOST_BODY], const sotto_i_frame *frame,
                            size_t bulk) {
  wire_frame f = SOTTO__WIRE__FRAME__INIT;
  Sotto__Wire__Hello hello = SOTTO__WIRE__HELLO__INIT;
  Sotto__Wire__Payload payload = SOTTO__WIRE__PAYLOAD__INIT;
  Sotto__Wire__Chunk chunk = SOTTO__WIRE__CHUNK__INIT;
  Sotto__Wire__Finished finished = SOTTO__WIRE__FINISHED__INIT;
  Sotto__Wire__Ack ack = SOTTO__WIRE__ACK__INIT;
  Sotto__Wire__Beat beat = SOTTO__WIRE__BEAT__INIT;
  Sotto__Wire__Stop stop = SOTTO__WIRE__STOP__INIT;
  f.what_case = (Sotto__Wire__Frame__WhatCase)(frame->kind + 1); /* both follow the schema's order */
  switch (frame->kind) {
  case SOTTO_I_FRAME_HELLO:
    fill_hello(&hello, &frame->hello);
    f.hello = &hello;
    break;
  case SOTTO_I_FRAME_PAYLOAD:
    payload.number = frame->number;
    payload.kind = frame->header.kind;
    payload.format = frame->header.format;
    payload.name = lend_text(frame->header.name);
    payload.rows = frame->header.rows;
    payload.cols = frame->header.cols;
    f.payload = &payload;
    break;
  case SOTTO_I_FRAME_CHUNK:
    chunk.number = frame->number;
    f.chunk = &chunk;
    break;
  case SOTTO_I_FRAME_FINISHED:
    finished.number = frame->number;
    f.finished = &finished;
    break;
  case SOTTO_I_FRAME_ACK:
    ack.number = frame->number;
    f.ack = &ack;
    break;
  case SOTTO_I_FRAME_BEAT:
    f.beat = &beat;
    break;
  case SOTTO_I_FRAME_STOP:
    stop.reason = lend_text(frame->reason);
    f.stop = &stop;
    break;
  }
  return pack(out, &f, bulk);
}

/* Copies text that fits and has no characters that would mislead a reader of a terminal or a log. */
static bool take_text(char *out, size_t room, const char *text, bool lines) {
  size_t length = text == NULL ? 0 : strlen(text);
  if (length >= room) return false;
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)text[i];
    if ((c < ' ' && !(lines && c == '\n')) || c == 0x7f) return false;
    out[i] = text[i];
  }
  out[length] = '\0';
  return true;
}

static bool take_bytes(uint8_t *out, size_t size, const ProtobufCBinaryData *bytes, bool optional) {
  if (optional && bytes->len == 0) {
    memset(out, 0, size);
    return true;
  }
  if (bytes->len != size) return false;
  memcpy(out, bytes->data, size);
  return true;
}

/* Decodes a Hello of another protocol: the number, the version and, if valid, the role, which is enough to
 * name it in a refusal. docs/protocol.md lists the fields that all protocols share. */
static bool take_other(sotto_i_hello *out, const Sotto__Wire__Hello *h) {
  if (!take_text(out->role, sizeof out->role, h->role, false)) out->role[0] = '\0';
  return take_text(out->version, sizeof out->version, h->version, false);
}

static bool take_hello(sotto_i_hello *out, const Sotto__Wire__Hello *h, sotto_error *err) {
  if (strlen(h->terms) > SOTTO_I_MOST_TERMS ||
      sotto_i_new(&out->terms, strlen(h->terms) + 1, 1, err) != SOTTO_OK)
    return false;
  out->protocol = h->protocol;
  if (h->protocol != SOTTO_I_PROTOCOL) return take_other(out, h);
  out->received = h->received;
  out->progress = (sotto_progress){h->seed, h->stage};
  out->check = h->check != 0;
  out->busy = h->busy != 0;
  out->attempt = h->attempt;
  return h->attempt < most_attempts && take_text(out->terms, strlen(h->terms) + 1, h->terms, true) &&
         take_text(out->version, sizeof out->version, h->version, false) &&
         take_text(out->role, sizeof out->role, h->role, false) &&
         take_bytes(out->nodes, sizeof out->nodes, &h->nodes, false) &&
         take_bytes(out->self, sizeof out->self, &h->self, false) &&
         take_bytes(out->session, sizeof out->session, &h->session, true);
}

static bool take_payload(sotto_i_frame *out, const Sotto__Wire__Payload *p) {
  uint64_t bytes;
  out->number = p->number;
  if (p->kind >= SOTTO_WIRE_KINDS || p->format >= SOTTO_FORMATS) return false;
  out->header = (sotto_i_header){
      .kind = (uint8_t)p->kind, .format = (uint8_t)p->format, .rows = p->rows, .cols = p->cols};
  return take_text(out->header.name, sizeof out->header.name, p->name, false) &&
         sotto_i_payload_bytes(&bytes, &out->header);
}

static bool take_frame(sotto_i_frame *out, const wire_frame *f, sotto_error *err) {
  out->kind = (sotto_i_frame_kind)(f->what_case - 1);
  switch (f->what_case) {
  case SOTTO__WIRE__FRAME__WHAT_HELLO:
    return take_hello(&out->hello, f->hello, err);
  case SOTTO__WIRE__FRAME__WHAT_PAYLOAD:
    return take_payload(out, f->payload);
  case SOTTO__WIRE__FRAME__WHAT_CHUNK:
    out->number = f->chunk->number;
    return true;
  case SOTTO__WIRE__FRAME__WHAT_FINISHED:
    out->number = f->finished->number;
    return true;
  case SOTTO__WIRE__FRAME__WHAT_ACK:
    out->number = f->ack->number;
    return true;
  case SOTTO__WIRE__FRAME__WHAT_BEAT:
    return true;
  case SOTTO__WIRE__FRAME__WHAT_STOP:
    return take_text(out->reason, sizeof out->reason, f->stop->reason, false);
  default:
    return false;
  }
}

sotto_status sotto_i_frame_decode(sotto_i_frame *out, const uint8_t *body, size_t size, sotto_error *err) {
  *out = (sotto_i_frame){.kind = SOTTO_I_FRAME_BEAT};
  wire_frame *f = size > SOTTO_I_MOST_BODY ? NULL : sotto__wire__frame__unpack(NULL, size, body);
  bool good = f != NULL && take_frame(out, f, err);
  if (f != NULL) sotto__wire__frame__free_unpacked(f, NULL);
  if (good) return SOTTO_OK;
  sotto_i_frame_clear(out);
  return sotto_i_fail(err, SOTTO_PROTOCOL, "a frame of %zu bytes is not part of this protocol", size);
}

void sotto_i_frame_clear(sotto_i_frame *frame) {
  sotto_i_free(frame->hello.terms);
  frame->hello.terms = NULL;
}
