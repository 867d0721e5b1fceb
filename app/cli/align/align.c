/* sotto align: the ids that several parties have in common. */
#include <stdio.h>

#include "align.h"
#include "base/error.h"
#include "base/progress.h"
#include "cli/output.h"
#include "common/print.h"
#include "report/report.h"

static int print_help(void) {
  (void)puts(
      "usage: sotto align IDS --role hub|leaf --listen HOST:PORT --peer NAME [NAME ...] [--out FOLDER] ...\n"
      "       sotto align IDS --role hub|leaf --connect NAME=HOST:PORT [NAME=HOST:PORT ...] [--out FOLDER] "
      "...\n"
      "       sotto align --ids FILE --peer-ids FILE [FILE ...] [--column NAME] [--out FOLDER]\n\n"
      "Finds the ids that all parties have, by private set intersection: each party learns which of its own\n"
      "ids are common, and the size of the other's list. One party is the hub, the others are leaves; a hub\n"
      "with several leaves also learns what it shares with each. With --role, each party is a process of "
      "its\n"
      "own, over mutual TLS 1.3 (keys and trust: sotto identity init, trust); without, all are in this "
      "one.\n\n"
      "  --role hub|leaf     one party is the hub; with two parties, either may be\n"
      "  --listen HOST:PORT  wait there for every --peer\n"
      "  --peer NAME ...     the peers, by the names in their certificates\n"
      "  --connect NAME=HOST:PORT ...  the other party and where it listens; a hub has 1 to 16, a leaf 1\n"
      "  --proxy HOST:PORT   connect through this HTTP proxy (CONNECT)\n"
      "  --dir FOLDER        key, certificate, trusted certificates [$SOTTO_PARTY, else party]\n"
      "  --connect-limit S, --idle-limit S, --grace S  limits of time in seconds [10, 30, 600]\n"
      "  --insecure-loopback no TLS, and no address but this machine's loopback\n"
      "  --ids FILE          all in one process: ids of the first party, the hub\n"
      "  --peer-ids FILE ... ids of the other parties, 1 to 16\n"
      "  --column NAME       this column of the tables has the ids [id; in a list, one id a line]\n"
      "  --column-number N   the files are CSV without a line of names, and their N-th column holds the ids\n"
      "  --join              also write joined.csv: the rows of the CSV file in the common order\n"
      "  --out FOLDER        gets aligned.csv (own rows, from 0, and ids, in the order that all parties "
      "share),\n"
      "                      ids.txt (the ids alone, for sotto run --ids) and statement.json (who learnt "
      "what);\n"
      "                      without --role a folder for each party, 0 the first [aligned]\n"
      "  --threads N         [one a core]\n"
      "  --json              the statement of this, or the first, party on stdout\n\n"
      "A killed party continues with the same command.\n\n"
      "example, on two machines that trust each other:\n"
      "  sotto align bank.csv --column customer --role hub --listen 0.0.0.0:7443 --peer shop\n"
      "  sotto align shop.csv --column customer --role leaf --connect bank=bank.example:7443");
  return EXIT_DONE;
}

static bool parse(align_request *r, int argc, char **argv) {
  const cli_flag flags[] = {{"ids", &r->ids, NULL},
                            {"peer-ids", &r->peer_ids, NULL},
                            {"column", &r->column, NULL},
                            {"column-number", &r->column_number, NULL},
                            {"join", NULL, &r->join},
                            {"out", &r->out, NULL},
                            {"threads", &r->threads, NULL},
                            {"role", &r->role, NULL},
                            {"listen", &r->listen, NULL},
                            {"peer", &r->peer, NULL},
                            {"connect", &r->connect, NULL},
                            {"dir", &r->folder, NULL},
                            {"proxy", &r->proxy, NULL},
                            {"connect-limit", &r->connect_limit, NULL},
                            {"idle-limit", &r->idle_limit, NULL},
                            {"grace", &r->grace, NULL},
                            {"insecure-loopback", NULL, &r->insecure_loopback},
                            {"json", NULL, &r->json},
                            {"help", NULL, &r->help}};
  return cli_parse(flags, sizeof flags / sizeof *flags, argc, argv, r->words, ALIGN_MOST_PEERS,
                   &r->word_count);
}

/* The id column in the notation of sotto_ids_open. */
static bool set_column(align_request *r) {
  uint64_t number = 0;
  if (r->column_number == NULL) {
    if (r->join && r->column == NULL)
      return cli_usage(
                 "--join: the file is no table; --column NAME or --column-number N says where its ids are"),
             false;
    return true;
  }
  if (r->column != NULL) return cli_usage("--column and --column-number: one of the two"), false;
  if (!cli_count(&number, r->column_number, "column-number")) return false;
  if (number < 1) return cli_usage("--column-number: columns are counted from 1"), false;
  (void)snprintf(r->number, sizeof r->number, "#%llu", (unsigned long long)number);
  r->column = r->number;
  return true;
}

