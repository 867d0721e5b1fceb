/* Run files: YAML, one flat mapping of option keys to scalars. */
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "graph/io/native.h"
#include "options.h"
#include "run/method/method.h"

enum { longest_key = 128, largest_file = 1 << 20 };

typedef struct reader {
  yaml_parser_t parser;
  sotto_options options; /* options read so far */
  sotto_options by_hand; /* options before the file was read, which override the file */
  char key[longest_key];
  bool have_key;
  bool seen[SOTTO_MOST_OPTIONS]; /* keys by their index in the table of options */
  bool exchanged;                /* the file comes from another party */
  bool paths;                    /* it has paths of this machine, and nothing else */
} reader;

static sotto_status next_event(reader *r, yaml_event_t *event, sotto_error *err) {
  if (yaml_parser_parse(&r->parser, event)) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_PARSE, "line %zu: %s", r->parser.problem_mark.line + 1,
                      r->parser.problem == NULL ? "not YAML" : r->parser.problem);
}

/* Sets an option. A key without a value is an error, because it would silently take its default; '' is an
 * empty text. */
static sotto_status set_from_file(reader *r, const char *key, const char *value, bool nothing, size_t line,
                                  sotto_error *err) {
  sotto_status status = SOTTO_OK;
  size_t number;
  const sotto_i_option *row = sotto_i_option_known(key, &number);
  const bool known = row != NULL;
  if (strcmp(key, "resume") == 0 || strcmp(key, "out") == 0)
    return sotto_i_fail(err, SOTTO_INVALID, "line %zu: '%s' belongs on the command line", line, key);
  if (r->exchanged) status = sotto_i_check_shared_key(key, value, err);
  if (r->paths && (row == NULL || !sotto_i_option_is_path(row, value)))
    status = sotto_i_fail(err, SOTTO_CORRUPT, "'%.100s' is no path", key);
  if (status != SOTTO_OK) {
    sotto_i_error_prefix(err, "line %zu", line);
    return status;
  }
  if (known && r->seen[number])
    return sotto_i_fail(err, SOTTO_PARSE, "line %zu: '%s' stands twice", line, key);
  if (known && nothing)
    return sotto_i_fail(err, SOTTO_PARSE,
                        "line %zu: '%s' has no value; give one, or remove the line to get the default", line,
                        key);
  if (known) r->seen[number] = true;
  sotto_options changed = r->options;
  status = sotto_options_set(&changed, key, value, err);
  if (status != SOTTO_OK) {
    sotto_i_error_prefix(err, "line %zu", line);
    return status;
  }
  if (!sotto_i_option_given(&r->by_hand, key)) r->options = changed;
  return SOTTO_OK;
}

/* A scalar event: a key, or the value of the previous key. */
static sotto_status read_scalar(reader *r, const yaml_event_t *event, sotto_error *err) {
  const char *text = (const char *)event->data.scalar.value;
  size_t line = event->start_mark.line + 1, length = event->data.scalar.length;
  if (strlen(text) != length)
    return sotto_i_fail(err, SOTTO_PARSE, "line %zu: a zero byte inside of text", line);
  r->have_key = !r->have_key;
  if (!r->have_key) {
    bool nothing = length == 0 && event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    return set_from_file(r, r->key, text, nothing, line, err);
  }
  if (length >= sizeof r->key)
    return sotto_i_fail(err, SOTTO_PARSE, "line %zu: a key of %zu bytes", line, length);
  (void)snprintf(r->key, sizeof r->key, "%s", text);
  return SOTTO_OK;
}

/* Reads `key: value` pairs until the mapping ends. */
static sotto_status read_pairs(reader *r, sotto_error *err) {
  for (;;) {
    yaml_event_t event;
    sotto_status status = next_event(r, &event, err);
    if (status != SOTTO_OK) return status;
    size_t line = event.start_mark.line + 1;
    yaml_event_type_t type = event.type;
    if (type == YAML_SCALAR_EVENT)
      status = read_scalar(r, &event, err);
    else if (type != YAML_MAPPING_END_EVENT)
      status = sotto_i_fail(err, SOTTO_PARSE,
                            "line %zu: a run file is `key: value` lines; this is something else", line);
    yaml_event_delete(&event);
    if (status != SOTTO_OK || type == YAML_MAPPING_END_EVENT) return status;
  }
}

