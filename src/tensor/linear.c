/* Linear layers on a tape: products and biases. A constant operand costs nothing in the backward pass. */
#include "base/threads.h"
#include "inside/tensor.h"
#include "kernels.h"
#include "product.h"
#include "tape.h"

static void multiply_into(sotto_tape *tape, sotto_matrix *c, sotto_i_product p, bool add) {
  p.alpha = 1.0F;
  p.beta = add ? 1.0F : 0.0F;
  size_t floats = sotto_i_gemm_scratch(&p);
  float *scratch = floats == 0 ? NULL : sotto_i_tape_memory(tape, floats, sizeof *scratch);
  if (floats == 0 || scratch != NULL) sotto_i_gemm(c, &p, scratch);
}

/* The sparse view of the first factor; NULL when it is not mostly 0. */
static const sotto_i_sparse_view *sparse_input(sotto_tape *tape, uint32_t self) {
  const sotto_i_node *x = sotto_i_tape_node(tape, sotto_i_tape_node(tape, self)->inputs[0]);
  return x->sparse.sparse == NULL ? NULL : &x->sparse;
}

/* db = a^T dy for a constant a that is mostly 0. */
static void sparse_backward(sotto_tape *tape, uint32_t self) {
  const sotto_i_sparse_view a = *sparse_input(tape, self);
  sotto_matrix db, dy = sotto_i_tape_node(tape, self)->gradient;
  sotto_error err = {0};
  bool add;
  if (!sotto_i_tape_sink(tape, self, 1, &db, &add)) return;
  if (sotto_i_sparse_make_columns(a.sparse, &err) != SOTTO_OK) {
    (void)sotto_i_tape_fail(tape, err.status, "%s", err.text);
    return;
  }
  sotto_i_sparse_transposed(&db, &a, &dy, add);
}

/* y = a b: da = dy b^T, db = a^T dy. */
static void matmul_backward(sotto_tape *tape, uint32_t self) {
  if (sparse_input(tape, self) != NULL) {
    sparse_backward(tape, self);
    return;
  }
  sotto_matrix a = sotto_i_tape_input_value(tape, self, 0), b = sotto_i_tape_input_value(tape, self, 1);
  sotto_matrix dx, dy = sotto_i_tape_node(tape, self)->gradient;
  bool add;
  if (sotto_i_tape_sink(tape, self, 0, &dx, &add))
    multiply_into(tape, &dx, (sotto_i_product){.a = &dy, .b = &b, .transpose_b = true}, add);
  if (sotto_i_tape_sink(tape, self, 1, &dx, &add))
    multiply_into(tape, &dx, (sotto_i_product){.a = &a, .b = &dy, .transpose_a = true}, add);
}

static bool product_fits(sotto_tape *tape, const sotto_matrix *a, const sotto_matrix *b) {
  sotto_matrix c = {NULL, a->rows, b->cols};
  sotto_i_product p = {.a = a, .b = b};
  if (sotto_i_product_fits(&c, &p)) return true;
  (void)sotto_i_tape_fail(tape, SOTTO_INVALID,
                          "a product of %zu x %zu and %zu x %zu values: the shapes do not fit", a->rows,
                          a->cols, b->rows, b->cols);
  return false;
}

sotto_var sotto_tape_matmul(sotto_tape *tape, sotto_var a, sotto_var b) {
  sotto_matrix va = sotto_tape_value(tape, a), vb = sotto_tape_value(tape, b);
  (void)product_fits(tape, &va, &vb);
  sotto_var y = sotto_i_tape_push_product(tape, (sotto_var[]){a, b}, 2, va.rows, vb.cols, matmul_backward);
  if (sotto_i_var_void(y)) return y;
  sotto_matrix vy = sotto_tape_value(tape, y);
  const sotto_i_product p = {.a = &va, .b = &vb, .alpha = 1.0F};
  const sotto_i_sparse_view *sparse = sparse_input(tape, y.index);
  if (sparse != NULL)
    sotto_i_sparse_affine(&vy, sparse, &vb, NULL);
  else
    sotto_i_gemm(&vy, &p, NULL);
  return y;
}

/* dbias = column sums of dy; the bias is input `which`. */
static void bias_backward(sotto_tape *tape, uint32_t self, int which) {
  sotto_matrix dx, dy = sotto_i_tape_node(tape, self)->gradient;
  bool add;
  if (!sotto_i_tape_sink(tape, self, which, &dx, &add)) return;
  float *scratch = sotto_i_tape_memory(tape, sotto_i_column_scratch(dy.rows, dy.cols), sizeof *scratch);
  if (scratch != NULL) sotto_i_column_sums(dx.data, &dy, add, scratch);
}

static bool is_bias(sotto_tape *tape, const sotto_matrix *bias, size_t cols) {
  if (bias->rows == 1 && bias->cols == cols) return true;
  (void)sotto_i_tape_fail(tape, SOTTO_INVALID, "a bias of %zu x %zu values for rows of %zu values",
                          bias->rows, bias->cols, cols);
  return false;
}

static void linear_backward(sotto_tape *tape, uint32_t self) {
  matmul_backward(tape, self);
  bias_backward(tape, self, 2);
}

sotto_var sotto_tape_linear(sotto_tape *tape, sotto_var x, sotto_var weight, sotto_var bias) {
  sotto_matrix vx = sotto_tape_value(tape, x), vw = sotto_tape_value(tape, weight);
  sotto_matrix vb = sotto_tape_value(tape, bias);
  (void)(product_fits(tape, &vx, &vw) && is_bias(tape, &vb, vw.cols));
  sotto_var y =
      sotto_i_tape_push_product(tape, (sotto_var[]){x, weight, bias}, 3, vx.rows, vw.cols, linear_backward);
  if (sotto_i_var_void(y)) return y;
  sotto_matrix vy = sotto_tape_value(tape, y);
  const sotto_i_sparse_view *sparse = sparse_input(tape, y.index);
  if (sparse != NULL)
    sotto_i_sparse_affine(&vy, sparse, &vw, vb.data);
  else
    sotto_i_affine(&vy, &vx, &vw, vb.data);
  return y;
}

typedef struct bias_job {
  sotto_matrix y, x;
  const float *bias;
} bias_job;

static void add_rows(void *context, size_t begin, size_t end) {
  const bias_job *j = context;
  size_t first = begin * j->x.cols;
  sotto_i_kernels()->add_row(j->y.data + first, j->x.data + first, j->bias, end - begin, j->x.cols);
}

static void add_row_backward(sotto_tape *tape, uint32_t self) {
  sotto_i_tape_pass(tape, self, 0);
  bias_backward(tape, self, 1);
}

sotto_var sotto_tape_add_row(sotto_tape *tape, sotto_var x, sotto_var bias) {
  sotto_matrix vx = sotto_tape_value(tape, x), vb = sotto_tape_value(tape, bias);
  (void)is_bias(tape, &vb, vx.cols);
  sotto_var y = sotto_i_tape_push(tape, (sotto_var[]){x, bias}, 2, vx.rows, vx.cols, add_row_backward);
  if (sotto_i_var_void(y)) return y;
  bias_job j = {sotto_tape_value(tape, y), vx, vb.data};
  sotto_i_parallel(vx.rows, sotto_i_row_grain(vx.cols), add_rows, &j);
  return y;
}
