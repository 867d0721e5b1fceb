/* The owner's key, and the stored heads of ledgers next to it.
 *
 * Locking: whoever writes a head holds the file LOCK in the folder of heads, so that a head never goes back.
 * Heads are replaced whole, and are read without the lock. */
#include "owner.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

static const char key_form[] = "sotto ledger key 1\n";
enum { form_size = sizeof key_form - 1, key_size = form_size + 64 + 1, longest_path = SOTTO_I_WITNESS_PATH };

static sotto_status key_path(char **out, sotto_error *err) {
  const char *given = getenv("SOTTO_LEDGER_KEY"), *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
  if (given != NULL && given[0] != '\0') return sotto_i_strdup(out, given, err);
  if (config != NULL && config[0] == '/') return sotto_i_join(out, config, "sotto/ledger.key", err);
  if (home != NULL && home[0] != '\0') return sotto_i_join(out, home, ".config/sotto/ledger.key", err);
  return sotto_i_fail(err, SOTTO_IO,
                      "no place for the key of the ledger's owner: set SOTTO_LEDGER_KEY to a path");
}

static sotto_status make_folder_of(const char *path, sotto_error *err) {
  char folder[longest_path];
  (void)snprintf(folder, sizeof folder, "%s", path);
  char *slash = strrchr(folder, '/');
  if (slash == NULL || slash == folder) return SOTTO_OK;
  *slash = '\0';
  return sotto_i_is_folder(folder) ? SOTTO_OK : sotto_i_make_folder(folder, err);
}

/* Writes the key to a temporary file and links it to its place, so that nobody reads half of it and two
 * processes get one key. */
static sotto_status make_key(const char *path, sotto_error *err) {
  uint8_t seed[32];
  char text[key_size + 1], hex[65], draft[longest_path];
  sotto_status status;
  SOTTO_TRY(make_folder_of(path, err));
  randombytes_buf(seed, sizeof seed);
  sotto_i_hex(hex, seed, sizeof seed);
  (void)snprintf(text, sizeof text, "%s%s\n", key_form, hex);
  (void)snprintf(draft, sizeof draft, "%.4000s.%ld", path, (long)getpid());
  SOTTO_TRY(sotto_i_write_file(draft, text, key_size, err));
  if (chmod(draft, 0600) != 0 || (link(draft, path) != 0 && errno != EEXIST))
    status = sotto_i_fail(err, SOTTO_IO, "%s: could not write the key of the ledger's owner: %s", path,
                          sotto_i_errno_text(errno));
  (void)unlink(draft);
done:
  sodium_memzero(seed, sizeof seed);
  sodium_memzero(text, sizeof text);
  sodium_memzero(hex, sizeof hex);
  return status;
}

/* Anyone who reads the key can sign heads, and anyone who writes it can become the owner. */
static sotto_status check_private(const char *path, sotto_error *err) {
  struct stat info;
  if (stat(path, &info) == 0 && (info.st_mode & (S_IRWXG | S_IRWXO)) == 0) return SOTTO_OK;
  return sotto_i_fail(
      err, SOTTO_INVALID,
      "%s: others may read or change the key of the ledger's owner; run `chmod 600 %s`, and if "
      "they did, export the ledger and compare it with what you know",
      path, path);
}

sotto_status sotto_i_owner_open(sotto_i_owner *out, bool make, sotto_error *err) {
  sotto_i_map map = {0};
  uint8_t seed[32];
  size_t used = 0;
  sotto_status status;
  *out = (sotto_i_owner){.path = NULL};
  SOTTO_I_CHECK(sodium_init() >= 0);
  SOTTO_TRY(key_path(&out->path, err));
  if (!sotto_i_is_file(out->path)) {
    if (!make) {
      status = sotto_i_fail(err, SOTTO_NOT_FOUND,
                            "%s: the key of the ledger's owner is missing; put it there from your backup, or "
                            "name its place in SOTTO_LEDGER_KEY",
                            out->path);
      goto done;
    }
    SOTTO_TRY(make_key(out->path, err));
  }
  SOTTO_TRY(check_private(out->path, err));
  SOTTO_TRY(sotto_i_map_open(&map, out->path, err));
  if (map.size != key_size || memcmp(map.data, key_form, form_size) != 0 ||
      sodium_hex2bin(seed, sizeof seed, (const char *)map.data + form_size, 64, NULL, &used, NULL) != 0 ||
      used != sizeof seed) {
    status = sotto_i_fail(err, SOTTO_CORRUPT,
                          "%s: is not the key of a ledger's owner; put it there from your backup", out->path);
    goto done;
  }
  (void)crypto_sign_seed_keypair(out->public_key, out->secret_key, seed);
done:
  sodium_memzero(seed, sizeof seed);
  sotto_i_map_close(&map);
  if (status != SOTTO_OK) sotto_i_owner_close(out);
  return status;
}

