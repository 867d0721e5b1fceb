/* sotto align: code shared by its two forms. */
#ifndef SOTTO_APP_CLI_ALIGN_H
#define SOTTO_APP_CLI_ALIGN_H

#include "cli/cli.h"
#include "sotto/align.h"

enum { ALIGN_MOST_PEERS = SOTTO_MOST_ALIGN_PARTIES - 1 };

/* The command line. With `role`: one party of several processes; without: all parties in this process. */
typedef struct align_request {
  const char *ids, *peer_ids, *column, *column_number, *out, *threads;
  char number[32]; /* "#N" for --column-number N, to which `column` points */
  const char *role, *listen, *peer, *connect, *folder, *proxy, *connect_limit, *idle_limit, *grace;
  const char *words[ALIGN_MOST_PEERS]; /* further lists or peers; with `role`, the file of ids comes first */
  size_t word_count;
  bool join, insecure_loopback, json, help;
} align_request;

/* align_files.c: opens the ids of a file, and reports how many are compared in normalised form. */
sotto_status align_open_ids(sotto_ids **out, const char *file, const char *column, sotto_error *err);
/* align_files.c: writes FOLDER/aligned.csv, FOLDER/ids.txt and FOLDER/statement.json of one party; with
 * --join also FOLDER/joined.csv from the table `file`. */
sotto_status align_write(const char *folder, const align_request *r, const char *file,
                         const sotto_alignment *a, const sotto_ids *ids, sotto_error *err);
/* align_party.c: runs one party and returns the exit status. */
int align_party(const align_request *r);

#endif
