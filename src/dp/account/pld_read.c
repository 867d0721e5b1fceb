/* Reads epsilon or delta from a composed and tilted privacy loss distribution.
 *
 * delta(epsilon) = A - e^epsilon B, where A and B are the masses of P and of Q at losses above epsilon. The
 * window is read from the top down. A and B are in units of exp(-tilt p) and exp(-(tilt + 1) p) for a pivot
 * p, a loss that moves down before a power would overflow. With tilt >= 0 both then shrink, so that no sum
 * overflows. */
#include <math.h>

#include "pld.h"

/* Exponents stay below this, whatever the losses. */
static const double most_exponent = 550;

/* `a`, `b` at the pivot, and their parts that cover rounding; `target` is delta at the pivot. */
typedef struct reading {
  double pivot, a, b, pad_a, pad_b, target, at_floor;
} reading;

static void set_pivot(reading *r, const sotto_i_pld_sum *s, const sotto_i_pld_window *w, double pivot) {
  const double fall = r->pivot - pivot, less = exp(-s->tilt * fall), less_b = exp(-(s->tilt + 1) * fall);
  r->a *= less;
  r->pad_a *= less;
  r->b *= less_b;
  r->pad_b *= less_b;
  r->pivot = pivot;
  r->target = pivot == w->reference ? w->target : exp(log(w->target) + s->tilt * (pivot - w->reference));
  r->at_floor = exp(w->floor - pivot);
}

/* The answer between two points, at the lower of which delta exceeds the target, or at the floor. Comparisons
 * are written so that NAN is an error. */
static sotto_status interpolate(sotto_i_pld_answer *out, double *noise, const reading *r,
                                const sotto_i_pld_sum *s, const sotto_i_pld_window *w, double here) {
  const bool reached = !(r->a - here * r->b <= r->target);
  double answer = reached ? (r->a - r->target) / r->b : r->at_floor;
  if (answer < r->at_floor) answer = r->at_floor;
  const double rest = r->a - answer * r->b;
  if (!(isfinite(answer) && isfinite(rest) && r->a >= 0 && r->b >= 0)) return SOTTO_NUMERIC;
  out->epsilon = answer == r->at_floor ? w->floor : log(answer) + r->pivot;
  out->delta = rest > 0 ? exp(log(rest) + s->log_norm - s->tilt * r->pivot) : 0;
  out->slope = rest > 0 ? answer * r->b / rest : 0;
  *noise = rest > 0 ? (r->pad_a - answer * r->pad_b) / rest : 0;
  return isfinite(out->epsilon) && isfinite(out->delta) ? SOTTO_OK : SOTTO_NUMERIC;
}

/* The largest of the values, whose number is a multiple of four. *total is finite exactly where all are. */
static double largest_value(double *total, const double *values, size_t size) {
  double most[4] = {0}, sum[4] = {0};
  for (size_t k = 0; k < size; k += 4)
    for (size_t j = 0; j < 4; j++) {
      sum[j] += values[k + j];
      if (values[k + j] > most[j]) most[j] = values[k + j];
    }
  *total = sum[0] + sum[1] + sum[2] + sum[3];
  return fmax(fmax(most[0], most[1]), fmax(most[2], most[3]));
}

sotto_status sotto_i_pld_read(sotto_i_pld_answer *out, double *noise, const double *values,
                              const sotto_i_pld_sum *s, const sotto_i_pld_window *w, double bound) {
  const size_t size = (size_t)w->size;
  const double top = (w->first + w->size - 1) * w->width, per_loss = s->tilt + 1;
  const double grow = exp(w->width), shrink = exp(-w->width), heavier = exp(s->tilt * w->width);
  const size_t block = SOTTO_I_PLD_BLOCK * w->width * per_loss < 64 ? SOTTO_I_PLD_BLOCK : 1;
  const double start = (top - w->reference) * per_loss < most_exponent ? w->reference : top;
  double total, e = 0, inverse = 0, weight = 0;
  reading r = {.pivot = start};
  const double most = largest_value(&total, values, size);
  if (!(s->tilt >= 0 && isfinite(top + total + s->log_norm) && w->target > 0)) return SOTTO_NUMERIC;
  const double pad = bound * most;
  set_pivot(&r, s, w, start);
  for (size_t n = 0; n < size; n++) {
    double k = w->first + w->size - 1 - (double)n, x = k * w->width - r.pivot;
    const bool anew = (n & (block - 1)) == 0; /* exact again, so that errors do not accumulate */
    if (anew) e = exp(x);
    const bool ends = x + r.pivot <= w->floor;
    const double here = ends ? r.at_floor : e;
    if (!(r.a - here * r.b <= r.target) || ends) return interpolate(out, noise, &r, s, w, here);
    if (anew) {
      if (x * per_loss < -most_exponent) {
        set_pivot(&r, s, w, k * w->width);
        x = 0;
        e = 1;
      }
      inverse = exp(-x);
      weight = exp(-s->tilt * x);
    }
    const double value = values[(size_t)(int64_t)k & (size - 1)];
    const double g = ((value > 0 ? value : 0) + pad) * weight;
    r.a += g;
    r.b += g * inverse;
    r.pad_a += pad * weight;
    r.pad_b += pad * weight * inverse;
    e *= shrink;
    inverse *= grow;
    weight *= heavier;
  }
  return SOTTO_NOT_FOUND;
}
