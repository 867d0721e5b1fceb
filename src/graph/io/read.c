/* Shared code of the readers: numeric arrays, edge lists, lines of text. */
#include "read.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "graph/csr.h"

bool sotto_i_array_type(sotto_i_array *array, const char *type, size_t length) {
  static const struct {
    const char *name;
    char kind;
    uint8_t item;
  } known[] = {{"f4", 'f', 4}, {"f8", 'f', 8}, {"i1", 'i', 1}, {"i2", 'i', 2}, {"i4", 'i', 4}, {"i8", 'i', 8},
               {"u1", 'u', 1}, {"u2", 'u', 2}, {"u4", 'u', 4}, {"u8", 'u', 8}, {"b1", 'u', 1}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    if (length != 2 || memcmp(type, known[i].name, 2) != 0) continue;
    array->kind = known[i].kind;
    array->item = known[i].item;
    return true;
  }
  return false;
}

static uint64_t load_bits(const sotto_i_array *array, uint64_t i) {
  const uint8_t *at = array->data + i * array->item;
  uint16_t two;
  uint32_t four;
  uint64_t eight;
  switch (array->item) {
  case 1:
    return *at;
  case 2:
    memcpy(&two, at, sizeof two);
    return two;
  case 4:
    memcpy(&four, at, sizeof four);
    return four;
  default:
    memcpy(&eight, at, sizeof eight);
    return eight;
  }
}

static int64_t read_signed_integer(const sotto_i_array *array, uint64_t i) {
  uint64_t bits = load_bits(array, i);
  switch (array->item) {
  case 1:
    return (int8_t)bits;
  case 2:
    return (int16_t)bits;
  case 4:
    return (int32_t)bits;
  default:
    return (int64_t)bits;
  }
}

double sotto_i_array_double(const sotto_i_array *array, uint64_t i) {
  if (array->kind == 'i') return (double)read_signed_integer(array, i);
  uint64_t bits = load_bits(array, i);
  if (array->kind == 'u') return (double)bits;
  if (array->item == 4) {
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
  }
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

bool sotto_i_array_integer(const sotto_i_array *array, uint64_t i, int64_t *out) {
  if (array->kind == 'i') {
    *out = read_signed_integer(array, i);
    return true;
  }
  if (array->kind == 'u') {
    uint64_t bits = load_bits(array, i);
    *out = (int64_t)bits;
    return bits <= INT64_MAX;
  }
  double value = sotto_i_array_double(array, i);
  if (!(fabs(value) <= 0x1p53) || value != floor(value)) return false;
  *out = (int64_t)value;
  return true;
}

uint64_t sotto_i_most_unpacked(size_t file_size) {
  const uint64_t always = 16 << 20;
  return always + (uint64_t)SOTTO_I_UNPACKED * file_size;
}

sotto_status sotto_i_features_new(float **out, uint64_t nodes, uint64_t width, const char *file, size_t bytes,
                                  sotto_error *err) {
  *out = NULL;
  if (width == 0) return SOTTO_OK;
  const sotto_status status = sotto_i_features_check_size(nodes, width, false, file, bytes, err);
  return status == SOTTO_OK ? sotto_i_new(out, nodes * width, sizeof(float), err) : status;
}

sotto_status sotto_i_check_nodes(uint64_t nodes, const char *file, size_t bytes, sotto_error *err) {
  enum { always = 8 << 20, each = 32 };
  if (nodes < UINT32_MAX && (nodes <= always || nodes / each <= bytes)) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_RANGE, "%s: %llu nodes are not plausible for a file of %zu bytes", file,
                      (unsigned long long)nodes, bytes);
}

sotto_status sotto_i_edge_list_room(sotto_i_edge_list *pairs, size_t more, sotto_error *err) {
  enum { least = 8, slack = 64 }; /* the first request may be an estimate that is slightly too low */
  const size_t need = pairs->count + more, first = need + need / slack;
  size_t room = pairs->room > 0 ? pairs->room : first < least ? least : first;
  uint32_t *block = NULL;
  if (need <= pairs->room) return SOTTO_OK;
  while (room < need && room <= SIZE_MAX / 2) room *= 2;
  const sotto_status status = sotto_i_new_raw(&block, room, 2 * sizeof *block, err);
  if (status != SOTTO_OK) return status;
  if (pairs->count > 0) {
    memcpy(block, pairs->from, pairs->count * sizeof *block);
    memcpy(block + room, pairs->to, pairs->count * sizeof *block);
  }
  sotto_i_free(pairs->from);
  *pairs = (sotto_i_edge_list){.from = block, .to = block + room, .count = pairs->count, .room = room};
  return SOTTO_OK;
}

sotto_status sotto_i_edge_list_add(sotto_i_edge_list *pairs, uint32_t from, uint32_t to, sotto_error *err) {
  const sotto_status status = sotto_i_edge_list_room(pairs, 1, err);
  if (status != SOTTO_OK) return status;
  pairs->from[pairs->count] = from;
  pairs->to[pairs->count++] = to;
  return SOTTO_OK;
}

void sotto_i_edge_list_free(sotto_i_edge_list *pairs) {
  sotto_i_free(pairs->from);
  *pairs = (sotto_i_edge_list){0};
}

