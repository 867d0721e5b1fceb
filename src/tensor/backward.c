/* The backward pass: memory of gradients, and its reuse. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "inside/tensor.h"
#include "kernels.h"
#include "tape.h"

void sotto_i_tape_lean(sotto_tape *tape) {
  tape->lean = true;
}

typedef struct copy_job {
  float *y;
  const float *x;
  bool add;
} copy_job;

static void copy_range(void *context, size_t begin, size_t end) {
  const copy_job *p = context;
  if (p->add)
    sotto_i_kernels()->axpy(p->y + begin, p->x + begin, 1.0F, true, end - begin);
  else
    memcpy(p->y + begin, p->x + begin, (end - begin) * sizeof *p->y);
}

static void copy_or_add(float *y, const float *x, bool add, size_t count) {
  copy_job p = {y, x, add};
  sotto_i_parallel(count, SOTTO_I_GRAIN, copy_range, &p);
}

static sotto_i_gradient_block *find_block(const sotto_tape *tape, const float *data) {
  for (size_t i = 0; tape->lean && i < tape->block_count; i++)
    if (tape->blocks[i].data == data) return &tape->blocks[i];
  return NULL;
}

/* retain_block counts one more user of the block, release_block one less. Memory that is not the tape's is
 * not counted. */
static void retain_block(const sotto_tape *tape, const float *data) {
  sotto_i_gradient_block *block = find_block(tape, data);
  if (block != NULL) block->users++;
}

static void release_block(const sotto_tape *tape, const float *data) {
  sotto_i_gradient_block *block = find_block(tape, data);
  if (block != NULL) block->users--;
}

/* The smallest free block with enough room, or a new one. */
static float *gradient_memory(sotto_tape *tape, size_t count) {
  sotto_i_gradient_block *best = NULL;
  if (!tape->lean) return sotto_i_tape_memory(tape, count, sizeof(float));
  for (size_t i = 0; i < tape->block_count; i++) {
    sotto_i_gradient_block *block = &tape->blocks[i];
    if (block->users == 0 && block->room >= count && (best == NULL || block->room < best->room)) best = block;
  }
  if (best == NULL) {
    float *data = sotto_i_tape_memory(tape, count, sizeof *data);
    if (data == NULL || sotto_i_grow(&tape->blocks, &tape->block_capacity, tape->block_count + 1,
                                     sizeof *tape->blocks, &tape->error) != SOTTO_OK)
      return NULL;
    best = &tape->blocks[tape->block_count++];
    *best = (sotto_i_gradient_block){data, count, 0};
  }
  best->users = 1;
  return best->data;
}

/* Gives a node its own copy of a shared gradient. */
static bool own_gradient(sotto_tape *tape, sotto_i_node *node) {
  const float *old = node->gradient.data;
  size_t count = node->value.rows * node->value.cols;
  float *data = gradient_memory(tape, count);
  if (data == NULL) return false;
  if (old != NULL) copy_or_add(data, old, false, count);
  release_block(tape, old);
  node->gradient = (sotto_matrix){data, node->value.rows, node->value.cols};
  node->shared = false;
  return true;
}

bool sotto_i_tape_sink(sotto_tape *tape, uint32_t self, int which, sotto_matrix *out, bool *add) {
  sotto_i_node *node = &tape->nodes[tape->nodes[self].inputs[which]];
  if (!node->wanted) return false;
  *add = node->gradient.data != NULL;
  if ((!*add || node->shared) && !own_gradient(tape, node)) return false;
  *out = node->gradient;
  return true;
}

void sotto_i_tape_pass(sotto_tape *tape, uint32_t self, int which) {
  sotto_i_node *node = &tape->nodes[tape->nodes[self].inputs[which]];
  sotto_matrix dy = tape->nodes[self].gradient, dx;
  bool add;
  if (node->wanted && node->gradient.data == NULL) {
    node->gradient = dy;
    node->shared = true;
    retain_block(tape, dy.data);
  } else if (sotto_i_tape_sink(tape, self, which, &dx, &add)) {
    copy_or_add(dx.data, dy.data, add, dy.rows * dy.cols);
  }
}

/* The gradient of what the loss does not depend on is zero. */
static void fill_unreached(sotto_tape *tape) {
  for (size_t i = 0; i < tape->count; i++) {
    sotto_i_node *node = &tape->nodes[i];
    if (!node->wanted || node->gradient.data != NULL || (tape->lean && node->backward != NULL) ||
        !own_gradient(tape, node))
      continue;
    memset(node->gradient.data, 0, node->value.rows * node->value.cols * sizeof(float));
  }
}

static sotto_status run_backward(sotto_tape *tape, sotto_var x, sotto_error *err) {
  for (size_t i = (size_t)x.index + 1; i-- > 0 && tape->error.status == SOTTO_OK;) {
    sotto_i_node *node = &tape->nodes[i];
    if (node->backward == NULL || node->gradient.data == NULL) continue;
    node->backward(tape, (uint32_t)i);
    if (!tape->lean) continue;
    release_block(tape, node->gradient.data);
    node->gradient.data = NULL;
  }
  fill_unreached(tape);
  return sotto_tape_check(tape, err);
}

sotto_status sotto_tape_backward_from(sotto_tape *tape, sotto_var x, const sotto_matrix *gradient,
                                      sotto_error *err) {
  if (tape->error.status != SOTTO_OK) return sotto_tape_check(tape, err);
  if (tape->ran_backward)
    return sotto_i_fail(err, SOTTO_INVALID, "the backward pass ran before; reset the tape first");
  if (x.index >= tape->count) return sotto_i_fail(err, SOTTO_INVALID, "the variable is not on this tape");
  sotto_i_node *node = &tape->nodes[x.index];
  if (gradient->rows != node->value.rows || gradient->cols != node->value.cols)
    return sotto_i_fail(err, SOTTO_INVALID, "a gradient of %zu x %zu was given for %zu x %zu values",
                        gradient->rows, gradient->cols, node->value.rows, node->value.cols);
  tape->ran_backward = true;
  if (node->wanted && node->gradient.data != NULL) {
    copy_or_add(node->gradient.data, gradient->data, true, gradient->rows * gradient->cols);
  } else if (node->wanted) {
    node->gradient = *gradient;
    node->shared = true;
  }
  return run_backward(tape, x, err);
}

sotto_status sotto_tape_backward(sotto_tape *tape, sotto_var loss, sotto_error *err) {
  if (tape->error.status != SOTTO_OK) return sotto_tape_check(tape, err);
  const sotto_matrix value = sotto_tape_value(tape, loss);
  if (value.rows != 1 || value.cols != 1)
    return sotto_i_fail(err, SOTTO_INVALID, "the loss is %zu x %zu, not one number", value.rows, value.cols);
  if (!isfinite(value.data[0]))
    return sotto_i_fail(err, SOTTO_NUMERIC, "the loss is not finite: %g", (double)value.data[0]);
  float *one = sotto_i_tape_memory(tape, 1, sizeof *one);
  if (one == NULL) return sotto_tape_check(tape, err);
  *one = 1.0F;
  return sotto_tape_backward_from(tape, loss, &(sotto_matrix){one, 1, 1}, err);
}
