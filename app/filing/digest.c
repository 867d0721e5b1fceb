/* SHA-256 of a file, as sha256sum prints it. */
#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "parts.h"

sotto_status filing_digest(char out[65], const char *path, sotto_error *err) {
  unsigned char block[16384], digest[crypto_hash_sha256_BYTES];
  crypto_hash_sha256_state state;
  FILE *file = fopen(path, "re");
  if (file == NULL) return sotto_i_fail(err, SOTTO_IO, "%s: could not open it: %s", path, strerror(errno));
  (void)crypto_hash_sha256_init(&state);
  for (size_t size; (size = fread(block, 1, sizeof block, file)) > 0;)
    (void)crypto_hash_sha256_update(&state, block, size);
  const bool failed = ferror(file) != 0;
  (void)fclose(file);
  (void)crypto_hash_sha256_final(&state, digest);
  sotto_i_hex(out, digest, sizeof digest);
  return failed ? sotto_i_fail(err, SOTTO_IO, "%s: could not read it", path) : SOTTO_OK;
}
