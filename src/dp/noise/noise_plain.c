/* Noise kernels for any machine. */
#define NOISE_NAME(x) x##_plain
#include "noise_kernel.h"
