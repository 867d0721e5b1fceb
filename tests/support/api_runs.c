/* Short runs of the public interface. */
#include "api_runs.h"

#include <dirent.h>

#include "base/file.h"
#include "check.h"
#include "ledgers.h"
#include "plain_files.h"
#include "sotto/generate.h"

sotto_dataset check_blocks(void) {
  const sotto_sbm_options sbm = {.nodes = 120,
                                 .classes = 3,
                                 .features = 8,
                                 .degree_inside = 5,
                                 .degree_outside = 1,
                                 .feature_signal = 2};
  return check_communities(&sbm);
}

void check_run_set(sotto_run *run, const char *key, const char *value) {
  CHECK_OK(sotto_run_set(run, key, value, &err));
}

/* A short training with repeatable noise. */
sotto_run *check_short_run(const char *method) {
  sotto_run *run = NULL;
  CHECK_OK(sotto_run_new(&run, &err));
  check_run_set(run, "method", method);
  check_run_set(run, "epsilon", "8");
  check_run_set(run, "epochs", "6");
  check_run_set(run, "hidden", "8");
  check_run_set(run, "insecure-seed", "3");
  check_run_set(run, "ledger", check_new_ledger(check_path("ledger.db")));
  return run;
}

const char *check_run_value(sotto_run *run, const char *key) {
  static char value[1024];
  CHECK_OK(sotto_run_get(run, value, sizeof value, key, &err));
  return value;
}

/* Entries of a folder, without . and .. */
size_t check_entries(const char *path) {
  size_t count = 0;
  DIR *open = opendir(path);
  assert_non_null(open);
  while (readdir(open) != NULL) count++;
  assert_int_equal(closedir(open), 0);
  return count - 2;
}

/* A folder of this test, where private folders are made from now on. */
const char *check_temporary(const char *name) {
  const char *path = check_path(name);
  CHECK_OK(sotto_i_make_folder(path, &err));
  assert_int_equal(setenv("TMPDIR", path, 1), 0);
  return path;
}

size_t check_lines(const char *text) {
  size_t count = 0;
  for (; *text != '\0'; text++) count += *text == '\n';
  return count;
}

void check_same_model(const sotto_run *a, const sotto_run *b) {
  char one[1200], other[1200];
  (void)snprintf(one, sizeof one, "%s/model.safetensors", sotto_run_folder(a));
  (void)snprintf(other, sizeof other, "%s/model.safetensors", sotto_run_folder(b));
  check_same_files(one, other);
}
