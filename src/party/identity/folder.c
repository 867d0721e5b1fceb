/* The folder of an identity: its paths, and the check that no other user may change it. */
#include <errno.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "identity.h"

const char *sotto_identity_folder(const char *folder) {
  if (folder != NULL && folder[0] != '\0') return folder;
  const char *given = getenv("SOTTO_PARTY");
  return given != NULL && given[0] != '\0' ? given : "party";
}

sotto_status sotto_i_identity_path(char **out, const char *folder, const char *name, sotto_error *err) {
  return sotto_i_join(out, sotto_identity_folder(folder), name, err);
}

bool sotto_i_party_name_ok(const char *name) {
  static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
  size_t length = strlen(name);
  return length > 0 && length < 64 && name[0] != '.' && strspn(name, allowed) == length;
}

sotto_status sotto_i_party_name_check(const char *name, sotto_error *err) {
  if (sotto_i_party_name_ok(name)) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID,
                      "'%.64s' cannot name a party: 1 to 63 letters, digits, '-', '.' and '_'", name);
}

sotto_status sotto_i_trust_path(char **out, const char *folder, const char *peer, sotto_error *err) {
  char name[80];
  sotto_status status = sotto_i_party_name_check(peer, err);
  if (status != SOTTO_OK) return status;
  (void)snprintf(name, sizeof name, "trust/%s.crt", peer);
  return sotto_i_identity_path(out, folder, name, err);
}

sotto_status sotto_i_private_check(const char *path, bool secret, sotto_error *err) {
  struct stat info;
  if (stat(path, &info) != 0) {
    if (errno == ENOENT) return SOTTO_OK;
    return sotto_i_fail(err, SOTTO_IO, "%s: %s", path, sotto_i_errno_text(errno));
  }
  if (info.st_uid != geteuid() && info.st_uid != 0)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "%s: belongs to another user, who could put other keys there; run `chown -R` on the "
                        "folder, or work as that user",
                        path);
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "%s: others may write to it, and could put other keys there; look at what is in it, "
                        "then run `chmod go-w %s`",
                        path, path);
  if (secret && (info.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "%s: others may read this key; run `chmod 600 %s`, and make a new one if they did",
                        path, path);
  return SOTTO_OK;
}

sotto_status sotto_i_identity_private(const char *folder, sotto_error *err) {
  static const struct {
    const char *name;
    bool secret;
  } rows[] = {{"trust", false}, {"own.crt", false}, {"revoked", false}, {"key.pem", true}, {"key.uri", true}};
  sotto_status status = sotto_i_private_check(sotto_identity_folder(folder), false, err);
  for (size_t i = 0; status == SOTTO_OK && i < sizeof rows / sizeof *rows; i++) {
    char *path = NULL;
    status = sotto_i_identity_path(&path, folder, rows[i].name, err);
    if (status == SOTTO_OK) status = sotto_i_private_check(path, rows[i].secret, err);
    sotto_i_free(path);
  }
  return status;
}

sotto_status sotto_i_identity_write(BIO *bio, const char *folder, const char *name, sotto_error *err) {
  char *path = NULL, *data = NULL;
  long size = BIO_get_mem_data(bio, &data);
  sotto_status status = sotto_i_identity_path(&path, folder, name, err);
  if (status == SOTTO_OK) status = sotto_i_write_file(path, data, (size_t)size, err);
  sotto_i_free(path);
  return status;
}

void sotto_i_tls_error_text(char *out, size_t size) {
  unsigned long code = ERR_peek_last_error();
  const char *reason = code == 0                ? NULL
                       : ERR_SYSTEM_ERROR(code) ? strerror((int)ERR_GET_REASON(code))
                                                : ERR_reason_error_string(code);
  (void)snprintf(out, size, "%s", reason == NULL ? "the connection was closed" : reason);
  ERR_clear_error();
}

sotto_status sotto_i_tls_fail(sotto_error *err, sotto_status status, const char *doing) {
  char words[160];
  sotto_i_tls_error_text(words, sizeof words);
  return sotto_i_fail(err, status, "%s: %s", doing, words);
}
