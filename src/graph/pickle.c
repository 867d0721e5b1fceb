/* The pickle machine: a stack, a memo, and one small function for each opcode that Planetoid files use. */
#include "graph/pickle.h"

#include <string.h>

#include "base/memory.h"

typedef struct machine {
  sotto_i_pickle *doc;
  const uint8_t *data;
  size_t size, at, opcode_at; /* next byte, and where the current opcode began */
  uint32_t *stack, *marks, *memo;
  size_t depth, mark_count, stack_room, mark_room, memo_count;
  bool stopped;
  sotto_error *err;
} machine;

static sotto_status fail(const machine *m, const char *what) {
  return sotto_i_fail(m->err, SOTTO_PARSE, "%s: offset %zu: %s", m->doc->source.file, m->opcode_at, what);
}

static sotto_status need(const machine *m, size_t count) {
  return count <= m->size - m->at ? SOTTO_OK : fail(m, "the file ends inside a value");
}

static uint64_t little_endian(const uint8_t *bytes, size_t count) {
  uint64_t value = 0;
  for (size_t i = count; i-- > 0;) value = value << 8 | bytes[i];
  return value;
}

static sotto_status push_place(machine *m, uint32_t place) {
  sotto_status status = sotto_i_grow(&m->stack, &m->stack_room, m->depth + 1, sizeof *m->stack, m->err);
  if (status == SOTTO_OK) m->stack[m->depth++] = place;
  return status;
}

static sotto_status push(machine *m, sotto_i_pickle_value value) {
  sotto_i_pickle *doc = m->doc;
  sotto_status status =
      sotto_i_grow(&doc->values, &doc->value_room, doc->value_count + 1, sizeof *doc->values, m->err);
  if (status != SOTTO_OK) return status;
  doc->values[doc->value_count] = value;
  return push_place(m, (uint32_t)doc->value_count++);
}

/* A value may be taken down to the newest mark, not below. */
static sotto_status pop(machine *m, uint32_t *place) {
  size_t bottom = m->mark_count == 0 ? 0 : m->marks[m->mark_count - 1];
  if (m->depth == bottom) return fail(m, "the stack is empty");
  *place = m->stack[--m->depth];
  return SOTTO_OK;
}

/* Moves the topmost `count` places of the stack into a new chunk at the end of a container. */
static sotto_status move_to(machine *m, uint32_t container, size_t count) {
  sotto_i_pickle *doc = m->doc;
  sotto_status status;
  if (count == 0) return SOTTO_OK;
  SOTTO_TRY(sotto_i_grow(&doc->items, &doc->item_room, doc->item_count + count, sizeof *doc->items, m->err));
  SOTTO_TRY(sotto_i_grow(&doc->chunks, &doc->chunk_room, doc->chunk_count + 1, sizeof *doc->chunks, m->err));
  m->depth -= count;
  memcpy(doc->items + doc->item_count, m->stack + m->depth, count * sizeof *doc->items);
  const uint32_t chunk = (uint32_t)doc->chunk_count++;
  doc->chunks[chunk] = (sotto_i_pickle_chunk){(uint32_t)doc->item_count, (uint32_t)count, 0};
  doc->item_count += count;
  sotto_i_pickle_value *value = &doc->values[container];
  if (value->head == 0)
    value->head = chunk;
  else
    doc->chunks[value->tail].next = chunk;
  value->tail = chunk;
  value->count += (uint32_t)count;
done:
  return status;
}

/* Pushes a tuple of the topmost `count` values. */
static sotto_status make_tuple(machine *m, size_t count) {
  size_t bottom = m->mark_count == 0 ? 0 : m->marks[m->mark_count - 1];
  if (count > m->depth - bottom) return fail(m, "the stack holds too few values for a tuple");
  sotto_status status = push(m, (sotto_i_pickle_value){.kind = SOTTO_I_PICKLE_TUPLE});
  if (status != SOTTO_OK) return status;
  const uint32_t tuple = m->stack[--m->depth];
  status = move_to(m, tuple, count);
  return status == SOTTO_OK ? push_place(m, tuple) : status;
}

static sotto_status since_mark(machine *m, size_t *count) {
  if (m->mark_count == 0) return fail(m, "there is no mark");
  *count = m->depth - m->marks[--m->mark_count];
  return SOTTO_OK;
}

