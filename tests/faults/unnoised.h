/* Which fault of noise the environment's SOTTO_FAULT plants. */
#ifndef SOTTO_TESTS_FAULTS_UNNOISED_H
#define SOTTO_TESTS_FAULTS_UNNOISED_H

#include "sotto/base.h"

bool check_is_planted(const char *name);
/* The key of a draw: with the fault `again` one key for all. */
const sotto_key *check_fault_key(const sotto_key *key);

#endif
