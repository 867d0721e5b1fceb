/* This party's private key: in locked memory that is wiped, from reading its file to its last use. */
#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/pem.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/secret.h"
#include "identity.h"

enum { largest_file = 1 << 16, heap_size = 4 << 20, heap_least = 64 };

/* OpenSSL keeps private keys in its secure heap if there is one. An embedding program may have made it. */
static void make_heap(void) {
  if (CRYPTO_secure_malloc_initialized() == 0) (void)CRYPTO_secure_malloc_init(heap_size, heap_least);
}

void sotto_i_secure_heap(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  (void)pthread_once(&once, make_heap);
}

/* Reads the bytes of the file into secret memory. */
static sotto_status read_secret(char **out, size_t *size, const char *path, sotto_error *err) {
  struct stat info;
  sotto_status status = SOTTO_OK;
  *out = NULL;
  *size = 0;
  const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0 && errno == ENOENT)
    return sotto_i_fail(err, SOTTO_NOT_FOUND, "%s: there is no key; make one with `sotto identity init`",
                        path);
  if (descriptor < 0)
    return sotto_i_fail(err, SOTTO_IO, "%s: could not open it: %s", path, sotto_i_errno_text(errno));
  if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > largest_file)
    status = sotto_i_fail(err, SOTTO_INVALID, "%s: is not a file with a private key", path);
  if (status == SOTTO_OK) status = sotto_i_new_secret(out, (size_t)info.st_size + 1, 1, err);
  while (status == SOTTO_OK && *size < (size_t)info.st_size) {
    const ssize_t count = read(descriptor, *out + *size, (size_t)info.st_size - *size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) status = sotto_i_fail(err, SOTTO_IO, "%s: could not read it", path);
    if (count > 0) *size += (size_t)count;
  }
  (void)close(descriptor);
  return status;
}

sotto_status sotto_i_private_key_read(EVP_PKEY **out, const char *folder, sotto_error *err) {
  sotto_status status;
  char *path = NULL, *text = NULL;
  size_t size;
  BIO *bio = NULL;
  *out = NULL;
  sotto_i_secure_heap();
  SOTTO_TRY(sotto_i_identity_path(&path, folder, "key.pem", err));
  SOTTO_TRY(read_secret(&text, &size, path, err));
  bio = BIO_new_mem_buf(text, (int)size);
  if (bio != NULL) *out = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);
  if (*out == NULL) status = sotto_i_tls_fail(err, bio == NULL ? SOTTO_NOMEM : SOTTO_INVALID, path);
done:
  BIO_free(bio);
  sotto_i_free_secret(text);
  sotto_i_free(path);
  return status;
}
