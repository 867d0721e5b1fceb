/* Large arrays in mapped files without a name, and the peak of memory that the system cannot drop.
 *
 * Locking: `lock` guards the list of mappings; the folder changes only while one thread runs. */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/reader.h"

enum { most_path = 4096, most_spilled = 4096, large_share = 16, table_share = 3, page = 4096 };

typedef struct mapping {
  void *memory;
  size_t bytes;
} mapping;

static _Atomic uint64_t limit, own_peak;
static char folder[most_path];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static mapping spilled[most_spilled];
static _Atomic size_t used;

/* Read from the environment so that the short training run of an estimate gets its share of the memory. */
static uint64_t limit_of_environment(void) {
  const char *text = getenv("SOTTO_MEMORY");
  return text == NULL ? 0 : strtoull(text, NULL, 10);
}

uint64_t sotto_i_memory_limit(void) {
  return atomic_load(&limit);
}

uint64_t sotto_i_memory_table(void) {
  const uint64_t bytes = atomic_load(&limit), table = bytes / table_share;
  return bytes > 0 && table == 0 ? 1 : table;
}

/* Reserves the disk space first: a full disk is then an error here instead of a SIGBUS later. */
static void *map_nameless(size_t bytes) {
  void *memory = MAP_FAILED;
  sotto_i_reader file;
  char into[most_path];
  (void)pthread_mutex_lock(&lock);
  memcpy(into, folder, sizeof into);
  (void)pthread_mutex_unlock(&lock);
  if (sotto_i_spill_new(&file, into, NULL) != SOTTO_OK) return NULL;
  int problem = posix_fallocate(file.descriptor, 0, (off_t)bytes);
  if (problem == 0) {
    memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor, 0);
    problem = errno;
  }
  sotto_i_reader_close(&file);
  errno = problem;
  return memory == MAP_FAILED ? NULL : memory;
}

static void *spilled_new(size_t bytes) {
  void *memory = map_nameless(bytes);
  bool listed = false;
  if (memory == NULL) return NULL;
  (void)pthread_mutex_lock(&lock);
  for (size_t i = 0; i < most_spilled && !listed; i++) {
    listed = spilled[i].memory == NULL;
    if (listed) spilled[i] = (mapping){memory, bytes};
  }
  if (listed) atomic_fetch_add(&used, 1);
  (void)pthread_mutex_unlock(&lock);
  if (listed) return memory;
  (void)munmap(memory, bytes);
  errno = ENOMEM;
  return NULL;
}

static bool spilled_free(void *memory) {
  mapping found = {NULL, 0};
  if (atomic_load(&used) == 0 || (uintptr_t)memory % page != 0) return false;
  (void)pthread_mutex_lock(&lock);
  for (size_t i = 0; i < most_spilled && found.memory == NULL; i++) {
    if (spilled[i].memory != memory) continue;
    found = spilled[i];
    spilled[i] = (mapping){NULL, 0};
    atomic_fetch_sub(&used, 1);
  }
  (void)pthread_mutex_unlock(&lock);
  if (found.memory != NULL) (void)munmap(found.memory, found.bytes);
  return found.memory != NULL;
}

/* Reads /proc/self/statm: size, resident and shared pages. Shared pages are those of files, the spilled
 * arrays included. */
static void update_own_peak(void) {
  char text[128];
  unsigned long long size, resident, shared;
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  const ssize_t count = file < 0 ? -1 : read(file, text, sizeof text - 1);
  if (file >= 0) (void)close(file);
  if (count <= 0) return;
  text[count] = '\0';
  if (sscanf(text, "%llu %llu %llu", &size, &resident, &shared) != 3 || shared > resident) return;
  const uint64_t now = (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE);
  uint64_t most = atomic_load(&own_peak);
  while (now > most && !atomic_compare_exchange_weak(&own_peak, &most, now)) continue;
}

void sotto_memory_set(uint64_t bytes) {
  static const sotto_i_elsewhere files = {spilled_new, spilled_free, update_own_peak};
  if (bytes == 0) bytes = limit_of_environment();
  atomic_store(&limit, bytes);
  atomic_store(&own_peak, 0);
  sotto_i_memory_elsewhere(bytes == 0 ? NULL : &files, 0);
  sotto_i_map_most_read(bytes / 4);
}

void sotto_i_spill_into(const char *into) {
  const size_t least = into == NULL ? 0 : (size_t)(sotto_i_memory_limit() / large_share);
  (void)pthread_mutex_lock(&lock);
  if (into != NULL) (void)snprintf(folder, sizeof folder, "%s", into);
  (void)pthread_mutex_unlock(&lock);
  sotto_i_memory_elsewhere(NULL, least);
}

uint64_t sotto_i_own_peak(void) {
  if (sotto_i_memory_limit() == 0) return 0;
  update_own_peak();
  return atomic_load(&own_peak);
}
