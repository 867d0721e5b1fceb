/* Opens datasets that are folders of files. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "graph/formats/formats.h"
#include "open.h"

void sotto_i_opened_close(sotto_i_opened *o) {
  for (size_t i = 0; i < SOTTO_I_MOST_FILES; i++) {
    sotto_i_table_text_free(&o->texts[i]);
    sotto_i_map_close(&o->maps[i]);
    sotto_i_free(o->paths[i]);
  }
  sotto_i_reader_close(&o->pieces);
}

sotto_status sotto_i_opened_map(sotto_i_opened *o, size_t which, const char *folder, const char *name,
                                bool optional, sotto_error *err) {
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

sotto_status sotto_i_opened_text(sotto_i_opened *o, size_t which, bool table, sotto_error *err) {
  const sotto_i_source file = o->sources[which];
  sotto_i_table_text *text = &o->texts[which];
  const sotto_status status =
      table ? sotto_i_table_text_open(text, &file, err) : sotto_i_table_text_unpack(text, &file, err);
  if (status == SOTTO_OK) o->sources[which] = text->source;
  return status;
}

size_t sotto_i_unpacked_length(const char *path) {
  const size_t length = strlen(path);
  return sotto_i_ends_with(path, ".gz") ? length - 3 : sotto_i_ends_with(path, ".zst") ? length - 4 : length;
}

bool sotto_i_ends_with(const char *path, const char *end) {
  size_t length = strlen(path), tail = strlen(end);
  return length > tail && strcmp(path + length - tail, end) == 0;
}

sotto_status sotto_i_name_of(char **out, const char *path, sotto_error *err) {
  size_t end = sotto_i_unpacked_length(path);
  while (end > 1 && path[end - 1] == '/') end--;
  size_t begin = end;
  while (begin > 0 && path[begin - 1] != '/') begin--;
  const char *dot = memrchr(path + begin, '.', end - begin);
  if (dot != NULL && dot > path + begin) end = (size_t)(dot - path);
  sotto_status status = sotto_i_new(out, end - begin + 1, 1, err);
  if (status == SOTTO_OK) memcpy(*out, path + begin, end - begin);
  return status;
}

sotto_status sotto_i_open_planetoid(sotto_i_parts *parts, sotto_i_opened *o, const char *folder,
                                    const char *name, sotto_error *err) {
  static const char *const ends[SOTTO_I_PLANETOID_FILES] = {"x",    "y",    "tx",    "ty",
                                                            "allx", "ally", "graph", "test.index"};
  sotto_status status = SOTTO_OK;
  char file[128];
  if (name[0] == '\0' || strlen(name) > 64 || strchr(name, '/') != NULL)
    return sotto_i_fail(err, SOTTO_INVALID, "%s:%s: what follows the colon is not the name of a dataset",
                        folder, name);
  for (size_t i = 0; i < SOTTO_I_PLANETOID_FILES; i++) {
    (void)snprintf(file, sizeof file, "ind.%s.%s", name, ends[i]);
    SOTTO_TRY(sotto_i_opened_map(o, i, folder, file, false, err));
  }
  SOTTO_TRY(sotto_i_reading_form(parts, err, "Planetoid"));
  SOTTO_TRY(sotto_i_read_planetoid(parts, o->sources, err));
  SOTTO_TRY(sotto_i_strdup(&parts->name, name, err));
done:
  return status;
}

/* Finds the name DS of the only DS_A.txt in a folder. */
static sotto_status find_collection(char *out, size_t room, const char *folder, sotto_error *err) {
  size_t found = 0;
  DIR *listing = opendir(folder);
  if (listing == NULL) return sotto_i_fail(err, SOTTO_IO, "%s: could not list this folder", folder);
  for (const struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
    if (!sotto_i_ends_with(entry->d_name, "_A.txt") || strlen(entry->d_name) >= room) continue;
    size_t length = strlen(entry->d_name) - strlen("_A.txt");
    memcpy(out, entry->d_name, length);
    out[length] = '\0';
    found++;
  }
  closedir(listing);
  if (found == 1) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_NOT_FOUND,
                      "%s: a TUDataset folder has one file NAME_A.txt, but this one has %zu (for Planetoid: "
                      "FOLDER:NAME; OGB has a folder "
                      "raw with edge.csv.gz)",
                      folder, found);
}