/* Moves the arrays of a graph into the parts, with the numbers of pairs and of self-loops for the report. */
static sotto_status store_graph(sotto_i_parts *parts, uint64_t nodes, size_t pairs, size_t loops,
                                sotto_status status, const char *file, sotto_error *err) {
  if (status != SOTTO_OK) {
    sotto_i_error_prefix(err, "%s", file);
    return status;
  }
  sotto_reading *view = &parts->reading.view;
  parts->nodes = nodes;
  view->pairs = pairs;
  view->self_loops = loops;
  view->repeats = pairs - loops - parts->offsets[nodes] / 2;
  return SOTTO_OK;
}

static size_t count_loops(const sotto_i_edge_list *pairs) {
  size_t loops = 0;
  for (size_t i = 0; i < pairs->count; i++) loops += pairs->from[i] == pairs->to[i];
  return loops;
}

sotto_status sotto_i_parts_edges(sotto_i_parts *parts, uint64_t nodes, const sotto_i_edge_list *pairs,
                                 const char *file, sotto_error *err) {
  const sotto_status status = sotto_i_csr_from_pairs(&parts->offsets, &parts->targets, nodes, pairs->from,
                                                     pairs->to, pairs->count, err);
  return store_graph(parts, nodes, pairs->count, count_loops(pairs), status, file, err);
}

sotto_status sotto_i_parts_take_edges(sotto_i_parts *parts, uint64_t nodes, sotto_i_edge_list *pairs,
                                      const char *file, sotto_error *err) {
  const size_t count = pairs->count, loops = count_loops(pairs);
  const sotto_status status =
      sotto_i_csr_take_pairs(&parts->offsets, &parts->targets, nodes, &pairs->from, pairs->room, count, err);
  sotto_i_edge_list_free(pairs);
  return store_graph(parts, nodes, count, loops, status, file, err);
}

static int compare_integers(const void *left, const void *right) {
  int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  return (a > b) - (a < b);
}

size_t sotto_i_distinct(int64_t *values, size_t count) {
  size_t kept = 0;
  if (count > 0) qsort(values, count, sizeof *values, compare_integers);
  for (size_t i = 0; i < count; i++)
    if (i == 0 || values[i] != values[kept - 1]) values[kept++] = values[i];
  return kept;
}

int64_t sotto_i_rank(const int64_t *values, size_t count, int64_t value) {
  if (count == 0) return -1;
  const int64_t *found = bsearch(&value, values, count, sizeof *values, compare_integers);
  return found == NULL ? -1 : found - values;
}

size_t sotto_i_utf8_mark(const uint8_t *text, size_t size) {
  static const uint8_t mark[3] = {0xEF, 0xBB, 0xBF};
  return size >= sizeof mark && memcmp(text, mark, sizeof mark) == 0 ? sizeof mark : 0;
}

void sotto_i_lines_init(sotto_i_lines *lines, const sotto_i_source *source) {
  *lines = (sotto_i_lines){.file = source->file, .at = source->data};
  if (source->data == NULL) return;
  lines->end = source->data + source->size;
  lines->at += sotto_i_utf8_mark(source->data, source->size);
}

bool sotto_i_lines_next(sotto_i_lines *lines, const uint8_t **text, size_t *size) {
  if (lines->at == lines->end) return false;
  const uint8_t *stop = memchr(lines->at, '\n', (size_t)(lines->end - lines->at));
  const uint8_t *next = stop == NULL ? lines->end : stop + 1;
  if (stop == NULL) stop = lines->end;
  if (stop > lines->at && stop[-1] == '\r') stop--;
  *text = lines->at;
  *size = (size_t)(stop - lines->at);
  lines->at = next;
  lines->line++;
  return true;
}

/* Copies the text without surrounding blanks as a C string; false when empty, too long for a number, or
 * with a zero byte. */
static bool copy_trimmed(char out[64], const uint8_t *text, size_t size) {
  while (size > 0 && (text[0] == ' ' || text[0] == '\t')) text++, size--;
  while (size > 0 && (text[size - 1] == ' ' || text[size - 1] == '\t')) size--;
  if (size == 0 || size > 63 || memchr(text, '\0', size) != NULL) return false;
  memcpy(out, text, size);
  out[size] = '\0';
  return true;
}

bool sotto_i_text_double(const uint8_t *text, size_t size, double *out) {
  char word[64], *end;
  if (!copy_trimmed(word, text, size) || strspn(word, "0123456789+-.eE") != strlen(word)) return false;
  *out = strtod(word, &end);
  return *end == '\0' && fabs(*out) <= FLT_MAX;
}

bool sotto_i_text_integer(const uint8_t *text, size_t size, int64_t *out) {
  while (size > 0 && (text[0] == ' ' || text[0] == '\t')) text++, size--;
  while (size > 0 && (text[size - 1] == ' ' || text[size - 1] == '\t')) size--;
  bool negative = size > 0 && text[0] == '-';
  if (negative) text++, size--;
  if (size == 0 || size > 18) return false;
  int64_t value = 0;
  for (size_t i = 0; i < size; i++) {
    if (text[i] < '0' || text[i] > '9') return false;
    value = value * 10 + (text[i] - '0');
  }
  *out = negative ? -value : value;
  return true;
}
