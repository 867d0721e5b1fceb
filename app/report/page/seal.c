/* Signatures of pages: a line of JSON next to the page. */
#include "seal.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "common/file.h"
#include "common/memory.h"

static const char purpose[] = "report";

static sotto_status name_of(char **out, const char *path, sotto_error *err) {
  const size_t size = strlen(path) + 5;
  const sotto_status status = app_new(out, size, 1, err);
  if (status == SOTTO_OK) (void)snprintf(*out, size, "%s.sig", path);
  return status;
}

/* FOLDER/key.pem and FOLDER/key.uri mean FOLDER. */
static void folder_of(char *out, size_t size, const char *key) {
  (void)snprintf(out, size, "%s", key);
  char *slash = strrchr(out, '/');
  const char *last = slash == NULL ? out : slash + 1;
  if (strcmp(last, "key.pem") != 0 && strcmp(last, "key.uri") != 0) return;
  if (slash == NULL)
    (void)snprintf(out, size, ".");
  else
    *slash = '\0';
}

sotto_status page_seal(const char *path, const char *key, sotto_error *err) {
  char folder[1200], hex[2 * SOTTO_MOST_SIGNATURE + 1];
  char *name = NULL, *text = NULL, *page = NULL;
  size_t size = 0;
  json_t *line = NULL;
  sotto_signature signature;
  sotto_identity_info info;
  sotto_status status;
  folder_of(folder, sizeof folder, key);
  SOTTO_TRY(app_read_file(&page, &size, path, err));
  SOTTO_TRY(sotto_identity_check(&info, folder, err));
  SOTTO_TRY(sotto_identity_sign(&signature, folder, purpose, page, size, err));
  sotto_i_hex(hex, signature.bytes, signature.size);
  line = json_pack("{s:i,s:s,s:s,s:s,s:s}", "form", 1, "purpose", purpose, "by", info.name, "key",
                   info.fingerprint, "signature", hex);
  text = line == NULL ? NULL : json_dumps(line, JSON_COMPACT);
  if (text == NULL) {
    status = sotto_i_fail(err, SOTTO_NOMEM, "no memory for the signature");
    goto done;
  }
  SOTTO_TRY(name_of(&name, path, err));
  SOTTO_TRY(app_write_file(name, text, strlen(text), err));
done:
  json_decref(line);
  free(name);
  free(text);
  free(page);
  return status;
}

static int digit(char c) {
  static const char digits[] = "0123456789abcdef";
  const char *found = c == '\0' ? NULL : strchr(digits, c);
  return found == NULL ? -1 : (int)(found - digits);
}

static bool read_hex(sotto_signature *out, const char *hex) {
  const size_t length = strlen(hex);
  if (length == 0 || length % 2 != 0 || length / 2 > sizeof out->bytes) return false;
  for (size_t i = 0; i < length / 2; i++) {
    const int high = digit(hex[2 * i]), low = digit(hex[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    out->bytes[i] = (uint8_t)(16 * high + low);
  }
  out->size = length / 2;
  return true;
}

static sotto_status read_signature(sotto_signature *out, const char *path, sotto_error *err) {
  char *name = NULL, *text = NULL;
  size_t size = 0;
  json_t *line = NULL;
  sotto_status status;
  SOTTO_TRY(name_of(&name, path, err));
  if (access(name, F_OK) != 0) {
    status = sotto_i_fail(err, SOTTO_NOT_FOUND, "%s: there is no signature of %s; who made the page signs it",
                          name, path);
    goto done;
  }
  SOTTO_TRY(app_read_file(&text, &size, name, err));
  line = json_loadb(text, size, 0, NULL);
  const char *hex = json_string_value(json_object_get(line, "signature"));
  if (hex == NULL || json_integer_value(json_object_get(line, "form")) != 1 || !read_hex(out, hex))
    status = sotto_i_fail(err, SOTTO_PARSE, "%s: is no signature of a page", name);
done:
  json_decref(line);
  free(name);
  free(text);
  return status;
}

sotto_status page_seal_check(sotto_identity_info *out, const char *path, const char *certificate,
                             sotto_error *err) {
  sotto_signature signature;
  char *page = NULL;
  size_t size = 0;
  sotto_status status;
  SOTTO_TRY(app_read_file(&page, &size, path, err));
  SOTTO_TRY(read_signature(&signature, path, err));
  status = sotto_identity_verify(out, certificate, purpose, page, size, &signature, err);
  if (status != SOTTO_OK) sotto_i_error_prefix(err, "%s", path);
done:
  free(page);
  return status;
}
