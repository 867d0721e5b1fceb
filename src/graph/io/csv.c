/* Splits lines of tables into fields. */
#include "csv.h"

#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/progress.h"

enum { megabyte = 1000000, sample = 1 << 20 };

/* Moves the rest of the window to its front and reads more behind it. A line longer than the window
 * enlarges it. */
static sotto_status refill_window(sotto_i_csv *csv, sotto_error *err) {
  const size_t left = (size_t)(csv->lines.end - csv->lines.at);
  sotto_status status = SOTTO_OK;
  csv->base += (uint64_t)(csv->lines.at - csv->text);
  if (left > 0 && csv->lines.at > csv->text) memmove(csv->copy, csv->lines.at, left);
  if (left == csv->window)
    SOTTO_TRY(sotto_i_grow(&csv->copy, &csv->window, csv->window + 1, sizeof *csv->copy, err));
  const uint64_t behind = csv->size - csv->base - left;
  const size_t more = behind < csv->window - left ? (size_t)behind : csv->window - left;
  csv->text = csv->lines.at = csv->lines.end = csv->copy;
  SOTTO_TRY(sotto_i_reader_at(csv->reader, csv->copy + left, more, csv->base + left, err));
  csv->lines.end = csv->copy + left + more;
done:
  return status;
}

/* Opens a window at the front of the source. */
static sotto_status open_window(sotto_i_csv *csv, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  csv->base = 0;
  csv->text = csv->lines.at = csv->lines.end = csv->copy;
  SOTTO_TRY(refill_window(csv, err));
  const sotto_i_source front = {csv->lines.file, csv->copy, (size_t)(csv->lines.end - csv->copy)};
  sotto_i_lines_init(&csv->lines, &front);
done:
  return status;
}

sotto_status sotto_i_csv_open(sotto_i_csv *out, const sotto_i_source *source, char separator,
                              sotto_error *err) {
  sotto_status status = SOTTO_OK;
  *out = (sotto_i_csv){.separator = separator, .text = source->data, .size = source->size};
  if (source->size > 0 && memchr(source->data, '"', source->size) != NULL) {
    SOTTO_TRY(sotto_i_new_raw(&out->copy, source->size, 1, err));
    memcpy(out->copy, source->data, source->size);
    out->text = out->copy;
  }
  const sotto_i_source read = {source->file, out->text, source->size};
  sotto_i_lines_init(&out->lines, &read);
done:
  return status;
}

sotto_status sotto_i_csv_open_pieces(sotto_i_csv *out, const sotto_i_reader *reader, size_t window,
                                     sotto_error *err) {
  *out = (sotto_i_csv){.separator = ',',
                       .lines = {.file = reader->path},
                       .reader = reader,
                       .size = reader->size,
                       .window = reader->size < window ? (size_t)reader->size + 1 : window};
  const sotto_status status = sotto_i_new_raw(&out->copy, out->window, 1, err);
  return status == SOTTO_OK ? open_window(out, err) : status;
}

void sotto_i_csv_free(sotto_i_csv *csv) {
  sotto_i_free(csv->copy);
  sotto_i_free(csv->fields);
  *csv = (sotto_i_csv){0};
}

sotto_status sotto_i_csv_fail(const sotto_i_csv *csv, sotto_status status, size_t column, const char *what,
                              sotto_error *err) {
  char text[41];
  size_t size = 0;
  for (; column < csv->count && size < csv->fields[column].size && size < sizeof text - 1; size++) {
    uint8_t byte = csv->fields[column].text[size];
    text[size] = byte >= 0x20 && byte < 0x7F ? (char)byte : '?';
  }
  text[size] = '\0';
  return sotto_i_fail(err, status, "%s: line %llu, column %zu: '%s' %s", csv->lines.file,
                      (unsigned long long)csv->lines.line, column + 1, text, what);
}

static bool is_blank(uint8_t byte) {
  return byte == ' ' || byte == '\t';
}

/* Whether a separator is at text[at]. */
static bool is_separator(const sotto_i_csv *csv, uint8_t byte) {
  return csv->separator == ' ' ? is_blank(byte) : byte == (uint8_t)csv->separator;
}

/* Removes the quotes from text[*at ..), in place; *at moves to the separator or the end. */
static bool unquote(const sotto_i_csv *csv, uint8_t *text, size_t size, size_t *at, sotto_i_field *field) {
  size_t from = *at + 1, kept = from;
  field->text = text + from;
  for (;; from++) {
    if (from == size) return false;
    if (text[from] == '"' && from + 1 < size && text[from + 1] == '"') {
      from++;
    } else if (text[from] == '"') {
      break;
    }
    text[kept++] = text[from];
  }
  field->size = (size_t)(text + kept - field->text);
  *at = from + 1;
  return *at == size || is_separator(csv, text[*at]);
}

void sotto_i_field_trim(sotto_i_field *field) {
  while (field->size > 0 && is_blank(field->text[0])) field->text++, field->size--;
  while (field->size > 0 && is_blank(field->text[field->size - 1])) field->size--;
}

static bool is_skipped(const uint8_t *line, size_t size, bool blanks, bool comments) {
  size_t at = 0;
  while (blanks && at < size && is_blank(line[at])) at++;
  return at == size || (comments && (line[0] == '#' || line[0] == '%'));
}

/* The first of the separators that occurs outside of quotes in a line; separators[0] if none does. */
static char find_separator(const uint8_t *line, size_t size, const char *separators) {
  size_t least = strlen(separators);
  bool quoted = false;
  for (size_t i = 0; i < size; i++) {
    if (line[i] == '"') quoted = !quoted;
    const char *found = quoted || line[i] == '\0' ? NULL : strchr(separators, line[i]);
    if (found != NULL && (size_t)(found - separators) < least) least = (size_t)(found - separators);
  }
  return separators[least == strlen(separators) ? 0 : least];
}

