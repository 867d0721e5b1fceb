/* Predictions as a CSV file. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "common/file.h"
#include "common/folder.h"
#include "common/memory.h"
#include "predict.h"

static const app_folder_file open_answers = {"predictions.csv", APP_FOR_ANYONE,
                                             "releases, and features that are public at this level"};
static const app_folder_file private_answers = {"predictions.csv", APP_FOR_OWNER,
                                                "private features and edges, or labels, by the model"};

sotto_status predict_place(char **out, const char *folder, const sotto_options *options, bool further,
                           sotto_error *err) {
  const bool own = options->adjacency >= SOTTO_ADJACENCY_NODE || /* graph and client level are larger */
                   options->label_epsilon > 0;                   /* the model was fitted to true labels */
  char *other = NULL;
  sotto_status status = app_folder_path(out, folder, own ? &private_answers : &open_answers, err);
  if (status != SOTTO_OK || !further) return status;
  const size_t stem = strlen(*out) - strlen(".csv"), room = stem + 24;
  SOTTO_TRY(app_new(&other, room, 1, err));
  for (unsigned number = 1; number == 1 || sotto_i_is_file(other); number++)
    (void)snprintf(other, room, "%.*s-%u.csv", (int)stem, *out, number);
  free(*out);
  *out = other;
done:
  return status;
}

/* Formats a few fields, at most 63 characters. */
static sotto_status add_fields(app_writer *writer, sotto_error *err, const char *format, ...)
    SOTTO_PRINTF(3, 4);
static sotto_status add_fields(app_writer *writer, sotto_error *err, const char *format, ...) {
  char text[64];
  va_list arguments;
  va_start(arguments, format);
  int used =
      vsnprintf(text, sizeof text, format, arguments); /* NOLINT(clang-analyzer-valist.Uninitialized) */
  va_end(arguments);
  return app_writer_add(writer, text, (size_t)used, err);
}

/* A text, quoted as in RFC 4180 if necessary. */
static sotto_status write_text(app_writer *writer, const char *id, sotto_error *err) {
  sotto_status status;
  if (strpbrk(id, ",\"\r") == NULL) return app_writer_add(writer, id, strlen(id), err);
  SOTTO_TRY(add_fields(writer, err, "\""));
  for (const char *at = id; *at != '\0'; at++) {
    if (*at == '"') SOTTO_TRY(add_fields(writer, err, "\""));
    SOTTO_TRY(app_writer_add(writer, at, 1, err));
  }
  SOTTO_TRY(add_fields(writer, err, "\""));
done:
  return status;
}

/* Name of the column with a class's probabilities. */
static sotto_status write_column(app_writer *writer, const sotto_names *classes, size_t j, sotto_error *err) {
  const char *name = sotto_name(classes, j);
  if (name == NULL) return add_fields(writer, err, ",p%zu", j);
  const size_t room = strlen(name) + 3;
  char *column = NULL;
  sotto_status status;
  SOTTO_TRY(app_new(&column, room, 1, err));
  (void)snprintf(column, room, "p_%s", name);
  SOTTO_TRY(add_fields(writer, err, ","));
  SOTTO_TRY(write_text(writer, column, err));
done:
  free(column);
  return status;
}

static sotto_status write_class(app_writer *writer, const sotto_names *classes, size_t class,
                                sotto_error *err) {
  const char *name = sotto_name(classes, class);
  return name == NULL ? add_fields(writer, err, "%zu", class) : write_text(writer, name, err);
}

static sotto_status write_header(app_writer *writer, const predict_table *table, sotto_error *err) {
  const bool ids = predict_id(table->ids, 0) != NULL;
  sotto_status status;
  if (table->numbers) return add_fields(writer, err, ids ? "node,id,number\n" : "node,number\n");
  SOTTO_TRY(add_fields(writer, err, ids ? "%s,id,class,probability" : "%s,class,probability",
                       table->item == NULL ? "node" : table->item));
  for (size_t j = 0; table->top == 0 && j < table->rows->cols; j++)
    SOTTO_TRY(write_column(writer, table->classes, j, err));
  for (size_t k = 1; k <= table->top; k++) SOTTO_TRY(add_fields(writer, err, ",class%zu,p%zu", k, k));
  SOTTO_TRY(add_fields(writer, err, table->alerts == NULL ? "\n" : ",score,rank,alert\n"));
done:
  return status;
}

