/* The privacy statement inside of the library: a method's own part, and shared code of its builders. */
#ifndef SOTTO_SRC_RUN_STATEMENT_STATEMENT_H
#define SOTTO_SRC_RUN_STATEMENT_STATEMENT_H

#include <jansson.h>

#include "sotto/statement.h"

/* A finished run. All members are borrowed. */
typedef struct sotto_report {
  const sotto_options *options;
  const sotto_dataset *data;
  const sotto_result *result;
} sotto_report;

/* What a method says of a run. Texts are static; lists end with NULL. */
typedef struct sotto_i_description {
  const char *adversary;
  const char *means; /* what neighbouring data differ in; NULL: as the plan says */
  const char *const *assumed, *const *uncovered;
  const char *first, *second; /* the two sides of the result's traffic and exposures; NULL: one owner */
  const char *unprotected;    /* why the run is not private whatever it released; NULL: it may be */
  const char *protected_part; /* with `unprotected`: what is private all the same; NULL: nothing */
} sotto_i_description;

/* Of methods of one owner: the default of a method's `describe`. */
void sotto_i_describe_owner(sotto_i_description *out, const sotto_report *report);

/* Everything that the statement says; NULL when memory is out. */
json_t *sotto_i_statement(const sotto_report *report);

/* Numbers that are not finite are null; lists end with NULL. */
json_t *sotto_i_json_number(double value);
json_t *sotto_i_json_strings(const char *const *texts);
/* The planned releases, and how many charges were made for each. */
json_t *sotto_i_statement_mechanisms(const sotto_report *report);
/* Did this run release anything under the account of its data? */
bool sotto_i_statement_releases(const sotto_report *report);
/* Are all releases pure, so that delta has no part? */
bool sotto_i_statement_is_pure(const sotto_report *report);

/* The verdict: its class ("private", "vacuous", "not private", "no edge used"), and a sentence. */
typedef struct sotto_i_verdict_text {
  const char *kind;
  char text[240];
  bool sound;
} sotto_i_verdict_text;
void sotto_i_statement_verdict(sotto_i_verdict_text *out, const sotto_report *report,
                               const sotto_i_description *description);

#endif
