/* Stockham's self-sorting radix-4 transform (Van Loan 1992, section 1.7) of size/2 complex values, and the
 * step that makes it a transform of size real ones. Real and imaginary parts are separate arrays and the
 * inner loop runs over consecutive values, so that compilers vectorise it. */
#include "fft.h"

#include <math.h>
#include <string.h>

#include "base/cancel.h"
#include "base/memory.h"

static const double pi = 3.14159265358979323846;

enum { table_step = 1024 };

/* exp(2 pi i k / size) as the product of a coarse and a fine entry: two roundings instead of a sine each. */
static void fill_table(sotto_i_fft *fft) {
  double fine_cos[table_step], fine_sin[table_step];
  size_t count = 3 * fft->size / 4;
  double unit = 2 * pi / (double)fft->size;
  for (size_t k = 0; k < table_step && k < count; k++) {
    fine_cos[k] = cos(unit * (double)k);
    fine_sin[k] = sin(unit * (double)k);
  }
  for (size_t first = 0; first < count; first += table_step) {
    double c = cos(unit * (double)first), s = sin(unit * (double)first);
    size_t end = count - first < table_step ? count - first : table_step;
    for (size_t k = 0; k < end; k++) {
      fft->cosines[first + k] = c * fine_cos[k] - s * fine_sin[k];
      fft->sines[first + k] = s * fine_cos[k] + c * fine_sin[k];
    }
  }
}

sotto_status sotto_i_fft_new(sotto_i_fft *out, size_t size, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  SOTTO_I_CHECK(size >= 8 && size <= (size_t)1 << 26 && (size & (size - 1)) == 0);
  *out = (sotto_i_fft){.size = size};
  SOTTO_TRY(sotto_i_new_raw(&out->cosines, 3 * size / 4, sizeof(double), err));
  SOTTO_TRY(sotto_i_new_raw(&out->sines, 3 * size / 4, sizeof(double), err));
  SOTTO_TRY(sotto_i_new_raw(&out->scratch_re, size / 2, sizeof(double), err));
  SOTTO_TRY(sotto_i_new_raw(&out->scratch_im, size / 2, sizeof(double), err));
  SOTTO_TRY(sotto_i_new_raw(&out->half_re, size / 2, sizeof(double), err));
  SOTTO_TRY(sotto_i_new_raw(&out->half_im, size / 2, sizeof(double), err));
  fill_table(out);
done:
  if (status != SOTTO_OK) sotto_i_fft_free(out);
  return status;
}

void sotto_i_fft_free(sotto_i_fft *fft) {
  sotto_i_free(fft->cosines);
  sotto_i_free(fft->sines);
  sotto_i_free(fft->scratch_re);
  sotto_i_free(fft->scratch_im);
  sotto_i_free(fft->half_re);
  sotto_i_free(fft->half_im);
  *fft = (sotto_i_fft){0};
}

/* One butterfly over `stride` neighbouring columns: y[q + stride (4p + j)] from x[q + stride (p + j n/4)]. */
static void butterfly(double *restrict yr, double *restrict yi, const double *restrict xr,
                      const double *restrict xi, size_t stride, size_t quarter, const double w[6]) {
  const double *ar = xr, *ai = xi;
  const double *br = xr + stride * quarter, *bi = xi + stride * quarter;
  const double *cr = xr + 2 * stride * quarter, *ci = xi + 2 * stride * quarter;
  const double *dr = xr + 3 * stride * quarter, *di = xi + 3 * stride * quarter;
  for (size_t q = 0; q < stride; q++) {
    double sr = ar[q] + cr[q], si = ai[q] + ci[q], tr = ar[q] - cr[q], ti = ai[q] - ci[q];
    double ur = br[q] + dr[q], ui = bi[q] + di[q], vr = br[q] - dr[q], vi = bi[q] - di[q];
    double er = tr + vi, ei = ti - vr; /* t - i v */
    double fr = sr - ur, fi = si - ui;
    double gr = tr - vi, gi = ti + vr; /* t + i v */
    yr[q] = sr + ur;
    yi[q] = si + ui;
    yr[q + stride] = er * w[0] + ei * w[1];
    yi[q + stride] = ei * w[0] - er * w[1];
    yr[q + 2 * stride] = fr * w[2] + fi * w[3];
    yi[q + 2 * stride] = fi * w[2] - fr * w[3];
    yr[q + 3 * stride] = gr * w[4] + gi * w[5];
    yi[q + 3 * stride] = gi * w[4] - gr * w[5];
  }
}

