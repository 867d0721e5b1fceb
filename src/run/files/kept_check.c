/* Checks that the files of a finished run, which later commands read, are those of the training. */
#include "kept_check.h"

#include <glob.h>
#include <jansson.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "folder_file.h"

static const sotto_i_folder_file digests_file = {
    "digests.json", SOTTO_I_FOR_OWNER,
    "digests of the schema, the facts, the models, shares of weights and alerts next to it"};

sotto_status sotto_i_file_digest(char out[65], const char *folder, const char *name, sotto_error *err) {
  uint8_t digest[32];
  char *path = NULL;
  sotto_i_map map = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_join(&path, folder, name, err));
  SOTTO_TRY(sotto_i_map_open(&map, path, err));
  /* OpenSSL uses the processor's own instructions for SHA-256, which libsodium does not. */
  if (EVP_Digest(map.data, map.size, digest, NULL, EVP_sha256(), NULL) != 1)
    SOTTO_TRY(sotto_i_fail(err, SOTTO_NOMEM, "no memory for the digest of %s", path));
  sotto_i_hex(out, digest, 32);
done:
  sotto_i_map_close(&map);
  sotto_i_free(path);
  return status;
}

static sotto_status add_matches(json_t *list, const char *run, const char *pattern, sotto_error *err) {
  char *path = NULL, digest[65];
  glob_t found = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_join(&path, run, pattern, err));
  if (glob(path, 0, NULL, &found) != 0) found.gl_pathc = 0;
  for (size_t i = 0; i < found.gl_pathc; i++) {
    const char *name = found.gl_pathv[i] + strlen(path) - strlen(pattern);
    SOTTO_TRY(sotto_i_file_digest(digest, run, name, err));
    if (json_object_set_new(list, name, json_string(digest)) != 0)
      SOTTO_TRY(sotto_i_fail(err, SOTTO_NOMEM, "no memory for the digests of the run"));
  }
done:
  globfree(&found);
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_kept_write(const char *run, sotto_error *err) {
  static const char *const patterns[] = {"owner-only/schema.yaml",
                                         "owner-only/facts",
                                         "owner-only/model.safetensors",
                                         "seed-*/owner-only/model*.safetensors",
                                         "seed-*/owner-only/generator-*.safetensors",
                                         "seed-*/owner-only/scores-*.safetensors",
                                         "seed-*/owner-only/weights.safetensors",
                                         "seed-*/owner-only/alerts.json"};
  json_t *list = json_object();
  sotto_status status = SOTTO_OK;
  if (list == NULL) return sotto_i_fail(err, SOTTO_NOMEM, "no memory for the digests of the run");
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
    SOTTO_TRY(add_matches(list, run, patterns[i], err));
  if (json_object_size(list) > 0)
    status = sotto_i_folder_save_json(json_pack("{s:O}", "files", list), run, &digests_file, NULL,
                                      JSON_INDENT(2) | JSON_SORT_KEYS, err);
done:
  json_decref(list);
  return status;
}

/* The file's digest in one of the two lists, or NULL. */
static sotto_status load_list(json_t **out, const char *run, const char *list, sotto_error *err) {
  char *path = NULL;
  sotto_i_map map = {0};
  sotto_status status;
  *out = NULL;
  SOTTO_TRY(sotto_i_join(&path, run, list, err));
  if (!sotto_i_is_file(path)) goto done;
  SOTTO_TRY(sotto_i_map_open(&map, path, err));
  *out = json_loadb((const char *)map.data, map.size, 0, NULL);
  if (json_object_get(*out, "files") == NULL)
    status = sotto_i_fail(err, SOTTO_CORRUPT, "%s: is not JSON with digests of files: it was changed", path);
done:
  sotto_i_map_close(&map);
  sotto_i_free(path);
  return status;
}

static sotto_status check_one(const char *run, const char *name, const json_t *list, const char *file,
                              bool other, sotto_error *err) {
  const char *kept = json_string_value(json_object_get(json_object_get(list, "files"), name));
  char digest[65], *path = NULL;
  sotto_status status = sotto_i_join(&path, run, name, err);
  if (status != SOTTO_OK) return status;
  if (!sotto_i_is_file(path) || (kept == NULL && !other)) goto done;
  SOTTO_TRY(sotto_i_file_digest(digest, run, name, err));
  if (kept == NULL || strcmp(kept, digest) != 0)
    status =
        sotto_i_fail(err, SOTTO_CORRUPT,
                     "%s: is not the file of the training: its digest is not the one in %s. Bring it back "
                     "from a copy, or train again; how a later table is read, options say",
                     path, file);
done:
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_kept_check(const char *run, const char *below, const char *name, sotto_error *err) {
  static const char *const lists[2] = {"evidence.json", "owner-only/digests.json"};
  json_t *found[2] = {NULL, NULL};
  char names[2][200];
  sotto_status status;
  (void)snprintf(names[0], sizeof names[0], "%.80s%.80s", below, name);
  (void)snprintf(names[1], sizeof names[1], "%.80sowner-only/%.80s", below, name);
  for (size_t k = 0; k < 2; k++) SOTTO_TRY(load_list(&found[k], run, lists[k], err));
  for (size_t k = 0; k < 2; k++) {
    /* also fails where a file stands in for one that the other list names */
    const bool other = json_object_get(json_object_get(found[1 - k], "files"), names[1 - k]) != NULL;
    SOTTO_TRY(check_one(run, names[k], found[k], lists[k], other, err));
  }
done:
  json_decref(found[0]);
  json_decref(found[1]);
  return status;
}

/* The files of a seed that its owner alone has: models, generators and scores of clients. */
static sotto_status check_tables(const char *run, const char *below, sotto_error *err) {
  static const char list[] = "owner-only/digests.json", suffix[] = ".safetensors";
  json_t *found = NULL, *digest;
  const char *name;
  sotto_status status = load_list(&found, run, list, err);
  if (status != SOTTO_OK) return status;
  json_object_foreach(json_object_get(found, "files"), name, digest) {
    const size_t size = strlen(name);
    if (strncmp(name, below, strlen(below)) != 0 || size < sizeof suffix ||
        strcmp(name + size + 1 - sizeof suffix, suffix) != 0)
      continue;
    SOTTO_TRY(check_one(run, name, found, list, false, err));
  }
done:
  json_decref(found);
  return status;
}

sotto_status sotto_i_kept_check_model(const char *run, uint64_t seed, sotto_error *err) {
  static const char *const names[] = {"run.yaml", "facts", "schema.yaml"};
  char below[40];
  sotto_status status;
  (void)snprintf(below, sizeof below, "seed-%llu/", (unsigned long long)seed);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    SOTTO_TRY(sotto_i_kept_check(run, "", names[i], err));
  SOTTO_TRY(sotto_i_kept_check(run, below, "model.safetensors", err));
  status = check_tables(run, below, err);
done:
  return status;
}
