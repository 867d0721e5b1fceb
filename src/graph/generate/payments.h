/* Payments of one relation: everyday ones, salaries, and patterns of laundering. */
#ifndef SOTTO_SRC_GRAPH_GENERATE_PAYMENTS_H
#define SOTTO_SRC_GRAPH_GENERATE_PAYMENTS_H

#include "base/random.h"
#include "graph/transfers.h"
#include "sotto/generate.h"

/* What a mule received and has yet to pass on; amount 0: nothing. */
typedef struct sotto_i_received {
  double amount, day;
} sotto_i_received;

typedef struct sotto_i_payments {
  sotto_i_random *random;
  sotto_i_transfers transfers;
  sotto_i_received *passed; /* one for each account; owned by the caller */
  sotto_i_random *kinds;    /* by which kinds are drawn; NULL: payments have none */
  bool in_cash;             /* the relation at hand is */
} sotto_i_payments;

enum { SOTTO_I_CARD, SOTTO_I_CASH, SOTTO_I_CHEQUE, SOTTO_I_TRANSFER, SOTTO_I_PAYMENT_KINDS };
bool sotto_i_draw_event(sotto_i_random *random, double probability);
/* Of any amount, at any time of the year, a fifth of them the other way. Errors: NOMEM. */
sotto_status sotto_i_pay_everyday(sotto_i_payments *all, uint32_t a, uint32_t b, sotto_error *err);
/* Twelve from a to b, one a month, of one amount. */
sotto_status sotto_i_pay_salaries(sotto_i_payments *all, uint32_t a, uint32_t b, sotto_error *err);
/* The pattern, between accounts of which one or both are mules; `first`: a is one. */
sotto_status sotto_i_pay_laundered(sotto_i_payments *all, sotto_payments_pattern pattern, uint32_t a,
                                   uint32_t b, bool first, sotto_error *err);

#endif
