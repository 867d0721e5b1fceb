/* What attacks share: the attacked run and what it states, findings, random numbers, and the names and
 * identity of files of finished cells. */
#include <dirent.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attack.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "release/plan.h"
#include "run/files/folder_file.h"
#include "run/train/run.h"

sotto_finding *sotto_i_finding(sotto_i_attacked *a, const char *attack, const char *variant, const char *sees,
                               sotto_error *err) {
  if (a->out->count == SOTTO_MOST_FINDINGS) {
    (void)sotto_i_fail(err, SOTTO_RANGE, "%d findings are all that fit", SOTTO_MOST_FINDINGS);
    return NULL;
  }
  sotto_finding *f = &a->out->items[a->out->count++];
  *f = (sotto_finding){.holds = true};
  (void)snprintf(f->attack, sizeof f->attack, "%s", attack);
  (void)snprintf(f->variant, sizeof f->variant, "%s", variant);
  (void)snprintf(f->sees, sizeof f->sees, "%s", sees);
  return f;
}

void sotto_i_attack_stream(sotto_i_random *random, const sotto_i_attacked *a, uint32_t number,
                           uint64_t index) {
  sotto_key key;
  sotto_key_public(&key, a->ask.link.seed);
  sotto_i_random_init(random, &key, SOTTO_I_PURPOSE_NEGATIVE, number, index);
}

sotto_status sotto_i_attack_plan(sotto_i_run *run, const sotto_options *o, const sotto_dataset *data,
                                 sotto_error *err) {
  *run = (sotto_i_run){
      .options = o, .data = data, .variant = sotto_i_variant_of(o), .releases = sotto_i_job_releases(o)};
  sotto_status status = sotto_i_run_check_domain(run, err);
  return status == SOTTO_OK ? sotto_i_run_plan(run, err) : status;
}

sotto_status sotto_i_attack_stated(sotto_findings *out, const sotto_i_run *run, const sotto_dataset *data,
                                   sotto_error *err) {
  const sotto_options *o = run->options;
  out->delta = sotto_i_cost_is_pure(&run->cost) ? 0 : o->delta;
  (void)snprintf(out->method, sizeof out->method, "%s", o->method);
  (void)snprintf(out->adjacency, sizeof out->adjacency, "%s", sotto_adjacency_name(o->adjacency));
  (void)snprintf(out->data, sizeof out->data, "%s", data->name);
  return sotto_i_run_epsilon(&out->stated, &out->mu, run, 1, err);
}

sotto_status sotto_i_attack_state(sotto_findings *out, const sotto_options *o, const sotto_dataset *data,
                                  sotto_error *err) {
  sotto_i_run run;
  sotto_status status = sotto_i_attack_plan(&run, o, data, err);
  if (status == SOTTO_OK) status = sotto_i_attack_stated(out, &run, data, err);
  sotto_i_run_end(&run);
  return status;
}

sotto_status sotto_i_attack_has_nights(bool *out, const char *run, sotto_error *err) {
  char *path = NULL;
  *out = false;
  if (run == NULL) return SOTTO_OK;
  const sotto_status status = sotto_i_join(&path, run, "nights/owner-only/edges.bin", err);
  if (status == SOTTO_OK) *out = sotto_i_is_file(path);
  sotto_i_free(path);
  return status;
}

/* Hashes a file of the run folder; a missing file counts as empty. */
static sotto_status add_file(crypto_generichash_state *hash, const char *run, const char *name,
                             sotto_error *err) {
  char *path = NULL;
  sotto_i_map map = {0};
  sotto_status status;
  uint64_t size = 0;
  SOTTO_TRY(sotto_i_folder_find(&path, run, name, err));
  if (sotto_i_is_file(path)) SOTTO_TRY(sotto_i_map_open(&map, path, err));
  size = map.size;
  (void)crypto_generichash_update(hash, (const uint8_t *)&size, sizeof size);
  if (size > 0) (void)crypto_generichash_update(hash, map.data, size);
done:
  sotto_i_map_close(&map);
  sotto_i_free(path);
  return status;
}