static sotto_status add_items(machine *m, size_t count, bool pairs) {
  size_t bottom = m->mark_count == 0 ? 0 : m->marks[m->mark_count - 1];
  if (m->depth - bottom <= count) return fail(m, "there is nothing to add the items to");
  const uint32_t place = m->stack[m->depth - count - 1];
  const sotto_i_pickle_value *container = &m->doc->values[place];
  bool list = container->kind == SOTTO_I_PICKLE_LIST;
  bool dict = container->kind == SOTTO_I_PICKLE_DICT ||
              sotto_i_pickle_is(m->doc, container, SOTTO_I_PICKLE_DEFAULTDICT);
  if (pairs ? !dict : !list) return fail(m, "items are added to a value that takes none");
  if (pairs && count % 2 != 0) return fail(m, "a key has no value");
  return move_to(m, place, count);
}

static sotto_status run_proto(machine *m) {
  return m->data[m->at] == 2 ? SOTTO_OK : fail(m, "only version 2 of the protocol is known");
}

static sotto_status run_global(machine *m) {
  static const char *const known[] = {"scipy.sparse.csr\ncsr_matrix\n",
                                      "numpy.core.multiarray\n_reconstruct\n",
                                      "numpy\nndarray\n",
                                      "numpy\ndtype\n",
                                      "collections\ndefaultdict\n",
                                      "__builtin__\nlist\n"};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    size_t length = strlen(known[i]);
    if (length > m->size - m->at || memcmp(m->data + m->at, known[i], length) != 0) continue;
    m->at += length;
    return push(m, (sotto_i_pickle_value){.kind = SOTTO_I_PICKLE_GLOBAL, .number = (int64_t)i});
  }
  char name[64];
  size_t length = 0;
  while (length < sizeof name - 1 && length < m->size - m->at) {
    uint8_t byte = m->data[m->at + length];
    name[length++] = byte >= 0x20 && byte < 0x7F ? (char)byte : ' ';
  }
  name[length] = '\0';
  return sotto_i_fail(m->err, SOTTO_UNSUPPORTED,
                      "%s: offset %zu: GLOBAL names something no graph needs: '%s'", m->doc->source.file,
                      m->opcode_at, name);
}

/* BINPUT and LONG_BINPUT. A place in the memo costs a byte of the file at least, so none is above its size.
 */
static sotto_status remember(machine *m, size_t bytes) {
  uint64_t index = little_endian(m->data + m->at, bytes);
  if (m->depth == 0) return fail(m, "the stack is empty");
  if (index > m->size) return fail(m, "the memo has no such place in a file of this size");
  size_t before = m->memo_count;
  sotto_status status = sotto_i_grow(&m->memo, &m->memo_count, index + 1, sizeof *m->memo, m->err);
  if (status != SOTTO_OK) return status;
  for (size_t i = before; i < m->memo_count; i++) m->memo[i] = UINT32_MAX;
  m->memo[index] = m->stack[m->depth - 1];
  return SOTTO_OK;
}

static sotto_status recall(machine *m, size_t bytes) {
  uint64_t index = little_endian(m->data + m->at, bytes);
  if (index >= m->memo_count || m->memo[index] == UINT32_MAX)
    return fail(m, "nothing was put at that place of the memo");
  return push_place(m, m->memo[index]);
}

static sotto_status run_put1(machine *m) {
  return remember(m, 1);
}
static sotto_status run_put4(machine *m) {
  return remember(m, 4);
}
static sotto_status run_get1(machine *m) {
  return recall(m, 1);
}
static sotto_status run_get4(machine *m) {
  return recall(m, 4);
}

static sotto_status push_int(machine *m, int64_t number) {
  return push(m, (sotto_i_pickle_value){.kind = SOTTO_I_PICKLE_INT, .number = number});
}
static sotto_status run_int1(machine *m) {
  return push_int(m, m->data[m->at]);
}
static sotto_status run_int2(machine *m) {
  return push_int(m, (int64_t)little_endian(m->data + m->at, 2));
}
static sotto_status run_int4(machine *m) {
  return push_int(m, (int32_t)(uint32_t)little_endian(m->data + m->at, 4));
}

static sotto_status push_string(machine *m, size_t bytes) {
  uint64_t size = little_endian(m->data + m->at, bytes);
  m->at += bytes;
  if (size > m->size - m->at) return fail(m, "a string is longer than the rest of the file");
  const uint8_t *text = m->data + m->at;
  m->at += size;
  return push(m, (sotto_i_pickle_value){.kind = SOTTO_I_PICKLE_STRING, .text = text, .size = size});
}
static sotto_status run_string1(machine *m) {
  return push_string(m, 1);
}
static sotto_status run_string4(machine *m) {
  return push_string(m, 4);
}

