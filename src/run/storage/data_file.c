/* The file that identifies the dataset of a run: a line "public HEX". */
#include "data_file.h"

#include <jansson.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "graph/dataset.h"
#include "graph/tables/naming.h"
#include "inside/base.h"
#include "inside/graph.h"
#include "run/files/folder_file.h"
#include "run/method/method.h"
#include "run/settings/options.h"
#include "run/storage/facts_file.h"
#include "run/storage/schema_file.h"
#include "sotto/model.h"
#include "sotto/split.h"

static const sotto_i_folder_file digest_file = {"data.digest", SOTTO_I_FOR_OWNER,
                                                "digest of what is public of the data"};

enum { digits = 64, bytes = digits / 2 };
static const char word[] = "public ";
enum { file_size = sizeof word + digits }; /* a newline replaces the zero byte */

static sotto_status add_array(crypto_generichash_state *state, const void *array, size_t size,
                              sotto_error *err) {
  uint8_t digest[bytes];
  if (array == NULL) return SOTTO_OK;
  const sotto_status status = sotto_i_checksum(digest, array, size, err);
  if (status == SOTTO_OK) crypto_generichash_update(state, digest, sizeof digest);
  return status;
}

/* What is learnt: labels, or numbers. */
static sotto_status add_labels(crypto_generichash_state *state, const sotto_dataset *data, sotto_error *err) {
  const uint64_t nodes = data->graph.nodes;
  const sotto_status status = add_array(state, data->labels, nodes * sizeof *data->labels, err);
  return status == SOTTO_OK ? add_array(state, data->numbers, nodes * sizeof *data->numbers, err) : status;
}

/* Is it the table of a party that gives labels alone? Its other columns are not read, nor their order. */
static bool has_labels_alone(const sotto_dataset *data) {
  return data->features.cols == 0 && data->graph.offsets == NULL && data->node_ids.count > 0;
}

static sotto_status add_ids(crypto_generichash_state *state, const sotto_dataset *data, sotto_error *err) {
  uint8_t digest[bytes];
  const sotto_names *ids = &data->node_ids;
  const sotto_status status = sotto_i_checksum(digest, ids->text, (size_t)ids->starts[ids->count], err);
  if (status == SOTTO_OK) crypto_generichash_update(state, digest, sizeof digest);
  return status;
}

/* Are features private? At these levels all data of a node or a client is, except the declared numbers. */
static bool has_private_features(const sotto_options *o) {
  return o->adjacency == SOTTO_ADJACENCY_NODE || o->adjacency >= SOTTO_ADJACENCY_GRAPH;
}

static sotto_status identity_of(uint8_t out[bytes], const sotto_dataset *data, const sotto_options *o,
                                bool labels, sotto_error *err) {
  const bool sized = !sotto_options_hide_sizes(o);
  const uint64_t counts[2] = {sized ? data->graph.nodes : 0, data->features.cols};
  crypto_generichash_state state;
  sotto_status status = SOTTO_OK;
  if (!sotto_i_job_wants_privacy(o) && o->label_epsilon == 0 && !has_labels_alone(data)) {
    memcpy(out, data->digest, bytes);
    return SOTTO_OK;
  }
  crypto_generichash_init(&state, NULL, 0, bytes);
  crypto_generichash_update(&state, (const uint8_t *)counts, sizeof counts);
  if (!has_private_features(o)) {
    if (has_labels_alone(data))
      status = add_ids(&state, data, err);
    else
      crypto_generichash_update(&state, data->features_digest, sizeof data->features_digest);
    if (status == SOTTO_OK && labels && o->label_epsilon == 0) status = add_labels(&state, data, err);
  }
  crypto_generichash_final(&state, out, bytes);
  return status;
}

sotto_status sotto_i_data_is_alike(bool *alike, const sotto_dataset *a, const sotto_dataset *b,
                                   const sotto_options *options, sotto_error *err) {
  uint8_t of[2][bytes];
  sotto_status status;
  *alike = false;
  SOTTO_TRY(identity_of(of[0], a, options, true, err));
  SOTTO_TRY(identity_of(of[1], b, options, true, err));
  *alike = memcmp(of[0], of[1], bytes) == 0;
done:
  return status;
}

