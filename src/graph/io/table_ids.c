/* The ids of a node table, as a digest: what two parties compare before they join rows. */
#include <sodium.h>
#include <string.h>

#include "base/memory.h"
#include "csv.h"

static sotto_status add_ids(crypto_generichash_state *hash, sotto_i_csv *csv, sotto_error *err) {
  sotto_status status;
  size_t column = 0;
  SOTTO_TRY(sotto_i_csv_next(csv, err));
  for (size_t j = csv->count; j-- > 0;)
    if (sotto_i_field_is(&csv->fields[j], "id")) column = j;
  for (;;) {
    SOTTO_TRY(sotto_i_csv_next(csv, err));
    if (csv->count == 0) return SOTTO_OK;
    if (column >= csv->count)
      return sotto_i_csv_fail(csv, SOTTO_PARSE, 0, "begins a line without an id", err);
    crypto_generichash_update(hash, csv->fields[column].text, csv->fields[column].size);
    crypto_generichash_update(hash, (const uint8_t *)"\n", 1);
  }
done:
  return status;
}

sotto_status sotto_i_table_ids_digest(uint8_t digest[32], const char *path, sotto_error *err) {
  sotto_status status;
  sotto_i_map map = {0};
  sotto_i_csv csv = {0};
  crypto_generichash_state hash;
  size_t length = strlen(path);
  bool tabs = length > 4 && strcmp(path + length - 4, ".tsv") == 0;
  SOTTO_I_CHECK(sodium_init() >= 0);
  crypto_generichash_init(&hash, NULL, 0, 32);
  SOTTO_TRY(sotto_i_map_open(&map, path, err));
  const sotto_i_source source = {
      .file = path, .data = map.data == NULL ? (const uint8_t *)"" : map.data, .size = map.size};
  SOTTO_TRY(sotto_i_csv_open(&csv, &source, tabs ? '\t' : ',', err));
  SOTTO_TRY(add_ids(&hash, &csv, err));
  crypto_generichash_final(&hash, digest, 32);
done:
  sotto_i_csv_free(&csv);
  sotto_i_map_close(&map);
  return status;
}
