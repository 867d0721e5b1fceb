/* The seeds of one party of a run over a network. */
#ifndef SOTTO_SRC_RUN_PARTIES_PARTY_RUN_H
#define SOTTO_SRC_RUN_PARTIES_PARTY_RUN_H

#include "inside/party.h"
#include "party_seeds.h"

/* Meets the other party and does all seeds; begins again from common files whenever the other party did. */
sotto_status sotto_i_party_seeds(const sotto_i_party_run *run, sotto_error *err);

/* Opens the wire of a party. `terms` is lent. */
sotto_status sotto_i_party_wire(sotto_wire **out, const sotto_options *options, const sotto_party *party,
                                const uint8_t nodes[32], const char *terms, sotto_progress progress,
                                bool check, const sotto_observer *observer, sotto_error *err);

#endif
