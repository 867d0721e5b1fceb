/* Any bytes as the file of a consortium: what is taken can be printed, no two members share a role, a name or
 * a key, and written and read again it is the same. */
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>

#include "party/identity/consortium.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const char *text) {
  for (; *text != '\0'; text++)
    if (*text <= ' ' || *text > '~') abort();
}

static void check_members(const sotto_consortium *c) {
  for (size_t i = 0; i < sotto_consortium_count(c); i++) {
    const sotto_member *m = sotto_consortium_member(c, i);
    check_text(m->name);
    check_text(m->role);
    check_text(m->address);
    for (size_t k = 0; k < i; k++) {
      const sotto_member *other = sotto_consortium_member(c, k);
      if (strcmp(m->role, other->role) == 0 || strcmp(m->name, other->name) == 0 ||
          strcmp(m->info.fingerprint, other->info.fingerprint) == 0)
        abort();
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sotto_consortium *c, *empty;
  sotto_error err = {0};
  size_t length;
  if (sotto_i_consortium_parse(&c, (const char *)data, size, &err) != SOTTO_OK) {
    if (err.text[0] == '\0') abort();
    ERR_clear_error();
    return 0;
  }
  check_members(c);
  const char *text = sotto_consortium_text(c, &length);
  if (sotto_consortium_new(&empty, sotto_consortium_run(c), text, length, &err) == SOTTO_OK) {
    if (sotto_consortium_merge(empty, c, &err) != SOTTO_OK) abort();
    if (sotto_consortium_count(empty) != sotto_consortium_count(c)) abort();
    sotto_consortium_free(empty);
  }
  sotto_consortium_free(c);
  ERR_clear_error();
  return 0;
}
