/* The field of eight values in integers of 52 bits: field_body.h. */
#include "check.h"
#include "party/psi/group.h"

#if defined(__x86_64__)
#define SOTTO_CHECKED_FIELD /* by the address sanitizer, where there is one */
#include "party/curve/field_ifma.h"

enum { field_bits = 52, field_signed = 0 };

static int64_t field_most(int i) {
  return i < 4 ? ((int64_t)1 << 52) - 1 : ((int64_t)1 << 47) + (1 << 12) - 1;
}

/* Of p. */
static int64_t field_edge(int i) {
  return ((int64_t)1 << (i < 4 ? 52 : 47)) - (i == 0 ? 19 : 1);
}

static int64_t field_limb(fe a, int i, size_t lane) {
  int64_t limb[lanes];
  memcpy(limb, &a.v[i], sizeof limb);
  return limb[lane];
}

static fe field_of(int64_t limb[5][lanes]) {
  fe r;
  for (int i = 0; i < 5; i++) memcpy(&r.v[i], limb[i], sizeof r.v[i]);
  return r;
}

#include "field_body.h"

int main(void) {
  if (!sotto_i_has_ifma()) {
    printf("skipped: no AVX-512 IFMA\n");
    return 77;
  }
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(operations_are_those_of_the_reference),
      cmocka_unit_test(bytes_are_read_modulo_p),
      cmocka_unit_test(inverses_and_signs_are_right),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void) {
  printf("skipped: for x86-64 alone\n");
  return 77;
}
#endif
