/* sotto report: pages about runs and ledgers for any reader. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "cli/output.h"
#include "common/print.h"
#include "filing/filing.h"
#include "report/page/page.h"
#include "report/page/seal.h"

typedef struct request {
  const char *words[PAGE_MOST_RUNS];
  size_t word_count;
  const char *out, *data, *sign, *key, *reader;
  bool ledger, owner, json, help;
} request;

static int print_help(void) {
  (void)puts(
      "usage: sotto report RUN... [--out FILE]          one run, or several side by side\n"
      "       sotto report RUN --owner [--data DATA]    with what only the owner may see\n"
      "       sotto report RUN --for regulator [--owner] [--out FOLDER] [--sign KEY]\n"
      "       sotto report --ledger [FILE]              what a ledger spent on what, when, and what "
      "is left\n\n"
      "One HTML file that anybody can read: results, privacy in plain words, what was shown to whom, "
      "what is not\n"
      "covered. It loads nothing and has no scripts. The page of a run has what its folder may hand "
      "on; every run\n"
      "leaves it there as report.html. An edited statement is an error (sotto statement --help). With "
      "--owner it has the confusion matrix, calibration, "
      "accuracy by class and\n"
      "degree, audits and the ledger's account too.\n\n"
      "  --out FILE      [report.html in the run folder, or in its owner-only; several runs: "
      "report.html here;\n"
      "                  a ledger: ledger.html here; - is standard output]\n"
      "  --owner         what follows from true labels, true edges and the ledger: do not hand it on\n"
      "  --data DATA     the run's own dataset, where it has moved\n"
      "  --sign KEY      sign the page with a party's key, its folder or key.pem: FILE.sig is next to it\n"
      "  --for regulator a folder for offices: a record for the registry of deployments, questions of NIST "
      "SP 800-226,\n"
      "                  EDPB opinion 28/2024, AI Act Annex IV and an impact assessment, with answers; a "
      "model "
      "card,\n"
      "                  Croissant, SPDX; digests, which --sign signs [RUN/regulator]\n"
      "  --key CERT      verify: the certificate of who signed, such as own.crt or trust/bank.crt\n"
      "  --json          the name of the file as one line of JSON\n\n"
      "example: sotto report runs/20260301-120000");
  return EXIT_DONE;
}

static int print_written(const request *r, const char *path) {
  sotto_error err = {0};
  if (r->sign != NULL && page_seal(path, r->sign, &err) != SOTTO_OK) return cli_error(&err);
  if (cli_is_stdout(path)) return EXIT_DONE;
  if (r->json)
    return cli_print_json(json_pack("{s:s,s:b}", "report", path, "signed", (int)(r->sign != NULL)));
  app_print(stdout, "  written to  %s\n", path);
  if (r->sign != NULL) app_print(stdout, "  signed      %s.sig\n", path);
  return EXIT_DONE;
}

static int write_ledger_page(const request *r) {
  sotto_error err = {0};
  sotto_ledger *ledger = NULL;
  const char *path = r->out == NULL ? "ledger.html" : r->out;
  if (cli_open_ledger(&ledger, r->word_count == 1 ? r->words[0] : NULL, &err) != SOTTO_OK)
    return cli_error(&err);
  const sotto_status status = page_write_ledger(ledger, path, &err);
  sotto_ledger_close(ledger);
  return status == SOTTO_OK ? print_written(r, path) : cli_error(&err);
}

static int write_runs_page(const request *r) {
  sotto_error err = {0};
  char path[PAGE_PATH];
  const page_ask ask = {.runs = r->words,
                        .run_count = r->word_count,
                        .out = r->out,
                        .owner = r->owner,
                        .data = r->data,
                        .ledger = true};
  return page_write(path, &ask, &err) == SOTTO_OK ? print_written(r, path) : cli_error(&err);
}

static int write_filing(const request *r) {
  sotto_error err = {0};
  filing_made made;
  if (strcmp(r->reader, "regulator") != 0) return cli_usage("--for: '%.40s' is not regulator", r->reader);
  if (r->word_count != 1) return cli_usage("--for regulator: name one run");
  if (r->ledger || r->data != NULL || cli_is_stdout(r->out))
    return cli_usage("--for regulator: takes --owner, --out FOLDER, --sign and --json");
  const filing_ask ask = {.run = r->words[0], .out = r->out, .owner = r->owner, .key = r->sign};
  if (filing_write(&made, &ask, &err) != SOTTO_OK) return cli_error(&err);
  if (r->json)
    return cli_print_json(json_pack("{s:s,s:I,s:I,s:I,s:I,s:b,s:b}", "folder", made.path, "fields",
                                    (json_int_t)made.fields, "filled", (json_int_t)made.filled, "asked",
                                    (json_int_t)made.asked, "answered", (json_int_t)made.answered, "pdf",
                                    made.pdf, "signed", r->sign != NULL));
  app_print(stdout,
            "  written      %s\n  record       %zu of %zu fields; the others a person must fill\n  answered  "
            "   %zu of %zu questions; the others a person must answer\n",
            made.path, made.filled, made.fields, made.answered, made.asked);
  if (!made.pdf) cli_advise("answers.pdf needs the program rsvg-convert; install librsvg2-bin");
  return EXIT_DONE;
}

static int verify_page(const request *r) {
  sotto_error err = {0};
  sotto_identity_info info;
  if (r->word_count != 2 || r->key == NULL)
    return cli_usage("verify needs a page and a certificate: FILE --key CERT");
  if (r->out != NULL || r->sign != NULL || r->ledger || r->owner || r->data != NULL)
    return cli_usage("verify: takes --key and --json alone");
  if (page_seal_check(&info, r->words[1], r->key, &err) != SOTTO_OK) return cli_error(&err);
  if (r->json)
    return cli_print_json(
        json_pack("{s:s,s:s,s:s}", "report", r->words[1], "by", info.name, "fingerprint", info.fingerprint));
  app_print(stdout, "  %s: the signature holds\n  signed by    '%s'\n  fingerprint  %s\n  in words     %s\n",
            r->words[1], info.name, info.fingerprint, info.words);
  return EXIT_DONE;
}

int cli_report(int argc, char **argv) {
  request r = {.words = {NULL}};
  const cli_flag flags[] = {{"out", &r.out, NULL},     {"data", &r.data, NULL}, {"ledger", NULL, &r.ledger},
                            {"owner", NULL, &r.owner}, {"sign", &r.sign, NULL}, {"key", &r.key, NULL},
                            {"for", &r.reader, NULL},  {"json", NULL, &r.json}, {"help", NULL, &r.help}};
  if (!cli_parse(flags, sizeof flags / sizeof *flags, argc, argv, r.words, PAGE_MOST_RUNS, &r.word_count))
    return EXIT_USAGE;
  if (r.help) return print_help();
  if (r.word_count > 0 && strcmp(r.words[0], "verify") == 0) return verify_page(&r);
  if (!cli_one_stdout(r.out, "--out", r.json)) return EXIT_USAGE;
  if (r.sign != NULL && r.reader == NULL && !cli_named(r.out, "--out", "a page to sign")) return EXIT_USAGE;
  if (r.reader != NULL) return write_filing(&r);
  char seal[PAGE_PATH + 8];
  const char *const inputs[] = {r.data, r.sign, r.ledger && r.word_count == 1 ? r.words[0] : NULL};
  cli_output as = {"--out", inputs, sizeof inputs / sizeof *inputs, "*.html*", CLI_PAGE};
  (void)snprintf(seal, sizeof seal, "%s.sig", r.out == NULL ? "" : r.out);
  if (!cli_may_write(r.out, &as)) return EXIT_USAGE;
  as.kind = CLI_TABLE;
  if (!cli_may_write(r.sign == NULL ? NULL : seal, &as)) return EXIT_USAGE;
  if (r.key != NULL) return cli_usage("--key: goes with verify; to sign, give --sign KEY");
  if (r.ledger && (r.owner || r.data != NULL))
    return cli_usage("--owner, --data: go with a run, not with --ledger");
  if (r.ledger && r.word_count > 1) return cli_usage("--ledger: name one ledger at most");
  if (r.ledger) return write_ledger_page(&r);
  if (r.word_count == 0)
    return cli_usage("name a run folder, or give --ledger; sotto report --help shows the form");
  if (r.owner && r.word_count > 1) return cli_usage("--owner: name one run");
  if (r.data != NULL && !r.owner) return cli_usage("--data: goes with --owner");
  return write_runs_page(&r);
}
