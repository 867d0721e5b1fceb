/* The node table of an import over ranks: header, ids, and the lines of each rank in pieces. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "import.h"

enum { head_bytes = 1 << 16 };

sotto_status sotto_i_import_nodes_open(sotto_i_import_nodes *n, sotto_ranks *ranks, const char *path,
                                       const sotto_import_options *options, sotto_error *err) {
  sotto_i_source head;
  bool whole = false;
  sotto_status status;
  *n = (sotto_i_import_nodes){.ranks = ranks, .text = {.file = {.descriptor = -1}}};
  SOTTO_TRY(sotto_i_text_part_open(&n->text, ranks, path, err));
  for (size_t bytes = head_bytes;; bytes *= 2) {
    sotto_i_csv csv = {0};
    SOTTO_TRY(sotto_i_text_part_head(&n->text, &head, bytes, &whole, err));
    SOTTO_TRY(sotto_i_csv_open(&csv, &head, ',', err));
    const bool found = sotto_i_csv_next(&csv, NULL) != SOTTO_OK || csv.count > 0;
    sotto_i_csv_free(&csv);
    if (found || whole) break;
  }
  SOTTO_TRY(sotto_i_node_table_begin(&n->table, &head, options, err));
  n->file = (sotto_i_source){.file = n->text.file.path, .size = n->text.file.size};
  n->table.columns.file = &n->file;
  n->header_line = n->table.first.lines.line;
  SOTTO_TRY(sotto_i_text_part_settle(&n->text, ranks, n->table.first.separator, false, err));
done:
  return status;
}

void sotto_i_import_nodes_free(sotto_i_import_nodes *n) {
  for (size_t i = 0; i < n->text_count; i++) sotto_i_free(n->texts[i]);
  sotto_i_free(n->texts);
  sotto_i_node_table_free(&n->table);
  sotto_i_text_part_close(&n->text);
  sotto_i_parts_free(&n->parts);
}

sotto_status sotto_i_import_nodes_next(sotto_i_import_nodes *n, sotto_i_csv *csv, sotto_error *err) {
  sotto_status status = sotto_i_csv_next(csv, err);
  if (status == SOTTO_OK && csv->count > 0 && csv->lines.line == n->header_line)
    status = sotto_i_csv_next(csv, err);
  return status;
}

/* Reads the lines of a piece; lines[] gets their line numbers. */
static sotto_status read_piece(sotto_i_import_nodes *n, uint64_t **lines, size_t *room, sotto_error *err) {
  sotto_i_node_table *t = &n->table;
  sotto_status status;
  sotto_i_ids_free(&t->ids);
  sotto_i_ids_init(&t->ids);
  SOTTO_TRY(sotto_i_text_part_next(&n->text, &t->first, err));
  for (;;) {
    SOTTO_TRY(sotto_i_import_nodes_next(n, &t->first, err));
    if (t->first.count == 0) break;
    SOTTO_TRY(sotto_i_grow(lines, room, t->ids.count + 1, sizeof **lines, err));
    (*lines)[t->ids.count] = t->first.lines.line;
    SOTTO_TRY(sotto_i_node_table_row(t, err));
  }
done:
  return status;
}

static sotto_status send_piece(sotto_i_import_nodes *n, sotto_i_shared_ids *ids, sotto_i_names_maker *names,
                               const uint64_t *lines, sotto_error *err) {
  const uint64_t rank = (uint64_t)sotto_ranks_number(n->ranks) << SOTTO_I_SEEN_RANK;
  sotto_status status = SOTTO_OK;
  for (size_t k = 0; k < n->table.ids.count; k++) {
    const sotto_i_field *id = &n->table.ids.names[k];
    const sotto_i_id_note note = {.seen = rank | lines[k], .number = (uint32_t)(n->own + k)};
    status = sotto_i_names_add(names, id->text, id->size, err);
    if (status == SOTTO_PARSE)
      sotto_i_error_prefix(err, "%s: line %llu: the id", n->file.file, (unsigned long long)lines[k]);
    if (status == SOTTO_OK) status = sotto_i_shared_ids_put(ids, id, note, err);
    if (status != SOTTO_OK) return status;
  }
  n->own += n->table.ids.count;
  return status;
}

