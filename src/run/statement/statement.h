/* The library's own interface of privacy statements: a method's part, and code shared by its builders. */
#ifndef SOTTO_SRC_RUN_STATEMENT_STATEMENT_H
#define SOTTO_SRC_RUN_STATEMENT_STATEMENT_H

#include <jansson.h>

#include "release/stated.h"
#include "sotto/guarantee.h"
#include "sotto/statement.h"

/* Version of the statement's format (docs/statement.schema.json). */
enum { SOTTO_I_STATEMENT_FORM = 2 };

/* A finished run. All members are borrowed. */
typedef struct sotto_report {
  const sotto_options *options;
  const sotto_dataset *data;
  const sotto_result *result;
} sotto_report;

/* Payloads that leave a party without noise, or that a single owner publishes, and the data that they
 * reveal. */
typedef struct sotto_i_bare {
  const char *payloads; /* names in the list of exposures, separated by ", "; NULL: none is sent */
  const char *what;     /* the data, such as "features"; NULL: public, or it has a verdict of its own */
  const char *to;       /* the receiving role; NULL: `receives` says who receives what */
  const char *receives; /* "embeddings of them" */
  char role[16];        /* the side or role whose data it is; empty: the single owner's */
} sotto_i_bare;
enum { SOTTO_I_MOST_BARE = 6 };

/* A method's description of a run. Texts are static; lists end with NULL. */
typedef struct sotto_i_description {
  const char *adversary;
  const char *means; /* how neighbouring data differ; NULL: as in the plan */
  const char *const *assumed, *const *uncovered;
  const char *first, *second; /* the two sides of the result's traffic and exposures; NULL: a single owner */
  const char *labels,
      *labels_of;             /* what the account of labels protects, and whose; NULL: labels of `second` */
  const char *unprotected;    /* why the run is not private whatever it released; NULL: it can be private */
  const char *protected_part; /* with `unprotected`: the part that still has the stated epsilon; NULL: none */
  sotto_i_bare bare[SOTTO_I_MOST_BARE]; /* every payload that a side exposes must be in one of these */
  size_t bare_count;
} sotto_i_description;

/* Adds an entry to `bare`. */
void sotto_i_describe_bare(sotto_i_description *out, const sotto_i_bare *bare);
/* The default hook `describe`: for methods of a single owner. */
void sotto_i_describe_owner(sotto_i_description *out, const sotto_report *report);

/* The count that a seed published (publish-accuracy), as in accuracy.json and the statement. */
json_t *sotto_i_published_json(const sotto_options *options, const sotto_seed_result *seed);

/* The whole statement; NULL: out of memory. */
json_t *sotto_i_statement(const sotto_report *report);

/* Are the features public at the level in force? */
bool sotto_i_features_are_public(const sotto_options *options);

/* Numbers that are not finite are null; lists end with NULL. */
json_t *sotto_i_json_number(double value);
json_t *sotto_i_json_strings(const char *const *texts);
/* Bytes of messages by kind: SOTTO_WIRE_KINDS entries. */
json_t *sotto_i_json_bytes(const uint64_t *bytes);
/* Did this run release anything under the account of its data? */
bool sotto_i_statement_releases(const sotto_report *report);
/* Are all releases pure, so that delta is not needed? */
bool sotto_i_statement_has_no_delta(const sotto_report *report);
/* Number of nodes of the data; 0 at graph and client level, where it is private. */
double sotto_i_statement_nodes(const sotto_report *report);

/* One verdict: which data, whose, and how well protected. */
typedef struct sotto_i_verdict {
  const char *account; /* "data", "labels", "label edges"; "none": nothing is charged for this data */
  const char *role;    /* whose data it is; NULL: the single owner's */
  char of[96];
  sotto_guarantee class;
  double epsilon, delta; /* INFINITY: no guarantee */
  char text[400];
} sotto_i_verdict;

/* All verdicts of a run, those of this party first. */
enum { SOTTO_I_MOST_VERDICTS = 8 };
typedef struct sotto_i_verdicts {
  sotto_i_verdict list[SOTTO_I_MOST_VERDICTS];
  size_t count, own; /* `own`: the first ones, of this party; all, if the party has none */
  bool sound;
} sotto_i_verdicts;
void sotto_i_statement_verdicts(sotto_i_verdicts *out, const sotto_report *report,
                                const sotto_i_description *description);
/* Is a payload of that name in one of `bare`, or is all data unprotected anyway? */
bool sotto_i_statement_has_payload(const sotto_i_description *description, const char *name);
/* The texts of all verdicts, separated by "; ". */
enum { SOTTO_I_VERDICT_TEXT = SOTTO_I_MOST_VERDICTS * 420 };
void sotto_i_statement_verdict_text(char out[SOTTO_I_VERDICT_TEXT], const sotto_i_verdicts *verdicts);
/* Adds verdict, verdict_class, verdicts and sound as JSON. */
void sotto_i_statement_add_verdicts(json_t *statement, const sotto_report *report,
                                    const sotto_i_description *description);

#endif
