/* MatrixMarket (Boisvert, Pozo and Remington 1996), coordinate format only: a banner, comments, sizes, and
 * entries numbered from 1. */
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "formats.h"
#include "graph/tables/transfer_values.h"

typedef struct market {
  sotto_i_lines lines;
  size_t fields; /* per entry: 2 for patterns, else 3 */
  int64_t rows, entries;
  bool symmetric;
  bool kept;    /* entries are transfers from the row to the column */
  bool amounts; /* values are their amounts; else they are not used */
  sotto_i_edge_list pairs;
} market;

static sotto_status fail(const market *m, sotto_status status, const char *what, sotto_error *err) {
  return sotto_i_fail(err, status, "%s: line %llu: %s", m->lines.file, (unsigned long long)m->lines.line,
                      what);
}

/* Reads the next word of a line, without blanks; size 0 at the end. */
static void next_word(const uint8_t **line, size_t *left, const uint8_t **word, size_t *size) {
  while (*left > 0 && (**line == ' ' || **line == '\t')) ++*line, --*left;
  *word = *line;
  for (*size = 0; *left > 0 && **line != ' ' && **line != '\t'; ++*size) ++*line, --*left;
}

static bool equals_ignoring_case(const uint8_t *word, size_t size, const char *text) {
  return size == strlen(text) && strncasecmp((const char *)word, text, size) == 0;
}

static sotto_status read_banner(market *m, sotto_error *err) {
  const uint8_t *line, *words[5];
  size_t left, sizes[5];
  if (!sotto_i_lines_next(&m->lines, &line, &left)) return fail(m, SOTTO_PARSE, "the file is empty", err);
  for (size_t i = 0; i < 5; i++) next_word(&line, &left, &words[i], &sizes[i]);
  if (!equals_ignoring_case(words[0], sizes[0], "%%MatrixMarket") ||
      !equals_ignoring_case(words[1], sizes[1], "matrix"))
    return fail(m, SOTTO_PARSE, "does not begin with %%MatrixMarket matrix", err);
  if (!equals_ignoring_case(words[2], sizes[2], "coordinate"))
    return fail(m, SOTTO_UNSUPPORTED,
                "is not in coordinate format; write it sparse, as scipy.io.mmwrite does", err);
  m->fields = equals_ignoring_case(words[3], sizes[3], "pattern") ? 2 : 3;
  if (m->fields == 3 && !equals_ignoring_case(words[3], sizes[3], "real") &&
      !equals_ignoring_case(words[3], sizes[3], "integer"))
    return fail(m, SOTTO_UNSUPPORTED, "has entries that are neither real, integer nor pattern", err);
  if (!equals_ignoring_case(words[4], sizes[4], "general") &&
      !equals_ignoring_case(words[4], sizes[4], "symmetric") &&
      !equals_ignoring_case(words[4], sizes[4], "skew-symmetric"))
    return fail(m, SOTTO_UNSUPPORTED, "is neither general nor symmetric", err);
  m->symmetric = !equals_ignoring_case(words[4], sizes[4], "general");
  return SOTTO_OK;
}

/* Entries have no names, so they are transfers only where the caller says so. */
static sotto_status find_transfers(market *m, const sotto_import_options *o, sotto_error *err) {
  if (o == NULL || (o->amount == NULL && o->time == NULL && o->kind == NULL && !o->directed)) return SOTTO_OK;
  if (o->undirected || m->symmetric)
    return fail(m, SOTTO_INVALID,
                "undirected edges have no direction, amount, time or kind; leave the option out", err);
  if (o->time != NULL)
    return fail(m, SOTTO_NOT_FOUND, "entries have no time; write the transfers as a list of edges", err);
  if (o->kind != NULL || sotto_i_transfer_kinds(o) != NULL)
    return fail(m, SOTTO_NOT_FOUND, "entries have no kind; write the transfers as a list of edges", err);
  if (o->amount != NULL && (strcmp(o->amount, "value") != 0 || m->fields == 2))
    return fail(m, SOTTO_NOT_FOUND, "amounts can be the values of entries alone, which are named value", err);
  m->kept = true;
  m->amounts = m->fields == 3;
  return SOTTO_OK;
}

/* Reads the next line that is no comment, as up to three words; false at the end. */
static bool next_entry(market *m, const uint8_t *words[4], size_t sizes[4]) {
  const uint8_t *line;
  size_t left;
  while (sotto_i_lines_next(&m->lines, &line, &left)) {
    if (left > 0 && line[0] == '%') continue;
    for (size_t i = 0; i < 4; i++) next_word(&line, &left, &words[i], &sizes[i]);
    if (sizes[0] > 0) return true;
  }
  return false;
}