static sotto_status read_document(reader *r, sotto_error *err) {
  for (bool mapped = false;;) {
    yaml_event_t event;
    sotto_status status = next_event(r, &event, err);
    if (status != SOTTO_OK) return status;
    yaml_event_type_t type = event.type;
    size_t line = event.start_mark.line + 1;
    bool nothing = type == YAML_SCALAR_EVENT && event.data.scalar.length == 0;
    yaml_event_delete(&event);
    if (type == YAML_STREAM_END_EVENT) return SOTTO_OK;
    if (type == YAML_MAPPING_START_EVENT && !mapped)
      status = read_pairs(r, err);
    else if (type == YAML_MAPPING_START_EVENT || type == YAML_SEQUENCE_START_EVENT ||
             type == YAML_ALIAS_EVENT || (type == YAML_SCALAR_EVENT && !nothing))
      status = sotto_i_fail(err, SOTTO_PARSE, "line %zu: a run file is one mapping of keys to values", line);
    mapped |= type == YAML_MAPPING_START_EVENT;
    if (status != SOTTO_OK) return status;
  }
}

sotto_status sotto_i_options_parse(sotto_options *options, const uint8_t *data, size_t size,
                                   sotto_i_run_file kind, sotto_error *err) {
  const bool exchanged = kind == SOTTO_I_RUN_FILE_SHARED;
  reader r = {.options = *options,
              .by_hand = *options,
              .exchanged = exchanged,
              .paths = kind == SOTTO_I_RUN_FILE_PATHS};
  if (size > largest_file) return sotto_i_fail(err, SOTTO_PARSE, "is larger than a run file can be (1 MB)");
  if (!yaml_parser_initialize(&r.parser))
    return sotto_i_fail(err, SOTTO_NOMEM, "no memory for the YAML parser");
  yaml_parser_set_input_string(&r.parser, data == NULL ? (const uint8_t *)"" : data, size);
  sotto_status status = read_document(&r, err);
  yaml_parser_delete(&r.parser);
  if (status == SOTTO_OK && exchanged) status = sotto_i_check_consent(&r.options, &r.by_hand, err);
  if (status == SOTTO_OK) *options = r.options;
  return status;
}

/* A dataset that stands where a run file should is named as such: YAML would complain of control characters.
 */
static sotto_status check_is_text(const uint8_t *data, size_t size, sotto_error *err) {
  const size_t magic = strlen(SOTTO_I_NATIVE_MAGIC);
  if (size >= magic && memcmp(data, SOTTO_I_NATIVE_MAGIC, magic) == 0)
    return sotto_i_fail(err, SOTTO_INVALID, "is a dataset, not a run file; give it as the option data");
  if (size > 0 && memchr(data, '\0', size < largest_file ? size : largest_file) != NULL)
    return sotto_i_fail(err, SOTTO_PARSE,
                        "is not a text, and a run file is one, of YAML; data go by the option data");
  return SOTTO_OK;
}

static sotto_status read_file(sotto_options *options, const char *path, sotto_i_run_file kind,
                              sotto_error *err) {
  sotto_i_map map;
  sotto_status status = sotto_i_map_open(&map, path, err);
  if (status != SOTTO_OK) return status;
  status = check_is_text(map.data, map.size, err);
  if (status == SOTTO_OK) status = sotto_i_options_parse(options, map.data, map.size, kind, err);
  if (status != SOTTO_OK) sotto_i_error_prefix(err, "%s", path);
  sotto_i_map_close(&map);
  return status;
}

/* FOLDER/owner-only/paths.yaml, where there is one, of FOLDER/run.yaml. */
static sotto_status read_paths(sotto_options *options, const char *path, sotto_error *err) {
  static const char name[] = "run.yaml";
  const size_t size = strlen(path), own = sizeof name - 1;
  if (size < own || strcmp(path + size - own, name) != 0 || (size > own && path[size - own - 1] != '/'))
    return SOTTO_OK;
  static const char of_paths[] = "owner-only/paths.yaml";
  char *paths = NULL;
  sotto_status status = sotto_i_new(&paths, size - own + sizeof of_paths, 1, err);
  if (status != SOTTO_OK) return status;
  memcpy(paths, path, size - own);
  memcpy(paths + size - own, of_paths, sizeof of_paths);
  if (sotto_i_is_file(paths)) status = read_file(options, paths, SOTTO_I_RUN_FILE_PATHS, err);
  sotto_i_free(paths);
  return status;
}

