/* Masks of secure aggregation: OpenSSL's kernel, the choice of kernel, and distribution over threads. */
#include "secure_sum_masks.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <openssl/evp.h>
#include <sodium.h>
#include <stdatomic.h>
#include <string.h>

#include "base/error.h"
#include "base/threads.h"

#if defined(__x86_64__)
/* Clang 14's __builtin_cpu_supports lacks VAES. */
static bool has_vaes(void) {
  unsigned a, b, c, d;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (c & bit_VAES);
}
#endif

sotto_i_sum_mask_fn *sotto_i_sum_mask_kernel(sotto_i_isa_level level) {
#if defined(__x86_64__)
  if (level >= SOTTO_I_ISA_AVX2 && has_vaes())
    return level == SOTTO_I_ISA_AVX512 ? sotto_i_sum_mask_vaes_avx512 : sotto_i_sum_mask_vaes_avx2;
#endif
  (void)level;
  return sotto_i_sum_mask_openssl;
}

/* Words that OpenSSL makes at a time, which fit into the first cache. */
enum { words = 1024 };

static void add_words(uint64_t *restrict values, const uint64_t *restrict stream, size_t count,
                      bool subtract) {
  if (subtract)
    for (size_t i = 0; i < count; i++) values[i] -= stream[i];
  else
    for (size_t i = 0; i < count; i++) values[i] += stream[i];
}

static bool start_stream(EVP_CIPHER_CTX *cipher, const uint8_t key[SOTTO_I_SUM_KEY], uint64_t block) {
  uint8_t counter[16] = {0};
  for (int i = 0; i < 8; i++) counter[15 - i] = (uint8_t)(block >> (8 * i));
  return EVP_EncryptInit_ex(cipher, EVP_aes_256_ctr(), NULL, key, counter) == 1;
}

bool sotto_i_sum_mask_openssl(uint64_t *values, size_t count, const sotto_i_sum_mask *mask, uint64_t block) {
  static const uint8_t zeros[words * sizeof(uint64_t)];
  uint64_t stream[words];
  EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
  bool good = cipher != NULL && start_stream(cipher, mask->key, block);
  for (size_t at = 0; good && at < count; at += words) {
    const size_t now = count - at < words ? count - at : words;
    int size = 0;
    good = EVP_EncryptUpdate(cipher, (uint8_t *)stream, &size, zeros, (int)(now * sizeof *stream)) == 1;
    if (good) add_words(values + at, stream, now, mask->subtract);
  }
  EVP_CIPHER_CTX_free(cipher);
  sodium_memzero(stream, sizeof stream);
  return good;
}

/* Values that all masks process in turn, so that they stay in the second cache; a whole number of blocks. */
enum { part_values = 8192 };

typedef struct job {
  uint64_t *out;
  const uint64_t *values;
  size_t size;
  const sotto_i_sum_mask *masks;
  size_t count;
  sotto_i_sum_mask_fn *add;
  atomic_bool failed;
} job;

static void mask_parts(void *context, size_t begin, size_t end) {
  job *j = context;
  for (size_t part = begin; part < end; part++) {
    const size_t at = part * part_values, count = j->size - at < part_values ? j->size - at : part_values;
    if (j->out != j->values) memcpy(j->out + at, j->values + at, count * sizeof *j->out);
    for (size_t m = 0; m < j->count; m++)
      if (!j->add(j->out + at, count, &j->masks[m], at / 2)) atomic_store(&j->failed, true);
  }
}

sotto_status sotto_i_sum_add_masks(uint64_t *out, const uint64_t *values, size_t size,
                                   const sotto_i_sum_mask *masks, size_t count, sotto_error *err) {
  job j = {.out = out,
           .values = values,
           .size = size,
           .masks = masks,
           .count = count,
           .add = sotto_i_sum_mask_kernel(sotto_i_isa())};
  sotto_i_parallel((size + part_values - 1) / part_values, 1, mask_parts, &j);
  if (!atomic_load(&j.failed)) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_NOMEM, "no memory for the masks of a secure sum");
}
