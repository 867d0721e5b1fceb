/* What a process that may die wrote of the steps of its artifacts (death.h): where it can be killed, and what
 * must hold of it when it was. */
#ifndef SOTTO_TESTS_FAULTS_STORY_H
#define SOTTO_TESTS_FAULTS_STORY_H

#include <stdbool.h>

#include "faults/death.h"
#include "sotto/options.h"

enum { STORY_LINES = 2000, STORY_LINE = 240, STORY_STEPS = 400 };

typedef struct story {
  char line[STORY_LINES][STORY_LINE];
  size_t count;
} story;
/* Of the file that death_arm names; empty when there is none. */
void story_read(story *out, const char *log);

/* Every step of every artifact of a story, each once. */
typedef struct story_deaths {
  death at[STORY_STEPS];
  size_t count;
} story_deaths;
/* `fresh`: the noise is the system's, so that a second draw shows; else an insecure seed's, so that models
 * can be compared. Steps that follow on each other with nothing between are not in both lists. */
void story_find_deaths(story_deaths *out, const story *s, bool fresh);

/* Fails unless each draw was charged before the role read it; `some_without_noise`: or is never charged.
 * `who` is for the message. */
void story_check_order(const story *s, bool some_without_noise, const char *who);
/* Fails, after a death at a charge, unless its draw is saved in the options' folder; and in their ledger
 * exactly when the charge had been made. */
void story_check_left_behind(const char *log, const sotto_options *o, const death *at, const char *who);
/* How many different releases went over links. */
size_t story_payloads(const story *s);

#endif
