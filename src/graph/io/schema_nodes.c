/* The YAML of a schema as a tree of nodes.
 *
 * A schema of 10,000 columns takes libyaml longer than all else at the start of a program. The form that
 * Sotto writes is a small part of YAML: a key or a column in each line, with texts in double quotes. It is
 * read here by hand; whatever is in another form goes to libyaml. */
#include "schema_nodes.h"

#include <string.h>
#include <yaml.h>

#include "base/error.h"
#include "base/memory.h"
#include "graph/names.h"

enum { deepest = 4, longest_key = 40, usual_node = 12 /* bytes of text */ };

/* Adds a node behind `before`, or as the first child of `parent` where that is 0. */
static sotto_status add_node(uint32_t *out, sotto_i_yaml *t, uint32_t parent, uint32_t before,
                             const sotto_i_yaml_node *node, sotto_error *err) {
  const size_t number = t->count == 0 ? 1 : t->count;
  const sotto_status status = sotto_i_grow(&t->nodes, &t->room, number + 1, sizeof *t->nodes, err);
  if (status != SOTTO_OK) return status;
  t->nodes[number] = *node;
  t->count = number + 1;
  *out = (uint32_t)number;
  if (before != 0)
    t->nodes[before].next = *out;
  else if (parent != 0)
    t->nodes[parent].first = *out;
  return SOTTO_OK;
}

typedef struct scanner {
  sotto_i_yaml *tree;
  const char *at, *end;
  char *text; /* where the next text goes */
  uint32_t line;
  bool other; /* the form is another one */
} scanner;

/* Takes the byte, or sets `other`. */
static void take(scanner *s, char byte) {
  if (s->at < s->end && *s->at == byte)
    s->at++;
  else
    s->other = true;
}

static bool is_at(const scanner *s, char byte) {
  return s->at < s->end && *s->at == byte;
}

