/* Files of the points of a seed that several parties train. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "party_mesh.h"
#include "point_files.h"

static const char beginning[] = "point-";

static sotto_status path_of(char **out, const char *folder, uint64_t epoch, uint32_t token,
                            sotto_error *err) {
  char name[80];
  (void)snprintf(name, sizeof name, "%s/%s%llu-%08x%s", SOTTO_I_POINT_FOLDER, beginning,
                 (unsigned long long)epoch, (unsigned)token, SOTTO_I_STATE_END);
  return sotto_i_join(out, folder, name, err);
}

/* point-EPOCH-TOKEN.safetensors, and nothing else. */
static bool parse(uint32_t point[2], const char *name) {
  char *end = NULL, again[80];
  if (strncmp(name, beginning, sizeof beginning - 1) != 0) return false;
  unsigned long long epoch = strtoull(name + sizeof beginning - 1, &end, 10);
  if (*end != '-' || epoch == 0 || epoch > UINT32_MAX) return false;
  point[0] = (uint32_t)epoch;
  point[1] = (uint32_t)strtoul(end + 1, &end, 16);
  (void)snprintf(again, sizeof again, "%s%u-%08x%s", beginning, (unsigned)point[0], (unsigned)point[1],
                 SOTTO_I_STATE_END);
  return strcmp(again, name) == 0;
}

/* Calls `visit` for each point, which says whether its file goes. */
static void look_through(const char *folder, bool (*visit)(void *context, const uint32_t point[2]),
                         void *context) {
  char *points = NULL;
  if (sotto_i_join(&points, folder, SOTTO_I_POINT_FOLDER, NULL) != SOTTO_OK) return;
  DIR *open = opendir(points);
  for (struct dirent *entry = NULL; open != NULL && (entry = readdir(open)) != NULL;) {
    uint32_t point[2];
    if (!parse(point, entry->d_name) || !visit(context, point)) continue;
    (void)unlinkat(dirfd(open), entry->d_name, 0);
  }
  if (open != NULL) (void)closedir(open);
  sotto_i_free(points);
}

/* The newest ones, latest first. */
static bool list(void *context, const uint32_t point[2]) {
  uint32_t *out = context;
  for (size_t i = 0; i < SOTTO_I_KEPT_POINTS; i++) {
    if (point[0] <= out[2 * i]) continue;
    memmove(out + 2 * (i + 1), out + 2 * i, (SOTTO_I_KEPT_POINTS - 1 - i) * 2 * sizeof *out);
    memcpy(out + 2 * i, point, 2 * sizeof *out);
    break;
  }
  return false;
}

void sotto_i_mesh_points(uint32_t out[2 * SOTTO_I_KEPT_POINTS], const char *folder) {
  memset(out, 0, 2 * SOTTO_I_KEPT_POINTS * sizeof *out);
  look_through(folder, list, out);
}

static bool is_beyond(void *context, const uint32_t point[2]) {
  const uint32_t *agreed = context;
  return point[0] > agreed[0] || (point[0] == agreed[0] && point[1] != agreed[1]);
}

void sotto_i_mesh_points_cut(const char *folder, const uint32_t agreed[2]) {
  uint32_t copy[2] = {agreed[0], agreed[1]};
  look_through(folder, is_beyond, copy);
}

void sotto_i_mesh_points_forget(const char *folder) {
  const uint32_t none[2] = {0, 0};
  sotto_i_mesh_points_cut(folder, none);
}

bool sotto_i_mesh_point_due(const sotto_i_job *job, uint64_t epoch) {
  uint64_t every = job->options->checkpoint_every;
  return job->seat != NULL && every > 0 && epoch % every == 0 && epoch < UINT32_MAX;
}

static bool is_older(void *context, const uint32_t point[2]) {
  const uint32_t *oldest = context;
  return point[0] < *oldest;
}

sotto_status sotto_i_mesh_point_save(const sotto_i_job *job, uint64_t epoch, const sotto_i_state *state,
                                     sotto_error *err) {
  uint32_t kept[2 * SOTTO_I_KEPT_POINTS];
  char *path = NULL, *points = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_join(&points, job->folder, SOTTO_I_POINT_FOLDER, err));
  SOTTO_TRY(sotto_i_make_folder(points, err));
  SOTTO_TRY(path_of(&path, job->folder, epoch, job->seat->token, err));
  SOTTO_TRY(sotto_i_state_save(state, path, err));
  sotto_i_mesh_points(kept, job->folder);
  look_through(job->folder, is_older, &kept[2 * (SOTTO_I_KEPT_POINTS - 1)]);
done:
  sotto_i_free(path);
  sotto_i_free(points);
  return status;
}

sotto_status sotto_i_mesh_point_load(const sotto_i_job *job, const sotto_i_state *state, sotto_error *err) {
  char *path = NULL;
  sotto_status status = path_of(&path, job->folder, job->seat->point[0], job->seat->point[1], err);
  if (status == SOTTO_OK) status = sotto_i_state_load(state, path, err);
  sotto_i_free(path);
  return status;
}
