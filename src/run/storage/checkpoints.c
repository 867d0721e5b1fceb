/* Checkpoints of one training repetition: saved, loaded, and agreed on by name. */
#include "checkpoints.h"

#include <dirent.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "inside/party.h"
#include "run/files/folder_file.h"

/* Moments of optimisers, and scores on validation items, are not released. */
static const sotto_i_folder_file stage_files = {
    "seed-*/stages/*", SOTTO_I_FOR_PARTY, "all that a training holds between two epochs, without noise"};
static const char stages[] = "owner-only/stages", ending[] = ".safetensors";
enum { NAME_SIZE = 200 };

/* The path ROLE-NUMBER-TOKEN followed by `rest`. */
static sotto_status path_of(char **out, const sotto_i_checkpoints *c, sotto_i_checkpoint of, const char *rest,
                            sotto_error *err) {
  char name[NAME_SIZE];
  (void)snprintf(name, sizeof name, "stages/%s-%u-%08x%s", c->role, (unsigned)of.number, (unsigned)of.token,
                 rest);
  return sotto_i_folder_path(out, c->folder, &stage_files, name, NULL, err);
}

/* The checkpoint that a file belongs to, and the rest of its name; false for other files. */
static bool parse(sotto_i_checkpoint *out, const char **rest, const char *name, const char *role) {
  char again[NAME_SIZE], *end = NULL;
  size_t length = strlen(role);
  if (strncmp(name, role, length) != 0 || name[length] != '-') return false;
  unsigned long long number = strtoull(name + length + 1, &end, 10);
  if (*end != '-' || number > UINT32_MAX) return false;
  *out = (sotto_i_checkpoint){(uint32_t)number, (uint32_t)strtoul(end + 1, &end, 16)};
  (void)snprintf(again, sizeof again, "%s-%u-%08x", role, (unsigned)out->number, (unsigned)out->token);
  *rest = end;
  return strncmp(again, name, strlen(again)) == 0 && name + strlen(again) == end;
}

/* Calls `visit` for each file of the role; files for which it returns true are removed. */
static void visit_files(const sotto_i_checkpoints *c,
                        bool (*visit)(void *context, sotto_i_checkpoint of, const char *rest),
                        void *context) {
  char *path = NULL;
  if (sotto_i_join(&path, c->folder, stages, NULL) != SOTTO_OK) return;
  DIR *open = opendir(path);
  for (struct dirent *entry = NULL; open != NULL && (entry = readdir(open)) != NULL;) {
    sotto_i_checkpoint of;
    const char *rest = NULL;
    if (parse(&of, &rest, entry->d_name, c->role) && visit(context, of, rest))
      (void)unlinkat(dirfd(open), entry->d_name, 0);
  }
  if (open != NULL) (void)closedir(open);
  sotto_i_free(path);
}

static sotto_i_checkpoints checkpoints_of(const char *folder, const char *role) {
  sotto_i_checkpoints c = {.folder = folder};
  (void)snprintf(c.role, sizeof c.role, "%s", role);
  return c;
}

static bool add_to_list(void *context, sotto_i_checkpoint of, const char *rest) {
  sotto_i_checkpoint_list *out = context;
  if (of.number == 0 || strcmp(rest, ending) != 0) return false;
  for (size_t i = 0; i < SOTTO_I_KEPT_CHECKPOINTS; i++) {
    if (of.number <= out->of[i].number) continue;
    memmove(&out->of[i + 1], &out->of[i], (SOTTO_I_KEPT_CHECKPOINTS - 1 - i) * sizeof of);
    out->of[i] = of;
    break;
  }
  return false;
}

void sotto_i_checkpoints_found(sotto_i_checkpoint_list *out, const char *folder, const char *role) {
  const sotto_i_checkpoints c = checkpoints_of(folder, role);
  *out = (sotto_i_checkpoint_list){{{0, 0}}};
  visit_files(&c, add_to_list, out);
}

static bool same(sotto_i_checkpoint a, sotto_i_checkpoint b) {
  return a.number == b.number && a.token == b.token;
}

void sotto_i_checkpoints_join(sotto_i_checkpoint_list *known, const sotto_i_checkpoint_list *other) {
  for (size_t i = 0; i < SOTTO_I_KEPT_CHECKPOINTS; i++) {
    bool common = false;
    for (size_t j = 0; j < SOTTO_I_KEPT_CHECKPOINTS; j++) common |= same(known->of[i], other->of[j]);
    if (!common) known->of[i] = (sotto_i_checkpoint){0, 0};
  }
}

