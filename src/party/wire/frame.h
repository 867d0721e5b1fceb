/* Frames: splitting a stream of bytes into frames, encoding and decoding their bodies. No sockets here. */
#ifndef SOTTO_SRC_PARTY_WIRE_FRAME_H
#define SOTTO_SRC_PARTY_WIRE_FRAME_H

#include "inside/party.h"
#include "link/transport.h"

enum {
  SOTTO_I_PREFIX = 8,
  SOTTO_I_MOST_BODY = 32768, /* a Hello with all options takes a tenth of it */
  SOTTO_I_CHUNK = 1 << 18,   /* most bytes of bulk */
  SOTTO_I_MOST_TERMS = 24576,
};

typedef enum sotto_i_frame_kind {
  SOTTO_I_FRAME_HELLO,
  SOTTO_I_FRAME_PAYLOAD,
  SOTTO_I_FRAME_CHUNK,
  SOTTO_I_FRAME_FINISHED,
  SOTTO_I_FRAME_ACK,
  SOTTO_I_FRAME_BEAT,
  SOTTO_I_FRAME_STOP
} sotto_i_frame_kind;

enum { SOTTO_I_PROTOCOL = 8 };

typedef struct sotto_i_hello {
  uint32_t protocol;
  char version[32], role[16];
  char *terms; /* borrowed when encoded; owned, from sotto_i_new, when decoded */
  uint8_t nodes[32];
  uint8_t self[16], session[16]; /* session: zeros when there is none */
  uint64_t received;
  sotto_progress progress;
  bool check, busy;
  uint64_t attempt;
} sotto_i_hello;

/* A frame; its other members depend on `kind`. */
typedef struct sotto_i_frame {
  sotto_i_frame_kind kind;
  uint64_t number;
  sotto_i_header header;
  sotto_i_hello hello;
  char reason[256];
} sotto_i_frame;

/* When a frame of a kind is allowed and how large it may be; docs/protocol.md has the same table. */
typedef struct sotto_i_frame_rule {
  const char *name;
  bool first;   /* as the first of a connection */
  bool later;   /* after it */
  bool counted; /* numbered, and part of the window */
  uint32_t most_body, most_bulk;
} sotto_i_frame_rule;
enum { SOTTO_I_FRAME_KINDS = SOTTO_I_FRAME_STOP + 1 };
const sotto_i_frame_rule *sotto_i_frame_rule_of(sotto_i_frame_kind kind);
/* Errors: PROTOCOL, naming the frame. */
sotto_status sotto_i_frame_may_come(const sotto_i_frame *frame, bool first, size_t body, size_t bulk,
                                    sotto_error *err);

/* Writes prefix and body into `out`; the bulk is sent separately. Returns their size. */
size_t sotto_i_frame_encode(uint8_t out[SOTTO_I_PREFIX + SOTTO_I_MOST_BODY], const sotto_i_frame *frame,
                            size_t bulk);
/* Errors: PROTOCOL (not a Frame, or a field out of its range), NOMEM. Free with sotto_i_frame_clear. */
sotto_status sotto_i_frame_decode(sotto_i_frame *out, const uint8_t *body, size_t size, sotto_error *err);
void sotto_i_frame_clear(sotto_i_frame *frame);

/* Splits a stream of bytes into frames: ask for the place of the next bytes, read into it, report their
 * number. */
typedef struct sotto_i_cutter {
  uint8_t prefix[SOTTO_I_PREFIX];
  uint8_t *body, *bulk; /* owned; allocated after their lengths were checked */
  uint32_t body_size, bulk_size;
  size_t at; /* position in prefix, body and bulk together */
  bool bulk_allowed;
} sotto_i_cutter;

/* At most *room bytes may be written to the returned place; *room is never 0. */
uint8_t *sotto_i_cutter_place(sotto_i_cutter *cutter, size_t *room);
/* *whole: a frame is complete; use it (take `bulk` by setting it to NULL) and call _next. Errors: PROTOCOL (a
 * length beyond the limits), NOMEM. */
sotto_status sotto_i_cutter_got(sotto_i_cutter *cutter, size_t size, bool *whole, sotto_error *err);
void sotto_i_cutter_next(sotto_i_cutter *cutter);

#endif
