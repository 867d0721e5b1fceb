/* GraphML, read with expat: nodes, edges and their data.
 *
 * Document types, nested graphs and hyperedges are refused. An entity could name another file or expand
 * without end; the rest is not a simple graph. Ports are ignored; edges that are undirected by default have
 * no amounts. */
#include <expat.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "elements.h"

enum { deepest = 16, longest_data = 1 << 20 };

/* A <key>: the meaning of the id in <data>. */
typedef struct key {
  sotto_i_field name, given; /* given: the default value */
  bool of_edges, has_default;
} key;

typedef struct graphml {
  XML_Parser parser;
  sotto_i_elements elements;
  sotto_i_ids key_ids;
  key *keys;
  size_t key_count, key_room;
  unsigned depth;
  bool in_node, in_edge, in_default, graph; /* graph: a graph has begun */
  size_t data_key;                          /* key of the open <data>, or SIZE_MAX */
  bool *given;                              /* keys that the open node has */
  size_t given_room;
  char *text; /* text of the open <data> or <default> */
  size_t text_size, text_room;
  sotto_status status;
  sotto_error *err;
} graphml;

static uint64_t current_line(const graphml *g) {
  return XML_GetCurrentLineNumber(g->parser);
}

static void record_failure(graphml *g, sotto_status status) {
  if (status == SOTTO_OK || g->status != SOTTO_OK) return;
  g->status = status;
  (void)XML_StopParser(g->parser, XML_FALSE);
}

static void fail_at_line(graphml *g, sotto_status status, const char *what) {
  if (g->status != SOTTO_OK) return;
  record_failure(g, sotto_i_fail(g->err, status, "%s: line %llu: %s", g->elements.columns.file->file,
                                 (unsigned long long)current_line(g), what));
}

static sotto_i_field as_field(const char *text) {
  return (sotto_i_field){(const uint8_t *)text, strlen(text)};
}

/* The value of an attribute, or NULL. */
static const char *attribute_value(const XML_Char **attributes, const char *name) {
  for (size_t i = 0; attributes[i] != NULL; i += 2)
    if (strcmp(attributes[i], name) == 0) return attributes[i + 1];
  return NULL;
}

static void open_key(graphml *g, const XML_Char **attributes) {
  const char *id = attribute_value(attributes, "id"), *of = attribute_value(attributes, "for");
  const char *name = attribute_value(attributes, "attr.name");
  key added = {.of_edges = of != NULL && strcmp(of, "edge") == 0};
  sotto_i_field kept;
  if (id == NULL) {
    fail_at_line(g, SOTTO_PARSE, "a key has no id");
    return;
  }
  const sotto_i_field id_field = as_field(id), name_field = as_field(name == NULL ? id : name);
  if (sotto_i_ids_find(&g->key_ids, &id_field) != UINT32_MAX) {
    fail_at_line(g, SOTTO_PARSE, "a second key has this id");
    return;
  }
  sotto_status status = sotto_i_texts_copy(&g->elements.texts, &kept, id, id_field.size, g->err);
  if (status == SOTTO_OK) status = sotto_i_ids_add(&g->key_ids, &kept, g->err);
  if (status == SOTTO_OK)
    status = sotto_i_elements_text(&g->elements, &added.name, name_field.text, name_field.size, g->err);
  if (status == SOTTO_OK)
    status = sotto_i_grow(&g->keys, &g->key_room, g->key_count + 1, sizeof *g->keys, g->err);
  if (status == SOTTO_OK)
    status = sotto_i_grow(&g->given, &g->given_room, g->key_count + 1, sizeof *g->given, g->err);
  if (status == SOTTO_OK) {
    g->given[g->key_count] = false;
    g->keys[g->key_count++] = added;
  }
  record_failure(g, status);
}

