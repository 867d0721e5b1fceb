/* The pickle machine: a stack, a memo, and a small function for each opcode that Planetoid files use. */
#include "pickle.h"

#include <string.h>

#include "base/memory.h"

typedef struct machine machine;

/* An opcode: its code, the size of its fixed argument, a detail (number of values, or kind), its name, and
 * its function; NULL: refused. */
typedef struct opcode {
  uint8_t code, bytes, detail;
  const char *name;
  sotto_status (*run)(machine *m, const struct opcode *op);
} opcode;

struct machine {
  sotto_i_pickle *doc;
  const uint8_t *data;
  size_t size, at, opcode_at; /* next byte, and position of the current opcode */
  uint32_t *stack, *marks, *memo;
  size_t depth, mark_count, stack_room, mark_room, memo_count;
  bool stopped;
  sotto_error *err;
};

static sotto_status fail(const machine *m, const char *what) {
  return sotto_i_fail(m->err, SOTTO_PARSE, "%s: offset %zu: %s", m->doc->source.file, m->opcode_at, what);
}

static sotto_status require_bytes(const machine *m, size_t count) {
  return count <= m->size - m->at ? SOTTO_OK : fail(m, "the file ends inside a value");
}

static uint64_t little_endian(const uint8_t *bytes, size_t count) {
  uint64_t value = 0;
  for (size_t i = count; i-- > 0;) value = value << 8 | bytes[i];
  return value;
}

static sotto_status push_index(machine *m, uint32_t place) {
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
  return push_index(m, (uint32_t)doc->value_count++);
}

/* Values can be popped down to the newest mark. */
static sotto_status pop(machine *m, uint32_t *place) {
  size_t bottom = m->mark_count == 0 ? 0 : m->marks[m->mark_count - 1];
  if (m->depth == bottom) return fail(m, "the stack is empty");
  *place = m->stack[--m->depth];
  return SOTTO_OK;
}

/* Moves the top `count` values of the stack into a new chunk at the end of a container. */
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

/* Pushes a tuple of the top `count` values. */
static sotto_status make_tuple(machine *m, size_t count) {
  size_t bottom = m->mark_count == 0 ? 0 : m->marks[m->mark_count - 1];
  if (count > m->depth - bottom) return fail(m, "the stack holds too few values for a tuple");
  sotto_status status = push(m, (sotto_i_pickle_value){.kind = SOTTO_I_PICKLE_TUPLE});
  if (status != SOTTO_OK) return status;
  const uint32_t tuple = m->stack[--m->depth];
  status = move_to(m, tuple, count);
  return status == SOTTO_OK ? push_index(m, tuple) : status;
}

