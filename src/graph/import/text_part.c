/* Records of a text file, distributed over ranks and read in pieces of about a megabyte.
 *
 * Parts begin at lines. Whether such a line lies inside a field in quotes depends on all lines before it. So
 * every rank looks at its lines once, both for a begin outside of quotes and for one inside; then all ranks
 * know which of the two holds, and a record that began in a part before is read there. */
#include "text_part.h"

#include <string.h>

#include "base/memory.h"
#include "base/progress.h"
#include "graph/io/table_text.h"

enum { piece_size = 1 << 20 };

/* Position of the first line that starts at or after `at`. */
static sotto_status next_line_start(uint64_t *out, sotto_i_text_part *p, uint64_t at, sotto_error *err) {
  sotto_status status;
  *out = at;
  if (at == 0 || at >= p->file.size) return SOTTO_OK;
  SOTTO_TRY(sotto_i_grow(&p->text, &p->room, piece_size, 1, err));
  for (uint64_t from = at - 1; from < p->file.size; from += piece_size) {
    const uint64_t left = p->file.size - from;
    const size_t size = left < piece_size ? (size_t)left : piece_size;
    SOTTO_TRY(sotto_i_reader_at(&p->file, p->text, size, from, err));
    const uint8_t *end = memchr(p->text, '\n', size);
    *out = end == NULL ? from + size : from + (uint64_t)(end - p->text) + 1;
    if (end != NULL) break;
  }
done:
  return status;
}

/* Ranks read from many places of a file at once, which only a text as it is has. */
static sotto_status refuse_packed(const sotto_i_text_part *p, sotto_error *err) {
  uint8_t front[SOTTO_I_TEXT_FRONT];
  const size_t size = p->file.size < sizeof front ? (size_t)p->file.size : sizeof front;
  const sotto_status status = sotto_i_reader_at(&p->file, front, size, 0, err);
  if (status != SOTTO_OK || sotto_i_text_is_plain(front, size)) return status;
  return sotto_i_fail(
      err, SOTTO_UNSUPPORTED,
      "%s: is packed, or UTF-16, and ranks read plain UTF-8; unpack or convert it, or import it in "
      "one process, without mpirun",
      p->file.path);
}

sotto_status sotto_i_text_part_open(sotto_i_text_part *p, sotto_ranks *ranks, const char *path,
                                    sotto_error *err) {
  const uint64_t number = sotto_ranks_number(ranks), count = sotto_ranks_count(ranks);
  sotto_status status;
  *p = (sotto_i_text_part){.file = {.descriptor = -1}};
  SOTTO_TRY(sotto_i_reader_open(&p->file, path, err));
  SOTTO_TRY(refuse_packed(p, err));
  const uint64_t each = p->file.size / count;
  SOTTO_TRY(next_line_start(&p->begin, p, each * number, err));
  SOTTO_TRY(next_line_start(&p->end, p, number + 1 == count ? p->file.size : each * (number + 1), err));
done:
  return status;
}

void sotto_i_text_part_close(sotto_i_text_part *p) {
  sotto_i_reader_close(&p->file);
  sotto_i_free(p->text);
  *p = (sotto_i_text_part){.file = {.descriptor = -1}};
}

void sotto_i_text_part_rewind(sotto_i_text_part *p) {
  p->at = p->begin;
  p->line_at = p->line;
}

bool sotto_i_text_part_ended(const sotto_i_text_part *p) {
  return p->at >= p->end;
}

/* Reads whole lines from `at` on, before `end`: about `bytes` bytes, at least one line. */
static sotto_status read_lines(sotto_i_text_part *p, size_t *out, uint64_t at, uint64_t end, size_t bytes,
                               sotto_error *err) {
  sotto_status status = SOTTO_OK;
  *out = 0;
  for (;; bytes *= 2) {
    size_t size = end - at < bytes ? (size_t)(end - at) : bytes;
    const bool last = size == end - at;
    SOTTO_TRY(sotto_i_grow(&p->text, &p->room, size, 1, err));
    SOTTO_TRY(sotto_i_reader_at(&p->file, p->text, size, at, err));
    while (!last && size > 0 && p->text[size - 1] != '\n') size--;
    *out = size;
    if (last || size > 0) break;
  }
done:
  return status;
}

/* Counts the lines before own ones; every rank counts its own. */
static sotto_status count_lines(sotto_i_text_part *p, sotto_ranks *ranks, sotto_error *err) {
  uint64_t lines = 0, *all = NULL;
  size_t got = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_grow(&p->text, &p->room, piece_size, 1, err));
  for (uint64_t at = p->begin; at < p->end; at += piece_size) {
    const size_t size = p->end - at < piece_size ? (size_t)(p->end - at) : piece_size;
    SOTTO_TRY(sotto_i_check_interrupt(err));
    SOTTO_TRY(sotto_i_reader_at(&p->file, p->text, size, at, err));
    for (size_t i = 0; i < size; i++) lines += p->text[i] == '\n';
  }
  SOTTO_TRY(sotto_i_exchange_all((void **)&all, &got, ranks, &lines, sizeof lines, err));
  p->line = 0;
  for (uint32_t r = 0; r < sotto_ranks_number(ranks); r++) p->line += all[r];
done:
  sotto_i_free(all);
  return status;
}

/* The next line with a quote at or after text[*at], which moves behind it; false: there is none. */
static bool next_quoted(const uint8_t *text, size_t size, size_t *at, const uint8_t **line, size_t *length) {
  const uint8_t *quote = *at == size ? NULL : memchr(text + *at, '"', size - *at);
  if (quote == NULL) return false;
  const uint8_t *feed = memrchr(text + *at, '\n', (size_t)(quote - text) - *at);
  *line = feed == NULL ? text + *at : feed + 1;
  feed = memchr(quote, '\n', size - (size_t)(quote - text));
  *length = (size_t)((feed == NULL ? text + size : feed) - *line);
  *at = feed == NULL ? size : (size_t)(feed - text) + 1;
  return true;
}

