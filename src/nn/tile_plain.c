/* The tile kernels for any machine. */
#define TILE_TABLE   sotto_i_tile_plain
#define TILE_LANES   2
#define TILE_ROWS    3
#define TILE_VECTORS 4
#include "tile_body.h"
