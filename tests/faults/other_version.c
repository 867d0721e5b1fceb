/* Another version of the program: it calls itself 9.9.9 and speaks the protocol whose number is in
 * $SOTTO_OTHER_PROTOCOL, by default that of this one. */
#include <stdio.h>
#include <stdlib.h>

#include "party/wire/wire.h"

static uint32_t own_protocol(void) {
  const char *protocol = getenv("SOTTO_OTHER_PROTOCOL");
  return protocol == NULL ? SOTTO_I_PROTOCOL : (uint32_t)strtoul(protocol, NULL, 10);
}

void __real_sotto_i_greet_fill(sotto_i_hello *out, sotto_wire *wire);
void __wrap_sotto_i_greet_fill(sotto_i_hello *out, sotto_wire *wire);
void __wrap_sotto_i_greet_fill(sotto_i_hello *out, sotto_wire *wire) {
  __real_sotto_i_greet_fill(out, wire);
  (void)snprintf(out->version, sizeof out->version, "9.9.9");
  out->protocol = own_protocol();
}

/* It refuses what this one would, in its place. */
bool __real_sotto_i_greet_agree(char *out, size_t size, const sotto_wire *wire, const sotto_i_hello *theirs);
bool __wrap_sotto_i_greet_agree(char *out, size_t size, const sotto_wire *wire, const sotto_i_hello *theirs);
bool __wrap_sotto_i_greet_agree(char *out, size_t size, const sotto_wire *wire, const sotto_i_hello *theirs) {
  if (theirs->protocol == own_protocol()) return __real_sotto_i_greet_agree(out, size, wire, theirs);
  (void)snprintf(out, size, "%s runs sotto %s, which speaks protocol %u", wire->options.peer, theirs->version,
                 theirs->protocol);
  return false;
}
