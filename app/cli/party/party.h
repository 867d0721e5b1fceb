/* sotto run: code shared by its forms. */
#ifndef SOTTO_APP_CLI_PARTY_H
#define SOTTO_APP_CLI_PARTY_H

#include "cli/run.h"
#include "sotto/consortium.h"

/* The command line of a run or a check. */
typedef struct party_request {
  sotto_options options;
  sotto_party party;
  const char *file, *role;
  char names[SOTTO_MOST_PEERS][128];
  sotto_peer peers[SOTTO_MOST_PEERS];
  const char *agree;        /* expected digest of the terms */
  sotto_consortium *joined; /* source of the peers if none is named */
  char listen[300];
  const char *parts; /* of ranks: how nodes are distributed to them */
  bool json, help;
  bool align;    /* find the common ids first */
  bool finished; /* `file` is the folder of a finished run, whose run file it is */
} party_request;

/* False, after a message, for wrong usage. */
bool party_parse(party_request *r, int argc, char **argv);

/* If no peer is named: takes role, peers and addresses from the consortium that was joined for the run file
 * of this name (without extension), if there is one. */
sotto_status party_joined(party_request *r, const char *run, sotto_error *err);

/* The party that learns the predictions, by name (NULL: the label party); false after a message. */
bool party_read_learns(sotto_learns *out, const char *word);
/* Opens the party's own data of a finished run, and the digest of the nodes that both parties must share. */
sotto_status party_open_finished(party_request *r, sotto_dataset *data, uint8_t nodes[32], sotto_error *err);

/* Says why this party's table was refused, then tells the others that it was. The exit status. */
int party_refused(const party_request *r, const sotto_error *err);

/* --align: finds the ids that both parties have, and sets `ids` to them; the data is to be opened again. The
 * exit status. */
int party_take_common(party_request *r, const sotto_dataset *data);

int party_check(int argc, char **argv);
int party_predict(int argc, char **argv);
int party_run(int argc, char **argv);

#endif
