/* Reports as pages of HTML: of one run, of several, of a ledger. What a run folder may not hand on is on the
 * owner's page alone (docs/report.md). */
#ifndef SOTTO_APP_REPORT_PAGE_PAGE_H
#define SOTTO_APP_REPORT_PAGE_PAGE_H

#include "sotto/ledger.h"

enum { PAGE_MOST_RUNS = 12, PAGE_PATH = 1200 };

typedef struct page_ask {
  const char *const *runs; /* run folders, 1 to PAGE_MOST_RUNS */
  size_t run_count;
  const char *out;   /* the file; NULL: report.html in the one run folder, or its owner-only/, or here */
  bool owner;        /* one run: with what follows from its true labels, its edges and the ledger */
  bool ledger;       /* the statements are compared with the ledger that is at hand, too */
  const char *data;  /* owner: the run's dataset; NULL: where the run had it */
  const char *files; /* of a page that a server gives: elements of its head in the place of its style */
} page_ask;

/* Writes the page; `path` (PAGE_PATH bytes) gets its name. Errors: NOT_FOUND (no statement in a folder),
 * CORRUPT (an edited statement or file), UNSUPPORTED (a statement of another version), PARSE, INVALID (the
 * owner's page of several runs), IO, NOMEM. What an owner's page cannot have, such as
 * answers of a model that gives none, it says. */
sotto_status page_write(char *path, const page_ask *ask, sotto_error *err);
/* The page of one run that may be handed on, in its folder, from the files that are there. */
sotto_status page_write_run(const char *folder, sotto_error *err);
/* The text of that page, from malloc; with `files` not NULL these elements stand in its head in the place of
 * its style. Errors: as of page_write. */
sotto_status page_text_run(char **out, const char *folder, const char *files, sotto_error *err);
/* The page of an open ledger, which was verified when it was opened. Errors: IO, NOMEM, and those of reading
 * the ledger. */
sotto_status page_write_ledger(sotto_ledger *ledger, const char *path, sotto_error *err);

#endif
