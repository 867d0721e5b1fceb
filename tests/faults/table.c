/* Works that are tried again and again, each time with another call that fails. */
#include "faults/table.h"

#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <openssl/crypto.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "check.h"
#include "run_files.h"

#if defined(__SANITIZE_ADDRESS__)
#define LEAKS_ARE_FOUND 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LEAKS_ARE_FOUND 1
#endif
#endif
#ifdef LEAKS_ARE_FOUND
#include <sanitizer/lsan_interface.h>
#endif

enum { most_each = 30, most_seen = 1 << 14, leaked = 99, broken = 98 };

/* Of the last try, which is another process. */
typedef struct tried {
  _Atomic uint64_t calls;
  uint64_t places[check_most_places]; /* of its calls, where they are noted */
} tried;
static tried *last;
static unsigned tries;

/* Places that failed before, in this work or another. */
typedef struct seen_places {
  uint64_t each[most_seen];
  size_t count;
} seen_places;
static seen_places seen[CHECK_CALLS];

static int work_in_child(const check_work *work, check_call kind, uint64_t nth) {
  int (*const run)(const void *, unsigned) = work->run;
  if (kind == CHECK_MAP) sotto_i_map_most_read(1);
  if (nth == 0) check_note_places(last->places, kind);
  check_fail_call(kind, nth);
  int code = run(work->context, tries);
  atomic_store(&last->calls, check_calls(kind));
  check_fail_call(kind, 0);
  (void)fflush(NULL);
  OPENSSL_cleanup(); /* what it keeps for the next call is no leak */
#ifdef LEAKS_ARE_FOUND
  if (__lsan_do_recoverable_leak_check() != 0) code = leaked;
#endif
  return code;
}

/* The exit status of the process that tries; 128 and more after a signal. */
static int try(const check_work *work, check_call kind, uint64_t nth, bool look) {
  int ended = 0;
  tries++;
  const pid_t child = fork();
  if (child == 0) {
    (void)dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    (void)dup2(open("said", O_WRONLY | O_CREAT | (look ? O_APPEND : O_TRUNC), 0600), STDERR_FILENO);
    _exit(look ? (work->whole() ? 0 : broken) : work_in_child(work, kind, nth));
  }
  assert_int_equal(waitpid(child, &ended, 0), child);
  return WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
}

static void print_said(void) {
  char line[400];
  FILE *said = fopen("said", "r");
  for (int lines = 0; said != NULL && lines < 40 && fgets(line, sizeof line, said) != NULL; lines++)
    print_message("  %s", line);
  if (said != NULL) (void)fclose(said);
}

/* Is there a file whose writing was given up, at any depth? */
static bool has_partial(const char *path) {
  bool found = false;
  DIR *folder = opendir(path);
  for (struct dirent *entry; folder != NULL && !found && (entry = readdir(folder)) != NULL;) {
    char below[1024];
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    (void)snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
    found = strstr(entry->d_name, ".partial.") != NULL || (sotto_i_is_folder(below) && has_partial(below));
  }
  if (folder != NULL) (void)closedir(folder);
  return found;
}

/* Later tries then look through no more files than the first one. */
static void remove_made(unsigned number) {
  char pattern[32];
  glob_t found = {0};
  (void)snprintf(pattern, sizeof pattern, "*-%u", number);
  if (glob(pattern, 0, NULL, &found) == 0)
    for (size_t i = 0; i < found.gl_pathc; i++) {
      if (sotto_i_is_folder(found.gl_pathv[i]))
        check_remove_folder(found.gl_pathv[i]);
      else
        assert_int_equal(unlink(found.gl_pathv[i]), 0);
    }
  globfree(&found);
}

static void check_try(const check_work *work, check_call kind, uint64_t nth) {
  const char *problem = NULL;
  struct stat said;
  const int code = try(work, kind, nth, false);
  const unsigned number = tries;
  if (code != 0 && code != 1 && code != 2)
    problem = code == leaked ? "lost memory" : "ended by a signal or with a strange status";
  else if (code != 0 && kind != CHECK_HEAP && (stat("said", &said) != 0 || said.st_size == 0))
    problem = "said nothing";
  else if (has_partial("."))
    problem = "left a temporary file";
  else if (work->whole != NULL && try(work, kind, 0, true) != 0)
    problem = "left half a thing";
  if (problem == NULL) {
    remove_made(number);
    return;
  }
  print_said();
  fail_msg("%s with %s %llu failing: ended with %d and %s", work->name, check_call_names[kind],
           (unsigned long long)nth, code, problem);
}

/* Whether no call from this place has failed. A place that cannot be seen is always new. */
static bool is_new(seen_places *before, uint64_t place) {
  for (size_t i = 0; place != 0 && i < before->count; i++)
    if (before->each[i] == place) return false;
  return true;
}

static void remember(seen_places *before, uint64_t place) {
  if (is_new(before, place) && before->count < most_seen) before->each[before->count++] = place;
}

/* How many calls come from places of which none has failed; `count` is at most check_most_places. */
static size_t new_calls(uint32_t *calls, check_call kind, size_t count) {
  seen_places *const now = &seen[kind];
  const size_t before = now->count;
  size_t found = 0;
  for (size_t i = 0; i < count; i++)
    if (is_new(now, last->places[i])) {
      remember(now, last->places[i]);
      calls[found++] = (uint32_t)i + 1;
    }
  now->count = before;
  return found;
}

/* One call of each place from which none has failed: all of the first ones, then ever fewer of the others.
 * Returns how many failed. */
static uint64_t fail_each(const check_work *work, check_call kind) {
  static uint32_t calls[check_most_places];
  static uint64_t places[check_most_places];
  uint64_t failed = 0;
  memset(last->places, 0, sizeof last->places);
  if (try(work, kind, 0, false) != 0) {
    print_said();
    fail_msg("%s is not done without a fault", work->name);
  }
  const uint64_t total = atomic_load(&last->calls);
  const size_t found = new_calls(calls, kind, total < check_most_places ? total : check_most_places);
  memcpy(places, last->places, sizeof places);
  for (size_t i = 0; i < found; i += i < most_each / 2 ? 1 : 1 + 2 * found / most_each) {
    check_try(work, kind, calls[i]);
    remember(&seen[kind], places[calls[i] - 1]);
    failed++;
  }
  return failed;
}

static void begin(void) {
  if (last != NULL) return;
  last = mmap(NULL, sizeof *last, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(last != MAP_FAILED);
}

void check_work_done(const check_work *work) {
  begin();
  if (try(work, CHECK_MEMORY, 0, false) == 0) return;
  print_said();
  fail_msg("%s is not done", work->name);
}

void check_fault_table(const check_work *works, size_t count, unsigned kinds) {
  uint64_t total[CHECK_CALLS] = {0};
  begin();
  print_message("%-24s", "calls that failed");
  for (int k = 0; k < CHECK_CALLS; k++) print_message("%8s", check_call_names[k]);
  for (size_t i = 0; i < count; i++) {
    print_message("\n%-24s", works[i].name);
    for (int k = 0; k < CHECK_CALLS; k++) {
      const uint64_t failed = fail_each(&works[i], (check_call)k);
      print_message("%8llu", (unsigned long long)failed);
      total[k] += failed;
    }
  }
  print_message("\n");
  for (int k = 0; k < CHECK_CALLS; k++)
    if ((kinds >> k & 1U) != 0 && total[k] < 5)
      fail_msg("%llu calls of %s failed in all: the table is blind", (unsigned long long)total[k],
               check_call_names[k]);
}