/* Transforms the size/2 complex values in (re, im) in place; (re, im) and scratch swap roles at each stage.
 */
static void transform(sotto_i_fft *fft, double *re, double *im) {
  size_t total = fft->size / 2, length = total, stride = 1;
  double *xr = re, *xi = im, *yr = fft->scratch_re, *yi = fft->scratch_im;
  for (; length >= 4 && !sotto_i_stopped(); length /= 4, stride *= 4) {
    size_t quarter = length / 4, step = fft->size / length;
    for (size_t p = 0; p < quarter; p++) {
      const double w[6] = {fft->cosines[p * step],   fft->sines[p * step],       fft->cosines[2 * p * step],
                           fft->sines[2 * p * step], fft->cosines[3 * p * step], fft->sines[3 * p * step]};
      butterfly(yr + 4 * stride * p, yi + 4 * stride * p, xr + stride * p, xi + stride * p, stride, quarter,
                w);
    }
    double *swap = xr;
    xr = yr;
    yr = swap;
    swap = xi;
    xi = yi;
    yi = swap;
  }
  if (length == 2) {
    for (size_t q = 0; q < stride; q++) {
      double ar = xr[q], ai = xi[q], br = xr[q + stride], bi = xi[q + stride];
      xr[q] = ar + br;
      xi[q] = ai + bi;
      xr[q + stride] = ar - br;
      xi[q + stride] = ai - bi;
    }
  }
  if (xr != re) {
    memcpy(re, xr, total * sizeof *re);
    memcpy(im, xi, total * sizeof *im);
  }
}

void sotto_i_fft_forward(sotto_i_fft *fft, double *re, double *im, const double *x) {
  size_t half = fft->size / 2;
  double *zr = fft->half_re, *zi = fft->half_im;
  for (size_t j = 0; j < half; j++) {
    zr[j] = x[2 * j];
    zi[j] = x[2 * j + 1];
  }
  transform(fft, zr, zi);
  re[0] = zr[0] + zi[0];
  re[half] = zr[0] - zi[0];
  im[0] = im[half] = 0;
  for (size_t k = 1; k < half; k++) {
    double er = (zr[k] + zr[half - k]) / 2, ei = (zi[k] - zi[half - k]) / 2; /* spectrum of the even values */
    double or = (zi[k] + zi[half - k]) / 2, oi = (zr[half - k] - zr[k]) / 2; /* and of the odd ones */
    re[k] = er + fft->cosines[k] * or +fft->sines[k] * oi;
    im[k] = ei + fft->cosines[k] * oi - fft->sines[k] * or ;
  }
}

void sotto_i_fft_inverse(sotto_i_fft *fft, double *x, const double *re, const double *im) {
  size_t half = fft->size / 2;
  double *zr = fft->half_re, *zi = fft->half_im;
  double scale = 1 / (double)fft->size;
  zr[0] = (re[0] + re[half]) * scale;
  zi[0] = (re[0] - re[half]) * scale;
  for (size_t k = 1; k < half; k++) {
    double er = re[k] + re[half - k], ei = im[k] - im[half - k];
    double dr = re[k] - re[half - k], di = im[k] + im[half - k];
    double or = dr * fft->cosines[k] - di * fft->sines[k], oi = di * fft->cosines[k] + dr * fft->sines[k];
    zr[k] = (er - oi) * scale;
    zi[k] = (ei + or) * scale;
  }
  transform(fft, zi, zr); /* swapping real and imaginary parts before and after gives the inverse transform */
  for (size_t j = 0; j < half; j++) {
    x[2 * j] = zr[j];
    x[2 * j + 1] = zi[j];
  }
}