static void open_node(graphml *g, const XML_Char **attributes) {
  const char *id = attribute_value(attributes, "id");
  if (g->in_node || g->in_edge) {
    fail_at_line(g, SOTTO_UNSUPPORTED,
                 "a node inside another one; nested graphs are not read, flatten them first");
    return;
  }
  if (id == NULL) {
    fail_at_line(g, SOTTO_PARSE, "a node has no id");
    return;
  }
  const sotto_i_field field = as_field(id);
  g->in_node = true;
  for (size_t k = 0; k < g->key_count; k++) g->given[k] = false;
  record_failure(g, sotto_i_elements_node(&g->elements, &field, current_line(g), g->err));
}

static void open_edge(graphml *g, const XML_Char **attributes) {
  const char *source = attribute_value(attributes, "source"), *target = attribute_value(attributes, "target");
  if (source == NULL || target == NULL) {
    fail_at_line(g, SOTTO_PARSE, "an edge has no source or no target");
    return;
  }
  const sotto_i_field from = as_field(source), to = as_field(target);
  g->in_edge = true;
  for (size_t k = 0; k < g->key_count; k++) g->given[k] = false;
  record_failure(g, sotto_i_elements_edge_add(&g->elements, &from, &to, current_line(g), g->err));
}

static void open_data(graphml *g, const XML_Char **attributes) {
  const char *id = attribute_value(attributes, "key");
  g->text_size = 0;
  if (!g->in_node && !g->in_edge) return; /* data of the graph itself */
  const sotto_i_field field = as_field(id == NULL ? "" : id);
  const uint32_t found = sotto_i_ids_find(&g->key_ids, &field);
  if (found == UINT32_MAX)
    fail_at_line(g, SOTTO_PARSE, "data has a key that no <key> above declares");
  else
    g->data_key = found;
}

static void XMLCALL start_element(void *context, const XML_Char *name, const XML_Char **attributes) {
  graphml *g = context;
  if (g->status != SOTTO_OK) return;
  if (++g->depth > deepest) fail_at_line(g, SOTTO_PARSE, "elements are nested deeper than GraphML allows");
  if (g->depth == 1 && strcmp(name, "graphml") != 0)
    fail_at_line(g, SOTTO_PARSE, "is no <graphml>, but another document");
  if (strcmp(name, "key") == 0) {
    open_key(g, attributes);
  } else if (strcmp(name, "graph") == 0) {
    if (g->graph) fail_at_line(g, SOTTO_UNSUPPORTED, "a second graph; write each graph to a file of its own");
    const char *edges = attribute_value(attributes, "edgedefault");
    g->graph = true;
    g->elements.undirected = edges != NULL && strcmp(edges, "undirected") == 0;
  } else if (strcmp(name, "node") == 0) {
    open_node(g, attributes);
  } else if (strcmp(name, "edge") == 0) {
    open_edge(g, attributes);
  } else if (strcmp(name, "data") == 0) {
    open_data(g, attributes);
  } else if (strcmp(name, "default") == 0) {
    g->in_default = g->key_count > 0;
    g->text_size = 0;
  } else if (strcmp(name, "hyperedge") == 0) {
    fail_at_line(g, SOTTO_UNSUPPORTED, "a hyperedge; edges join two nodes here, so write one for each pair");
  }
}

static sotto_status add_attribute(graphml *g, const sotto_i_field *name, const sotto_i_field *text) {
  return g->in_edge ? sotto_i_elements_edge_attribute(&g->elements, name, text, current_line(g), g->err)
                    : sotto_i_elements_attribute(&g->elements, name, text, current_line(g), g->err);
}

static void close_data(graphml *g) {
  const sotto_i_field text = {(const uint8_t *)g->text, g->text_size};
  const key *k = &g->keys[g->data_key];
  g->given[g->data_key] = true;
  record_failure(g, add_attribute(g, &k->name, &text));
  g->data_key = SIZE_MAX;
}

/* Adds the defaults of keys that the node or edge does not have. */
static void close_element(graphml *g) {
  for (size_t k = 0; k < g->key_count && g->status == SOTTO_OK; k++)
    if (g->keys[k].has_default && g->keys[k].of_edges == g->in_edge && !g->given[k])
      record_failure(g, add_attribute(g, &g->keys[k].name, &g->keys[k].given));
  g->in_node = g->in_edge = false;
}

