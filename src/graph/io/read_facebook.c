/* facebook100 (Traud et al. 2011): friendships `A`, and `local_info` with seven columns, 0 where unknown.
 *
 * The target column gives the label, nodes without one are dropped; every other column is one-hot over its
 * non-zero values in the whole file, ascending; 0 is no category, so its block is all zeros. Then classes
 * below a least size are dropped with their nodes, and the rest are numbered in ascending order of the
 * value. (The public code of GAP, Sajadmanesh et al. 2023, also leaves out `school`, the high school.) */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "mat5.h"

enum { COLUMNS = 7, A = 0, INFO = 1 };
static const char *const columns[COLUMNS] = {"status",  "gender", "major", "minor",
                                             "housing", "year",   "school"};

typedef struct facebook {
  sotto_i_mat5 variables[2];
  uint64_t people;
  size_t target;
  int64_t *info;       /* people x COLUMNS, by column */
  int64_t *kept_class; /* values of the target that are kept, ascending */
  size_t classes;
  uint32_t *number; /* new number of each person, UINT32_MAX if dropped */
  uint64_t nodes;
  int64_t *categories[COLUMNS]; /* distinct nonzero values, ascending */
  size_t category_count[COLUMNS];
} facebook;

/* "year", or "year:1000": also the least size of a class. */
static sotto_status find_target(size_t *out, uint64_t *least, const sotto_import_options *options,
                                sotto_error *err) {
  const char *wanted = options == NULL || options->target == NULL ? "year" : options->target;
  const char *colon = strchr(wanted, ':');
  const size_t length = colon == NULL ? strlen(wanted) : (size_t)(colon - wanted);
  char name[32];
  *least = 0;
  if (colon != NULL) {
    sotto_status status = sotto_i_parse_u64(least, colon + 1, "target", err);
    if (status != SOTTO_OK) return status;
  }
  (void)snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), wanted);
  for (*out = 0; *out < COLUMNS; (*out)++)
    if (strcmp(columns[*out], name) == 0) return SOTTO_OK;
  const char *nearest = sotto_i_nearest(name, columns, COLUMNS);
  return sotto_i_fail(
      err, SOTTO_NOT_FOUND, "facebook100 has no column '%s' to take the label from; %s%s%s", name,
      nearest == NULL ? "known are status, gender, major, minor, housing, year, school" : "did you mean '",
      nearest == NULL ? "" : nearest, nearest == NULL ? "" : "'?");
}

static sotto_status load_variables(facebook *f, const sotto_i_source *file, sotto_error *err) {
  static const char *const names[2] = {"A", "local_info"};
  sotto_status status;
  SOTTO_TRY(sotto_i_mat5_read(f->variables, names, 2, file, err));
  const sotto_i_mat5 *a = &f->variables[A], *info = &f->variables[INFO];
  for (size_t i = 0; i < 2; i++)
    if (!f->variables[i].found)
      return sotto_i_fail(err, SOTTO_PARSE, "%s: has no variable %s", file->file, names[i]);
  if (!a->sparse || a->rows != a->cols)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: variable A is not a square sparse matrix", file->file);
  if (info->sparse || info->rows != a->rows || info->cols != COLUMNS)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: variable local_info has not one row a node and 7 columns",
                        file->file);
  f->people = a->rows;
  SOTTO_TRY(sotto_i_new(&f->info, f->people * COLUMNS, sizeof *f->info, err));
  for (uint64_t i = 0; i < f->people * COLUMNS; i++)
    if (!sotto_i_array_integer(&info->values, i, &f->info[i]) || f->info[i] < 0)
      return sotto_i_fail(err, SOTTO_RANGE,
                          "%s: local_info: row %llu, column %s is not a whole number from 0 up", file->file,
                          (unsigned long long)(i % f->people), columns[i / f->people]);
done:
  return status;
}

/* Collects the distinct nonzero values of a column. */
static sotto_status find_categories(const facebook *f, size_t column, int64_t **out, size_t *count,
                                    sotto_error *err) {
  sotto_status status = sotto_i_new_raw(out, f->people, sizeof **out, err);
  if (status != SOTTO_OK) return status;
  *count = 0;
  for (uint64_t v = 0; v < f->people; v++) {
    int64_t value = f->info[column * f->people + v];
    if (value != 0) (*out)[(*count)++] = value;
  }
  *count = sotto_i_distinct(*out, *count);
  return SOTTO_OK;
}

