/* Element-wise operations: sums, products, activations. */
#include "base/threads.h"
#include "inside/tensor.h"
#include "kernels.h"
#include "tape.h"

/* One kernel over a range of elements; the member that is set selects it. */
typedef struct job {
  float *y;
  const float *a, *b;
  sotto_i_map_fn map;
  sotto_i_map2_fn map2;
  sotto_i_slope_fn slope;
  float factor;
  bool add;
} job;

static void run_range(void *context, size_t begin, size_t end) {
  const job *j = context;
  size_t n = end - begin;
  if (j->map != NULL)
    j->map(j->y + begin, j->a + begin, n);
  else if (j->map2 != NULL)
    j->map2(j->y + begin, j->a + begin, j->b + begin, n);
  else if (j->slope != NULL)
    j->slope(j->y + begin, j->a + begin, j->b + begin, j->add, n);
  else
    sotto_i_kernels()->axpy(j->y + begin, j->a + begin, j->factor, j->add, n);
}

static void run_elementwise(job j, size_t count) {
  sotto_i_parallel(count, SOTTO_I_GRAIN, run_range, &j);
}

static bool same_shape(sotto_tape *tape, const char *op, sotto_matrix a, sotto_matrix b) {
  if (a.rows == b.rows && a.cols == b.cols) return true;
  (void)sotto_i_tape_fail(tape, SOTTO_INVALID,
                          "%s of %zu x %zu and %zu x %zu values: the shapes must be equal", op, a.rows,
                          a.cols, b.rows, b.cols);
  return false;
}

static sotto_var apply_binary(sotto_tape *tape, const char *op, sotto_var a, sotto_var b,
                              sotto_i_map2_fn map2, sotto_i_backward_fn backward) {
  sotto_matrix va = sotto_tape_value(tape, a), vb = sotto_tape_value(tape, b);
  (void)same_shape(tape, op, va, vb);
  sotto_var y = sotto_i_tape_push(tape, (sotto_var[]){a, b}, 2, va.rows, va.cols, backward);
  if (sotto_i_var_void(y)) return y;
  run_elementwise((job){.y = sotto_tape_value(tape, y).data, .a = va.data, .b = vb.data, .map2 = map2},
                  va.rows * va.cols);
  return y;
}

/* Gradient of an input: factor times the gradient of this node. */
static void add_scaled_gradient(sotto_tape *tape, uint32_t self, int which, float factor) {
  sotto_matrix dx, dy = sotto_i_tape_node(tape, self)->gradient;
  bool add;
  if (!sotto_i_tape_sink(tape, self, which, &dx, &add)) return;
  run_elementwise((job){.y = dx.data, .a = dy.data, .factor = factor, .add = add}, dy.rows * dy.cols);
}

static void add_backward(sotto_tape *tape, uint32_t self) {
  sotto_i_tape_pass(tape, self, 0);
  sotto_i_tape_pass(tape, self, 1);
}

static void subtract_backward(sotto_tape *tape, uint32_t self) {
  sotto_i_tape_pass(tape, self, 0);
  add_scaled_gradient(tape, self, 1, -1.0F);
}

static void multiply_backward(sotto_tape *tape, uint32_t self) {
  for (int which = 0; which < 2; which++) {
    sotto_matrix dx, dy = sotto_i_tape_node(tape, self)->gradient;
    bool add;
    if (!sotto_i_tape_sink(tape, self, which, &dx, &add)) continue;
    sotto_matrix other = sotto_i_tape_input_value(tape, self, 1 - which);
    run_elementwise(
        (job){.y = dx.data, .a = dy.data, .b = other.data, .slope = sotto_i_kernels()->product, .add = add},
        dy.rows * dy.cols);
  }
}

sotto_var sotto_tape_add(sotto_tape *tape, sotto_var a, sotto_var b) {
  return apply_binary(tape, "a sum", a, b, sotto_i_kernels()->add, add_backward);
}

sotto_var sotto_tape_subtract(sotto_tape *tape, sotto_var a, sotto_var b) {
  return apply_binary(tape, "a difference", a, b, sotto_i_kernels()->subtract, subtract_backward);
}

sotto_var sotto_tape_multiply(sotto_tape *tape, sotto_var a, sotto_var b) {
  return apply_binary(tape, "a product by element", a, b, sotto_i_kernels()->multiply, multiply_backward);
}

static void scale_backward(sotto_tape *tape, uint32_t self) {
  const float *factor = sotto_i_tape_node(tape, self)->saved;
  add_scaled_gradient(tape, self, 0, *factor);
}

sotto_var sotto_tape_scale(sotto_tape *tape, sotto_var x, float factor) {
  sotto_matrix vx = sotto_tape_value(tape, x);
  sotto_var y = sotto_i_tape_push(tape, &x, 1, vx.rows, vx.cols, scale_backward);
  float *saved = sotto_i_tape_memory(tape, 1, sizeof *saved);
  if (saved == NULL) return sotto_i_tape_void();
  *saved = factor;
  sotto_i_tape_node(tape, y.index)->saved = saved;
  run_elementwise((job){.y = sotto_tape_value(tape, y).data, .a = vx.data, .factor = factor},
                  vx.rows * vx.cols);
  return y;
}

/* Activations: their gradient is computed from their value. */
static sotto_var activate(sotto_tape *tape, sotto_var x, sotto_i_map_fn map, sotto_i_backward_fn backward) {
  sotto_matrix vx = sotto_tape_value(tape, x);
  sotto_var y = sotto_i_tape_push(tape, &x, 1, vx.rows, vx.cols, backward);
  if (sotto_i_var_void(y)) return y;
  run_elementwise((job){.y = sotto_tape_value(tape, y).data, .a = vx.data, .map = map}, vx.rows * vx.cols);
  return y;
}

static void activate_backward(sotto_tape *tape, uint32_t self, sotto_i_slope_fn slope) {
  sotto_matrix dx, dy = sotto_i_tape_node(tape, self)->gradient, y = sotto_i_tape_node(tape, self)->value;
  bool add;
  if (!sotto_i_tape_sink(tape, self, 0, &dx, &add)) return;
  run_elementwise((job){.y = dx.data, .a = dy.data, .b = y.data, .slope = slope, .add = add},
                  dy.rows * dy.cols);
}

static void relu_backward(sotto_tape *tape, uint32_t self) {
  activate_backward(tape, self, sotto_i_kernels()->relu_slope);
}

static void selu_backward(sotto_tape *tape, uint32_t self) {
  activate_backward(tape, self, sotto_i_kernels()->selu_slope);
}

static void tanh_backward(sotto_tape *tape, uint32_t self) {
  activate_backward(tape, self, sotto_i_kernels()->tanh_slope);
}

static void sigmoid_backward(sotto_tape *tape, uint32_t self) {
  activate_backward(tape, self, sotto_i_kernels()->sigmoid_slope);
}

sotto_var sotto_tape_relu(sotto_tape *tape, sotto_var x) {
  return activate(tape, x, sotto_i_kernels()->relu, relu_backward);
}

sotto_var sotto_tape_selu(sotto_tape *tape, sotto_var x) {
  return activate(tape, x, sotto_i_kernels()->selu, selu_backward);
}

sotto_var sotto_tape_tanh(sotto_tape *tape, sotto_var x) {
  return activate(tape, x, sotto_i_kernels()->tanh, tanh_backward);
}

sotto_var sotto_tape_sigmoid(sotto_tape *tape, sotto_var x) {
  return activate(tape, x, sotto_i_kernels()->sigmoid, sigmoid_backward);
}
