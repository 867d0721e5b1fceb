/* sotto serve: its command line. */
#ifndef SOTTO_APP_CLI_SERVE_H
#define SOTTO_APP_CLI_SERVE_H

#include "cli/cli.h"
#include "serve/service.h"

typedef struct serve_request {
  const char *words[SERVE_MOST_RUNS];
  size_t word_count;
  const char *listen, *token, *threads, *seed, *folder;
  bool not_private, board, help;
  bool joined; /* the service is one party of a run of two parties */
} serve_request;

/* party.c: parses the command line of one party; false after a message. Then opens the model that it
 * answers with, which stays open until the close. */
bool serve_party_parse(serve_request *r, int argc, char **argv);
sotto_status serve_party_open(serve_service *service, uint64_t seed, sotto_error *err);
void serve_party_close(void);

#endif