static bool is_plain(char byte, bool first) {
  const bool alnum =
      (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z');
  return alnum || (!first && (byte == '-' || byte == '+' || byte == '.' || byte == '_'));
}

/* Words of nearly every column, which need no copy. */
static const char *usual_word(const char *word, size_t size) {
  static const char *const of_four[] = {"name", "type", "zero", "mean"}, *const of_six[] = {"number",
                                                                                            "refuse"};
  for (size_t i = 0; size == 4 && i < sizeof of_four / sizeof *of_four; i++)
    if (memcmp(of_four[i], word, 4) == 0) return of_four[i];
  for (size_t i = 0; size == 6 && i < sizeof of_six / sizeof *of_six; i++)
    if (memcmp(of_six[i], word, 6) == 0) return of_six[i];
  return size == 7 && memcmp(word, "missing", 7) == 0 ? "missing" : NULL;
}

/* A text without quotes: letters, digits and signs of numbers; a minus sign before a digit. */
static const char *take_word(scanner *s) {
  const char *from = s->at, *at = from;
  if (s->end - at > 1 && *at == '-' && at[1] >= '0' && at[1] <= '9') at++;
  while (at < s->end && is_plain(*at, at == from)) at++;
  const size_t size = (size_t)(at - from);
  s->at = at;
  s->other = s->other || size == 0;
  const char *known = size == 0 ? NULL : usual_word(from, size);
  if (known != NULL) return known;
  char *begin = memcpy(s->text, from, size);
  begin[size] = '\0';
  s->text += size + 1;
  return begin;
}

/* A text in double quotes, in which \" and \\ alone begin with a backslash. Some characters that YAML
 * does not have begin with 0xC2, 0xED or more. */
static const char *take_quoted(scanner *s, bool *settled) {
  char *begin = s->text;
  unsigned char high = 0;
  s->at++;
  while (s->at < s->end && *s->at != '"') {
    unsigned char byte = (unsigned char)*s->at++;
    if (byte == '\\' && s->at < s->end && (*s->at == '"' || *s->at == '\\'))
      byte = (unsigned char)*s->at++;
    else if (byte < 0x20 || byte == 0x7F || byte == '\\' || byte == 0xC2 || byte >= 0xED)
      s->other = true;
    high |= byte;
    *s->text++ = (char)byte;
  }
  take(s, '"');
  const size_t size = (size_t)(s->text - begin);
  *s->text = '\0';
  if (high >= 0x80 && sotto_i_name_check(begin, size, NULL) != SOTTO_OK) s->other = true;
  *settled = high < 0x80 && s->text > begin && begin[0] != ' ' && s->text[-1] != ' ';
  *s->text++ = '\0';
  return begin;
}

static sotto_status take_value(uint32_t *out, scanner *s, uint32_t parent, uint32_t before, int depth,
                               sotto_error *err);

static const char *take_key(scanner *s) {
  const char *from = s->at, *key = take_word(s);
  s->other = s->other || s->at - from > longest_key;
  take(s, ':');
  return key;
}

/* key: value */
static sotto_status take_pair(uint32_t *last, scanner *s, uint32_t parent, int depth, sotto_error *err) {
  const char *key = take_key(s);
  take(s, ' ');
  if (s->other) return SOTTO_OK;
  const sotto_status status = take_value(last, s, parent, *last, depth, err);
  if (status == SOTTO_OK && !s->other) s->tree->nodes[*last].key = key;
  return status;
}

/* The children of a list or a mapping, up to its end. */
static sotto_status take_children(scanner *s, uint32_t parent, char end, int depth, sotto_error *err) {
  uint32_t last = 0;
  sotto_status status = SOTTO_OK;
  s->at++;
  while (status == SOTTO_OK && !s->other && !is_at(s, end)) {
    if (last != 0) {
      take(s, ',');
      take(s, ' ');
    }
    if (s->other) break;
    status =
        end == '}' ? take_pair(&last, s, parent, depth, err) : take_value(&last, s, parent, last, depth, err);
  }
  take(s, end);
  return status;
}

static sotto_status take_value(uint32_t *out, scanner *s, uint32_t parent, uint32_t before, int depth,
                               sotto_error *err) {
  sotto_i_yaml_node node = {.kind = SOTTO_I_YAML_TEXT, .line = s->line};
  const char begin = s->at < s->end ? *s->at : '\0';
  if (begin == '[') node.kind = SOTTO_I_YAML_LIST;
  if (begin == '{') node.kind = SOTTO_I_YAML_MAPPING;
  if (node.kind == SOTTO_I_YAML_TEXT) node.settled = true;
  if (node.kind == SOTTO_I_YAML_TEXT) node.text = begin == '"' ? take_quoted(s, &node.settled) : take_word(s);
  s->other = s->other || depth == 0;
  if (s->other) return SOTTO_OK;
  const sotto_status status = add_node(out, s->tree, parent, before, &node, err);
  if (status != SOTTO_OK || node.kind == SOTTO_I_YAML_TEXT) return status;
  return take_children(s, *out, begin == '[' ? ']' : '}', depth - 1, err);
}

static void take_line_end(scanner *s) {
  if (s->at < s->end) take(s, '\n');
  s->line++;
}

/* The lines "- VALUE" behind a key. */
static sotto_status take_items(uint32_t *last, scanner *s, const char *key, sotto_error *err) {
  const sotto_i_yaml_node list = {
      .kind = SOTTO_I_YAML_LIST, .line = s->line - 1, .key = key, .settled = true};
  uint32_t item = 0;
  sotto_status status = add_node(last, s->tree, 1, *last, &list, err);
  s->other = s->other || !is_at(s, '-'); /* a key without a value */
  while (status == SOTTO_OK && !s->other && is_at(s, '-')) {
    take(s, '-');
    take(s, ' ');
    if (!s->other) status = take_value(&item, s, *last, item, deepest, err);
    take_line_end(s);
  }
  return status;
}

/* A line "KEY: VALUE", or "KEY:" with items below. */
static sotto_status take_top(uint32_t *last, scanner *s, sotto_error *err) {
  const char *colon = memchr(s->at, ':', (size_t)(s->end - s->at));
  if (colon == NULL || colon + 1 >= s->end || colon[1] != '\n') {
    const sotto_status status = take_pair(last, s, 1, deepest, err);
    take_line_end(s);
    return status;
  }
  const char *key = take_key(s);
  take_line_end(s);
  return s->other ? SOTTO_OK : take_items(last, s, key, err);
}

sotto_status sotto_i_yaml_read_plain(bool *done, sotto_i_yaml *out, const char *text, size_t size,
                                     sotto_error *err) {
  scanner s = {.tree = out, .at = text, .end = text + size, .line = 1};
  const sotto_i_yaml_node root = {.kind = SOTTO_I_YAML_MAPPING, .line = 1};
  uint32_t number, last = 0;
  sotto_status status;
  *out = (sotto_i_yaml){.count = 0};
  *done = false;
  SOTTO_TRY(
      sotto_i_new_raw(&out->text, 2 * size + 2, 1, err)); /* each text takes a byte before or behind it */
  s.text = out->text;
  SOTTO_TRY(sotto_i_grow(&out->nodes, &out->room, size / usual_node + 16, sizeof *out->nodes, err));
  SOTTO_TRY(add_node(&number, out, 0, 0, &root, err));
  while (s.at < s.end && !s.other) SOTTO_TRY(take_top(&last, &s, err));
  *done = !s.other && last != 0;
done:
  if (!*done) sotto_i_yaml_free(out);
  return status;
}

/* NULL: the node is no text, or has a zero byte in it. */
static const char *whole_text(const yaml_node_t *from) {
  const bool text = from->type == YAML_SCALAR_NODE &&
                    strlen((const char *)from->data.scalar.value) == from->data.scalar.length;
  return text ? (const char *)from->data.scalar.value : NULL;
}

/* Adds a node of a document of libyaml with all that is in it. */
static sotto_status convert(uint32_t *out, sotto_i_yaml *t, yaml_document_t *document, int item,
                            uint32_t parent, uint32_t before, int depth, const char *file, sotto_error *err) {
  const yaml_node_t *from = yaml_document_get_node(document, item);
  const size_t all = (size_t)(document->nodes.top - document->nodes.start);
  sotto_i_yaml_node node = {.kind = SOTTO_I_YAML_TEXT, .line = (uint32_t)from->start_mark.line + 1};
  uint32_t last = 0;
  sotto_status status;
  if (depth == 0 || t->count > all + 1)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: line %llu: %s", file, (unsigned long long)node.line,
                        depth == 0 ? "lists and mappings are too deep for a schema"
                                   : "a schema has no aliases");
  if (from->type == YAML_SCALAR_NODE) {
    node.text = whole_text(from);
    return add_node(out, t, parent, before, &node, err);
  }
  node.kind = from->type == YAML_SEQUENCE_NODE ? SOTTO_I_YAML_LIST : SOTTO_I_YAML_MAPPING;
  SOTTO_TRY(add_node(out, t, parent, before, &node, err));
  if (node.kind == SOTTO_I_YAML_LIST) {
    for (const yaml_node_item_t *i = from->data.sequence.items.start; i < from->data.sequence.items.top; i++)
      SOTTO_TRY(convert(&last, t, document, *i, *out, last, depth - 1, file, err));
  } else {
    for (const yaml_node_pair_t *i = from->data.mapping.pairs.start; i < from->data.mapping.pairs.top; i++) {
      const yaml_node_t *key = yaml_document_get_node(document, i->key);
      SOTTO_TRY(convert(&last, t, document, i->value, *out, last, depth - 1, file, err));
      t->nodes[last].key = whole_text(key);
      t->nodes[last].line = (uint32_t)key->start_mark.line + 1;
      if (t->nodes[last].key == NULL)
        SOTTO_TRY(sotto_i_fail(err, SOTTO_PARSE, "%s: line %zu: is no key of a schema", file,
                               key->start_mark.line + 1));
    }
  }
done:
  return status;
}

