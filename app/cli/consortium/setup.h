/* Setup of a consortium: code shared by invite, join and terms. */
#ifndef SOTTO_APP_CLI_CONSORTIUM_SETUP_H
#define SOTTO_APP_CLI_CONSORTIUM_SETUP_H

#include "cli/run.h"
#include "sotto/consortium.h"

/* The name of a run file without folder and extension: "run" of "folder/run.yaml". */
enum { CONSORTIUM_STEM = 201 };
void consortium_stem(char out[CONSORTIUM_STEM], const char *path);

typedef struct consortium_setup {
  sotto_options options; /* from the command line at first, then those of the run file */
  const char *name, *role, *address, *folder, *confirm, *file;
  bool agree, replace, all;
  const char *words[SOTTO_MOST_MEMBERS];
  size_t word_count;
} consortium_setup;

/* False, after a message, for wrong usage. */
bool consortium_setup_parse(consortium_setup *s, int argc, char **argv);
/* The own key and certificate; they are created if missing and a name is given. */
sotto_status consortium_setup_key(const consortium_setup *s, sotto_error *err);
/* Writes the received run file to RUN.yaml, unless it exists, and reads it. Errors: also INVALID if another
 * file has that name. */
sotto_status consortium_write_run_file(consortium_setup *s, const sotto_consortium *c, sotto_error *err);
/* Reads the run file without trusting it, and resolves its options. */
sotto_status consortium_setup_read(consortium_setup *s, const char *path, sotto_error *err);
/* Does the run that was read have the role that was given? Errors: INVALID. */
sotto_status consortium_check_role(const consortium_setup *s, sotto_error *err);

/* Prints the terms of the options as a table, and their digest; options at their defaults only with `all`. */
sotto_status consortium_print_terms(const sotto_options *options, bool all, sotto_error *err);
void consortium_print_members(const sotto_consortium *consortium, const char *folder);

/* The member of two that listens: the earlier one that has an address; NULL: neither has one. */
const sotto_member *consortium_listener(const sotto_consortium *consortium, const sotto_member *a,
                                        const sotto_member *b);
const sotto_member *consortium_with_role(const sotto_consortium *consortium, const char *role);
/* Does every role of the run have a member, and can each member reach those it talks to? Errors: INVALID. */
sotto_status consortium_check_members(const sotto_consortium *consortium, const sotto_options *options,
                                      sotto_error *err);
/* FOLDER/joined/RUN.json, fresh. */
sotto_status consortium_joined_path(char **out, const char *folder, const char *run, sotto_error *err);

#endif
