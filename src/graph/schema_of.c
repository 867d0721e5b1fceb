/* The schema of a dataset: from the report of its reader, or from the names of its features alone. */
#include "schema_of.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* What follows NAME= in the name of a feature. */
static const char *word_of(const char *feature, size_t name) {
  return strlen(feature) > name ? feature + name + 1 : "";
}

/* The words of a category: the features first to first + count - 1 are NAME=WORD. */
static sotto_status take_words(sotto_i_names_maker *out, const sotto_names *features, uint64_t first,
                               uint64_t count, size_t name, sotto_error *err) {
  for (uint64_t i = first; i < first + count; i++) {
    const char *feature = sotto_name(features, i);
    const char *word = feature == NULL ? "" : word_of(feature, name);
    const sotto_status status = sotto_i_names_add(out, word, strlen(word), err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

/* As the reader fills the column (columns.c). */
static sotto_missing filling_of(const sotto_import_options *options, const char *name) {
  if (options == NULL) return SOTTO_MISSING_REFUSE;
  const sotto_schema_column *c =
      options->schema == NULL ? NULL : sotto_i_schema_find(options->schema, name, strlen(name));
  const bool stated = c != NULL && (c->missing != SOTTO_MISSING_REFUSE || !options->others);
  return stated ? c->missing : options->missing;
}

static sotto_status add_column(sotto_schema *schema, const sotto_i_parts *parts, const sotto_column *c,
                               const sotto_import_options *options, sotto_error *err) {
  sotto_i_names_maker words = {0};
  sotto_status status = SOTTO_OK;
  if (c->of_edges) return SOTTO_OK;
  if (sotto_i_schema_find(schema, c->name, strlen(c->name)) != NULL) {
    if (c->kind == SOTTO_COLUMN_UNUSED) return SOTTO_OK;
    return sotto_i_fail(err, SOTTO_PARSE, "two columns are named '%.80s'; rename or drop one", c->name);
  }
  if (c->kind == SOTTO_COLUMN_CATEGORY)
    SOTTO_TRY(take_words(&words, &parts->names[SOTTO_I_NAMES_FEATURES], c->first, c->feature_count,
                         strlen(c->name), err));
  const sotto_missing missing = filling_of(options, c->name);
  SOTTO_TRY(sotto_i_schema_add(schema, c->name, c->kind, missing, &words, err));
  if ((missing == SOTTO_MISSING_MEAN || missing == SOTTO_MISSING_VALUE) && c->feature_count > 0 &&
      parts->fill != NULL)
    SOTTO_TRY(sotto_i_schema_set_fill(schema, parts->fill + c->first, err));
done:
  sotto_i_names_maker_free(&words);
  return status;
}

sotto_status sotto_i_parts_make_schema(sotto_i_parts *parts, const char *file,
                                       const sotto_import_options *options, sotto_error *err) {
  sotto_i_reading *r = &parts->reading;
  sotto_schema *schema = NULL;
  sotto_status status = SOTTO_OK;
  const bool bare =
      r->view.column_count == 0 || (parts->width == 0 && parts->labels == NULL && parts->numbers == NULL);
  const bool of_edges = options != NULL && options->schema != NULL && options->schema->column_count == 0 &&
                        options->schema->kinds.count > 0; /* kinds of transfers are all that it states */
  if (options != NULL && options->schema != NULL && !options->others && bare && !of_edges)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "%s: a schema states columns of a table of nodes, and there is none", file);
  r->view.stated = options != NULL && options->schema != NULL && !options->others;
  if (parts->schema != NULL || (r->view.column_count == 0 && r->ends[0][0] == '\0')) return SOTTO_OK;
  SOTTO_TRY(sotto_i_schema_new(&schema, err));
  schema->edgeless = parts->edgeless;
  if (r->ends[0][0] != '\0') SOTTO_TRY(sotto_i_schema_set_ends(schema, r->ends[0], r->ends[1], err));
  for (uint64_t j = 0; j < r->view.column_count; j++)
    SOTTO_TRY(add_column(schema, parts, &r->columns[j], options, err));
  parts->schema = schema;
  schema = NULL;
done:
  if (status == SOTTO_PARSE) sotto_i_error_prefix(err, "%s", file);
  sotto_schema_free(schema);
  return status;
}

/* Whether the schema has the features of the data, by name. */
static sotto_status describes(bool *out, const sotto_schema *schema, const sotto_dataset *data,
                              sotto_error *err) {
  const sotto_names *own = &data->feature_names;
  sotto_names names = {0};
  *out = schema != NULL && schema->feature_count == data->features.cols;
  if (!*out || own->count == 0) return SOTTO_OK; /* over ranks names are not in memory */
  if (own->count != schema->feature_count) return *out = false, SOTTO_OK;
  const sotto_status status = sotto_i_schema_features(&names, schema, err);
  if (status != SOTTO_OK) return status;
  *out = true;
  for (uint64_t j = 0; j < names.count && *out; j++)
    *out = strcmp(sotto_name(&names, j), sotto_name(own, j)) == 0;
  sotto_i_names_free(&names);
  return SOTTO_OK;
}

/* Features NAME=WORD that follow each other are a category; others are columns by themselves. */
static sotto_status add_named(sotto_schema *schema, const sotto_names *features, sotto_error *err) {
  sotto_i_names_maker words = {0};
  char *name = NULL;
  sotto_status status = SOTTO_OK;
  for (uint64_t j = 0, end; j < features->count; j = end) {
    const char *feature = sotto_name(features, j), *equals = strchr(feature, '=');
    const size_t size = equals == NULL ? strlen(feature) : (size_t)(equals - feature);
    for (end = j + 1; equals != NULL && end < features->count &&
                      strncmp(sotto_name(features, end), feature, size + 1) == 0;)
      end++;
    SOTTO_TRY(sotto_i_strdup(&name, feature, err));
    name[size] = '\0';
    if (equals != NULL) SOTTO_TRY(take_words(&words, features, j, end - j, size, err));
    SOTTO_TRY(sotto_i_schema_add(schema, name, equals == NULL ? SOTTO_COLUMN_NUMBER : SOTTO_COLUMN_CATEGORY,
                                 SOTTO_MISSING_REFUSE, &words, err));
    sotto_i_free(name);
    name = NULL;
  }
done:
  sotto_i_free(name);
  sotto_i_names_maker_free(&words);
  return status;
}

sotto_status sotto_schema_of(sotto_schema **out, const sotto_dataset *data, sotto_error *err) {
  sotto_schema *schema = NULL;
  bool stated;
  sotto_status status;
  *out = NULL;
  SOTTO_TRY(describes(&stated, data->schema, data, err));
  const sotto_names *kinds = &data->transfers.kind_names;
  if (!stated && data->feature_names.count == 0 && data->class_names.count == 0 && kinds->count == 0)
    return SOTTO_OK;
  if (stated) {
    SOTTO_TRY(sotto_i_schema_copy(&schema, data->schema, err));
  } else {
    SOTTO_TRY(sotto_i_schema_new(&schema, err));
    schema->stated = false;
    SOTTO_TRY(add_named(schema, &data->feature_names, err));
  }
  SOTTO_TRY(sotto_i_schema_set_classes(schema, &data->class_names, err));
  SOTTO_TRY(sotto_i_schema_set_kinds(schema, kinds, err));
  *out = schema;
  schema = NULL;
done:
  sotto_schema_free(schema);
  return status;
}

sotto_status sotto_i_schema_by_position(sotto_schema **out, const sotto_dataset *data, sotto_error *err) {
  sotto_dataset unstated = *data;
  char name[40];
  sotto_status status;
  unstated.schema = NULL;
  SOTTO_TRY(sotto_schema_of(out, &unstated, err));
  if (data->feature_names.count > 0) return SOTTO_OK;
  if (*out == NULL) SOTTO_TRY(sotto_i_schema_new(out, err));
  (*out)->stated = false;
  for (size_t j = 0; j < data->features.cols; j++) {
    (void)snprintf(name, sizeof name, SOTTO_I_COLUMN_NAME, j + 1);
    SOTTO_TRY(sotto_i_schema_add(*out, name, SOTTO_COLUMN_NUMBER, SOTTO_MISSING_REFUSE, NULL, err));
  }
done:
  if (status != SOTTO_OK) {
    sotto_schema_free(*out);
    *out = NULL;
  }
  return status;
}

bool sotto_i_schema_is_by_position(const sotto_schema *schema) {
  char name[40];
  if (schema->feature_count == 0 || schema->column_count != schema->feature_count) return false;
  for (uint64_t j = 0; j < schema->column_count; j++) {
    (void)snprintf(name, sizeof name, SOTTO_I_COLUMN_NAME, (size_t)j + 1);
    if (schema->columns[j].kind != SOTTO_COLUMN_NUMBER || strcmp(schema->columns[j].name, name) != 0)
      return false;
  }
  return true;
}
