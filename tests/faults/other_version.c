/* Another version of the program: it calls itself 9.9.9 and speaks the protocol whose number is in
 * $SOTTO_OTHER_PROTOCOL, by default that of this one. */
#include <stdio.h>
#include <stdlib.h>

#include "inside/party.h"
#include "party/wire/wire.h"

static uint32_t own_protocol(void) {
  const char *protocol = getenv("SOTTO_OTHER_PROTOCOL");
  return protocol == NULL ? SOTTO_I_PROTOCOL : (uint32_t)strtoul(protocol, NULL, 10);
}

/* Declared by their type, so that this file no longer compiles when they change. */
__typeof__(sotto_i_greet_fill) __real_sotto_i_greet_fill, __wrap_sotto_i_greet_fill;
__typeof__(sotto_i_greet_agree) __real_sotto_i_greet_agree, __wrap_sotto_i_greet_agree;

void __wrap_sotto_i_greet_fill(sotto_i_hello *out, sotto_wire *wire) {
  __real_sotto_i_greet_fill(out, wire);
  (void)snprintf(out->version, sizeof out->version, "9.9.9");
  out->protocol = own_protocol();
}

/* It refuses what this one would, in its place. */
bool __wrap_sotto_i_greet_agree(char *out, size_t size, sotto_trouble *trouble, const sotto_wire *wire,
                                const sotto_i_hello *theirs) {
  if (theirs->protocol == own_protocol()) return __real_sotto_i_greet_agree(out, size, trouble, wire, theirs);
  *trouble = SOTTO_TROUBLE_VERSION;
  (void)snprintf(out, size, "%s runs sotto %s, which speaks protocol %u", wire->options.peer, theirs->version,
                 theirs->protocol);
  return false;
}
