/* Relative paths in options. */
#include "own_paths.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Does this file or folder exist? For FOLDER:NAME: does the folder exist? */
static bool path_exists(const char *path) {
  char folder[PATH_MAX];
  const char *colon = strrchr(path, ':');
  if (access(path, F_OK) == 0) return true;
  if (colon == NULL || colon == path || (size_t)(colon - path) >= sizeof folder) return false;
  (void)snprintf(folder, sizeof folder, "%.*s", (int)(colon - path), path);
  return access(folder, F_OK) == 0;
}

/* A path that would not fit stays as it is. */
static void make_absolute(char *path, size_t size) {
  char here[PATH_MAX], whole[2 * PATH_MAX];
  if (path[0] == '\0' || path[0] == '/' || !path_exists(path) || getcwd(here, sizeof here) == NULL) return;
  const char *from = path;
  while (strncmp(from, "./", 2) == 0) from += 1 + strspn(from + 1, "/");
  const int length = snprintf(whole, sizeof whole, "%s/%s", strcmp(here, "/") == 0 ? "" : here, from);
  if (length > 0 && (size_t)length < size) memcpy(path, whole, (size_t)length + 1);
}

void sotto_i_own_paths(sotto_options *o) {
  make_absolute(o->data, sizeof o->data);
  make_absolute(o->nodes, sizeof o->nodes);
  make_absolute(o->schema, sizeof o->schema);
  make_absolute(o->ids, sizeof o->ids);
  make_absolute(o->ledger, sizeof o->ledger);
}
