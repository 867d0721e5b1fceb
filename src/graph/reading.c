/* Report of how a dataset was read. */
#include <stdarg.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/text.h"
#include "dataset.h"

sotto_status sotto_i_reading_form(sotto_i_parts *parts, sotto_error *err, const char *format, ...) {
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments); /* NOLINT(clang-analyzer-valist.Uninitialized) */
  va_end(arguments);
  sotto_text_clean(text, false);
  char *form = NULL;
  sotto_status status = sotto_i_strdup(&form, text, err);
  if (status != SOTTO_OK) return status;
  sotto_i_free((void *)(uintptr_t)parts->reading.view.form);
  parts->reading.view.form = form;
  return SOTTO_OK;
}

sotto_status sotto_i_reading_changed(sotto_i_parts *parts, uint64_t count, sotto_error *err) {
  if (count == 0 || parts->reading.view.form == NULL) return SOTTO_OK;
  return sotto_i_reading_form(parts, err, "%s; ids and words trimmed or composed (Unicode NFC): %llu",
                              parts->reading.view.form, (unsigned long long)count);
}

sotto_status sotto_i_reading_column(sotto_i_parts *parts, const sotto_column *column, sotto_error *err) {
  sotto_i_reading *r = &parts->reading;
  const size_t count = r->view.column_count;
  char *name = NULL, *words = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_strdup(&name, column->name, err));
  if (column->missing_words != NULL) SOTTO_TRY(sotto_i_strdup(&words, column->missing_words, err));
  if (words != NULL) sotto_text_clean(words, false);
  sotto_text_clean(name, false);
  SOTTO_TRY(sotto_i_grow(&r->columns, &r->room, count + 1, sizeof *r->columns, err));
  r->columns[count] = *column;
  r->columns[count].name = name;
  r->columns[count].missing_words = words;
  name = words = NULL;
  r->view.columns = r->columns;
  r->view.column_count = count + 1;
done:
  sotto_i_free(name);
  sotto_i_free(words);
  return status;
}

sotto_status sotto_i_reading_weights(sotto_i_parts *parts, sotto_error *err) {
  const sotto_column unused = {
      .name = "values other than 1 (weights)", .kind = SOTTO_COLUMN_UNUSED, .of_edges = true};
  return sotto_i_reading_column(parts, &unused, err);
}

void sotto_i_reading_free(sotto_i_reading *reading) {
  for (size_t i = 0; i < reading->view.column_count; i++) {
    sotto_i_free((void *)(uintptr_t)reading->columns[i].name);
    sotto_i_free((void *)(uintptr_t)reading->columns[i].missing_words);
  }
  sotto_i_free(reading->columns);
  sotto_i_free((void *)(uintptr_t)reading->view.form);
  *reading = (sotto_i_reading){0};
}
