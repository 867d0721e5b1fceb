/* sotto_dataset_import_ranks: all ranks convert an edge list, with or without a node table, to a native
 * file. No rank holds more than its share of the graph. */
#include "import.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "graph/open/open.h"
#include "graph/schema_of.h"

typedef struct named {
  uint32_t number, size;
} named;

/* The name of one node, in a message. */
typedef struct found {
  const uint8_t *text;
  uint32_t size;
} found;

static uint64_t first_node(uint64_t nodes, uint32_t rank, uint32_t ranks) {
  return nodes / ranks * rank + nodes % ranks * rank / ranks;
}

static uint32_t node_rank(uint64_t nodes, uint32_t ranks, uint32_t node) {
  uint32_t low = 0, high = ranks - 1;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (node < first_node(nodes, middle + 1, ranks))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/* Redistributes the ids of nodes, so that ranks hold nearly equal contiguous ranges; `before` is the
 * number of nodes at earlier ranks. Errors: NOMEM, those of another rank. */
static sotto_status redistribute_names(sotto_i_names_maker *out, uint64_t *before,
                                       const sotto_i_shared_ids *ids, uint64_t nodes, sotto_error *err) {
  sotto_i_exchange x = {0};
  found *names = NULL;
  bool more = false;
  sotto_status status;
  SOTTO_TRY(sotto_i_exchange_new(&x, ids->mail.ranks, err));
  for (size_t i = 0; i < ids->count; i++) {
    char digits[12];
    const sotto_i_field text = sotto_i_shared_ids_text(ids, i, digits);
    const named head = {ids->items[i].number, (uint32_t)text.size};
    const uint32_t to = node_rank(nodes, x.count, head.number);
    SOTTO_TRY(sotto_i_exchange_put(&x, to, &head, sizeof head, err));
    SOTTO_TRY(sotto_i_exchange_put(&x, to, text.text, text.size, err));
  }
  SOTTO_TRY(sotto_i_exchange_pass(&x, &more, err));
  const uint64_t first = first_node(nodes, x.number, x.count),
                 own = first_node(nodes, x.number + 1, x.count) - first;
  *before = first;
  SOTTO_TRY(sotto_i_new(&names, own, sizeof *names, err));
  for (uint32_t r = 0; r < x.count; r++)
    for (const void *head = NULL; (head = sotto_i_exchange_take(&x, r, sizeof(named))) != NULL;) {
      named n;
      memcpy(&n, head, sizeof n);
      SOTTO_I_CHECK(n.number - first < own);
      names[n.number - first] = (found){sotto_i_exchange_take(&x, r, n.size), n.size};
    }
  for (uint64_t v = 0; v < own; v++) {
    SOTTO_I_CHECK(names[v].text != NULL);
    SOTTO_TRY(sotto_i_names_add(out, names[v].text, names[v].size, err));
  }
done:
  sotto_i_free(names);
  sotto_i_exchange_free(&x);
  return status;
}

/* Broadcasts the first name, from the first rank that has any. */
static sotto_status broadcast_first(sotto_names *out, sotto_ranks *ranks, const sotto_i_names_maker *names,
                                    sotto_error *err) {
  sotto_i_names_maker maker = {0};
  char *all = NULL;
  size_t size = 0;
  sotto_status status;
  const size_t own = names->count == 0 ? 0 : strlen(names->text) + 1;
  SOTTO_TRY(sotto_i_exchange_all((void **)&all, &size, ranks, names->text, own, err));
  if (size > 0) {
    SOTTO_TRY(sotto_i_names_add(&maker, all, strlen(all), err));
    SOTTO_TRY(sotto_i_names_finish(out, &maker, err));
  }
done:
  sotto_i_names_maker_free(&maker);
  sotto_i_free(all);
  return status;
}

static sotto_status measure_names(bool *needed, uint64_t *size, sotto_names *first, sotto_ranks *ranks,
                                  const sotto_i_names_maker *names, uint64_t before, sotto_error *err) {
  uint64_t sums[3] = {0, names->used, names->count};
  char number[24];
  sotto_status status;
  for (size_t i = 0; i < names->count && sums[0] == 0; i++) {
    (void)snprintf(number, sizeof number, "%llu", (unsigned long long)(before + i));
    sums[0] += strcmp(names->text + names->starts[i], number) != 0;
  }
  SOTTO_TRY(sotto_i_ranks_sum(ranks, sums, 3, err));
  *needed = sums[0] > 0;
  *size = *needed ? (sums[2] + 1) * sizeof(uint64_t) + sums[1] : 0;
  if (*needed) SOTTO_TRY(broadcast_first(first, ranks, names, err));
done:
  return status;
}

/* Writes this rank's names to the file. */
static sotto_status write_names(sotto_i_shared_file *file, const sotto_i_names_maker *names,
                                sotto_error *err) {
  enum { some = 1 << 12 };
  const uint32_t ranks = sotto_ranks_count(file->ranks), number = sotto_ranks_number(file->ranks);
  uint64_t *used = NULL, before = 0, buffer[some];
  size_t got = 0;
  sotto_i_strip s = {0};
  sotto_status status;
  SOTTO_TRY(
      sotto_i_exchange_all((void **)&used, &got, file->ranks, &(uint64_t){names->used}, sizeof before, err));
  for (uint32_t r = 0; r < number; r++) before += used[r];
  const size_t count = names->count + (number + 1 == ranks ? 1 : 0);
  const uint64_t sizes[2] = {count * sizeof *buffer, names->used};
  const sotto_i_native_kind kind = (sotto_i_native_kind)(SOTTO_I_NATIVE_NAMES + SOTTO_I_NAMES_NODES);
  SOTTO_TRY(sotto_i_strip_begin(&s, file, kind, sizes, 2, err));
  for (size_t i = 0; i < count;) {
    size_t filled = 0;
    for (; filled < some && i < count; i++)
      buffer[filled++] = before + (i < names->count ? names->starts[i] : names->used);
    SOTTO_TRY(sotto_i_strip_add(&s, buffer, filled * sizeof *buffer, err));
  }
  SOTTO_TRY(sotto_i_strip_add(&s, names->text, names->used, err));
  SOTTO_TRY(sotto_i_strip_end(&s, err));
done:
  sotto_i_strip_free(&s);
  sotto_i_free(used);
  return status;
}

typedef struct import_job {
  sotto_ranks *ranks;
  const char *path; /* path of the output */
  sotto_i_import_edges edges;
  sotto_i_import_nodes nodes;
  char *table; /* path of the node table, or NULL */
  sotto_i_shared_ids ids;
  sotto_i_names_maker names; /* ids of nodes: from own lines of the table, or a share of all */
  uint64_t names_before, node_count;
  uint64_t *first;
  sotto_i_rows rows;
  sotto_i_parts parts; /* small arrays, and labels and split of all nodes */
} import_job;

static sotto_status refuse_format(const char *from, const sotto_import_options *options, sotto_error *err) {
  if (!sotto_i_is_edge_list(from))
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "%s: ranks read edge lists only, with or without a table of nodes; import other formats in "
        "one process, without mpirun",
        from);
  if (options != NULL && options->split != NULL)
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "%s: ranks cannot read a split from its own file; put it into a column named split of the "
        "table of nodes, or import in one process, without mpirun",
        options->split);
  if (options != NULL && options->edges_to_others != NULL)
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "%s: edges-to-others: ranks do not read edges to other owners; import in one process, "
        "without mpirun",
        options->edges_to_others);
  return SOTTO_OK;
}

