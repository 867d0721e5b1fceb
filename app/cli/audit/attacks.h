/* The list of attacks of --attack A,B. */
#ifndef SOTTO_APP_CLI_AUDIT_ATTACKS_H
#define SOTTO_APP_CLI_AUDIT_ATTACKS_H

#include <stdbool.h>
#include <stddef.h>

enum { CLI_MOST_ATTACKS = 16 };
typedef struct cli_attacks {
  char words[512];
  const char *names[CLI_MOST_ATTACKS + 1]; /* pointers into `words`, then NULL */
  size_t count;
  bool usual; /* set by the caller: the default list, not a chosen one */
} cli_attacks;

/* False: more than CLI_MOST_ATTACKS. */
bool cli_attacks_of(cli_attacks *out, const char *list);

#endif
