/* Options of a run, the data that it is of, and the run itself. */
#include "made_run.h"

#include "base/file.h"
#include "base/memory.h"
#include "check.h"
#include "ledgers.h"
#include "run/files/folder_file.h"
#include "run/settings/options.h"
#include "sotto/generate.h"

void check_set(sotto_options *options, const char *key, const char *value) {
  CHECK_OK(sotto_options_set(options, key, value, &err));
}

void check_set_own(sotto_options *options, const char *const *settings) {
  sotto_i_option row;
  for (size_t i = 0; settings[i] != NULL; i += 2) {
    sotto_options resolved = *options; /* the method's own adjacency */
    sotto_options_resolve(&resolved);
    if (sotto_i_option_has(&row, &resolved, settings[i])) check_set(options, settings[i], settings[i + 1]);
  }
}

sotto_options check_options(const char *method, const char *folder) {
  sotto_options options;
  sotto_options_default(&options);
  check_set(&options, "method", method);
  check_set(&options, "data", "made");
  check_set(&options, "out", check_path(folder));
  check_set(&options, "ledger", check_new_ledger(check_path("ledger.db")));
  CHECK_OK(sotto_i_make_folder(options.out, &err));
  return options;
}

sotto_dataset check_communities(const sotto_sbm_options *sbm) {
  sotto_dataset data;
  sotto_key key;
  sotto_key_public(&key, 1);
  CHECK_OK(sotto_generate_sbm(&data, sbm, &key, &err));
  return data;
}

sotto_result check_run(const sotto_options *options, const sotto_dataset *data) {
  sotto_result result;
  CHECK_OK(sotto_train(&result, options, data, NULL, NULL, &err));
  return result;
}

void check_forget_result(const sotto_options *options) {
  char folder[1100], *path = NULL;
  (void)snprintf(folder, sizeof folder, "%.1000s/seed-1", options->out);
  CHECK_OK(sotto_i_folder_find(&path, folder, "result.json", &err));
  assert_int_equal(remove(path), 0);
  sotto_i_free(path);
}
