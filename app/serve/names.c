/* Names of nodes and classes of a served run, for requests and answers by id. */
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "source.h"

typedef struct entry {
  const char *name;
  uint32_t number;
} entry;

static int by_name(const void *a, const void *b) {
  return strcmp(((const entry *)a)->name, ((const entry *)b)->name);
}

static sotto_status sort_names(serve_names *out, sotto_error *err) {
  entry *entries = NULL;
  sotto_status status;
  SOTTO_TRY(app_new(&entries, out->count, sizeof *entries, err));
  SOTTO_TRY(app_new(&out->order, out->count, sizeof *out->order, err));
  for (size_t i = 0; i < out->count; i++) entries[i] = (entry){out->names[i], (uint32_t)i};
  qsort(entries, out->count, sizeof *entries, by_name);
  for (size_t i = 0; i < out->count; i++) out->order[i] = entries[i].number;
done:
  free(entries);
  return status;
}

sotto_status serve_names_copy(serve_names *out, const sotto_names *from, bool sorted, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  *out = (serve_names){.names = NULL};
  if (from->count == 0) return SOTTO_OK;
  const size_t size = (size_t)from->starts[from->count];
  /* the pointers, followed by the texts */
  SOTTO_TRY(app_new(&out->names, (size_t)from->count * sizeof *out->names + size, 1, err));
  char *text = (char *)(out->names + from->count);
  memcpy(text, from->text, size);
  out->count = (size_t)from->count;
  for (size_t i = 0; i < out->count; i++) out->names[i] = text + from->starts[i];
  if (sorted) status = sort_names(out, err);
done:
  return status;
}

void serve_names_free(serve_names *names) {
  free(names->names);
  free(names->order);
  *names = (serve_names){.names = NULL};
}

bool serve_find(uint32_t *out, const serve_names *names, const char *name) {
  size_t low = 0, high = names->order == NULL ? 0 : names->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const int order = strcmp(names->names[names->order[middle]], name);
    if (order == 0) return *out = names->order[middle], true;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return false;
}

static int by_column(const void *a, const void *b) {
  return strcmp((*(const sotto_schema_column *const *)a)->name,
                (*(const sotto_schema_column *const *)b)->name);
}

sotto_status serve_columns_sort(const sotto_schema_column ***out, const sotto_schema *schema,
                                sotto_error *err) {
  const size_t count = (size_t)schema->column_count;
  const sotto_status status = app_new(out, count, sizeof **out, err);
  if (status != SOTTO_OK) return status;
  for (size_t j = 0; j < count; j++) (*out)[j] = &schema->columns[j];
  qsort(*out, count, sizeof **out, by_column);
  return SOTTO_OK;
}

const sotto_schema_column *serve_column(const serve_source *source, const char *name) {
  const sotto_schema_column asked = {.name = name}, *key = &asked;
  const sotto_schema_column *const *found =
      bsearch(&key, source->columns, (size_t)source->schema->column_count, sizeof key, by_column);
  return found == NULL ? NULL : *found;
}
