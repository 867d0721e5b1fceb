/* sotto statement: checks the statement of a run folder against its signature, its files and its ledger. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "common/print.h"
#include "sotto/statement.h"

typedef struct request {
  const char *words[2];
  size_t word_count;
  const char *ledger, *key;
  bool json, help;
} request;

static int print_help(void) {
  (void)puts("usage: sotto statement verify RUN [--ledger FILE] [--key CERT]\n\n"
             "Checks the privacy statement of a run folder, and says what was checked:\n"
             "  signature   of evidence.json, by a party's key or by the key of the ledger's owner\n"
             "  files       are as they were when the run ended, by their digests\n"
             "  charges     of this run in the ledger, where it is at hand, compose to the stated epsilon\n"
             "A field that was edited is an error that names it.\n\n"
             "  --ledger FILE   the ledger that the run was charged to [the user's own]\n"
             "  --key CERT      the certificate of who must have signed, such as own.crt or trust/bank.crt\n"
             "  --json          one line of JSON\n\n"
             "example: sotto statement verify runs/20260301-120000");
  return EXIT_DONE;
}

static const char *const signers[] = {[SOTTO_SIGNED_BY_NOBODY] = "nobody",
                                      [SOTTO_SIGNED_BY_IDENTITY] = "identity",
                                      [SOTTO_SIGNED_BY_LEDGER_KEY] = "ledger key"};

static int print_json(const char *run, const sotto_statement_check *c) {
  return cli_print_json(
      json_pack("{s:s,s:s,s:s,s:s,s:b,s:I,s:b,s:I,s:I,s:o,s:s}", "run", run, "signed_by", signers[c->by],
                "name", c->name, "key", c->key, "key_known", (int)c->key_known, "files", (json_int_t)c->files,
                "charges_checked", (int)c->charges_checked, "charges", (json_int_t)c->charges,
                "later_charges", (json_int_t)c->later, "epsilon",
                c->charges_checked ? json_real(c->epsilon) : json_null(), "ledger_note", c->ledger_note));
}

static void print_signature(const sotto_statement_check *c) {
  if (c->by == SOTTO_SIGNED_BY_IDENTITY)
    app_print(stdout, "  signature   holds: signed by '%s', %s\n              key in words: %s\n", c->name,
              c->key_known ? "whose key is trusted here" : "whose key is NOT known here: compare the words",
              c->words);
  else if (c->by == SOTTO_SIGNED_BY_LEDGER_KEY)
    app_print(stdout, "  signature   holds: signed by the key of %s, %s\n",
              c->key_known ? "the owner of this ledger" : "a ledger's owner, which is NOT known here",
              c->key);
  else
    app_print_line(stdout, "amber", "  signature   NOT SIGNED: whoever has the folder can change it");
}

static void print_check(const char *run, const sotto_statement_check *c) {
  app_print(stdout, "  %s: statement.json was checked\n", run);
  print_signature(c);
  if (c->files > 0)
    app_print(stdout, "  files       hold: %zu are as they were when the run ended\n", c->files);
  else
    app_print_line(stdout, "amber", "  files       not checked: there is no evidence.json");
  if (!c->charges_checked)
    app_print(stdout, "  charges     not checked: %s\n", c->ledger_note);
  else
    app_print(stdout, "  charges     hold: %llu of this run; those of the data compose to epsilon %.4g\n",
              (unsigned long long)c->charges, c->epsilon);
  if (c->later > 0)
    app_print(stdout, "              %llu more came after the run ended\n", (unsigned long long)c->later);
}

int cli_statement(int argc, char **argv) {
  request r = {.words = {NULL}};
  sotto_error err = {0};
  sotto_statement_check check;
  const cli_flag flags[] = {
      {"ledger", &r.ledger, NULL}, {"key", &r.key, NULL}, {"json", NULL, &r.json}, {"help", NULL, &r.help}};
  if (!cli_parse(flags, sizeof flags / sizeof *flags, argc, argv, r.words, 2, &r.word_count))
    return EXIT_USAGE;
  if (r.help) return print_help();
  if (r.word_count != 2 || strcmp(r.words[0], "verify") != 0)
    return cli_usage("name what to do and a run folder: sotto statement verify RUN");
  const sotto_statement_ask ask = {.ledger = r.ledger, .certificate = r.key};
  if (sotto_statement_verify(&check, r.words[1], &ask, &err) != SOTTO_OK) return cli_error(&err);
  if (r.json) return print_json(r.words[1], &check);
  print_check(r.words[1], &check);
  return EXIT_DONE;
}
