#include "noise_stream.h"

#include <pthread.h>
#include <sodium.h>

/* Guarded by the mutex. */
static struct {
  pthread_mutex_t mutex;
  uint64_t number, draws;
} stream = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void draw_bytes(void *const out, const size_t size) {
  uint64_t seed[randombytes_SEEDBYTES / sizeof(uint64_t)] = {0};
  (void)pthread_mutex_lock(&stream.mutex);
  seed[0] = stream.number;
  seed[1] = stream.draws++;
  (void)pthread_mutex_unlock(&stream.mutex);
  randombytes_buf_deterministic(out, size, (const unsigned char *)seed);
}

static uint32_t draw_word(void) {
  uint32_t out;
  draw_bytes(&out, sizeof out);
  return out;
}

static const char *name_of(void) {
  return "tests";
}

bool check_stream_install(void) {
  static randombytes_implementation own = {
      .implementation_name = name_of, .random = draw_word, .buf = draw_bytes};
  return sodium_init() >= 0 && randombytes_set_implementation(&own) == 0;
}

void check_stream_begin(uint64_t number) {
  stream.number = number;
  stream.draws = 0;
}
