/* Any text as a list: what is accepted is checked, and answered by a number or an error, never by a NaN. */
#include <math.h>
#include <stdlib.h>

#include "inside/dp.h"
#include "sotto/dp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sotto_mechanism *list = NULL;
  size_t count = 0;
  sotto_error err = {0};
  sotto_status status = sotto_mechanisms_parse(&list, &count, (const char *)data, size, &err);
  if (status != SOTTO_OK) {
    if (list != NULL || err.status != status || err.text[0] == '\0') abort();
    return 0;
  }
  if (count == 0 || count > SOTTO_MECHANISMS_MAX) abort();
  for (size_t i = 0; i < count; i++)
    if (sotto_mechanism_check(&list[i], NULL) != SOTTO_OK) abort();
  for (int accountant = SOTTO_ACCOUNTANT_GDP; accountant <= SOTTO_ACCOUNTANT_RDP && count < 8; accountant++) {
    double epsilon = NAN;
    status = sotto_account_epsilon(&epsilon, list, count, 1e-6, (sotto_accountant)accountant, NULL);
    if (status == SOTTO_OK && !(epsilon >= 0 && isfinite(epsilon))) abort();
  }
  sotto_mechanisms_free(list);
  return 0;
}
