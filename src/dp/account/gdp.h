/* Gaussian differential privacy without bounds, for the accountants, which check their answers themselves.
 * Everybody else takes sotto_gdp_delta and sotto_gdp_epsilon. */
#ifndef SOTTO_SRC_DP_ACCOUNT_GDP_H
#define SOTTO_SRC_DP_ACCOUNT_GDP_H

#include "sotto/dp.h"

double sotto_i_gdp_delta(double mu, double epsilon);
sotto_status sotto_i_gdp_epsilon(double *epsilon, double mu, double delta, sotto_error *err);

#endif
