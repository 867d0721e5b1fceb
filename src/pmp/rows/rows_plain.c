/* Row kernels for any machine. */
#define ROWS_NAME sotto_i_row_kernels_plain
#include "rows_body.h"
