/* Failures of verbs. */
#include "failure.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "common/print.h"

static struct { bool json, said; } state;

void cli_failure_json(void) {
  state.json = true;
}

static int report_failure(const char *status, int code, const char *text) {
  cli_observer_end();
  if (!cli_watch_said("error", "failed", text)) app_print(stderr, "sotto: %s\n", text);
  if (!state.json || state.said) return code;
  state.said = true;
  json_t *root = json_pack("{s:{s:s,s:i,s:s}}", "error", "status", status, "exit", code, "message", text);
  char *line = root == NULL ? NULL : json_dumps(root, JSON_COMPACT);
  if (line != NULL) (void)puts(line);
  free(line);
  json_decref(root);
  return code;
}

int cli_usage(const char *format, ...) {
  char text[1200];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return report_failure("USAGE", EXIT_USAGE, text);
}

static const char *status_name(sotto_status status) {
  static const char *const names[] = {
#define STATUS_NAME(name, text) #name,
      SOTTO_STATUS_LIST(STATUS_NAME)
#undef STATUS_NAME
  };
  return (size_t)status < sizeof names / sizeof *names ? names[status] : "INVALID";
}

int cli_error(const sotto_error *err) {
  const char *text = err->text[0] == '\0' ? sotto_status_text(err->status) : err->text;
  const int code = err->status == SOTTO_INTERRUPTED ? EXIT_INTERRUPTED
                   : err->status == SOTTO_REFUSED   ? EXIT_REFUSED
                                                    : EXIT_FAILED;
  return report_failure(status_name(err->status), code, text);
}

int cli_stdout_end(int code) {
  errno = 0;
  if (fflush(stdout) == 0 && ferror(stdout) == 0) return code;
  if (code != EXIT_DONE) return code;
  app_print(stderr, "sotto: standard output: could not write all of it: %s\n",
            errno != 0 ? strerror(errno) : "an earlier write failed");
  return EXIT_FAILED;
}
