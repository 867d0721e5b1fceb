/* Operations that move values (concatenation, columns, gathered rows), and custom operations of other
 * rooms. */
#include <string.h>

#include "base/threads.h"
#include "inside/tensor.h"
#include "kernels.h"
#include "tape.h"

/* Copies `width` columns from column `from_first` of `from` to column `to_first` of `to`, row by row. */
typedef struct column_copy {
  sotto_matrix to, from;
  size_t to_first, from_first, width;
  bool add;
} column_copy;

static void copy_rows(void *context, size_t begin, size_t end) {
  const column_copy *m = context;
  const sotto_i_kernel_table *kernels = sotto_i_kernels();
  for (size_t i = begin; i < end; i++) {
    float *to = m->to.data + i * m->to.cols + m->to_first;
    const float *from = m->from.data + i * m->from.cols + m->from_first;
    if (m->add)
      kernels->axpy(to, from, 1.0F, true, m->width);
    else
      memcpy(to, from, m->width * sizeof *to);
  }
}

static void copy_columns(column_copy m) {
  if (m.width == 0) return;
  sotto_i_parallel(m.from.rows, sotto_i_row_grain(m.width), copy_rows, &m);
}

static void concat_backward(sotto_tape *tape, uint32_t self) {
  size_t first = 0;
  for (int which = 0; which < 2; which++) {
    size_t width = sotto_i_tape_input_value(tape, self, which).cols;
    column_copy m = {.from = sotto_i_tape_node(tape, self)->gradient, .from_first = first, .width = width};
    if (sotto_i_tape_sink(tape, self, which, &m.to, &m.add)) copy_columns(m);
    first += width;
  }
}

sotto_var sotto_tape_concat(sotto_tape *tape, sotto_var a, sotto_var b) {
  sotto_matrix va = sotto_tape_value(tape, a), vb = sotto_tape_value(tape, b);
  if (va.rows != vb.rows)
    (void)sotto_i_tape_fail(tape, SOTTO_INVALID,
                            "cannot concatenate columns of %zu rows with columns of %zu rows", va.rows,
                            vb.rows);
  sotto_var y = sotto_i_tape_push(tape, (sotto_var[]){a, b}, 2, va.rows, va.cols + vb.cols, concat_backward);
  if (sotto_i_var_void(y)) return y;
  sotto_matrix vy = sotto_tape_value(tape, y);
  copy_columns((column_copy){.to = vy, .from = va, .width = va.cols});
  copy_columns((column_copy){.to = vy, .to_first = va.cols, .from = vb, .width = vb.cols});
  return y;
}

static void columns_backward(sotto_tape *tape, uint32_t self) {
  const size_t *begin = sotto_i_tape_node(tape, self)->saved;
  column_copy m = {.from = sotto_i_tape_node(tape, self)->gradient, .to_first = *begin};
  if (!sotto_i_tape_sink(tape, self, 0, &m.to, &m.add)) return;
  if (!m.add) memset(m.to.data, 0, m.to.rows * m.to.cols * sizeof *m.to.data);
  m.width = m.from.cols;
  copy_columns(m);
}

sotto_var sotto_tape_columns(sotto_tape *tape, sotto_var x, size_t begin, size_t end) {
  sotto_matrix vx = sotto_tape_value(tape, x);
  if (begin > end || end > vx.cols)
    (void)sotto_i_tape_fail(tape, SOTTO_INVALID, "columns %zu to %zu of a matrix with %zu columns", begin,
                            end, vx.cols);
  sotto_var y = sotto_i_tape_push(tape, &x, 1, vx.rows, end - begin, columns_backward);
  size_t *saved = sotto_i_tape_memory(tape, 1, sizeof *saved);
  if (saved == NULL) return sotto_i_tape_void();
  *saved = begin;
  sotto_i_tape_node(tape, y.index)->saved = saved;
  copy_columns(
      (column_copy){.to = sotto_tape_value(tape, y), .from = vx, .from_first = begin, .width = end - begin});
  return y;
}

typedef struct gather {
  sotto_matrix to, from;
  const uint32_t *index;
  size_t count;
} gather;