sotto_i_checkpoint sotto_i_checkpoints_latest(const sotto_i_checkpoint_list *list) {
  sotto_i_checkpoint latest = {0, 0};
  for (size_t i = 0; i < SOTTO_I_KEPT_CHECKPOINTS; i++)
    if (list->of[i].number > latest.number) latest = list->of[i];
  return latest;
}

static bool is_beyond(void *context, sotto_i_checkpoint of, const char *rest) {
  const sotto_i_checkpoint *agreed = context;
  (void)rest;
  return of.number > agreed->number || (of.number == agreed->number && of.token != agreed->token);
}

void sotto_i_checkpoints_cut(const char *folder, const char *role, sotto_i_checkpoint agreed) {
  const sotto_i_checkpoints c = checkpoints_of(folder, role);
  visit_files(&c, is_beyond, &agreed);
}

static bool is_older(void *context, sotto_i_checkpoint of, const char *rest) {
  const sotto_i_checkpoint *oldest = context;
  (void)rest;
  return of.number < oldest->number;
}

/* Files of any role: NAME-NUMBER-TOKEN and more. */
void sotto_i_checkpoints_forget(const char *folder) {
  char *path = NULL;
  if (sotto_i_join(&path, folder, stages, NULL) != SOTTO_OK) return;
  DIR *open = opendir(path);
  for (struct dirent *entry = NULL; open != NULL && (entry = readdir(open)) != NULL;) {
    char role[SOTTO_ROLE_SIZE];
    sotto_i_checkpoint of;
    const char *rest = NULL;
    size_t length = strcspn(entry->d_name, "-");
    if (length >= sizeof role) continue;
    (void)snprintf(role, sizeof role, "%.*s", (int)length, entry->d_name);
    if (parse(&of, &rest, entry->d_name, role)) (void)unlinkat(dirfd(open), entry->d_name, 0);
  }
  if (open != NULL) (void)closedir(open);
  (void)rmdir(path);
  sotto_i_free(path);
}

static sotto_status make_folder(const sotto_i_checkpoints *c, sotto_error *err) {
  char *path = NULL;
  sotto_status status = sotto_i_join(&path, c->folder, stages, err);
  if (status == SOTTO_OK) status = sotto_i_make_folder(path, err);
  sotto_i_free(path);
  return status;
}

bool sotto_i_checkpoint_due(const sotto_i_checkpoints *c, uint64_t epoch) {
  return c != NULL && c->every > 0 && epoch % c->every == 0 && epoch < UINT32_MAX;
}

/* The path of the next checkpoint. */
static sotto_status begin_save(char **path, const sotto_i_checkpoints *c, sotto_i_checkpoint of,
                               sotto_error *err) {
  sotto_status status = make_folder(c, err);
  return status == SOTTO_OK ? path_of(path, c, of, ending, err) : status;
}

/* After a save: removes all but the last few checkpoints, and reports the new one to the other party. */
static void end_save(sotto_i_checkpoints *c, sotto_i_checkpoint of) {
  sotto_i_checkpoint_list kept;
  c->at = of;
  sotto_i_checkpoints_found(&kept, c->folder, c->role);
  visit_files(c, is_older, &kept.of[SOTTO_I_KEPT_CHECKPOINTS - 1]);
  if (c->wire != NULL) sotto_wire_reached(c->wire, (sotto_progress){c->index, of.number});
}

