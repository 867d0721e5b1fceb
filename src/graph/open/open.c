/* sotto_dataset_open: chooses the reader for a path, opens its files, and names the dataset. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "graph/formats/elements.h"
#include "graph/formats/formats.h"
#include "graph/io/native.h"
#include "graph/schema_of.h"
#include "graph/tables/tables.h"
#include "open.h"

typedef sotto_status (*reader)(sotto_i_parts *parts, const sotto_i_source *file,
                               const sotto_import_options *options, sotto_error *err);

/* Which choices a form leaves to the options. */
enum { NO_CHOICE = 0, OF_NODES = 1, OF_COLUMNS = 2, OF_ENDS = 4, OF_TARGET = 8, OF_TRANSFERS = 16 };

/* Formats of single files by suffix, and their description unless the reader gives a better one. OF_NODES:
 * nodes have numbers only, so a node table may be added with one line per node, in their order. */
static const struct {
  const char *end, *form;
  reader read;
  unsigned choices;
  bool archive; /* a zip itself */
} forms[] = {{".npz", "npz", sotto_i_read_arrays, OF_NODES, true},
             {".npy", "npy", sotto_i_read_arrays, OF_NODES, false},
             {".mtx", "MatrixMarket", sotto_i_read_matrix_market, OF_NODES | OF_TRANSFERS, false},
             {".mat", "facebook100", sotto_i_read_facebook, OF_TARGET, false},
             {".graphml", "GraphML", sotto_i_read_graphml, OF_COLUMNS | OF_TRANSFERS, false},
             {".gml", "GML; names of nodes from label", sotto_i_read_gml, OF_COLUMNS | OF_TRANSFERS, false},
             {".json", "JSON, node-link", sotto_i_read_node_link, OF_COLUMNS | OF_TRANSFERS, false}};

/* Suffixes of edge lists. */
static const char *const edge_list_ends[] = {".csv", ".tsv", ".txt", ".edges", ".edgelist", ".el"};

/* Whether a path has the suffix, packed or not. */
static bool has_suffix(const char *path, const char *end) {
  const size_t length = sotto_i_unpacked_length(path), tail = strlen(end);
  return length > tail && memcmp(path + length - tail, end, tail) == 0;
}

bool sotto_i_is_edge_list(const char *path) {
  for (size_t i = 0; i < sizeof edge_list_ends / sizeof *edge_list_ends; i++)
    if (has_suffix(path, edge_list_ends[i])) return true;
  return false;
}

/* Refuses formats that are known but not read, and says what to do. */
static sotto_status fail_unknown(const char *path, sotto_error *err) {
  static const struct {
    const char *end, *what;
  } others[] = {
      {".parquet",
       "Parquet; read it by sotto.import_table in Python, or write it as CSV: python3 -c \"import pandas; "
       "pandas.read_parquet('IN').to_csv('OUT.csv', index=False)\""},
      {".feather",
       "Arrow; read it by sotto.import_table in Python, or write it as CSV: python3 -c \"import pandas; "
       "pandas.read_feather('IN').to_csv('OUT.csv', index=False)\""},
      {".arrow",
       "Arrow; read it by sotto.import_table in Python, or write it as CSV: python3 -c \"import pandas; "
       "pandas.read_feather('IN').to_csv('OUT.csv', index=False)\""},
      {".xlsx", "a workbook; write each sheet as CSV: python3 -c \"import pandas; "
                "pandas.read_excel('IN').to_csv('OUT.csv', index=False)\""},
      {".pt", "a file of torch, which runs code when it is read; save edge_index, x and y with numpy.savez"},
      {".pkl", "a pickle, which runs code when it is read; save edge_index, x and y with numpy.savez"},
      {".gz", "packed, and its name does not say what is inside; name it as NAME.csv.gz"},
      {".zst", "packed, and its name does not say what is inside; name it as NAME.csv.zst"}};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (sotto_i_ends_with(path, others[i].end))
      return sotto_i_fail(err, SOTTO_UNSUPPORTED, "%s: is %s", path, others[i].what);
  return sotto_i_fail(
      err, SOTTO_UNSUPPORTED,
      "%s: is not a known format; known are NAME.sotto, FOLDER:NAME (Planetoid), .csv, .tsv, "
      ".txt, .edges, .edgelist, .npz, .npy, .mat, .mtx, .graphml, .gml, .json, these also with .gz or .zst "
      "behind, or a folder of TUDataset or OGB",
      path);
}

