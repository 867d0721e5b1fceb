/* Allocation. */
#include "check.h"

static void memory_is_aligned_and_zeroed(void **state) {
  (void)state;
  for (size_t count = 0; count < 300; count += 7) {
    uint8_t *memory;
    CHECK_OK(sotto_i_new(&memory, count, 1, &err));
    assert_int_equal((uintptr_t)memory % 64, 0);
    for (size_t i = 0; i < count; i++) assert_int_equal(memory[i], 0);
    sotto_i_free(memory);
  }
}

static void an_overflowing_product_is_refused(void **state) {
  (void)state;
  void *memory;
  CHECK_FAILS(SOTTO_NOMEM, "more than memory can hold", sotto_i_new(&memory, SIZE_MAX / 2, 3, &err));
  assert_null(memory);
}

static void a_planted_fault_strikes_once(void **state) {
  (void)state;
  void *memory;
  (void)sotto_i_memory_fail_at(2);
  CHECK_OK(sotto_i_new(&memory, 1, 1, &err));
  sotto_i_free(memory);
  CHECK_FAILS(SOTTO_NOMEM, "could not allocate", sotto_i_new(&memory, 1, 1, &err));
  CHECK_OK(sotto_i_new(&memory, 1, 1, &err));
  sotto_i_free(memory);
  assert_int_equal(sotto_i_memory_fail_at(0), 3);
}

static void growing_keeps_what_was_there(void **state) {
  (void)state;
  int *items = NULL;
  size_t capacity = 0;
  for (int i = 0; i < 1000; i++) {
    CHECK_OK(sotto_i_grow(&items, &capacity, (size_t)i + 1, sizeof *items, &err));
    items[i] = i;
  }
  for (int i = 0; i < 1000; i++) assert_int_equal(items[i], i);
  sotto_i_free(items);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory_is_aligned_and_zeroed),
      cmocka_unit_test(an_overflowing_product_is_refused),
      cmocka_unit_test(a_planted_fault_strikes_once),
      cmocka_unit_test(growing_keeps_what_was_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
