/* Functions shared by calibration and the accountants. */
#ifndef SOTTO_SRC_DP_ACCOUNT_ACCOUNT_H
#define SOTTO_SRC_DP_ACCOUNT_ACCOUNT_H

#include "pld.h"

/* gdp.c: Gaussian differential privacy without bounds, for the accountants, which check their answers
 * themselves. All other callers use sotto_gdp_delta and sotto_gdp_epsilon. */
double sotto_i_gdp_delta(double mu, double epsilon);
sotto_status sotto_i_gdp_epsilon(double *epsilon, double mu, double delta, sotto_error *err);

/* sotto_account_epsilon without its checks; UNSUPPORTED where no grid holds the list. `guess` as in
 * sotto_i_pld_solve. */
sotto_status sotto_i_account_epsilon(double *epsilon, sotto_i_pld_answer *guess, const sotto_mechanism *list,
                                     size_t count, double delta, sotto_accountant accountant,
                                     sotto_error *err);

/* RANGE unless 0 < delta < 1, or delta is 0 and every mechanism pure. */
sotto_status sotto_i_account_check_delta(double delta, const sotto_mechanism *list, size_t count,
                                         sotto_error *err);

/* True when all are Gaussian; *mu is then that of all their runs together. */
bool sotto_i_account_mu(double *mu, const sotto_mechanism *list, size_t count);

#endif
