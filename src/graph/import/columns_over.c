/* Columns of a node table whose lines are distributed over ranks: their kinds, their words, and missing
 * values. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "import.h"

/* The first own cell with a value decides the kind of a column, unless its name did. kinds: 0 undecided,
 * else 1 + kind. */
static sotto_status find_kinds(sotto_i_import_nodes *n, uint8_t *kinds, sotto_error *err) {
  const sotto_i_columns *columns = &n->table.columns;
  size_t left = 0;
  sotto_status status = SOTTO_OK;
  for (size_t j = 0; j < columns->count; j++) left += !columns->items[j].decided;
  sotto_i_text_part_rewind(&n->text);
  while (left > 0 && !sotto_i_text_part_ended(&n->text)) {
    sotto_i_csv *csv = &n->table.first;
    SOTTO_TRY(sotto_i_text_part_next(&n->text, csv, err));
    SOTTO_TRY(sotto_i_import_nodes_next(n, csv, err));
    for (; left > 0 && csv->count > 0;) {
      for (size_t j = 0; j < columns->count && j < csv->count; j++) {
        const sotto_i_field *cell = &csv->fields[j];
        if (columns->items[j].decided || kinds[j] != 0 || sotto_i_columns_missing(columns, j, cell)) continue;
        kinds[j] = (uint8_t)(1 + sotto_i_columns_kind(columns, cell));
        left--;
      }
      SOTTO_TRY(sotto_i_import_nodes_next(n, csv, err));
    }
  }
done:
  return status;
}

/* If an earlier rank decided a column, that holds; later ranks find it in their own cells. */
sotto_status sotto_i_import_decide_columns(sotto_i_import_nodes *n, sotto_error *err) {
  sotto_i_columns *columns = &n->table.columns;
  uint8_t *kinds = NULL, *all = NULL;
  size_t size = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&kinds, columns->count, 1, err));
  SOTTO_TRY(find_kinds(n, kinds, err));
  SOTTO_TRY(sotto_i_exchange_all((void **)&all, &size, n->ranks, kinds, columns->count, err));
  for (size_t j = 0; j < columns->count; j++)
    for (uint32_t r = 0; r < sotto_ranks_number(n->ranks) && !columns->items[j].decided; r++) {
      const uint8_t kind = all[r * columns->count + j];
      if (kind == 0) continue;
      columns->items[j].decided = true;
      columns->items[j].kind = (sotto_column_kind)(kind - 1);
    }
done:
  sotto_i_free(kinds);
  sotto_i_free(all);
  return status;
}

static sotto_status copy_word(sotto_i_import_nodes *n, sotto_i_field *word, sotto_error *err) {
  char *text = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&text, word->size + 1, 1, err));
  if (word->size > 0) memcpy(text, word->text, word->size);
  SOTTO_TRY(sotto_i_grow(&n->texts, &n->text_room, n->text_count + 1, sizeof *n->texts, err));
  n->texts[n->text_count++] = text;
  word->text = (const uint8_t *)text;
  text = NULL;
done:
  sotto_i_free(text);
  return status;
}

sotto_status sotto_i_import_keep_words(sotto_i_import_nodes *n, const size_t *known, sotto_error *err) {
  for (size_t j = 0; j < n->table.columns.count; j++) {
    sotto_i_ids *words = &n->table.columns.items[j].words;
    for (size_t k = known[j]; k < words->count; k++) {
      const sotto_status status = copy_word(n, &words->names[k], err);
      if (status != SOTTO_OK) return status;
    }
  }
  return SOTTO_OK;
}

/* Of one column of a rank: what it is, how many cells have values, and then its words, each after its size.
 */
typedef struct column_message {
  uint64_t present, minus_ones;
  sotto_i_whole whole;
  uint32_t words;
  uint32_t kind; /* 0: not decided; else 1 + kind */
  char missing[sizeof((sotto_i_column *)0)->missing];
} column_message;