static sotto_status open_collection(sotto_i_parts *parts, sotto_i_opened *o, const char *folder,
                                    sotto_error *err) {
  static const char *const ends[SOTTO_I_TU_FILES] = {"A", "graph_indicator", "graph_labels", "node_labels",
                                                     "node_attributes"};
  sotto_status status;
  char name[256], file[300];
  SOTTO_TRY(find_collection(name, sizeof name, folder, err));
  for (size_t i = 0; i < SOTTO_I_TU_FILES; i++) {
    (void)snprintf(file, sizeof file, "%s_%s.txt", name, ends[i]);
    SOTTO_TRY(sotto_i_opened_map(o, i, folder, file, i >= SOTTO_I_TU_NODE_LABELS, err));
  }
  SOTTO_TRY(sotto_i_reading_form(parts, err, "TUDataset"));
  SOTTO_TRY(sotto_i_read_tu(parts, o->sources, err));
  SOTTO_TRY(sotto_i_strdup(&parts->name, name, err));
done:
  return status;
}

/* Finds the only folder in FOLDER/split; *out is empty when there is none. Errors: INVALID (several). */
static sotto_status find_split(char *out, size_t room, const char *folder, sotto_error *err) {
  size_t found = 0;
  DIR *listing = opendir(folder);
  out[0] = '\0';
  if (listing == NULL) return SOTTO_OK;
  for (const struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
    if (entry->d_name[0] == '.' || strlen(entry->d_name) >= room) continue;
    (void)snprintf(out, room, "%s", entry->d_name);
    found++;
  }
  closedir(listing);
  if (found <= 1) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID, "%s: has %zu splits; move away all but one", folder, found);
}

static sotto_status open_ogb(sotto_i_parts *parts, sotto_i_opened *o, const char *folder, sotto_error *err) {
  static const char *const names[SOTTO_I_OGB_FILES] = {
      "edge.csv.gz",  "num-node-list.csv.gz", "node-feat.csv.gz", "node-label.csv.gz",
      "train.csv.gz", "valid.csv.gz",         "test.csv.gz"};
  char *splits = NULL;
  char split[256], file[600];
  sotto_status status;
  SOTTO_TRY(sotto_i_join(&splits, folder, "split", err));
  SOTTO_TRY(find_split(split, sizeof split, splits, err));
  for (size_t i = 0; i < SOTTO_I_OGB_FILES; i++) {
    const bool part = i >= SOTTO_I_OGB_TRAIN;
    if (part)
      (void)snprintf(file, sizeof file, "split/%s/%s", split, names[i]);
    else
      (void)snprintf(file, sizeof file, "raw/%s", names[i]);
    if (part && split[0] == '\0') break;
    SOTTO_TRY(sotto_i_opened_map(o, i, folder, file, i >= SOTTO_I_OGB_FEATURES, err));
  }
  SOTTO_TRY(sotto_i_reading_form(parts, err, "OGB%s%s", split[0] == '\0' ? "" : ", split ", split));
  SOTTO_TRY(sotto_i_read_ogb(parts, o->sources, err));
  SOTTO_TRY(sotto_i_name_of(&parts->name, folder, err));
done:
  sotto_i_free(splits);
  return status;
}

sotto_status sotto_i_open_folder(sotto_i_parts *parts, sotto_i_opened *o, const char *folder,
                                 sotto_error *err) {
  char *raw = NULL;
  sotto_status status = sotto_i_join(&raw, folder, "raw/edge.csv.gz", err);
  if (status != SOTTO_OK) return status;
  const bool ogb = sotto_i_is_file(raw);
  sotto_i_free(raw);
  return ogb ? open_ogb(parts, o, folder, err) : open_collection(parts, o, folder, err);
}
