/* The privacy statement inside of the library: a method's own part, and shared code of its builders. */
#ifndef SOTTO_SRC_RUN_STATEMENT_STATEMENT_H
#define SOTTO_SRC_RUN_STATEMENT_STATEMENT_H

#include <jansson.h>

#include "release/stated.h"
#include "sotto/guarantee.h"
#include "sotto/statement.h"

/* The version of the form of statements (docs/statement.schema.json). */
enum { SOTTO_I_STATEMENT_FORM = 2 };

/* A finished run. All members are borrowed. */
typedef struct sotto_report {
  const sotto_options *options;
  const sotto_dataset *data;
  const sotto_result *result;
} sotto_report;

/* Payloads that leave a side without noise, or what one owner publishes, and what of whom they reveal. */
typedef struct sotto_i_bare {
  const char *payloads; /* names in the list of exposures, with ", " between them; NULL: none is sent */
  const char *what; /* such as "features"; NULL: what is assumed to be public, or has a verdict of its own */
  const char *to;   /* the role that receives them; NULL: `receives` says who */
  const char *receives; /* "embeddings of them" */
  char role[16];        /* whose: a side, or one role of it; empty: the one owner's */
} sotto_i_bare;
enum { SOTTO_I_MOST_BARE = 6 };

/* What a method says of a run. Texts are static; lists end with NULL. */
typedef struct sotto_i_description {
  const char *adversary;
  const char *means; /* what neighbouring data differ in; NULL: as the plan says */
  const char *const *assumed, *const *uncovered;
  const char *first, *second; /* the two sides of the result's traffic and exposures; NULL: one owner */
  const char *unprotected;    /* why the run is not private whatever it released; NULL: it may be */
  const char
      *protected_part; /* with `unprotected`: what has the stated epsilon all the same; NULL: nothing */
  sotto_i_bare bare[SOTTO_I_MOST_BARE]; /* every payload that a side exposes is in one of these */
  size_t bare_count;
} sotto_i_description;

/* Adds one of its `bare`. */
void sotto_i_describe_bare(sotto_i_description *out, const sotto_i_bare *bare);
/* Of methods of one owner: the default of a method's `describe`. */
void sotto_i_describe_owner(sotto_i_description *out, const sotto_report *report);

/* The count that a seed published (publish-accuracy), as accuracy.json and the statement have it. */
json_t *sotto_i_published_json(const sotto_options *options, const sotto_seed_result *seed);

/* Everything that the statement says; NULL when memory is out. */
json_t *sotto_i_statement(const sotto_report *report);

/* Does the level in force let everybody know the features? */
bool sotto_i_features_are_public(const sotto_options *options);

/* Numbers that are not finite are null; lists end with NULL. */
json_t *sotto_i_json_number(double value);
json_t *sotto_i_json_strings(const char *const *texts);
/* Did this run release anything under the account of its data? */
bool sotto_i_statement_releases(const sotto_report *report);
/* Are all releases pure, so that delta has no part? */
bool sotto_i_statement_is_pure(const sotto_report *report);
/* How many nodes the data has; 0 at graph and client level, where a size is private. */
double sotto_i_statement_nodes(const sotto_report *report);

/* One verdict: what of whom, how much. */
typedef struct sotto_i_verdict {
  const char *account; /* "data", "labels", "label edges"; "none": nothing is charged for it */
  const char *role;    /* whose it is; NULL: the owner of all */
  char of[96];
  sotto_guarantee class;
  double epsilon, delta; /* INFINITY: no guarantee */
  char text[400];
} sotto_i_verdict;

/* All verdicts of a run, those of this party first. */
enum { SOTTO_I_MOST_VERDICTS = 8 };
typedef struct sotto_i_verdicts {
  sotto_i_verdict list[SOTTO_I_MOST_VERDICTS];
  size_t count, own; /* `own`: the first so many are of this party, or, where it has none, all */
  bool sound;
} sotto_i_verdicts;
void sotto_i_statement_verdicts(sotto_i_verdicts *out, const sotto_report *report,
                                const sotto_i_description *description);
/* Is a payload of that name in one of `bare`, or is nothing protected whatever it reveals? */
bool sotto_i_statement_has_payload(const sotto_i_description *description, const char *name);
/* Their texts, one after the other, with "; " between them. */
enum { SOTTO_I_VERDICT_TEXT = SOTTO_I_MOST_VERDICTS * 420 };
void sotto_i_statement_verdict_text(char out[SOTTO_I_VERDICT_TEXT], const sotto_i_verdicts *verdicts);
/* As JSON: verdict, verdict_class, verdicts, sound. */
void sotto_i_statement_add_verdicts(json_t *statement, const sotto_report *report,
                                    const sotto_i_description *description);

#endif
