/* The list of attacks of --attack A,B. */
#include "attacks.h"

#include <stdio.h>
#include <string.h>

bool cli_attacks_of(cli_attacks *out, const char *list) {
  out->count = 0;
  if (strlen(list) >= sizeof out->words) return false;
  (void)snprintf(out->words, sizeof out->words, "%s", list);
  char *rest = out->words;
  for (char *name = strsep(&rest, ","); name != NULL; name = strsep(&rest, ",")) {
    if (name[0] == '\0' && rest == NULL) break; /* an empty list, or a comma at its end */
    if (out->count == CLI_MOST_ATTACKS) return false;
    out->names[out->count++] = name;
  }
  out->names[out->count] = NULL;
  return true;
}