static sotto_status run_none(machine *m) {
  return push_place(m, 0);
}
static sotto_status run_true(machine *m) {
  return push(m, (sotto_i_pickle_value){.kind = SOTTO_I_PICKLE_BOOL, .number = 1});
}
static sotto_status run_false(machine *m) {
  return push(m, (sotto_i_pickle_value){.kind = SOTTO_I_PICKLE_BOOL});
}
static sotto_status run_list(machine *m) {
  return push(m, (sotto_i_pickle_value){.kind = SOTTO_I_PICKLE_LIST});
}
static sotto_status run_dict(machine *m) {
  return push(m, (sotto_i_pickle_value){.kind = SOTTO_I_PICKLE_DICT});
}
static sotto_status run_tuple0(machine *m) {
  return make_tuple(m, 0);
}
static sotto_status run_tuple1(machine *m) {
  return make_tuple(m, 1);
}
static sotto_status run_tuple2(machine *m) {
  return make_tuple(m, 2);
}
static sotto_status run_tuple3(machine *m) {
  return make_tuple(m, 3);
}
static sotto_status run_tuple(machine *m) {
  size_t count = 0;
  sotto_status status = since_mark(m, &count);
  return status == SOTTO_OK ? make_tuple(m, count) : status;
}

static sotto_status run_mark(machine *m) {
  sotto_status status = sotto_i_grow(&m->marks, &m->mark_room, m->mark_count + 1, sizeof *m->marks, m->err);
  if (status == SOTTO_OK) m->marks[m->mark_count++] = (uint32_t)m->depth;
  return status;
}
static sotto_status run_append(machine *m) {
  return add_items(m, 1, false);
}
static sotto_status run_appends(machine *m) {
  size_t count = 0;
  sotto_status status = since_mark(m, &count);
  return status == SOTTO_OK ? add_items(m, count, false) : status;
}
static sotto_status run_setitem(machine *m) {
  return add_items(m, 2, true);
}
static sotto_status run_setitems(machine *m) {
  size_t count = 0;
  sotto_status status = since_mark(m, &count);
  return status == SOTTO_OK ? add_items(m, count, true) : status;
}

/* REDUCE and NEWOBJ: what Python would call is written down instead. */
static sotto_status run_call(machine *m) {
  uint32_t callable = 0, arguments = 0;
  sotto_status status;
  SOTTO_TRY(pop(m, &arguments));
  SOTTO_TRY(pop(m, &callable));
  if (m->doc->values[callable].kind != SOTTO_I_PICKLE_GLOBAL) return fail(m, "what is called is not a name");
  SOTTO_TRY(push(m, (sotto_i_pickle_value){
                        .kind = SOTTO_I_PICKLE_OBJECT, .callable = callable, .arguments = arguments}));
done:
  return status;
}

static sotto_status run_build(machine *m) {
  uint32_t state = 0, object = 0;
  sotto_status status;
  SOTTO_TRY(pop(m, &state));
  SOTTO_TRY(pop(m, &object));
  if (m->doc->values[object].kind != SOTTO_I_PICKLE_OBJECT) return fail(m, "BUILD needs an object");
  m->doc->values[object].state = state;
  SOTTO_TRY(push_place(m, object));
done:
  return status;
}

static sotto_status run_stop(machine *m) {
  if (m->depth != 1 || m->mark_count != 0) return fail(m, "STOP with more or less than one value");
  if (m->at != m->size) return fail(m, "bytes follow the end of the pickle");
  m->doc->root = m->stack[0];
  m->stopped = true;
  return SOTTO_OK;
}

