/* Folders of later releases of a run, in the order of their numbers. */
#include "later.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "common/file.h"
#include "common/memory.h"

static int by_number(const struct dirent **a, const struct dirent **b) {
  const unsigned long long x = strtoull((*a)->d_name, NULL, 10), y = strtoull((*b)->d_name, NULL, 10);
  return x < y ? -1 : x > y;
}

static int is_number(const struct dirent *entry) {
  const char *name = entry->d_name;
  return name[0] != '\0' && strspn(name, "0123456789") == strlen(name);
}

static sotto_status visit_one(const char *folder, const char *name, later_visit visit, void *context,
                              sotto_error *err) {
  char *path = NULL;
  sotto_status status = app_join(&path, folder, name, err);
  if (status == SOTTO_OK && sotto_i_is_folder(path)) status = visit(context, path, name, err);
  free(path);
  return status;
}

sotto_status later_each(const char *folder, later_visit visit, void *context, sotto_error *err) {
  struct dirent **entries = NULL;
  char *path = NULL, name[300];
  int count = 0;
  sotto_status status;
  SOTTO_TRY(app_join(&path, folder, "predictions", err));
  if (sotto_i_is_folder(path)) count = scandir(path, &entries, is_number, by_number);
  for (int i = 0; i < count; i++) {
    (void)snprintf(name, sizeof name, "predictions/%s", entries[i]->d_name);
    SOTTO_TRY(visit_one(folder, name, visit, context, err));
  }
  SOTTO_TRY(visit_one(folder, "nights", visit, context, err));
done:
  for (int i = 0; i < count; i++) free(entries[i]);
  free(entries);
  free(path);
  return status;
}
