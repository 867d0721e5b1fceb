/* sotto statement: checks a run's privacy statement against its signature, its files and its ledger. Also
 * decides a dispute about a client whose message a checked sum refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "common/file.h"
#include "common/levels.h"
#include "common/print.h"
#include "report/later.h"
#include "sotto/guarantee.h"
#include "sotto/statement.h"

typedef struct request {
  const char *words[3];
  size_t word_count;
  const char *ledger, *key, *keys;
  bool json, help;
} request;

static int print_help(void) {
  (void)puts(
      "usage: sotto statement verify RUN [--ledger FILE] [--key CERT]\n"
      "       sotto statement dispute REFUSED [SENT] --keys CERTS\n\n"
      "Checks the privacy statement of a run folder, and says what was checked:\n"
      "  signature   of evidence.json, by a party's key or by the key of the ledger's owner\n"
      "  files       are as they were when the run ended, by their digests; report.html and\n"
      "              predictions come later, and are not among them\n"
      "  charges     of this run in the ledger, where it is at hand, have the stated figures and\n"
      "              compose to the stated epsilon\n"
      "  later       statements of releases for answers and of nights in the folder, in the same way\n"
      "  account     that paid: what it has spent since and in all, by the ledger\n"
      "A field that was edited is an error that names it. Without a signature by a known key, fields\n"
      "that the ledger does not have are unchecked, and named.\n\n"
      "  --ledger FILE   the ledger that the run was charged to [the user's own]\n"
      "  --key CERT      the certificate of who must have signed, such as own.crt or trust/bank.crt\n"
      "  --json          one line of JSON\n\n"
      "example: sotto statement verify runs/20260301-120000\n\n"
      "`dispute` decides whether a client of a run with update-bound sent what the server says. REFUSED\n"
      "is the server's file seed-N/owner-only/refused-clientC-roundR-X.json, SENT the client's own\n"
      "sent-clientC-roundR-X.json. Give SENT to an arbiter that is not the server.\n\n"
      "  --keys CERTS    the run's client-keys: certificates of all clients, and the helper's last\n\n"
      "example: sotto statement dispute refused-client3-round7-1f0a2b3c.json \\\n"
      "           sent-client3-round7-1f0a2b3c.json --keys clients.pem");
  return EXIT_DONE;
}

static const char *const signers[] = {[SOTTO_SIGNED_BY_NOBODY] = "nobody",
                                      [SOTTO_SIGNED_BY_IDENTITY] = "identity",
                                      [SOTTO_SIGNED_BY_LEDGER_KEY] = "ledger key"};

static json_t *account_json(const sotto_statement_check *c) {
  if (!c->account_known) return json_null();
  return json_pack("{s:I,s:I,s:o,s:f,s:I,s:o}", "charges", (json_int_t)c->account_charges, "unprotected",
                   (json_int_t)c->account_unprotected, "epsilon",
                   c->account_unprotected == 0 && isfinite(c->account_epsilon) ? json_real(c->account_epsilon)
                                                                               : json_null(),
                   "delta", c->account_delta, "since_charges", (json_int_t)c->since_charges, "since_epsilon",
                   isfinite(c->since_epsilon) ? json_real(c->since_epsilon) : json_null());
}

static json_t *check_json(const char *run, const sotto_statement_check *c) {
  return json_pack("{s:s,s:s,s:s,s:s,s:b,s:I,s:b,s:I,s:I,s:o,s:s,s:s,s:o,s:I}", "run", run, "signed_by",
                   signers[c->by], "name", c->name, "key", c->key, "key_known", (int)c->key_known, "files",
                   (json_int_t)c->files, "charges_checked", (int)c->charges_checked, "charges",
                   (json_int_t)c->charges, "later_charges", (json_int_t)c->later, "epsilon",
                   c->charges_checked ? json_real(c->epsilon) : json_null(), "ledger_note", c->ledger_note,
                   "unchecked", c->unchecked, "account", account_json(c), "uncovered_files",
                   (json_int_t)c->uncovered);
}

static bool has_statement(const char *folder) {
  char *path = NULL;
  const bool stated = app_join(&path, folder, "statement.json", NULL) == SOTTO_OK && sotto_i_is_file(path);
  free(path);
  return stated;
}

static void print_signature(const sotto_statement_check *c) {
  const char *colour = c->by != SOTTO_SIGNED_BY_NOBODY && c->key_known ? NULL : "amber";
  char line[400] = "  signature   NOT SIGNED: whoever has the folder can change it";
  if (c->by == SOTTO_SIGNED_BY_IDENTITY)
    (void)snprintf(
        line, sizeof line, "  signature   holds: signed by '%s', %s\n              key in words: %s", c->name,
        c->key_known ? "whose key is trusted here" : "whose key is NOT known here: compare the words",
        c->words);
  else if (c->by == SOTTO_SIGNED_BY_LEDGER_KEY)
    (void)snprintf(line, sizeof line, "  signature   holds: signed by the key of %s, %s",
                   c->key_known ? "the owner of this ledger" : "a ledger's owner, which is NOT known here",
                   c->key);
  app_print_line(stdout, colour, line);
}

/* Prints the whole account: a reader of this run's releases may also have read the others that it paid for.
 */
