/* Signatures by a party's key: they hold for one purpose, one text, one key. */
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <sys/stat.h>

#include "check.h"
#include "sotto/party.h"

static char bank[600], other[600], bank_crt[700], other_crt[700];
static const char page[] = "<p>what a run did</p>";

static int make_parties(void **state) {
  (void)state;
  (void)snprintf(bank, sizeof bank, "%s", check_path("bank"));
  (void)snprintf(other, sizeof other, "%s", check_path("other"));
  (void)snprintf(bank_crt, sizeof bank_crt, "%s/own.crt", bank);
  (void)snprintf(other_crt, sizeof other_crt, "%s/own.crt", other);
  CHECK_OK(sotto_identity_init(bank, "bank", 365, false, &err));
  CHECK_OK(sotto_identity_init(other, "other", 365, false, &err));
  return 0;
}

static void a_signature_holds_and_names_who_signed(void **state) {
  sotto_signature signature;
  sotto_identity_info info, own;
  (void)state;
  CHECK_OK(sotto_identity_sign(&signature, bank, "report", page, sizeof page, &err));
  assert_int_equal(signature.size, 64);
  CHECK_OK(sotto_identity_verify(&info, bank_crt, "report", page, sizeof page, &signature, &err));
  CHECK_OK(sotto_identity_check(&own, bank, &err));
  assert_string_equal(info.name, "bank");
  assert_string_equal(info.fingerprint, own.fingerprint);
}

static void another_text_purpose_or_key_does_not_hold(void **state) {
  sotto_signature signature, bent;
  sotto_identity_info info;
  char text[sizeof page];
  (void)state;
  CHECK_OK(sotto_identity_sign(&signature, bank, "report", page, sizeof page, &err));
  for (size_t bit = 0; bit < 8 * sizeof page; bit++) {
    memcpy(text, page, sizeof page);
    text[bit / 8] = (char)(text[bit / 8] ^ (1 << bit % 8));
    CHECK_FAILS(SOTTO_CORRUPT, "not by the key of 'bank'",
                sotto_identity_verify(&info, bank_crt, "report", text, sizeof page, &signature, &err));
  }
  for (size_t bit = 0; bit < 8 * signature.size; bit++) {
    bent = signature;
    bent.bytes[bit / 8] = (uint8_t)(bent.bytes[bit / 8] ^ (1U << bit % 8));
    CHECK_FAILS(SOTTO_CORRUPT, "not by the key",
                sotto_identity_verify(&info, bank_crt, "report", page, sizeof page, &bent, &err));
  }
  CHECK_FAILS(SOTTO_CORRUPT, "'bank'",
              sotto_identity_verify(&info, bank_crt, "ledger", page, sizeof page, &signature, &err));
  CHECK_FAILS(SOTTO_CORRUPT, "'bank'",
              sotto_identity_verify(&info, bank_crt, "report", page, sizeof page - 1, &signature, &err));
  CHECK_FAILS(SOTTO_CORRUPT, "'other'",
              sotto_identity_verify(&info, other_crt, "report", page, sizeof page, &signature, &err));
  for (size_t size = 0; size < 64; size++) {
    bent = signature;
    bent.size = size;
    CHECK_FAILS(SOTTO_CORRUPT, "'bank'",
                sotto_identity_verify(&info, bank_crt, "report", page, sizeof page, &bent, &err));
  }
  bent.size = SOTTO_MOST_SIGNATURE + 1;
  CHECK_FAILS(SOTTO_CORRUPT, "'bank'",
              sotto_identity_verify(&info, bank_crt, "report", page, sizeof page, &bent, &err));
}

/* What is signed is the text of the header, so that any program with Ed25519 can check it. */
static void what_is_signed_is_as_documented(void **state) {
  static const char hello[] =
      "sotto report 1 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
  sotto_signature signature;
  (void)state;
  CHECK_OK(sotto_identity_sign(&signature, bank, "report", "hello", 5, &err));
  FILE *file = fopen(bank_crt, "re");
  assert_non_null(file);
  X509 *certificate = PEM_read_X509(file, NULL, NULL, NULL);
  (void)fclose(file);
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  assert_int_equal(EVP_DigestVerifyInit(context, NULL, NULL, NULL, X509_get0_pubkey(certificate)), 1);
  assert_int_equal(
      EVP_DigestVerify(context, signature.bytes, signature.size, (const uint8_t *)hello, strlen(hello)), 1);
  EVP_MD_CTX_free(context);
  X509_free(certificate);
}

static void what_cannot_sign_says_so(void **state) {
  sotto_signature signature;
  sotto_identity_info info;
  (void)state;
  static const char *const purposes[] = {"", "Report", "a b", "report1", "abcdefghijklmnopqrstuvwxyzabcdef"};
  for (size_t i = 0; i < sizeof purposes / sizeof *purposes; i++)
    CHECK_FAILS(SOTTO_INVALID, "purpose", sotto_identity_sign(&signature, bank, purposes[i], page, 1, &err));
  CHECK_FAILS(SOTTO_NOT_FOUND, "key.pem",
              sotto_identity_sign(&signature, check_path("nobody"), "report", page, 1, &err));
  CHECK_FAILS(SOTTO_NOT_FOUND, "nothing.crt",
              sotto_identity_verify(&info, check_path("nothing.crt"), "report", page, 1, &signature, &err));
  char key[700];
  (void)snprintf(key, sizeof key, "%s/key.pem", bank);
  CHECK_FAILS(SOTTO_INVALID, "key.pem",
              sotto_identity_verify(&info, key, "report", page, 1, &signature, &err));
  assert_int_equal(chmod(key, 0644), 0); /* a key that others may read signs nothing */
  CHECK_FAILS(SOTTO_INVALID, "key.pem", sotto_identity_sign(&signature, bank, "report", page, 1, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_signature_holds_and_names_who_signed),
                                     cmocka_unit_test(another_text_purpose_or_key_does_not_hold),
                                     cmocka_unit_test(what_is_signed_is_as_documented),
                                     cmocka_unit_test(what_cannot_sign_says_so)};
  return cmocka_run_group_tests(tests, make_parties, NULL);
}