/* Copies the text to the end of what is kept, or only counts its bytes. */
static void keep_text(sotto_i_yaml *t, size_t *used, const char **text) {
  const size_t size = *text == NULL ? 0 : strlen(*text) + 1;
  if (t->text != NULL && size > 0) {
    memcpy(t->text + *used, *text, size);
    *text = t->text + *used;
  }
  *used += size;
}

/* The texts of a document end with it. */
static sotto_status keep_texts(sotto_i_yaml *t, sotto_error *err) {
  size_t used = 0;
  sotto_status status = SOTTO_OK;
  for (int copy = 0; status == SOTTO_OK && copy < 2; copy++) {
    if (copy == 1) status = sotto_i_new_raw(&t->text, used + 1, 1, err);
    used = 0;
    for (size_t i = 1; status == SOTTO_OK && i < t->count; i++) {
      keep_text(t, &used, &t->nodes[i].key);
      keep_text(t, &used, &t->nodes[i].text);
    }
  }
  return status;
}

sotto_status sotto_i_yaml_read_any(sotto_i_yaml *out, const char *file, const char *text, size_t size,
                                   sotto_error *err) {
  yaml_document_t document;
  yaml_parser_t parser;
  uint32_t root;
  sotto_status status = SOTTO_OK;
  *out = (sotto_i_yaml){.count = 0};
  if (sotto_i_memory_fails() || !yaml_parser_initialize(&parser))
    return sotto_i_fail(err, SOTTO_NOMEM, "no memory for the YAML parser");
  yaml_parser_set_input_string(&parser, (const uint8_t *)(size == 0 ? "" : text), size);
  if (!yaml_parser_load(&parser, &document)) {
    status = sotto_i_fail(err, SOTTO_PARSE, "%s: line %zu: %s", file, parser.problem_mark.line + 1,
                          parser.problem == NULL ? "not YAML" : parser.problem);
    yaml_parser_delete(&parser);
    return status;
  }
  if (yaml_document_get_root_node(&document) == NULL)
    status = sotto_i_fail(err, SOTTO_PARSE, "%s: is empty, and no schema", file);
  if (status == SOTTO_OK) status = convert(&root, out, &document, 1, 0, 0, deepest + 2, file, err);
  if (status == SOTTO_OK) status = keep_texts(out, err);
  if (status != SOTTO_OK) sotto_i_yaml_free(out);
  yaml_document_delete(&document);
  yaml_parser_delete(&parser);
  return status;
}

sotto_status sotto_i_yaml_read(sotto_i_yaml *out, const char *file, const char *text, size_t size,
                               sotto_error *err) {
  bool done = false;
  const sotto_status status = sotto_i_yaml_read_plain(&done, out, text, size, err);
  return status != SOTTO_OK || done ? status : sotto_i_yaml_read_any(out, file, text, size, err);
}

void sotto_i_yaml_free(sotto_i_yaml *nodes) {
  sotto_i_free(nodes->nodes);
  sotto_i_free(nodes->text);
  *nodes = (sotto_i_yaml){.count = 0};
}
