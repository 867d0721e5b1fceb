/* Trusted parties: adding, listing, revoking. */
#include <dirent.h>
#include <errno.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "identity.h"

/* The name under which this certificate is trusted. */
static sotto_status trusted_name(char name[64], X509 *certificate, const char *path, const char *as,
                                 sotto_error *err) {
  if (as == NULL) return sotto_i_certificate_name(name, certificate, path, err);
  sotto_status status = sotto_i_party_name_check(as, err);
  if (status != SOTTO_OK) return status;
  if (X509_check_ca(certificate) == 0) {
    status = sotto_i_certificate_name(name, certificate, path, err);
    if (status == SOTTO_OK && strcmp(name, as) != 0)
      status = sotto_i_fail(err, SOTTO_INVALID,
                            "%s: is the certificate of '%s'; only an authority can be given another name",
                            path, name);
    return status;
  }
  (void)snprintf(name, 64, "%s", as);
  return SOTTO_OK;
}

/* Calls `take` for each name in trust/, in no order. */
static sotto_status each_name(const char *folder, sotto_status (*take)(void *, const char *, sotto_error *),
                              void *context, sotto_error *err) {
  char *path = NULL;
  sotto_status status = sotto_i_identity_path(&path, folder, "trust", err);
  DIR *stream = status == SOTTO_OK ? opendir(path) : NULL;
  const struct dirent *entry;
  while (status == SOTTO_OK && stream != NULL && (entry = readdir(stream)) != NULL) {
    size_t length = strlen(entry->d_name);
    char name[64];
    if (length < 5 || length - 4 >= sizeof name || strcmp(entry->d_name + length - 4, ".crt") != 0) continue;
    (void)snprintf(name, sizeof name, "%.*s", (int)(length - 4), entry->d_name);
    if (sotto_i_party_name_ok(name)) status = take(context, name, err);
  }
  if (stream != NULL) (void)closedir(stream);
  sotto_i_free(path);
  return status;
}

/* Refuses a name that differs from a trusted one in capital letters alone: people confuse such names, and so
 * does the TLS of other programs. */
static sotto_status check_case(void *context, const char *name, sotto_error *err) {
  const char *wanted = context;
  if (strcmp(name, wanted) == 0 || strcasecmp(name, wanted) != 0) return SOTTO_OK;
  return sotto_i_fail(
      err, SOTTO_INVALID,
      "'%s' is trusted already, and differs from '%s' in capital letters alone; have one of them "
      "take another name, or revoke the old one",
      name, wanted);
}

/* Refuses this party's own key and name. */
static sotto_status check_not_own(const char *folder, const char *name, const uint8_t key[32],
                                  sotto_error *err) {
  sotto_status status;
  char *path = NULL, own[64];
  X509 *certificate = NULL;
  uint8_t own_key[32];
  SOTTO_TRY(sotto_i_identity_path(&path, folder, "own.crt", err));
  if (!sotto_i_is_file(path)) goto done;
  SOTTO_TRY(sotto_i_certificate_read(&certificate, path, err));
  SOTTO_TRY(sotto_i_certificate_key(own_key, certificate, err));
  if (memcmp(key, own_key, sizeof own_key) == 0)
    status =
        sotto_i_fail(err, SOTTO_INVALID, "this is the party's own certificate; trust those of the others");
  else if (sotto_i_certificate_name(own, certificate, path, NULL) == SOTTO_OK && strcasecmp(own, name) == 0)
    status = sotto_i_fail(err, SOTTO_INVALID,
                          "'%s' is this party's own name; have the other one take another", name);
done:
  X509_free(certificate);
  sotto_i_free(path);
  return status;
}

