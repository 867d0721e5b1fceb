/* The folder of a run: its lock, its first files, and its end. */
#include "run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "begun.h"
#include "own_paths.h"
#include "run/files/folder_file.h"
#include "run/settings/options.h"

static const sotto_i_folder_file yaml = {"run.yaml", SOTTO_I_FOR_ANYONE, "options"};
static const sotto_i_folder_file paths = {"paths.yaml", SOTTO_I_FOR_PARTY, "options: paths of the machine"};
static const sotto_i_folder_file id_of_run = {"run.id", SOTTO_I_FOR_ANYONE, "random: the id of the run"};
static const sotto_i_folder_file lock = {"lock", SOTTO_I_FOR_ANYONE,
                                         "empty; held while a process works here"};
static const char lock_file[] = "lock", options_file[] = "run.yaml", id_file[] = "run.id";
static const char model_file[] = "model.digest"; /* of predictions (other_data.c) */

/* The system frees the lock when the process ends, in any way. Partial files of a killed process are
 * removed now: a partial release would be one that was not charged. */
static sotto_status take_lock(sotto_i_run_folder *folder, sotto_error *err) {
  char *path = NULL;
  sotto_status status = sotto_i_make_private(folder->path, err);
  if (status == SOTTO_OK) status = sotto_i_folder_path(&path, folder->path, &lock, NULL, NULL, err);
  if (status != SOTTO_OK) return status;
  folder->lock = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (folder->lock < 0)
    status = sotto_i_fail(err, SOTTO_IO, "%s: could not open it: %s", path, strerror(errno));
  else if (flock(folder->lock, LOCK_EX | LOCK_NB) != 0)
    status = sotto_i_fail(err, SOTTO_INVALID, "%s: another process is at work on this run", folder->path);
  else
    status = sotto_i_remove_partials(folder->path, err);
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_run_folder_open(sotto_i_run_folder *out, const char *path, sotto_error *err) {
  *out = (sotto_i_run_folder){.path = path, .lock = -1};
  return sotto_i_is_folder(path) ? take_lock(out, err) : SOTTO_OK;
}

sotto_status sotto_i_run_folder_begin(sotto_i_run_folder *folder, const sotto_options *options,
                                      const char *id, sotto_error *err) {
  char *path = NULL, *own_paths = NULL, *name = NULL;
  sotto_status status;
  if (folder->lock < 0) {
    SOTTO_TRY(sotto_i_make_folder(folder->path, err));
    folder->made = true;
    SOTTO_TRY(take_lock(folder, err));
  }
  SOTTO_TRY(sotto_i_folder_path(&path, folder->path, &yaml, NULL, options, err));
  SOTTO_TRY(sotto_i_folder_path(&name, folder->path, &id_of_run, NULL, options, err));
  if (!options->resume || !sotto_i_is_file(path)) {
    sotto_options own = *options;
    sotto_i_own_paths(&own);
    SOTTO_TRY(sotto_i_folder_path(&own_paths, folder->path, &paths, NULL, options, err));
    SOTTO_TRY(sotto_i_options_write_part(&own, own_paths, true, err));
    SOTTO_TRY(sotto_i_options_write_part(&own, path, false, err));
  }
  SOTTO_TRY(sotto_i_begun_keep_answer(options, folder->path, err));
  if (!sotto_i_is_file(name))
    SOTTO_TRY(sotto_i_folder_write(folder->path, &id_of_run, NULL, options, id, 32, err));
done:
  sotto_i_free(path);
  sotto_i_free(own_paths);
  sotto_i_free(name);
  return status;
}

sotto_status sotto_i_run_folder_id(char id[33], const char *path, sotto_error *err) {
  char *file = NULL;
  sotto_i_map map = {0};
  sotto_status status;
  id[32] = '\0';
  SOTTO_TRY(sotto_i_join(&file, path, id_file, err));
  if (!sotto_i_is_file(file)) {
    sotto_key key;
    sotto_key_system(&key);
    sotto_i_hex(id, key.bytes, 16);
    goto done;
  }
  SOTTO_TRY(sotto_i_map_open(&map, file, err));
  if (map.size < 32)
    status = sotto_i_fail(err, SOTTO_CORRUPT, "%s: is cut short", file);
  else
    memcpy(id, map.data, 32);
done:
  sotto_i_map_close(&map);
  sotto_i_free(file);
  return status;
}

static bool is_one_of(const char *name, const char *const *names, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(name, names[i]) == 0) return true;
  return false;
}

/* Removes owner-only/, unless it has more than the names of the data and its ledger. */
static bool remove_owners(int at, const char *name, bool try) {
  static const char *const first[] = {".", "..", "data.digest", "accounts", "ledger", "paths.yaml"};
  bool all = true;
  int folder = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *open = folder < 0 ? NULL : fdopendir(folder);
  if (open == NULL) return false;
  for (struct dirent *entry = NULL; (entry = readdir(open)) != NULL;)
    all = is_one_of(entry->d_name, first, sizeof first / sizeof *first) && all;
  for (size_t i = 2; all && !try && i < sizeof first / sizeof *first; i++)
    (void)unlinkat(dirfd(open), first[i], 0);
  (void)closedir(open);
  return all && (try || unlinkat(at, name, AT_REMOVEDIR) == 0);
}

/* Removes the first files of the run, and seed folders without a file. `try`: removes only such seed
 * folders; the result says whether the folder has nothing else. */
static bool remove_beginning(const char *path, bool try) {
  static const char *const first[] = {".", "..", lock_file, options_file, id_file, model_file};
  bool all = true;
  DIR *open = opendir(path);
  if (open == NULL) return false;
  for (struct dirent *entry = NULL; (entry = readdir(open)) != NULL;) {
    if (is_one_of(entry->d_name, first, 2)) continue;
    if (strcmp(entry->d_name, "owner-only") == 0) {
      all = remove_owners(dirfd(open), entry->d_name, try) && all;
      continue;
    }
    if (!is_one_of(entry->d_name, first, sizeof first / sizeof *first))
      all = strncmp(entry->d_name, "seed-", 5) == 0 &&
            unlinkat(dirfd(open), entry->d_name, AT_REMOVEDIR) == 0 && all;
    else if (!try)
      (void)unlinkat(dirfd(open), entry->d_name, 0);
  }
  (void)closedir(open);
  return all;
}

void sotto_i_run_folder_close(sotto_i_run_folder *folder, bool failed) {
  if (failed && folder->made && remove_beginning(folder->path, true)) {
    (void)remove_beginning(folder->path, false);
    (void)rmdir(folder->path);
  }
  if (folder->lock >= 0) (void)close(folder->lock);
  *folder = (sotto_i_run_folder){.lock = -1};
}
