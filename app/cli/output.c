/* Protection of output files: inputs, ledgers, keys, files of runs and files of another kind are not
 * replaced. */
#include "output.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

enum { room = 4400 };

static bool is_same(const char *path, const struct stat *about) {
  struct stat other;
  return stat(path, &other) == 0 && other.st_dev == about->st_dev && other.st_ino == about->st_ino;
}

/* Shortens a path to its folder; false at the root. */
static bool to_parent(char *path) {
  char *slash = strrchr(path, '/');
  if (slash == NULL || path[1] == '\0') return false;
  slash[slash == path ? 1 : 0] = '\0';
  return true;
}

/* Is the path in this dataset folder? Such a folder is read as a whole, except native files, which no
 * dataset folder contains. */
static bool is_inside(const char *real, const char *folder) {
  struct stat about;
  char at[PATH_MAX];
  const char *end = strrchr(real, '.');
  if ((end != NULL && strcmp(end, ".sotto") == 0) || stat(folder, &about) != 0 || !S_ISDIR(about.st_mode))
    return false;
  (void)snprintf(at, sizeof at, "%s", real);
  while (to_parent(at))
    if (is_same(at, &about)) return true;
  return false;
}

/* Is it the file of an input, its node table, or a file in its folder? */
static bool is_input(const char *real, const struct stat *about, const char *input) {
  static const char *const tables[] = {".nodes.csv", "_nodes.csv"};
  char text[room];
  const char *slash = strrchr(input, '/'), *end = strrchr(input, '.'), *colon = strrchr(input, ':');
  const size_t stem = end == NULL || (slash != NULL && end < slash) ? strlen(input) : (size_t)(end - input);
  if (is_same(input, about) || is_inside(real, input)) return true;
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    (void)snprintf(text, sizeof text, "%.*s%s", (int)(stem < PATH_MAX ? stem : PATH_MAX), input, tables[i]);
    if (is_same(text, about)) return true;
  }
  if (colon == NULL) return false;
  (void)snprintf(text, sizeof text, "%.*s", (int)(colon - input), input);
  return is_inside(real, text);
}

static bool begins_with(const char *path, const char *text) {
  char head[32] = "";
  const size_t size = strlen(text);
  FILE *file = fopen(path, "rb");
  if (file == NULL) return false;
  const size_t got = fread(head, 1, size, file);
  (void)fclose(file);
  return got == size && memcmp(head, text, size) == 0;
}

static bool ends_with(const char *text, const char *end) {
  const size_t size = strlen(text), length = strlen(end);
  return size >= length && strcmp(text + size - length, end) == 0;
}

/* Recognises ledgers and keys by their content, and a ledger's side files by the ledger next to them. NULL:
 * neither. */
static const char *protected_kind(const char *real, const struct stat *about) {
  static const char *const sides[] = {"-wal", "-shm", "-journal"};
  static const char ledger[] = "SQLite format 3", owner[] = "sotto ledger key", pem[] = "-----BEGIN ";
  const char *named = getenv("SOTTO_LEDGER_KEY");
  char text[room];
  if (begins_with(real, ledger)) return "a ledger, or another database";
  for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
    if (!ends_with(real, sides[i])) continue;
    (void)snprintf(text, sizeof text, "%.*s", (int)(strlen(real) - strlen(sides[i])), real);
    if (begins_with(text, ledger)) return "a part of a ledger";
  }
  if (begins_with(real, owner) || (named != NULL && is_same(named, about))) return "the key of ledgers";
  if (strstr(real, ".heads/") != NULL) return "what the key of ledgers stores about one";
  return begins_with(real, pem) ? "a key or a certificate" : NULL;
}

/* Is this the folder of a run? A run.yaml alone does not decide it: any folder can have one. */
static bool is_run(const char *folder) {
  static const char *const marks[] = {"statement.json", "result.json", "metrics.jsonl", "seed-1",
                                      "owner-only"};
  struct stat about;
  char text[room];
  (void)snprintf(text, sizeof text, "%s/run.yaml", folder);
  if (stat(text, &about) != 0) return false;
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
    (void)snprintf(text, sizeof text, "%s/%s", folder, marks[i]);
    if (stat(text, &about) == 0) return true;
  }
  return false;
}

/* Does the file belong to a run? *run gets the run's folder. */
static bool is_run_file(char run[PATH_MAX], const char *real, const char *own) {
  const char *name = strrchr(real, '/') + 1;
  if (own != NULL && fnmatch(own, name, 0) == 0) return false;
  (void)snprintf(run, PATH_MAX, "%s", real);
  while (to_parent(run))
    if (is_run(run)) return true;
  return false;
}

static const char *const kind_names[CLI_KINDS] = {"text", "a dataset", "a page", "a picture", "an archive"};

static cli_kind kind_of(const char *real) {
  static const struct {
    const char *begin;
    cli_kind kind;
  } signs[] = {{"SOTTO\x1a\r\n", CLI_DATASET},
               {"<!DOCTYPE html", CLI_PAGE},
               {"<svg", CLI_PICTURE},
               {"\x89PNG", CLI_PICTURE},
               {"PK\x03\x04", CLI_ARCHIVE}};
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
    if (begins_with(real, signs[i].begin)) return signs[i].kind;
  return CLI_TABLE;
}

/* A file is replaced by one of its own kind alone, so that a wrong name costs nothing that took work. */
static bool may_replace(const char *path, const char *real, const cli_output *as) {
  const cli_kind there = kind_of(real);
  if (there != as->kind)
    return cli_usage("%s: %.1000s is %s, and this writes %s; nothing was written. Give another name",
                     as->flag, path, there == CLI_TABLE ? "another file" : kind_names[there],
                     kind_names[as->kind]),
           false;
  if (there == CLI_DATASET) cli_advise("%s: replaces the dataset in %.1000s", as->flag, path);
  return true;
}

bool cli_may_write(const char *path, const cli_output *as) {
  struct stat about;
  char real[PATH_MAX], run[PATH_MAX];
  if (!cli_named_at_all(path, as->flag)) return false;
  if (path == NULL || cli_is_stdout(path) || stat(path, &about) != 0 || !S_ISREG(about.st_mode) ||
      realpath(path, real) == NULL)
    return true;
  for (size_t i = 0; i < as->input_count; i++)
    if (as->inputs[i] != NULL && is_input(real, &about, as->inputs[i]))
      return cli_usage("%s: %.1000s is an input of this command; nothing was written. Give another name",
                       as->flag, path),
             false;
  const char *kept = protected_kind(real, &about);
  if (kept != NULL)
    return cli_usage("%s: %.1000s is %s; nothing was written. Give another name", as->flag, path, kept),
           false;
  if (is_run_file(run, real, as->own))
    return cli_usage("%s: %.500s is a file of the run in %.500s; nothing was written. Give another name",
                     as->flag, path, run),
           false;
  return about.st_size == 0 || may_replace(path, real, as);
}
