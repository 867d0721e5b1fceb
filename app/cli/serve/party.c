/* sotto serve --role: one party of a run of two parties, or of holders and their server. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/party/party.h"
#include "serve.h"

static struct {
  party_request request;
  sotto_dataset data;
  uint8_t nodes[32];
  const char *learns, *epsilon, *again;
  sotto_observer observer;
  serve_joint joint;
} party;

/* Moves the words of a party's command line to `rest`; --listen-peer becomes the party's --listen. */
static bool sort_words(serve_request *r, int argc, char **argv, char **rest, int *count) {
  const char *peer = NULL;
  const cli_flag own[] = {
      {"listen", &r->listen, NULL},  {"token", &r->token, NULL},      {"threads", &r->threads, NULL},
      {"seed", &r->seed, NULL},      {"learns", &party.learns, NULL}, {"epsilon", &party.epsilon, NULL},
      {"again", &party.again, NULL}, {"listen-peer", &peer, NULL},    {"not-private", NULL, &r->not_private},
      {"board", NULL, &r->board},    {"help", NULL, &r->help}};
  for (int i = 0; i < argc; i++) {
    const cli_taken taken = cli_take(own, sizeof own / sizeof *own, argc, argv, &i);
    if (taken == CLI_WRONG) return false;
    if (taken == CLI_NOT_TAKEN) rest[(*count)++] = argv[i];
  }
  party.request.party.listen = peer;
  return true;
}

/* Of other data: a release with this epsilon, or one that was made before. False after a message. */
static bool read_release(void) {
  sotto_asking *asking = &party.joint.asking;
  if (!cli_epsilon(&asking->epsilon, party.epsilon) || !cli_count(&asking->again, party.again, "again"))
    return false;
  if (party.epsilon != NULL && party.again != NULL)
    return cli_usage("--again: the release has its epsilon; leave --epsilon out"), false;
  if (party.epsilon != NULL && !(asking->epsilon > 0)) return cli_usage("--epsilon: it is above 0"), false;
  if (party.again != NULL && asking->again == 0) return cli_usage("--again: numbers begin with 1"), false;
  party.request.party.unlabelled = party.epsilon != NULL || party.again != NULL;
  return true;
}

bool serve_party_parse(serve_request *r, int argc, char **argv) {
  char **rest = calloc((size_t)argc + 1, sizeof *rest);
  int count = 0;
  if (rest == NULL) return false;
  party.request.finished = true;
  bool good = sort_words(r, argc, argv, rest, &count);
  if (good && !r->help) good = party_parse(&party.request, count, rest);
  free(rest);
  if (!good || r->help) return good;
  good = party_read_learns(&party.joint.asking.learns, party.learns) && read_release();
  r->words[0] = party.request.file;
  r->word_count = 1;
  r->folder = party.request.party.folder;
  r->joined = true;
  return good;
}

sotto_status serve_party_open(serve_service *service, uint64_t seed, sotto_error *err) {
  party_request *r = &party.request;
  sotto_status status = party_open_finished(r, &party.data, party.nodes, err);
  if (status != SOTTO_OK) return status;
  if (r->align) {
    if (party_take_common(r, &party.data) != EXIT_DONE)
      return sotto_i_fail(err, SOTTO_PROTOCOL, "align: the two found no common ids, as said above");
    sotto_dataset_free(&party.data);
    status = party_open_finished(r, &party.data, party.nodes, err);
    if (status != SOTTO_OK) return status;
  }
  party.observer = cli_observer();
  party.joint.options = &r->options;
  party.joint.data = &party.data;
  party.joint.nodes = party.nodes;
  party.joint.party = &r->party;
  party.joint.observer = &party.observer;
  party.joint.asking.seed = seed;
  service->joint = &party.joint;
  return SOTTO_OK;
}

void serve_party_close(void) {
  sotto_dataset_free(&party.data);
}
