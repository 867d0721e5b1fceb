/* FILE.made of an artifact: five lines, written after the artifact, whole or not at all. */
#include "draw.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/reader.h"
#include "base/text.h"

static const char ending[] = ".made", first_line[] = "sotto artifact 1\n";
enum { digest_size = 32, longest = 8192 };

static sotto_status path_of(char **out, const char *path, sotto_error *err) {
  size_t size = strlen(path) + sizeof ending;
  sotto_status status = sotto_i_new(out, size, 1, err);
  if (status == SOTTO_OK) (void)snprintf(*out, size, "%s%s", path, ending);
  return status;
}

static sotto_status digest_of(uint8_t digest[digest_size], const char *path, sotto_error *err) {
  sotto_i_reader reader;
  sotto_status status = sotto_i_reader_open(&reader, path, err);
  if (status == SOTTO_OK) status = sotto_i_reader_digest(&reader, digest, 0, reader.size, err);
  sotto_i_reader_close(&reader);
  return status;
}

/* Reads "NAME HEX\n" at *at, and moves *at behind it. */
static bool take_hex(uint8_t *out, size_t size, const char *name, const char **at, const char *end) {
  size_t length = strlen(name), used = 0;
  if ((size_t)(end - *at) < length + 2 * size + 2 || memcmp(*at, name, length) != 0) return false;
  if ((*at)[length] != ' ' || (*at)[length + 1 + 2 * size] != '\n') return false;
  if (sodium_hex2bin(out, size, *at + length + 1, 2 * size, NULL, &used, NULL) != 0 || used != size)
    return false;
  *at += length + 2 * size + 2;
  return true;
}

/* Parses the file; false when it has another form. */
static bool parse_made_file(sotto_i_draw *out, char *made, const sotto_i_map *map) {
  const char *at = (const char *)map->data, *end = at + map->size;
  if (map->size >= longest || map->size < sizeof first_line || end[-1] != '\n') return false;
  if (memcmp(at, first_line, sizeof first_line - 1) != 0) return false;
  at += sizeof first_line - 1;
  if (!take_hex(out->nonce, sizeof out->nonce, "nonce", &at, end)) return false;
  if (!take_hex(out->digest, sizeof out->digest, "digest", &at, end) || at == end) return false;
  memcpy(made, at, (size_t)(end - at) - 1);
  made[end - at - 1] = '\0';
  return true;
}

sotto_status sotto_i_draw_find(sotto_i_draw *out, bool *found, const char *path, const char *made_with,
                               sotto_error *err) {
  char *beside = NULL, made[longest];
  uint8_t digest[digest_size];
  sotto_i_map map = {0};
  sotto_status status;
  *found = false;
  SOTTO_TRY(path_of(&beside, path, err));
  if (!sotto_i_is_file(path) || !sotto_i_is_file(beside)) goto done;
  SOTTO_TRY(sotto_i_map_open(&map, beside, err));
  if (!parse_made_file(out, made, &map)) goto done;
  if (strcmp(made, made_with) != 0) {
    status = sotto_i_fail(err, SOTTO_INVALID, "%s: was made with other options; use a new run folder", path);
    goto done;
  }
  SOTTO_TRY(digest_of(digest, path, err));
  *found = memcmp(digest, out->digest, digest_size) == 0;
done:
  sotto_i_map_close(&map);
  sotto_i_free(beside);
  return status;
}

void sotto_i_draw_forget(const char *path) {
  char *beside = NULL;
  if (path_of(&beside, path, NULL) == SOTTO_OK) (void)unlink(beside);
  (void)unlink(path);
  sotto_i_free(beside);
}

sotto_status sotto_i_draw_save(sotto_i_draw *draw, const char *path, const char *made_with,
                               sotto_error *err) {
  char *beside = NULL, text[longest], nonce[2 * SOTTO_I_NONCE + 1], digest[2 * digest_size + 1];
  sotto_status status;
  SOTTO_TRY(digest_of(draw->digest, path, err));
  sotto_i_hex(nonce, draw->nonce, sizeof draw->nonce);
  sotto_i_hex(digest, draw->digest, sizeof draw->digest);
  int size = snprintf(text, sizeof text, "%snonce %s\ndigest %s\n%s\n", first_line, nonce, digest, made_with);
  SOTTO_I_CHECK(size > 0 && (size_t)size < sizeof text);
  SOTTO_TRY(path_of(&beside, path, err));
  SOTTO_TRY(sotto_i_write_file(beside, text, (size_t)size, err));
done:
  sotto_i_free(beside);
  return status;
}

void sotto_i_draw_token(char out[SOTTO_I_TOKEN_HEX], const sotto_i_draw *draw) {
  uint8_t token[16];
  crypto_generichash_state state;
  crypto_generichash_init(&state, NULL, 0, sizeof token);
  crypto_generichash_update(&state, draw->nonce, sizeof draw->nonce);
  crypto_generichash_update(&state, draw->digest, sizeof draw->digest);
  crypto_generichash_final(&state, token, sizeof token);
  sotto_i_hex(out, token, sizeof token);
}
