/* The list of attacks of --attack A,B. */
#ifndef SOTTO_APP_CLI_AUDIT_ATTACKS_H
#define SOTTO_APP_CLI_AUDIT_ATTACKS_H

#include <stdbool.h>
#include <stddef.h>

enum { CLI_MOST_ATTACKS = 16 };
typedef struct cli_attacks {
  char words[512];
  const char *names[CLI_MOST_ATTACKS + 1]; /* of `words`, then NULL */
  size_t count;
  bool usual; /* the caller's: nobody chose them */
} cli_attacks;

/* False: they are too many. */
bool cli_attacks_of(cli_attacks *out, const char *list);

#endif
