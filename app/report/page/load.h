/* The files of a run folder, loaded for its page. */
#ifndef SOTTO_APP_REPORT_PAGE_LOAD_H
#define SOTTO_APP_REPORT_PAGE_LOAD_H

#include "report/object.h"
#include "sotto/options.h"
#include "sotto/statement.h"

enum { PAGE_STAGES = 12, PAGE_STAGE_NAME = 48 };

/* Loss and validation score of each epoch from 1 on, summed over seeds; a score that was not measured is NAN
 * in no sum: it has a count of its own. */
typedef struct page_stage {
  char name[PAGE_STAGE_NAME];
  double *loss, *validation; /* sums */
  uint32_t *losses, *validations;
  size_t epochs, room;
} page_stage;

/* Releases for predictions, each with a statement below the run folder; sums of all of them. */
enum { PAGE_TOGETHER = 32 };
typedef struct page_later {
  char name[64];
  double epsilon, delta; /* NAN: no guarantee */
} page_later;
typedef struct page_together {
  page_later list[PAGE_TOGETHER]; /* the first of them */
  size_t count;
  double epsilon, delta;
} page_together;

typedef struct page_run {
  char name[256], role[32];    /* of the folder; of the party, empty in one process */
  json_t *statement, *result;  /* result: NULL where there is no result.json to read */
  bool hides;                  /* its measures follow from private data: owner-only/ has them */
  sotto_statement_check check; /* of the folder */
  bool asked;                  /* for the ledger and the keys that are at hand */
  page_together together;
  page_stage stages[PAGE_STAGES];
  size_t stage_count;
  sotto_options options;
  bool has_options;
} page_run;

/* Checks the folder (sotto_statement_verify), with the ledger that is at hand where `with_ledger` says so; an
 * edited statement is an error. Measures that follow from private data are loaded for the owner alone.
 * Errors: NOT_FOUND (no statement.json), CORRUPT, UNSUPPORTED, PARSE, IO, NOMEM. */
sotto_status page_run_load(page_run *out, const char *folder, bool owner, bool with_ledger, sotto_error *err);
void page_run_free(page_run *run);

/* Members of an object, whatever is in the file: NAN and "" stand for what is missing or of another type. */
double page_number(const json_t *object, const char *key);
const char *page_words(const json_t *object, const char *key);
bool page_true(const json_t *object, const char *key);
/* Is there a proven bound on what the run reveals? */
bool page_guarantees(const page_run *run);
/* Epsilon of all repeats together, since whoever sees one release sees all; NAN without a guarantee. */
double page_epsilon(const page_run *run);
double page_delta(const page_run *run);

#endif
