/* Collects nodes, edges and attributes one by one, and makes a dataset of them. */
#include "elements.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

void sotto_i_elements_init(sotto_i_elements *e, const sotto_i_source *file,
                           const sotto_import_options *options) {
  *e = (sotto_i_elements){.columns = {.file = file, .options = options}};
  sotto_i_ids_init(&e->column_names);
  sotto_i_ids_init(&e->ids);
  sotto_i_ids_init(&e->edge_columns);
}

/* Copies a text in the form in which words are compared. */
static sotto_status settle(sotto_i_elements *e, sotto_i_field *out, const sotto_i_field *text, bool *changed,
                           sotto_error *err) {
  *out = *text;
  *changed = false;
  if (!sotto_i_word_is_plain(text)) {
    const sotto_status status = sotto_i_word_settle(out, &e->texts, changed, err);
    if (status != SOTTO_OK) return status;
  }
  return sotto_i_texts_copy(&e->texts, out, out->text, out->size, err);
}

sotto_status sotto_i_elements_text(sotto_i_elements *e, sotto_i_field *out, const void *text, size_t size,
                                   sotto_error *err) {
  bool changed;
  return settle(e, out, &(sotto_i_field){text, size}, &changed, err);
}

sotto_status sotto_i_elements_fail(const sotto_i_elements *e, uint64_t line, const sotto_i_field *text,
                                   sotto_status status, const char *what, sotto_error *err) {
  char where[40] = "";
  if (line > 0) (void)snprintf(where, sizeof where, "line %llu: ", (unsigned long long)line);
  return sotto_i_fail(err, status, "%s: %s'%.*s' %s", e->columns.file->file, where,
                      (int)(text->size < 60 ? text->size : 60), (const char *)text->text, what);
}

sotto_status sotto_i_elements_node(sotto_i_elements *e, const sotto_i_field *id, uint64_t line,
                                   sotto_error *err) {
  sotto_i_field kept;
  bool changed;
  const sotto_status status = settle(e, &kept, id, &changed, err);
  if (status != SOTTO_OK) return status;
  e->changed += changed;
  if (kept.size == 0)
    return sotto_i_elements_fail(e, line, &kept, SOTTO_PARSE, "is an empty id; every node needs one", err);
  if (sotto_i_ids_find(&e->ids, &kept) != UINT32_MAX)
    return sotto_i_elements_fail(e, line, &kept, SOTTO_PARSE, "is the id of a node before; ids are different",
                                 err);
  return sotto_i_ids_add(&e->ids, &kept, err);
}

/* The number of a name in a list; new names are added. */
static sotto_status find_or_add(sotto_i_elements *e, uint32_t *out, sotto_i_ids *list,
                                const sotto_i_field *name, sotto_error *err) {
  sotto_i_field kept;
  sotto_status status;
  *out = sotto_i_ids_find(list, name);
  if (*out != UINT32_MAX) return SOTTO_OK;
  SOTTO_TRY(sotto_i_elements_text(e, &kept, name->text, name->size, err));
  *out = sotto_i_ids_find(list, &kept);
  if (*out != UINT32_MAX) return SOTTO_OK;
  *out = (uint32_t)list->count;
  SOTTO_TRY(sotto_i_ids_add(list, &kept, err));
done:
  return status;
}

sotto_status sotto_i_elements_attribute(sotto_i_elements *e, const sotto_i_field *name,
                                        const sotto_i_field *value, uint64_t line, sotto_error *err) {
  sotto_i_elements_cell cell = {.node = (uint32_t)e->ids.count - 1, .line = line};
  bool changed = false;
  sotto_status status;
  SOTTO_TRY(find_or_add(e, &cell.column, &e->column_names, name, err));
  if (cell.column == e->columns.count) {
    const sotto_i_field *kept = &e->column_names.names[cell.column];
    SOTTO_TRY(sotto_i_columns_add(&e->columns, kept, (sotto_i_place){line, 0}, err));
    sotto_i_column *added = &e->columns.items[cell.column];
    if (e->names != NULL && strcmp(added->name, e->names) == 0) {
      added->decided = added->declared = true;
      added->kind = SOTTO_COLUMN_ID;
    }
  }
  if (e->columns.items[cell.column].last == (uint64_t)cell.node + 1)
    return sotto_i_elements_fail(e, line, name, SOTTO_PARSE, "stands twice in one node", err);
  e->columns.items[cell.column].last = (uint64_t)cell.node + 1;
  SOTTO_TRY(settle(e, &cell.text, value, &changed, err));
  SOTTO_TRY(sotto_i_columns_scan(&e->columns, cell.column, &cell.text, (sotto_i_place){line, 0}, err));
  e->changed += changed && sotto_i_columns_has_words(&e->columns, cell.column);
  SOTTO_TRY(sotto_i_grow(&e->cells, &e->cell_room, e->cell_count + 1, sizeof *e->cells, err));
  e->cells[e->cell_count++] = cell;
done:
  return status;
}

