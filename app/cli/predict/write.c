/* Predictions as a CSV file. */
#include <stdarg.h>
#include <stdio.h>

#include "common/error.h"
#include "common/file.h"
#include "predict.h"

size_t predict_class(const float *row, size_t classes) {
  size_t best = 0;
  for (size_t j = 1; j < classes; j++)
    if (row[j] > row[best]) best = j;
  return best;
}

/* A few fields, at most 63 characters. */
static sotto_status add(app_writer *writer, sotto_error *err, const char *format, ...) SOTTO_PRINTF(3, 4);
static sotto_status add(app_writer *writer, sotto_error *err, const char *format, ...) {
  char text[64];
  va_list arguments;
  va_start(arguments, format);
  int used = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return app_writer_add(writer, text, (size_t)used, err);
}

static sotto_status write_header(app_writer *writer, size_t classes, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(add(writer, err, "node,class,probability"));
  for (size_t j = 0; j < classes; j++) SOTTO_TRY(add(writer, err, ",p%zu", j));
  SOTTO_TRY(add(writer, err, "\n"));
done:
  return status;
}

static sotto_status write_row(app_writer *writer, size_t node, const float *row, size_t classes,
                              sotto_error *err) {
  sotto_status status;
  const size_t best = predict_class(row, classes);
  SOTTO_TRY(add(writer, err, "%zu,%zu,%.6g", node, best, (double)row[best]));
  for (size_t j = 0; j < classes; j++) SOTTO_TRY(add(writer, err, ",%.6g", (double)row[j]));
  SOTTO_TRY(add(writer, err, "\n"));
done:
  return status;
}

sotto_status predict_write(const char *path, const sotto_matrix *rows, sotto_error *err) {
  sotto_status status;
  app_writer writer = {.stream = NULL};
  SOTTO_TRY(app_writer_open(&writer, path, err));
  SOTTO_TRY(write_header(&writer, rows->cols, err));
  for (size_t v = 0; v < rows->rows; v++)
    SOTTO_TRY(write_row(&writer, v, rows->data + v * rows->cols, rows->cols, err));
  SOTTO_TRY(app_writer_commit(&writer, err));
done:
  if (status != SOTTO_OK) app_writer_abandon(&writer);
  return status;
}