/* A name keeps its key, unless the owner replaces it explicitly. */
static sotto_status check_replaced(const char *folder, const char *name, const uint8_t key[32],
                                   sotto_error *err) {
  sotto_status status;
  char *path = NULL, old_words[128], new_words[128];
  X509 *before = NULL;
  uint8_t old_key[32];
  SOTTO_TRY(sotto_i_trust_path(&path, folder, name, err));
  if (!sotto_i_is_file(path)) goto done;
  SOTTO_TRY(sotto_i_certificate_read(&before, path, err));
  SOTTO_TRY(sotto_i_certificate_key(old_key, before, err));
  if (memcmp(old_key, key, sizeof old_key) == 0) goto done;
  sotto_i_fingerprint_words(old_words, old_key);
  sotto_i_fingerprint_words(new_words, key);
  status =
      sotto_i_fail(err, SOTTO_INVALID,
                   "'%s' is trusted with another key (%s); the new one is %s. Ask its owner by another way, "
                   "and replace it only if those words are read to you",
                   name, old_words, new_words);
done:
  X509_free(before);
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_trust_certificate(char name[64], const char *folder, X509 *certificate, const char *path,
                                       const char *as, bool replace, sotto_error *err) {
  bool revoked = false;
  sotto_status status;
  BIO *bio = BIO_new(BIO_s_mem());
  char *store = NULL, file[80], line[200];
  uint8_t key[32];
  name[0] = '\0';
  SOTTO_TRY(sotto_i_identity_private(folder, err));
  SOTTO_TRY(sotto_i_certificate_in_time(certificate, path, err));
  SOTTO_TRY(trusted_name(name, certificate, path, as, err));
  SOTTO_TRY(sotto_i_certificate_key(key, certificate, err));
  SOTTO_TRY(check_not_own(folder, name, key, err));
  SOTTO_TRY(each_name(folder, check_case, name, err));
  if (!replace) SOTTO_TRY(check_replaced(folder, name, key, err));
  SOTTO_TRY(sotto_i_key_revoked(&revoked, line, folder, key, err));
  if (revoked) {
    status =
        sotto_i_fail(err, SOTTO_INVALID,
                     "%s: its key was revoked (%s); ask for a new one, or take that line out of %s/revoked",
                     path, line + 65, sotto_identity_folder(folder));
    goto done;
  }
  SOTTO_TRY(sotto_i_identity_path(&store, folder, "trust", err));
  SOTTO_TRY(sotto_i_make_folder(store, err));
  (void)snprintf(file, sizeof file, "trust/%s.crt", name);
  if (bio == NULL || PEM_write_bio_X509(bio, certificate) != 1)
    status = sotto_i_tls_fail(err, SOTTO_NOMEM, "could not copy the certificate");
  else
    status = sotto_i_identity_write(bio, folder, file, err);
done:
  BIO_free(bio);
  sotto_i_free(store);
  return status;
}

sotto_status sotto_identity_trust(char name[64], const char *folder, const char *path, const char *as,
                                  bool replace, sotto_error *err) {
  X509 *certificate = NULL;
  name[0] = '\0';
  sotto_status status = sotto_i_identity_private(folder, err);
  if (status == SOTTO_OK) status = sotto_i_certificate_read(&certificate, path, err);
  if (status == SOTTO_OK)
    status = sotto_i_trust_certificate(name, folder, certificate, path, as, replace, err);
  X509_free(certificate);
  return status;
}

sotto_status sotto_identity_check_peer(sotto_identity_info *out, const char *folder, const char *peer,
                                       sotto_error *err) {
  sotto_status status;
  char *path = NULL;
  X509 *certificate = NULL;
  *out = (sotto_identity_info){.name = ""};
  SOTTO_TRY(sotto_i_trust_path(&path, folder, peer, err));
  if (!sotto_i_is_file(path)) {
    status = sotto_i_fail(err, SOTTO_NOT_FOUND,
                          "%s: '%s' is not trusted; get its own.crt and give it to `sotto identity trust`", path,
                          peer);
    goto done;
  }
  (void)snprintf(out->name, sizeof out->name, "%s", peer);
  SOTTO_TRY(sotto_i_identity_private(folder, err));
  SOTTO_TRY(sotto_i_private_check(path, false, err));
  SOTTO_TRY(sotto_i_certificate_read(&certificate, path, err));
  SOTTO_TRY(sotto_i_certificate_describe(out, certificate, err));
  out->authority = !sotto_i_certificate_names(certificate, peer) && X509_check_ca(certificate) != 0;
  if (out->authority) SOTTO_TRY(sotto_i_certificate_in_time(certificate, path, err));
done:
  X509_free(certificate);
  sotto_i_free(path);
  return status;
}

typedef struct name_list {
  char (*names)[64];
  size_t count, room;
} name_list;

static sotto_status add_to_list(void *context, const char *name, sotto_error *err) {
  name_list *list = context;
  if (list->count == list->room) {
    char(*more)[64];
    size_t room = list->room * 2 + 16;
    sotto_status status = sotto_i_new(&more, room, sizeof *more, err);
    if (status != SOTTO_OK) return status;
    if (list->count > 0) memcpy(more, list->names, list->count * sizeof *more);
    sotto_i_free(list->names);
    list->names = more;
    list->room = room;
  }
  (void)snprintf(list->names[list->count++], 64, "%s", name);
  return SOTTO_OK;
}

static int by_name(const void *a, const void *b) {
  return strcmp(a, b);
}

sotto_status sotto_identity_list(char (**names)[64], size_t *count, const char *folder, sotto_error *err) {
  name_list list = {NULL, 0, 0};
  *names = NULL;
  *count = 0;
  sotto_status status = each_name(folder, add_to_list, &list, err);
  if (status != SOTTO_OK) {
    sotto_i_free(list.names);
    return status;
  }
  if (list.count > 0) qsort(list.names, list.count, sizeof *list.names, by_name);
  *names = list.names;
  *count = list.count;
  return SOTTO_OK;
}

void sotto_identity_list_free(char (*names)[64]) {
  sotto_i_free(names);
}

/* Adds a line to the file of revoked keys, which is written whole. */
static sotto_status add_revoked(const char *folder, const uint8_t key[32], const char *name,
                                sotto_error *err) {
  sotto_status status = SOTTO_OK;
  char *path = NULL, line[200], text[65], day[16];
  sotto_i_map before = {0};
  BIO *bio = BIO_new(BIO_s_mem());
  sotto_i_clock_day(day);
  sotto_i_hex(text, key, 32);
  int size = snprintf(line, sizeof line, "%s %s on %s\n", text, name, day);
  SOTTO_TRY(sotto_i_identity_path(&path, folder, "revoked", err));
  if (sotto_i_is_file(path)) SOTTO_TRY(sotto_i_map_open(&before, path, err));
  if (bio == NULL || (before.size > 0 && BIO_write(bio, before.data, (int)before.size) < 1) ||
      BIO_write(bio, line, size) != size)
    status = sotto_i_tls_fail(err, SOTTO_NOMEM, "could not write the list of revoked keys");
  else
    status = sotto_i_identity_write(bio, folder, "revoked", err);
done:
  sotto_i_map_close(&before);
  BIO_free(bio);
  sotto_i_free(path);
  return status;
}

sotto_status sotto_identity_revoke(sotto_identity_info *out, const char *folder, const char *peer,
                                   const char *certificate_path, sotto_error *err) {
  bool revoked = false;
  sotto_status status;
  char *path = NULL;
  X509 *certificate = NULL;
  uint8_t key[32];
  *out = (sotto_identity_info){.name = ""};
  SOTTO_TRY(sotto_i_identity_private(folder, err));
  SOTTO_TRY(sotto_i_trust_path(&path, folder, peer, err));
  if (certificate_path == NULL && !sotto_i_is_file(path)) {
    status = sotto_i_fail(err, SOTTO_NOT_FOUND, "%s: '%s' is not trusted, so there is nothing to revoke",
                          path, peer);
    goto done;
  }
  SOTTO_TRY(sotto_i_certificate_read(&certificate, certificate_path == NULL ? path : certificate_path, err));
  (void)snprintf(out->name, sizeof out->name, "%s", peer);
  SOTTO_TRY(sotto_i_certificate_describe(out, certificate, err));
  SOTTO_TRY(sotto_i_certificate_key(key, certificate, err));
  out->authority = !sotto_i_certificate_names(certificate, peer) && X509_check_ca(certificate) != 0;
  if (certificate_path != NULL && !sotto_i_certificate_names(certificate, peer)) {
    status = sotto_i_fail(err, SOTTO_INVALID, "%s: is not a certificate of '%s'", certificate_path, peer);
    goto done;
  }
  /* An authority may have signed for other names too. So its key is not revoked; only its trust for this name
   * ends. */
  SOTTO_TRY(sotto_i_key_revoked(&revoked, NULL, folder, key, err));
  if (!out->authority && !revoked) SOTTO_TRY(add_revoked(folder, key, peer, err));
  if (certificate_path == NULL && unlink(path) != 0)
    status = sotto_i_fail(err, SOTTO_IO, "%s: could not remove it: %s", path, sotto_i_errno_text(errno));
done:
  X509_free(certificate);
  sotto_i_free(path);
  return status;
}
