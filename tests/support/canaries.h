/* Canaries of made runs: drawn from as they are, or with a fault in them. */
#ifndef SOTTO_TESTS_CANARIES_H
#define SOTTO_TESTS_CANARIES_H

#include "audit/canary.h"

/* Pairs of key and value, ended by NULL, on top of the defaults; resolved. */
sotto_options check_canary_options(const char *const *settings);
/* Settings of small runs: gap with one layer of sums, vesper with one layer of GCN above a floor of 3,
 * caribou with two hidden layers, best with two. */
extern const char *const check_canary_gap[], *const check_canary_gcn[], *const check_canary_caribou[],
                                                                            *const check_canary_best[];
/* Node level with at most 6 neighbours, epsilon 8 at delta 1e-3, most of it for the release. */
sotto_options check_canary_node_options(const char *method, const char *layers);
/* At most 200 nodes of two classes, 4 columns of zeros; every node has three or four neighbours. */
sotto_dataset check_ring(uint32_t nodes, uint32_t step);
void check_ring_free(sotto_dataset *data);

/* The canary of a run that states the options' epsilon, and what so many trials of one show. */
void check_canary(sotto_i_canary *canary, const sotto_options *options, sotto_i_canary_kind kind,
                  const sotto_dataset *data);
sotto_canary_result check_judged(sotto_i_canary *canary, uint64_t trials);
/* What a fault does to a canary that is made, before it is drawn from. */
typedef void (*check_fault)(sotto_i_canary *canary);
sotto_canary_result check_drawn(const sotto_options *options, sotto_i_canary_kind kind, check_fault plant,
                                uint64_t trials);
/* Faults: the noise of both worlds is half as wide; so is that of the release beside it. */
void check_halve_noise(sotto_i_canary *canary);
void check_halve_beside(sotto_i_canary *canary);
void check_say(const char *what, const sotto_canary_result *result);

/* An honest run holds and shows so much of its mu, in one of four audits: a bound may be above by chance. */
void check_honest(const char *what, const sotto_options *options, sotto_i_canary_kind kind, double least_mu,
                  uint64_t trials);
/* A fault is caught, in one of two audits. */
void check_caught(const char *what, const sotto_options *options, sotto_i_canary_kind kind, check_fault plant,
                  uint64_t trials);

#endif
