/* Cells that a file keeps, in one process. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "ranks/cells.h"

enum { total = 20, block = 3, lead_bytes = 8, header = 48, bytes = 12 };

typedef struct maker {
  size_t made, fails_at; /* cells so far; the number of the cell that fails, or total */
} maker;

static sotto_status make(void *context, void *values, size_t first, size_t count, size_t *finished,
                         sotto_error *err) {
  maker *m = context;
  assert_true(count <= block);
  for (*finished = 0; *finished < count; ++*finished) {
    if (first + *finished == m->fails_at) return sotto_i_fail(err, SOTTO_NUMERIC, "a planted fault");
    memset((uint8_t *)values + *finished * bytes, (int)(first + *finished + 1), bytes);
    m->made++;
  }
  return SOTTO_OK;
}

typedef struct kept {
  sotto_i_cells cells;
  uint8_t lead[lead_bytes], values[total * bytes];
} kept;

static void begin(kept *k, const char *path, uint8_t identity, uint8_t lead) {
  memset(k, 0, sizeof *k);
  memset(k->lead, lead, sizeof k->lead);
  k->cells = (sotto_i_cells){.path = path,
                             .kind = "TESTING",
                             .holds = "cells of a test",
                             .identity = {identity},
                             .lead = k->lead,
                             .lead_bytes = lead_bytes,
                             .values = k->values,
                             .bytes = bytes,
                             .total = total,
                             .block = block};
}

static void check_all(const kept *k) {
  for (size_t i = 0; i < total * bytes; i++) assert_int_equal(k->values[i], i / bytes + 1);
}

/* Leaves a file with the cells before the one that fails. */
static void stop_at(size_t number, const char *path) {
  kept k;
  maker m = {.fails_at = number};
  begin(&k, path, 1, 'a');
  CHECK_OK(sotto_i_cells_open(&k.cells, &err));
  CHECK_FAILS(SOTTO_NUMERIC, "planted", sotto_i_cells_run(&k.cells, make, &m, "cells", NULL, &err));
  sotto_i_cells_close(&k.cells, false);
  struct stat what;
  assert_int_equal(stat(path, &what), 0);
  assert_int_equal(what.st_size, header + lead_bytes + number * bytes);
  assert_int_equal(what.st_mode & 0777, 0600);
}

static void finish(kept *k, size_t done, size_t made) {
  maker m = {.fails_at = total};
  CHECK_OK(sotto_i_cells_open(&k->cells, &err));
  assert_int_equal(k->cells.done, done);
  CHECK_OK(sotto_i_cells_run(&k->cells, make, &m, "cells", NULL, &err));
  CHECK_OK(sotto_i_cells_share(&k->cells, &err));
  assert_int_equal(m.made, made);
  check_all(k);
  sotto_i_cells_close(&k->cells, true);
}

static void finished_cells_and_their_lead_stay(void **state) {
  (void)state;
  kept k;
  const char *path = check_path("stays.cells");
  stop_at(7, path);
  assert_int_equal(truncate(path, header + lead_bytes + 5 * bytes + 4), 0); /* as a crash leaves it */
  begin(&k, path, 1, 'b');
  finish(&k, 5, total - 5);
  assert_int_equal(k.lead[0], 'a');
  assert_true(access(path, F_OK) != 0);
}

static void a_file_without_a_cell_is_begun_anew(void **state) {
  (void)state;
  kept k;
  const char *path = check_path("empty.cells");
  for (off_t size = 0; size < header + lead_bytes + bytes; size += 13) {
    stop_at(1, path);
    assert_int_equal(truncate(path, size), 0);
    begin(&k, path, 1, 'b');
    finish(&k, 0, total);
    assert_int_equal(k.lead[0], 'b');
  }
}

static void cells_of_something_else_are_refused_or_replaced(void **state) {
  (void)state;
  kept k;
  const char *path = check_path("other.cells");
  stop_at(7, path);
  begin(&k, path, 2, 'b');
  CHECK_FAILS(SOTTO_CORRUPT, "cells of a test of other data", sotto_i_cells_open(&k.cells, &err));
  sotto_i_cells_close(&k.cells, false);
  begin(&k, path, 2, 'b');
  k.cells.anew = true;
  finish(&k, 0, total);
}

static void one_process_at_a_time_has_the_file(void **state) {
  (void)state;
  kept k, other;
  begin(&k, check_path("held.cells"), 1, 'a');
  begin(&other, k.cells.path, 1, 'a');
  CHECK_OK(sotto_i_cells_open(&k.cells, &err));
  CHECK_FAILS(SOTTO_IO, "another process", sotto_i_cells_open(&other.cells, &err));
  sotto_i_cells_close(&other.cells, false);
  sotto_i_cells_close(&k.cells, true);
}

static void without_a_path_nothing_is_kept(void **state) {
  (void)state;
  kept k;
  begin(&k, NULL, 1, 'a');
  finish(&k, 0, total);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finished_cells_and_their_lead_stay),
      cmocka_unit_test(a_file_without_a_cell_is_begun_anew),
      cmocka_unit_test(cells_of_something_else_are_refused_or_replaced),
      cmocka_unit_test(one_process_at_a_time_has_the_file),
      cmocka_unit_test(without_a_path_nothing_is_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
