/* Fuzzes unpacking and decoding of tables: what is accepted is a text, from memory and in pieces. */
#include <stdlib.h>

#include "graph/io/table_text.h"
#include "graph/tables/tables.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const sotto_i_source file = {"fuzz.csv", data, size};
  sotto_i_table_text text;
  sotto_i_csv csv = {0};
  sotto_error err = {0};
  if (sotto_i_table_text_open(&text, &file, &err) == SOTTO_OK &&
      sotto_i_csv_open(&csv, &text.source, ',', &err) == SOTTO_OK) {
    csv.trim = true;
    sotto_status status = SOTTO_OK;
    do status = sotto_i_csv_next(&csv, &err);
    while (status == SOTTO_OK && csv.count > 0);
    if (text.utf16 && status == SOTTO_OK &&
        sotto_i_text_good(text.source.data, text.source.size) < text.source.size)
      abort();
  }
  sotto_i_csv_free(&csv);
  sotto_i_table_text_free(&text);
  return 0;
}