void sotto_i_owner_close(sotto_i_owner *owner) {
  sodium_memzero(owner->secret_key, sizeof owner->secret_key);
  sotto_i_free(owner->path);
  owner->path = NULL;
}

/* The signed text of a head. */
static int head_text(char out[256], const sotto_i_head *head) {
  char ledger[65], hash[65];
  sotto_i_hex(ledger, head->ledger, 32);
  sotto_i_hex(hash, head->hash, 32);
  return snprintf(out, 256, "sotto ledger head 1 %s %llu %s", ledger, (unsigned long long)head->count, hash);
}

void sotto_i_head_sign(sotto_i_head *head, const sotto_i_owner *owner) {
  char text[256];
  int length = head_text(text, head);
  (void)crypto_sign_detached(head->signature, NULL, (const uint8_t *)text, (unsigned long long)length,
                             owner->secret_key);
}

bool sotto_i_head_holds(const sotto_i_head *head, const uint8_t public_key[32]) {
  char text[256];
  int length = head_text(text, head);
  return crypto_sign_verify_detached(head->signature, (const uint8_t *)text, (unsigned long long)length,
                                     public_key) == 0;
}

static void heads_path(char out[longest_path], const sotto_i_owner *owner, const char *name) {
  (void)snprintf(out, longest_path, "%.3900s.heads/%s", owner->path, name);
}

void sotto_i_witness_path(char out[SOTTO_I_WITNESS_PATH], const sotto_i_owner *owner,
                          const uint8_t ledger[32]) {
  char name[65];
  sotto_i_hex(name, ledger, 32);
  heads_path(out, owner, name);
}

/* Reads the form "COUNT HASH SIGNATURE\n". */
sotto_status sotto_i_witness_read(sotto_i_head *out, bool *found, const sotto_i_owner *owner,
                                  const uint8_t ledger[32], sotto_error *err) {
  char path[longest_path], text[256] = "", hash[65], signature[129];
  unsigned long long count = 0;
  size_t used = 0;
  sotto_i_map map;
  sotto_i_witness_path(path, owner, ledger);
  *found = sotto_i_is_file(path);
  if (!*found) return SOTTO_OK;
  sotto_status status = sotto_i_map_open(&map, path, err);
  if (status != SOTTO_OK) return status;
  if (map.size > 0 && map.size < sizeof text) memcpy(text, map.data, map.size);
  *found = map.size > 0;
  sotto_i_map_close(&map);
  if (!*found) return SOTTO_OK;
  memcpy(out->ledger, ledger, 32);
  bool good = sscanf(text, "%20llu %64s %128s", &count, hash, signature) == 3 &&
              sodium_hex2bin(out->hash, 32, hash, strlen(hash), NULL, &used, NULL) == 0 && used == 32 &&
              sodium_hex2bin(out->signature, SOTTO_I_SIGNATURE, signature, strlen(signature), NULL, &used,
                             NULL) == 0 &&
              used == SOTTO_I_SIGNATURE;
  out->count = count;
  if (good && sotto_i_head_holds(out, owner->public_key)) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_CORRUPT, "%s: was not written with the key of the ledger's owner", path);
}

/* Replaces the head, whole, by a rename. It is not synced: after a power loss an older head may remain, or an
 * empty file, which counts as none. */
static sotto_status replace_head(const char *path, const sotto_i_head *head, sotto_error *err) {
  char text[256], hash[65], signature[129], draft[longest_path];
  sotto_i_hex(hash, head->hash, 32);
  sotto_i_hex(signature, head->signature, SOTTO_I_SIGNATURE);
  int length = snprintf(text, sizeof text, "%llu %s %s\n", (unsigned long long)head->count, hash, signature);
  (void)snprintf(draft, sizeof draft, "%.4000s.new", path);
  (void)unlink(draft); /* of a process that was killed; this one has the lock */
  int file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  bool good = file >= 0 && write(file, text, (size_t)length) == length;
  if (file >= 0) good = close(file) == 0 && good;
  if (good && rename(draft, path) == 0) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_IO, "%s: could not write it: %s", draft, sotto_i_errno_text(errno));
}

sotto_status sotto_i_witness_write(const sotto_i_head *head, const sotto_i_owner *owner, sotto_error *err) {
  char path[longest_path];
  sotto_i_head kept = {.count = 0};
  bool found = false;
  sotto_status status;
  heads_path(path, owner, "LOCK");
  SOTTO_TRY(make_folder_of(path, err));
  int lock = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (lock < 0 || flock(lock, LOCK_EX) != 0) {
    status = sotto_i_fail(err, SOTTO_IO, "%s: could not lock it: %s", path, sotto_i_errno_text(errno));
  } else {
    sotto_i_witness_path(path, owner, head->ledger);
    status = sotto_i_witness_read(&kept, &found, owner, head->ledger, err);
    if (status == SOTTO_OK && (!found || kept.count < head->count)) status = replace_head(path, head, err);
  }
  if (lock >= 0) (void)close(lock);
done:
  return status;
}
