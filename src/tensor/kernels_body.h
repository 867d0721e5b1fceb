/* The kernels, written so that the compiler vectorises them. kernels_*.c include this file once per
 * instruction set, with KERNEL_TABLE as the name of the table. */
#include <math.h>

#include "tensor/kernels.h"

#ifndef KERNEL_TABLE
#error "to be included by kernels_*.c"
#endif

/* out[i] (+)= value, with the test for `add` outside the loop. */
#define EACH(out, value)                                                                                     \
  do {                                                                                                       \
    if (add)                                                                                                 \
      for (size_t i = 0; i < n; i++) (out)[i] += (value);                                                    \
    else                                                                                                     \
      for (size_t i = 0; i < n; i++) (out)[i] = (value);                                                     \
  } while (0)

static inline uint32_t bits_of(float x) {
  uint32_t bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline float float_of(uint32_t bits) {
  float x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}

/* exp(x) - 1 for x in [-87, 88] is scale * result + (scale - 1), where scale = 2^k, k = round(x / log 2).
 * The result is exp(r) - 1 on |r| <= log(2) / 2 by a minimax polynomial (coefficients of Cephes expf). */
static inline float exp_parts(float x, float *scale) {
  const float magic = 0x1.8p23F; /* adding it rounds to an integer, which is then in the low bits */
  float shifted = x * 1.44269504F + magic;
  float k = shifted - magic;
  float r = x - k * 0.693359375F; /* exact: the constant has few bits */
  r -= k * -2.12194440e-4F;
  float p = 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  *scale = float_of((bits_of(shifted) - bits_of(magic) + 127U) << 23);
  return p * (r * r) + r;
}

/* For x <= 88; 0 below -87. NaN stays NaN. */
static inline float exp_one(float x) {
  float scale;
  float p = exp_parts(x < -87.0F ? -87.0F : x, &scale);
  return x < -87.0F ? 0.0F : scale * p + scale;
}

/* For x <= 88. */
static inline float expm1_one(float x) {
  float scale;
  float p = exp_parts(x < -87.0F ? -87.0F : x, &scale);
  return scale * p + (scale - 1.0F);
}

static void axpy(float *restrict y, const float *restrict x, float factor, bool add, size_t n) {
  EACH(y, factor * x[i]);
}

static void add_two(float *restrict y, const float *restrict a, const float *restrict b, size_t n) {
  for (size_t i = 0; i < n; i++) y[i] = a[i] + b[i];
}

static void subtract(float *restrict y, const float *restrict a, const float *restrict b, size_t n) {
  for (size_t i = 0; i < n; i++) y[i] = a[i] - b[i];
}

static void multiply(float *restrict y, const float *restrict a, const float *restrict b, size_t n) {
  for (size_t i = 0; i < n; i++) y[i] = a[i] * b[i];
}

static void product(float *restrict dx, const float *restrict dy, const float *restrict b, bool add,
                    size_t n) {
  EACH(dx, dy[i] * b[i]);
}

/* Written so that NaN passes through. */
static void relu(float *restrict y, const float *restrict x, size_t n) {
  for (size_t i = 0; i < n; i++) y[i] = x[i] < 0.0F ? 0.0F : x[i];
}

static void relu_slope(float *restrict dx, const float *restrict dy, const float *restrict y, bool add,
                       size_t n) {
  EACH(dx, y[i] > 0.0F ? dy[i] : 0.0F);
}

/* Klambauer et al. 2017: lambda x above 0, lambda alpha (exp(x) - 1) below. */
static const float selu_lambda = 1.0507009873554804934193F;
static const float selu_lambda_alpha = 1.7580993408473768599402F;

static void selu(float *restrict y, const float *restrict x, size_t n) {
  for (size_t i = 0; i < n; i++) {
    float below = selu_lambda_alpha * expm1_one(x[i] > 0.0F ? 0.0F : x[i]);
    y[i] = x[i] > 0.0F ? selu_lambda * x[i] : below;
  }
}

static void selu_slope(float *restrict dx, const float *restrict dy, const float *restrict y, bool add,
                       size_t n) {
  EACH(dx, dy[i] * (y[i] > 0.0F ? selu_lambda : y[i] + selu_lambda_alpha));
}

/* tanh |x| = -t / (t + 2) with t = exp(-2 |x|) - 1. */
static void tanh_all(float *restrict y, const float *restrict x, size_t n) {
  for (size_t i = 0; i < n; i++) {
    float t = expm1_one(-2.0F * fabsf(x[i]));
    y[i] = copysignf(-t / (t + 2.0F), x[i]);
  }
}

static void tanh_slope(float *restrict dx, const float *restrict dy, const float *restrict y, bool add,
                       size_t n) {
  EACH(dx, dy[i] * (1.0F - y[i] * y[i]));
}

static void sigmoid(float *restrict y, const float *restrict x, size_t n) {
  for (size_t i = 0; i < n; i++) {
    float e = exp_one(-fabsf(x[i]));
    float above = 1.0F / (1.0F + e);
    y[i] = x[i] < 0.0F ? e * above : above;
  }
}

static void sigmoid_slope(float *restrict dx, const float *restrict dy, const float *restrict y, bool add,
                          size_t n) {
  EACH(dx, dy[i] * (y[i] * (1.0F - y[i])));
}

static void exp_all(float *restrict y, const float *restrict x, size_t n) {
  for (size_t i = 0; i < n; i++) y[i] = exp_one(x[i]);
}

/* 16 unaligned floats; the compiler splits them into registers. */
typedef float wide __attribute__((vector_size(64), aligned(4), may_alias));

#define WIDE(x) (*(const wide *)(x))

#include "gather_body.h"
#include "narrow_body.h"

static float dot(const float *restrict a, const float *restrict b, size_t n) {
  float lanes[16] = {0};
  size_t whole = n / 16 * 16;
  for (size_t i = 0; i < whole; i += 16)
    for (size_t j = 0; j < 16; j++) lanes[j] += a[i + j] * b[i + j];
  float rest = 0.0F;
  for (size_t i = whole; i < n; i++) rest += a[i] * b[i];
  for (size_t width = 8; width > 0; width /= 2)
    for (size_t j = 0; j < width; j++) lanes[j] += lanes[j + width];
  return lanes[0] + rest;
}

/* An exponent of all ones is an infinity or NaN. */
static bool all_finite(const float *x, size_t n) {
  uint32_t bad = 0;
  for (size_t i = 0; i < n; i++) bad |= (uint32_t)((bits_of(x[i]) & 0x7f800000U) == 0x7f800000U);
  return bad == 0;
}

static void keep(uint8_t *restrict mask, const uint16_t *restrict random, uint32_t threshold, size_t n) {
  for (size_t i = 0; i < n; i++) mask[i] = random[i] < threshold;
}

static void masked(float *restrict y, const float *restrict x, const uint8_t *restrict mask, float factor,
                   bool add, size_t n) {
  EACH(y, mask[i] != 0 ? factor * x[i] : 0.0F);
}

static void add_row(float *restrict y, const float *restrict x, const float *restrict row, size_t rows,
                    size_t cols) {
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < cols; j++) y[i * cols + j] = x[i * cols + j] + row[j];
}

