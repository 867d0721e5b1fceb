/* Any text as the result of a run that the program prints as a table. */
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *table = NULL, *text = malloc(size + 1);
  sotto_error err = {0};
  if (text == NULL) return 0;
  if (size > 0) memcpy(text, data, size);
  text[size] = '\0';
  if (sotto_report_table(&table, text, NULL, &err) != SOTTO_OK && err.text[0] == '\0') abort();
  sotto_report_free_text(table);
  free(text);
  return 0;
}
