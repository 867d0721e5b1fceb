/* Random bytes by a seed in the place of the system's (randombytes_set_implementation of libsodium).
 *
 * Threads: `lock` guards the stream; it is held over a fork. */
#include "seeded.h"

#include <pthread.h>
#include <sodium.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint8_t key[crypto_stream_chacha20_KEYBYTES];
static uint64_t drawn, forks;

static const char *name(void) {
  return "seeded by a test";
}

static void bytes(void *const out, const size_t size) {
  uint8_t nonce[crypto_stream_chacha20_NONCEBYTES];
  (void)pthread_mutex_lock(&lock);
  memcpy(nonce, &drawn, sizeof nonce);
  drawn++;
  (void)crypto_stream_chacha20(out, size, nonce, key);
  (void)pthread_mutex_unlock(&lock);
}

static uint32_t word(void) {
  uint32_t out;
  bytes(&out, sizeof out);
  return out;
}

static void before_fork(void) {
  (void)pthread_mutex_lock(&lock);
  forks++;
}

static void after_fork(void) {
  (void)pthread_mutex_unlock(&lock);
}

static void in_child(void) {
  (void)crypto_generichash(key, sizeof key, (const uint8_t *)&forks, sizeof forks, key, sizeof key);
  drawn = forks = 0;
  (void)pthread_mutex_unlock(&lock);
}

static struct randombytes_implementation seeded = {.implementation_name = name, .random = word, .buf = bytes};

void check_seed_system(uint64_t seed) {
  (void)crypto_generichash(key, sizeof key, (const uint8_t *)&seed, sizeof seed, NULL, 0);
  (void)randombytes_set_implementation(&seeded);
  (void)pthread_atfork(before_fork, after_fork, in_child);
}
