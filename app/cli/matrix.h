/* sotto methods --matrix. */
#ifndef SOTTO_APP_CLI_MATRIX_H
#define SOTTO_APP_CLI_MATRIX_H

#include "sotto/methods.h"

/* Prints a table for each place, methods by steps, then a reason for each cell that is not whole. */
void cli_matrix_print(const sotto_method_info *methods, size_t count);
/* The same as one line of JSON: a list of cells. */
void cli_matrix_print_json(const sotto_method_info *methods, size_t count);

#endif