static sotto_status read_sizes(market *m, size_t bytes, sotto_error *err) {
  const uint8_t *words[4];
  size_t sizes[4];
  int64_t columns;
  if (!next_entry(m, words, sizes) || sizes[3] > 0 || !sotto_i_text_integer(words[0], sizes[0], &m->rows) ||
      !sotto_i_text_integer(words[1], sizes[1], &columns) ||
      !sotto_i_text_integer(words[2], sizes[2], &m->entries) || m->rows < 0 || m->entries < 0)
    return fail(m, SOTTO_PARSE, "needs three sizes: rows, columns, entries", err);
  if (m->rows != columns)
    return fail(m, SOTTO_PARSE, "the numbers of rows and columns differ; an adjacency is square", err);
  if ((uint64_t)m->entries > bytes / 4)
    return fail(m, SOTTO_PARSE, "claims more entries than fit into the file", err);
  return sotto_i_check_nodes((uint64_t)m->rows, m->lines.file, bytes, err);
}

static sotto_status read_entry(market *m, sotto_i_transfers *transfers, const uint8_t *const words[4],
                               const size_t sizes[4], sotto_error *err) {
  int64_t from, to;
  double value = 1;
  sotto_status status;
  if (!sotto_i_text_integer(words[0], sizes[0], &from) || !sotto_i_text_integer(words[1], sizes[1], &to) ||
      (m->fields == 3 && !sotto_i_text_double(words[2], sizes[2], &value)) || sizes[m->fields] > 0)
    return fail(m, SOTTO_PARSE,
                m->fields == 2 ? "needs two numbers: row, column" : "needs three numbers: row, column, value",
                err);
  if (from < 1 || to < 1 || from > m->rows || to > m->rows)
    return fail(m, SOTTO_RANGE, "a row or column is not between 1 and the size of the matrix", err);
  if (value == 0) return SOTTO_OK;
  if (m->amounts && value < 0)
    return fail(m, SOTTO_RANGE, "an amount is below 0; exchange row and column and write it without its sign",
                err);
  SOTTO_TRY(sotto_i_edge_list_add(&m->pairs, (uint32_t)(from - 1), (uint32_t)(to - 1), err));
  if (m->kept)
    SOTTO_TRY(sotto_i_transfers_add(
        transfers,
        (sotto_i_transfer){.source = (uint32_t)(from - 1), .target = (uint32_t)(to - 1), .amount = value},
        err));
done:
  return status;
}

sotto_status sotto_i_read_matrix_market(sotto_i_parts *parts, const sotto_i_source *file,
                                        const sotto_import_options *options, sotto_error *err) {
  market m = {.fields = 2};
  const uint8_t *words[4];
  size_t sizes[4];
  int64_t read = 0;
  sotto_status status;
  sotto_i_lines_init(&m.lines, file);
  SOTTO_TRY(read_banner(&m, err));
  SOTTO_TRY(find_transfers(&m, options, err));
  parts->transfers.has_amounts = m.amounts;
  SOTTO_TRY(read_sizes(&m, file->size, err));
  for (; next_entry(&m, words, sizes); read++) {
    if (read == m.entries) {
      status = fail(&m, SOTTO_PARSE, "there are more entries than the sizes say", err);
      goto done;
    }
    SOTTO_TRY(read_entry(&m, &parts->transfers, words, sizes, err));
  }
  if (read != m.entries) {
    status = sotto_i_fail(
        err, SOTTO_PARSE, "%s: line %llu: the file ends after %lld of %lld entries; it was cut short",
        file->file, (unsigned long long)m.lines.line, (long long)read, (long long)m.entries);
    goto done;
  }
  SOTTO_TRY(sotto_i_parts_edges(parts, (uint64_t)m.rows, &m.pairs, file->file, err));
  if (m.kept) SOTTO_TRY(sotto_i_transfers_sort(&parts->transfers, err));
  if (m.fields == 3) {
    const sotto_column value = {
        .name = "value", .kind = m.amounts ? SOTTO_COLUMN_AMOUNT : SOTTO_COLUMN_UNUSED, .of_edges = true};
    SOTTO_TRY(sotto_i_reading_column(parts, &value, err));
  }
done:
  sotto_i_edge_list_free(&m.pairs);
  return status;
}
