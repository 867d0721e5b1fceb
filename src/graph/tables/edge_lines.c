/* Fast path for lines of an edge list that are two numbers.
 *
 * Most lines are: small numbers without sign or leading zeros, one separator, then the end of the line or
 * further columns without quotes. Those are parsed eight bytes at a time. The first other line is left to
 * the general reader, and so are all errors. */
#include <string.h>

#include "base/error.h"
#include "tables.h"

/* batch: lines per batch. reach: maximum bytes of two numbers, their separator and an end. */
enum { batch = 64, reach = 32, digits_at_once = 8 };

typedef struct line {
  const uint8_t *begin;
  uint32_t values[2];
} line;

/* Parses a number of one to eight digits without leading zeros at text[9]; returns its length, 0 if there
 * is none. */
static inline size_t parse_number(const uint8_t *text, uint32_t *value) {
  const uint64_t every = UINT64_C(0x0101010101010101);
  uint64_t word;
  memcpy(&word, text, sizeof word);
  word ^= every * '0'; /* digits become 0 to 9 */
  const uint64_t others = ((word + every * 0x76) | word) & (every * 0x80);
  const size_t count = others == 0 ? digits_at_once : (size_t)__builtin_ctzll(others) / 8;
  if (count == 0 || (count > 1 && text[0] == '0') ||
      (count == digits_at_once && text[count] >= '0' && text[count] <= '9'))
    return 0;
  word <<= 8 * (digits_at_once - count); /* leading zeros */
  word = (word * 10 + (word >> 8)) & UINT64_C(0x00FF00FF00FF00FF);
  word = (word * 100 + (word >> 16)) & UINT64_C(0x0000FFFF0000FFFF);
  *value = (uint32_t)(word * 10000 + (word >> 32));
  return count;
}

static inline bool is_separator(char separator, uint8_t byte) {
  return separator == ' ' ? byte == ' ' || byte == '\t' : byte == (uint8_t)separator;
}

/* Skips the columns behind the second, to the end of the line; NULL when their number is wrong or they
 * have quotes. */
static const uint8_t *skip_columns(const uint8_t *at, const uint8_t *end, char separator, size_t columns) {
  size_t found = 0;
  for (; at < end && *at != '\n'; at++) {
    if (*at == '"') return NULL;
    found += *at == (uint8_t)separator;
  }
  return at < end && found == columns ? at : NULL;
}

/* Parses one line. Returns the start of the next line, or NULL when this one is not two numbers. */
static inline const uint8_t *parse_line(line *out, const sotto_i_csv *csv, const uint8_t *at, size_t width) {
  out->begin = at;
  for (size_t k = 0; k < 2; k++) {
    const size_t count = parse_number(at, &out->values[k]);
    if (count == 0) return NULL;
    at += count;
    if (k == 0 && !is_separator(csv->separator, *at++)) return NULL;
  }
  if (width > 2) {
    at = csv->separator == ' ' || *at != (uint8_t)csv->separator
             ? NULL
             : skip_columns(at, sotto_i_csv_good_end(csv), csv->separator, width - 2);
    return at == NULL ? NULL : at + 1;
  }
  if (*at == '\r') at++;
  return *at == '\n' ? at + 1 : NULL;
}

/* Parses up to a batch of lines, and prefetches the memory for looking up their numbers. */
static size_t parse_lines(line lines[batch], const sotto_i_csv *csv, size_t width, const sotto_i_ids *ids,
                          size_t most) {
  const uint8_t *at = csv->lines.at;
  size_t count = 0;
  while (count < most && csv->lines.end - at >= reach) {
    line *l = &lines[count];
    const uint8_t *next = parse_line(l, csv, at, width);
    if (next == NULL || l->values[0] >= ids->plain_below || l->values[1] >= ids->plain_below) break;
    for (size_t k = 0; k < 2; k++)
      if (l->values[k] < ids->plain_room) __builtin_prefetch(&ids->plain[l->values[k]]);
    at = next;
    count++;
  }
  lines[count].begin = at;
  return count;
}

/* The number of an end; UINT32_MAX when it is no id of the table. */
static inline sotto_status find_or_add(uint32_t *out, const sotto_i_ids *ids, sotto_i_ids *own, const line *l,
                                       size_t k, sotto_error *err) {
  *out = sotto_i_ids_plain(ids, l->values[k]);
  if (*out != UINT32_MAX || own == NULL) return SOTTO_OK;
  *out = (uint32_t)own->count;
  return sotto_i_ids_add_plain(own, l->values[k], err);
}

sotto_status sotto_i_edge_lines(sotto_i_csv *csv, size_t width, const sotto_i_ids *table, sotto_i_ids *own,
                                sotto_i_edge_list *pairs, sotto_error *err) {
  const sotto_i_ids *ids = table == NULL ? own : table;
  sotto_status status = SOTTO_OK;
  line lines[batch + 1];
  sotto_i_csv_settle(csv);
  for (uint64_t left = 1; left > 0 && csv->lines.line % SOTTO_I_REPORT_LINES != 0;) {
    left = SOTTO_I_REPORT_LINES - csv->lines.line % SOTTO_I_REPORT_LINES;
    const size_t count = parse_lines(lines, csv, width, ids, left < batch ? left : batch);
    SOTTO_TRY(sotto_i_edge_list_room(pairs, count, err));
    for (size_t i = 0; i < count; i++) {
      uint32_t ends[2] = {0, 0};
      for (size_t k = 0; k < 2; k++)
        SOTTO_TRY(find_or_add(&ends[k], ids, table == NULL ? own : NULL, &lines[i], k, err));
      if (ends[0] == UINT32_MAX || ends[1] == UINT32_MAX) return SOTTO_OK;
      pairs->from[pairs->count] = ends[0];
      pairs->to[pairs->count++] = ends[1];
      csv->lines.at = lines[i + 1].begin;
      csv->lines.line++;
    }
    if (count < batch) left = 0;
  }
done:
  return status;
}
