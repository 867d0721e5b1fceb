/* Dense products on all threads. A narrow second factor uses our own kernel, others OpenBLAS. Work is
 * split by rows of the result, or, for small results of long sums, by chunks of the sum whose partial
 * results are added in order. */
#include "product.h"

#include <cblas.h>
#include <limits.h>
#include <string.h>

#include "base/threads.h"
#include "blas/begin.h"
#include "kernels.h"

enum {
  row_block = 512,       /* rows of a result that one call of OpenBLAS computes */
  wide_block = 256,      /* the same for a transposed product */
  sum_chunk = 1024,      /* minimum number of terms in one partial result */
  most_partials = 64,    /* of one product */
  most_floats = 1 << 21, /* total floats of the partial results */
  least_partials = 4,    /* with fewer, splitting by rows of the result uses more threads */
  column_chunk = 512,    /* rows in one partial column sum */
  narrow_lanes = 16,     /* columns of a narrow product are a multiple of this */
  least_turned = 64      /* minimum rows of a for which a transposed b is transposed first */
};

typedef struct job {
  sotto_matrix *c;
  const sotto_i_product *p;
  const float *bias;
  float *partials; /* or the transposed b */
  size_t grain;
} job;

static size_t result_rows(const sotto_i_product *p) {
  return p->transpose_a ? p->a->cols : p->a->rows;
}
static size_t result_cols(const sotto_i_product *p) {
  return p->transpose_b ? p->b->rows : p->b->cols;
}
static size_t sum_length(const sotto_i_product *p) {
  return p->transpose_a ? p->a->rows : p->a->cols;
}

bool sotto_i_product_fits(const sotto_matrix *c, const sotto_i_product *p) {
  size_t other = p->transpose_b ? p->b->cols : p->b->rows;
  return sum_length(p) == other && c->rows == result_rows(p) && c->cols == result_cols(p) &&
         p->a->rows < INT_MAX && p->a->cols < INT_MAX && p->b->rows < INT_MAX && p->b->cols < INT_MAX;
}

/* Whether our own kernel is faster. A transposed b is transposed first if there are enough rows. */
static bool is_narrow(const sotto_i_product *p) {
  const size_t cols = result_cols(p);
  return cols % narrow_lanes == 0 && cols <= sotto_i_kernels()->narrow_most && p->alpha == 1.0F &&
         (p->beta == 0.0F || p->beta == 1.0F) &&
         (!p->transpose_b || (!p->transpose_a && p->a->rows >= least_turned));
}

/* c = start + op(a) b, one block of terms at a time. */
static void multiply_narrow(sotto_i_narrow n, const sotto_i_product *p, size_t terms) {
  const sotto_i_kernel_table *kernels = sotto_i_kernels();
  const size_t width = p->a->cols,
               block = p->transpose_a ? kernels->narrow_transposed : kernels->narrow_inner;
  const float *a = n.a, *b = n.b;
  n.row_step = p->transpose_a ? 1 : width;
  n.inner_step = p->transpose_a ? width : 1;
  n.cols = result_cols(p);
  for (size_t from = 0; from < terms; from += block) {
    n.a = a + from * n.inner_step;
    n.b = b + from * n.cols;
    n.inner = terms - from < block ? terms - from : block;
    n.ahead = p->transpose_a && terms - from >= 2 * block ? block * width : 0;
    kernels->narrow(&n);
    n.start = n.c;
    n.start_step = n.cols;
  }
}

/* c (rows x cols) = alpha op(a) op(b) + beta c; row lengths are those of the whole matrices. */
static void multiply_block(float *c, const float *a, const float *b, const sotto_i_product *p, size_t rows,
                           size_t terms, float beta) {
  size_t cols = result_cols(p);
  cblas_sgemm(CblasRowMajor, p->transpose_a ? CblasTrans : CblasNoTrans,
              p->transpose_b ? CblasTrans : CblasNoTrans, (int)rows, (int)cols, (int)terms, p->alpha, a,
              (int)p->a->cols, b, (int)p->b->cols, beta, c, (int)cols);
}

static void multiply_rows(void *context, size_t begin, size_t end) {
  const job *j = context;
  const sotto_i_product *p = j->p;
  float *c = j->c->data + begin * j->c->cols;
  const float *a = p->transpose_a ? p->a->data + begin : p->a->data + begin * p->a->cols;
  if (is_narrow(p)) {
    const float *start = j->bias != NULL ? j->bias : p->beta == 0.0F ? NULL : c;
    multiply_narrow((sotto_i_narrow){.c = c,
                                     .start = start,
                                     .start_step = j->bias != NULL ? 0 : j->c->cols,
                                     .a = a,
                                     .b = p->transpose_b ? j->partials : p->b->data,
                                     .rows = end - begin},
                    p, sum_length(p));
    return;
  }
  if (j->bias != NULL)
    for (size_t i = 0; i < end - begin; i++) memcpy(c + i * j->c->cols, j->bias, j->c->cols * sizeof *c);
  multiply_block(c, a, p->b->data, p, end - begin, sum_length(p), p->beta);
}

