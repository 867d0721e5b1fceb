/* Memory for keys: zeroed, writable to its end, guarded behind it, and gone when it is freed. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/secret.h"
#include "check.h"

static void secrets_are_zeroed_and_aligned(void **state) {
  (void)state;
  for (size_t size = 0; size < 300; size += 37) {
    uint8_t *secret;
    CHECK_OK(sotto_i_new_secret(&secret, size, 1, &err));
    assert_int_equal((uintptr_t)secret % 64, 0);
    for (size_t i = 0; i < size; i++) assert_int_equal(secret[i], 0);
    memset(secret, 1, size);
    sotto_i_free_secret(secret);
  }
  sotto_i_free_secret(NULL);
}

static void what_does_not_fit_is_refused(void **state) {
  (void)state;
  uint8_t *secret = (uint8_t *)1;
  CHECK_FAILS(SOTTO_NOMEM, "no memory for", sotto_i_new_secret(&secret, SIZE_MAX, 2, &err));
  assert_null(secret);
  CHECK_FAILS(SOTTO_NOMEM, "no memory for", sotto_i_new_secret(&secret, SIZE_MAX / 2, 1, &err));
  (void)sotto_i_memory_fail_at(1);
  CHECK_FAILS(SOTTO_NOMEM, "no memory for", sotto_i_new_secret(&secret, 32, 1, &err));
  assert_int_equal(sotto_i_memory_fail_at(0), 1);
}

/* How a process ends that reads where `offset` is from the beginning of 64 bytes, when they were freed or
 * not. */
static int end_of_reader(ptrdiff_t offset, bool freed) {
  int ended = 0;
  const pid_t child = fork();
  if (child == 0) {
    uint8_t *secret;
    (void)signal(SIGSEGV, SIG_DFL);
    (void)signal(SIGBUS, SIG_DFL);
    if (sotto_i_new_secret(&secret, 64, 1, NULL) != SOTTO_OK) _exit(2);
    volatile uint8_t *at = secret + offset;
    if (freed) sotto_i_free_secret(secret);
    _exit(*at == 0 ? 0 : 3);
  }
  assert_int_equal(waitpid(child, &ended, 0), child);
  return WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
}

static void a_read_beyond_or_after_ends_the_process(void **state) {
  (void)state;
  assert_int_equal(end_of_reader(63, false), 0);
  assert_true(end_of_reader(64, false) > 128);
  assert_true(end_of_reader(0, true) > 128);
}

/* VmLck of this process, in kB; -1 where the system does not say. */
static long locked(void) {
  char line[200];
  long kilobytes = -1;
  FILE *status = fopen("/proc/self/status", "r");
  while (status != NULL && fgets(line, sizeof line, status) != NULL)
    if (strncmp(line, "VmLck:", 6) == 0) kilobytes = strtol(line + 6, NULL, 10);
  if (status != NULL) (void)fclose(status);
  return kilobytes;
}

static void secrets_are_locked(void **state) {
  (void)state;
  uint8_t *secret;
  const long before = locked();
  CHECK_OK(sotto_i_new_secret(&secret, 64, 1, &err));
  const long with = locked();
  sotto_i_free_secret(secret);
  if (before < 0 || with == before) {
    puts("skipped: this system locks no memory");
    skip();
  }
  assert_true(with > before);
  assert_int_equal(locked(), before);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(secrets_are_zeroed_and_aligned),
      cmocka_unit_test(what_does_not_fit_is_refused),
      cmocka_unit_test(a_read_beyond_or_after_ends_the_process),
      cmocka_unit_test(secrets_are_locked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