/* A file of another form counts as none: a digest could be one of private edges, and decides nothing. */
static bool parse(uint8_t identity[bytes], const sotto_i_map *map) {
  const char *text = (const char *)map->data;
  return map->size == file_size && memcmp(text, word, sizeof word - 1) == 0 &&
         sodium_hex2bin(identity, bytes, text + sizeof word - 1, digits, NULL, NULL, NULL) == 0;
}

static sotto_status read_file(bool *found, uint8_t identity[bytes], const char *run, sotto_error *err) {
  char *path = NULL;
  sotto_i_map map = {0};
  sotto_status status;
  *found = false;
  SOTTO_TRY(sotto_i_folder_find(&path, run, digest_file.name, err));
  if (!sotto_i_is_file(path)) goto done;
  SOTTO_TRY(sotto_i_map_open(&map, path, err));
  *found = parse(identity, &map);
done:
  sotto_i_map_close(&map);
  sotto_i_free(path);
  return status;
}

static sotto_status write_file(const char *run, const uint8_t identity[bytes], sotto_error *err) {
  char text[file_size + 1], hex[digits + 1];
  sotto_i_hex(hex, identity, bytes);
  (void)snprintf(text, sizeof text, "%s%s\n", word, hex);
  return sotto_i_folder_write(run, &digest_file, NULL, NULL, text, file_size, err);
}

sotto_status sotto_i_data_file_keep(const char *run, const sotto_dataset *data, const sotto_options *options,
                                    bool labels, sotto_error *err) {
  uint8_t now[bytes], before[bytes];
  bool found;
  sotto_status status;
  SOTTO_TRY(identity_of(now, data, options, labels, err));
  SOTTO_TRY(read_file(&found, before, run, err));
  if (!found)
    status = write_file(run, now, err);
  else if (memcmp(now, before, bytes) != 0)
    status = sotto_i_fail(err, SOTTO_INVALID,
                          "%s: was begun on other data than %s, and its releases are of that; go on with the "
                          "same data, or train in a new folder",
                          run, data->name);
done:
  return status;
}

static bool is_hex_of(const char *text, const uint8_t digest[32]) {
  char hex[digits + 1];
  sotto_i_hex(hex, digest, bytes);
  return text != NULL && strcmp(text, hex) == 0;
}

/* By the digest in statement.json; false if it has none. */
static sotto_status statement_is(bool *same, const char *run, const sotto_dataset *data, sotto_error *err) {
  char *path = NULL;
  sotto_i_map map = {0};
  json_t *root = NULL;
  sotto_status status;
  *same = false;
  SOTTO_TRY(sotto_i_join(&path, run, "statement.json", err));
  if (!sotto_i_is_file(path)) goto done;
  SOTTO_TRY(sotto_i_map_open(&map, path, err));
  root = json_loadb((const char *)map.data, map.size, 0, NULL);
  const char *told = json_string_value(json_object_get(json_object_get(root, "dataset"), "digest"));
  *same = is_hex_of(told, data->features_digest);
done:
  json_decref(root);
  sotto_i_map_close(&map);
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_data_file_is_of(bool *same, const char *run, const sotto_dataset *data,
                                     const sotto_options *options, bool labels, sotto_error *err) {
  uint8_t now[bytes], before[bytes];
  bool found;
  sotto_status status;
  SOTTO_TRY(read_file(&found, before, run, err));
  if (!found) return statement_is(same, run, data, err);
  SOTTO_TRY(identity_of(now, data, options, labels, err));
  *same = memcmp(now, before, bytes) == 0;
done:
  return status;
}

/* Is this the path of the data that the run was trained on? */
static sotto_status is_of_training(bool *out, const char *path, const char *run, sotto_error *err) {
  sotto_options *trained = NULL;
  char *file = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&trained, 1, sizeof *trained, err));
  sotto_i_options_default(trained);
  SOTTO_TRY(sotto_i_join(&file, run, "run.yaml", err));
  SOTTO_TRY(sotto_options_read(trained, file, err));
  char *was = realpath(trained->data, NULL), *is = realpath(path, NULL);
  *out = strcmp(trained->data, path) == 0 || (was != NULL && is != NULL && strcmp(was, is) == 0);
  free(was); /* the system's memory */
  free(is);
