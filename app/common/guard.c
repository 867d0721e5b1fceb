/* Disables core dumps, and reports a mapped file that was truncated. */
#include "guard.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

/* The leak checker of the sanitizers traces its own process. */
#if defined(__SANITIZE_ADDRESS__)
#define TRACED_BY_ITSELF 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TRACED_BY_ITSELF 1
#endif
#endif

static void on_bus_error(int signal_number, siginfo_t *info, void *context) {
  static const char sentence[] =
      "\nsotto: a file was cut short while it was in use; restore it and start again\n";
  (void)context;
  if (info->si_code == BUS_ADRERR) {
    (void)!write(STDERR_FILENO, sentence, sizeof sentence - 1);
    _exit(1);
  }
  (void)signal(signal_number, SIG_DFL);
  (void)raise(signal_number);
}

static void keep_memory_private(void) {
  const struct rlimit none = {0, 0};
  const char *wanted = getenv("SOTTO_CORE_DUMPS");
  if (wanted != NULL && wanted[0] != '\0') {
    (void)fputs("sotto: SOTTO_CORE_DUMPS is set: a core dump of this process holds keys and private data\n",
                stderr);
    return;
  }
  (void)setrlimit(RLIMIT_CORE, &none);
#if defined(__linux__) && !defined(TRACED_BY_ITSELF)
  (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}

void app_guard_process(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  (void)sigaction(SIGBUS, &action, NULL);
  keep_memory_private();
}
