/* sotto identity list: this party and those that it trusts. */
#include <stdio.h>
#include <string.h>

#include "common/print.h"
#include "identity.h"

/* One party of the list. `problem`: why its file cannot be used; empty: it can. */
typedef struct entry {
  sotto_identity_info info;
  bool own;
  char problem[300];
} entry;

static const char *state_of(const entry *e) {
  if (e->problem[0] != '\0') return "unusable";
  if (e->info.days < 0) return "ended";
  return e->info.days <= SOTTO_IDENTITY_NOTICE ? "ends soon" : "";
}

static void print_text(const entry *e) {
  const char *state = state_of(e);
  const bool named = e->info.name[0] != '\0';
  app_print(stdout, "  %s%s%s\n", e->info.name, named && (e->own || e->info.authority) ? ", " : "",
            e->own              ? "this party"
            : e->info.authority ? "by its authority"
                                : "");
  if (e->problem[0] != '\0') {
    app_print(stdout, "    unusable     %s\n", e->problem);
    return;
  }
  app_print(stdout, "    until        %s, %lld days%s%s\n", e->info.ends, (long long)e->info.days,
            state[0] == '\0' ? "" : ": ", state[0] == '\0' ? "" : state);
  app_print(stdout, "    fingerprint  %s\n    in words     %s\n", e->info.fingerprint, e->info.words);
}

/* Prints a text of a certificate or a message as a JSON string. */
static void print_quoted(const char *text) {
  (void)putchar('"');
  for (const char *at = text; *at != '\0'; at++) {
    if (*at == '"' || *at == '\\') (void)putchar('\\');
    if ((unsigned char)*at >= ' ') (void)putchar(*at);
  }
  (void)putchar('"');
}

static void print_json(const entry *e, bool first) {
  app_print(stdout, "%s{\"name\": ", first ? "" : ", ");
  print_quoted(e->info.name);
  app_print(stdout,
            ", \"own\": %s, \"authority\": %s, \"fingerprint\": \"%s\", \"words\": \"%s\", \"ends\": \"%s\", "
            "\"days\": %lld, \"problem\": ",
            e->own ? "true" : "false", e->info.authority ? "true" : "false", e->info.fingerprint,
            e->info.words, e->info.ends, (long long)e->info.days);
  print_quoted(e->problem);
  app_print(stdout, "}");
}

static void print_entry(const entry *e, bool json, bool first) {
  if (json)
    print_json(e, first);
  else
    print_text(e);
}

int identity_list(int argc, char **argv) {
  const char *folder = NULL, *words[1];
  bool json = false;
  size_t given, count;
  char(*names)[64];
  sotto_error err = {0};
  const cli_flag flags[] = {{"dir", &folder, NULL}, {"json", NULL, &json}};
  if (!cli_parse(flags, sizeof flags / sizeof *flags, argc, argv, words, 0, &given)) return EXIT_USAGE;
  entry own = {.own = true};
  if (sotto_identity_check(&own.info, folder, &err) != SOTTO_OK)
    (void)snprintf(own.problem, sizeof own.problem, "%.299s", err.text);
  err = (sotto_error){0};
  if (sotto_identity_list(&names, &count, folder, &err) != SOTTO_OK) return cli_error(&err);
  if (json) app_print(stdout, "[");
  print_entry(&own, json, true);
  for (size_t i = 0; i < count; i++) {
    entry peer = {.own = false};
    err = (sotto_error){0};
    if (sotto_identity_check_peer(&peer.info, folder, names[i], &err) != SOTTO_OK)
      (void)snprintf(peer.problem, sizeof peer.problem, "%.299s", err.text);
    print_entry(&peer, json, false);
  }
  if (json) app_print(stdout, "]\n");
  sotto_identity_list_free(names);
  return EXIT_DONE;
}
