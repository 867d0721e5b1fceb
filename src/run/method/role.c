/* Names of roles. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "sotto/methods.h"

static const char *const words[] = {"data", "label", "server", "holder", "client", "helper"};

static bool is_numbered(sotto_role role) {
  return role == SOTTO_ROLE_HOLDER || role == SOTTO_ROLE_CLIENT;
}

void sotto_party_role_name(char out[SOTTO_ROLE_SIZE], const sotto_party *party) {
  if (is_numbered(party->role))
    (void)snprintf(out, SOTTO_ROLE_SIZE, "%s%u", words[party->role], (unsigned)party->number);
  else
    (void)snprintf(out, SOTTO_ROLE_SIZE, "%s", words[party->role]);
}

sotto_status sotto_party_role_read(sotto_party *party, const char *name, sotto_error *err) {
  for (size_t i = 0; name != NULL && i < sizeof words / sizeof *words; i++) {
    size_t length = strlen(words[i]);
    uint64_t number = 0;
    if (strncmp(name, words[i], length) != 0) continue;
    bool numbered = is_numbered((sotto_role)i);
    if (numbered ? sotto_i_parse_u64(&number, name + length, "role", NULL) != SOTTO_OK || number < 1 ||
                       number > SOTTO_MOST_PEERS
                 : name[length] != '\0')
      continue;
    party->role = (sotto_role)i;
    party->number = (uint32_t)number;
    return SOTTO_OK;
  }
  char given[80] = "none was given";
  if (name != NULL && name[0] != '\0') (void)snprintf(given, sizeof given, "'%.60s' is unknown", name);
  return sotto_i_fail(
      err, SOTTO_INVALID,
      "role: %s; it is data or label of two parties; server, holder1, holder2, ... of holders and a "
      "server; label, holder1, holder2, ... of holders and a label party; server, client1, client2, ... of "
      "clients and a server, and helper where updates are checked",
      given);
}
