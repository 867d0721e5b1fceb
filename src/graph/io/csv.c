/* Splits tables into records, and records into fields. */
#include "csv.h"

#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/progress.h"
#include "table_text.h"

enum { megabyte = 1000000, sample = 1 << 20 };

/* Whether the window reaches the end of the source. */
static bool at_last_window(const sotto_i_csv *csv) {
  return csv->reader == NULL || csv->base + (uint64_t)(csv->lines.end - csv->text) == csv->size;
}

/* Finds the first byte in memory that is not UTF-8; a character that the window cuts off is left for the next
 * one. */
static void check_text(sotto_i_csv *csv) {
  const uint8_t *end = csv->lines.end;
  csv->checked += sotto_i_text_good(csv->text + csv->checked, (size_t)(end - csv->text) - csv->checked);
  const uint8_t *rest = csv->text + csv->checked;
  csv->bad = rest < end && (at_last_window(csv) || !sotto_i_text_is_cut(rest, (size_t)(end - rest)));
}

/* Fails if the next `size` bytes have that byte: wherever its window ends, faults before it are found first.
 */
static sotto_status refuse_bad(const sotto_i_csv *csv, size_t size, sotto_error *err) {
  const uint8_t *bad = csv->text + csv->checked;
  if (!csv->bad || bad >= csv->lines.at + size) return SOTTO_OK;
  uint64_t line = csv->lines.line + 1;
  for (const uint8_t *at = csv->lines.at; at < bad; at++) line += *at == '\n';
  return sotto_i_text_fail(csv->lines.file, line, csv->base + csv->checked, *bad, err);
}

/* Moves the rest of the window to its front and reads more behind it. A line longer than the window
 * enlarges it. */
static sotto_status refill_window(sotto_i_csv *csv, sotto_error *err) {
  const size_t left = (size_t)(csv->lines.end - csv->lines.at);
  sotto_status status = SOTTO_OK;
  csv->base += (uint64_t)(csv->lines.at - csv->text);
  if (left > 0 && csv->lines.at > csv->text) memmove(csv->copy, csv->lines.at, left);
  if (left == csv->window)
    SOTTO_TRY(sotto_i_grow(&csv->copy, &csv->window, csv->window + 1, sizeof *csv->copy, err));
  csv->checked -= (size_t)(csv->lines.at - csv->text);
  const uint64_t behind = csv->size - csv->base - left;
  const size_t more = behind < csv->window - left ? (size_t)behind : csv->window - left;
  csv->text = csv->lines.at = csv->lines.end = csv->copy;
  SOTTO_TRY(sotto_i_reader_at(csv->reader, csv->copy + left, more, csv->base + left, err));
  csv->lines.end = csv->copy + left + more;
  check_text(csv);
done:
  return status;
}

/* Opens a window at the front of the source. */
static sotto_status open_window(sotto_i_csv *csv, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  csv->base = csv->checked = 0;
  csv->bad = false;
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
                       .passing = true,
                       .window = reader->size < window ? (size_t)reader->size + 1 : window};
  const sotto_status status = sotto_i_new_raw(&out->copy, out->window, 1, err);
  return status == SOTTO_OK ? open_window(out, err) : status;
}

