/* Do the options of an import fit the columns: each name is there, once, and the schema's columns are too. */
#include <string.h>

#include "base/memory.h"
#include "columns.h"

static sotto_status fail_no_column(const sotto_i_columns *columns, const char *name, size_t length,
                                   sotto_error *err) {
  return sotto_i_fail(err, SOTTO_NOT_FOUND,
                      "%s: has no column '%.*s'; names of columns are in its first line", columns->file->file,
                      (int)(length < 80 ? length : 80), name);
}

static sotto_status check_name(const sotto_i_columns *columns, const char *name, size_t length,
                               sotto_error *err) {
  for (size_t j = 0; j < columns->count; j++)
    if (strlen(columns->items[j].name) == length && memcmp(columns->items[j].name, name, length) == 0)
      return SOTTO_OK;
  return fail_no_column(columns, name, length, err);
}

static sotto_status check_list(const sotto_i_columns *columns, const char *list, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (const char *at = list; status == SOTTO_OK && at != NULL && *at != '\0';) {
    const size_t length = strcspn(at, ",");
    status = check_name(columns, at, length, err);
    at += length + (at[length] == ',');
  }
  return status;
}

static sotto_status check_types(const sotto_i_columns *columns, const char *list, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (const char *at = list; status == SOTTO_OK && at != NULL && *at != '\0';) {
    const size_t length = strcspn(at, ",");
    size_t name;
    sotto_column_kind kind;
    if (!sotto_i_columns_entry(&kind, at, length, &name))
      return sotto_i_fail(err, SOTTO_INVALID,
                          "types: '%.*s' is not NAME=TYPE; types are number, date, category, flag, label, "
                          "outcome, id, split, drop",
                          (int)(length < 80 ? length : 80), at);
    status = check_name(columns, at, name, err);
    at += length + (at[length] == ',');
  }
  return status;
}

/* How often the options say what the column is. */
static size_t mentions_of(const sotto_import_options *o, const char *name) {
  const sotto_i_field field = {(const uint8_t *)name, strlen(name)};
  size_t count =
      (size_t)(o->label != NULL && sotto_i_field_is(&field, o->label)) +
      (o->schema != NULL && !o->others && sotto_i_schema_find(o->schema, name, strlen(name)) != NULL);
  for (const char *at = o->types; at != NULL && *at != '\0';) {
    const size_t length = strcspn(at, ",");
    size_t size;
    sotto_column_kind kind;
    (void)sotto_i_columns_entry(&kind, at, length, &size);
    count += size == field.size && memcmp(at, name, size) == 0;
    at += length + (at[length] == ',');
  }
  return count;
}

static sotto_status check_once(const sotto_i_columns *columns, sotto_error *err) {
  for (size_t j = 0; j < columns->count; j++)
    if (mentions_of(columns->options, columns->items[j].name) > 1)
      return sotto_i_fail(err, SOTTO_INVALID,
                          "%s: column '%.80s' is named more than once among types, label and schema; say "
                          "one thing of it",
                          columns->file->file, columns->items[j].name);
  return SOTTO_OK;
}

/* The columns are those of the schema, in any order; labels and a split may be missing. */
static sotto_status check_stated(const sotto_i_columns *columns, sotto_error *err) {
  const sotto_schema *schema = columns->options->schema;
  bool *seen = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&seen, schema->column_count, sizeof *seen, err));
  for (size_t j = 0; j < columns->count; j++) {
    const char *name = columns->items[j].name;
    const sotto_schema_column *c = sotto_i_schema_find(schema, name, strlen(name));
    if (c == NULL)
      SOTTO_TRY(
          sotto_i_fail(err, SOTTO_INVALID,
                       "%s: has a column '%.80s', and the schema none of that name; add it there, as drop "
                       "where it is not to be read",
                       columns->file->file, name));
    else
      seen[c - schema->columns] = true;
  }
  for (uint64_t j = 0; j < schema->column_count; j++) {
    const sotto_schema_column *c = &schema->columns[j];
    if ((sotto_i_column_is_feature(c->kind) || c->kind == SOTTO_COLUMN_ID) && !seen[j])
      SOTTO_TRY(fail_no_column(columns, c->name, strlen(c->name), err));
  }
done:
  sotto_i_free(seen);
  return status;
}

sotto_status sotto_i_columns_check_options(const sotto_i_columns *columns, sotto_error *err) {
  const sotto_import_options *o = columns->options;
  sotto_status status = SOTTO_OK;
  if (o != NULL) {
    if (o->schema != NULL && !o->others) SOTTO_TRY(check_stated(columns, err));
    SOTTO_TRY(check_types(columns, o->types, err));
    if (!(o->others && o->nodes_only))
      SOTTO_TRY(check_list(columns, o->label, err)); /* a partner's may lack labels */
    SOTTO_TRY(check_once(columns, err));
  }
  status = sotto_i_columns_check_names(columns, err);
done:
  return status;
}
