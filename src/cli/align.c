/* sotto align: which ids several parties have in common. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/progress.h"
#include "cli.h"
#include "sotto/report.h"

enum { most_peers = SOTTO_MOST_ALIGN_PARTIES - 1 };

typedef struct request {
  const char *ids, *peer_ids, *column, *out, *threads;
  const char *words[most_peers - 1]; /* lists of ids of more peers */
  size_t word_count;
  bool json, help;
} request;

static int print_help(void) {
  (void)puts(
      "usage: sotto align --ids FILE --peer-ids FILE [FILE ...] [--column NAME] [--out FOLDER]\n\n"
      "Finds the ids that all parties have, by private set intersection: each party learns which of its own\n"
      "ids are common, and the size of the other's list. All parties run in this process, each in a thread "
      "of\n"
      "its own; the first is the hub, which with several peers also learns what it shares with each.\n\n"
      "  --ids FILE          ids of the first party: one a line, or a CSV file with --column\n"
      "  --peer-ids FILE ... ids of the other parties, 1 to 16\n"
      "  --column NAME       the files are CSV, and this column holds the ids\n"
      "  --out FOLDER        gets a folder for each party, 0 the first: aligned.csv has its rows, from 0, "
      "and\n"
      "                      ids in the order that all parties share; statement.json says who learnt what "
      "[aligned]\n"
      "  --threads N         [one a core]\n"
      "  --json              the statement of the first party on stdout\n\n"
      "example: sotto align --ids bank.csv --peer-ids shop.csv --column customer --out aligned");
  return EXIT_DONE;
}

static bool parse(request *r, int argc, char **argv) {
  const cli_flag flags[] = {{"ids", &r->ids, NULL},         {"peer-ids", &r->peer_ids, NULL},
                            {"column", &r->column, NULL},   {"out", &r->out, NULL},
                            {"threads", &r->threads, NULL}, {"json", NULL, &r->json},
                            {"help", NULL, &r->help}};
  return cli_parse(flags, sizeof flags / sizeof *flags, argc, argv, r->words, most_peers - 1, &r->word_count);
}

/* A field of a CSV file, in quotes where it needs them. At most 2 * size + 2 bytes. */
static size_t put_field(char *out, const uint8_t *id, size_t size) {
  size_t used = 0;
  bool quotes = memchr(id, ',', size) != NULL || memchr(id, '"', size) != NULL;
  if (quotes) out[used++] = '"';
  for (size_t i = 0; i < size; i++) {
    if (id[i] == '"') out[used++] = '"';
    out[used++] = (char)id[i];
  }
  if (quotes) out[used++] = '"';
  return used;
}

static sotto_status write_rows(const char *path, const sotto_alignment *a, const sotto_ids *ids,
                               sotto_error *err) {
  enum { block = 1 << 16, line = 2 * SOTTO_MOST_ID_BYTES + 32 };
  static const char header[] = "row,id\n";
  sotto_i_writer writer = {.descriptor = -1};
  char *text = NULL;
  size_t used = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_writer_open(&writer, path, err));
  SOTTO_TRY(sotto_i_new_raw(&text, block + line, 1, err));
  SOTTO_TRY(sotto_i_writer_add(&writer, header, sizeof header - 1, err));
  for (size_t i = 0; i < a->count; i++) {
    size_t size;
    const uint8_t *id = sotto_ids_get(ids, a->rows[i], &size);
    used += (size_t)snprintf(text + used, line, "%u,", a->rows[i]);
    used += put_field(text + used, id, size);
    text[used++] = '\n';
    if (used < block) continue;
    SOTTO_TRY(sotto_i_writer_add(&writer, text, used, err));
    used = 0;
  }
  SOTTO_TRY(sotto_i_writer_add(&writer, text, used, err));
  SOTTO_TRY(sotto_i_writer_commit(&writer, err));
done:
  if (status != SOTTO_OK) sotto_i_writer_abandon(&writer);
  sotto_i_free(text);
  return status;
}

/* FOLDER/aligned.csv and FOLDER/statement.json of one party. */
static sotto_status write_party(const char *folder, const sotto_alignment *a, const sotto_ids *ids,
                                sotto_error *err) {
  char *rows = NULL, *statement = NULL, *text = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_make_folder(folder, err));
  SOTTO_TRY(sotto_i_join(&rows, folder, "aligned.csv", err));
  SOTTO_TRY(sotto_i_join(&statement, folder, "statement.json", err));
  SOTTO_TRY(write_rows(rows, a, ids, err));
  SOTTO_TRY(sotto_report_alignment(&text, a, err));
  SOTTO_TRY(sotto_i_write_file(statement, text, strlen(text), err));
done:
  sotto_report_free_text(text);
  sotto_i_free(rows);
  sotto_i_free(statement);
  return status;
}

static sotto_status print_summary(const request *r, const sotto_alignment *out, size_t parties,
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
  (void)printf("  common    %zu ids of all %zu parties\n", out[0].count, parties);
  (void)printf("  party 0   %zu ids (hub)\n", out[0].own);
  for (size_t m = 0; m + 1 < parties; m++)
    (void)printf("  party %zu   %zu ids, %zu in common with the hub\n", m + 1, out[0].peer_ids[m],
                 out[0].shared[m]);
  (void)printf("  speed     %.0f ids a second (%.1f s, %u threads), peak memory %.0f MB\n  written   %s\n",
               (double)hashed / out[0].seconds, out[0].seconds, sotto_threads(),
               (double)sotto_i_peak_rss() / 1e6, r->out);
  return SOTTO_OK;
}

/* All parties in this process. */
static sotto_status run_local(const request *r, sotto_error *err) {
  const char *files[SOTTO_MOST_ALIGN_PARTIES] = {r->ids, r->peer_ids};
  sotto_ids *ids[SOTTO_MOST_ALIGN_PARTIES] = {NULL};
  sotto_alignment out[SOTTO_MOST_ALIGN_PARTIES] = {{.rows = NULL}};
  size_t parties = 2 + r->word_count;
  sotto_observer observer = cli_observer();
  sotto_status status = SOTTO_OK;
  for (size_t w = 0; w < r->word_count; w++) files[2 + w] = r->words[w];
  for (size_t p = 0; p < parties; p++) SOTTO_TRY(sotto_ids_open(&ids[p], files[p], r->column, err));
  SOTTO_TRY(sotto_align_local(out, (const sotto_ids *const *)ids, parties, &observer, err));
  cli_observer_end();
  for (size_t p = 0; p < parties; p++) {
    char folder[4096];
    (void)snprintf(folder, sizeof folder, "%.4000s/party-%zu", r->out, p);
    SOTTO_TRY(write_party(folder, &out[p], ids[p], err));
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
  request r = {.out = "aligned"};
  uint64_t threads = 0;
  sotto_error err = {0};
  if (!parse(&r, argc, argv)) return EXIT_USAGE;
  if (r.help) return print_help();
  if (r.ids == NULL) return cli_usage("--ids names the file with the ids of the first party");
  if (r.peer_ids == NULL) return cli_usage("--peer-ids names the files with the ids of the other parties");
  if (!cli_count(&threads, r.threads, "threads")) return EXIT_USAGE;
  if (threads > 256) return cli_usage("--threads: 0 to 256");
  if (sotto_threads_set((unsigned)threads, &err) != SOTTO_OK) return cli_error(&err);
  return run_local(&r, &err) == SOTTO_OK ? EXIT_DONE : cli_error(&err);
}
