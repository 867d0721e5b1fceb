/* The nodes that `sotto predict --nodes` asks for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "common/file.h"
#include "common/memory.h"
#include "predict.h"

/* The source of entries, for messages: "--nodes: entry" or "FILE: line", and the number of the entry. */
typedef struct source {
  const char *name, *kind;
  size_t number;
} source;

enum { longest_entry = 48 };

static sotto_status fail_entry(const source *from, const char *entry, size_t length, sotto_status status,
                               const char *why, sotto_error *err) {
  return sotto_i_fail(err, status, "%s: %s %zu, '%.*s', %s", from->name, from->kind, from->number,
                      (int)(length < longest_entry ? length : longest_entry), entry, why);
}

/* Parses a number or a range in entry[0..length). */
static sotto_status parse_entry(uint64_t *first, uint64_t *last, const source *from, const char *entry,
                                size_t length, sotto_error *err) {
  static const char form[] = "is not a node number or a range a-b";
  char text[longest_entry];
  sotto_error inner = {0};
  if (length >= sizeof text || memchr(entry, '\0', length) != NULL)
    return fail_entry(from, entry, length, SOTTO_PARSE, form, err);
  memcpy(text, entry, length);
  text[length] = '\0';
  char *dash = strchr(text, '-');
  if (dash != NULL) *dash = '\0';
  if (sotto_i_parse_u64(first, text, "node", &inner) != SOTTO_OK ||
      sotto_i_parse_u64(last, dash == NULL ? text : dash + 1, "node", &inner) != SOTTO_OK)
    return fail_entry(from, entry, length, SOTTO_PARSE, form, err);
  if (*first > *last) return fail_entry(from, entry, length, SOTTO_RANGE, "ends before it begins", err);
  return SOTTO_OK;
}

static sotto_status mark_entry(bool *wanted, uint64_t all, const source *from, const char *entry,
                               size_t length, sotto_error *err) {
  uint64_t first = 0, last = 0;
  char why[80];
  sotto_status status = parse_entry(&first, &last, from, entry, length, err);
  if (status != SOTTO_OK) return status;
  (void)snprintf(why, sizeof why, "is outside: the data has nodes 0 to %llu", (unsigned long long)all - 1);
  if (last >= all) return fail_entry(from, entry, length, SOTTO_RANGE, why, err);
  memset(wanted + first, 1, (size_t)(last - first + 1));
  return SOTTO_OK;
}

static size_t trimmed(const char *line, size_t length) {
  while (length > 0 && strchr(" \t\r", line[length - 1]) != NULL && line[length - 1] != '\0') length--;
  return length;
}

/* Marks the nodes of all entries of a text; empty lines of a file are skipped. */
static sotto_status mark_all(bool *wanted, uint64_t all, source from, const char *text, size_t size,
                             bool is_file, sotto_error *err) {
  for (size_t begin = 0; begin <= size;) {
    const char *end = memchr(text + begin, is_file ? '\n' : ',', size - begin);
    size_t length = end == NULL ? size - begin : (size_t)(end - text) - begin, after = begin + length + 1;
    from.number++;
    if (is_file) length = trimmed(text + begin, length);
    if (!is_file || length > 0) {
      sotto_status status = mark_entry(wanted, all, &from, text + begin, length, err);
      if (status != SOTTO_OK) return status;
    }
    begin = after;
  }
  return SOTTO_OK;
}

static sotto_status collect_nodes(predict_nodes *out, const bool *wanted, uint64_t all, const char *list,
                                  sotto_error *err) {
  for (uint64_t v = 0; v < all; v++) out->count += wanted == NULL || wanted[v];
  if (out->count == 0) return sotto_i_fail(err, SOTTO_INVALID, "--nodes: '%s' names no node", list);
  sotto_status status = app_new(&out->nodes, out->count, sizeof *out->nodes, err);
  if (status != SOTTO_OK) return status;
  size_t count = 0;
  for (uint64_t v = 0; v < all; v++)
    if (wanted == NULL || wanted[v]) out->nodes[count++] = (uint32_t)v;
  return SOTTO_OK;
}

sotto_status predict_read_nodes(predict_nodes *out, const char *list, uint64_t all, sotto_error *err) {
  sotto_status status;
  bool *wanted = NULL;
  char *file = NULL;
  size_t size = 0;
  *out = (predict_nodes){.nodes = NULL};
  if (list == NULL) return collect_nodes(out, NULL, all, "", err);
  SOTTO_TRY(app_new(&wanted, all, sizeof *wanted, err));
  if (list[0] == '@') {
    SOTTO_TRY(app_read_file(&file, &size, list + 1, err));
    SOTTO_TRY(mark_all(wanted, all, (source){list + 1, "line", 0}, file, size, true, err));
  } else {
    SOTTO_TRY(mark_all(wanted, all, (source){"--nodes", "entry", 0}, list, strlen(list), false, err));
  }
  SOTTO_TRY(collect_nodes(out, wanted, all, list, err));
done:
  free(wanted);
  free(file);
  return status;
}
