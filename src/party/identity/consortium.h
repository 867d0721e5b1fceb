/* Consortium: internal structure, members with their certificates. */
#ifndef SOTTO_SRC_PARTY_IDENTITY_CONSORTIUM_H
#define SOTTO_SRC_PARTY_IDENTITY_CONSORTIUM_H

#include "identity.h"
#include "sotto/consortium.h"

typedef struct sotto_i_member {
  sotto_member shown;
  X509 *certificate; /* owned */
} sotto_i_member;

struct sotto_consortium {
  char run[64];
  char *text; /* owned, ends with a zero */
  size_t size;
  sotto_i_member *members; /* sorted by role */
  size_t count;
};

/* Adds a member. Takes ownership of the certificate in every case. Errors: INVALID, NOMEM. */
sotto_status sotto_i_consortium_put(sotto_consortium *c, X509 *certificate, const char *role,
                                    const char *address, sotto_error *err);

/* consortium_file.c: parses the bytes of a file. Errors: PARSE, INVALID, NOMEM. */
sotto_status sotto_i_consortium_parse(sotto_consortium **out, const char *text, size_t size,
                                      sotto_error *err);

#endif