char sotto_i_csv_guess(const sotto_i_source *source, const char *separators, bool comments) {
  sotto_i_lines lines;
  const uint8_t *line = NULL;
  size_t size = 0;
  sotto_i_lines_init(&lines, source);
  do {
    if (!sotto_i_lines_next(&lines, &line, &size)) return separators[0];
  } while (is_skipped(line, size, true, comments));
  return find_separator(line, size, separators);
}

const char *sotto_i_csv_separator_name(char separator) {
  return separator == '\t'  ? "tabs"
         : separator == ';' ? "semicolons"
         : separator == ' ' ? "blanks"
                            : "commas";
}

static sotto_status add_field(sotto_i_csv *csv, sotto_i_field field, sotto_error *err) {
  sotto_status status = sotto_i_grow(&csv->fields, &csv->room, csv->count + 1, sizeof *csv->fields, err);
  if (status == SOTTO_OK) csv->fields[csv->count++] = field;
  return status;
}

/* Whether the window reaches the end of the source. */
static bool at_last_window(const sotto_i_csv *csv) {
  return csv->reader == NULL || csv->base + (uint64_t)(csv->lines.end - csv->text) == csv->size;
}

/* Reads the next line that is neither empty nor a comment; *text is NULL at the end of the source. */
static sotto_status next_line(sotto_i_csv *csv, const uint8_t **text, size_t *size, sotto_error *err) {
  for (;;) {
    while (!at_last_window(csv) &&
           memchr(csv->lines.at, '\n', (size_t)(csv->lines.end - csv->lines.at)) == NULL) {
      const sotto_status status = refill_window(csv, err);
      if (status != SOTTO_OK) return status;
    }
    *text = NULL;
    if (!sotto_i_lines_next(&csv->lines, text, size)) return SOTTO_OK;
    if (!is_skipped(*text, *size, csv->separator == ' ', csv->comments)) return SOTTO_OK;
    if (*size > 0 && ((*text)[0] == '#' || (*text)[0] == '%')) csv->comment_lines++;
  }
}

sotto_status sotto_i_csv_choose(sotto_i_csv *csv, const char *separators, sotto_error *err) {
  const uint8_t *text = NULL;
  size_t size = 0;
  csv->separator = ' '; /* lines of blanks are empty */
  const sotto_status status = next_line(csv, &text, &size, err);
  csv->separator = text == NULL ? separators[0] : find_separator(text, size, separators);
  csv->comment_lines = 0;
  if (status != SOTTO_OK) return status;
  if (csv->reader != NULL) return open_window(csv, err);
  const sotto_i_source read = {csv->lines.file, csv->text, csv->size};
  sotto_i_lines_init(&csv->lines, &read);
  return SOTTO_OK;
}

uint64_t sotto_i_csv_lines_about(const sotto_i_csv *csv) {
  const size_t held = (size_t)(csv->lines.end - csv->text), seen = held < sample ? held : sample;
  uint64_t lines = 1;
  for (size_t i = 0; i < seen; i++) lines += csv->text[i] == '\n';
  return seen == 0 ? 0 : (uint64_t)((double)csv->size / (double)seen * (double)lines);
}

/* Reports progress every SOTTO_I_REPORT_LINES lines, and at the end of texts that are as long. */
static sotto_status report_progress(sotto_i_csv *csv, sotto_error *err) {
  const bool ended = csv->lines.at == csv->lines.end && at_last_window(csv);
  if (csv->lines.line == 0 || (csv->lines.line % SOTTO_I_REPORT_LINES != 0 && !(ended && csv->reporting)))
    return SOTTO_OK;
  const uint64_t total = csv->size / megabyte + 1;
  const uint64_t done = (csv->base + (uint64_t)(csv->lines.at - csv->text)) / megabyte;
  sotto_i_progress(csv->observer, "reading MB", ended ? total : done, total, NULL);
  csv->reporting = !ended;
  return sotto_i_check_interrupt(err);
}

sotto_status sotto_i_csv_next(sotto_i_csv *csv, sotto_error *err) {
  sotto_status status = report_progress(csv, err);
  const uint8_t *text = NULL;
  size_t size = 0, at = 0;
  csv->count = 0;
  if (status == SOTTO_OK) status = next_line(csv, &text, &size, err);
  if (status != SOTTO_OK || text == NULL) return status;
  for (;;) {
    while (csv->separator == ' ' && at < size && is_blank(text[at])) at++;
    if (csv->separator == ' ' && at == size) break;
    sotto_i_field field = {text + at, 0};
    if (at < size && text[at] == '"') {
      if (!unquote(csv, csv->copy + (text - csv->copy), size, &at, &field))
        return sotto_i_fail(
            err, SOTTO_PARSE,
            "%s: line %llu, column %zu: the closing quote is not at the end of the field; a field "
            "lies in one line, and a quote inside it stands twice",
            csv->lines.file, (unsigned long long)csv->lines.line, csv->count + 1);
    } else {
      while (at < size && !is_separator(csv, text[at])) at++;
      field.size = (size_t)(text + at - field.text);
      if (csv->trim) sotto_i_field_trim(&field);
    }
    SOTTO_TRY(add_field(csv, field, err));
    if (at == size) break;
    at++;
  }
done:
  return status;
}

bool sotto_i_field_is(const sotto_i_field *field, const char *word) {
  return field->size == strlen(word) && strncasecmp((const char *)field->text, word, field->size) == 0;
}
