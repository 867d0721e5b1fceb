/* JSON as YAML, by libyaml. Texts are quoted where a reader would take them for something else. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "common/memory.h"
#include "parts.h"

typedef struct buffer {
  char *text;
  size_t size, room;
} buffer;

static int append(void *context, unsigned char *bytes, size_t size) {
  buffer *b = context;
  if (app_grow(&b->text, &b->room, b->size + size + 1, 1, NULL) != SOTTO_OK) return 0;
  memcpy(b->text + b->size, bytes, size);
  b->size += size;
  b->text[b->size] = '\0';
  return 1;
}

static bool put_scalar(yaml_emitter_t *to, const char *text, bool quoted) {
  yaml_event_t event;
  return yaml_scalar_event_initialize(&event, NULL, NULL, (const yaml_char_t *)text, (int)strlen(text), 1, 1,
                                      quoted ? YAML_DOUBLE_QUOTED_SCALAR_STYLE : YAML_PLAIN_SCALAR_STYLE) ==
             1 &&
         yaml_emitter_emit(to, &event) == 1;
}

static bool put_value(yaml_emitter_t *to, const json_t *value);

static bool put_object(yaml_emitter_t *to, const json_t *object) {
  yaml_event_t event;
  const char *key;
  json_t *value;
  if (yaml_mapping_start_event_initialize(&event, NULL, NULL, 1, YAML_BLOCK_MAPPING_STYLE) != 1 ||
      yaml_emitter_emit(to, &event) != 1)
    return false;
  json_object_foreach((json_t *)(uintptr_t)object, key,
                      value) if (!put_scalar(to, key, false) || !put_value(to, value)) return false;
  return yaml_mapping_end_event_initialize(&event) == 1 && yaml_emitter_emit(to, &event) == 1;
}

static bool put_array(yaml_emitter_t *to, const json_t *array) {
  yaml_event_t event;
  size_t i;
  json_t *value;
  if (yaml_sequence_start_event_initialize(&event, NULL, NULL, 1, YAML_BLOCK_SEQUENCE_STYLE) != 1 ||
      yaml_emitter_emit(to, &event) != 1)
    return false;
  json_array_foreach(array, i, value) if (!put_value(to, value)) return false;
  return yaml_sequence_end_event_initialize(&event) == 1 && yaml_emitter_emit(to, &event) == 1;
}

static bool put_value(yaml_emitter_t *to, const json_t *value) {
  if (json_is_object(value)) return put_object(to, value);
  if (json_is_array(value)) return put_array(to, value);
  if (json_is_string(value)) return put_scalar(to, json_string_value(value), true);
  char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(12)), number[80];
  if (text == NULL) return false;
  /* 1e-06 is a text to many readers of YAML, and 1.0e-06 a number to all */
  const size_t digits = strcspn(text, ".eE");
  const bool bare = json_is_real(value) && text[digits] != '\0' && text[digits] != '.';
  (void)snprintf(number, sizeof number, "%.*s%s%s", (int)(digits < 40 ? digits : 40), text, bare ? ".0" : "",
                 text + digits);
  const bool done = put_scalar(to, number, false);
  free(text);
  return done;
}

static bool put_document(yaml_emitter_t *to, const json_t *document) {
  yaml_event_t event;
  return yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING) == 1 &&
         yaml_emitter_emit(to, &event) == 1 &&
         yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1) == 1 &&
         yaml_emitter_emit(to, &event) == 1 && put_value(to, document) &&
         yaml_document_end_event_initialize(&event, 1) == 1 && yaml_emitter_emit(to, &event) == 1 &&
         yaml_stream_end_event_initialize(&event) == 1 && yaml_emitter_emit(to, &event) == 1;
}

sotto_status filing_yaml(char **out, size_t *size, const json_t *document, sotto_error *err) {
  yaml_emitter_t emitter;
  buffer b = {.text = NULL};
  *out = NULL;
  if (yaml_emitter_initialize(&emitter) != 1) return sotto_i_fail(err, SOTTO_NOMEM, "no memory for YAML");
  yaml_emitter_set_output(&emitter, append, &b);
  yaml_emitter_set_width(&emitter, 120);
  yaml_emitter_set_unicode(&emitter, 1);
  const bool done = put_document(&emitter, document);
  yaml_emitter_delete(&emitter);
  if (!done) {
    free(b.text);
    return sotto_i_fail(err, SOTTO_NOMEM, "no memory for YAML");
  }
  *out = b.text;
  *size = b.size;
  return SOTTO_OK;
}
