/* The perceptron that attacks train on known members and non-members. */
#ifndef SOTTO_SRC_AUDIT_STATISTICS_ATTACK_NET_H
#define SOTTO_SRC_AUDIT_STATISTICS_ATTACK_NET_H

#include "sotto/audit.h"

/* Fits a perceptron of three layers (64 and 32 hidden units) on known rows, with columns standardised by
 * their own moments. scores[0..rows) get the log-odds of membership of the rows of `asked` (same columns). */
sotto_status sotto_i_attack_net(double *scores, const sotto_matrix *known, const uint8_t *members,
                                const sotto_matrix *asked, uint64_t seed, sotto_error *err);

#endif
