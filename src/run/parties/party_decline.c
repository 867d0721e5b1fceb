/* A party that is refused before it connects tells the others, which would otherwise wait for it until
 * `grace` ends. They hear only that it takes no part, with one of a few fixed reasons: anything more could
 * follow from its rows. */
#include <math.h>

#include "inside/party.h"
#include "party/wire/wire.h"
#include "party_among.h"
#include "party_roles.h"
#include "party_run.h"

enum { longest_wait = 5 }; /* seconds; the user waits as long for the refusal */

static void ignore(void *context, const sotto_peer *peer, sotto_trouble trouble, const char *text) {
  (void)context;
  (void)peer;
  (void)trouble;
  (void)text;
}

/* Sends the greeting only: both ends refuse it. */
static void tell_the_other(const sotto_options *options, const sotto_party *party, const char *terms,
                           const sotto_observer *observer) {
  static const uint8_t nodes[32];
  sotto_wire *wire = NULL;
  sotto_progress common;
  if (sotto_i_party_wire(&wire, options, party, nodes, terms, (sotto_progress){0, 0}, false, observer,
                         NULL) != SOTTO_OK)
    return;
  (void)sotto_wire_meet(wire, &common, NULL);
  sotto_wire_free(wire);
}

void sotto_party_decline(const sotto_options *options, const sotto_party *party, sotto_decline why,
                         const sotto_observer *observer) {
  static const uint8_t nodes[32];
  const sotto_observer quiet = {.cancelled = observer == NULL ? NULL : observer->cancelled,
                                .context = observer == NULL ? NULL : observer->context};
  sotto_options brief = *options;
  if (why == SOTTO_DECLINE_NOT) return;
  brief.grace = fmin(longest_wait, options->grace);
  if (!sotto_i_party_of_several(party, options))
    tell_the_other(&brief, party, sotto_i_declined_terms(why), &quiet);
  else
    (void)sotto_i_party_mesh_greet(&brief, party, nodes, sotto_i_declined_terms(why), false, &quiet, ignore,
                                   NULL, NULL);
}
