/* Consortia: members, the twelve words, and trust in all members. */
#include "consortium.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

sotto_status sotto_consortium_new(sotto_consortium **out, const char *run, const char *text, size_t size,
                                  sotto_error *err) {
  sotto_consortium *c = NULL;
  sotto_status status;
  *out = NULL;
  SOTTO_TRY(sotto_i_party_name_check(run, err));
  if (size > SOTTO_MOST_RUN_FILE) {
    status = sotto_i_fail(err, SOTTO_RANGE, "the run file has %zu bytes, and %d are allowed", size,
                          SOTTO_MOST_RUN_FILE);
    goto done;
  }
  SOTTO_TRY(sotto_i_new(&c, 1, sizeof *c, err));
  (void)snprintf(c->run, sizeof c->run, "%s", run);
  SOTTO_TRY(sotto_i_new(&c->text, size + 1, 1, err));
  memcpy(c->text, text, size);
  c->size = size;
  *out = c;
  c = NULL;
done:
  sotto_consortium_free(c);
  return status;
}

void sotto_consortium_free(sotto_consortium *c) {
  if (c == NULL) return;
  for (size_t i = 0; i < c->count; i++) X509_free(c->members[i].certificate);
  sotto_i_free(c->members);
  sotto_i_free(c->text);
  sotto_i_free(c);
}

/* Does the text consist of letters, digits and the characters of `more`? Such text is safe in the digest and
 * on terminals. */
static bool is_plain(const char *text, const char *more, size_t most) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  size_t length = strlen(text);
  for (size_t i = 0; i < length; i++)
    if (strchr(letters, text[i]) == NULL && strchr(more, text[i]) == NULL) return false;
  return length < most;
}

/* Checks that a member can be added: valid, and with a role, name and key that no other member has. */
static sotto_status check_member(const sotto_consortium *c, const sotto_member *m, sotto_error *err) {
  if (m->role[0] == '\0' || !is_plain(m->role, "", sizeof m->role))
    return sotto_i_fail(err, SOTTO_INVALID, "'%.30s' of '%s' is not a role", m->role, m->name);
  if (!is_plain(m->address, "-._:[]", sizeof m->address) ||
      (m->address[0] != '\0' && strrchr(m->address, ':') == NULL))
    return sotto_i_fail(err, SOTTO_INVALID, "'%.100s' of '%s' is not an address; HOST:PORT is", m->address,
                        m->name);
  if (c->count == SOTTO_MOST_MEMBERS)
    return sotto_i_fail(err, SOTTO_INVALID, "a consortium has %d members at most", SOTTO_MOST_MEMBERS);
  for (size_t i = 0; i < c->count; i++) {
    const sotto_member *other = &c->members[i].shown;
    if (strcmp(other->role, m->role) == 0)
      return sotto_i_fail(err, SOTTO_INVALID, "'%s' and '%s' both have the role %s", other->name, m->name,
                          m->role);
    if (strcasecmp(other->name, m->name) == 0)
      return sotto_i_fail(err, SOTTO_INVALID, "two members are named '%s'; have one take another name",
                          m->name);
    if (strcmp(other->info.fingerprint, m->info.fingerprint) == 0)
      return sotto_i_fail(err, SOTTO_INVALID, "'%s' and '%s' have the same key", other->name, m->name);
  }
  return SOTTO_OK;
}

/* By the length of the role and then its letters, so that holder2 comes before holder10. */
static int by_role(const void *a, const void *b) {
  const char *one = ((const sotto_i_member *)a)->shown.role, *other = ((const sotto_i_member *)b)->shown.role;
  size_t length = strlen(one), length_other = strlen(other);
  if (length != length_other) return length < length_other ? -1 : 1;
  return strcmp(one, other);
}

sotto_status sotto_i_consortium_put(sotto_consortium *c, X509 *certificate, const char *role,
                                    const char *address, sotto_error *err) {
  sotto_i_member *more, added = {.certificate = certificate};
  sotto_member *m = &added.shown;
  sotto_status status;
  SOTTO_TRY(sotto_i_certificate_name(m->name, certificate, "a member's certificate", err));
  SOTTO_TRY(sotto_i_certificate_describe(&m->info, certificate, err));
  (void)snprintf(m->info.name, sizeof m->info.name, "%s", m->name);
  (void)snprintf(m->role, sizeof m->role, "%s", role);
  (void)snprintf(m->address, sizeof m->address, "%s", address);
  if (strlen(role) >= sizeof m->role || strlen(address) >= sizeof m->address) {
    status = sotto_i_fail(err, SOTTO_INVALID, "'%s' has a role or address that is too long", m->name);
    goto done;
  }
  SOTTO_TRY(check_member(c, m, err));
  SOTTO_TRY(sotto_i_new(&more, c->count + 1, sizeof *more, err));
  if (c->count > 0) memcpy(more, c->members, c->count * sizeof *more);
  sotto_i_free(c->members);
  c->members = more;
  c->members[c->count++] = added;
  added.certificate = NULL;
  qsort(c->members, c->count, sizeof *c->members, by_role);
done:
  X509_free(added.certificate);
  return status;
}

static sotto_status check_dates(const sotto_consortium *c, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; status == SOTTO_OK && i < c->count; i++)
    status = sotto_i_certificate_in_time(c->members[i].certificate, c->members[i].shown.name, err);
  return status;
}

