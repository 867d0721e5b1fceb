/* sotto_dataset_import_ranks: an edge list, with a table of nodes or without, becomes a native file that all
 * ranks write. No rank holds more of the graph than its share. */
#include "import.h"

#include <string.h>

#include "base/memory.h"
#include "graph/open/open.h"

typedef struct importing {
  sotto_ranks *ranks;
  const char *path; /* to write */
  sotto_i_import_edges edges;
  sotto_i_import_nodes nodes;
  char *table; /* the path of the table of nodes, or NULL */
  sotto_i_shared_ids ids;
  sotto_i_names_maker names; /* ids of nodes: own lines of the table, or a share of all */
  uint64_t names_before, node_count;
  uint64_t *first;
  sotto_i_rows rows;
  sotto_i_parts parts; /* what is small, and labels and split of all nodes */
} importing;

static sotto_status refuse(const char *from, const sotto_import_options *options, sotto_error *err) {
  if (!sotto_i_is_edge_list(from))
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "%s: ranks read edge lists alone, with a table of nodes or without; import other forms in "
        "one process, without mpirun",
        from);
  if (options != NULL && options->split != NULL)
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "%s: ranks read no split of a file of its own; put it into a column named split of the "
        "table of nodes, or import in one process, without mpirun",
        options->split);
  return SOTTO_OK;
}

static sotto_status name_nodes(importing *m, sotto_error *err) {
  const uint64_t bytes = m->edges.text.file.size + (m->table == NULL ? 0 : m->nodes.text.file.size);
  sotto_status status;
  SOTTO_TRY(sotto_i_shared_ids_new(&m->ids, m->ranks, bytes, err));
  if (m->table != NULL) {
    SOTTO_TRY(sotto_i_import_nodes_list(&m->nodes, &m->ids, &m->names, err));
    m->node_count = m->nodes.nodes;
    m->names_before = m->nodes.before;
  }
  SOTTO_TRY(sotto_i_import_edges_see(&m->edges, &m->ids, m->table != NULL, err));
  if (m->table == NULL) SOTTO_TRY(sotto_i_shared_ids_number(&m->ids, m->edges.places, &m->node_count, err));
done:
  return status;
}

static sotto_status take_edges(importing *m, sotto_error *err) {
  sotto_reading *view = &m->parts.reading.view;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&m->first, (size_t)sotto_ranks_count(m->ranks) + 1, sizeof *m->first, err));
  SOTTO_TRY(sotto_i_shared_ids_rows(&m->ids, m->node_count, m->first, err));
  SOTTO_TRY(sotto_i_rows_new(&m->rows, m->ranks, m->first, err));
  SOTTO_TRY(sotto_i_import_edges_take(&m->edges, &m->ids, &m->rows, err));
  SOTTO_TRY(sotto_i_edge_text_form(&m->edges.form, &m->parts, m->table, err));
  sotto_i_import_edges_free(&m->edges);
  if (m->table == NULL)
    SOTTO_TRY(sotto_i_import_names(&m->names, &m->names_before, &m->ids, m->node_count, err));
  sotto_i_shared_ids_free(&m->ids);
  SOTTO_TRY(sotto_i_rows_finish(&m->rows, err));
  view->pairs = m->rows.pairs;
  view->self_loops = m->rows.loops;
  view->repeats = view->pairs - view->self_loops - m->rows.entries / 2;
  m->parts.nodes = m->node_count;
done:
  return status;
}

/* Features, labels and split of own nodes; labels and split of all go to the parts. */
static sotto_status take_columns(importing *m, sotto_error *err) {
  sotto_i_parts *own = &m->nodes.parts, *p = &m->parts;
  size_t size = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_import_nodes_fill(&m->nodes, p, err));
  p->width = own->width;
  p->classes = own->classes;
  p->classes_from = own->classes_from;
  for (int list = SOTTO_I_NAMES_FEATURES; list <= SOTTO_I_NAMES_CLASSES; list++) {
    p->names[list] = own->names[list];
    own->names[list] = (sotto_names){0};
  }
  if (own->labels != NULL)
    SOTTO_TRY(sotto_i_exchange_all((void **)&p->labels, &size, m->ranks, own->labels,
                                   m->nodes.own * sizeof *own->labels, err));
  if (own->split != NULL)
    SOTTO_TRY(sotto_i_exchange_all((void **)&p->split, &size, m->ranks, own->split, m->nodes.own, err));
done:
  return status;
}