/* Hashes the program's version, the data, the run, the request, and the name of the file. */
static sotto_status compute_identity(uint8_t out[32], const sotto_i_attacked *a, const char *name,
                                     sotto_error *err) {
  static const char *const files[] = {"run.yaml",          "run.id",           "result.json",
                                      "model.safetensors", "nights/plan.json", "nights/owner-only/edges.bin"};
  const sotto_audit_ask *ask = &a->ask;
  const uint64_t numbers[] = {ask->model.seed, ask->model.fresh, ask->link.nodes, ask->link.degrees,
                              ask->link.pairs, ask->link.seed,   ask->trials,     ask->shadows,
                              ask->of_edges,   ask->view};
  const double reals[] = {ask->link.belief, ask->link.step, ask->confidence};
  crypto_generichash_state hash;
  sotto_status status = SOTTO_OK;
  (void)crypto_generichash_init(&hash, NULL, 0, 32);
  (void)crypto_generichash_update(&hash, (const uint8_t *)SOTTO_VERSION, sizeof SOTTO_VERSION);
  (void)crypto_generichash_update(&hash, (const uint8_t *)name, strlen(name) + 1);
  (void)crypto_generichash_update(&hash, a->data->digest, sizeof a->data->digest);
  if (ask->night_data != NULL)
    (void)crypto_generichash_update(&hash, ask->night_data->digest, sizeof ask->night_data->digest);
  (void)crypto_generichash_update(&hash, (const uint8_t *)numbers, sizeof numbers);
  (void)crypto_generichash_update(&hash, (const uint8_t *)reals, sizeof reals);
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) SOTTO_TRY(add_file(&hash, a->run, files[i], err));
done:
  (void)crypto_generichash_final(&hash, out, 32);
  return status;
}

sotto_status sotto_i_attack_cells_of(sotto_i_attack_cells *out, const sotto_i_attacked *a, const char *name,
                                     sotto_error *err) {
  char file[64];
  sotto_status status = SOTTO_OK;
  *out = (sotto_i_attack_cells){
      .like = {.kind = "SOTTOAU", .holds = "cells of an audit", .anew = true, .ranks = a->ask.ranks}};
  if (a->run != NULL) SOTTO_TRY(compute_identity(out->like.identity, a, name, err));
  if (a->ask.state == NULL || a->run == NULL) goto done;
  (void)snprintf(file, sizeof file, "audit-%s.cells", name);
  SOTTO_TRY(sotto_i_make_folder(a->ask.state, err));
  SOTTO_TRY(sotto_i_join(&out->path, a->ask.state, file, err));
  out->like.path = out->path;
done:
  return status;
}

/* "audit-ATTACK.cells", "audit-ATTACK-KIND.cells". */
static bool is_cell_file(const char *file, const char *attack) {
  static const char before[] = "audit-", after[] = ".cells";
  const size_t length = strlen(file), own = sizeof before - 1 + strlen(attack);
  if (length < own + sizeof after - 1 || strncmp(file, before, sizeof before - 1) != 0) return false;
  if (strncmp(file + sizeof before - 1, attack, strlen(attack)) != 0) return false;
  if (strcmp(file + length - (sizeof after - 1), after) != 0) return false;
  return file[own] == '-' || length == own + sizeof after - 1;
}

sotto_status sotto_i_attack_cells_remove(const char *folder, const char *attack, sotto_error *err) {
  DIR *list = opendir(folder);
  sotto_status status = SOTTO_OK;
  if (list == NULL) return SOTTO_OK; /* no cells were stored */
  for (const struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list))
    if (is_cell_file(entry->d_name, attack) && unlinkat(dirfd(list), entry->d_name, 0) != 0)
      status = sotto_i_fail(err, SOTTO_IO, "%s/%s: could not remove it", folder, entry->d_name);
  (void)closedir(list);
  return status;
}
