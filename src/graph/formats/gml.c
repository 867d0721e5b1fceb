/* GML (Himsolt 1997): graph [ node [ id 0 label "a" value 1 ] edge [ source 0 target 1 ] ].
 *
 * In GML, labels are names of nodes, not classes: they become ids where every node has one. Classes are in
 * `value`, as in Newman's collection, or in the column that the caller names. Lists inside nodes and edges
 * are skipped. */
#include <string.h>

#include "base/memory.h"
#include "elements.h"

enum { deepest = 64 };

typedef enum token_kind { END, WORD, STRING, OPEN, CLOSE, WRONG } token_kind;

typedef struct token {
  token_kind kind;
  sotto_i_field text;
} token;

typedef struct gml {
  sotto_i_elements elements;
  const uint8_t *at, *end;
  uint64_t line;
  uint8_t *decoded; /* the latest string, decoded */
  size_t decoded_capacity;
} gml;

static sotto_status fail(const gml *g, sotto_status status, const char *what, sotto_error *err) {
  return sotto_i_fail(err, status, "%s: line %llu: %s", g->elements.columns.file->file,
                      (unsigned long long)g->line, what);
}

static bool is_space(uint8_t c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void skip_space(gml *g) {
  while (g->at < g->end && (is_space(*g->at) || *g->at == '#')) {
    if (*g->at == '#')
      while (g->at < g->end && *g->at != '\n') g->at++;
    else if (*g->at++ == '\n')
      g->line++;
  }
}

/* Decodes one of the entities that GML writers use; returns its length, or 0. */
static size_t entity_at(const uint8_t *at, size_t left, uint8_t *out) {
  static const struct {
    const char *text;
    uint8_t byte;
  } known[] = {{"&quot;", '"'},  {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'},
               {"&apos;", '\''}, {"&#34;", '"'}, {"&#38;", '&'}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const size_t length = strlen(known[i].text);
    if (length > left || memcmp(at, known[i].text, length) != 0) continue;
    *out = known[i].byte;
    return length;
  }
  return 0;
}

static sotto_status read_string(gml *g, token *out, sotto_error *err) {
  const uint8_t *close = memchr(g->at, '"', (size_t)(g->end - g->at));
  if (close == NULL) return fail(g, SOTTO_PARSE, "a text in quotes does not end", err);
  const size_t size = (size_t)(close - g->at);
  sotto_status status = sotto_i_grow(&g->decoded, &g->decoded_capacity, size + 1, 1, err);
  if (status != SOTTO_OK) return status;
  size_t kept = 0;
  while (g->at < close) {
    size_t length = *g->at == '&' ? entity_at(g->at, (size_t)(close - g->at), &g->decoded[kept]) : 0;
    if (length == 0) {
      g->decoded[kept] = *g->at;
      g->line += *g->at == '\n';
      length = 1;
    }
    kept++;
    g->at += length;
  }
  g->at++;
  *out = (token){STRING, {g->decoded, kept}};
  return SOTTO_OK;
}

static sotto_status next_token(gml *g, token *out, sotto_error *err) {
  skip_space(g);
  *out = (token){END, {g->at, 0}};
  if (g->at == g->end) return SOTTO_OK;
  if (*g->at == '[' || *g->at == ']') {
    out->kind = *g->at++ == '[' ? OPEN : CLOSE;
    return SOTTO_OK;
  }
  if (*g->at == '"') {
    g->at++;
    return read_string(g, out, err);
  }
  const uint8_t *from = g->at;
  while (g->at < g->end && !is_space(*g->at) && *g->at != '[' && *g->at != ']' && *g->at != '"') g->at++;
  *out = (token){WORD, {from, (size_t)(g->at - from)}};
  return SOTTO_OK;
}

/* Skips a list whose opening bracket was read. */
static sotto_status skip_list(gml *g, sotto_error *err) {
  unsigned depth = 1;
  sotto_status status = SOTTO_OK;
  while (depth > 0) {
    token t;
    SOTTO_TRY(next_token(g, &t, err));
    if (t.kind == END) return fail(g, SOTTO_PARSE, "the file ends inside a list [ ... ]", err);
    if (t.kind == OPEN && ++depth > deepest)
      return fail(g, SOTTO_PARSE, "lists are nested deeper than 64 levels", err);
    depth -= t.kind == CLOSE;
  }
done:
  return status;
}

/* Reads the next key of a list; *more is false at its closing bracket. */
static sotto_status next_key(gml *g, token *key, bool *more, sotto_error *err) {
  sotto_status status = next_token(g, key, err);
  if (status != SOTTO_OK) return status;
  *more = key->kind == WORD;
  if (key->kind == WORD || key->kind == CLOSE) return SOTTO_OK;
  return fail(g, SOTTO_PARSE,
              key->kind == END ? "the file ends inside a list [ ... ]" : "a key is expected here", err);
}

/* Reads and copies a value; skips a list and sets *list. */
static sotto_status read_value(gml *g, sotto_i_field *out, bool *list, sotto_error *err) {
  token value;
  sotto_status status = next_token(g, &value, err);
  if (status != SOTTO_OK) return status;
  *list = value.kind == OPEN;
  if (value.kind == OPEN) return skip_list(g, err);
  if (value.kind == WORD || value.kind == STRING)
    return sotto_i_elements_text(&g->elements, out, value.text.text, value.text.size, err);
  return fail(g, SOTTO_PARSE, "a key has no value", err);
}

/* Keys and values of one node or edge; texts are at the end of the elements' memory. */
typedef struct pair {
  sotto_i_field key, value;
  uint64_t line;
} pair;
typedef struct pairs {
  pair *items;
  size_t count, room;
} pairs;

static sotto_status read_pairs(gml *g, pairs *out, sotto_error *err) {
  sotto_status status;
  token open, key;
  bool more, list;
  out->count = 0;
  SOTTO_TRY(next_token(g, &open, err));
  if (open.kind != OPEN) return fail(g, SOTTO_PARSE, "a list [ ... ] is expected here", err);
  for (;;) {
    pair p = {.line = g->line};
    SOTTO_TRY(next_key(g, &key, &more, err));
    if (!more) return SOTTO_OK;
    SOTTO_TRY(read_value(g, &p.value, &list, err));
    if (list) continue;
    p.key = key.text;
    SOTTO_TRY(sotto_i_grow(&out->items, &out->room, out->count + 1, sizeof *out->items, err));
    out->items[out->count++] = p;
  }
done:
  return status;
}

static const pair *find_pair(const pairs *all, const char *key) {
  for (size_t i = 0; i < all->count; i++)
    if (sotto_i_field_is(&all->items[i].key, key)) return &all->items[i];
  return NULL;
}

static sotto_status read_node(gml *g, pairs *p, sotto_error *err) {
  const uint64_t line = g->line;
  sotto_status status;
  SOTTO_TRY(read_pairs(g, p, err));
  const pair *id = find_pair(p, "id");
  if (id == NULL) return fail(g, SOTTO_PARSE, "the node that ends here has no id", err);
  SOTTO_TRY(sotto_i_elements_node(&g->elements, &id->value, line, err));
  for (size_t i = 0; i < p->count; i++)
    if (&p->items[i] != id)
      SOTTO_TRY(sotto_i_elements_attribute(&g->elements, &p->items[i].key, &p->items[i].value,
                                           p->items[i].line, err));
done:
  return status;
}

static sotto_status read_edge(gml *g, pairs *p, sotto_error *err) {
  const uint64_t line = g->line;
  sotto_status status;
  SOTTO_TRY(read_pairs(g, p, err));
  const pair *from = find_pair(p, "source"), *to = find_pair(p, "target");
  if (from == NULL || to == NULL)
    return fail(g, SOTTO_PARSE, "the edge that ends here has no source or no target", err);
  SOTTO_TRY(sotto_i_elements_edge_add(&g->elements, &from->value, &to->value, line, err));
  for (size_t i = 0; i < p->count; i++)
    if (&p->items[i] != from && &p->items[i] != to)
      SOTTO_TRY(sotto_i_elements_edge_attribute(&g->elements, &p->items[i].key, &p->items[i].value,
                                                p->items[i].line, err));
done:
  return status;
}

/* Of the graph itself: whether it is directed. Without it, it is not. */
static sotto_status read_graph_value(gml *g, const sotto_i_field *key, sotto_error *err) {
  const bool directed = sotto_i_field_is(key, "directed");
  sotto_i_field value;
  bool list;
  const sotto_status status = read_value(g, &value, &list, err);
  if (status == SOTTO_OK && directed && !list) g->elements.undirected = !sotto_i_field_is(&value, "1");
  return status;
}

static sotto_status read_graph(gml *g, sotto_error *err) {
  pairs p = {0};
  token t;
  bool more;
  sotto_status status;
  SOTTO_TRY(next_token(g, &t, err));
  if (t.kind != OPEN) {
    status = fail(g, SOTTO_PARSE, "graph needs a list [ ... ]", err);
    goto done;
  }
  for (;;) {
    SOTTO_TRY(next_key(g, &t, &more, err));
    if (!more) break;
    if (sotto_i_field_is(&t.text, "node"))
      SOTTO_TRY(read_node(g, &p, err));
    else if (sotto_i_field_is(&t.text, "edge"))
      SOTTO_TRY(read_edge(g, &p, err));
    else
      SOTTO_TRY(read_graph_value(g, &t.text, err));
  }
done:
  sotto_i_free(p.items);
  return status;
}

/* Skips keys before and after the graph, such as Creator. */
static sotto_status read_file(gml *g, sotto_error *err) {
  token t;
  bool list, found = false;
  sotto_i_field ignored;
  sotto_status status;
  for (;;) {
    SOTTO_TRY(next_token(g, &t, err));
    if (t.kind == END) break;
    if (t.kind != WORD) return fail(g, SOTTO_PARSE, "a key is expected here, such as graph", err);
    if (!sotto_i_field_is(&t.text, "graph")) {
      SOTTO_TRY(read_value(g, &ignored, &list, err));
      continue;
    }
    if (found)
      return fail(g, SOTTO_UNSUPPORTED, "a second graph; write each graph to a file of its own", err);
    found = true;
    SOTTO_TRY(read_graph(g, err));
  }
  if (!found) return fail(g, SOTTO_PARSE, "there is no graph [ ... ]; the file is not GML", err);
done:
  return status;
}

sotto_status sotto_i_read_gml(sotto_i_parts *parts, const sotto_i_source *file,
                              const sotto_import_options *options, sotto_error *err) {
  gml g = {.at = file->data, .end = file->data + file->size, .line = 1};
  sotto_status status;
  sotto_i_elements_init(&g.elements, file, options);
  g.elements.undirected = true;
  g.elements.columns.label = "value";
  if (options == NULL || options->label == NULL || strcmp(options->label, "label") != 0)
    g.elements.names = "label";
  SOTTO_TRY(read_file(&g, err));
  SOTTO_TRY(sotto_i_elements_finish(&g.elements, parts, err));
done:
  sotto_i_elements_free(&g.elements);
  sotto_i_free(g.decoded);
  return status;
}
