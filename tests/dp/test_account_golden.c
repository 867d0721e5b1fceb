/* Every value of goldens/accounting.csv, made by closed forms and by Google's dp_accounting. */
#include <math.h>

#include "check.h"
#include "sotto/dp.h"

static double parameter(const char *text, const char *key, double otherwise) {
  char wanted[32];
  snprintf(wanted, sizeof wanted, "%s=", key);
  const char *at = strstr(text, wanted);
  return at != NULL ? atof(at + strlen(wanted)) : otherwise;
}

/* The list that one row of the table speaks of. */
static size_t read_row(sotto_mechanism list[3], const char *kind, const char *text) {
  uint64_t count = (uint64_t)parameter(text, "count", 1);
  if (strcmp(kind, "list") == 0) {
    list[0] = sotto_mechanism_default(SOTTO_MECHANISM_GAUSSIAN);
    list[0].noise = 3;
    list[0].count = 4;
    list[1] = sotto_mechanism_default(SOTTO_MECHANISM_LAPLACE);
    list[1].noise = 5;
    list[1].count = 3;
    list[2] = sotto_mechanism_default(SOTTO_MECHANISM_SUBSAMPLED_GAUSSIAN);
    list[2].noise = 1.2;
    list[2].rate = 0.02;
    list[2].count = 500;
    return 3;
  }
  sotto_mechanism_kind which = SOTTO_MECHANISM_GAUSSIAN;
  if (strcmp(kind, "contractive") == 0) which = SOTTO_MECHANISM_CONTRACTIVE;
  if (strcmp(kind, "laplace") == 0) which = SOTTO_MECHANISM_LAPLACE;
  if (strncmp(kind, "subsampled", 10) == 0) which = SOTTO_MECHANISM_SUBSAMPLED_GAUSSIAN;
  list[0] = sotto_mechanism_default(which);
  list[0].count = count;
  list[0].noise = parameter(text, "noise", parameter(text, "scale", 0));
  list[0].rate = parameter(text, "rate", 0);
  list[0].population = (uint64_t)parameter(text, "population", 0);
  list[0].batch = (uint64_t)parameter(text, "batch", 0);
  list[0].layers = (uint64_t)parameter(text, "layers", 1);
  list[0].lipschitz = parameter(text, "lipschitz", 0);
  return 1;
}

static int check_row(const char *line) {
  char kind[64], text[128], name[16];
  double delta, wanted, value = NAN;
  if (sscanf(line, "%63[^,],%127[^,],%lf,%15[^,],%lf", kind, text, &delta, name, &wanted) != 5) return -1;
  sotto_mechanism list[3];
  sotto_accountant accountant;
  size_t count = read_row(list, kind, text);
  CHECK_OK(sotto_accountant_from_name(&accountant, name, &err));
  if (strncmp(kind, "calibrate", 9) == 0)
    CHECK_OK(
        sotto_account_noise(&value, list, count, 0, parameter(text, "epsilon", 0), delta, accountant, &err));
  else
    CHECK_OK(sotto_account_epsilon(&value, list, count, delta, accountant, &err));
  double low = 1e-6, high = 1e-6, off = value / wanted - 1;
  if (accountant == SOTTO_ACCOUNTANT_RDP) low = high = 1e-4;
  if (accountant == SOTTO_ACCOUNTANT_PLD) {
    low = 1e-4;
    high = 1e-3;
  }
  if (off >= -low && off <= high) return 0;
  print_message("%s %s delta %g by %s: %.9g, tabled %.9g (%+.2e)\n", kind, text, delta, name, value, wanted,
                off);
  return 1;
}

static void every_tabled_value_is_met(void **state) {
  (void)state;
  const char *path = check_shared("goldens/accounting.csv");
  if (path == NULL) skip();
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  char line[256];
  int rows = 0, wrong = 0;
  while (fgets(line, sizeof line, file) != NULL) {
    int got = check_row(line);
    if (got < 0) continue;
    rows++;
    wrong += got;
  }
  fclose(file);
  assert_int_equal(rows, 147);
  assert_int_equal(wrong, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_tabled_value_is_met)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
