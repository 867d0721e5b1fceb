/* Any messages from the other side: the alignment ends with a result within bounds or an error, never worse.
 * The first byte picks the role; then each message takes a kind, a name, a shape and its words from the
 * input. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "inside/party.h"
#include "party/psi/psi.h"
#include "scripted_link.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct input {
  const uint8_t *at;
  size_t left;
} input;

static size_t take(input *in, size_t bound) {
  if (in->left == 0) return 0;
  in->left--;
  return *in->at++ % bound;
}

/* Mostly the shape that is expected, so that the protocol gets on. */
static sotto_status next(void *context, script_payload *out, sotto_error *err) {
  static const struct {
    const char *name;
    sotto_wire_kind kind;
    size_t cols;
  } known[] = {{"align.nonce", SOTTO_WIRE_PUBLIC, 8},   {"align.size", SOTTO_WIRE_EXPOSED, 1},
               {"align.points", SOTTO_WIRE_SEALED, 8},  {"align.tags", SOTTO_WIRE_SEALED, 4},
               {"align.common", SOTTO_WIRE_EXPOSED, 1}, {"align.places", SOTTO_WIRE_EXPOSED, 3}};
  input *in = context;
  uint32_t words[64] = {0};
  if (in->left == 0) {
    *out = (script_payload){0};
    return sotto_i_fail(err, SOTTO_PROTOCOL, "the other side is gone");
  }
  size_t which = take(in, sizeof known / sizeof *known), rows = take(in, 5), extra = take(in, 16);
  size_t cols = extra < 14 ? known[which].cols : extra % 4, bytes = rows * cols * 4;
  for (size_t i = 0; i < bytes; i++) ((uint8_t *)words)[i] = (uint8_t)take(in, 256);
  sotto_wire_kind kind = extra == 15 ? SOTTO_WIRE_SHARE : known[which].kind;
  return script_words(out, kind, known[which].name, words, rows, cols, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static sotto_ids *ids;
  sotto_error err = {0};
  if (ids == NULL) {
    static const char text[] = "a\nb\nc\n";
    const sotto_i_source source = {"ids", (const uint8_t *)text, sizeof text - 1};
    if (sotto_i_ids_read(&ids, &source, NULL, &err) != SOTTO_OK) abort();
  }
  input in = {data, size};
  bool hub = take(&in, 2) == 1;
  script script = {.next = next, .context = &in};
  sotto_link *link = NULL;
  sotto_alignment out;
  if (script_link(&link, &script, &err) != SOTTO_OK) abort();
  sotto_status status =
      hub ? sotto_align_hub(&out, &link, 1, ids, NULL, &err) : sotto_align_leaf(&out, link, ids, NULL, &err);
  if (status == SOTTO_OK) {
    if (out.count > 3) abort();
    for (size_t i = 0; i < out.count; i++)
      if (out.rows[i] > 2) abort();
  } else if (err.status != status || out.rows != NULL) {
    abort();
  }
  sotto_alignment_free(&out);
  sotto_link_free(link);
  return 0;
}