sotto_status sotto_i_elements_edge_add(sotto_i_elements *e, const sotto_i_field *from,
                                       const sotto_i_field *to, uint64_t line, sotto_error *err) {
  sotto_i_elements_edge edge = {.line = line};
  bool changed[2];
  sotto_status status;
  SOTTO_TRY(settle(e, &edge.from, from, &changed[0], err));
  SOTTO_TRY(settle(e, &edge.to, to, &changed[1], err));
  e->changed += (uint64_t)changed[0] + changed[1];
  SOTTO_TRY(sotto_i_grow(&e->edges, &e->edge_room, e->edge_count + 1, sizeof *e->edges, err));
  e->edges[e->edge_count++] = edge;
done:
  return status;
}

/* Values of these names alone are kept: others would take memory for nothing. */
static bool may_be_value(const sotto_i_elements *e, const sotto_i_field *name) {
  const sotto_import_options *o = e->columns.options;
  const char *const stated[SOTTO_I_TRANSFER_VALUES] = {
      o == NULL ? NULL : o->amount, o == NULL ? NULL : o->time, o == NULL ? NULL : o->kind};
  for (int which = 0; which < SOTTO_I_TRANSFER_VALUES; which++)
    if (stated[which] != NULL ? sotto_i_field_is(name, stated[which]) : sotto_i_transfer_named(name, which))
      return true;
  return false;
}

sotto_status sotto_i_elements_edge_attribute(sotto_i_elements *e, const sotto_i_field *name,
                                             const sotto_i_field *value, uint64_t line, sotto_error *err) {
  sotto_i_elements_value v = {.edge = e->edge_count - 1, .line = line};
  bool changed;
  sotto_status status;
  SOTTO_TRY(find_or_add(e, &v.column, &e->edge_columns, name, err));
  if (e->undirected || !may_be_value(e, &e->edge_columns.names[v.column])) return SOTTO_OK;
  SOTTO_TRY(settle(e, &v.text, value, &changed, err));
  SOTTO_TRY(sotto_i_grow(&e->values, &e->value_room, e->value_count + 1, sizeof *e->values, err));
  e->values[e->value_count++] = v;
done:
  return status;
}

/* Names of the nodes: the values of the naming attribute if every node has one, else the ids. */
static sotto_status make_ids(sotto_i_elements *e, sotto_i_parts *parts, sotto_error *err) {
  sotto_i_ids names = {0};
  sotto_status status = SOTTO_OK;
  size_t column = 0, found = 0;
  while (column < e->columns.count &&
         (e->names == NULL || strcmp(e->columns.items[column].name, e->names) != 0))
    column++;
  if (column == e->columns.count) return sotto_i_parts_ids(parts, &e->ids, NULL, e->columns.file->file, err);
  SOTTO_TRY(sotto_i_new(&names.names, e->ids.count, sizeof *names.names, err));
  for (size_t i = 0; i < e->cell_count; i++) {
    const sotto_i_elements_cell *cell = &e->cells[i];
    if (cell->column != column || names.names[cell->node].text != NULL) continue;
    names.names[cell->node] = cell->text;
    found++;
  }
  names.count = e->ids.count;
  status =
      sotto_i_parts_ids(parts, found == names.count ? &names : &e->ids, NULL, e->columns.file->file, err);
done:
  sotto_i_free(names.names);
  return status;
}

sotto_status sotto_i_elements_finish(sotto_i_elements *e, sotto_i_parts *parts, sotto_error *err) {
  sotto_status status;
  if (e->ids.count == 0)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: has no node; nodes are listed, not only edges",
                        e->columns.file->file);
  SOTTO_TRY(sotto_i_columns_check_options(&e->columns, err));
  SOTTO_TRY(sotto_i_elements_edges(e, parts, err));
  SOTTO_TRY(make_ids(e, parts, err));
  SOTTO_TRY(sotto_i_columns_begin(&e->columns, parts, e->ids.count, err));
  for (size_t i = 0; i < e->cell_count; i++) {
    const sotto_i_elements_cell *cell = &e->cells[i];
    SOTTO_TRY(sotto_i_columns_put(&e->columns, parts, cell->node, cell->column, &cell->text,
                                  (sotto_i_place){cell->line, 0}, err));
  }
  SOTTO_TRY(sotto_i_columns_finish(&e->columns, parts, err));
  SOTTO_TRY(sotto_i_reading_changed(parts, e->changed, err));
done:
  return status;
}

void sotto_i_elements_free(sotto_i_elements *e) {
  sotto_i_texts_free(&e->texts);
  sotto_i_free(e->cells);
  sotto_i_free(e->edges);
  sotto_i_free(e->values);
  sotto_i_columns_free(&e->columns);
  sotto_i_ids_free(&e->column_names);
  sotto_i_ids_free(&e->ids);
  sotto_i_ids_free(&e->edge_columns);
  *e = (sotto_i_elements){0};
}
