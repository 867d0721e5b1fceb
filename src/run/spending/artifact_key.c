/* Keys as artifacts: 32 bytes, and a file with their origin. */
#include "artifact_key.h"

#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"

enum { key_bytes = 33, name_bytes = 8 };

typedef struct using {
  sotto_i_drawn_key *out;
  uint64_t number;
}
using;

static sotto_status make(void *context, const char *path, const sotto_key *key, sotto_error *err) {
  uint8_t bytes[key_bytes];
  sotto_key own;
  sotto_i_key_derive(&own, key, ((using *)context)->number);
  memcpy(bytes, own.bytes, sizeof own.bytes);
  bytes[key_bytes - 1] = (uint8_t)own.origin;
  sotto_status status = sotto_i_write_file(path, bytes, sizeof bytes, err);
  sodium_memzero(bytes, sizeof bytes);
  sotto_key_wipe(&own);
  return status;
}

static sotto_status load(void *context, const char *path, const sotto_i_receipt *receipt, sotto_error *err) {
  sotto_i_drawn_key *out = ((using *)context)->out;
  uint8_t digest[16];
  sotto_i_map map = {.data = NULL};
  sotto_status status = sotto_i_map_open(&map, path, err);
  if (status != SOTTO_OK) return status;
  if (map.size == key_bytes) {
    memcpy(out->key.bytes, map.data, sizeof out->key.bytes);
    out->key.origin = (sotto_key_origin)map.data[key_bytes - 1];
    crypto_generichash(digest, sizeof digest, map.data, key_bytes, NULL, 0);
    sotto_i_hex(out->name, digest, name_bytes);
    out->receipt = *receipt;
  } else {
    status = sotto_i_fail(err, SOTTO_CORRUPT, "%s: %zu bytes are no key", path, map.size);
  }
  sotto_i_map_close(&map);
  return status;
}

/* Items that are made once lie in the run's folder (artifact.c). */
static sotto_status make_folder(const sotto_i_artifact *a, sotto_error *err) {
  const bool once = a->item != SOTTO_I_NO_ITEM && a->job->cost->items[a->item].once;
  char *folder = NULL;
  sotto_status status =
      sotto_i_join(&folder, once ? a->job->options->out : a->job->folder, "owner-only", err);
  if (status == SOTTO_OK) status = sotto_i_make_folder(folder, err);
  sotto_i_free(folder);
  return status;
}

sotto_status sotto_i_artifact_key_use(sotto_i_drawn_key *out, const sotto_i_artifact *artifact,
                                      uint64_t number, sotto_error *err) {
  using u = {out, number};
  sotto_i_artifact a = *artifact;
  a.context = &u;
  a.make = make;
  a.load = load;
  sotto_status status = make_folder(&a, err);
  return status == SOTTO_OK ? sotto_i_artifact_use(&a, err) : status;
}