/* What a part is, before records are known. */
typedef struct lie {
  uint64_t lines;
  uint64_t begin, end;
  uint64_t
      first; /* where the first record begins, if a quote is open at the begin; `end`: it is not closed */
  uint64_t open[2]; /* is a quote open at the end, if none is open at the begin, and if one is */
} lie;

static sotto_status find_lie(lie *out, sotto_i_text_part *p, sotto_error *err) {
  *out = (lie){0, p->begin, p->end, p->end, {false, true}};
  size_t size = 0;
  sotto_status status = SOTTO_OK;
  for (uint64_t start = p->begin; start < p->end; start += size) {
    const uint8_t *line = NULL;
    size_t length = 0;
    SOTTO_TRY(sotto_i_check_interrupt(err));
    SOTTO_TRY(read_lines(p, &size, start, p->end, piece_size, err));
    size_t at = start == 0 ? sotto_i_utf8_mark(p->text, size) : 0;
    for (size_t i = 0; i < size; i++) out->lines += p->text[i] == '\n';
    while (next_quoted(p->text, size, &at, &line, &length))
      for (size_t k = 0; k < 2; k++) {
        out->open[k] = sotto_i_csv_opens(&p->rules, line, length, out->open[k] != 0);
        if (k == 1 && !out->open[1] && out->first == p->end) out->first = start + at;
      }
  }
done:
  return status;
}

sotto_status sotto_i_text_part_settle(sotto_i_text_part *p, sotto_ranks *ranks, char separator, bool comments,
                                      sotto_error *err) {
  const uint32_t count = sotto_ranks_count(ranks), number = sotto_ranks_number(ranks);
  lie own, *all = NULL;
  size_t got = 0;
  sotto_status status;
  p->rules = (sotto_i_csv){.separator = separator, .trim = true, .comments = comments};
  SOTTO_TRY(find_lie(&own, p, err));
  SOTTO_TRY(sotto_i_exchange_all((void **)&all, &got, ranks, &own, sizeof own, err));
  bool open = false, moved = false;
  for (uint32_t r = 0; r < count; r++) {
    const bool ends = all[r].open[open] != 0;
    moved = moved || open;
    if (r < number) p->line += all[r].lines;
    all[r].begin = !open ? all[r].begin : all[r].first == all[r].end ? UINT64_MAX : all[r].first;
    open = ends;
  }
  for (uint32_t r = count; r-- > 0;) { /* a part without a begin belongs to the one before */
    all[r].end = r + 1 == count ? p->file.size : all[r + 1].begin;
    if (all[r].begin > all[r].end) all[r].begin = all[r].end;
  }
  p->begin = all[number].begin;
  p->end = all[number].end;
  if (moved) SOTTO_TRY(count_lines(p, ranks, err));
  sotto_i_text_part_rewind(p);
done:
  sotto_i_free(all);
  return status;
}

/* The size of the whole records at the front of the piece in memory. */
static size_t whole_records(const sotto_i_text_part *p, size_t size) {
  const uint8_t *line = NULL;
  size_t length = 0, at = p->at == 0 ? sotto_i_utf8_mark(p->text, size) : 0, begun = size;
  bool open = false;
  while (next_quoted(p->text, size, &at, &line, &length)) {
    const bool was = open;
    open = sotto_i_csv_opens(&p->rules, line, length, open);
    if (open && !was) begun = (size_t)(line - p->text);
  }
  return open ? begun : size;
}

/* Reads whole records from `at` on, before `end`: about `bytes` bytes, at least one record. One that does not
 * end soon is read as far as its reader goes before it fails. */
static sotto_status read_records(sotto_i_text_part *p, size_t *out, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  size_t size = 0;
  for (size_t bytes = piece_size;; bytes *= 2) {
    SOTTO_TRY(read_lines(p, &size, p->at, p->end, bytes, err));
    *out = whole_records(p, size);
    if (*out > 0 || size > 2 * SOTTO_I_LONGEST_QUOTE || size == p->end - p->at) break;
  }
  if (*out == 0) *out = size;
done:
  return status;
}

sotto_status sotto_i_text_part_head(sotto_i_text_part *p, sotto_i_source *out, size_t bytes, bool *whole,
                                    sotto_error *err) {
  size_t size = 0;
  sotto_status status = read_lines(p, &size, 0, p->file.size, bytes, err);
  *out = (sotto_i_source){p->file.path, p->text, size};
  *whole = size == p->file.size;
  return status;
}

sotto_status sotto_i_text_part_next(sotto_i_text_part *p, sotto_i_csv *csv, sotto_error *err) {
  const uint64_t comment_lines = csv->comment_lines;
  size_t size = 0;
  sotto_status status;
  sotto_i_csv_free(csv);
  SOTTO_TRY(sotto_i_check_interrupt(err));
  if (p->at < p->end) SOTTO_TRY(read_records(p, &size, err));
  const sotto_i_source source = {p->file.path, p->text, size};
  SOTTO_TRY(sotto_i_csv_open(csv, &source, p->rules.separator, err));
  if (p->at > 0) csv->lines.at = csv->text; /* bytes like a byte order mark are text here */
  csv->base = p->at;
  csv->lines.line = p->line_at;
  csv->trim = p->rules.trim;
  csv->comments = p->rules.comments;
  csv->comment_lines = comment_lines;
  p->at += size;
  for (size_t i = 0; i < size; i++) p->line_at += p->text[i] == '\n';
done:
  return status;
}