/* Opcodes with their name, the size of their fixed argument, and what they do: NULL is refused. */
static const struct opcode {
  uint8_t code, bytes;
  bool moves; /* the function itself steps over the argument */
  const char *name;
  sotto_status (*run)(machine *m);
} opcodes[] = {
    {0x80, 1, false, "PROTO", run_proto},
    {'c', 0, true, "GLOBAL", run_global},
    {'q', 1, false, "BINPUT", run_put1},
    {'r', 4, false, "LONG_BINPUT", run_put4},
    {'h', 1, false, "BINGET", run_get1},
    {'j', 4, false, "LONG_BINGET", run_get4},
    {'K', 1, false, "BININT1", run_int1},
    {'M', 2, false, "BININT2", run_int2},
    {'J', 4, false, "BININT", run_int4},
    {'U', 1, true, "SHORT_BINSTRING", run_string1},
    {'T', 4, true, "BINSTRING", run_string4},
    {'N', 0, false, "NONE", run_none},
    {0x88, 0, false, "NEWTRUE", run_true},
    {0x89, 0, false, "NEWFALSE", run_false},
    {']', 0, false, "EMPTY_LIST", run_list},
    {'}', 0, false, "EMPTY_DICT", run_dict},
    {')', 0, false, "EMPTY_TUPLE", run_tuple0},
    {0x85, 0, false, "TUPLE1", run_tuple1},
    {0x86, 0, false, "TUPLE2", run_tuple2},
    {0x87, 0, false, "TUPLE3", run_tuple3},
    {'t', 0, false, "TUPLE", run_tuple},
    {'(', 0, false, "MARK", run_mark},
    {'a', 0, false, "APPEND", run_append},
    {'e', 0, false, "APPENDS", run_appends},
    {'s', 0, false, "SETITEM", run_setitem},
    {'u', 0, false, "SETITEMS", run_setitems},
    {'R', 0, false, "REDUCE", run_call},
    {0x81, 0, false, "NEWOBJ", run_call},
    {'b', 0, false, "BUILD", run_build},
    {'.', 0, false, "STOP", run_stop},
    {'i', 0, false, "INST", NULL},
    {'o', 0, false, "OBJ", NULL},
    {'P', 0, false, "PERSID", NULL},
    {'Q', 0, false, "BINPERSID", NULL},
    {0x82, 0, false, "EXT1", NULL},
    {0x83, 0, false, "EXT2", NULL},
    {0x84, 0, false, "EXT4", NULL},
    {0x93, 0, false, "STACK_GLOBAL", NULL},
    {0x95, 0, false, "FRAME", NULL},
    {'X', 0, false, "BINUNICODE", NULL},
    {'I', 0, false, "INT", NULL},
    {'L', 0, false, "LONG", NULL},
    {'S', 0, false, "STRING", NULL},
    {0x8A, 0, false, "LONG1", NULL},
    {'G', 0, false, "BINFLOAT", NULL},
};

static sotto_status step(machine *m) {
  sotto_status status;
  m->opcode_at = m->at;
  SOTTO_TRY(need(m, 1));
  const uint8_t code = m->data[m->at++];
  const struct opcode *found = NULL;
  for (size_t i = 0; i < sizeof opcodes / sizeof opcodes[0] && found == NULL; i++)
    if (opcodes[i].code == code) found = &opcodes[i];
  if (found == NULL || found->run == NULL)
    return sotto_i_fail(m->err, SOTTO_UNSUPPORTED,
                        "%s: offset %zu: pickle opcode 0x%02x (%s) is not read here", m->doc->source.file,
                        m->opcode_at, code, found == NULL ? "unknown" : found->name);
  SOTTO_TRY(need(m, found->bytes));
  SOTTO_TRY(found->run(m));
  if (!found->moves) m->at += found->bytes;
done:
  return status;
}

sotto_status sotto_i_pickle_decode(sotto_i_pickle *out, const sotto_i_source *source, sotto_error *err) {
  sotto_status status;
  *out = (sotto_i_pickle){.source = *source};
  machine m = {.doc = out, .data = source->data, .size = source->size, .err = err};
  if (source->size > INT32_MAX)
    return sotto_i_fail(err, SOTTO_RANGE, "%s: pickles above 2 GiB are not read", source->file);
  /* Place 0 is None, and chunk 0 is no chunk. */
  SOTTO_TRY(sotto_i_grow(&out->values, &out->value_room, 1, sizeof *out->values, err));
  SOTTO_TRY(sotto_i_grow(&out->chunks, &out->chunk_room, 1, sizeof *out->chunks, err));
  out->values[0] = (sotto_i_pickle_value){.kind = SOTTO_I_PICKLE_NONE};
  out->chunks[0] = (sotto_i_pickle_chunk){0};
  out->value_count = out->chunk_count = 1;
  while (!m.stopped) SOTTO_TRY(step(&m));
done:
  sotto_i_free(m.stack);
  sotto_i_free(m.marks);
  sotto_i_free(m.memo);
  return status;
}

void sotto_i_pickle_free(sotto_i_pickle *pickle) {
  sotto_i_free(pickle->values);
  sotto_i_free(pickle->chunks);
  sotto_i_free(pickle->items);
  *pickle = (sotto_i_pickle){0};
}
