/* The tile kernels for AVX2 and FMA. */
#define TILE_TABLE   sotto_i_tile_avx2
#define TILE_LANES   4
#define TILE_ROWS    6
#define TILE_VECTORS 2
#include "tile_body.h"
