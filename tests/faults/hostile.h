/* A peer whose numbers are hostile: what a link receives under one name is replaced by numbers that are
 * finite and that a peer could have sent. And a list of all that was received. */
#ifndef SOTTO_TESTS_FAULTS_HOSTILE_H
#define SOTTO_TESTS_FAULTS_HOSTILE_H

#include <stddef.h>

/* CHOSEN: a first layer of 5 x 4 weights, and a second, in which exactly the rows overflow that have feature
 * 0; in other tables the first column alone is large. */
typedef enum check_hostile {
  CHECK_HONEST,
  CHECK_HUGE,
  CHECK_CHOSEN,
  CHECK_SUBNORMAL,
  CHECK_EQUAL,
  CHECK_HOSTILE_KINDS
} check_hostile;

/* From now on payloads of this name come so; NULL: none do. The list is empty again. */
void check_plant_hostile(const char *name, check_hostile how);
/* "NAME: ROWS x COLUMNS numbers" (or words) of each payload that a link took, in alphabetical order. */
enum { CHECK_MOST_TAKEN = 4096, CHECK_TAKEN = 96 };
size_t check_taken(char (*out)[CHECK_TAKEN]);

#endif
