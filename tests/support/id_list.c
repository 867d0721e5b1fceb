/* Lists of ids made of numbers. */
#include "id_list.h"

#include "check.h"
#include "party/psi/psi.h"

sotto_ids *check_ids(const uint32_t *numbers, size_t count) {
  char *text = NULL;
  size_t used = 0;
  sotto_ids *ids = NULL;
  CHECK_OK(sotto_i_new(&text, count * 16 + 1, 1, &err));
  for (size_t i = 0; i < count; i++) used += (size_t)sprintf(text + used, "id-%u\n", numbers[i]);
  const sotto_i_source source = {"ids", (const uint8_t *)text, used};
  CHECK_OK(sotto_i_ids_read(&ids, &source, NULL, &err));
  sotto_i_free(text);
  return ids;
}

sotto_ids *check_ids_of_text(const char *text, const char *column, sotto_status *status, sotto_error *err) {
  sotto_ids *ids = NULL;
  const sotto_i_source source = {"ids.csv", (const uint8_t *)text, strlen(text)};
  *status = sotto_i_ids_read(&ids, &source, column, err);
  return ids;
}
