/* Kernels modulo p for any machine. */
#define PRIME_NAME sotto_i_prime_plain
#include "prime_body.h"
