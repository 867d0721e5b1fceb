/* The tape: nodes, values, failure. */
#include "tape.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "base/memory.h"
#include "inside/tensor.h"

static const size_t least_chunk = (size_t)1 << 18;
static const size_t alignment = 64;

static sotto_status add_chunk(sotto_i_arena *arena, size_t need, sotto_error *err) {
  sotto_status status =
      sotto_i_grow(&arena->chunks, &arena->capacity, arena->count + 1, sizeof *arena->chunks, err);
  if (status != SOTTO_OK) return status;
  size_t size = arena->total / 2 < least_chunk ? least_chunk : arena->total / 2;
  if (size < need) size = need;
  sotto_i_chunk *chunk = &arena->chunks[arena->count];
  status = sotto_i_new_raw(&chunk->data, size, 1, err);
  if (status != SOTTO_OK) return status;
  chunk->size = size;
  arena->total += size;
  arena->current = arena->count++;
  arena->used = 0;
  return SOTTO_OK;
}

static sotto_status arena_take(sotto_i_arena *arena, void *out, size_t count, size_t size, sotto_error *err) {
  void **slot = out;
  *slot = NULL;
  size_t need;
  if (__builtin_mul_overflow(count, size, &need) || need > SIZE_MAX - alignment)
    return sotto_i_fail(err, SOTTO_NOMEM, "%zu items of %zu bytes are more than memory can hold", count,
                        size);
  need = (need + alignment - 1) / alignment * alignment;
  while (arena->current < arena->count && arena->chunks[arena->current].size - arena->used < need) {
    arena->current++;
    arena->used = 0;
  }
  if (arena->current >= arena->count) {
    sotto_status status = add_chunk(arena, need, err);
    if (status != SOTTO_OK) return status;
  }
  *slot = arena->chunks[arena->current].data + arena->used;
  arena->used += need;
  return SOTTO_OK;
}

static void arena_reset(sotto_i_arena *arena) {
  arena->current = 0;
  arena->used = 0;
}

void sotto_i_arena_free(sotto_i_arena *arena) {
  for (size_t i = 0; i < arena->count; i++) sotto_i_free(arena->chunks[i].data);
  sotto_i_free(arena->chunks);
  *arena = (sotto_i_arena){0};
}

static const sotto_var failed_var = {UINT32_MAX};

sotto_status sotto_tape_new(sotto_tape **out, sotto_error *err) {
  return sotto_i_new(out, 1, sizeof **out, err);
}

void sotto_tape_free(sotto_tape *tape) {
  if (tape == NULL) return;
  sotto_i_arena_free(&tape->arena);
  for (size_t i = 0; i < tape->fixed_count; i++) {
    sotto_i_sparse_free(tape->fixed[i]);
    sotto_i_free(tape->fixed[i]);
  }
  sotto_i_free(tape->fixed);
  sotto_i_free(tape->blocks);
  sotto_i_free(tape->nodes);
  sotto_i_free(tape);
}

void sotto_tape_reset(sotto_tape *tape) {
  tape->count = 0;
  tape->error = (sotto_error){0};
  tape->ran_backward = false;
  tape->first_row = 0;
  tape->block_count = 0;
  arena_reset(&tape->arena);
}

void sotto_i_tape_swap(sotto_tape *tape, sotto_i_arena *room) {
  const sotto_i_arena own = tape->arena;
  tape->arena = *room;
  *room = own;
  sotto_tape_reset(tape);
}

void sotto_i_tape_begin_at(sotto_tape *tape, size_t first) {
  SOTTO_I_CHECK(first % SOTTO_I_DROPOUT_ROWS == 0);
  tape->first_row = first;
}

size_t sotto_i_tape_first_row(const sotto_tape *tape) {
  return tape->first_row;
}

sotto_status sotto_tape_check(const sotto_tape *tape, sotto_error *err) {
  if (tape->error.status == SOTTO_OK) return SOTTO_OK;
  return sotto_i_fail(err, tape->error.status, "%s", tape->error.text);
}

