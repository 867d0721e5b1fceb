/* The noise of a plan of nights, and the file of the plan. */
#include "night_plan.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "dp/noise/continual.h"
#include "release/plan.h"
#include "run/files/folder_file.h"
#include "run/storage/run_folder.h"

static const char plan_file[] = "plan.json";
static const sotto_i_folder_file plan_of_nights = {"nights/plan.json", SOTTO_I_FOR_ANYONE,
                                                   "options, and the digest of the model"};

double sotto_i_night_sensitivity(const sotto_i_night_plan *plan) {
  return sotto_i_continual_sensitivity(sqrt(2), (uint32_t)plan->changes);
}

sotto_mechanism sotto_i_night_mechanism(const sotto_i_night_plan *plan) {
  sotto_mechanism out = sotto_mechanism_default(SOTTO_MECHANISM_GAUSSIAN);
  out.noise = plan->sigma;
  out.sensitivity = sotto_i_night_sensitivity(plan);
  return out;
}

/* The charges of the training, as the ledger composes them. */
static sotto_status charges_of(sotto_mechanism *list, size_t *count, double *epsilon, const sotto_i_run *run,
                               const char *folder, sotto_error *err) {
  const sotto_options *o = run->options;
  char id[33];
  sotto_made made;
  sotto_status status;
  *count = 0;
  *epsilon = 0;
  if (run->cost.count == 0) return SOTTO_OK;
  SOTTO_TRY(sotto_i_run_folder_id(id, folder, err));
  SOTTO_TRY(sotto_i_made_read(&made, run->ledger, &run->cost, o, id, o->seeds, err));
  if (made.missing) {
    status = sotto_i_fail(err, SOTTO_REFUSED,
                          "the ledger %s has no charge of the training in %s, so nothing can be said of both "
                          "together; take the ledger that the run was trained with",
                          sotto_ledger_path(run->ledger), folder);
    goto done;
  }
  *epsilon = made.total;
  for (size_t i = 0; i < run->cost.count; i++) {
    if (made.count[i] == 0) continue;
    const sotto_cost_item *item = &run->cost.items[i];
    list[*count] = item->charged.count > 0 ? item->charged : item->mechanism;
    list[(*count)++].count *= made.count[i];
  }
done:
  return status;
}

sotto_status sotto_i_night_plan_noise(sotto_i_night_plan *plan, const sotto_i_run *run, const char *folder,
                                      sotto_error *err) {
  sotto_mechanism list[SOTTO_MOST_COSTS + 1];
  size_t count;
  sotto_status status;
  SOTTO_TRY(charges_of(list, &count, &plan->training, run, folder, err));
  if (plan->training >= plan->epsilon) {
    status =
        sotto_i_fail(err, SOTTO_REFUSED,
                     "epsilon: the training has spent %g, which leaves nothing of %g for the nights; give "
                     "more, or train with less",
                     plan->training, plan->epsilon);
    goto done;
  }
  plan->sigma = 1;
  list[count] = sotto_i_night_mechanism(plan);
  SOTTO_TRY(sotto_account_noise(&plan->sigma, list, count + 1, count, plan->epsilon, plan->delta,
                                count == 0 ? SOTTO_ACCOUNTANT_GDP : SOTTO_ACCOUNTANT_PLD, err));
done:
  return status;
}

sotto_status sotto_i_night_plan_save(const sotto_i_night_plan *plan, const char *folder, sotto_error *err) {
  json_t *root = json_pack("{s:I,s:I,s:I,s:f,s:f,s:f,s:f,s:s}", "nights", (json_int_t)plan->nights, "changes",
                           (json_int_t)plan->changes, "seed", (json_int_t)plan->seed, "epsilon",
                           plan->epsilon, "delta", plan->delta, "epsilon_of_training", plan->training,
                           "noise", plan->sigma, "model", plan->model);
  return sotto_i_folder_save_json(root, folder, &plan_of_nights, NULL,
                                  JSON_INDENT(2) | JSON_REAL_PRECISION(17), err);
}

static bool is_sane(const sotto_i_night_plan *p) {
  return p->nights >= 1 && p->nights <= SOTTO_I_MOST_NIGHTS && p->changes >= 1 &&
         p->changes <= SOTTO_I_MOST_CHANGES && p->epsilon > 0 && p->delta > 0 && p->delta < 1 &&
         p->sigma > 0 && isfinite(p->sigma);
}

static bool parse(sotto_i_night_plan *out, json_t *root) {
  json_int_t nights, changes, seed;
  const char *model;
  if (json_unpack(root, "{s:I,s:I,s:I,s:F,s:F,s:F,s:F,s:s}", "nights", &nights, "changes", &changes, "seed",
                  &seed, "epsilon", &out->epsilon, "delta", &out->delta, "epsilon_of_training",
                  &out->training, "noise", &out->sigma, "model", &model) != 0 ||
      strlen(model) != SOTTO_I_MODEL_DIGITS || nights < 0 || changes < 0 || seed < 0)
    return false;
  out->nights = (uint64_t)nights;
  out->changes = (uint64_t)changes;
  out->seed = (uint64_t)seed;
  memcpy(out->model, model, sizeof out->model);
  return is_sane(out);
}

sotto_status sotto_i_night_plan_load(sotto_i_night_plan *out, const char *folder, sotto_error *err) {
  char *path = NULL;
  sotto_i_map map = {0};
  json_t *root = NULL;
  sotto_status status;
  *out = (sotto_i_night_plan){.nights = 0};
  SOTTO_TRY(sotto_i_join(&path, folder, plan_file, err));
  SOTTO_TRY(sotto_i_map_open(&map, path, err));
  root = json_loadb((const char *)map.data, map.size, 0, NULL);
  if (!parse(out, root)) status = sotto_i_fail(err, SOTTO_CORRUPT, "%s: is not a plan of nights", path);
done:
  json_decref(root);
  sotto_i_map_close(&map);
  sotto_i_free(path);
  return status;
}
