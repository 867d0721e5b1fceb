/* The seeds of one party, as the engine passes them to the code that talks to the other parties. */
#ifndef SOTTO_SRC_RUN_PARTIES_PARTY_SEEDS_H
#define SOTTO_SRC_RUN_PARTIES_PARTY_SEEDS_H

#include "graph/tables/naming.h"
#include "run/method/method.h"

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
  /* After the last seed: which one is kept, sent over the link (NULL: nothing is), or as it was sent before.
   */
  sotto_status (*choose)(void *context, sotto_link *link, sotto_error *err);
  sotto_status (*chosen)(void *context, sotto_error *err);
  /* Of a federation of clients: names of this party's columns and classes, and those that all agreed on, in
   * whose order its data is read from now on. NULL: other methods. */
  sotto_status (*naming)(void *context, sotto_i_naming *own, sotto_error *err);
  sotto_status (*named)(void *context, const sotto_i_naming *agreed, sotto_error *err);
  /* Then, where clients share statistics: this one's data in the order that was agreed on, and statistics
   * over all clients, by which it is scaled. */
  const sotto_dataset *(*arranged)(void *context);
  sotto_status (*suited)(void *context, const double *all, sotto_error *err);
  /* Among several parties: what is known of the data here (0: nothing), and what all know together; which
   * training is best, from 1, by who can tell (else 0), and what was agreed on. */
  void (*facts)(void *context, sotto_i_facts *own);
  sotto_status (*learnt)(void *context, const sotto_i_facts *facts, sotto_error *err);
  uint32_t (*best)(void *context);
  sotto_status (*keep)(void *context, uint32_t number, sotto_error *err);
} sotto_i_party_run;

#endif