sotto_status sotto_consortium_add(sotto_consortium *c, const char *folder, const char *role,
                                  const char *address, sotto_error *err) {
  sotto_identity_info own;
  X509 *certificate;
  char *path = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_identity_check(&own, folder, err));
  SOTTO_TRY(check_dates(c, err));
  SOTTO_TRY(sotto_i_identity_path(&path, folder, "own.crt", err));
  SOTTO_TRY(sotto_i_certificate_read(&certificate, path, err));
  SOTTO_TRY(sotto_i_consortium_put(c, certificate, role, address == NULL ? "" : address, err));
done:
  sotto_i_free(path);
  return status;
}

static bool same_member(const sotto_member *a, const sotto_member *b) {
  return strcmp(a->name, b->name) == 0 && strcmp(a->role, b->role) == 0 &&
         strcmp(a->address, b->address) == 0 && strcmp(a->info.fingerprint, b->info.fingerprint) == 0;
}

sotto_status sotto_consortium_merge(sotto_consortium *c, const sotto_consortium *other, sotto_error *err) {
  if (strcmp(c->run, other->run) != 0 || c->size != other->size || memcmp(c->text, other->text, c->size) != 0)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "it is of another run file; all have to answer the same invitation");
  sotto_status dates = check_dates(other, err);
  if (dates != SOTTO_OK) return dates;
  for (size_t i = 0; i < other->count; i++) {
    const sotto_i_member *m = &other->members[i];
    bool known = false;
    for (size_t k = 0; k < c->count; k++) known = known || same_member(&c->members[k].shown, &m->shown);
    if (known) continue;
    (void)X509_up_ref(m->certificate);
    sotto_status status = sotto_i_consortium_put(c, m->certificate, m->shown.role, m->shown.address, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

size_t sotto_consortium_count(const sotto_consortium *c) {
  return c->count;
}

const sotto_member *sotto_consortium_member(const sotto_consortium *c, size_t number) {
  return &c->members[number].shown;
}

const char *sotto_consortium_text(const sotto_consortium *c, size_t *size) {
  *size = c->size;
  return c->text;
}

const char *sotto_consortium_run(const sotto_consortium *c) {
  return c->run;
}

/* By the key of its certificate, whose dates decide nothing here. */
static sotto_status own_key(sotto_identity_info *out, const char *folder, sotto_error *err) {
  char *path = NULL;
  X509 *certificate = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_identity_path(&path, folder, "own.crt", err));
  SOTTO_TRY(sotto_i_certificate_read(&certificate, path, err));
  SOTTO_TRY(sotto_i_certificate_describe(out, certificate, err));
done:
  X509_free(certificate);
  sotto_i_free(path);
  return status;
}

const sotto_member *sotto_consortium_own(const sotto_consortium *c, const char *folder) {
  sotto_identity_info own = {.name = ""};
  if (own_key(&own, folder, NULL) != SOTTO_OK) return NULL;
  for (size_t i = 0; i < c->count; i++)
    if (strcmp(c->members[i].shown.info.fingerprint, own.fingerprint) == 0) return &c->members[i].shown;
  return NULL;
}

/* Adds a field with its length first, so that no two lists of fields give the same text. */
static void add_field(crypto_generichash_state *hash, const char *text, size_t size) {
  uint8_t length[8];
  for (int i = 0; i < 8; i++) length[i] = (uint8_t)((uint64_t)size >> (8 * i));
  crypto_generichash_update(hash, length, sizeof length);
  crypto_generichash_update(hash, (const uint8_t *)text, size);
}

sotto_status sotto_consortium_words(char out[128], const sotto_consortium *c, sotto_error *err) {
  static const uint8_t salt[crypto_pwhash_argon2id_SALTBYTES + 1] = "sotto-consortium";
  enum { passes = 3, memory = 64 << 20 };
  crypto_generichash_state hash;
  uint8_t digest[32], slow[32];
  SOTTO_I_CHECK(sodium_init() >= 0);
  crypto_generichash_init(&hash, NULL, 0, sizeof digest);
  add_field(&hash, c->run, strlen(c->run));
  add_field(&hash, c->text, c->size);
  for (size_t i = 0; i < c->count; i++) {
    const sotto_member *m = &c->members[i].shown;
    add_field(&hash, m->name, strlen(m->name));
    add_field(&hash, m->role, strlen(m->role));
    add_field(&hash, m->address, strlen(m->address));
    add_field(&hash, m->info.fingerprint, strlen(m->info.fingerprint));
  }
  crypto_generichash_final(&hash, digest, sizeof digest);
  if (crypto_pwhash(slow, sizeof slow, (const char *)digest, sizeof digest, salt, passes, memory,
                    crypto_pwhash_ALG_ARGON2ID13) != 0)
    return sotto_i_fail(err, SOTTO_NOMEM, "no 64 MB of memory for the words of a consortium");
  sotto_i_fingerprint_words(out, slow);
  return SOTTO_OK;
}

sotto_status sotto_consortium_trust(const sotto_consortium *c, const char *folder, bool replace,
                                    sotto_error *err) {
  sotto_identity_info own;
  sotto_status status = sotto_identity_check(&own, folder, err);
  if (status == SOTTO_OK) status = check_dates(c, err);
  if (status != SOTTO_OK) return status;
  const sotto_member *me = sotto_consortium_own(c, folder);
  if (me == NULL || strcmp(me->name, own.name) != 0)
    return sotto_i_fail(
        err, SOTTO_INVALID,
        "this party ('%s') is not a member with its own key; join the invitation, and have the "
        "organiser take it in",
        own.name);
  for (size_t i = 0; status == SOTTO_OK && i < c->count; i++) {
    char name[64];
    if (&c->members[i].shown == me) continue;
    status = sotto_i_trust_certificate(name, folder, c->members[i].certificate, c->members[i].shown.name,
                                       NULL, replace, err);
  }
  return status;
}
