/* The bound on errors of single precision. */
#include "rounding.h"

double check_rounding(size_t roundings, double size) {
  double units = (double)roundings * 0x1p-24;
  return units / (1 - units) * size + (double)roundings * 0x1p-150;
}