/* Chooses the classes and people that are kept, and numbers them. */
static sotto_status choose_people(facebook *f, uint64_t least, const char *file, sotto_error *err) {
  sotto_status status;
  uint64_t *size = NULL;
  const int64_t *target = f->info + f->target * f->people;
  SOTTO_TRY(find_categories(f, f->target, &f->kept_class, &f->classes, err));
  SOTTO_TRY(sotto_i_new(&size, f->classes, sizeof *size, err));
  for (uint64_t v = 0; v < f->people; v++) {
    int64_t rank = sotto_i_rank(f->kept_class, f->classes, target[v]);
    if (rank >= 0) size[rank]++;
  }
  size_t kept = 0;
  for (size_t c = 0; c < f->classes; c++)
    if (size[c] >= least) f->kept_class[kept++] = f->kept_class[c];
  f->classes = kept;
  if (kept == 0) {
    status =
        sotto_i_fail(err, SOTTO_RANGE, "%s: no class of column %s has %llu nodes: choose a smaller minimum",
                     file, columns[f->target], (unsigned long long)least);
    goto done;
  }
  SOTTO_TRY(sotto_i_new_raw(&f->number, f->people, sizeof *f->number, err));
  for (uint64_t v = 0; v < f->people; v++)
    f->number[v] = sotto_i_rank(f->kept_class, kept, target[v]) < 0 ? UINT32_MAX : (uint32_t)f->nodes++;
done:
  sotto_i_free(size);
  return status;
}

static sotto_status add_edges(sotto_i_parts *parts, const facebook *f, const char *file, sotto_error *err) {
  sotto_status status;
  sotto_i_edge_list pairs = {0};
  const sotto_i_mat5 *a = &f->variables[A];
  const sotto_i_csr sparse = {.name = "A",
                              .rows = a->cols,
                              .cols = a->rows,
                              .starts = a->starts,
                              .indices = a->indices,
                              .values = a->values};
  SOTTO_TRY(sotto_i_sparse_check(&sparse, file, err));
  SOTTO_TRY(sotto_i_edge_list_room(&pairs, a->indices.count, err));
  for (uint64_t v = 0; v < f->people; v++) {
    int64_t begin = 0, end = 0, other = 0;
    (void)sotto_i_array_integer(&a->starts, v, &begin);
    (void)sotto_i_array_integer(&a->starts, v + 1, &end);
    for (int64_t e = begin; e < end && f->number[v] != UINT32_MAX; e++) {
      (void)sotto_i_array_integer(&a->indices, (uint64_t)e, &other);
      if (f->number[other] == UINT32_MAX || sotto_i_array_double(&a->values, (uint64_t)e) == 0) continue;
      pairs.from[pairs.count] = f->number[v];
      pairs.to[pairs.count++] = f->number[other];
    }
  }
  SOTTO_TRY(sotto_i_parts_edges(parts, f->nodes, &pairs, file, err));
done:
  sotto_i_edge_list_free(&pairs);
  return status;
}

static sotto_status add_features(sotto_i_parts *parts, facebook *f, const sotto_i_source *file,
                                 sotto_error *err) {
  sotto_status status = SOTTO_OK;
  size_t width = 0, before = 0;
  for (size_t c = 0; c < COLUMNS; c++) {
    if (c == f->target) continue;
    SOTTO_TRY(find_categories(f, c, &f->categories[c], &f->category_count[c], err));
    width += f->category_count[c];
  }
  SOTTO_TRY(sotto_i_features_new(&parts->features, f->nodes, width, file->file, file->size, err));
  parts->width = width;
  for (size_t c = 0; c < COLUMNS; c++) {
    for (uint64_t v = 0; v < f->people && f->category_count[c] > 0; v++) {
      int64_t rank = sotto_i_rank(f->categories[c], f->category_count[c], f->info[c * f->people + v]);
      if (f->number[v] != UINT32_MAX && rank >= 0)
        parts->features[f->number[v] * width + before + (size_t)rank] = 1;
    }
    before += f->category_count[c];
  }
done:
  return status;
}

static sotto_status add_labels(sotto_i_parts *parts, const facebook *f, sotto_error *err) {
  sotto_status status = sotto_i_new(&parts->labels, f->nodes, sizeof *parts->labels, err);
  if (status != SOTTO_OK) return status;
  for (uint64_t v = 0; v < f->people; v++)
    if (f->number[v] != UINT32_MAX)
      parts->labels[f->number[v]] =
          (int32_t)sotto_i_rank(f->kept_class, f->classes, f->info[f->target * f->people + v]);
  parts->classes = (uint32_t)f->classes;
  parts->classes_from = SOTTO_CLASSES_FOUND;
  return sotto_i_names_of_numbers(&parts->names[SOTTO_I_NAMES_CLASSES], f->kept_class, f->classes, err);
}

sotto_status sotto_i_read_facebook(sotto_i_parts *parts, const sotto_i_source *file,
                                   const sotto_import_options *options, sotto_error *err) {
  sotto_status status;
  facebook f = {0};
  uint64_t least;
  SOTTO_TRY(find_target(&f.target, &least, options, err));
  SOTTO_TRY(load_variables(&f, file, err));
  SOTTO_TRY(choose_people(&f, least, file->file, err));
  SOTTO_TRY(add_edges(parts, &f, file->file, err));
  SOTTO_TRY(add_features(parts, &f, file, err));
  SOTTO_TRY(add_labels(parts, &f, err));
done:
  for (size_t i = 0; i < 2; i++) sotto_i_mat5_free(&f.variables[i]);
  for (size_t c = 0; c < COLUMNS; c++) sotto_i_free(f.categories[c]);
  sotto_i_free(f.info);
  sotto_i_free(f.kept_class);
  sotto_i_free(f.number);
  return status;
}
