/* sotto_dataset_open: which reader a path asks for, the files it needs, and the dataset's name. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "csv.h"
#include "native.h"

enum { MOST_FILES = SOTTO_I_PLANETOID_FILES };

/* Files that were mapped for one reader. */
typedef struct opened {
  sotto_i_map maps[MOST_FILES];
  char *paths[MOST_FILES];
  sotto_i_source sources[MOST_FILES];
} opened;

static void close_all(opened *o) {
  for (size_t i = 0; i < MOST_FILES; i++) {
    sotto_i_map_close(&o->maps[i]);
    sotto_i_free(o->paths[i]);
  }
}

/* Maps FOLDER/NAME (or NAME alone when folder is NULL) as file `which`. An empty file has data, but no bytes.
 */
static sotto_status map_file(opened *o, size_t which, const char *folder, const char *name, bool optional,
                             sotto_error *err) {
  static const uint8_t nothing[1];
  sotto_status status;
  if (folder == NULL)
    SOTTO_TRY(sotto_i_strdup(&o->paths[which], name, err));
  else
    SOTTO_TRY(sotto_i_join(&o->paths[which], folder, name, err));
  o->sources[which] = (sotto_i_source){.file = o->paths[which]};
  if (optional && !sotto_i_is_file(o->paths[which])) return SOTTO_OK;
  SOTTO_TRY(sotto_i_map_open(&o->maps[which], o->paths[which], err));
  o->sources[which].data = o->maps[which].data == NULL ? nothing : o->maps[which].data;
  o->sources[which].size = o->maps[which].size;
done:
  return status;
}

static bool ends_with(const char *path, const char *end) {
  size_t length = strlen(path), tail = strlen(end);
  return length > tail && strcmp(path + length - tail, end) == 0;
}

/* The last part of the path, without what follows its last dot. */
static sotto_status name_of(char **out, const char *path, sotto_error *err) {
  size_t end = strlen(path);
  while (end > 1 && path[end - 1] == '/') end--;
  size_t begin = end;
  while (begin > 0 && path[begin - 1] != '/') begin--;
  const char *dot = memrchr(path + begin, '.', end - begin);
  if (dot != NULL && dot > path + begin) end = (size_t)(dot - path);
  sotto_status status = sotto_i_new(out, end - begin + 1, 1, err);
  if (status == SOTTO_OK) memcpy(*out, path + begin, end - begin);
  return status;
}

static sotto_status open_native(sotto_i_parts *parts, opened *o, const char *path, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(map_file(o, 0, NULL, path, false, err));
  SOTTO_TRY(sotto_i_read_native(parts, &o->sources[0], err));
  parts->map = o->maps[0];
  o->maps[0] = (sotto_i_map){0};
done:
  return status;
}

static sotto_status open_planetoid(sotto_i_parts *parts, opened *o, const char *folder, const char *name,
                                   sotto_error *err) {
  static const char *const ends[SOTTO_I_PLANETOID_FILES] = {"x",    "y",    "tx",    "ty",
                                                            "allx", "ally", "graph", "test.index"};
  sotto_status status = SOTTO_OK;
  char file[128];
  if (name[0] == '\0' || strlen(name) > 64 || strchr(name, '/') != NULL)
    return sotto_i_fail(err, SOTTO_INVALID, "%s:%s: what follows the colon is not the name of a dataset",
                        folder, name);
  for (size_t i = 0; i < SOTTO_I_PLANETOID_FILES; i++) {
    (void)snprintf(file, sizeof file, "ind.%s.%s", name, ends[i]);
    SOTTO_TRY(map_file(o, i, folder, file, false, err));
  }
  SOTTO_TRY(sotto_i_read_planetoid(parts, o->sources, err));
  SOTTO_TRY(sotto_i_strdup(&parts->name, name, err));
done:
  return status;
}

/* The DS of the one DS_A.txt in a folder. */
static sotto_status find_collection(char *out, size_t room, const char *folder, sotto_error *err) {
  size_t found = 0;
  DIR *listing = opendir(folder);
  if (listing == NULL) return sotto_i_fail(err, SOTTO_IO, "%s: could not list this folder", folder);
  for (const struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
    if (!ends_with(entry->d_name, "_A.txt") || strlen(entry->d_name) >= room) continue;
    size_t length = strlen(entry->d_name) - strlen("_A.txt");
    memcpy(out, entry->d_name, length);
    out[length] = '\0';
    found++;
  }
  closedir(listing);
  if (found == 1) return SOTTO_OK;
  return sotto_i_fail(
      err, SOTTO_NOT_FOUND,
      "%s: a TUDataset folder has one file NAME_A.txt, here are %zu (for Planetoid: FOLDER:NAME)", folder,
      found);
}

static sotto_status open_collection(sotto_i_parts *parts, opened *o, const char *folder, sotto_error *err) {
  static const char *const ends[SOTTO_I_TU_FILES] = {"A", "graph_indicator", "graph_labels", "node_labels",
                                                     "node_attributes"};
  sotto_status status;
  char name[256], file[300];
  SOTTO_TRY(find_collection(name, sizeof name, folder, err));
  for (size_t i = 0; i < SOTTO_I_TU_FILES; i++) {
    (void)snprintf(file, sizeof file, "%s_%s.txt", name, ends[i]);
    SOTTO_TRY(map_file(o, i, folder, file, i >= SOTTO_I_TU_NODE_LABELS, err));
  }
  SOTTO_TRY(sotto_i_read_tu(parts, o->sources, err));
  SOTTO_TRY(sotto_i_strdup(&parts->name, name, err));
done:
  return status;
}