static sotto_status number_nodes(import_job *m, sotto_error *err) {
  const uint64_t bytes = m->edges.text.file.size + (m->table == NULL ? 0 : m->nodes.text.file.size);
  sotto_status status;
  SOTTO_TRY(sotto_i_shared_ids_new(&m->ids, m->ranks, bytes, err));
  if (m->table != NULL) {
    SOTTO_TRY(sotto_i_import_nodes_list(&m->nodes, &m->ids, &m->names, err));
    m->node_count = m->nodes.nodes;
    m->names_before = m->nodes.before;
  }
  SOTTO_TRY(sotto_i_import_edges_list(&m->edges, &m->ids, m->table != NULL, err));
  if (m->table == NULL) SOTTO_TRY(sotto_i_shared_ids_number(&m->ids, m->edges.places, &m->node_count, err));
  if (m->node_count == 0) status = sotto_i_edges_none(m->edges.text.file.path, err);
done:
  return status;
}

static sotto_status read_edges(import_job *m, sotto_error *err) {
  sotto_reading *view = &m->parts.reading.view;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&m->first, (size_t)sotto_ranks_count(m->ranks) + 1, sizeof *m->first, err));
  SOTTO_TRY(sotto_i_shared_ids_rows(&m->ids, m->node_count, m->first, err));
  SOTTO_TRY(sotto_i_rows_new(&m->rows, m->ranks, m->first, err));
  SOTTO_TRY(sotto_i_import_edges_send(&m->edges, &m->ids, &m->rows, err));
  SOTTO_TRY(
      sotto_i_edge_text_form(&m->edges.form, &m->parts, m->table == NULL ? NULL : &m->nodes.table, err));
  SOTTO_TRY(sotto_i_reading_changed(&m->parts, m->edges.form.changed + m->nodes.table.changed, err));
  sotto_i_import_edges_free(&m->edges);
  if (m->table == NULL)
    SOTTO_TRY(redistribute_names(&m->names, &m->names_before, &m->ids, m->node_count, err));
  sotto_i_shared_ids_free(&m->ids);
  SOTTO_TRY(sotto_i_rows_finish(&m->rows, err));
  view->pairs = m->rows.pairs;
  view->self_loops = m->rows.loops;
  view->repeats = view->pairs - view->self_loops - m->rows.entries / 2;
  m->parts.nodes = m->node_count;
done:
  return status;
}

