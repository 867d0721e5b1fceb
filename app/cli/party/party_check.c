/* sotto run check: all checks before a run, with an exit status for each cause of failure. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "common/print.h"
#include "party.h"

/* The number of a cause is its position in the public list; new causes are appended. */
static int status_of(sotto_trouble trouble) {
  enum { first_status = 10 };
  switch (trouble) {
  case SOTTO_TROUBLE_NONE:
    return EXIT_DONE;
  case SOTTO_TROUBLE_OTHER:
    return EXIT_FAILED;
  case SOTTO_TROUBLE_BUDGET:
    return EXIT_REFUSED;
  default:
    return first_status + (int)trouble;
  }
}

static void print_line(void *context, const char *what, sotto_trouble trouble, const char *text) {
  (void)context;
  bool good = trouble == SOTTO_TROUBLE_NONE;
  app_print(stdout, "  %-12s %-6s %s\n", what, good ? "ok" : "FAILED", text);
  if (!good)
    app_print(stdout, "  %-12s %s: %s\n", "", sotto_trouble_word(trouble), sotto_trouble_advice(trouble));
  (void)fflush(stdout);
}

static void add_line(void *context, const char *what, sotto_trouble trouble, const char *text) {
  (void)json_array_append_new(context, json_pack("{s:s, s:b, s:s, s:i, s:s, s:s}", "what", what, "good",
                                                 trouble == SOTTO_TROUBLE_NONE, "trouble",
                                                 sotto_trouble_word(trouble), "status", status_of(trouble),
                                                 "text", text, "advice", sotto_trouble_advice(trouble)));
}

/* What fails once the check is to stop is no finding. */
static int end(sotto_trouble first) {
  sotto_error err = {0};
  if (!sotto_interrupted()) return status_of(first);
  (void)sotto_i_fail(&err, SOTTO_INTERRUPTED, "stopped on request");
  return cli_error(&err);
}

static int check_json(const party_request *r) {
  json_t *lines = json_array();
  sotto_trouble first = sotto_party_check(&r->options, &r->party, NULL, add_line, lines);
  int failed = json_dumpf(lines, stdout, JSON_COMPACT);
  (void)putchar('\n');
  json_decref(lines);
  return failed != 0 ? EXIT_FAILED : end(first);
}

int party_check(int argc, char **argv) {
  static party_request r;
  if (!party_parse(&r, argc, argv)) return EXIT_USAGE;
  if (r.json) return check_json(&r);
  const char *warning = sotto_options_warning(&r.options);
  if (warning != NULL) app_print(stdout, "  %-12s %s\n", "privacy", warning);
  return end(sotto_party_check(&r.options, &r.party, NULL, print_line, NULL));
}
