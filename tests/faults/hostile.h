/* A peer whose numbers are hostile: what a link receives under one name is replaced by numbers that are
 * finite and that a peer could have sent. And a list of all that was received. */
#ifndef SOTTO_TESTS_FAULTS_HOSTILE_H
#define SOTTO_TESTS_FAULTS_HOSTILE_H

#include "support/hostile_numbers.h"

/* From now on payloads of this name come so; NULL: none do. The list is empty again. */
void check_plant_hostile(const char *name, check_hostile how);
/* "NAME: ROWS x COLUMNS numbers" (or words) of each payload that a link took, in alphabetical order. */
enum { CHECK_MOST_TAKEN = 4096, CHECK_TAKEN = 96 };
size_t check_taken(char (*out)[CHECK_TAKEN]);

#endif