done:
  sotto_i_free(file);
  sotto_i_free(trained);
  return status;
}

/* Loads the schema of the run. A client's run has the words and classes of all clients: its own table, read
 * with that schema, would be another dataset than the training data, so it is read as it was (*again). Tables
 * of later days are read with the schema. */
static sotto_status load_schema(sotto_schema **out, bool *again, const char *path, const char *run,
                                sotto_error *err) {
  sotto_party party = {.number = 0};
  bool found;
  sotto_status status = sotto_i_role_load(&party, &found, run, err);
  if (status == SOTTO_OK && found && party.role == SOTTO_ROLE_CLIENT)
    status = is_of_training(again, path, run, err);
  if (status != SOTTO_OK || *again) return status;
  return sotto_i_schema_load(out, run, err);
}

/* Of a split by time the run's own data are the past, when the test part begins (sotto_split_time). Other
 * data are as they are. */
static sotto_status leave_past(sotto_dataset *data, const sotto_options *o, const char *run,
                               sotto_error *err) {
  sotto_dataset past;
  bool own = true;
  sotto_status status = SOTTO_OK;
  if (o->split != SOTTO_SPLITTING_TIME) return SOTTO_OK;
  if (run != NULL) SOTTO_TRY(is_of_training(&own, o->data, run, err));
  if (!own) return SOTTO_OK;
  SOTTO_TRY(sotto_split_time(&past, data, o->train_share, o->validation_share, err));
  sotto_dataset_free(data);
  *data = past;
done:
  return status;
}

sotto_status sotto_run_data_open(sotto_dataset *out, const sotto_options *options, const char *run,
                                 const sotto_observer *observer, sotto_error *err) {
  return sotto_i_run_data_open(out, options, run, false, observer, err);
}

sotto_status sotto_i_run_data_open(sotto_dataset *out, const sotto_options *o, const char *run,
                                   bool nodes_only, const sotto_observer *observer, sotto_error *err) {
  sotto_import_options import;
  sotto_schema *schema = NULL;
  bool again = false;
  sotto_status status;
  if (run != NULL && strncmp(o->data, SOTTO_I_CUT_PATH, strlen(SOTTO_I_CUT_PATH)) == 0) {
    status =
        sotto_i_fail(err, SOTTO_NOT_FOUND,
                     "%s: was handed on without owner-only/, which has the path of its data (%s); give the "
                     "path of the data",
                     run, o->data);
    goto done;
  }
  SOTTO_TRY(sotto_table_options(&import, o, err));
  import.nodes_only = nodes_only;
  import.observer = observer;
  if (run != NULL) SOTTO_TRY(load_schema(&schema, &again, o->data, run, err));
  import.others = schema != NULL;
  if (schema == NULL && o->schema[0] != '\0') SOTTO_TRY(sotto_schema_read(&schema, o->schema, err));
  if (schema != NULL && schema->stated) import.schema = schema; /* else the types are not known */
  if (run != NULL && !again && import.schema == NULL && import.missing == SOTTO_MISSING_MEAN) {
    status = sotto_i_fail(
        err, SOTTO_INVALID,
        "missing: the mean is that of the training, and %s keeps none; give values, or fill with "
        "zero",
        run);
    goto done;
  }
  SOTTO_TRY(sotto_dataset_open(out, o->data, &import, err));
  if (schema != NULL && o->schema[0] != '\0' && schema->classes.count > 0 && out->labels != NULL)
    out->classes_from = SOTTO_CLASSES_DECLARED; /* by the owner, before the training */
  if (schema != NULL && run == NULL) SOTTO_TRY(sotto_i_dataset_scale_by(out, schema, err)); /* declared */
  if (schema != NULL && run != NULL)
    (void)sotto_i_dataset_scale_by(out, schema, NULL); /* else matched.c refuses */
  status = leave_past(out, o, run, err);
  if (status != SOTTO_OK) sotto_dataset_free(out);
done:
  sotto_schema_free(schema);
  return status;
}
