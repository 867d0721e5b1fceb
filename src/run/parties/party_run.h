/* The seeds of one party of a run over a network. */
#ifndef SOTTO_SRC_RUN_PARTIES_PARTY_RUN_H
#define SOTTO_SRC_RUN_PARTIES_PARTY_RUN_H

#include "run/method.h"

/* How a party's run does its seeds. `seed` trains one, or takes it over from its files; `folder` names its
 * folder, in fresh memory. */
typedef struct sotto_i_party_run {
  const sotto_options *options;
  const sotto_party *party;
  const uint8_t *nodes;
  const sotto_observer *observer;
  void *context;
  sotto_status (*seed)(void *context, uint64_t index, const sotto_i_seat *seat, bool taken_over,
                       sotto_error *err);
  sotto_status (*folder)(void *context, char **out, uint64_t index, sotto_error *err);
  /* After the last seed: which one is kept, told over the link (NULL: nothing is), or as it was told before.
   */
  sotto_status (*choose)(void *context, sotto_link *link, sotto_error *err);
  sotto_status (*chosen)(void *context, sotto_error *err);
  /* Among several parties: what is known of the data here (0: nothing), and what all know together; which
   * training is best, from 1, by who can tell (else 0), and what was agreed on. */
  const sotto_i_facts *facts;
  sotto_status (*learnt)(void *context, const sotto_i_facts *facts, sotto_error *err);
  uint32_t (*best)(void *context);
  sotto_status (*keep)(void *context, uint32_t number, sotto_error *err);
} sotto_i_party_run;

/* Meets the other party and does all seeds; begins again from common files whenever the other party did. */
sotto_status sotto_i_party_seeds(const sotto_i_party_run *run, sotto_error *err);

/* Opens the wire of a party. `terms` is lent. */
sotto_status sotto_i_party_wire(sotto_wire **out, const sotto_options *options, const sotto_party *party,
                                const uint8_t nodes[32], const char *terms, sotto_progress progress,
                                bool check, const sotto_observer *observer, sotto_error *err);

/* Would the ledger take all charges of this party? Writes a sentence about it. Errors: REFUSED, and others of
 * the ledger (train_privacy.c). */
sotto_status sotto_i_party_budget(char *out, size_t size, const sotto_options *options,
                                  const sotto_dataset *data, const sotto_party *party, sotto_error *err);

#endif