/* The sections of attributes: where there is a table of nodes. */
static sotto_status write_columns(importing *m, sotto_i_shared_file *file, sotto_error *err) {
  const sotto_i_parts *own = &m->nodes.parts, *p = &m->parts;
  const bool first = sotto_i_ranks_first(m->ranks);
  sotto_status status = SOTTO_OK;
  if (p->width > 0)
    SOTTO_TRY(sotto_i_strip_write(file, SOTTO_I_NATIVE_FEATURES, own->features,
                                  m->nodes.own * own->width * sizeof *own->features, err));
  if (p->labels != NULL)
    SOTTO_TRY(sotto_i_strip_write(file, SOTTO_I_NATIVE_LABELS, own->labels,
                                  m->nodes.own * sizeof *own->labels, err));
  if (p->split != NULL)
    SOTTO_TRY(sotto_i_strip_write(file, SOTTO_I_NATIVE_SPLIT, own->split, m->nodes.own, err));
  for (int list = SOTTO_I_NAMES_FEATURES; list <= SOTTO_I_NAMES_CLASSES; list++)
    if (p->names[list].count > 0)
      SOTTO_TRY(sotto_i_strip_write(file, (sotto_i_native_kind)(SOTTO_I_NATIVE_NAMES + list),
                                    p->names[list].starts, first ? sotto_i_names_size(&p->names[list]) : 0,
                                    err));
done:
  return status;
}

static sotto_status write_file(importing *m, sotto_i_native_header *written, sotto_error *err) {
  const size_t ids = SOTTO_I_NATIVE_NAMES + SOTTO_I_NAMES_NODES;
  sotto_i_parts *p = &m->parts;
  sotto_i_native_header header = {.width = p->width, .classes = p->classes};
  sotto_i_shared_file file = {.writer = {.descriptor = -1}};
  bool present[SOTTO_I_NATIVE_KINDS] = {[SOTTO_I_NATIVE_FEATURES] = p->width > 0,
                                        [SOTTO_I_NATIVE_LABELS] = p->labels != NULL,
                                        [SOTTO_I_NATIVE_SPLIT] = p->split != NULL};
  sotto_status status;
  SOTTO_TRY(sotto_i_import_names_size(&present[ids], &header.table[ids].size, &p->names[SOTTO_I_NAMES_NODES],
                                      m->ranks, &m->names, m->names_before, err));
  for (int list = SOTTO_I_NAMES_FEATURES; list <= SOTTO_I_NAMES_CLASSES; list++)
    if (p->names[list].count > 0) {
      present[SOTTO_I_NATIVE_NAMES + list] = true;
      header.table[SOTTO_I_NATIVE_NAMES + list].size = sotto_i_names_size(&p->names[list]);
    }
  sotto_i_written_graph_header(&header, present, &m->rows, p->name);
  SOTTO_TRY(sotto_i_shared_file_open(&file, m->ranks, m->path, &header, present, err));
  SOTTO_TRY(sotto_i_written_graph(&file, &m->rows, p->name, err));
  SOTTO_TRY(write_columns(m, &file, err));
  if (present[ids]) SOTTO_TRY(sotto_i_import_names_write(&file, &m->names, err));
  SOTTO_TRY(sotto_i_shared_file_commit(&file, err));
  *written = file.header;
done:
  sotto_i_shared_file_close(&file);
  return status;
}

static void end(importing *m) {
  sotto_i_import_edges_free(&m->edges);
  sotto_i_import_nodes_free(&m->nodes);
  sotto_i_shared_ids_free(&m->ids);
  sotto_i_names_maker_free(&m->names);
  sotto_i_rows_free(&m->rows);
  sotto_i_parts_free(&m->parts);
  sotto_i_free(m->table);
  sotto_i_free(m->first);
}

sotto_status sotto_dataset_import_ranks(sotto_dataset *out, sotto_figures *figures, sotto_ranks *ranks,
                                        const char *from, const sotto_import_options *options,
                                        const char *path, sotto_error *err) {
  importing m = {
      .ranks = ranks, .path = path, .edges.text.file.descriptor = -1, .nodes.text.file.descriptor = -1};
  sotto_i_native_header header;
  sotto_status status;
  *out = (sotto_dataset){0};
  *figures = (sotto_figures){0};
  SOTTO_TRY(refuse(from, options, err));
  SOTTO_TRY(sotto_i_find_nodes(&m.table, from, options == NULL ? NULL : options->nodes_table, err));
  SOTTO_TRY(sotto_i_name_of(&m.parts.name, from, err));
  sotto_text_clean(m.parts.name, false);
  SOTTO_TRY(sotto_i_import_edges_open(&m.edges, ranks, from, &m.parts, err));
  if (m.table != NULL) SOTTO_TRY(sotto_i_import_nodes_open(&m.nodes, ranks, m.table, options, err));
  SOTTO_TRY(name_nodes(&m, err));
  SOTTO_TRY(take_edges(&m, err));
  if (m.table != NULL) SOTTO_TRY(take_columns(&m, err));
  SOTTO_TRY(sotto_i_written_figures(figures, &m.rows, m.parts.labels, err));
  SOTTO_TRY(write_file(&m, &header, err));
  SOTTO_TRY(sotto_i_written_dataset(out, &m.parts, &header, err));
done:
  end(&m);
  return status;
}
