/* Seeds, scratch folders, shared data. */
#include "check.h"

#include <sys/stat.h>
#include <unistd.h>

sotto_i_random check_random(void) {
  static uint64_t seed;
  static uint32_t calls;
  if (calls == 0) {
    const char *given = getenv("SOTTO_TEST_SEED");
    sotto_key system;
    sotto_key_system(&system);
    memcpy(&seed, system.bytes, sizeof seed);
    seed >>= 32;
    if (given != NULL) seed = strtoull(given, NULL, 10);
    print_message("seed %llu (repeat with SOTTO_TEST_SEED)\n", (unsigned long long)seed);
  }
  sotto_key key;
  sotto_i_random random;
  sotto_key_public(&key, seed);
  sotto_i_random_init(&random, &key, SOTTO_I_PURPOSE_TEST, calls++, 0);
  return random;
}

static char folder[256];

static void remove_folder(void) {
  char command[300];
  (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
  if (system(command) != 0) (void)fprintf(stderr, "could not remove %s\n", folder);
}

const char *check_folder(void) {
  if (folder[0] != '\0') return folder;
  const char *base = getenv("TMPDIR");
  (void)snprintf(folder, sizeof folder, "%s/sotto-test-XXXXXX", base == NULL ? "/tmp" : base);
  if (mkdtemp(folder) == NULL) abort();
  char key[300]; /* of the ledgers that the test makes */
  (void)snprintf(key, sizeof key, "%s/owner.key", folder);
  (void)setenv("SOTTO_LEDGER_KEY", key, 1);
  (void)atexit(remove_folder);
  return folder;
}

const char *check_path(const char *name) {
  static char paths[8][512];
  static unsigned next;
  char *path = paths[next++ % 8];
  (void)snprintf(path, sizeof paths[0], "%s/%s", check_folder(), name);
  return path;
}

const char *check_shared(const char *name) {
  static char path[1024];
  const char *base = getenv("SOTTO_SHARED");
  struct stat info;
  if (base != NULL) {
    (void)snprintf(path, sizeof path, "%s/%s", base, name);
    if (stat(path, &info) == 0) return path;
  }
  print_message("SKIPPED: the shared data has no %s here\n", name);
  return NULL;
}
