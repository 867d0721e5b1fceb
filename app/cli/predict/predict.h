/* What the files of `sotto predict` share. */
#ifndef SOTTO_APP_CLI_PREDICT_H
#define SOTTO_APP_CLI_PREDICT_H

#include "sotto/tensor.h"

/* The likeliest class of a row, the first on ties. */
size_t predict_class(const float *row, size_t classes);

/* Class probabilities of all nodes as CSV: node,class,probability,p0,p1,... with a header. */
sotto_status predict_write(const char *path, const sotto_matrix *rows, sotto_error *err);

#endif
