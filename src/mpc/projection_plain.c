/* Kernels of projections, compiled for any machine. */
#define PROJECTION_NAME sotto_i_projection_plain
#define PROJECTION_LANE 16
#define PROJECTION_ROWS 1
#include "projection_body.h"
