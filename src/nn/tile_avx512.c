/* The tile kernels for AVX-512. */
#define TILE_TABLE   sotto_i_tile_avx512
#define TILE_LANES   8
#define TILE_ROWS    6
#define TILE_VECTORS 4
#include "tile_body.h"
