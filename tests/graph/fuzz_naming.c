/* Any bytes as names of columns and classes, joined with others. */
#include <stdlib.h>

#include "graph/tables/naming.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char other[] = "column age\ncolumn town=a\ncolumn town=b\nclass low\nclass high\n";
  sotto_i_naming said, known = {0};
  sotto_error err = {0};
  if (sotto_i_naming_read(&said, (const char *)data, size, &err) != SOTTO_OK) {
    if (err.text[0] == '\0') abort();
    return 0;
  }
  if (sotto_i_naming_read(&known, other, sizeof other - 1, &err) != SOTTO_OK) abort();
  if (sotto_i_naming_join(&known, "first", &said, "second", &err) == SOTTO_OK &&
      (known.columns < said.columns || known.classes < said.classes))
    abort();
  sotto_i_naming_free(&said);
  sotto_i_naming_free(&known);
  return 0;
}