sotto_status sotto_i_node_table_path(char **out, const char *path, const char *given, sotto_error *err) {
  static const char *const middles[2] = {".nodes", "_nodes"};
  *out = NULL;
  if (given != NULL) return sotto_i_strdup(out, given, err);
  const size_t stem = strlen(path) - 4, room = strlen(path) + 8;
  char *candidate = NULL;
  sotto_status status = sotto_i_new(&candidate, room, 1, err);
  for (size_t i = 0; status == SOTTO_OK && *out == NULL && i < 2; i++) {
    (void)snprintf(candidate, room, "%.*s%s%s", (int)stem, path, middles[i], path + stem);
    if (sotto_i_is_file(candidate)) status = sotto_i_strdup(out, candidate, err);
  }
  sotto_i_free(candidate);
  return status;
}

static sotto_status map_nodes(opened *o, const char *path, const char *given, sotto_error *err) {
  char *table = NULL;
  sotto_status status = sotto_i_node_table_path(&table, path, given, err);
  if (status == SOTTO_OK && table != NULL) status = map_file(o, 1, NULL, table, false, err);
  sotto_i_free(table);
  return status;
}

static sotto_status open_edges(sotto_i_parts *parts, opened *o, const char *path,
                               const sotto_import_options *options, sotto_error *err) {
  static const uint8_t nothing[1];
  sotto_status status;
  if (options != NULL && options->nodes_only) {
    SOTTO_TRY(map_file(o, 1, NULL, path, false, err));
    o->sources[0] = (sotto_i_source){.file = path, .data = nothing};
    return sotto_i_read_edges(parts, &o->sources[0], &o->sources[1], ',', err);
  }
  SOTTO_TRY(map_file(o, 0, NULL, path, false, err));
  SOTTO_TRY(map_nodes(o, path, options == NULL ? NULL : options->nodes_table, err));
  SOTTO_TRY(
      sotto_i_read_edges(parts, &o->sources[0], &o->sources[1], ends_with(path, ".tsv") ? '\t' : ',', err));
done:
  return status;
}

static sotto_status open_file(sotto_i_parts *parts, opened *o, const char *path,
                              const sotto_import_options *options, sotto_error *err) {
  sotto_status status;
  if (ends_with(path, ".sotto")) return open_native(parts, o, path, err);
  if (ends_with(path, ".csv") || ends_with(path, ".tsv")) {
    SOTTO_TRY(open_edges(parts, o, path, options, err));
  } else if (ends_with(path, ".npz")) {
    SOTTO_TRY(map_file(o, 0, NULL, path, false, err));
    SOTTO_TRY(sotto_i_read_npz(parts, &o->sources[0], err));
  } else if (ends_with(path, ".mat")) {
    SOTTO_TRY(map_file(o, 0, NULL, path, false, err));
    SOTTO_TRY(sotto_i_read_facebook(parts, &o->sources[0], options, err));
  } else {
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "%s: not a form of data that is known: NAME.sotto, FOLDER:NAME (Planetoid), .npz, .mat, .csv, "
        ".tsv, or a TUDataset folder",
        path);
  }
  SOTTO_TRY(name_of(&parts->name, path, err));
done:
  return status;
}

/* FOLDER:NAME, unless there is something with that very name. */
static sotto_status open_any(sotto_i_parts *parts, opened *o, const char *path,
                             const sotto_import_options *options, sotto_error *err) {
  const char *colon = strrchr(path, ':');
  if (sotto_i_is_folder(path)) return open_collection(parts, o, path, err);
  if (sotto_i_is_file(path)) return open_file(parts, o, path, options, err);
  if (colon == NULL) return sotto_i_fail(err, SOTTO_NOT_FOUND, "%s: there is no such file or folder", path);
  char *folder = NULL;
  sotto_status status = sotto_i_strdup(&folder, path, err);
  if (status != SOTTO_OK) return status;
  folder[colon - path] = '\0';
  if (sotto_i_is_folder(folder))
    status = open_planetoid(parts, o, folder, colon + 1, err);
  else
    status =
        sotto_i_fail(err, SOTTO_NOT_FOUND, "%s: there is no such file, and no folder '%s'", path, folder);
  sotto_i_free(folder);
  return status;
}

sotto_status sotto_dataset_open(sotto_dataset *out, const char *path, const sotto_import_options *options,
                                sotto_error *err) {
  opened o = {0};
  sotto_i_parts parts = {0};
  *out = (sotto_dataset){0};
  sotto_status status = open_any(&parts, &o, path, options, err);
  if (status == SOTTO_OK) {
    status = sotto_i_dataset_assemble(out, &parts, err);
    if (status != SOTTO_OK) sotto_i_error_prefix(err, "%s", path);
  }
  sotto_i_parts_free(&parts);
  close_all(&o);
  return status;
}
