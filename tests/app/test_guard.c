/* What the program asks of the system: no core dumps, and a sentence where a mapped file is cut short. */
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "check.h"
#include "common/guard.h"

/* Runs `work` in a process of its own; its exit status, and what it wrote to stderr. */
static int in_process(int (*work)(void), char *said, size_t size) {
  int ends[2], ended = 0;
  size_t used = 0;
  assert_int_equal(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    (void)dup2(ends[1], STDERR_FILENO);
    _exit(work());
  }
  (void)close(ends[1]);
  for (ssize_t count = 1; count > 0 && used + 1 < size; used += (size_t)count) {
    count = read(ends[0], said + used, size - 1 - used);
    if (count <= 0) break;
  }
  said[used] = '\0';
  (void)close(ends[0]);
  assert_int_equal(waitpid(child, &ended, 0), child);
  return WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
}

static bool dumps_are_off(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_cur == 0 && limit.rlim_max == 0;
}

static int guard_alone(void) {
  const struct rlimit some = {4096, 4096};
  (void)setrlimit(RLIMIT_CORE, &some);
  app_guard_process();
#if !defined(__SANITIZE_ADDRESS__) && !defined(__clang__) /* the leak checker traces its own process */
  if (prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0) return 5;
#endif
  return dumps_are_off() ? 0 : 4;
}

static int guard_that_is_switched_off(void) {
  const struct rlimit some = {4096, 4096};
  (void)setrlimit(RLIMIT_CORE, &some);
  (void)setenv("SOTTO_CORE_DUMPS", "1", 1);
  app_guard_process();
  return dumps_are_off() || prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0 ? 4 : 0;
}

static int guard_and_cut(void) {
  sotto_i_map map;
  volatile uint8_t first;
  app_guard_process();
  sotto_i_map_most_read(1);
  if (sotto_i_map_open(&map, "cut.bin", NULL) != SOTTO_OK || truncate("cut.bin", 0) != 0) return 5;
  first = map.data[8192];
  (void)first;
  return 6;
}

static int guard_and_raise(void) {
  app_guard_process();
  (void)raise(SIGBUS);
  return 6;
}

static void core_dumps_are_off(void **state) {
  (void)state;
  char said[400];
  assert_int_equal(in_process(guard_alone, said, sizeof said), 0);
  assert_string_equal(said, "");
}

static void they_stay_on_when_asked_for_and_that_is_said(void **state) {
  (void)state;
  char said[400];
  assert_int_equal(in_process(guard_that_is_switched_off, said, sizeof said), 0);
  assert_non_null(strstr(said, "SOTTO_CORE_DUMPS is set"));
}

static void a_mapped_file_that_is_cut_short_ends_with_a_sentence(void **state) {
  (void)state;
  static const char bytes[3 * 4096];
  char said[400];
  assert_int_equal(chdir(check_folder()), 0);
  CHECK_OK(sotto_i_write_file("cut.bin", bytes, sizeof bytes, &err));
  assert_int_equal(in_process(guard_and_cut, said, sizeof said), 1);
  assert_non_null(strstr(said, "cut short while it was in use"));
  /* A signal that another process sent is no such file. */
  assert_int_equal(in_process(guard_and_raise, said, sizeof said), 128 + SIGBUS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(core_dumps_are_off),
      cmocka_unit_test(they_stay_on_when_asked_for_and_that_is_said),
      cmocka_unit_test(a_mapped_file_that_is_cut_short_ends_with_a_sentence),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