sotto_var sotto_i_tape_fail(sotto_tape *tape, sotto_status status, const char *format, ...) {
  char text[SOTTO_ERROR_TEXT];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  (void)sotto_i_fail(&tape->error, status, "%s", text);
  return failed_var;
}

bool sotto_i_tape_failed(const sotto_tape *tape) {
  return tape->error.status != SOTTO_OK;
}

bool sotto_i_var_void(sotto_var x) {
  return x.index == UINT32_MAX;
}

sotto_var sotto_i_tape_void(void) {
  return failed_var;
}

sotto_i_node *sotto_i_tape_node(sotto_tape *tape, uint32_t index) {
  return &tape->nodes[index];
}

void *sotto_i_tape_memory(sotto_tape *tape, size_t count, size_t size) {
  void *memory = NULL;
  if (tape->error.status == SOTTO_OK) (void)arena_take(&tape->arena, &memory, count, size, &tape->error);
  return memory;
}

/* Appends a zeroed node; NULL, with the tape failed, on error. */
static sotto_i_node *append_node(sotto_tape *tape) {
  if (tape->error.status != SOTTO_OK) return NULL;
  if (sotto_i_grow(&tape->nodes, &tape->capacity, tape->count + 1, sizeof *tape->nodes, &tape->error) !=
      SOTTO_OK)
    return NULL;
  sotto_i_node *node = &tape->nodes[tape->count++];
  *node = (sotto_i_node){0};
  return node;
}

static sotto_var last_var(const sotto_tape *tape) {
  return (sotto_var){(uint32_t)(tape->count - 1)};
}

bool sotto_i_tape_is_entries(sotto_tape *tape, sotto_var x) {
  return x.index < tape->count && tape->nodes[x.index].sparse.sparse != NULL &&
         tape->nodes[x.index].value.data == NULL;
}

static sotto_var fail_needs_dense(sotto_tape *tape) {
  return sotto_i_tape_fail(tape, SOTTO_INVALID, "an operation needs a dense matrix, and this one is sparse");
}

sotto_var sotto_i_tape_push(sotto_tape *tape, const sotto_var *inputs, size_t count, size_t rows, size_t cols,
                            sotto_i_backward_fn backward) {
  if (count > 0 && sotto_i_tape_is_entries(tape, inputs[0])) return fail_needs_dense(tape);
  return sotto_i_tape_push_product(tape, inputs, count, rows, cols, backward);
}

sotto_var sotto_i_tape_push_product(sotto_tape *tape, const sotto_var *inputs, size_t count, size_t rows,
                                    size_t cols, sotto_i_backward_fn backward) {
  for (size_t i = 1; i < count; i++)
    if (sotto_i_tape_is_entries(tape, inputs[i])) return fail_needs_dense(tape);
  SOTTO_I_CHECK(count <= SOTTO_I_INPUTS);
  if (tape->error.status != SOTTO_OK) return failed_var;
  bool wanted = false;
  for (size_t i = 0; i < count; i++) {
    if (inputs[i].index >= tape->count)
      return sotto_i_tape_fail(tape, SOTTO_INVALID, "a variable is not on this tape");
    wanted |= tape->nodes[inputs[i].index].wanted;
  }
  size_t values;
  if (__builtin_mul_overflow(rows, cols, &values))
    return sotto_i_tape_fail(tape, SOTTO_NOMEM, "%zu x %zu values are more than memory can hold", rows, cols);
  float *data = sotto_i_tape_memory(tape, values, sizeof *data);
  sotto_i_node *node = data == NULL ? NULL : append_node(tape);
  if (node == NULL) return failed_var;
  node->value = (sotto_matrix){data, rows, cols};
  node->wanted = wanted;
  node->backward = wanted ? backward : NULL;
  for (size_t i = 0; i < count; i++) node->inputs[i] = inputs[i].index;
  return last_var(tape);
}

static sotto_var push_leaf(sotto_tape *tape, const sotto_matrix *value, bool wanted) {
  sotto_i_node *node = append_node(tape);
  if (node == NULL) return failed_var;
  node->value = *value;
  node->wanted = wanted;
  return last_var(tape);
}

