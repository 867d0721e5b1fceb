/* Ids of edge lists: numbers by name, for names that stand in their slot of the table and for longer ones. */
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "check.h"
#include "graph/io/csv.h"

enum { most_names = 1000, longest = 20, tables = 30 };

/* Names of 0 to 20 bytes, one of which may be 0, so that many differ in one byte, in their length alone, or
 * behind the eighth byte alone. */
static sotto_i_field draw_name(uint8_t *room, size_t fixed, sotto_i_random *random) {
  const size_t size = (size_t)sotto_i_random_below(random, fixed == 0 ? 10 : longest + 1);
  for (size_t j = 0; j < size; j++)
    room[j] = j < fixed ? 'a' : (uint8_t) "a\0b"[sotto_i_random_below(random, 2)];
  return (sotto_i_field){room, size};
}

static uint32_t slow_find(const sotto_i_field *names, size_t count, const sotto_i_field *name) {
  for (size_t i = 0; i < count; i++)
    if (names[i].size == name->size && memcmp(names[i].text, name->text, name->size) == 0) return (uint32_t)i;
  return UINT32_MAX;
}

/* Some are small numbers, and some would be if they had no zero before them. */
static sotto_i_field draw_number(uint8_t *room, sotto_i_random *random) {
  const int size = snprintf((char *)room, longest, "%s%llu", sotto_i_random_below(random, 8) == 0 ? "0" : "",
                            (unsigned long long)sotto_i_random_below(random, 600));
  return (sotto_i_field){room, (size_t)size};
}

static void one_table(size_t fixed, size_t bytes, sotto_i_random *random) {
  static uint8_t room[most_names][longest];
  static sotto_i_field names[most_names];
  sotto_i_ids ids;
  size_t count = 0;
  sotto_i_ids_init(&ids);
  sotto_i_ids_expect(&ids, bytes);
  for (size_t i = 0; i < most_names; i++) {
    const sotto_i_field name =
        bytes > 0 && i % 2 == 0 ? draw_number(room[i], random) : draw_name(room[i], fixed, random);
    const uint32_t expected = slow_find(names, count, &name);
    assert_int_equal(sotto_i_ids_find(&ids, &name), expected);
    if (expected != UINT32_MAX) continue;
    CHECK_OK(sotto_i_ids_add(&ids, &name, &err));
    names[count++] = name;
  }
  assert_true(count > most_names / 4);
  for (uint32_t i = 0; i < count; i++) assert_int_equal(sotto_i_ids_find(&ids, &names[i]), i);
  sotto_i_ids_free(&ids);
}

static void ids_have_the_numbers_of_a_search_through_all(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (size_t i = 0; i < tables; i++) one_table(i % 2 == 0 ? 0 : 7, i % 4 < 2 ? 0 : 400 * i, &random);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(ids_have_the_numbers_of_a_search_through_all)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