static sotto_status count_since_mark(machine *m, size_t *count) {
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

static sotto_status run_proto(machine *m, const opcode *op) {
  (void)op;
  return m->data[m->at] == 2 ? SOTTO_OK : fail(m, "only version 2 of the protocol is known");
}

static sotto_status run_global(machine *m, const opcode *op) {
  (void)op;
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

/* BINPUT and LONG_BINPUT. A memo entry takes at least a byte of the file, so no index exceeds the file
 * size. */
static sotto_status run_put(machine *m, const opcode *op) {
  const uint64_t index = little_endian(m->data + m->at, op->bytes);
  if (m->depth == 0) return fail(m, "the stack is empty");
  if (index > m->size) return fail(m, "the memo index is larger than the file");
  const size_t before = m->memo_count;
  sotto_status status = sotto_i_grow(&m->memo, &m->memo_count, index + 1, sizeof *m->memo, m->err);
  if (status != SOTTO_OK) return status;
  for (size_t i = before; i < m->memo_count; i++) m->memo[i] = UINT32_MAX;
  m->memo[index] = m->stack[m->depth - 1];
  return SOTTO_OK;
}

static sotto_status run_get(machine *m, const opcode *op) {
  const uint64_t index = little_endian(m->data + m->at, op->bytes);
  if (index >= m->memo_count || m->memo[index] == UINT32_MAX)
    return fail(m, "the memo is empty at that index");
  return push_index(m, m->memo[index]);
}

/* Four bytes are signed, fewer are unsigned. */
static sotto_status run_int(machine *m, const opcode *op) {
  const uint64_t bits = little_endian(m->data + m->at, op->bytes);
  const int64_t number = op->bytes == 4 ? (int32_t)(uint32_t)bits : (int64_t)bits;
  return push(m, (sotto_i_pickle_value){.kind = SOTTO_I_PICKLE_INT, .number = number});
}

/* The text follows the argument, which is its size. */
static sotto_status run_string(machine *m, const opcode *op) {
  const uint64_t size = little_endian(m->data + m->at, op->bytes);
  const uint8_t *text = m->data + m->at + op->bytes;
  if (size > m->size - m->at - op->bytes) return fail(m, "a string is longer than the rest of the file");
  m->at += size;
  return push(m, (sotto_i_pickle_value){.kind = SOTTO_I_PICKLE_STRING, .text = text, .size = size});
}

static sotto_status run_none(machine *m, const opcode *op) {
  (void)op;
  return push_index(m, 0);
}
/* Pushes True, False, an empty list or an empty dict. */
static sotto_status run_constant(machine *m, const opcode *op) {
  const bool truth = op->code == 0x88;
  return push(m, (sotto_i_pickle_value){.kind = (sotto_i_pickle_kind)op->detail, .number = truth});
}
static sotto_status run_short_tuple(machine *m, const opcode *op) {
  return make_tuple(m, op->detail);
}
static sotto_status run_tuple(machine *m, const opcode *op) {
  (void)op;
  size_t count = 0;
  sotto_status status = count_since_mark(m, &count);
  return status == SOTTO_OK ? make_tuple(m, count) : status;
}

static sotto_status run_mark(machine *m, const opcode *op) {
  (void)op;
  sotto_status status = sotto_i_grow(&m->marks, &m->mark_room, m->mark_count + 1, sizeof *m->marks, m->err);
  if (status == SOTTO_OK) m->marks[m->mark_count++] = (uint32_t)m->depth;
  return status;
}
/* Adds one item or pair, or all since the mark. */
static sotto_status run_add(machine *m, const opcode *op) {
  size_t count = op->detail;
  sotto_status status = count > 0 ? SOTTO_OK : count_since_mark(m, &count);
  return status == SOTTO_OK ? add_items(m, count, op->code == 's' || op->code == 'u') : status;
}

/* REDUCE and NEWOBJ: records the call that Python would make, without making it. */
static sotto_status run_call(machine *m, const opcode *op) {
  (void)op;
  uint32_t callable = 0, arguments = 0;
  sotto_status status;
  SOTTO_TRY(pop(m, &arguments));
  SOTTO_TRY(pop(m, &callable));
  if (m->doc->values[callable].kind != SOTTO_I_PICKLE_GLOBAL)
    return fail(m, "the called value is not a name");
  SOTTO_TRY(push(m, (sotto_i_pickle_value){
                        .kind = SOTTO_I_PICKLE_OBJECT, .callable = callable, .arguments = arguments}));
done:
  return status;
}

static sotto_status run_build(machine *m, const opcode *op) {
  (void)op;
  uint32_t state = 0, object = 0;
  sotto_status status;
  SOTTO_TRY(pop(m, &state));
  SOTTO_TRY(pop(m, &object));
  if (m->doc->values[object].kind != SOTTO_I_PICKLE_OBJECT) return fail(m, "BUILD needs an object");
  m->doc->values[object].state = state;
  SOTTO_TRY(push_index(m, object));
done:
  return status;
}

static sotto_status run_stop(machine *m, const opcode *op) {
  (void)op;
  if (m->depth != 1 || m->mark_count != 0) return fail(m, "STOP with more or less than one value");
  if (m->at != m->size) return fail(m, "bytes follow the end of the pickle");
  m->doc->root = m->stack[0];
  m->stopped = true;
  return SOTTO_OK;
}

static const opcode opcodes[] = {
    {0x80, 1, 0, "PROTO", run_proto},
    {'c', 0, 0, "GLOBAL", run_global},
    {'q', 1, 0, "BINPUT", run_put},
    {'r', 4, 0, "LONG_BINPUT", run_put},
    {'h', 1, 0, "BINGET", run_get},
    {'j', 4, 0, "LONG_BINGET", run_get},
    {'K', 1, 0, "BININT1", run_int},
    {'M', 2, 0, "BININT2", run_int},
    {'J', 4, 0, "BININT", run_int},
    {'U', 1, 0, "SHORT_BINSTRING", run_string},
    {'T', 4, 0, "BINSTRING", run_string},
    {'N', 0, 0, "NONE", run_none},
    {0x88, 0, SOTTO_I_PICKLE_BOOL, "NEWTRUE", run_constant},
    {0x89, 0, SOTTO_I_PICKLE_BOOL, "NEWFALSE", run_constant},
    {']', 0, SOTTO_I_PICKLE_LIST, "EMPTY_LIST", run_constant},
    {'}', 0, SOTTO_I_PICKLE_DICT, "EMPTY_DICT", run_constant},
    {')', 0, 0, "EMPTY_TUPLE", run_short_tuple},
    {0x85, 0, 1, "TUPLE1", run_short_tuple},
    {0x86, 0, 2, "TUPLE2", run_short_tuple},
    {0x87, 0, 3, "TUPLE3", run_short_tuple},
    {'t', 0, 0, "TUPLE", run_tuple},
    {'(', 0, 0, "MARK", run_mark},
    {'a', 0, 1, "APPEND", run_add},
    {'e', 0, 0, "APPENDS", run_add},
    {'s', 0, 2, "SETITEM", run_add},
    {'u', 0, 0, "SETITEMS", run_add},
    {'R', 0, 0, "REDUCE", run_call},
    {0x81, 0, 0, "NEWOBJ", run_call},
    {'b', 0, 0, "BUILD", run_build},
    {'.', 0, 0, "STOP", run_stop},
    {'i', 0, 0, "INST", NULL},
    {'o', 0, 0, "OBJ", NULL},
    {'I', 0, 0, "INT", NULL},
    {'L', 0, 0, "LONG", NULL},
    {'S', 0, 0, "STRING", NULL},
    {'X', 0, 0, "BINUNICODE", NULL},
    {'G', 0, 0, "BINFLOAT", NULL},
    {0x8A, 0, 0, "LONG1", NULL},
    {0x93, 0, 0, "STACK_GLOBAL", NULL},
    {0x95, 0, 0, "FRAME", NULL},
};

static sotto_status run_opcode(machine *m) {
  sotto_status status;
  m->opcode_at = m->at;
  SOTTO_TRY(require_bytes(m, 1));
  const uint8_t code = m->data[m->at++];
  const opcode *found = NULL;
  for (size_t i = 0; i < sizeof opcodes / sizeof opcodes[0] && found == NULL; i++)
    if (opcodes[i].code == code) found = &opcodes[i];
  if (found == NULL || found->run == NULL)
    return sotto_i_fail(m->err, SOTTO_UNSUPPORTED,
                        "%s: offset %zu: pickle opcode 0x%02x (%s) is not supported", m->doc->source.file,
                        m->opcode_at, code, found == NULL ? "unknown" : found->name);
  SOTTO_TRY(require_bytes(m, found->bytes));
  SOTTO_TRY(found->run(m, found));
  m->at += found->bytes;
done:
  return status;
}

sotto_status sotto_i_pickle_decode(sotto_i_pickle *out, const sotto_i_source *source, sotto_error *err) {
  sotto_status status;
  *out = (sotto_i_pickle){.source = *source};
  machine m = {.doc = out, .data = source->data, .size = source->size, .err = err};
  if (source->size > INT32_MAX)
    return sotto_i_fail(err, SOTTO_RANGE, "%s: pickles above 2 GiB are not supported", source->file);
  /* value 0 is None, and chunk 0 is no chunk */
  SOTTO_TRY(sotto_i_grow(&out->values, &out->value_room, 1, sizeof *out->values, err));
  SOTTO_TRY(sotto_i_grow(&out->chunks, &out->chunk_room, 1, sizeof *out->chunks, err));
  out->values[0] = (sotto_i_pickle_value){.kind = SOTTO_I_PICKLE_NONE};
  out->chunks[0] = (sotto_i_pickle_chunk){0};
  out->value_count = out->chunk_count = 1;
  while (!m.stopped) SOTTO_TRY(run_opcode(&m));
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
