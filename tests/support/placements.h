/* One run as several parties: each a process of its own, with its own data, run folder and ledger, joined
 * over sockets of this machine. Which parties there are follows from the options. */
#ifndef SOTTO_TESTS_SUPPORT_PLACEMENTS_H
#define SOTTO_TESTS_SUPPORT_PLACEMENTS_H

#include <sys/types.h>

#include "sotto/methods.h"

enum { CHECK_MOST_PARTIES = 8 };

typedef struct check_party {
  sotto_options options; /* its own data, out and ledger */
  sotto_party party;
  sotto_peer peers[CHECK_MOST_PARTIES];
  char role[SOTTO_ROLE_SIZE], address[32], errors[600];
  char peer_roles[CHECK_MOST_PARTIES][SOTTO_ROLE_SIZE], peer_addresses[CHECK_MOST_PARTIES][32];
} check_party;

typedef struct check_placement {
  check_party of[CHECK_MOST_PARTIES];
  size_t count;
} check_placement;

/* Are there parties of a run with these options? */
bool check_has_parties(const sotto_options *options);
/* The parties of a run with these options, in folders OUT-ROLE, where OUT is the options'. The data are
 * divided among them: by columns and edges, or by `owner`, a number for each item, where there are clients.
 * Fails when the options have no parties. */
void check_placement_new(check_placement *out, const sotto_options *options, const sotto_dataset *data,
                         const uint32_t *owner);

/* A party begins, in a process of its own; `before` (NULL: nothing) is called there first. The exit status is
 * 0 when its run ended well; else its error is in the party's file `errors`. */
pid_t check_party_start(const check_party *p, void (*before)(void *context, const check_party *p),
                        void *context);
/* The error that its run ended with; empty: none. */
void check_party_error(char text[600], const check_party *p);
/* Prints that. */
void check_party_show(const check_party *p);
/* All of them, to their ends; fails when one does. */
void check_placement_run(const check_placement *placement);
/* All parties of a finished run answer together, about their data of the options; with `epsilon` above 0
 * about other data than the run's. False: one refuses, with `refusal`. */
bool check_placement_answer(char refusal[600], const check_placement *placement, double epsilon);
/* The same of all parties in one process. */
void check_whole_run(const sotto_options *options, const sotto_dataset *data);

#endif
