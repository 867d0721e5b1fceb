/* Progress on stderr.
 *
 * Calls may come from any thread, one at a time; `bar` is this file's alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "common/print.h"

static struct {
  bool open;     /* a bar stands on the line */
  double shown;  /* when it was last drawn */
  char seed[32]; /* "seed 2/5 " while several are trained */
} bar;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void draw(const char *stage, uint64_t done, uint64_t total) {
  enum { width = 30 };
  char cells[width + 1];
  size_t filled = total == 0 ? 0 : (size_t)((double)done / (double)total * width);
  for (size_t i = 0; i < width; i++) cells[i] = i < filled ? '#' : '.';
  cells[width] = '\0';
  (void)fputc('\r', stderr);
  app_print(stderr, "%s%-10s [%s] %llu/%llu ", bar.seed, stage, cells, (unsigned long long)done,
            (unsigned long long)total);
  bar.open = true;
}

void cli_observer_end(void) {
  if (bar.open) (void)fputc('\n', stderr);
  bar.open = false;
}

static void progress(void *context, const char *stage, uint64_t done, uint64_t total, const char *note) {
  (void)context;
  (void)note;
  if (strcmp(stage, "seed") == 0) {
    if (total > 1 && done < total)
      (void)snprintf(bar.seed, sizeof bar.seed, "seed %llu/%llu ", (unsigned long long)done + 1,
                     (unsigned long long)total);
    return;
  }
  if (isatty(STDERR_FILENO) == 0) {
    if (done == total) app_print(stderr, "%s%s done (%llu)\n", bar.seed, stage, (unsigned long long)total);
    return;
  }
  if (done < total && now() - bar.shown < 0.1) return;
  bar.shown = now();
  draw(stage, done, total);
  if (done == total) cli_observer_end();
}

static void log_line(void *context, sotto_log_level level, const char *text) {
  (void)context;
  cli_observer_end();
  const char *plain = getenv("NO_COLOR");
  bool colour = isatty(STDERR_FILENO) != 0 && (plain == NULL || plain[0] == '\0');
  if (level == SOTTO_LOG_WARNING) (void)fputs(colour ? "\033[33mwarning:\033[0m " : "warning: ", stderr);
  app_print(stderr, "%s\n", text);
}

sotto_observer cli_observer(void) {
  return (sotto_observer){.progress = progress, .log = log_line};
}
