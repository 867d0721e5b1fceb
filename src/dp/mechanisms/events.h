/* What a distinguisher achieves with the releases of a mechanism by counting the runs in which an event
 * occurs. Shares no code with privacy loss distributions and Gaussian differential privacy. */
#ifndef SOTTO_SRC_DP_MECHANISMS_EVENTS_H
#define SOTTO_SRC_DP_MECHANISMS_EVENTS_H

#include <stdbool.h>

/* The best lower bound so far: of epsilon at `delta`, or, when `delta` is 0, of delta at `epsilon`. */
typedef struct sotto_i_events {
  double delta, epsilon;
  double value;
} sotto_i_events;

/* Offers an event of all runs, with the logarithms of its probabilities under P and under Q. */
void sotto_i_offer(sotto_i_events *b, double log_p, double log_q);
/* Offers events of one run that occur in some of `runs` runs. */
void sotto_i_count_events(sotto_i_events *b, double log_p, double log_q, double runs);
/* Offers events of (1 - rate) N(0, 1) + rate N(shift, 1), against the same with -shift (`replaced`) or
 * against N(0, 1), in both directions. */
void sotto_i_try_sampled(sotto_i_events *b, double rate, double shift, bool replaced, double runs);
/* Offers events of answers with odds e^loss among so many choices. */
void sotto_i_try_response(sotto_i_events *b, double loss, double choices, double runs);
/* Probability that two answers to one question agree, each of which is another choice with probability
 * `flip`: both are true, or both are the same other choice. */
double sotto_i_agreement(double flip, double choices);

/* log of the mass of a standard normal above z, rounded down or up where a series is used. */
double sotto_i_log_above(double z, bool up);

#endif
