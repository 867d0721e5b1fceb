/* Seeds, scratch folders, shared data. */
#include "check.h"

#include <sys/stat.h>
#include <unistd.h>

#include "methods/registry.h"
#include "seeded.h"

static uint64_t seed;
static uint32_t streams;

/* The name's own seed, so that groups do not share their draws. */
static uint64_t seed_of(const char *name) {
  uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
  for (; *name != '\0'; name++) hash = (hash ^ (uint8_t)*name) * UINT64_C(1099511628211);
  return hash >> 32;
}

void check_begin(const char *name) {
  sotto_i_registry_use(); /* a test may begin below the public calls */
  const char *given = getenv("SOTTO_TEST_SEED");
  seed = seed_of(name);
  if (given != NULL && strcmp(given, "random") == 0) {
    sotto_key system;
    sotto_key_system(&system);
    memcpy(&seed, system.bytes, sizeof seed);
    seed >>= 32;
  } else if (given != NULL) {
    seed = strtoull(given, NULL, 10);
  }
  check_seed_system(seed);
}

sotto_i_random check_random(void) {
  sotto_key key;
  sotto_i_random random;
  if (streams == 0) print_message("seed %llu (repeat with SOTTO_TEST_SEED)\n", (unsigned long long)seed);
  sotto_key_public(&key, seed);
  sotto_i_random_init(&random, &key, SOTTO_I_PURPOSE_TEST, streams++, 0);
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