static void gather_range(void *context, size_t begin, size_t end) {
  const gather *g = context;
  size_t cols = g->to.cols;
  for (size_t i = begin; i < end; i++)
    memcpy(g->to.data + i * cols, g->from.data + g->index[i] * cols, cols * sizeof(float));
}

/* Processes a range of columns over all rows in order, so that repeated rows add up in a fixed order. */
static void scatter_columns(void *context, size_t begin, size_t end) {
  const gather *g = context;
  const sotto_i_kernel_table *kernels = sotto_i_kernels();
  size_t cols = g->to.cols;
  for (size_t i = 0; i < g->count; i++)
    kernels->axpy(g->to.data + g->index[i] * cols + begin, g->from.data + i * cols + begin, 1.0F, true,
                  end - begin);
}

static void gather_backward(sotto_tape *tape, uint32_t self) {
  gather g = {.from = sotto_i_tape_node(tape, self)->gradient, .index = sotto_i_tape_node(tape, self)->saved};
  bool add;
  if (!sotto_i_tape_sink(tape, self, 0, &g.to, &add)) return;
  if (!add) memset(g.to.data, 0, g.to.rows * g.to.cols * sizeof *g.to.data);
  g.count = g.from.rows;
  sotto_i_parallel(g.to.cols, 32, scatter_columns, &g);
}

sotto_var sotto_tape_gather_rows(sotto_tape *tape, sotto_var x, const uint32_t *index, size_t count) {
  if (sotto_i_tape_failed(tape)) return sotto_i_tape_void();
  sotto_matrix vx = sotto_tape_value(tape, x);
  for (size_t i = 0; i < count; i++)
    if (index[i] >= vx.rows)
      return sotto_i_tape_fail(tape, SOTTO_RANGE, "index %zu is row %u of a matrix with %zu rows", i,
                               (unsigned)index[i], vx.rows);
  sotto_var y = sotto_i_tape_push(tape, &x, 1, count, vx.cols, gather_backward);
  if (sotto_i_var_void(y)) return y;
  sotto_i_tape_node(tape, y.index)->saved = (void *)(uintptr_t)index;
  gather g = {.to = sotto_tape_value(tape, y), .from = vx, .index = index};
  sotto_i_parallel(count, sotto_i_row_grain(vx.cols), gather_range, &g);
  return y;
}

typedef struct custom {
  const sotto_tape_op *op;
  const void *context;
} custom;

static void custom_backward(sotto_tape *tape, uint32_t self) {
  const custom *c = sotto_i_tape_node(tape, self)->saved;
  sotto_matrix dx;
  bool add;
  if (!sotto_i_tape_sink(tape, self, 0, &dx, &add)) return;
  if (!add) memset(dx.data, 0, dx.rows * dx.cols * sizeof *dx.data);
  const sotto_i_node *node = sotto_i_tape_node(tape, self);
  sotto_matrix x = sotto_i_tape_input_value(tape, self, 0);
  sotto_error err = {0};
  sotto_status status = c->op->backward(c->context, &dx, &node->gradient, &x, &node->value, &err);
  if (status != SOTTO_OK) (void)sotto_i_tape_fail(tape, status, "gradient of %s: %s", c->op->name, err.text);
}

sotto_var sotto_tape_custom(sotto_tape *tape, sotto_var x, size_t rows, size_t cols, const sotto_tape_op *op,
                            const void *context) {
  sotto_matrix vx = sotto_tape_value(tape, x);
  sotto_var y = sotto_i_tape_push(tape, &x, 1, rows, cols, custom_backward);
  custom *saved = sotto_i_tape_memory(tape, 1, sizeof *saved);
  if (saved == NULL) return sotto_i_tape_void();
  *saved = (custom){op, context};
  sotto_i_tape_node(tape, y.index)->saved = saved;
  sotto_matrix vy = sotto_tape_value(tape, y);
  sotto_error err = {0};
  sotto_status status = op->forward(context, &vy, &vx, &err);
  if (status != SOTTO_OK) return sotto_i_tape_fail(tape, status, "%s: %s", op->name, err.text);
  return y;
}