/* Refuses options that choose what this form has no choice of: they would be passed over. */
static sotto_status check_choices(const char *path, const char *form, unsigned choices,
                                  const sotto_import_options *o, sotto_error *err) {
  if (o == NULL) return SOTTO_OK;
  if ((choices & OF_NODES) != 0 && o->nodes_table != NULL) choices |= OF_COLUMNS;
  const struct {
    const char *key;
    bool given;
    unsigned choice;
  } options[] = {{"nodes", o->nodes_table != NULL, OF_NODES},
                 {"label", o->label != NULL, OF_COLUMNS},
                 {"types", o->types != NULL, OF_COLUMNS},
                 {"source", o->source != NULL, OF_ENDS},
                 {"target", o->target != NULL, OF_TARGET},
                 {"amount", o->amount != NULL, OF_TRANSFERS},
                 {"time", o->time != NULL, OF_TRANSFERS},
                 {"kind", o->kind != NULL, OF_TRANSFERS},
                 {"direction", o->directed || o->undirected, OF_TRANSFERS}};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    if (options[i].given && (choices & options[i].choice) == 0)
      return sotto_i_fail(err, SOTTO_INVALID,
                          "%s: %s: %s leaves nothing to choose by it; leave the option out", path,
                          options[i].key, form);
  return SOTTO_OK;
}

static sotto_status open_native(sotto_i_parts *parts, sotto_i_opened *o, const char *path, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_opened_map(o, 0, NULL, path, false, err));
  SOTTO_TRY(sotto_i_read_native(parts, &o->sources[0], err));
  parts->map = o->maps[0];
  o->maps[0] = (sotto_i_map){0};
done:
  return status;
}

sotto_status sotto_i_find_nodes(char **out, const char *path, const char *given, sotto_error *err) {
  static const char *const middles[2] = {".nodes", "_nodes"}, *const packings[3] = {"", ".gz", ".zst"};
  *out = NULL;
  if (given != NULL) return sotto_i_strdup(out, given, err);
  const size_t length = sotto_i_unpacked_length(path), room = strlen(path) + 16;
  size_t stem = length - 1;
  while (path[stem] != '.') stem--; /* an edge list has a suffix */
  char *candidate = NULL;
  sotto_status status = sotto_i_new(&candidate, room, 1, err);
  for (size_t i = 0; status == SOTTO_OK && *out == NULL && i < 6; i++) {
    (void)snprintf(candidate, room, "%.*s%s%.*s%s", (int)stem, path, middles[i / 3], (int)(length - stem),
                   path + stem, packings[i % 3]);
    if (sotto_i_is_file(candidate)) status = sotto_i_strdup(out, candidate, err);
  }
  sotto_i_free(candidate);
  return status;
}

/* Maps a table as file `which`, and makes it a text. */
static sotto_status map_table(sotto_i_opened *o, size_t which, const char *path, sotto_error *err) {
  const sotto_status status = sotto_i_opened_map(o, which, NULL, path, false, err);
  return status == SOTTO_OK ? sotto_i_opened_text(o, which, true, err) : status;
}

/* Whether the file can be read in pieces: its text is as it is. */
static sotto_status is_plain(bool *out, const sotto_i_reader *file, sotto_error *err) {
  uint8_t front[SOTTO_I_TEXT_FRONT];
  const size_t size = file->size < sizeof front ? (size_t)file->size : sizeof front;
  const sotto_status status = sotto_i_reader_at(file, front, size, 0, err);
  *out = status == SOTTO_OK && sotto_i_text_is_plain(front, size);
  return status;
}

/* Are these nodes without edges, by their schema, or as the same file is named as the table of nodes? A table
 * that is read as a part of the data (nodes_only) does not say so. */
static bool is_edgeless(const char *path, const sotto_import_options *o) {
  return o != NULL && ((o->schema != NULL && o->schema->edgeless) ||
                       (o->nodes_table != NULL && strcmp(o->nodes_table, path) == 0));
}

static sotto_status open_edges(sotto_i_parts *parts, sotto_i_opened *o, const char *path,
                               const sotto_import_options *options, sotto_error *err) {
  char *table = NULL;
  bool plain = false;
  sotto_status status = SOTTO_OK;
  parts->edgeless = is_edgeless(path, options);
  if (parts->edgeless || (options != NULL && options->nodes_only)) {
    SOTTO_TRY(map_table(o, 1, path, err));
    return sotto_i_read_edges(parts, &(sotto_i_source){.file = path}, &o->sources[1], options, err);
  }
  SOTTO_TRY(sotto_i_reader_open(&o->pieces, path, err));
  SOTTO_TRY(sotto_i_find_nodes(&table, path, options == NULL ? NULL : options->nodes_table, err));
  if (table != NULL) SOTTO_TRY(map_table(o, 1, table, err));
  SOTTO_TRY(is_plain(&plain, &o->pieces, err));
  if (!plain || sotto_i_unpacked_length(path) < strlen(path)) {
    SOTTO_TRY(map_table(o, 0, path, err));
    status = sotto_i_read_edges(parts, &o->sources[0], &o->sources[1], options, err);
  } else {
    status =
        sotto_i_read_edges_in_pieces(parts, &o->pieces, SOTTO_I_EDGES_WINDOW, &o->sources[1], options, err);
  }
done:
  sotto_i_free(table);
  return status;
}

