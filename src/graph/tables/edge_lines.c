/* Lines of an edge list that are two numbers and an end, many at a time.
 *
 * Most lines of most lists are: small numbers without signs or zeros before them, one separator, the end of
 * the line, or further columns without quotes. Those are read eight bytes at a time; the first line that is
 * anything else is left to the reader of lines, and so is every error. */
#include <string.h>

#include "base/error.h"
#include "tables.h"

/* Lines of a batch, and the bytes that two numbers, what stands between them and an end take at most. */
enum { batch = 64, reach = 32, digits_at_once = 8 };

typedef struct line {
  const uint8_t *begin;
  uint32_t values[2];
} line;

/* One to eight digits and no zero before others, at the front of text[9]; gives how many, 0: none such. */
static inline size_t take_number(const uint8_t *text, uint32_t *value) {
  const uint64_t every = UINT64_C(0x0101010101010101);
  uint64_t word;
  memcpy(&word, text, sizeof word);
  word ^= every * '0'; /* digits become 0 to 9 */
  const uint64_t others = ((word + every * 0x76) | word) & (every * 0x80);
  const size_t count = others == 0 ? digits_at_once : (size_t)__builtin_ctzll(others) / 8;
  if (count == 0 || (count > 1 && text[0] == '0') ||
      (count == digits_at_once && text[count] >= '0' && text[count] <= '9'))
    return 0;
  word <<= 8 * (digits_at_once - count); /* zeros before */
  word = (word * 10 + (word >> 8)) & UINT64_C(0x00FF00FF00FF00FF);
  word = (word * 100 + (word >> 16)) & UINT64_C(0x0000FFFF0000FFFF);
  *value = (uint32_t)(word * 10000 + (word >> 32));
  return count;
}

static inline bool separates(char separator, uint8_t byte) {
  return separator == ' ' ? byte == ' ' || byte == '\t' : byte == (uint8_t)separator;
}

/* Steps over the columns behind the second, to the end of the line; NULL when they are not as many, or have
 * quotes. */
static const uint8_t *step_over(const uint8_t *at, const uint8_t *end, char separator, size_t columns) {
  size_t found = 0;
  for (; at < end && *at != '\n'; at++) {
    if (*at == '"') return NULL;
    found += *at == (uint8_t)separator;
  }
  return at < end && found == columns ? at : NULL;
}

/* Where the next line begins, or NULL when this one is not of two numbers. */
static inline const uint8_t *take_line(line *out, const sotto_i_csv *csv, const uint8_t *at, size_t width) {
  out->begin = at;
  for (size_t k = 0; k < 2; k++) {
    const size_t count = take_number(at, &out->values[k]);
    if (count == 0) return NULL;
    at += count;
    if (k == 0 && !separates(csv->separator, *at++)) return NULL;
  }
  if (width > 2) {
    at = csv->separator == ' ' || *at != (uint8_t)csv->separator
             ? NULL
             : step_over(at, csv->lines.end, csv->separator, width - 2);
    return at == NULL ? NULL : at + 1;
  }
  if (*at == '\r') at++;
  return *at == '\n' ? at + 1 : NULL;
}

/* As many lines as can be, up to a batch; asks for the memory that finding their numbers will read. */
static size_t take_lines(line lines[batch], const sotto_i_csv *csv, size_t width, const sotto_i_ids *ids,
                         size_t most) {
  const uint8_t *at = csv->lines.at;
  size_t count = 0;
  while (count < most && csv->lines.end - at >= reach) {
    line *l = &lines[count];
    const uint8_t *next = take_line(l, csv, at, width);
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
static inline sotto_status number_of(uint32_t *out, const sotto_i_ids *ids, sotto_i_ids *own, const line *l,
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
  for (uint64_t left = 1; left > 0 && csv->lines.line % SOTTO_I_TOLD_LINES != 0;) {
    left = SOTTO_I_TOLD_LINES - csv->lines.line % SOTTO_I_TOLD_LINES;
    const size_t count = take_lines(lines, csv, width, ids, left < batch ? left : batch);
    SOTTO_TRY(sotto_i_edge_list_room(pairs, count, err));
    for (size_t i = 0; i < count; i++) {
      uint32_t ends[2] = {0, 0};
      for (size_t k = 0; k < 2; k++)
        SOTTO_TRY(number_of(&ends[k], ids, table == NULL ? own : NULL, &lines[i], k, err));
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
