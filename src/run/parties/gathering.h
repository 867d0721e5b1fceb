/* The parties of a run that meet over the server, and what they tell each other before it begins. */
#ifndef SOTTO_SRC_RUN_PARTIES_GATHERING_H
#define SOTTO_SRC_RUN_PARTIES_GATHERING_H

#include "party_seeds.h"

typedef struct sotto_i_gathering {
  const sotto_i_party_run *run;
  const char (*roles)[SOTTO_ROLE_SIZE];
  sotto_link **links; /* as of sotto_i_among; NULL: left */
  size_t count;
  bool server;
  uint64_t done; /* seeds that all have finished */
} sotto_i_gathering;

/* Public words over a link: 1 x count. */
sotto_status sotto_i_say(sotto_link *link, const char *name, const uint32_t *words, size_t count,
                         sotto_error *err);
sotto_status sotto_i_hear(uint32_t *out, sotto_link *link, const char *name, size_t count, sotto_error *err);

/* A member that may leave, and has, is not asked again; other failures are the run's, and go from `problem`
 * to `err`. */
sotto_status sotto_i_leave_out(const sotto_i_gathering *g, size_t i, sotto_status status,
                               const sotto_error *problem, sotto_error *err);

/* Each client says the names of its columns and classes; the server joins them, and all get the joined names
 * in *agreed (sotto_i_naming_free). `own` is NULL at the server. Where they do not fit, every party gets the
 * reason. Errors: INVALID (they do not fit), PROTOCOL, and those of links. */
sotto_status sotto_i_agree_on_names(sotto_i_naming *agreed, const sotto_i_gathering *g,
                                    const sotto_i_naming *own, sotto_error *err);

/* Statistics over all clients, in fresh memory, of so many columns that were agreed on: at each client and at
 * the server, whose `own` is NULL. Errors: PROTOCOL, NOMEM, and those of links. */
sotto_status sotto_i_agree_on_statistics(double **values, const sotto_i_gathering *g,
                                         const sotto_dataset *own, size_t columns, sotto_error *err);

#endif
