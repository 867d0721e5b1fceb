/* A split in its own file: one word per line in node order, or a table with the columns id and split. */
#include <string.h>

#include "base/memory.h"
#include "tables.h"

typedef struct split_file {
  sotto_i_csv csv;
  sotto_i_ids ids; /* of the nodes; empty: ids are numbers */
  size_t id_column, split_column;
  sotto_i_texts texts; /* of ids of the data that are not in the form in which ids are compared */
  uint64_t changed;
  uint8_t *named; /* 1: the node had its line */
  uint64_t nodes;
} split_file;

/* The node that a field names, or `nodes`. */
static uint64_t find_node(const split_file *s, const sotto_i_field *id) {
  int64_t number;
  if (s->ids.count > 0) {
    const uint32_t found = sotto_i_ids_find(&s->ids, id);
    return found == UINT32_MAX ? s->nodes : found;
  }
  const bool whole = sotto_i_text_integer(id->text, id->size, &number) && number >= 0;
  return whole && (uint64_t)number < s->nodes ? (uint64_t)number : s->nodes;
}

static sotto_status set_part(split_file *s, uint8_t *split, uint64_t node, sotto_error *err) {
  if (s->named[node] != 0)
    return sotto_i_csv_fail(&s->csv, SOTTO_PARSE, s->id_column,
                            "is a node that stands on a line before; each has one line at most", err);
  s->named[node] = 1;
  if (sotto_i_part_of_word(&split[node], &s->csv.fields[s->split_column])) return SOTTO_OK;
  return sotto_i_csv_fail(&s->csv, SOTTO_PARSE, s->split_column,
                          "is not a part of a split; write train, validation, test or none", err);
}

static sotto_status read_table(split_file *s, uint8_t *split, size_t width, sotto_error *err) {
  sotto_status status;
  for (;;) {
    SOTTO_TRY(sotto_i_csv_next(&s->csv, err));
    if (s->csv.count == 0) return SOTTO_OK;
    if (s->csv.count != width)
      return sotto_i_fail(err, SOTTO_PARSE, "%s: line %llu: has %zu fields, but the header has %zu",
                          s->csv.lines.file, (unsigned long long)s->csv.lines.line, s->csv.count, width);
    const uint64_t node = find_node(s, &s->csv.fields[s->id_column]);
    if (node == s->nodes)
      return sotto_i_csv_fail(&s->csv, SOTTO_RANGE, s->id_column, "is not a node of the data", err);
    SOTTO_TRY(set_part(s, split, node, err));
    s->changed += s->csv.changed[s->id_column];
  }
done:
  return status;
}

/* The first line belongs to the first node. */
static sotto_status read_words(split_file *s, uint8_t *split, const char *file, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  uint64_t node = 0;
  s->id_column = s->split_column = 0;
  for (; s->csv.count != 0; node++) {
    if (s->csv.count != 1)
      return sotto_i_fail(
          err, SOTTO_PARSE,
          "%s: line %llu: has %zu fields; the file needs one word per line, or a header with the columns "
          "id and split",
          file, (unsigned long long)s->csv.lines.line, s->csv.count);
    if (node == s->nodes)
      return sotto_i_fail(err, SOTTO_PARSE, "%s: line %llu: there are only %llu nodes", file,
                          (unsigned long long)s->csv.lines.line, (unsigned long long)s->nodes);
    SOTTO_TRY(set_part(s, split, node, err));
    SOTTO_TRY(sotto_i_csv_next(&s->csv, err));
  }
  if (node != s->nodes)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: %llu words for %llu nodes; write none for nodes in no part",
                        file, (unsigned long long)node, (unsigned long long)s->nodes);
done:
  return status;
}

static sotto_status list_ids(split_file *s, const sotto_names *names, sotto_error *err) {
  for (uint64_t v = 0; v < names->count; v++) {
    const char *name = sotto_name(names, v);
    sotto_i_field field = {(const uint8_t *)name, strlen(name)};
    bool changed;
    sotto_status status = sotto_i_word_settle(&field, &s->texts, &changed, err);
    if (status == SOTTO_OK) status = sotto_i_ids_add(&s->ids, &field, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

sotto_status sotto_i_read_split(sotto_i_parts *parts, const sotto_i_source *file, sotto_error *err) {
  split_file s = {.nodes = parts->nodes, .id_column = SIZE_MAX, .split_column = SIZE_MAX};
  uint8_t *split = NULL;
  sotto_status status;
  sotto_i_ids_init(&s.ids);
  SOTTO_TRY(list_ids(&s, &parts->names[SOTTO_I_NAMES_NODES], err));
  SOTTO_TRY(sotto_i_new(&split, parts->nodes, 1, err));
  SOTTO_TRY(sotto_i_new(&s.named, parts->nodes, 1, err));
  SOTTO_TRY(sotto_i_csv_open(&s.csv, file, sotto_i_csv_guess(file, ",;\t ", false), err));
  s.csv.trim = true;
  SOTTO_TRY(sotto_i_csv_next(&s.csv, err));
  for (size_t j = s.csv.count; j-- > 0;) {
    if (sotto_i_field_is(&s.csv.fields[j], "id") || sotto_i_field_is(&s.csv.fields[j], "node"))
      s.id_column = j;
    if (sotto_i_field_is(&s.csv.fields[j], "split")) s.split_column = j;
  }
  if (s.id_column != SIZE_MAX && s.split_column != SIZE_MAX)
    SOTTO_TRY(read_table(&s, split, s.csv.count, err));
  else
    SOTTO_TRY(read_words(&s, split, file->file, err));
  if (parts->map.data == NULL && parts->split != parts->given_split) sotto_i_free(parts->split);
  sotto_i_free(parts->given_split);
  parts->split = parts->given_split = split;
  SOTTO_TRY(sotto_i_reading_changed(parts, s.changed, err));
  parts->summed = false; /* the digest covers the split */
  split = NULL;
done:
  sotto_i_free(split);
  sotto_i_free(s.named);
  sotto_i_csv_free(&s.csv);
  sotto_i_ids_free(&s.ids);
  sotto_i_texts_free(&s.texts);
  return status;
}
