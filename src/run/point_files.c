/* A seed's folder of points, looked through by name. */
#include "point_files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

enum { step_bits = 20 }; /* an epoch is at most a million */

uint32_t sotto_i_point_number(sotto_i_point point) {
  return point.phase << step_bits | point.step;
}

sotto_i_point sotto_i_point_of(uint32_t number) {
  return (sotto_i_point){number >> step_bits, number & ((1U << step_bits) - 1)};
}

/* KIND-NUMBER with this end, and nothing else; false for any other name. */
static bool parse(uint64_t *number, const char *name, const char *kind, const char *end) {
  size_t length = strlen(kind);
  char *rest = NULL;
  if (strncmp(name, kind, length) != 0 || name[length] != '-' || name[length + 1] < '0' ||
      name[length + 1] > '9')
    return false;
  *number = strtoull(name + length + 1, &rest, 10);
  return strcmp(rest, end) == 0 && *number < 1U << step_bits;
}

/* The point that a file is there for. */
static bool point_of_file(sotto_i_point *out, const char *name) {
  uint64_t number;
  if (parse(&number, name, SOTTO_I_ENCODER_FILE, SOTTO_I_STATE_END))
    *out = (sotto_i_point){0, (uint32_t)number};
  else if (parse(&number, name, SOTTO_I_ROUND_FILE, SOTTO_I_STATE_END))
    *out = (sotto_i_point){(uint32_t)number + 1, 0};
  else if (parse(&number, name, SOTTO_I_LAYERS_FILE, SOTTO_I_DONE_END) ||
           parse(&number, name, SOTTO_I_DECODER_FILE, SOTTO_I_STATE_END))
    *out = (sotto_i_point){(uint32_t)number + 1, 1};
  else
    return false;
  return out->phase < 1U << (32 - step_bits);
}

/* Calls `visit` for every file of a point; a folder that is not there has none. */
static void look_through(const char *folder,
                         void (*visit)(void *context, const char *path, const char *name,
                                       sotto_i_point point),
                         void *context) {
  char *points = NULL;
  sotto_i_point point;
  if (sotto_i_join(&points, folder, SOTTO_I_POINT_FOLDER, NULL) != SOTTO_OK) return;
  DIR *open = opendir(points);
  for (struct dirent *entry = NULL; open != NULL && (entry = readdir(open)) != NULL;) {
    char *path = NULL;
    if (!point_of_file(&point, entry->d_name) || sotto_i_join(&path, points, entry->d_name, NULL) != SOTTO_OK)
      continue;
    visit(context, path, entry->d_name, point);
    sotto_i_free(path);
  }
  if (open != NULL) (void)closedir(open);
  sotto_i_free(points);
}

typedef struct listing {
  sotto_i_points *points;
  sotto_role role;
} listing;

static void add(sotto_i_points *points, sotto_i_point point) {
  uint32_t number = sotto_i_point_number(point);
  if (points->count == SOTTO_I_MOST_POINTS) return;
  points->numbers[points->count++] = number;
  if (number > points->last) points->last = number;
}

static void list(void *context, const char *path, const char *name, sotto_i_point point) {
  const listing *l = context;
  uint64_t number;
  (void)path;
  if (parse(&number, name, SOTTO_I_DECODER_FILE, SOTTO_I_STATE_END)) return;
  add(l->points, point);
  /* A data party that stands before a release can go on after it as well. */
  if (l->role == SOTTO_ROLE_DATA && point.phase > 0) add(l->points, (sotto_i_point){point.phase, 1});
}

/* Layers are of use with the state before them alone. */
static void drop_lonely(sotto_i_points *points) {
  points->last = 0;
  for (size_t i = 0; i < points->count; i++) {
    const sotto_i_point point = sotto_i_point_of(points->numbers[i]);
    bool alone = point.phase > 0 && point.step > 0;
    for (size_t k = 0; alone && k < points->count; k++) alone = points->numbers[k] != points->numbers[i] - 1;
    if (alone)
      points->numbers[i] = 0;
    else if (points->numbers[i] > points->last)
      points->last = points->numbers[i];
  }
}

void sotto_i_points_found(sotto_i_points *out, const char *folder, sotto_role role) {
  listing l = {out, role};
  *out = (sotto_i_points){.count = 0};
  look_through(folder, list, &l);
  drop_lonely(out);
}

uint32_t sotto_i_points_common(const sotto_i_points *own, const sotto_i_points *theirs) {
  uint32_t last = 0;
  for (size_t i = 0; i < own->count; i++)
    for (size_t j = 0; j < SOTTO_I_MOST_POINTS; j++)
      if (own->numbers[i] == theirs->numbers[j] && own->numbers[i] > last) last = own->numbers[i];
  return last;
}

static void cut(void *context, const char *path, const char *name, sotto_i_point point) {
  const sotto_i_point *most = context;
  (void)name;
  if (sotto_i_point_number(point) > sotto_i_point_number(*most)) (void)unlink(path);
}

void sotto_i_points_cut(const char *folder, sotto_i_point point) {
  look_through(folder, cut, &point);
}

static void forget(const char *folder, const char *kind, uint64_t number, const char *end) {
  char name[96];
  char *path = NULL;
  (void)snprintf(name, sizeof name, SOTTO_I_POINT_FOLDER "/%s-%llu%s", kind, (unsigned long long)number, end);
  if (sotto_i_join(&path, folder, name, NULL) == SOTTO_OK) (void)unlink(path);
  sotto_i_free(path);
}

void sotto_i_layers_forget(const char *folder, uint64_t round, uint32_t count) {
  forget(folder, SOTTO_I_LAYERS_FILE, round, SOTTO_I_DONE_END);
  forget(folder, SOTTO_I_DECODER_FILE, round, SOTTO_I_STATE_END);
  for (uint32_t k = 0; k < count; k++) {
    char end[32];
    (void)snprintf(end, sizeof end, "-%u.sotto", k);
    forget(folder, SOTTO_I_LAYER_FILE, round, end);
  }
}

typedef struct epochs {
  uint64_t least;
} epochs;

static void forget_early(void *context, const char *path, const char *name, sotto_i_point point) {
  const epochs *e = context;
  (void)name;
  if (point.phase == 0 && point.step < e->least) (void)unlink(path);
}

void sotto_i_encoders_forget(const char *folder, uint64_t epoch, uint64_t every) {
  epochs e = {epoch > every ? epoch - every : 0};
  look_through(folder, forget_early, &e);
}