void sotto_i_csv_free(sotto_i_csv *csv) {
  sotto_i_free(csv->copy);
  sotto_i_free(csv->fields);
  sotto_i_free(csv->changed);
  sotto_i_texts_free(&csv->texts);
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

/* Skips blanks that are no separators. */
static size_t skip_blanks(const sotto_i_csv *csv, const uint8_t *text, size_t size, size_t at) {
  while (at < size && is_blank(text[at]) && !is_separator(csv, text[at])) at++;
  return at;
}

/* Where the field that begins at text[at] has its opening quote; `size`: it has none. */
static size_t opening_quote(const sotto_i_csv *csv, const uint8_t *text, size_t size, size_t at) {
  if (csv->trim) at = skip_blanks(csv, text, size, at);
  return at < size && text[at] == '"' ? at : size;
}

/* The quote that closes the field whose text begins at text[at]; `size`: it is not closed. */
static size_t closing_quote(const uint8_t *text, size_t size, size_t at) {
  while (at < size) {
    const uint8_t *quote = memchr(text + at, '"', size - at);
    if (quote == NULL) return size;
    at = (size_t)(quote - text);
    if (at + 1 == size || text[at + 1] != '"') return at;
    at += 2;
  }
  return size;
}

static bool is_comment(const sotto_i_csv *csv, const uint8_t *line, size_t size) {
  return csv->comments && size > 0 && (line[0] == '#' || line[0] == '%');
}

bool sotto_i_csv_opens(const sotto_i_csv *csv, const uint8_t *line, size_t size, bool open) {
  size_t at = 0;
  if (!open && is_comment(csv, line, size)) return false;
  while (at < size || open) {
    const size_t quote = open ? 0 : opening_quote(csv, line, size, at);
    if (open || quote < size) {
      at = closing_quote(line, size, open ? 0 : quote + 1);
      if (at == size) return true;
      open = false;
    }
    while (at < size && !is_separator(csv, line[at])) at++;
    if (at < size) at++;
  }
  return false;
}

/* Removes the quotes from the field in text[*at ..), in place; *at moves to the separator or the end. NULL,
 * or what is wrong. */
static const char *unquote(const sotto_i_csv *csv, uint8_t *text, size_t size, size_t *at,
                           sotto_i_field *field) {
  const size_t begin = *at + 1, close = closing_quote(text, size, begin);
  size_t kept = begin;
  if (close == size)
    return "the quote that opens this field is not closed; close it, and write a quote inside a field in "
           "quotes twice";
  for (size_t from = begin; from < close; from += 1 + (text[from] == '"')) text[kept++] = text[from];
  *field = (sotto_i_field){text + begin, kept - begin};
  memset(text + kept, ' ', close - kept); /* no line feed stands twice */
  *at = csv->trim ? skip_blanks(csv, text, size, close + 1) : close + 1;
  if (*at == size || is_separator(csv, text[*at])) return NULL;
  return "the closing quote is not at the end of the field; write a quote inside a field in quotes twice";
}

/* Takes blanks and tabs off both ends. */
static void trim(sotto_i_field *field) {
  while (field->size > 0 && is_blank(field->text[0])) field->text++, field->size--;
  while (field->size > 0 && is_blank(field->text[field->size - 1])) field->size--;
}

static bool is_skipped(const sotto_i_csv *csv, const uint8_t *line, size_t size) {
  size_t at = 0;
  while (csv->separator == ' ' && at < size && is_blank(line[at])) at++;
  return at == size || is_comment(csv, line, size);
}

/* The first of the separators that occurs outside of quotes in the record at the front of the text;
 * separators[0] if none does. *ended: the record ends in the text, or is too long to look further. */
static char find_separator(const uint8_t *text, size_t size, const char *separators, bool *ended) {
  const size_t count = strlen(separators);
  size_t least = count, i = 0;
  bool quoted = false, begins = true; /* begins: a field may begin here, or a quoted one go on */
  for (; i < size && i < SOTTO_I_LONGEST_QUOTE && (quoted || text[i] != '\n'); i++) {
    const bool quote = text[i] == '"' && (quoted || begins);
    if (quote) quoted = !quoted;
    const char *found = quoted || text[i] == '\0' ? NULL : strchr(separators, text[i]);
    if (found != NULL && (size_t)(found - separators) < least) least = (size_t)(found - separators);
    begins = found != NULL || is_blank(text[i]) || quote;
  }
  *ended = i < size;
  return separators[least == count ? 0 : least];
}

char sotto_i_csv_guess(const sotto_i_source *source, const char *separators, bool comments) {
  const sotto_i_csv rules = {.separator = ' ', .comments = comments};
  sotto_i_lines lines;
  const uint8_t *line = NULL;
  size_t size = 0;
  bool ended;
  sotto_i_lines_init(&lines, source);
  do {
    if (!sotto_i_lines_next(&lines, &line, &size)) return separators[0];
  } while (is_skipped(&rules, line, size));
  return find_separator(line, (size_t)(lines.end - line), separators, &ended);
}

const char *sotto_i_csv_separator_name(char separator) {
  return separator == '\t'  ? "tabs"
         : separator == ';' ? "semicolons"
         : separator == ' ' ? "blanks"
                            : "commas";
}

/* `plain`: the field is in the form that `trim` gives it. */
static sotto_status add_field(sotto_i_csv *csv, sotto_i_field field, bool plain, bool changed,
                              sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_grow(&csv->fields, &csv->room, csv->count + 1, sizeof *csv->fields, err));
  SOTTO_TRY(sotto_i_grow(&csv->changed, &csv->changed_room, csv->count + 1, sizeof *csv->changed, err));
  if (csv->trim && !plain) {
    bool settled = false;
    SOTTO_TRY(sotto_i_word_settle(&field, &csv->texts, &settled, err));
    changed = changed || settled;
  }
  csv->changed[csv->count] = changed;
  csv->fields[csv->count++] = field;
done:
  return status;
}