static sotto_status put_columns(sotto_i_exchange *x, uint32_t to, const sotto_i_columns *columns,
                                sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (size_t j = 0; j < columns->count; j++) {
    const sotto_i_column *c = &columns->items[j];
    column_message s = {.present = c->present,
                        .minus_ones = c->minus_ones,
                        .whole = c->whole,
                        .words = (uint32_t)c->words.count,
                        .kind = c->decided ? 1 + (uint32_t)c->kind : 0};
    memcpy(s.missing, c->missing, sizeof s.missing);
    SOTTO_TRY(sotto_i_exchange_put(x, to, &s, sizeof s, err));
    for (size_t k = 0; k < c->words.count; k++) {
      const uint32_t size = (uint32_t)c->words.names[k].size;
      SOTTO_TRY(sotto_i_exchange_put(x, to, &size, sizeof size, err));
      SOTTO_TRY(sotto_i_exchange_put(x, to, c->words.names[k].text, size, err));
    }
  }
done:
  return status;
}

static void note_missing(sotto_i_column *column, const char *words) {
  while (*words != '\0') {
    const sotto_i_field word = {(const uint8_t *)words, strcspn(words, ",")};
    sotto_i_columns_note_missing(column, &word);
    words += word.size + (words[word.size] == ',');
  }
}

/* The columns of another rank, into own ones. */
static sotto_status merge_columns(sotto_i_import_nodes *n, sotto_i_exchange *x, uint32_t from,
                                  sotto_error *err) {
  sotto_i_columns *columns = &n->table.columns;
  sotto_status status = SOTTO_OK;
  for (size_t j = 0; j < columns->count; j++) {
    sotto_i_column *c = &columns->items[j];
    column_message s;
    const void *head = sotto_i_exchange_take(x, from, sizeof s);
    SOTTO_I_CHECK(head != NULL);
    memcpy(&s, head, sizeof s);
    c->present += s.present;
    c->minus_ones += s.minus_ones;
    sotto_i_whole_merge(&c->whole, &s.whole);
    note_missing(c, s.missing);
    if (!c->decided && s.kind != 0) c->kind = (sotto_column_kind)(s.kind - 1);
    c->decided = c->decided || s.kind != 0;
    for (uint32_t k = 0; k < s.words; k++) {
      uint32_t size;
      memcpy(&size, sotto_i_exchange_take(x, from, sizeof size), sizeof size);
      sotto_i_field word = {sotto_i_exchange_take(x, from, size), size};
      if (sotto_i_ids_find(&c->words, &word) != UINT32_MAX) continue;
      SOTTO_TRY(copy_word(n, &word, err));
      SOTTO_TRY(sotto_i_columns_word(columns, j, &word, (sotto_i_place){0}, err));
    }
  }
done:
  return status;
}

sotto_status sotto_i_import_merge_words(sotto_i_import_nodes *n, sotto_error *err) {
  sotto_i_exchange x = {0};
  bool more = false;
  sotto_status status;
  SOTTO_TRY(sotto_i_exchange_new(&x, n->ranks, err));
  for (uint32_t r = 0; r < x.count; r++)
    if (r != x.number) SOTTO_TRY(put_columns(&x, r, &n->table.columns, err));
  SOTTO_TRY(sotto_i_exchange_pass(&x, &more, err));
  for (uint32_t r = 0; r < x.count; r++)
    if (r != x.number) SOTTO_TRY(merge_columns(n, &x, r, err));
done:
  sotto_i_exchange_free(&x);
  return status;
}

