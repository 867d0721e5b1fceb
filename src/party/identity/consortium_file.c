/* The file of a consortium: JSON from an untrusted source. */
#include <jansson.h>
#include <openssl/pem.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "consortium.h"

static const char kind[] = "consortium 1";
enum { largest_file = 4 << 20, largest_certificate = 1 << 14 };

static sotto_status certificate_of(X509 **out, const char *text, sotto_error *err) {
  size_t size = strlen(text);
  BIO *bio = size > largest_certificate ? NULL : BIO_new_mem_buf(text, (int)size);
  *out = bio == NULL ? NULL : PEM_read_bio_X509(bio, NULL, NULL, NULL);
  BIO_free(bio);
  return *out != NULL ? SOTTO_OK : sotto_i_tls_fail(err, SOTTO_PARSE, "a member's certificate");
}

static sotto_status take_member(sotto_consortium *c, json_t *object, sotto_error *err) {
  const char *role, *address, *pem;
  X509 *certificate;
  if (json_unpack(object, "{s:s, s:s, s:s !}", "role", &role, "address", &address, "certificate", &pem) != 0)
    return sotto_i_fail(err, SOTTO_PARSE,
                        "a member has a role, an address and a certificate, and nothing else");
  sotto_status status = certificate_of(&certificate, pem, err);
  return status == SOTTO_OK ? sotto_i_consortium_put(c, certificate, role, address, err) : status;
}

sotto_status sotto_i_consortium_parse(sotto_consortium **out, const char *text, size_t size,
                                      sotto_error *err) {
  json_error_t where;
  json_t *members, *member;
  const char *word, *run, *terms;
  size_t i, terms_size;
  sotto_consortium *c = NULL;
  sotto_status status;
  json_t *root = size > largest_file ? NULL : json_loadb(text, size, JSON_REJECT_DUPLICATES, &where);
  if (root == NULL)
    return sotto_i_fail(
        err, SOTTO_PARSE,
        "is not a file of a consortium, which is an invitation, an answer to it or all parties together%s%s",
        size > largest_file ? "" : ": ", size > largest_file ? ", for its size" : where.text);
  if (json_unpack(root, "{s:s, s:s, s:s%, s:o !}", "sotto", &word, "run", &run, "terms", &terms, &terms_size,
                  "members", &members) != 0 ||
      strcmp(word, kind) != 0 || !json_is_array(members)) {
    status = sotto_i_fail(err, SOTTO_PARSE, "is not a file of a consortium of this version (%s)", kind);
    goto done;
  }
  SOTTO_TRY(sotto_consortium_new(&c, run, terms, terms_size, err));
  json_array_foreach(members, i, member) SOTTO_TRY(take_member(c, member, err));
  *out = c;
  c = NULL;
done:
  sotto_consortium_free(c);
  json_decref(root);
  return status;
}

sotto_status sotto_consortium_read(sotto_consortium **out, const char *path, sotto_error *err) {
  sotto_i_map map;
  *out = NULL;
  sotto_status status = sotto_i_map_open(&map, path, err);
  if (status != SOTTO_OK) return status;
  status = sotto_i_consortium_parse(out, map.data == NULL ? "" : (const char *)map.data, map.size, err);
  if (status != SOTTO_OK) sotto_i_error_prefix(err, "%s", path);
  sotto_i_map_close(&map);
  return status;
}

static json_t *member_json(const sotto_i_member *m) {
  char *text;
  json_t *out = NULL;
  BIO *bio = BIO_new(BIO_s_mem());
  if (bio != NULL && PEM_write_bio_X509(bio, m->certificate) == 1) {
    long size = BIO_get_mem_data(bio, &text);
    out = json_pack("{s:s, s:s, s:s%}", "role", m->shown.role, "address", m->shown.address, "certificate",
                    text, (size_t)size);
  }
  BIO_free(bio);
  return out;
}

sotto_status sotto_consortium_write(const sotto_consortium *c, const char *path, sotto_error *err) {
  json_t *members = json_array();
  for (size_t i = 0; i < c->count; i++) (void)json_array_append_new(members, member_json(&c->members[i]));
  bool whole = members != NULL && json_array_size(members) == c->count;
  json_t *root = json_pack("{s:s, s:s, s:s%, s:o}", "sotto", kind, "run", c->run, "terms", c->text, c->size,
                           "members", members);
  char *text = whole && root != NULL ? json_dumps(root, JSON_INDENT(1)) : NULL;
  sotto_status status = text == NULL
                            ? sotto_i_fail(err, SOTTO_INVALID, "%s: a run file is text in UTF-8", path)
                            : sotto_i_write_file(path, text, strlen(text), err);
  json_decref(root);
  free(text);
  return status;
}