static void print_account(const sotto_statement_check *c) {
  char guess[SOTTO_GUARANTEE_WORDS], delta[SOTTO_DELTA_WORDS], epsilon[SOTTO_EPSILON_WORDS], line[240];
  if (!c->account_known) return;
  const sotto_guarantee_row *row =
      sotto_guarantee_describe(sotto_guarantee_of(c->account_epsilon, c->account_delta));
  sotto_guarantee_guess_words(guess, sizeof guess,
                              sotto_guarantee_guess(c->account_epsilon, c->account_delta));
  sotto_delta_words(delta, c->account_delta);
  sotto_epsilon_words(epsilon, c->since_epsilon);
  app_print(stdout, "  account     since this run: epsilon %s, %llu charges\n", epsilon,
            (unsigned long long)c->since_charges);
  sotto_epsilon_words(epsilon, c->account_epsilon);
  if (c->account_unprotected > 0) {
    char bare[APP_UNPROTECTED_WORDS];
    app_unprotected_words(bare, c->account_unprotected);
    (void)snprintf(line, sizeof line, "              in all: %s; the others: epsilon %s at delta %s", bare,
                   epsilon, delta);
    app_print_line(stdout, "red", line);
    return;
  }
  (void)snprintf(line, sizeof line,
                 "              in all: epsilon %s at delta %s, a guess is right %s (%s)%s", epsilon, delta,
                 guess, row->name, c->account_alone ? "" : "; the statement is of this run alone");
  app_print_line(stdout, row->colour, line);
}

static void print_unchecked(const sotto_statement_check *c) {
  char line[520];
  if (c->unchecked[0] == '\0') return;
  (void)snprintf(line, sizeof line,
                 "  unchecked   %s: fields that the ledger does not have are unchecked: %s",
                 c->by == SOTTO_SIGNED_BY_NOBODY ? "not signed" : "not signed by a known key", c->unchecked);
  app_print_line(stdout, "amber", line);
}

static void print_check(const char *run, const sotto_statement_check *c) {
  app_print(stdout, "  %s: statement.json was checked\n", run);
  print_signature(c);
  if (c->files > 0)
    app_print(stdout, "  files       hold: %zu are as they were when the run ended\n", c->files);
  else
    app_print_line(stdout, "amber", "  files       not checked: there is no evidence.json");
  if (c->uncovered > 0) {
    char line[240];
    (void)snprintf(line, sizeof line, "              NOT covered: %zu, such as %s", c->uncovered,
                   c->uncovered_name);
    app_print_line(stdout, "amber", line);
  }
  if (!c->charges_checked)
    app_print(stdout, "  charges     not checked: %s\n", c->ledger_note);
  else
    app_print(stdout, "  charges     hold: %llu of this run; those of the data compose to epsilon %.4g\n",
              (unsigned long long)c->charges, c->epsilon);
  if (c->later > 0)
    app_print(stdout, "              %llu more came after the run ended\n", (unsigned long long)c->later);
  print_account(c);
  print_unchecked(c);
}

/* Checks the statements of later releases in the folder, each like the run's own. */
typedef struct later {
  const sotto_statement_ask *ask;
  json_t *list; /* NULL: no --json */
  uint64_t count, charges;
  char bare[160]; /* one release without a statement; empty: none */
} later;

