/* Any bytes as a stream of frames: what the cutter and the decoder take is within the limits, and comes back
 * the same when it is encoded again. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "party/wire/frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_frame(const uint8_t *body, size_t size) {
  static uint8_t again[SOTTO_I_PREFIX + SOTTO_I_MOST_BODY];
  sotto_i_frame frame, back;
  sotto_error err = {0};
  sotto_status status = sotto_i_frame_decode(&frame, body, size, &err);
  if (status != SOTTO_OK) {
    if (err.status != status || err.text[0] == '\0') abort();
    return;
  }
  if (frame.kind > SOTTO_I_FRAME_STOP || memchr(frame.reason, '\0', sizeof frame.reason) == NULL) abort();
  if (frame.kind == SOTTO_I_FRAME_PAYLOAD) {
    uint64_t bytes;
    if (frame.header.kind >= SOTTO_WIRE_KINDS || !sotto_i_payload_bytes(&bytes, &frame.header)) abort();
  }
  size_t length = sotto_i_frame_encode(again, &frame, 0);
  if (sotto_i_frame_decode(&back, again + SOTTO_I_PREFIX, length - SOTTO_I_PREFIX, NULL) != SOTTO_OK) abort();
  if (back.kind != frame.kind || back.number != frame.number || strcmp(back.reason, frame.reason) != 0 ||
      memcmp(&back.header, &frame.header, sizeof back.header) != 0)
    abort();
  if (frame.kind == SOTTO_I_FRAME_HELLO && strcmp(frame.hello.terms, back.hello.terms) != 0) abort();
  sotto_i_frame_clear(&frame);
  sotto_i_frame_clear(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sotto_i_cutter cutter = {.bulk_allowed = size > 0 && (data[0] & 1) != 0};
  check_frame(data, size);
  while (size > 0) {
    size_t room;
    bool whole;
    uint8_t *place = sotto_i_cutter_place(&cutter, &room);
    if (room == 0 || room > SOTTO_I_CHUNK) abort();
    if (room > size) room = size;
    memcpy(place, data, room);
    data += room;
    size -= room;
    if (sotto_i_cutter_got(&cutter, room, &whole, NULL) != SOTTO_OK) break;
    if (!whole) continue;
    check_frame(cutter.body, cutter.body_size);
    sotto_i_cutter_next(&cutter);
  }
  sotto_i_cutter_next(&cutter);
  return 0;
}
