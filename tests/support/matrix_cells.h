/* The cells of the matrix of methods (`sotto methods --matrix`) beside what a run does. */
#ifndef SOTTO_TESTS_SUPPORT_MATRIX_CELLS_H
#define SOTTO_TESTS_SUPPORT_MATRIX_CELLS_H

#include "registry_cases.h"
#include "run/method/matrix.h"

/* The cell of a case of a test. */
sotto_i_standing check_standing(const check_case *c, sotto_step step, sotto_place place);
/* Cells that were seen to hold. */
typedef struct check_cells {
  size_t there, lacking;
} check_cells;
/* A step was tried, and ended so: fails unless the cell says that it is there, or else names the reason that
 * the refusal gives. */
void check_cell(check_cells *seen, const check_case *c, sotto_step step, sotto_place place,
                sotto_status status, const char *refusal);
/* Data like those of the cases, with other nodes; to be freed by check_case_data_free. */
check_case_data check_other_data_new(void);

#endif