/* The size of the line that begins `from` bytes behind lines.at, from there on; the window grows to hold it.
 */
static sotto_status find_line(sotto_i_csv *csv, size_t from, size_t *size, sotto_error *err) {
  for (;;) {
    const uint8_t *begin = csv->lines.at + from;
    const size_t left = (size_t)(csv->lines.end - begin);
    const uint8_t *feed = left == 0 ? NULL : memchr(begin, '\n', left);
    *size = feed == NULL ? left : (size_t)(feed - begin);
    if (feed != NULL || at_last_window(csv)) return SOTTO_OK;
    const sotto_status status = refill_window(csv, err);
    if (status != SOTTO_OK) return status;
  }
}

static size_t without_return(const uint8_t *text, size_t size) {
  return size > 0 && text[size - 1] == '\r' ? size - 1 : size;
}

/* Passes over `size` bytes and the line feed behind them. */
static void pass(sotto_i_csv *csv, size_t size) {
  csv->lines.at += size;
  if (csv->lines.at < csv->lines.end) csv->lines.at++;
}

/* Skips lines that are empty or comments; *size: of the next line, *none: there is none. */
static sotto_status skip_lines(sotto_i_csv *csv, size_t *size, bool *none, sotto_error *err) {
  for (;;) {
    sotto_status status = find_line(csv, 0, size, err);
    if (status == SOTTO_OK) status = refuse_bad(csv, *size, err);
    *none = status == SOTTO_OK && csv->lines.at == csv->lines.end;
    if (status != SOTTO_OK || *none) return status;
    const size_t text = without_return(csv->lines.at, *size);
    if (!is_skipped(csv, csv->lines.at, text)) return SOTTO_OK;
    if (is_comment(csv, csv->lines.at, text)) csv->comment_lines++;
    pass(csv, *size);
    csv->lines.line++;
  }
}

/* Reads the next record; *text is NULL at the end of the source. */
static sotto_status next_record(sotto_i_csv *csv, const uint8_t **text, size_t *size, sotto_error *err) {
  bool none = false, open = false;
  size_t from = 0, line = 0, first = 0; /* first: bytes up to the end of the line in which a quote opened */
  sotto_status status;
  *text = NULL;
  SOTTO_TRY(skip_lines(csv, &line, &none, err));
  if (none) return SOTTO_OK;
  for (;;) {
    const bool was = open;
    if (open || memchr(csv->lines.at + from, '"', line) != NULL)
      open = sotto_i_csv_opens(csv, csv->lines.at + from, line, open);
    if (!was) first = from + line;
    from += line;
    if (!open || csv->lines.at + from == csv->lines.end || from - first > SOTTO_I_LONGEST_QUOTE) break;
    csv->inside++;
    SOTTO_TRY(find_line(csv, ++from, &line, err));
  }
  SOTTO_TRY(refuse_bad(csv, from, err));
  *text = csv->lines.at;
  *size = without_return(*text, from);
  pass(csv, from);
  csv->lines.line++;
done:
  return status;
}