static void multiply_chunks(void *context, size_t begin, size_t end) {
  const job *j = context;
  const sotto_i_product *p = j->p;
  float *partial = j->partials + begin / j->grain * (j->c->rows * j->c->cols);
  const float *a = p->a->data + begin * p->a->cols, *b = p->b->data + begin * p->b->cols;
  if (is_narrow(p))
    multiply_narrow((sotto_i_narrow){.c = partial, .a = a, .b = b, .rows = j->c->rows}, p, end - begin);
  else
    multiply_block(partial, a, b, p, j->c->rows, end - begin, 0.0F);
}

/* Number of partial results of a transposed product; 0: it is split by rows of the result instead.
 * Splitting the sum is preferred, since each row of a and b is then read once by one thread. */
static size_t count_partials(const sotto_i_product *p) {
  if (!p->transpose_a || p->transpose_b) return 0;
  size_t parts = sum_length(p) / sum_chunk, result = result_rows(p) * result_cols(p);
  if (parts > most_partials) parts = most_partials;
  if (result > 0 && parts > most_floats / result) parts = most_floats / result;
  return parts < least_partials ? 0 : parts;
}

size_t sotto_i_gemm_scratch(const sotto_i_product *p) {
  if (p->transpose_b && is_narrow(p)) return p->b->rows * p->b->cols;
  return count_partials(p) * result_rows(p) * result_cols(p);
}

static void transpose(float *to, const sotto_matrix *from) {
  for (size_t i = 0; i < from->rows; i++)
    for (size_t j = 0; j < from->cols; j++) to[j * from->rows + i] = from->data[i * from->cols + j];
}

static void scale(sotto_matrix *c, float beta) {
  size_t count = c->rows * c->cols;
  if (beta == 0.0F) {
    memset(c->data, 0, count * sizeof *c->data);
  } else if (beta != 1.0F) {
    for (size_t i = 0; i < count; i++) c->data[i] *= beta;
  }
}

void sotto_i_gemm(sotto_matrix *c, const sotto_i_product *p, float *scratch) {
  sotto_i_blas_begin();
  if (c->rows == 0 || c->cols == 0) return;
  job j = {.c = c, .p = p, .partials = scratch};
  size_t parts = count_partials(p);
  if (sum_length(p) == 0) {
    scale(c, p->beta);
  } else if (parts == 0) {
    if (p->transpose_b && is_narrow(p)) transpose(scratch, p->b);
    sotto_i_parallel(c->rows, p->transpose_a ? wide_block : row_block, multiply_rows, &j);
  } else {
    j.grain = (sum_length(p) + parts - 1) / parts;
    sotto_i_parallel(sum_length(p), j.grain, multiply_chunks, &j);
    scale(c, p->beta);
    size_t count = c->rows * c->cols;
    parts = (sum_length(p) - 1) / j.grain + 1; /* rounding may make the last chunk empty */
    for (size_t i = 0; i < parts; i++)
      sotto_i_kernels()->axpy(c->data, scratch + i * count, 1.0F, true, count);
  }
}

void sotto_i_affine(sotto_matrix *c, const sotto_matrix *a, const sotto_matrix *w, const float *bias) {
  sotto_i_blas_begin();
  sotto_i_product p = {.a = a, .b = w, .alpha = 1.0F, .beta = 1.0F};
  job j = {.c = c, .p = &p, .bias = bias};
  if (c->rows == 0 || c->cols == 0) return;
  if (a->cols == 0)
    for (size_t i = 0; i < c->rows; i++) memcpy(c->data + i * c->cols, bias, c->cols * sizeof *bias);
  else
    sotto_i_parallel(c->rows, row_block, multiply_rows, &j);
}

typedef struct column_job {
  const sotto_matrix *x;
  float *partials;
} column_job;

static void sum_columns(void *context, size_t begin, size_t end) {
  const column_job *j = context;
  size_t cols = j->x->cols;
  sotto_i_kernels()->column_sums(j->partials + begin / column_chunk * cols, j->x->data + begin * cols,
                                 end - begin, cols);
}

size_t sotto_i_column_scratch(size_t rows, size_t cols) {
  return (rows + column_chunk - 1) / column_chunk * cols;
}

void sotto_i_column_sums(float *sums, const sotto_matrix *x, bool add, float *scratch) {
  column_job j = {.x = x, .partials = scratch};
  if (!add) memset(sums, 0, x->cols * sizeof *sums);
  sotto_i_parallel(x->rows, column_chunk, sum_columns, &j);
  size_t partials = (x->rows + column_chunk - 1) / column_chunk;
  for (size_t i = 0; i < partials; i++)
    sotto_i_kernels()->axpy(sums, scratch + i * x->cols, 1.0F, true, x->cols);
}
