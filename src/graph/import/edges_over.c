/* The edge list of an import over ranks: header, ids, and the lines of each rank in pieces. */
#include <string.h>

#include "base/memory.h"
#include "import.h"

enum { head_bytes = 1 << 16, small_ids = 1 << 24 };

/* Columns and header are found by every rank, from the first lines of the file. */
sotto_status sotto_i_import_edges_open(sotto_i_import_edges *e, sotto_ranks *ranks, const char *path,
                                       const sotto_import_options *options, sotto_i_parts *parts,
                                       sotto_error *err) {
  sotto_i_source head;
  bool whole = false;
  sotto_status status;
  *e = (sotto_i_import_edges){
      .form = {.options = options}, .ranks = ranks, .text = {.file = {.descriptor = -1}}};
  SOTTO_TRY(sotto_i_text_part_open(&e->text, ranks, path, err));
  for (size_t bytes = head_bytes;; bytes *= 2) {
    SOTTO_TRY(sotto_i_text_part_head(&e->text, &head, bytes, &whole, err));
    sotto_i_ids_init(&e->form.own);
    sotto_i_ids_copy(&e->form.own);
    SOTTO_TRY(sotto_i_edge_text_open(&e->form, &head, err));
    int lines = 0;
    while (lines < 2 && sotto_i_csv_next(&e->form.csv, NULL) == SOTTO_OK && e->form.csv.count > 0) lines++;
    sotto_i_csv_free(&e->form.csv);
    if (whole || lines == 2) break;
    sotto_i_ids_free(&e->form.own);
  }
  SOTTO_TRY(sotto_i_edge_text_open(&e->form, &head, err));
  e->form.plain = true;
  SOTTO_TRY(sotto_i_edge_text_begin(&e->form, parts, err));
  SOTTO_TRY(sotto_i_text_part_settle(&e->text, ranks, e->form.csv.separator, true, err));
done:
  return status;
}

void sotto_i_import_edges_free(sotto_i_import_edges *e) {
  sotto_i_text_part_close(&e->text);
  sotto_i_csv_free(&e->form.csv);
  sotto_i_ids_free(&e->form.own);
  sotto_i_edge_list_free(&e->form.pairs);
}

static sotto_status step_to_edges(const sotto_i_import_edges *e, sotto_i_csv *csv, sotto_error *err) {
  sotto_status status = sotto_i_csv_next(csv, err);
  if (status == SOTTO_OK && e->form.header && csv->count > 0 && csv->lines.line == e->form.first_line)
    status = sotto_i_csv_next(csv, err);
  return status;
}

/* Reads the edges of the next piece, numbered by the piece's own ids. */
static sotto_status read_piece(sotto_i_import_edges *e, sotto_error *err) {
  sotto_status status;
  sotto_i_ids_free(&e->form.own);
  sotto_i_ids_init(&e->form.own);
  sotto_i_ids_copy(&e->form.own);
  sotto_i_ids_expect(&e->form.own, small_ids);
  e->form.pairs.count = 0;
  e->line = e->text.line_at;
  SOTTO_TRY(sotto_i_text_part_next(&e->text, &e->form.csv, err));
  SOTTO_TRY(step_to_edges(e, &e->form.csv, err));
  SOTTO_TRY(sotto_i_edge_text_rest(&e->form, err));
done:
  return status;
}

/* Sends one note per id of the piece: where it first occurs, and how often. */
static sotto_status put_notes(sotto_i_import_edges *e, sotto_i_shared_ids *ids, sotto_error *err) {
  const sotto_i_edge_list *pairs = &e->form.pairs;
  const size_t count = e->form.own.count;
  const uint64_t rank = (uint64_t)sotto_ranks_number(e->ranks) << SOTTO_I_SEEN_RANK;
  uint8_t room[SOTTO_I_PLAIN_ROOM];
  sotto_i_id_note *notes = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&notes, count, sizeof *notes, err));
  for (size_t i = 0; i < pairs->count; i++)
    for (size_t k = 0; k < 2; k++) {
      sotto_i_id_note *note = &notes[k == 0 ? pairs->from[i] : pairs->to[i]];
      if (note->count++ == 0) note->seen = rank | (e->places + 2 * i + k);
    }
  for (size_t k = 0; k < count; k++) {
    const sotto_i_field id = sotto_i_ids_name(&e->form.own, k, room);
    SOTTO_TRY(sotto_i_shared_ids_put(ids, &id, notes[k], err));
  }
  e->places += 2 * pairs->count;
done:
  sotto_i_free(notes);
  return status;
}

