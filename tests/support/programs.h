/* The parties of a placement as processes of the program `sotto run`, with a trace of all that each shows:
 * how it ends, what it prints, what it sends on each link, its files, its charges. */
#ifndef SOTTO_TESTS_SUPPORT_PROGRAMS_H
#define SOTTO_TESTS_SUPPORT_PROGRAMS_H

#include "placements.h"
#include "trace.h"

/* A party that is hostile: payloads of this name come from it as `form` of hostile_numbers.h says. */
typedef struct check_rogue {
  const char *role, *payload;
  int form;
} check_rogue;

/* Runs all parties to their ends. The system's randomness is `noise` at all of them. `rogue` may be NULL.
 * Returns how many failed. $SOTTO_TRACED is the program (tests/faults/traced.c). */
size_t check_programs_run(int status[CHECK_MOST_PARTIES], const check_placement *parties, uint64_t noise,
                          const check_rogue *rogue);
/* The same of `sotto run predict`, after a run that ended well: all parties answer about all nodes. `anew`:
 * from a release that is drawn for these answers. */
size_t check_programs_ask(int status[CHECK_MOST_PARTIES], const check_placement *parties, uint64_t noise,
                          const check_rogue *rogue, bool anew);
/* What a party shows after that. `owner`: also files for its owner alone, by name and size; what a party
 * received is in them. */
void check_programs_trace(check_trace *t, const check_party *p, int status, bool owner);
/* What it sent, link by link. */
void check_programs_sent(check_trace *t, const check_party *p);
/* What it sent in the prediction alone, the latest one. */
void check_programs_sent_then(check_trace *t, const check_party *p);
/* Did it print these words? */
bool check_programs_said(const check_party *p, const char *words);
/* What it printed, for a message. */
void check_programs_show(const check_party *p);
/* Folders, ledgers and logs of all of them. */
void check_programs_remove(const check_placement *parties);

#endif