/* A running sum passed from rank to rank, so that it is added in the order of nodes, as in one process. */
static sotto_status mean_of(double *out, sotto_i_import_nodes *n, size_t j, sotto_error *err) {
  const uint32_t number = sotto_ranks_number(n->ranks), count = sotto_ranks_count(n->ranks);
  sotto_i_feature_sum r = {{0}, {0}}, *all = NULL;
  size_t size = 0;
  sotto_status status = SOTTO_OK;
  const sotto_i_parcel from = {.peer = number - 1, .take = true, .data = &r, .bytes = sizeof r};
  const sotto_i_parcel to = {.peer = number + 1, .data = &r, .bytes = sizeof r};
  if (number > 0) SOTTO_TRY(sotto_i_ranks_pass(n->ranks, &from, 1, err));
  sotto_i_features_sum(&r, &n->parts, j);
  if (number + 1 < count) SOTTO_TRY(sotto_i_ranks_pass(n->ranks, &to, 1, err));
  SOTTO_TRY(sotto_i_exchange_all((void **)&all, &size, n->ranks, &r, sizeof r, err));
  *out = sotto_i_features_mean(&all[count - 1]);
done:
  sotto_i_free(all);
  return status;
}

static sotto_status fill_column(sotto_i_import_nodes *n, const sotto_i_column *c, sotto_i_parts *parts,
                                sotto_error *err) {
  if (c->count > 0 && c->present < n->nodes) parts->reading.view.filled = c->fill;
  for (size_t k = 0; k < c->count && n->parts.fill != NULL; k++) {
    double *fill = &n->parts.fill[c->first + k];
    *fill = sotto_i_columns_filling(c, k);
    const sotto_status status = isinf(*fill) ? mean_of(fill, n, c->first + k, err) : SOTTO_OK;
    if (status != SOTTO_OK) return status;
    if (!isnan(*fill)) sotto_i_features_replace(&n->parts, c->first + k, (float)*fill);
  }
  return SOTTO_OK;
}

static sotto_status fill_lines(sotto_i_import_nodes *n, sotto_error *err) {
  sotto_i_csv *csv = &n->table.first;
  uint64_t node = 0;
  sotto_status status = SOTTO_OK;
  for (sotto_i_text_part_rewind(&n->text); !sotto_i_text_part_ended(&n->text);) {
    SOTTO_TRY(sotto_i_text_part_next(&n->text, csv, err));
    SOTTO_TRY(sotto_i_import_nodes_next(n, csv, err));
    for (; csv->count > 0; node++) {
      if (node == n->own || csv->count != n->table.columns.count) {
        status = sotto_i_fail(err, SOTTO_CORRUPT,
                              "%s: line %llu: the file changed while it was read; read it again",
                              n->file.file, (unsigned long long)csv->lines.line);
        goto done;
      }
      for (size_t j = 0; j < csv->count; j++)
        SOTTO_TRY(sotto_i_columns_put(&n->table.columns, &n->parts, node, j, &csv->fields[j],
                                      (sotto_i_place){csv->lines.line, j + 1}, err));
      SOTTO_TRY(sotto_i_import_nodes_next(n, csv, err));
    }
  }
done:
  return status;
}

sotto_status sotto_i_import_nodes_fill(sotto_i_import_nodes *n, sotto_i_parts *parts, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (size_t j = 0; j < n->table.columns.count; j++)
    SOTTO_TRY(sotto_i_columns_check_words(&n->table.columns, j, n->nodes, err));
  /* a rank without nodes needs the same columns as the others */
  SOTTO_TRY(
      sotto_i_columns_begin(&n->table.columns, &n->parts, n->own == 0 && n->nodes > 0 ? 1 : n->own, err));
  SOTTO_TRY(sotto_i_features_check_size(n->nodes, n->parts.width, false, n->file.file, n->file.size, err));
  n->parts.nodes = n->own;
  SOTTO_TRY(fill_lines(n, err));
  SOTTO_TRY(sotto_i_columns_new_fill(&n->table.columns, &n->parts, err));
  for (size_t j = 0; j < n->table.columns.count; j++) {
    const sotto_i_column *c = &n->table.columns.items[j];
    SOTTO_TRY(fill_column(n, c, parts, err));
    SOTTO_TRY(sotto_i_columns_report(c, n->nodes - c->present, parts, err));
  }
  parts->fill = n->parts.fill;
  n->parts.fill = NULL;
done:
  return status;
}