/* First pass: registers ids in order of appearance, or (`listed`) counts those in the node table. */
sotto_status sotto_i_import_edges_list(sotto_i_import_edges *e, sotto_i_shared_ids *ids, bool listed,
                                       sotto_error *err) {
  sotto_status status = SOTTO_OK;
  sotto_i_text_part_rewind(&e->text);
  e->places = 0;
  e->form.listed = listed;
  for (bool more = true; more;) {
    SOTTO_TRY(read_piece(e, err));
    SOTTO_TRY(put_notes(e, ids, err));
    more = !sotto_i_text_part_ended(&e->text);
    if (listed)
      SOTTO_TRY(sotto_i_shared_ids_count(ids, &more, err));
    else
      SOTTO_TRY(sotto_i_shared_ids_name(ids, &more, err));
  }
done:
  return status;
}

/* Reports the line and the column where an id of the piece first occurs. */
static sotto_status fail_unknown(const sotto_i_import_edges *e, const sotto_i_field *id, sotto_error *err) {
  const sotto_i_csv *read = &e->form.csv;
  const sotto_i_source piece = {e->text.file.path, e->text.text, (size_t)(read->lines.end - read->text)};
  const size_t ends[2] = {e->form.from, e->form.to};
  sotto_i_csv csv = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_csv_open(&csv, &piece, e->text.rules.separator, err));
  if (e->line > 0) csv.lines.at = csv.text;
  csv.lines.line = e->line;
  csv.trim = csv.comments = true;
  SOTTO_TRY(step_to_edges(e, &csv, err));
  while (csv.count > 0) {
    for (size_t k = 0; k < 2; k++) {
      const sotto_i_field *there = &csv.fields[ends[k]];
      if (there->size != id->size || memcmp(there->text, id->text, id->size) != 0) continue;
      status = sotto_i_edge_text_unknown(&csv, ends[k], err);
      goto done;
    }
    SOTTO_TRY(sotto_i_csv_next(&csv, err));
  }
  status = sotto_i_fail(err, SOTTO_CORRUPT, "%s: the file changed while it was read; read it again",
                        e->text.file.path);
done:
  sotto_i_csv_free(&csv);
  return status;
}

static sotto_status send_piece(sotto_i_import_edges *e, sotto_i_shared_ids *ids, sotto_i_rows *rows,
                               bool *more, sotto_error *err) {
  const size_t count = e->form.own.count;
  uint8_t room[SOTTO_I_PLAIN_ROOM];
  uint32_t *numbers = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&numbers, count, sizeof *numbers, err));
  for (size_t k = 0; k < count; k++) {
    const sotto_i_field id = sotto_i_ids_name(&e->form.own, k, room);
    SOTTO_TRY(sotto_i_shared_ids_put(ids, &id, (sotto_i_id_note){0}, err));
  }
  SOTTO_TRY(sotto_i_shared_ids_ask(ids, more, err));
  for (size_t k = 0; k < count; k++) {
    const sotto_i_field id = sotto_i_ids_name(&e->form.own, k, room);
    const void *answer =
        sotto_i_exchange_take(&ids->answers, sotto_i_shared_ids_owner(ids, &id), sizeof *numbers);
    SOTTO_I_CHECK(answer != NULL);
    memcpy(&numbers[k], answer, sizeof *numbers);
    if (numbers[k] == UINT32_MAX) SOTTO_TRY(fail_unknown(e, &id, err));
  }
  for (size_t i = 0; i < e->form.pairs.count; i++)
    SOTTO_TRY(sotto_i_rows_add(rows, numbers[e->form.pairs.from[i]], numbers[e->form.pairs.to[i]], err));
done:
  sotto_i_free(numbers);
  return status;
}

/* Second pass: sends edges to the rows of their ends. Errors also: RANGE (an id that is not listed). */
sotto_status sotto_i_import_edges_send(sotto_i_import_edges *e, sotto_i_shared_ids *ids, sotto_i_rows *rows,
                                       sotto_error *err) {
  sotto_status status = SOTTO_OK;
  sotto_i_text_part_rewind(&e->text);
  e->form.csv.comment_lines = e->form.changed = 0;
  for (bool more = true, none = false; more;) {
    SOTTO_TRY(read_piece(e, err));
    more = !sotto_i_text_part_ended(&e->text);
    SOTTO_TRY(send_piece(e, ids, rows, &more, err));
    SOTTO_TRY(sotto_i_rows_pass(rows, &none, err));
  }
  SOTTO_TRY(sotto_i_ranks_sum(e->ranks, &e->form.csv.comment_lines, 1, err));
  SOTTO_TRY(sotto_i_ranks_sum(e->ranks, &e->form.changed, 1, err));
done:
  return status;
}
