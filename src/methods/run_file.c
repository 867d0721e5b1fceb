/* Run files: YAML, one flat mapping of option keys to scalars. */
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "base/error.h"
#include "base/file.h"
#include "options.h"

enum { longest_key = 128, largest_file = 1 << 20 };

typedef struct reader {
  yaml_parser_t parser;
  sotto_options *options;
  sotto_options by_hand; /* as they were before the file was read: what they give wins */
} reader;

static sotto_status next_event(reader *r, yaml_event_t *event, sotto_error *err) {
  if (yaml_parser_parse(&r->parser, event)) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_PARSE, "line %zu: %s", r->parser.problem_mark.line + 1,
                      r->parser.problem == NULL ? "not YAML" : r->parser.problem);
}

static sotto_status set_from_file(reader *r, const char *key, const char *value, size_t line,
                                  sotto_error *err) {
  if (strcmp(key, "resume") == 0 || strcmp(key, "out") == 0)
    return sotto_i_fail(err, SOTTO_INVALID, "line %zu: '%s' belongs on the command line", line, key);
  sotto_options changed = *r->options;
  sotto_status status = value[0] == '\0' ? SOTTO_OK : sotto_options_set(&changed, key, value, err);
  if (status != SOTTO_OK) {
    sotto_i_error_prefix(err, "line %zu", line);
    return status;
  }
  if (!sotto_i_option_given(&r->by_hand, key)) *r->options = changed;
  return SOTTO_OK;
}

/* Reads `key: value` pairs until the mapping ends. */
static sotto_status read_pairs(reader *r, sotto_error *err) {
  char key[longest_key] = "";
  bool have_key = false;
  for (;;) {
    yaml_event_t event;
    sotto_status status = next_event(r, &event, err);
    if (status != SOTTO_OK) return status;
    size_t line = event.start_mark.line + 1;
    yaml_event_type_t type = event.type;
    if (type == YAML_SCALAR_EVENT) {
      const char *text = (const char *)event.data.scalar.value;
      if (have_key)
        status = set_from_file(r, key, text, line, err);
      else if (strlen(text) >= sizeof key)
        status = sotto_i_fail(err, SOTTO_PARSE, "line %zu: a key of %zu bytes", line, strlen(text));
      else
        (void)snprintf(key, sizeof key, "%s", text);
      have_key = !have_key;
    } else if (type != YAML_MAPPING_END_EVENT) {
      status = sotto_i_fail(err, SOTTO_PARSE,
                            "line %zu: a run file is `key: value` lines; this is something else", line);
    }
    yaml_event_delete(&event);
    if (status != SOTTO_OK || type == YAML_MAPPING_END_EVENT) return status;
  }
}

static sotto_status read_document(reader *r, sotto_error *err) {
  for (;;) {
    yaml_event_t event;
    sotto_status status = next_event(r, &event, err);
    if (status != SOTTO_OK) return status;
    yaml_event_type_t type = event.type;
    size_t line = event.start_mark.line + 1;
    yaml_event_delete(&event);
    if (type == YAML_STREAM_END_EVENT) return SOTTO_OK;
    if (type == YAML_MAPPING_START_EVENT)
      status = read_pairs(r, err);
    else if (type == YAML_SCALAR_EVENT || type == YAML_SEQUENCE_START_EVENT || type == YAML_ALIAS_EVENT)
      status = sotto_i_fail(err, SOTTO_PARSE, "line %zu: a run file is one mapping of keys to values", line);
    if (status != SOTTO_OK) return status;
  }
}

sotto_status sotto_options_read(sotto_options *options, const char *path, sotto_error *err) {
  sotto_i_map map;
  reader r = {.options = options, .by_hand = *options};
  sotto_status status = sotto_i_map_open(&map, path, err);
  if (status != SOTTO_OK) return status;
  if (map.size > largest_file) {
    status = sotto_i_fail(err, SOTTO_PARSE, "is larger than a run file can be (1 MB)");
  } else if (!yaml_parser_initialize(&r.parser)) {
    status = sotto_i_fail(err, SOTTO_NOMEM, "no memory for the YAML parser");
  } else {
    yaml_parser_set_input_string(&r.parser, map.data == NULL ? (const uint8_t *)"" : map.data, map.size);
    status = read_document(&r, err);
    yaml_parser_delete(&r.parser);
  }
  if (status != SOTTO_OK) sotto_i_error_prefix(err, "%s", path);
  sotto_i_map_close(&map);
  return status;
}

sotto_status sotto_options_write(const sotto_options *options, const char *path, sotto_error *err) {
  sotto_i_writer writer;
  size_t count;
  const sotto_option_info *infos = sotto_option_table(&count);
  sotto_status status = sotto_i_writer_open(&writer, path, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; status == SOTTO_OK && i < count; i++) {
    if (strcmp(infos[i].key, "out") == 0 || strcmp(infos[i].key, "resume") == 0) continue;
    char value[1024], quoted[2200], line[2400];
    sotto_option_text(options, i, value, sizeof value);
    if (value[0] == '\0') continue;
    size_t length = 0;
    for (const char *at = value; *at != '\0'; at++) { /* YAML's single-quoted style: a quote is doubled */
      if (*at == '\'') quoted[length++] = '\'';
      quoted[length++] = *at;
    }
    quoted[length] = '\0';
    bool text = infos[i].type == SOTTO_TEXT;
    int size = snprintf(line, sizeof line, text ? "%s: '%s'\n" : "%s: %s\n", infos[i].key, quoted);
    status = sotto_i_writer_add(&writer, line, (size_t)size, err);
  }
  if (status == SOTTO_OK) return sotto_i_writer_commit(&writer, err);
  sotto_i_writer_abandon(&writer);
  return status;
}