/* Without --role, rejects all options that only one party can use. */
static bool check_local(const align_request *r) {
  if (r->listen != NULL || r->peer != NULL || r->connect != NULL || r->folder != NULL || r->proxy != NULL ||
      r->insecure_loopback || r->connect_limit != NULL || r->idle_limit != NULL || r->grace != NULL)
    return cli_usage("--role hub or --role leaf says which party this is; without it, --ids and --peer-ids "
                     "name all lists"),
           false;
  if (r->ids == NULL) return cli_usage("--ids names the file with the ids of the first party"), false;
  if (r->peer_ids == NULL)
    return cli_usage("--peer-ids names the files with the ids of the other parties"), false;
  if (r->word_count > ALIGN_MOST_PEERS - 1)
    return cli_usage("%d parties at most", SOTTO_MOST_ALIGN_PARTIES), false;
  return true;
}

static sotto_status print_summary(const align_request *r, const sotto_alignment *out, size_t parties,
                                  sotto_error *err) {
  char *text = NULL;
  if (r->json) {
    sotto_status status = sotto_report_alignment(&text, &out[0], err);
    if (status == SOTTO_OK) (void)puts(text);
    sotto_report_free_text(text);
    return status;
  }
  uint64_t hashed = 0;
  for (size_t p = 0; p < parties; p++) hashed += out[p].hashes;
  app_print(stdout, "  common    %zu ids of all %zu parties\n", out[0].count, parties);
  app_print(stdout, "  party 0   %zu ids (hub)\n", out[0].own);
  for (size_t m = 0; m + 1 < parties; m++)
    app_print(stdout, "  party %zu   %zu ids, %zu in common with the hub\n", m + 1, out[0].peer_ids[m],
              out[0].shared[m]);
  app_print(stdout,
            "  speed     %.0f ids a second (%.1f s, %u threads), peak memory %.0f MB\n  written   %s\n",
            (double)hashed / out[0].seconds, out[0].seconds, sotto_threads(),
            (double)sotto_i_peak_rss() / 1e6, r->out);
  return SOTTO_OK;
}

/* The files of a party's folder must not replace an input or any file that is not an alignment. */
static bool may_write(const char *folder, const char *const *inputs, size_t count) {
  static const char *const names[] = {"aligned.csv", "ids.txt", "statement.json", "joined.csv"};
  const cli_output as = {"--out", inputs, count, NULL, CLI_TABLE};
  char path[4200];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    (void)snprintf(path, sizeof path, "%.4000s/%s", folder, names[i]);
    if (!cli_may_write(path, &as)) return false;
  }
  return true;
}

static bool may_write_all(const align_request *r) {
  const char *files[SOTTO_MOST_ALIGN_PARTIES] = {r->ids, r->peer_ids};
  const size_t parties = r->role != NULL ? 1 : 2 + r->word_count;
  char folder[4096];
  for (size_t w = 0; w < r->word_count; w++) files[(r->role != NULL ? 0 : 2) + w] = r->words[w];
  if (r->role != NULL) return may_write(r->out, files, SOTTO_MOST_ALIGN_PARTIES);
  for (size_t p = 0; p < parties; p++) {
    (void)snprintf(folder, sizeof folder, "%.4000s/party-%zu", r->out, p);
    if (!may_write(folder, files, SOTTO_MOST_ALIGN_PARTIES)) return false;
  }
  return true;
}

/* Aligns with all parties in this process. */
static sotto_status run_local(const align_request *r, sotto_error *err) {
  const char *files[SOTTO_MOST_ALIGN_PARTIES] = {r->ids, r->peer_ids};
  sotto_ids *ids[SOTTO_MOST_ALIGN_PARTIES] = {NULL};
  sotto_alignment out[SOTTO_MOST_ALIGN_PARTIES] = {{.rows = NULL}};
  size_t parties = 2 + r->word_count;
  sotto_observer observer = cli_observer();
  sotto_status status = SOTTO_OK;
  for (size_t w = 0; w < r->word_count; w++) files[2 + w] = r->words[w];
  for (size_t p = 0; p < parties; p++) SOTTO_TRY(align_open_ids(&ids[p], files[p], r->column, err));
  SOTTO_TRY(sotto_align_local(out, (const sotto_ids *const *)ids, parties, &observer, err));
  cli_observer_end();
  for (size_t p = 0; p < parties; p++) {
    char folder[4096];
    (void)snprintf(folder, sizeof folder, "%.4000s/party-%zu", r->out, p);
    SOTTO_TRY(align_write(folder, r, files[p], &out[p], ids[p], err));
  }
  SOTTO_TRY(print_summary(r, out, parties, err));
done:
  for (size_t p = 0; p < parties; p++) {
    sotto_alignment_free(&out[p]);
    sotto_ids_free(ids[p]);
  }
  return status;
}

int cli_align(int argc, char **argv) {
  align_request r = {.out = "aligned"};
  uint64_t threads = 0;
  sotto_error err = {0};
  if (!parse(&r, argc, argv)) return EXIT_USAGE;
  if (r.help) return print_help();
  if (r.role == NULL && !check_local(&r)) return EXIT_USAGE;
  if (!cli_named(r.out, "--out", "a folder") || !may_write_all(&r)) return EXIT_USAGE;
  if (!set_column(&r) || !cli_count(&threads, r.threads, "threads")) return EXIT_USAGE;
  if (threads > 256) return cli_usage("--threads: 0 to 256");
  if (sotto_threads_set((unsigned)threads, &err) != SOTTO_OK) return cli_error(&err);
  if (r.role != NULL) return align_party(&r);
  return run_local(&r, &err) == SOTTO_OK ? EXIT_DONE : cli_error(&err);
}
