/* Setup of a consortium: code shared by invite, join and terms. */
#ifndef SOTTO_APP_CLI_PARTY_SETUP_H
#define SOTTO_APP_CLI_PARTY_SETUP_H

#include "party.h"
#include "sotto/consortium.h"

typedef struct party_setup {
  sotto_options options; /* from the command line at first, then those of the run file */
  const char *name, *role, *address, *folder, *confirm, *file;
  bool agree, replace, all;
  const char *words[SOTTO_MOST_MEMBERS];
  size_t word_count;
} party_setup;

/* False, after a message, for wrong usage. */
bool party_setup_parse(party_setup *s, int argc, char **argv);
/* The own key and certificate; they are created if missing and a name is given. */
sotto_status party_setup_key(const party_setup *s, sotto_error *err);
/* Writes the received run file to RUN.yaml, unless it exists, and reads it. Errors: also INVALID if another
 * file has that name. */
sotto_status party_write_run_file(party_setup *s, const sotto_consortium *c, sotto_error *err);
/* Reads the run file without trusting it, and resolves its options. */
sotto_status party_setup_read(party_setup *s, const char *path, sotto_error *err);

/* Prints the terms of the options as a table, and their digest; options at their defaults only with `all`. */
sotto_status party_print_terms(const sotto_options *options, bool all, sotto_error *err);
void party_print_members(const sotto_consortium *consortium, const char *folder);

/* The member of two that listens: the earlier one that has an address; NULL: neither has one. */
const sotto_member *party_listener(const sotto_consortium *consortium, const sotto_member *a,
                                   const sotto_member *b);
const sotto_member *party_with_role(const sotto_consortium *consortium, const char *role);
/* Does every role of the run have a member, and can each member reach those it talks to? Errors: INVALID. */
sotto_status party_check_members(const sotto_consortium *consortium, const sotto_options *options,
                                 sotto_error *err);
/* FOLDER/joined/RUN.json, fresh. */
sotto_status party_joined_path(char **out, const char *folder, const char *run, sotto_error *err);

#endif
