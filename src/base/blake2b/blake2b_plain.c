/* BLAKE2b of one message, for any machine. */
#define BLAKE2B_LANES 1
#define BLAKE2B_NAME  sotto_i_blake2b_plain
#include "blake2b_kernel.h"
