/* The files of a run folder that its evidence covers: all that are final at the end of the run. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "evidence.h"

/* Not covered: files written after the end, files with evidence of their own, and files that need none. A
 * digest of a file in owner-only/ would reveal something about it. */
static const char *const never[] = {"evidence.json", "evidence.crt", "lock",
                                    "finished",      "report.html*", "predictions*",
                                    "nights",        "owner-only",   "*.partial.*"};

bool sotto_i_evidence_covers(const char *name) {
  const char *part = name;
  if (name[0] == '\0') return false;
  while (part != NULL) {
    const size_t length = strcspn(part, "/");
    char one[256];
    if (length == 0 || length >= sizeof one || part[0] == '.') return false;
    memcpy(one, part, length);
    one[length] = '\0';
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
      if (fnmatch(never[i], one, 0) == 0) return false;
    part = part[length] == '/' ? part + length + 1 : NULL;
  }
  return true;
}

typedef struct walk {
  const char *folder;
  int (*visit)(void *context, const char *name);
  void *context;
} walk;

/* Takes over the descriptor. Returns the errno of the first failure, or 0; links are not followed. */
static int walk_below(const walk *w, int descriptor, const char *prefix, unsigned depth) {
  char name[512];
  struct stat info;
  int problem = 0;
  DIR *listing = fdopendir(descriptor);
  if (listing == NULL) {
    problem = errno;
    (void)close(descriptor);
    return problem;
  }
  for (const struct dirent *entry = NULL; problem == 0 && (entry = readdir(listing)) != NULL;) {
    const int length = snprintf(name, sizeof name, "%s%s", prefix, entry->d_name);
    if (length >= (int)sizeof name - 1 || !sotto_i_evidence_covers(name)) continue;
    if (fstatat(descriptor, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
      problem = errno;
    } else if (S_ISREG(info.st_mode)) {
      problem = w->visit(w->context, name);
    } else if (S_ISDIR(info.st_mode) && depth > 0) {
      const int below = openat(descriptor, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      (void)snprintf(name + length, sizeof name - (size_t)length, "/");
      problem = below < 0 ? errno : walk_below(w, below, name, depth - 1);
    }
  }
  (void)closedir(listing);
  return problem;
}

sotto_status sotto_i_evidence_walk(const char *folder, int (*visit)(void *context, const char *name),
                                   void *context, sotto_error *err) {
  enum { deepest = 4 };
  const walk w = {folder, visit, context};
  const int top = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const int problem = top < 0 ? errno : walk_below(&w, top, "", deepest);
  if (problem <= 0) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_IO, "%s: could not read the folder: %s", folder,
                      sotto_i_errno_text(problem));
}