/* Adds labels, features and ids from a table to a graph without any. */
static sotto_status add_table(sotto_i_parts *parts, sotto_i_opened *o, const sotto_import_options *options,
                              sotto_error *err) {
  sotto_i_node_table table = {0};
  sotto_status status;
  if (parts->width > 0 || parts->labels != NULL)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "%s: has features or labels of its own; leave the table of nodes out",
                        o->sources[0].file);
  SOTTO_TRY(map_table(o, 1, options->nodes_table, err));
  SOTTO_TRY(sotto_i_node_table_open(&table, &o->sources[1], options, err));
  if (table.ids.count != parts->nodes)
    status = sotto_i_fail(
        err, SOTTO_PARSE,
        "%s: has %zu nodes, but %s has %llu; the table needs one line per node, in their order",
        o->sources[1].file, table.ids.count, o->sources[0].file, (unsigned long long)parts->nodes);
  else
    status = sotto_i_node_table_fill(&table, parts, err);
  if (status == SOTTO_OK) status = sotto_i_reading_changed(parts, table.changed, err);
done:
  sotto_i_node_table_free(&table);
  return status;
}

/* Reports files that were not read as they are. */
static sotto_status note_texts(sotto_i_parts *parts, const sotto_i_opened *o, sotto_error *err) {
  for (size_t i = 0; i < 2; i++) {
    const sotto_i_table_text *t = &o->texts[i];
    const bool packed = t->packing != SOTTO_I_PACKING_NONE;
    if (!packed && !t->utf16) continue;
    const sotto_status status = sotto_i_reading_form(
        parts, err, "%s; %s%s%s%s%s", parts->reading.view.form, i == 0 ? "" : "the table of nodes ",
        packed ? "unpacked from " : "", packed ? sotto_i_packing_name(t->packing) : "",
        packed && t->utf16 ? " and " : "", t->utf16 ? "decoded from UTF-16" : "");
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

static sotto_status open_file(sotto_i_parts *parts, sotto_i_opened *o, const char *path,
                              const sotto_import_options *options, sotto_error *err) {
  sotto_status status;
  size_t form = 0;
  if (sotto_i_ends_with(path, ".sotto")) {
    SOTTO_TRY(check_choices(path, "the native form", NO_CHOICE, options, err));
    return open_native(parts, o, path, err);
  }
  while (form < sizeof forms / sizeof *forms && !has_suffix(path, forms[form].end)) form++;
  if (form < sizeof forms / sizeof *forms) {
    SOTTO_TRY(check_choices(path, forms[form].form, forms[form].choices, options, err));
    SOTTO_TRY(sotto_i_opened_map(o, 0, NULL, path, false, err));
    if (!forms[form].archive) SOTTO_TRY(sotto_i_opened_text(o, 0, false, err));
    SOTTO_TRY(sotto_i_reading_form(parts, err, "%s", forms[form].form));
    SOTTO_TRY(forms[form].read(parts, &o->sources[0], options, err));
    if ((forms[form].choices & OF_NODES) != 0 && options != NULL && options->nodes_table != NULL)
      SOTTO_TRY(add_table(parts, o, options, err));
  } else if (sotto_i_is_edge_list(path)) {
    SOTTO_TRY(open_edges(parts, o, path, options, err));
  } else {
    return fail_unknown(path, err);
  }
  SOTTO_TRY(note_texts(parts, o, err));
  SOTTO_TRY(sotto_i_name_of(&parts->name, path, err));
done:
  return status;
}

/* Opens FOLDER:NAME, unless a file or folder with that exact name exists. */
static sotto_status open_any(sotto_i_parts *parts, sotto_i_opened *o, const char *path,
                             const sotto_import_options *options, sotto_error *err) {
  const char *colon = strrchr(path, ':');
  if (sotto_i_is_folder(path)) {
    const sotto_status fit = check_choices(path, "a folder", NO_CHOICE, options, err);
    return fit == SOTTO_OK ? sotto_i_open_folder(parts, o, path, err) : fit;
  }
  if (sotto_i_is_file(path)) return open_file(parts, o, path, options, err);
  if (access(path, F_OK) == 0)
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "%s: is neither a file nor a folder, but a pipe or a device; write what comes out of it to a "
        "file first",
        path);
  if (colon == NULL) return sotto_i_fail(err, SOTTO_NOT_FOUND, "%s: there is no such file or folder", path);
  char *folder = NULL;
  sotto_status status = sotto_i_strdup(&folder, path, err);
  if (status != SOTTO_OK) return status;
  folder[colon - path] = '\0';
  if (!sotto_i_is_folder(folder))
    status =
        sotto_i_fail(err, SOTTO_NOT_FOUND, "%s: there is no such file, and no folder '%s'", path, folder);
  else
    status = check_choices(path, "Planetoid", NO_CHOICE, options, err);
  if (status == SOTTO_OK) status = sotto_i_open_planetoid(parts, o, folder, colon + 1, err);
  sotto_i_free(folder);
  return status;
}

static sotto_status read_split(sotto_i_parts *parts, const char *path, sotto_error *err) {
  sotto_i_opened o = {0};
  sotto_status status = map_table(&o, 0, path, err);
  if (status == SOTTO_OK) status = sotto_i_read_split(parts, &o.sources[0], err);
  sotto_i_opened_close(&o);
  return status;
}

static sotto_status read_others(sotto_i_parts *parts, const char *path, const sotto_import_options *options,
                                sotto_error *err) {
  sotto_i_opened o = {0};
  sotto_status status = map_table(&o, 0, options->edges_to_others, err);
  if (status == SOTTO_OK && (parts->map.data != NULL || parts->foreign.nodes != NULL))
    status = sotto_i_fail(
        err, SOTTO_INVALID,
        "%s: edges-to-others: the native form keeps such edges itself; give the option where the "
        "data are imported",
        path);
  if (status == SOTTO_OK) status = sotto_i_read_others(parts, &o.sources[0], options, err);
  sotto_i_opened_close(&o);
  return status;
}

sotto_status sotto_i_settled_options(sotto_import_options *out, sotto_i_texts *texts,
                                     const sotto_import_options *given, sotto_error *err) {
  *out = given == NULL ? (sotto_import_options){0} : *given;
  const char **const lists[] = {&out->label, &out->types, &out->missing_words, &out->source, &out->target};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    const sotto_status status = *lists[i] == NULL ? SOTTO_OK : sotto_i_text_settle(lists[i], texts, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

/* What follows the reading of any form. */
static sotto_status finish(sotto_dataset *out, sotto_i_parts *parts, const char *path,
                           const sotto_import_options *options, sotto_error *err) {
  sotto_status status;
  sotto_i_parts_fill(parts);
  SOTTO_TRY(sotto_i_parts_make_schema(parts, path, options, err));
  SOTTO_TRY(sotto_i_strdup(&parts->path, path, err));
  status = sotto_i_dataset_assemble(out, parts, err);
  if (status != SOTTO_OK) sotto_i_error_prefix(err, "%s", path);
done:
  return status;
}

sotto_status sotto_dataset_open(sotto_dataset *out, const char *path, const sotto_import_options *options,
                                sotto_error *err) {
  sotto_i_opened o = {0};
  sotto_i_parts parts = {0};
  sotto_import_options settled;
  sotto_i_texts texts = {0};
  sotto_status status;
  *out = (sotto_dataset){0};
  SOTTO_TRY(sotto_i_settled_options(&settled, &texts, options, err));
  SOTTO_TRY(open_any(&parts, &o, path, options == NULL ? NULL : &settled, err));
  if (settled.split != NULL) SOTTO_TRY(read_split(&parts, settled.split, err));
  if (settled.edges_to_others != NULL) SOTTO_TRY(read_others(&parts, path, &settled, err));
  SOTTO_TRY(finish(out, &parts, path, options == NULL ? NULL : &settled, err));
done:
  sotto_i_parts_free(&parts);
  sotto_i_opened_close(&o);
  sotto_i_texts_free(&texts);
  return status;
}

sotto_status sotto_dataset_of_table(sotto_dataset *out, const char *name, const void *text, size_t size,
                                    const sotto_import_options *options, sotto_error *err) {
  const sotto_i_source none = {.file = name}, table = {.file = name, .data = text, .size = size};
  sotto_i_parts parts = {0};
  sotto_import_options settled;
  sotto_i_texts texts = {0};
  sotto_status status;
  *out = (sotto_dataset){0};
  SOTTO_TRY(sotto_i_settled_options(&settled, &texts, options, err));
  settled.nodes_only = true;
  SOTTO_TRY(sotto_i_read_edges(&parts, &none, &table, &settled, err));
  SOTTO_TRY(sotto_i_name_of(&parts.name, name, err));
  SOTTO_TRY(finish(out, &parts, name, &settled, err));
done:
  sotto_i_parts_free(&parts);
  sotto_i_texts_free(&texts);
  return status;
}