static void XMLCALL end_element(void *context, const XML_Char *name) {
  graphml *g = context;
  if (g->status != SOTTO_OK) return;
  g->depth--;
  if (strcmp(name, "data") == 0 && g->data_key != SIZE_MAX) close_data(g);
  if (strcmp(name, "node") == 0 || strcmp(name, "edge") == 0) close_element(g);
  if (strcmp(name, "default") == 0 && g->in_default) {
    key *last = &g->keys[g->key_count - 1];
    last->has_default = true;
    g->in_default = false;
    record_failure(g, sotto_i_elements_text(&g->elements, &last->given, g->text, g->text_size, g->err));
  }
}

static void XMLCALL add_text(void *context, const XML_Char *text, int length) {
  graphml *g = context;
  if (g->status != SOTTO_OK || (g->data_key == SIZE_MAX && !g->in_default)) return;
  const size_t size = (size_t)length;
  if (g->text_size + size > longest_data) {
    fail_at_line(g, SOTTO_RANGE, "a value is longer than a megabyte");
    return;
  }
  sotto_status status = sotto_i_grow(&g->text, &g->text_room, g->text_size + size, 1, g->err);
  if (status == SOTTO_OK) memcpy(g->text + g->text_size, text, size);
  g->text_size += status == SOTTO_OK ? size : 0;
  record_failure(g, status);
}

static void XMLCALL refuse_doctype(void *context, const XML_Char *name, const XML_Char *system,
                                   const XML_Char *public, int internal) {
  (void)name, (void)system, (void)public, (void)internal;
  fail_at_line(context, SOTTO_UNSUPPORTED,
               "has a document type, which may name other files; take <!DOCTYPE ...> out");
}

/* Parses in pieces, since expat counts bytes in an int. */
static sotto_status parse_file(graphml *g, const sotto_i_source *file) {
  enum { piece = 1 << 24 };
  for (size_t at = 0;;) {
    const size_t size = file->size - at < piece ? file->size - at : piece;
    const bool last = at + size == file->size;
    const enum XML_Status parsed = XML_Parse(g->parser, (const char *)file->data + at, (int)size, last);
    if (g->status != SOTTO_OK) return g->status;
    if (parsed != XML_STATUS_OK)
      return sotto_i_fail(g->err,
                          XML_GetErrorCode(g->parser) == XML_ERROR_NO_MEMORY ? SOTTO_NOMEM : SOTTO_PARSE,
                          "%s: line %llu: is not XML: %s", file->file, (unsigned long long)current_line(g),
                          XML_ErrorString(XML_GetErrorCode(g->parser)));
    if (last) return SOTTO_OK;
    at += size;
  }
}

sotto_status sotto_i_read_graphml(sotto_i_parts *parts, const sotto_i_source *file,
                                  const sotto_import_options *options, sotto_error *err) {
  sotto_error own = {0};
  graphml g = {.data_key = SIZE_MAX, .err = err == NULL ? &own : err};
  sotto_status status;
  sotto_i_elements_init(&g.elements, file, options);
  sotto_i_ids_init(&g.key_ids);
  g.parser = sotto_i_memory_fails() ? NULL : XML_ParserCreate(NULL);
  if (g.parser == NULL) {
    status = sotto_i_fail(err, SOTTO_NOMEM, "%s: no memory to read XML", file->file);
    goto done;
  }
  XML_SetUserData(g.parser, &g);
  XML_SetElementHandler(g.parser, start_element, end_element);
  XML_SetCharacterDataHandler(g.parser, add_text);
  XML_SetStartDoctypeDeclHandler(g.parser, refuse_doctype);
  SOTTO_TRY(parse_file(&g, file));
  SOTTO_TRY(sotto_i_elements_finish(&g.elements, parts, err));
done:
  if (g.parser != NULL) XML_ParserFree(g.parser);
  sotto_i_elements_free(&g.elements);
  sotto_i_ids_free(&g.key_ids);
  sotto_i_free(g.keys);
  sotto_i_free(g.given);
  sotto_i_free(g.text);
  return status;
}