sotto_status sotto_i_csv_choose(sotto_i_csv *csv, const char *separators, sotto_error *err) {
  size_t size = 0;
  bool none = false, ended = false;
  char found = separators[0];
  sotto_status status;
  csv->separator = ' '; /* lines of blanks are empty */
  if (!csv->bad && csv->checked < (size_t)(csv->lines.end - csv->text)) check_text(csv);
  SOTTO_TRY(skip_lines(csv, &size, &none, err));
  while (!none && !ended) {
    found = find_separator(csv->lines.at, (size_t)(csv->lines.end - csv->lines.at), separators, &ended);
    if (ended || at_last_window(csv)) break;
    SOTTO_TRY(refill_window(csv, err));
  }
  csv->separator = found;
  csv->comment_lines = 0;
  if (csv->reader != NULL) return open_window(csv, err);
  const sotto_i_source read = {csv->lines.file, csv->text, csv->size};
  sotto_i_lines_init(&csv->lines, &read);
done:
  return status;
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

/* The field that begins at text[*at]; *at moves behind it. */
static sotto_status read_field(sotto_i_csv *csv, const uint8_t *text, size_t size, size_t *at,
                               sotto_error *err) {
  sotto_i_field field = {text + *at, 0};
  bool plain = false, changed = false;
  const size_t quote = opening_quote(csv, text, size, *at);
  if (quote < size) {
    *at = quote;
    const char *wrong = unquote(csv, csv->copy + (text - csv->copy), size, at, &field);
    if (wrong != NULL)
      return sotto_i_fail(err, SOTTO_PARSE, "%s: line %llu, column %zu: %s", csv->lines.file,
                          (unsigned long long)csv->lines.line, csv->count + 1, wrong);
    plain = sotto_i_word_is_plain(&field);
  } else {
    uint8_t high = 0;
    while (*at < size && !is_separator(csv, text[*at])) high |= text[(*at)++];
    field.size = (size_t)(text + *at - field.text);
    const size_t before = field.size;
    if (csv->trim) trim(&field);
    changed = field.size < before;
    if (csv->lines.line == 1 && field.size > 0 && memchr(field.text, '\r', field.size) != NULL)
      return sotto_i_fail(
          err, SOTTO_PARSE,
          "%s: line 1 has a carriage return inside; end lines with a line feed, as in tr '\\r' "
          "'\\n' < OLD > NEW",
          csv->lines.file);
    plain = high < 0x80;
  }
  return add_field(csv, field, plain, changed, err);
}

sotto_status sotto_i_csv_next(sotto_i_csv *csv, sotto_error *err) {
  sotto_i_csv_settle(csv);
  if (csv->passing && csv->texts.count > 0) sotto_i_texts_free(&csv->texts);
  sotto_status status = report_progress(csv, err);
  if (!csv->bad && csv->checked < (size_t)(csv->lines.end - csv->text)) check_text(csv);
  const uint8_t *text = NULL;
  size_t size = 0, at = 0;
  csv->count = 0;
  if (status == SOTTO_OK) status = next_record(csv, &text, &size, err);
  if (status != SOTTO_OK || text == NULL) return status;
  for (;;) {
    while (csv->separator == ' ' && at < size && is_blank(text[at])) at++;
    if (csv->separator == ' ' && at == size) break;
    SOTTO_TRY(read_field(csv, text, size, &at, err));
    if (at == size) break;
    at++;
  }
done:
  return status;
}

bool sotto_i_field_is(const sotto_i_field *field, const char *word) {
  return field->size == strlen(word) && strncasecmp((const char *)field->text, word, field->size) == 0;
}