sotto_var sotto_tape_constant(sotto_tape *tape, const sotto_matrix *value) {
  return push_leaf(tape, value, false);
}

sotto_var sotto_i_tape_entries(sotto_tape *tape, const sotto_i_sparse_view *entries) {
  const sotto_var x =
      push_leaf(tape, &(sotto_matrix){NULL, entries->sparse->rows, entries->sparse->cols}, false);
  if (!sotto_i_var_void(x)) tape->nodes[x.index].sparse = *entries;
  return x;
}

/* The entries of a fixed matrix, remembered or found now; NULL, with the tape failed, on lack of memory. */
static sotto_i_sparse *find_entries(sotto_tape *tape, const sotto_matrix *value) {
  sotto_i_sparse *made = NULL;
  for (size_t i = 0; i < tape->fixed_count; i++) {
    sotto_i_sparse *known = tape->fixed[i];
    if (known->of == value->data && known->rows == value->rows && known->cols == value->cols) return known;
  }
  if (sotto_i_grow(&tape->fixed, &tape->fixed_capacity, tape->fixed_count + 1, sizeof(sotto_i_sparse *),
                   &tape->error) != SOTTO_OK ||
      sotto_i_new(&made, 1, sizeof *made, &tape->error) != SOTTO_OK)
    return NULL;
  if (sotto_i_sparse_new(made, value, &tape->error) != SOTTO_OK) {
    sotto_i_free(made);
    return NULL;
  }
  tape->fixed[tape->fixed_count++] = made;
  return made;
}

void sotto_i_tape_forget(sotto_tape *tape, const float *values) {
  size_t kept = 0;
  for (size_t i = 0; i < tape->fixed_count; i++) {
    sotto_i_sparse *known = tape->fixed[i];
    if (known->of != values) {
      tape->fixed[kept++] = known;
      continue;
    }
    sotto_i_sparse_free(known);
    sotto_i_free(known);
  }
  tape->fixed_count = kept;
}

sotto_var sotto_tape_fixed(sotto_tape *tape, const sotto_matrix *value) {
  sotto_i_sparse *sparse = tape->error.status == SOTTO_OK ? find_entries(tape, value) : NULL;
  const sotto_var x = sparse == NULL ? failed_var : push_leaf(tape, value, false);
  if (!sotto_i_var_void(x) && sparse->worth) tape->nodes[x.index].sparse.sparse = sparse;
  return x;
}

sotto_var sotto_tape_input(sotto_tape *tape, const sotto_matrix *value) {
  return push_leaf(tape, value, true);
}

sotto_var sotto_tape_parameter(sotto_tape *tape, const sotto_matrix *value, sotto_matrix *gradient) {
  if (value->rows != gradient->rows || value->cols != gradient->cols)
    return sotto_i_tape_fail(tape, SOTTO_INVALID,
                             "a parameter of %zu x %zu has a gradient of %zu x %zu values", value->rows,
                             value->cols, gradient->rows, gradient->cols);
  sotto_var x = push_leaf(tape, value, true);
  if (!sotto_i_var_void(x)) tape->nodes[x.index].gradient = *gradient;
  return x;
}

sotto_matrix sotto_tape_value(const sotto_tape *tape, sotto_var x) {
  return x.index < tape->count ? tape->nodes[x.index].value : (sotto_matrix){0};
}

sotto_matrix sotto_tape_gradient(const sotto_tape *tape, sotto_var x) {
  return x.index < tape->count ? tape->nodes[x.index].gradient : (sotto_matrix){0};
}

sotto_status sotto_tape_copy(sotto_matrix *out, const sotto_tape *tape, sotto_var x, sotto_error *err) {
  const sotto_matrix value = sotto_tape_value(tape, x);
  sotto_status status;
  SOTTO_TRY(sotto_tape_check(tape, err));
  if (x.index >= tape->count)
    return sotto_i_fail(err, SOTTO_INVALID, "the variable to copy is not on the tape");
  SOTTO_TRY(sotto_matrix_new(out, value.rows, value.cols, err));
  if (value.rows * value.cols > 0) memcpy(out->data, value.data, value.rows * value.cols * sizeof(float));
done:
  return status;
}
