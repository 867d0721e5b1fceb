/* Files of run folders: copied, removed, changed, read. */
#include "run_files.h"

#include <dirent.h>
#include <unistd.h>

#include "check.h"

static void copy_file(const char *from, const char *to) {
  sotto_i_map map;
  CHECK_OK(sotto_i_map_open(&map, from, &err));
  CHECK_OK(sotto_i_write_file(to, map.data, map.size, &err));
  sotto_i_map_close(&map);
}

void check_copy_artifact(const char *from, const char *to) {
  char made_from[1200], made_to[1200];
  (void)snprintf(made_from, sizeof made_from, "%.1100s.made", from);
  (void)snprintf(made_to, sizeof made_to, "%.1100s.made", to);
  copy_file(from, to);
  if (sotto_i_is_file(made_from)) copy_file(made_from, made_to);
}

/* Calls `each` for what is in the folder. */
static void walk(const char *path, const char *to, void (*each)(const char *from, const char *to)) {
  DIR *folder = opendir(path);
  assert_non_null(folder);
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    char from[1200], into[1200];
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    (void)snprintf(from, sizeof from, "%.900s/%.250s", path, entry->d_name);
    (void)snprintf(into, sizeof into, "%.900s/%.250s", to, entry->d_name);
    each(from, into);
  }
  assert_int_equal(closedir(folder), 0);
}

static void copy_any(const char *from, const char *to) {
  if (sotto_i_is_folder(from))
    check_copy_folder(from, to);
  else
    copy_file(from, to);
}

void check_copy_folder(const char *from, const char *to) {
  CHECK_OK(sotto_i_make_folder(to, &err));
  walk(from, to, copy_any);
}

static void remove_any(const char *path, const char *unused) {
  (void)unused;
  if (sotto_i_is_folder(path))
    check_remove_folder(path);
  else
    assert_int_equal(unlink(path), 0);
}

void check_remove_folder(const char *path) {
  walk(path, "", remove_any);
  assert_int_equal(rmdir(path), 0);
}

void check_turn_a_bit(const char *path) {
  FILE *file = fopen(path, "r+b");
  assert_non_null(file);
  assert_int_equal(fseek(file, -1, SEEK_END), 0);
  int last = fgetc(file);
  assert_true(last != EOF);
  assert_int_equal(fseek(file, -1, SEEK_END), 0);
  assert_int_equal(fputc(last ^ 1, file), last ^ 1);
  assert_int_equal(fclose(file), 0);
}

void check_same_file(const char *path, const sotto_i_map *before) {
  sotto_i_map now;
  CHECK_OK(sotto_i_map_open(&now, path, &err));
  assert_int_equal(now.size, before->size);
  assert_memory_equal(now.data, before->data, before->size);
  sotto_i_map_close(&now);
}
