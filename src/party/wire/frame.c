/* Splitting a stream into frames, and their allowed order. */
#include "frame.h"

#include <string.h>

#include "base/memory.h"

uint8_t *sotto_i_cutter_place(sotto_i_cutter *c, size_t *room) {
  size_t at = c->at;
  if (at < SOTTO_I_PREFIX) {
    *room = SOTTO_I_PREFIX - at;
    return c->prefix + at;
  }
  at -= SOTTO_I_PREFIX;
  if (at < c->body_size) {
    *room = c->body_size - at;
    return c->body + at;
  }
  at -= c->body_size;
  *room = c->bulk_size - at;
  return c->bulk + at;
}

/* Checks the lengths, and allocates memory for them. */
static sotto_status read_prefix(sotto_i_cutter *c, sotto_error *err) {
  sotto_status status;
  memcpy(&c->body_size, c->prefix, 4);
  memcpy(&c->bulk_size, c->prefix + 4, 4);
  if (c->body_size == 0 || c->body_size > SOTTO_I_MOST_BODY)
    return sotto_i_fail(err, SOTTO_PROTOCOL, "a frame claims a body of %u bytes; 1 to %d are allowed",
                        c->body_size, SOTTO_I_MOST_BODY);
  if (c->bulk_size > (c->bulk_allowed ? SOTTO_I_CHUNK : 0))
    return sotto_i_fail(err, SOTTO_PROTOCOL, "a frame claims a bulk of %u bytes; at most %d are allowed here",
                        c->bulk_size, c->bulk_allowed ? SOTTO_I_CHUNK : 0);
  SOTTO_TRY(sotto_i_new_raw(&c->body, c->body_size, 1, err));
  if (c->bulk_size > 0) SOTTO_TRY(sotto_i_new_raw(&c->bulk, c->bulk_size, 1, err));
done:
  return status;
}

sotto_status sotto_i_cutter_got(sotto_i_cutter *c, size_t size, bool *whole, sotto_error *err) {
  *whole = false;
  c->at += size;
  if (c->at < SOTTO_I_PREFIX) return SOTTO_OK;
  if (c->at == SOTTO_I_PREFIX) return read_prefix(c, err);
  *whole = c->at == (size_t)SOTTO_I_PREFIX + c->body_size + c->bulk_size;
  return SOTTO_OK;
}

void sotto_i_cutter_next(sotto_i_cutter *c) {
  sotto_i_free(c->body);
  sotto_i_free(c->bulk);
  *c = (sotto_i_cutter){.bulk_allowed = c->bulk_allowed};
}

const sotto_i_frame_rule *sotto_i_frame_rule_of(sotto_i_frame_kind kind) {
  static const sotto_i_frame_rule rules[SOTTO_I_FRAME_KINDS] = {
      [SOTTO_I_FRAME_HELLO] = {"Hello", true, false, false, SOTTO_I_MOST_BODY, 0},
      [SOTTO_I_FRAME_PAYLOAD] = {"Payload", false, true, true, 128, 0},
      [SOTTO_I_FRAME_CHUNK] = {"Chunk", false, true, true, 16, SOTTO_I_CHUNK},
      [SOTTO_I_FRAME_FINISHED] = {"Finished", false, true, true, 16, 0},
      [SOTTO_I_FRAME_ACK] = {"Ack", false, true, false, 16, 0},
      [SOTTO_I_FRAME_BEAT] = {"Beat", false, true, false, 16, 0},
      [SOTTO_I_FRAME_STOP] = {"Stop", true, true, false, 264, 0},
  };
  SOTTO_I_CHECK((unsigned)kind < SOTTO_I_FRAME_KINDS);
  return &rules[kind];
}

sotto_status sotto_i_frame_may_come(const sotto_i_frame *frame, bool first, size_t body, size_t bulk,
                                    sotto_error *err) {
  const sotto_i_frame_rule *rule = sotto_i_frame_rule_of(frame->kind);
  if (!(first ? rule->first : rule->later))
    return sotto_i_fail(err, SOTTO_PROTOCOL, "a %s may not come %s", rule->name,
                        first ? "before the greeting" : "after the greeting");
  if (body > rule->most_body)
    return sotto_i_fail(err, SOTTO_PROTOCOL, "a %s has a body of %zu bytes; at most %u are allowed",
                        rule->name, body, rule->most_body);
  if (bulk > rule->most_bulk)
    return sotto_i_fail(err, SOTTO_PROTOCOL, "a %s has a bulk of %zu bytes; at most %u are allowed",
                        rule->name, bulk, rule->most_bulk);
  return SOTTO_OK;
}
