/* The releases of a run's nights. The nights are opened by the code that predicts on them, which makes all
 * releases again with a fresh key, in a temporary folder. The counts of each night follow from the stored
 * plan and from features alone. So every release can be compared with its exact table. */
#include <stdio.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "release.h"
#include "run/storage/night_log.h"
#include "run/train/model.h"
#include "shadow.h"

/* The releases of this many nights are drawn repeatedly, others once. */
enum { drawn_nights = 8 };

typedef struct look {
  const sotto_i_attacked *as;
  const sotto_i_looking_nights *of;
  uint32_t latest;
  bool all; /* all nights were looked at */
} look;

/* Spread evenly from the first night to the latest. */
static bool is_drawn(uint64_t number, uint64_t count) {
  const uint64_t every = (count + drawn_nights - 1) / drawn_nights;
  return number % every == 0 || number + 1 == count;
}

static sotto_status kept_path(char **out, const look *l, const sotto_i_artifact *a, sotto_error *err) {
  char name[80];
  (void)snprintf(name, sizeof name, "nights/%.60s", a->file);
  return sotto_i_join(out, l->as->run, name, err);
}

static sotto_status look_at_night(void *context, const sotto_i_artifact *a, const char *path,
                                  sotto_error *err) {
  look *l = context;
  sotto_i_looked one = {.evidence = 0};
  sotto_dataset none = {0};
  char *kept = NULL;
  bool seen = false;
  const uint64_t draws = is_drawn(a->number, l->latest) ? SOTTO_I_LOOKED_DRAWS : 1;
  sotto_status status;
  SOTTO_TRY(sotto_i_look_at(&one, &seen, a, path, &none, draws, l->of->enough, err));
  one.compared = false; /* that was the new release, not the stored one */
  SOTTO_TRY(kept_path(&kept, l, a, err));
  if (seen && sotto_i_is_file(kept)) SOTTO_TRY(sotto_i_look_at_kept(&one, a, kept, err));
  if (seen) l->of->take(l->of->context, &one);
  l->all = a->number + 1 == l->latest;
  if (l->all) status = sotto_i_fail(err, SOTTO_INTERRUPTED, "the audit has looked at all nights");
done:
  sotto_i_residual_free(&one.residual);
  sotto_i_free(kept);
  return status;
}

/* The latest night with the data's number of nodes. */
static uint32_t night_of(const sotto_i_night_log *log, const sotto_dataset *data) {
  uint32_t night = log->night;
  while (night > 0 && log->nodes[night] != data->graph.nodes) night--;
  return night;
}

static sotto_status find_nights(look *l, uint64_t *seed, const sotto_dataset *data, sotto_error *err) {
  char *log_path = NULL, *folder = NULL;
  sotto_i_night_log log = {0};
  sotto_i_night_plan plan;
  sotto_status status;
  SOTTO_TRY(sotto_i_join(&folder, l->as->run, "nights", err));
  SOTTO_TRY(sotto_i_join(&log_path, folder, "owner-only/edges.bin", err));
  SOTTO_TRY(sotto_i_night_plan_load(&plan, folder, err));
  SOTTO_TRY(sotto_i_night_log_load(&log, log_path, err));
  *seed = plan.seed;
  l->latest = night_of(&log, data);
  if (l->latest < log.night)
    status = sotto_i_fail(err, SOTTO_INVALID,
                          "night-data: %s has %llu nodes, and night %u has %llu; name the data of the latest "
                          "night, by which all nights are compared",
                          data->name, (unsigned long long)data->graph.nodes, (unsigned)log.night,
                          (unsigned long long)log.nodes[log.night]);
done:
  sotto_i_night_log_free(&log);
  sotto_i_free(log_path);
  sotto_i_free(folder);
  return status;
}

sotto_status sotto_i_look_at_nights(const sotto_i_attacked *as, const sotto_i_looking_nights *looking,
                                    sotto_error *err) {
  look l = {.as = as, .of = looking};
  const sotto_i_probe probe = {.context = &l, .look = look_at_night};
  const sotto_dataset *data = as->ask.night_data == NULL ? as->data : as->ask.night_data;
  sotto_model_options asked = {.nightly = true};
  char folder[SOTTO_I_SCRATCH] = "";
  sotto_error own = {0};
  sotto_status status;
  SOTTO_TRY(find_nights(&l, &asked.seed, data, err));
  asked.night = l.latest;
  SOTTO_TRY(sotto_i_scratch_begin(folder, err));
  status = sotto_i_model_look_at_nights(as->run, data, &asked, folder, &probe, &own);
  if (status != SOTTO_OK && l.all) status = SOTTO_OK;
  if (status != SOTTO_OK) *err = own;
done:
  sotto_i_scratch_end(folder);
  return status;
}