sotto_status sotto_options_read(sotto_options *options, const char *path, sotto_error *err) {
  sotto_options read = *options;
  sotto_status status = read_paths(&read, path, err);
  if (status == SOTTO_OK) status = read_file(&read, path, SOTTO_I_RUN_FILE_OWN, err);
  if (status == SOTTO_OK) *options = read;
  return status;
}

sotto_status sotto_options_read_shared(sotto_options *options, const char *path, sotto_error *err) {
  return read_file(options, path, SOTTO_I_RUN_FILE_SHARED, err);
}

static sotto_status write_line(sotto_i_writer *writer, const sotto_options *options,
                               const sotto_i_option *row, const char *value, sotto_error *err) {
  char quoted[2200], line[2400];
  size_t length = 0;
  const bool said = row->type == SOTTO_TEXT && sotto_i_option_given(options, row->key);
  if (value[0] == '\0' && row->fallback[0] == '\0' && !said) return SOTTO_OK;
  for (const char *at = value; *at != '\0'; at++) { /* YAML's single-quoted style doubles a quote */
    if (*at == '\'') quoted[length++] = '\'';
    quoted[length++] = *at;
  }
  quoted[length] = '\0';
  bool text = row->type == SOTTO_TEXT;
  int size = snprintf(line, sizeof line, text ? "%s: '%s'\n" : "%s: %s\n", row->key, quoted);
  return sotto_i_writer_add(writer, line, (size_t)size, err);
}

bool sotto_i_option_is_path(const sotto_i_option *row, const char *value) {
  if (row->type != SOTTO_TEXT || strcmp(row->key, "account") == 0) return false;
  if (strcmp(row->key, "partition") == 0)
    return strncmp(value, "file:", 5) == 0 || strncmp(value, "linked:file:", 12) == 0;
  if (row->group == SOTTO_GROUP_TABLES) /* the others are names of columns, and words */
    return strcmp(row->key, "nodes") == 0 || strcmp(row->key, "schema") == 0 ||
           strcmp(row->key, "edges-to-others") == 0;
  return row->local || strcmp(row->key, "data") == 0;
}

typedef enum part { ALL, PATHS, OTHERS } part;

/* Replaces the folders of a dataset's path: ".../g.csv". False: the value is left out. */
static bool cut(char value[1024], const sotto_i_option *row) {
  char name[1000];
  if (strcmp(row->key, "data") != 0) return false;
  if (strchr(value, '/') == NULL) return true; /* no path */
  sotto_i_last_name(name, sizeof name, value);
  (void)snprintf(value, 1024, SOTTO_I_CUT_PATH "%s", name);
  return true;
}

static sotto_status write_part(const sotto_options *options, const char *path, part of, sotto_error *err) {
  sotto_i_writer writer;
  sotto_i_option rows[SOTTO_MOST_OPTIONS], row;
  size_t count = sotto_i_option_list(rows, SOTTO_MOST_OPTIONS, &sotto_i_method_of(options)->options);
  sotto_status status = sotto_i_writer_open(&writer, path, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; status == SOTTO_OK && i < count; i++) {
    char value[1024];
    if (strcmp(rows[i].key, "out") == 0 || strcmp(rows[i].key, "resume") == 0) continue;
    if (!sotto_i_option_has(&row, options, rows[i].key)) continue;
    sotto_i_option_value(value, sizeof value, options, &row);
    const bool path_of_ours = sotto_i_option_is_path(&row, value);
    if (of == PATHS ? path_of_ours : of == ALL || !path_of_ours || cut(value, &row))
      status = write_line(&writer, options, &row, value, err);
  }
  if (status == SOTTO_OK) return sotto_i_writer_commit(&writer, err);
  sotto_i_writer_abandon(&writer);
  return status;
}

sotto_status sotto_options_write(const sotto_options *options, const char *path, sotto_error *err) {
  return write_part(options, path, ALL, err);
}

sotto_status sotto_i_options_write_part(const sotto_options *options, const char *path, bool paths,
                                        sotto_error *err) {
  return write_part(options, path, paths ? PATHS : OTHERS, err);
}
