/* Any order of frames towards a session: it takes what may come, and refuses the rest without harm. Two bytes
 * are a frame: what it is, and a number. */
#include <stdlib.h>

#include "base/memory.h"
#include "inside/party.h"
#include "party/wire/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void take(sotto_i_wire_session *s, uint8_t what, uint8_t number) {
  uint8_t *bulk = NULL;
  size_t size = (what >> 4) & 7U;
  sotto_i_frame frame = {.kind = (sotto_i_frame_kind)(SOTTO_I_FRAME_PAYLOAD + what % 3), .number = number};
  frame.header = (sotto_i_header){.rows = number % 4U, .cols = what >> 6};
  if (size > 0 && sotto_i_new(&bulk, size, 1, NULL) != SOTTO_OK) abort();
  uint64_t before = s->received;
  sotto_status status = sotto_i_session_take(s, &frame, &bulk, size, NULL);
  if (status == SOTTO_OK && s->received != before && s->received != before + 1) abort();
  if (status != SOTTO_OK && s->received != before) abort();
  sotto_i_free(bulk);
}

static void step(sotto_i_wire_session *s, uint8_t what, uint8_t number) {
  uint64_t ack;
  bool anew;
  sotto_i_item *item = NULL;
  switch (what % 8) {
  case 0:
    (void)sotto_i_session_acked(s, number, NULL);
    break;
  case 1:
    (void)sotto_i_session_resume(s, number, NULL);
    break;
  case 2:
    if (number == 255) sotto_i_session_begin(s, 0, (sotto_progress){0, 0});
    break;
  case 3:
    (void)sotto_i_session_ack_due(s, &ack);
    if (sotto_i_session_next(s) != NULL) sotto_i_session_sent(s);
    break;
  case 4:
    if (s->out.cost + SOTTO_I_FRAME_COST > s->window) break; /* it would wait */
    if (sotto_i_new(&item, 1, sizeof *item, NULL) != SOTTO_OK) abort();
    item->kind = SOTTO_I_FRAME_FINISHED;
    (void)sotto_i_session_push(s, s->generation, item, &anew, NULL);
    break;
  case 5:
    if (s->in.first != NULL && sotto_i_session_get(s, s->generation, &item, &anew, NULL) == SOTTO_OK)
      sotto_i_item_free(item);
    break;
  default:
    take(s, what, number);
  }
  if (s->acked > s->sent || s->sent > s->numbered || s->consumed > s->received) abort();
  if (s->in.cost > s->window) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sotto_i_wire_session session;
  if (sotto_i_session_init(&session, NULL) != SOTTO_OK) return 0;
  session.window = 2048; /* a few frames */
  sotto_i_session_begin(&session, 0, (sotto_progress){0, 0});
  for (size_t i = 0; i + 1 < size; i += 2) step(&session, data[i], data[i + 1]);
  sotto_i_session_destroy(&session);
  return 0;
}
