/* Consortia: one file with the run file and, for each party, its name, role, address and certificate. The
 * parties pass it on while they set up a run; it never contains a private key.
 *
 * The origin of such a file proves nothing. Twelve words identify its whole content, and a person compares
 * them with the other parties over another channel before sotto_consortium_trust. docs/consortium.md has the
 * steps. */
#ifndef SOTTO_CONSORTIUM_H
#define SOTTO_CONSORTIUM_H

#include "sotto/party.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SOTTO_MOST_MEMBERS = 1025, SOTTO_MOST_RUN_FILE = 1 << 16 };

/* A party of the run. `words` identify its key alone. */
typedef struct sotto_member {
  char name[64], role[16];
  char address[300]; /* HOST:PORT where the others reach it; empty: it only connects to others */
  sotto_identity_info info;
} sotto_member;

typedef struct sotto_consortium sotto_consortium;

/* A new consortium without members, for the run file of `size` bytes (at most SOTTO_MOST_RUN_FILE). `run` is
 * its name without the extension (letters, digits, '-', '.' and '_'). Errors: INVALID, RANGE, NOMEM. */
SOTTO_API sotto_status sotto_consortium_new(sotto_consortium **out, const char *run, const char *text,
                                            size_t size, sotto_error *err);
/* Reads a file, which may come from anyone. Every certificate must parse and have one name. Its dates are
 * looked at by add, merge and trust, and by each connection: a run of a consortium goes on with certificates
 * that were renewed. Errors: NOT_FOUND, IO, PARSE, INVALID (a role, name or key twice; a malformed name or
 * address), NOMEM. */
SOTTO_API sotto_status sotto_consortium_read(sotto_consortium **out, const char *path, sotto_error *err);
/* Writes the file whole or not at all. Errors: IO, NOMEM. */
SOTTO_API sotto_status sotto_consortium_write(const sotto_consortium *consortium, const char *path,
                                              sotto_error *err);
SOTTO_API void sotto_consortium_free(sotto_consortium *consortium);

/* Adds the party of this folder (NULL: the default one). `address` may be NULL. Errors: INVALID (as of
 * reading), NOT_FOUND, IO, NOMEM. */
SOTTO_API sotto_status sotto_consortium_add(sotto_consortium *consortium, const char *folder,
                                            const char *role, const char *address, sotto_error *err);
/* Adds the members of `other` that are missing. Errors: INVALID (another run file; as of reading), NOMEM. */
SOTTO_API sotto_status sotto_consortium_merge(sotto_consortium *consortium, const sotto_consortium *other,
                                              sotto_error *err);

/* Members in the order of their roles; borrowed. */
SOTTO_API size_t sotto_consortium_count(const sotto_consortium *consortium);
SOTTO_API const sotto_member *sotto_consortium_member(const sotto_consortium *consortium, size_t number);
/* The run file and its name without ending; borrowed. */
SOTTO_API const char *sotto_consortium_text(const sotto_consortium *consortium, size_t *size);
SOTTO_API const char *sotto_consortium_run(const sotto_consortium *consortium);
/* The member with the key of this folder. NULL: no member has it, or the folder cannot be read. */
SOTTO_API const sotto_member *sotto_consortium_own(const sotto_consortium *consortium, const char *folder);

/* The twelve words of the run file and of every member's name, role, address and key. They are the first 132
 * bits of Argon2id (64 MB, three passes; a fraction of a second) of a digest of all that, which makes it
 * infeasible to find another file with the same words. Errors: NOMEM. */
SOTTO_API sotto_status sotto_consortium_words(char out[128], const sotto_consortium *consortium,
                                              sotto_error *err);
/* Trusts all members except this party itself, which must be a member. The caller has had a person confirm
 * the words. `replace` allows another key for a name that is trusted already. Errors: those of
 * sotto_identity_trust. */
SOTTO_API sotto_status sotto_consortium_trust(const sotto_consortium *consortium, const char *folder,
                                              bool replace, sotto_error *err);

#ifdef __cplusplus
}
#endif

#endif