sotto_status sotto_i_checkpoint_save(sotto_i_checkpoints *c, uint32_t number,
                                     const sotto_i_saved_state *state, sotto_error *err) {
  char *path = NULL;
  sotto_status status;
  if (c == NULL) return SOTTO_OK;
  const sotto_i_checkpoint of = {number, c->token};
  SOTTO_TRY(begin_save(&path, c, of, err));
  SOTTO_TRY(sotto_i_state_save(state, path, err));
  end_save(c, of);
done:
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_checkpoint_save_training(sotto_i_checkpoints *c, const sotto_i_training_state *state,
                                              sotto_error *err) {
  char *path = NULL;
  sotto_status status;
  if (c == NULL) return SOTTO_OK;
  const sotto_i_checkpoint of = {c->before + (uint32_t)state->watch->epoch, c->token};
  SOTTO_TRY(begin_save(&path, c, of, err));
  SOTTO_TRY(sotto_i_training_save(state, path, err));
  end_save(c, of);
done:
  sotto_i_free(path);
  return status;
}

static sotto_status load_training(const sotto_i_training_state *state, const char *path, uint64_t epoch,
                                  sotto_error *err) {
  sotto_status status = sotto_i_training_load(state, path, err);
  if (status != SOTTO_OK || state->watch->epoch == epoch) return status;
  return sotto_i_fail(err, SOTTO_CORRUPT, "%s: holds epoch %llu", path,
                      (unsigned long long)state->watch->epoch);
}

sotto_status sotto_i_checkpoint_load_training(const sotto_i_checkpoints *c,
                                              const sotto_i_training_state *state, sotto_error *err) {
  char *path = NULL;
  sotto_status status = path_of(&path, c, c->at, ending, err);
  if (status == SOTTO_OK) status = load_training(state, path, c->at.number - c->before, err);
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_checkpoint_load(const sotto_i_checkpoints *c, const sotto_i_saved_state *state,
                                     sotto_error *err) {
  char *path = NULL;
  sotto_status status = path_of(&path, c, c->at, ending, err);
  if (status == SOTTO_OK) status = sotto_i_state_load(state, path, err);
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_checkpoint_file(char **out, const sotto_i_checkpoints *c, uint32_t number,
                                     const char *file, sotto_error *err) {
  char rest[NAME_SIZE / 2];
  uint32_t token = number == c->at.number ? c->at.token : c->token;
  sotto_status status = make_folder(c, err);
  (void)snprintf(rest, sizeof rest, "-%.80s", file);
  return status == SOTTO_OK ? path_of(out, c, (sotto_i_checkpoint){number, token}, rest, err) : status;
}

/* Sums FNV-1a hashes, which suffice for a few random tokens. A sum does not depend on the order of the
 * roles in one process. */
void sotto_i_checkpoints_drawn(sotto_i_checkpoints *c, const char *token) {
  uint32_t digest = 2166136261U;
  if (c == NULL) return;
  for (; *token != '\0'; token++) digest = (digest ^ (unsigned char)*token) * 16777619U;
  atomic_fetch_add(&c->draws, digest);
}

static void name_with_draws(char out[NAME_SIZE / 2], const sotto_i_checkpoints *c, const char *name) {
  (void)snprintf(out, NAME_SIZE / 2, "%.40s-%08x", name, (unsigned)c->draws);
}

/* Search among the files of one training; `epoch` is the latest one found, or the one to keep. */
typedef struct search {
  sotto_i_checkpoint of;
  const char *name;
  uint64_t epoch;
} search;

/* -NAME-EPOCH.safetensors */
static bool epoch_of(uint64_t *epoch, const char *rest, const char *name) {
  size_t length = strlen(name);
  char *end = NULL;
  if (rest[0] != '-' || strncmp(rest + 1, name, length) != 0 || rest[length + 1] != '-') return false;
  *epoch = strtoull(rest + length + 2, &end, 10);
  return end != rest + length + 2 && strcmp(end, ending) == 0;
}

static bool find_latest(void *context, sotto_i_checkpoint of, const char *rest) {
  search *s = context;
  uint64_t epoch;
  if (same(of, s->of) && epoch_of(&epoch, rest, s->name) && epoch > s->epoch) s->epoch = epoch;
  return false;
}

static bool is_another_epoch(void *context, sotto_i_checkpoint of, const char *rest) {
  const search *s = context;
  uint64_t epoch;
  return same(of, s->of) && epoch_of(&epoch, rest, s->name) && epoch != s->epoch;
}

static sotto_status training_path(char **out, const sotto_i_checkpoints *c, const char *name, uint64_t epoch,
                                  sotto_error *err) {
  char rest[NAME_SIZE / 2];
  (void)snprintf(rest, sizeof rest, "-%.60s-%llu%s", name, (unsigned long long)epoch, ending);
  return path_of(out, c, c->at, rest, err);
}

sotto_status sotto_i_training_keep(const sotto_i_checkpoints *c, const char *name,
                                   const sotto_i_training_state *state, sotto_error *err) {
  char *path = NULL, full[NAME_SIZE / 2];
  sotto_status status;
  if (c == NULL) return SOTTO_OK;
  name_with_draws(full, c, name);
  search s = {c->at, full, state->watch->epoch};
  SOTTO_TRY(make_folder(c, err));
  SOTTO_TRY(training_path(&path, c, full, s.epoch, err));
  SOTTO_TRY(sotto_i_training_save(state, path, err));
  visit_files(c, is_another_epoch, &s);
done:
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_training_find(const sotto_i_checkpoints *c, const char *name,
                                   const sotto_i_training_state *state, sotto_error *err) {
  char *path = NULL, full[NAME_SIZE / 2];
  sotto_status status;
  if (c == NULL) return SOTTO_OK;
  name_with_draws(full, c, name);
  search s = {c->at, full, 0};
  visit_files(c, find_latest, &s);
  if (s.epoch == 0) return SOTTO_OK;
  SOTTO_TRY(training_path(&path, c, full, s.epoch, err));
  SOTTO_TRY(load_training(state, path, s.epoch, err));
done:
  sotto_i_free(path);
  return status;
}
