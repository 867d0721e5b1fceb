/* The perceptron that attacks train on known members and non-members. */
#ifndef SOTTO_SRC_AUDIT_STATISTICS_ATTACK_NET_H
#define SOTTO_SRC_AUDIT_STATISTICS_ATTACK_NET_H

#include "sotto/audit.h"

/* Fits a perceptron of three layers (64 and 32 hidden) on known rows, columns standardised by their own
 * moments, and gives the log-odds of membership of each row of `asked` (same columns) in scores[0..rows). */
sotto_status sotto_i_attack_net(double *scores, const sotto_matrix *known, const uint8_t *members,
                                const sotto_matrix *asked, uint64_t seed, sotto_error *err);

#endif