static sotto_status fail_repeated(const sotto_i_import_nodes *n, const sotto_i_id_note *twice,
                                  const sotto_i_field *text, sotto_error *err) {
  char digits[12];
  sotto_i_csv csv = {.lines = {.file = n->file.file}, .count = n->table.id_column + 1};
  sotto_status status = sotto_i_new(&csv.fields, csv.count, sizeof *csv.fields, err);
  if (status != SOTTO_OK) return status;
  csv.lines.line = twice->seen & (((uint64_t)1 << SOTTO_I_SEEN_RANK) - 1);
  csv.fields[n->table.id_column] = *text;
  if (twice->size == 0) {
    const int size = snprintf(digits, sizeof digits, "%u", (unsigned)twice->value);
    csv.fields[n->table.id_column] = (sotto_i_field){(const uint8_t *)digits, (size_t)size};
  }
  status = sotto_i_node_table_twice(&csv, n->table.id_column, err);
  sotto_i_free(csv.fields);
  return status;
}

/* Converts numbers among the lines of a rank to numbers of nodes. */
static sotto_status make_global(sotto_i_import_nodes *n, sotto_i_shared_ids *ids, sotto_error *err) {
  uint64_t *all = NULL;
  size_t size = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_exchange_all((void **)&all, &size, n->ranks, &n->own, sizeof n->own, err));
  for (uint32_t r = 0; r < sotto_ranks_count(n->ranks); r++) {
    const uint64_t here = all[r];
    if (r == sotto_ranks_number(n->ranks)) n->before = n->nodes;
    all[r] = n->nodes;
    n->nodes += here;
  }
  if (n->nodes >= UINT32_MAX) {
    status = sotto_i_fail(err, SOTTO_RANGE, "a graph holds fewer than 2^32 - 1 ids");
    goto done;
  }
  for (size_t i = 0; i < ids->count; i++)
    ids->items[i].number += (uint32_t)all[ids->items[i].seen >> SOTTO_I_SEEN_RANK];
done:
  sotto_i_free(all);
  return status;
}

sotto_status sotto_i_import_nodes_list(sotto_i_import_nodes *n, sotto_i_shared_ids *ids,
                                       sotto_i_names_maker *names, sotto_error *err) {
  uint64_t *lines = NULL;
  size_t room = 0, *known = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_import_decide_columns(n, err));
  SOTTO_TRY(sotto_i_new(&known, n->table.columns.count, sizeof *known, err));
  sotto_i_text_part_rewind(&n->text);
  for (bool more = true; more;) {
    sotto_i_id_note twice = {0};
    sotto_i_field text = {0};
    for (size_t j = 0; j < n->table.columns.count; j++) known[j] = n->table.columns.items[j].words.count;
    SOTTO_TRY(read_piece(n, &lines, &room, err));
    SOTTO_TRY(sotto_i_import_keep_words(n, known, err));
    SOTTO_TRY(send_piece(n, ids, names, lines, err));
    more = !sotto_i_text_part_ended(&n->text);
    SOTTO_TRY(sotto_i_shared_ids_list(ids, &more, &twice, &text, err));
    if (text.text != NULL) SOTTO_TRY(fail_repeated(n, &twice, &text, err));
  }
  SOTTO_TRY(make_global(n, ids, err));
  SOTTO_TRY(sotto_i_ranks_sum(n->ranks, &n->table.changed, 1, err));
  SOTTO_TRY(sotto_i_import_merge_words(n, err));
done:
  sotto_i_free(lines);
  sotto_i_free(known);
  return status;
}