static void column_sums(float *restrict sums, const float *restrict x, size_t rows, size_t cols) {
  for (size_t j = 0; j < cols; j++) sums[j] = 0.0F;
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < cols; j++) sums[j] += x[i * cols + j];
}

/* Exponentials run over the whole block, since single rows are often too short to fill vectors. */
static void softmax(float *restrict p, double *restrict lse, size_t rows, size_t cols) {
  if (cols == 0) return;
  for (size_t i = 0; i < rows; i++) {
    float *row = p + i * cols;
    float most = row[0];
    for (size_t j = 1; j < cols; j++) most = row[j] > most ? row[j] : most;
    for (size_t j = 0; j < cols; j++) row[j] -= most;
    lse[i] = (double)most;
  }
  for (size_t i = 0; i < rows * cols; i++) p[i] = exp_one(p[i]);
  for (size_t i = 0; i < rows; i++) {
    float *row = p + i * cols;
    double sum = 0.0;
    for (size_t j = 0; j < cols; j++) sum += (double)row[j];
    float inverse = (float)(1.0 / sum);
    for (size_t j = 0; j < cols; j++) row[j] *= inverse;
    /* The sum is at least 1, since the largest term is exp(0). */
    /* cppcheck-suppress invalidFunctionArg */
    lse[i] += log(sum);
  }
}

/* Kingma and Ba 2015, in the order of operations of torch.optim.Adam. */
static void adam(float *restrict value, float *restrict first, float *restrict second,
                 const float *restrict gradient, const sotto_i_adam_numbers *numbers, size_t n) {
  const sotto_i_adam_numbers c = *numbers;
  for (size_t i = 0; i < n; i++) {
    float g = gradient[i] + c.weight_decay * value[i];
    first[i] += (g - first[i]) * c.one_minus_beta1;
    second[i] = second[i] * c.beta2 + c.one_minus_beta2 * g * g;
    float divisor = sqrtf(second[i]) / c.root_correction + c.epsilon;
    value[i] -= c.step_size * (first[i] / divisor);
  }
}

const sotto_i_kernel_table KERNEL_TABLE = {
    .axpy = axpy,
    .add = add_two,
    .subtract = subtract,
    .multiply = multiply,
    .product = product,
    .relu = relu,
    .selu = selu,
    .tanh = tanh_all,
    .sigmoid = sigmoid,
    .exp = exp_all,
    .relu_slope = relu_slope,
    .selu_slope = selu_slope,
    .tanh_slope = tanh_slope,
    .sigmoid_slope = sigmoid_slope,
    .gather = gather,
    .pick = pick,
    .narrow = narrow,
    .narrow_most = NARROW_MOST,
    .narrow_inner = NARROW_INNER,
    .narrow_transposed = NARROW_TRANSPOSED,
    .dot = dot,
    .finite = all_finite,
    .keep = keep,
    .masked = masked,
    .add_row = add_row,
    .column_sums = column_sums,
    .softmax = softmax,
    .adam = adam,
};

#undef NARROW_MOST
#undef NARROW_INNER
#undef NARROW_TRANSPOSED
#undef WIDE
#undef EACH
