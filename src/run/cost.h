/* Prices of methods of one owner: asking the ledger, charging it, composing. */
#ifndef SOTTO_SRC_RUN_COST_H
#define SOTTO_SRC_RUN_COST_H

#include "method.h"

/* Of methods that use the graph as it is. */
sotto_status sotto_i_price_nothing(sotto_cost *out, const sotto_i_job *job, sotto_error *err);
/* Is noise asked for: --adjacency edge or node, and a finite epsilon? */
bool sotto_i_price_asked(const sotto_options *options);
/* Adds a pure release of `epsilon`, which `mechanism` describes. `what` is static. */
void sotto_i_cost_add_pure(sotto_cost *cost, const char *what, const sotto_mechanism *mechanism,
                           double epsilon);

/* Opens the options' ledger and asks it whether it would take all charges of all seeds. Errors: REFUSED and
 * the ledger's others. *ledger is the caller's to close, after an error too. */
sotto_status sotto_i_cost_ask(sotto_ledger **ledger, const sotto_cost *cost, const sotto_options *options,
                              const sotto_dataset *data, const char *run_id, sotto_error *err);
/* Charges items [first, first + count) of the job's cost, before anything that follows from them is used. */
SOTTO_MUST_USE sotto_status sotto_i_cost_charge(const sotto_i_job *job, size_t first, size_t count,
                                                sotto_error *err);
/* Epsilon of `seeds` seeds together: the sum when all releases are pure, else by gdp where it is exact, else
 * by pld. */
sotto_status sotto_i_cost_epsilon(double *epsilon, const sotto_cost *cost, uint64_t seeds, double delta,
                                  sotto_error *err);

/* The key of a seed's noise: the system's, or of the options' insecure seed. Wipe it. */
void sotto_i_job_noise_key(sotto_key *key, const sotto_i_job *job);

#endif