/* Fills features, labels and split of own nodes; labels and split of all nodes go to the parts. */
static sotto_status read_columns(import_job *m, sotto_error *err) {
  sotto_i_parts *own = &m->nodes.parts, *p = &m->parts;
  size_t size = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_import_nodes_fill(&m->nodes, p, err));
  if (own->numbers != NULL)
    SOTTO_TRY(sotto_i_fail(err, SOTTO_UNSUPPORTED,
                           "%s: has numbers to learn, which ranks do not import; import it with one process",
                           m->nodes.file.file));
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

/* Writes the sections of attributes, if there is a node table. */
static sotto_status write_columns(import_job *m, sotto_i_shared_file *file, sotto_error *err) {
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

static sotto_status write_file(import_job *m, const char *schema, sotto_i_native_header *written,
                               sotto_error *err) {
  const size_t ids = SOTTO_I_NATIVE_NAMES + SOTTO_I_NAMES_NODES;
  sotto_i_parts *p = &m->parts;
  sotto_i_native_header header = {.width = p->width, .classes = p->classes};
  sotto_i_shared_file file = {.writer = {.descriptor = -1}};
  bool present[SOTTO_I_NATIVE_KINDS] = {[SOTTO_I_NATIVE_FEATURES] = p->width > 0,
                                        [SOTTO_I_NATIVE_LABELS] = p->labels != NULL,
                                        [SOTTO_I_NATIVE_SPLIT] = p->split != NULL};
  sotto_status status;
  SOTTO_TRY(measure_names(&present[ids], &header.table[ids].size, &p->names[SOTTO_I_NAMES_NODES], m->ranks,
                          &m->names, m->names_before, err));
  for (int list = SOTTO_I_NAMES_FEATURES; list <= SOTTO_I_NAMES_CLASSES; list++)
    if (p->names[list].count > 0) {
      present[SOTTO_I_NATIVE_NAMES + list] = true;
      header.table[SOTTO_I_NATIVE_NAMES + list].size = sotto_i_names_size(&p->names[list]);
    }
  present[SOTTO_I_NATIVE_SCHEMA] = schema != NULL;
  const size_t schema_size = schema == NULL ? 0 : strlen(schema);
  header.table[SOTTO_I_NATIVE_SCHEMA].size = schema_size;
  sotto_i_written_graph_header(&header, present, &m->rows, p->name);
  SOTTO_TRY(sotto_i_shared_file_open(&file, m->ranks, m->path, &header, present, err));
  SOTTO_TRY(sotto_i_written_graph(&file, &m->rows, p->name, err));
  SOTTO_TRY(write_columns(m, &file, err));
  if (present[ids]) SOTTO_TRY(write_names(&file, &m->names, err));
  if (schema != NULL)
    SOTTO_TRY(sotto_i_strip_write(&file, SOTTO_I_NATIVE_SCHEMA, schema,
                                  sotto_i_ranks_first(m->ranks) ? schema_size : 0, err));
  SOTTO_TRY(sotto_i_shared_file_commit(&file, err));
  *written = file.header;
done:
  sotto_i_shared_file_close(&file);
  return status;
}

static void free_import(import_job *m) {
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
  import_job m = {
      .ranks = ranks, .path = path, .edges.text.file.descriptor = -1, .nodes.text.file.descriptor = -1};
  sotto_i_native_header header;
  char *schema = NULL;
  sotto_import_options settled;
  sotto_i_texts texts = {0};
  sotto_status status;
  *out = (sotto_dataset){0};
  *figures = (sotto_figures){0};
  SOTTO_TRY(sotto_i_settled_options(&settled, &texts, options, err));
  if (options != NULL) options = &settled;
  SOTTO_TRY(refuse_format(from, options, err));
  SOTTO_TRY(sotto_i_find_nodes(&m.table, from, options == NULL ? NULL : options->nodes_table, err));
  SOTTO_TRY(sotto_i_name_of(&m.parts.name, from, err));
  sotto_text_clean(m.parts.name, false);
  SOTTO_TRY(sotto_i_import_edges_open(&m.edges, ranks, from, options, &m.parts, err));
  if (m.table != NULL) SOTTO_TRY(sotto_i_import_nodes_open(&m.nodes, ranks, m.table, options, err));
  SOTTO_TRY(number_nodes(&m, err));
  SOTTO_TRY(read_edges(&m, err));
  if (m.table != NULL) SOTTO_TRY(read_columns(&m, err));
  SOTTO_TRY(sotto_i_parts_make_schema(&m.parts, from, options, err));
  if (m.parts.schema != NULL) SOTTO_TRY(sotto_schema_yaml(&schema, m.parts.schema, err));
  SOTTO_TRY(sotto_i_written_figures(figures, &m.rows, m.parts.labels, err));
  SOTTO_TRY(write_file(&m, schema, &header, err));
  SOTTO_TRY(sotto_i_written_dataset(out, &m.parts, &header, err));
done:
  sotto_text_free(schema);
  free_import(&m);
  sotto_i_texts_free(&texts);
  return status;
}
