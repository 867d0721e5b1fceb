/* Any bytes as a certificate (DER): its name is one that a party may have or none, and never one that the
 * certificate does not have. */
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>

#include "party/identity/identity.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool ended(const char *text, size_t room) {
  return memchr(text, '\0', room) != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  X509 *certificate = d2i_X509(NULL, &data, (long)size);
  sotto_identity_info info = {.name = ""};
  sotto_error err = {0};
  char name[64];
  if (certificate != NULL) {
    memset(name, 'x', sizeof name);
    sotto_status status = sotto_i_certificate_name(name, certificate, "input", &err);
    if (!ended(name, sizeof name) || (status == SOTTO_OK) != sotto_i_party_name_ok(name)) abort();
    if (status == SOTTO_OK && !sotto_i_certificate_names(certificate, name)) abort();
    if (status != SOTTO_OK && (name[0] != '\0' || err.text[0] == '\0')) abort();
    if (sotto_i_certificate_describe(&info, certificate, NULL) == SOTTO_OK &&
        (strlen(info.fingerprint) != 64 || !ended(info.words, sizeof info.words) ||
         !ended(info.ends, sizeof info.ends)))
      abort();
    (void)sotto_i_certificate_in_time(certificate, "input", NULL);
    X509_free(certificate);
  }
  ERR_clear_error();
  return 0;
}
