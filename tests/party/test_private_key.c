/* A party's private key: read into memory that is locked and wiped, from a file that is one. */
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/stat.h>

#include "base/file.h"
#include "check.h"
#include "party/wire/tls.h"

static void a_key_is_in_the_secure_heap_until_it_is_freed(void **state) {
  (void)state;
  EVP_PKEY *key = NULL;
  const char *folder = check_path("bank");
  CHECK_OK(sotto_identity_init(folder, "bank", 10, false, &err));
  const size_t before = CRYPTO_secure_used();
  CHECK_OK(sotto_i_private_key_read(&key, folder, &err));
  assert_int_equal(CRYPTO_secure_malloc_initialized(), 1);
  assert_true(CRYPTO_secure_used() > before);
  EVP_PKEY_free(key);
  assert_int_equal(CRYPTO_secure_used(), before);
}

static void what_is_no_key_is_refused(void **state) {
  (void)state;
  static const char long_text[(1 << 16) + 1] = "-----BEGIN PRIVATE KEY-----";
  EVP_PKEY *key = NULL;
  const char *folder = check_path("other"), *path = check_path("other/key.pem");
  CHECK_OK(sotto_i_make_folder(folder, &err));
  CHECK_FAILS(SOTTO_NOT_FOUND, "other/key.pem", sotto_i_private_key_read(&key, folder, &err));
  CHECK_OK(sotto_i_write_file(path, "nothing", 7, &err));
  CHECK_FAILS(SOTTO_INVALID, "other/key.pem", sotto_i_private_key_read(&key, folder, &err));
  assert_null(key);
  CHECK_OK(sotto_i_write_file(path, "", 0, &err));
  CHECK_FAILS(SOTTO_INVALID, "other/key.pem", sotto_i_private_key_read(&key, folder, &err));
  CHECK_OK(sotto_i_write_file(path, long_text, sizeof long_text, &err));
  CHECK_FAILS(SOTTO_INVALID, "is not a file with a private key",
              sotto_i_private_key_read(&key, folder, &err));
  assert_int_equal(remove(path), 0);
  assert_int_equal(mkfifo(path, 0600), 0);
  CHECK_FAILS(SOTTO_INVALID, "is not a file with a private key",
              sotto_i_private_key_read(&key, folder, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_key_is_in_the_secure_heap_until_it_is_freed),
      cmocka_unit_test(what_is_no_key_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
