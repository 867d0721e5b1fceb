/* Shadow models. */
#include "shadow.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "inside/dp.h"
#include "run/train/model.h"
#include "run/train/run.h"

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk) {
  (void)info, (void)type, (void)walk;
  return remove(path);
}

void sotto_i_scratch_end(const char *folder) {
  enum { most_open = 16 };
  if (folder[0] != '\0') (void)nftw(folder, remove_entry, most_open, FTW_DEPTH | FTW_PHYS);
}

/* Sets the options that do not belong to the method. */
static void set_surroundings(sotto_options *o, const char *folder, uint64_t seed) {
  (void)snprintf(o->out, sizeof o->out, "%s", folder);
  (void)snprintf(o->ledger, sizeof o->ledger, "%.900s/ledger.db", folder);
  o->encoder_cache[0] = o->account[0] = '\0';
  o->resume = o->record_wire = false;
  o->insecure_seed = SOTTO_UNSET; /* models must differ in their noise */
  o->seed = seed;
  o->seeds = 1;
}

sotto_status sotto_i_scratch_begin(char folder[SOTTO_I_SCRATCH], sotto_error *err) {
  const char *base = getenv("TMPDIR");
  (void)snprintf(folder, SOTTO_I_SCRATCH, "%.400s/sotto-audit-XXXXXX",
                 base == NULL || base[0] == '\0' ? "/tmp" : base);
  if (mkdtemp(folder) != NULL) return SOTTO_OK;
  const sotto_status status =
      sotto_i_fail(err, SOTTO_IO, "%s: no folder for a training of the audit can be made there", folder);
  folder[0] = '\0';
  return status;
}

sotto_status sotto_i_scratch_train_in(const char *folder, const sotto_options *options,
                                      const sotto_dataset *data, uint64_t seed,
                                      const struct sotto_i_probe *probe, const sotto_observer *observer,
                                      sotto_error *err) {
  sotto_options own = *options;
  sotto_status status;
  sotto_result result = {0};
  char *file = NULL;
  set_surroundings(&own, folder, seed);
  SOTTO_TRY(sotto_i_join(&file, folder, "run.yaml", err));
  SOTTO_TRY(sotto_options_write(&own, file, err));
  SOTTO_TRY(sotto_ledger_init_scratch(own.ledger, err));
  sotto_options_resolve(&own);
  sotto_i_run run = {.options = &own, .data = data, .probe = probe};
  SOTTO_TRY(sotto_i_run_train(&result, &run, observer, NULL, err));
done:
  sotto_i_free(file);
  sotto_result_free(&result);
  return status;
}

sotto_status sotto_i_scratch_train(char folder[SOTTO_I_SCRATCH], const sotto_options *options,
                                   const sotto_dataset *data, uint64_t seed, const sotto_observer *observer,
                                   sotto_error *err) {
  const sotto_status status = sotto_i_scratch_begin(folder, err);
  if (status != SOTTO_OK) return status;
  return sotto_i_scratch_train_in(folder, options, data, seed, NULL, observer, err);
}

sotto_status sotto_i_shadow(sotto_model **out, const sotto_options *options, const sotto_dataset *data,
                            uint64_t seed, const sotto_observer *observer, sotto_error *err) {
  const sotto_model_options as = {.seed = SOTTO_UNSET};
  char folder[SOTTO_I_SCRATCH];
  *out = NULL;
  sotto_status status = sotto_i_scratch_train(folder, options, data, seed, observer, err);
  if (status == SOTTO_OK) status = sotto_i_model_open(out, folder, data, &as, err);
  sotto_i_scratch_end(folder);
  return status;
}