/* best[0..count): the most probable classes in descending order; ties: lower numbers first. */
static void find_best(size_t *best, size_t count, const float *row, size_t classes) {
  size_t found = 0;
  for (size_t j = 0; j < classes; j++) {
    size_t place = found;
    while (place > 0 && row[j] > row[best[place - 1]]) place--;
    if (place == count) continue;
    if (found < count) found++;
    for (size_t k = found - 1; k > place; k--) best[k] = best[k - 1];
    best[place] = j;
  }
}

static sotto_status write_alert(app_writer *writer, const predict_alerts *a, size_t i, sotto_error *err) {
  if (a == NULL) return add_fields(writer, err, "\n");
  return add_fields(writer, err, ",%.6g,%llu,%d\n", a->scores[i], (unsigned long long)a->ranks[i],
                    a->alerts[i] ? 1 : 0);
}

static sotto_status write_row(app_writer *writer, const predict_table *table, size_t i, const size_t *best,
                              sotto_error *err) {
  const size_t classes = table->rows->cols;
  const float *row = table->rows->data + i * classes;
  const uint32_t node = table->nodes->nodes[i];
  const char *id = predict_id(table->ids, node);
  sotto_status status;
  SOTTO_TRY(add_fields(writer, err, "%u,", node));
  if (id != NULL) {
    SOTTO_TRY(write_text(writer, id, err));
    SOTTO_TRY(add_fields(writer, err, ","));
  }
  if (table->numbers) return add_fields(writer, err, "%.9g\n", (double)row[0]);
  SOTTO_TRY(write_class(writer, table->classes, best[0], err));
  SOTTO_TRY(add_fields(writer, err, ",%.6g", (double)row[best[0]]));
  for (size_t j = 0; table->top == 0 && j < classes; j++)
    SOTTO_TRY(add_fields(writer, err, ",%.6g", (double)row[j]));
  for (size_t k = 0; k < table->top; k++) {
    SOTTO_TRY(add_fields(writer, err, ","));
    SOTTO_TRY(write_class(writer, table->classes, best[k], err));
    SOTTO_TRY(add_fields(writer, err, ",%.6g", (double)row[best[k]]));
  }
  SOTTO_TRY(write_alert(writer, table->alerts, i, err));
done:
  return status;
}

sotto_status predict_write(const char *path, const predict_table *table, sotto_error *err) {
  const sotto_matrix *rows = table->rows;
  sotto_status status;
  app_writer writer = {.stream = NULL};
  size_t *best = NULL;
  const size_t count = table->top == 0 ? 1 : table->top;
  SOTTO_TRY(app_new(&best, count, sizeof *best, err));
  SOTTO_TRY(app_writer_open(&writer, path, err));
  SOTTO_TRY(write_header(&writer, table, err));
  for (size_t i = 0; i < rows->rows; i++) {
    find_best(best, count, rows->data + i * rows->cols, rows->cols);
    SOTTO_TRY(write_row(&writer, table, i, best, err));
  }
  SOTTO_TRY(app_writer_commit(&writer, err));
done:
  if (status != SOTTO_OK) app_writer_abandon(&writer);
  free(best);
  return status;
}

static sotto_status write_embedding(app_writer *writer, uint32_t node, const sotto_matrix *all,
                                    sotto_error *err) {
  const float *row = all->data + node * all->cols;
  sotto_status status;
  SOTTO_TRY(add_fields(writer, err, "%u", node));
  for (size_t j = 0; j < all->cols; j++) SOTTO_TRY(add_fields(writer, err, ",%.9g", (double)row[j]));
  SOTTO_TRY(add_fields(writer, err, "\n"));
done:
  return status;
}

sotto_status predict_write_embeddings(const char *path, const predict_nodes *nodes, const sotto_matrix *all,
                                      sotto_error *err) {
  sotto_status status;
  app_writer writer = {.stream = NULL};
  SOTTO_TRY(app_writer_open(&writer, path, err));
  SOTTO_TRY(add_fields(&writer, err, "node"));
  for (size_t j = 0; j < all->cols; j++) SOTTO_TRY(add_fields(&writer, err, ",e%zu", j));
  SOTTO_TRY(add_fields(&writer, err, "\n"));
  for (size_t i = 0; i < nodes->count; i++) SOTTO_TRY(write_embedding(&writer, nodes->nodes[i], all, err));
  SOTTO_TRY(app_writer_commit(&writer, err));
done:
  if (status != SOTTO_OK) app_writer_abandon(&writer);
  return status;
}