static sotto_status check_later(void *context, const char *path, const char *name, sotto_error *err) {
  later *l = context;
  sotto_statement_check check;
  sotto_error why = {0};
  const sotto_status status = sotto_statement_verify(&check, path, l->ask, &why);
  if (status == SOTTO_NOT_FOUND && !has_statement(path)) {
    (void)snprintf(l->bare, sizeof l->bare, "%.150s", name);
    return SOTTO_OK;
  }
  if (status != SOTTO_OK) return sotto_i_fail(err, status, "%.300s: %s", name, why.text);
  l->count++;
  l->charges += check.charges;
  json_array_append_new(l->list, check_json(name, &check));
  return SOTTO_OK;
}

static void print_later(const later *l) {
  char line[320];
  if (l->count > 0)
    app_print(stdout, "  later       hold: %llu statements of later releases, with %llu charges\n",
              (unsigned long long)l->count, (unsigned long long)l->charges);
  if (l->bare[0] == '\0') return;
  (void)snprintf(line, sizeof line,
                 "              NOT stated: %s has no statement.json; it was cut off, or taken away",
                 l->bare);
  app_print_line(stdout, "amber", line);
}

static const struct {
  const char *name, *colour;
} verdicts[] = {[SOTTO_DISPUTE_NO_PROOF] = {"no proof", "amber"},
                [SOTTO_DISPUTE_OPEN] = {"open", "amber"},
                [SOTTO_DISPUTE_CLEARED] = {"cleared", "green"},
                [SOTTO_DISPUTE_CONFIRMED] = {"confirmed", "red"}};

static int decide_dispute(const request *r) {
  const char *sent = r->word_count == 3 ? r->words[2] : NULL;
  char line[280];
  sotto_dispute d;
  sotto_error err = {0};
  if (r->word_count < 2 || r->keys == NULL)
    return cli_usage("name the server's record of a client, and the certificates of all clients and the "
                     "helper: sotto statement dispute REFUSED [SENT] --keys CERTS");
  if (r->ledger != NULL || r->key != NULL)
    return cli_usage("--ledger and --key are of `sotto statement verify`");
  if (sotto_dispute_decide(&d, r->words[1], sent, r->keys, &err) != SOTTO_OK) return cli_error(&err);
  if (r->json)
    return cli_print_json(json_pack("{s:s,s:I,s:I,s:s}", "verdict", verdicts[d.verdict].name, "client",
                                    (json_int_t)d.client, "round", (json_int_t)d.round, "text", d.text));
  (void)snprintf(line, sizeof line, "  round %llu: %s", (unsigned long long)d.round, d.text);
  app_print_line(stdout, verdicts[d.verdict].colour, line);
  return EXIT_DONE;
}

static int verify_later(const request *r, const sotto_statement_check *check,
                        const sotto_statement_ask *ask) {
  later l = {.ask = ask, .list = json_array()};
  sotto_error err = {0};
  json_t *root = NULL;
  if (later_each(r->words[1], check_later, &l, &err) != SOTTO_OK) {
    json_decref(l.list);
    return cli_error(&err);
  }
  if (r->json) {
    root = check_json(r->words[1], check);
    json_object_set_new(root, "later", l.list);
    json_object_set_new(root, "not_stated", l.bare[0] == '\0' ? json_null() : json_string(l.bare));
    return cli_print_json(root);
  }
  json_decref(l.list);
  print_check(r->words[1], check);
  print_later(&l);
  return EXIT_DONE;
}

int cli_statement(int argc, char **argv) {
  request r = {.words = {NULL}};
  sotto_error err = {0};
  sotto_statement_check check;
  const cli_flag flags[] = {{"ledger", &r.ledger, NULL},
                            {"key", &r.key, NULL},
                            {"keys", &r.keys, NULL},
                            {"json", NULL, &r.json},
                            {"help", NULL, &r.help}};
  if (!cli_parse(flags, sizeof flags / sizeof *flags, argc, argv, r.words, 3, &r.word_count))
    return EXIT_USAGE;
  if (r.help) return print_help();
  if (r.word_count > 0 && strcmp(r.words[0], "dispute") == 0) return decide_dispute(&r);
  if (r.word_count != 2 || strcmp(r.words[0], "verify") != 0)
    return cli_usage("name what to do and a run folder: sotto statement verify RUN");
  if (r.keys != NULL) return cli_usage("--keys is of `sotto statement dispute`");
  const sotto_statement_ask ask = {.ledger = r.ledger, .certificate = r.key};
  if (sotto_statement_verify(&check, r.words[1], &ask, &err) != SOTTO_OK) return cli_error(&err);
  return verify_later(&r, &check, &ask);
}
