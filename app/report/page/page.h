/* Reports as HTML pages: of one run, of several, of a ledger. Only the owner's page contains what a run
 * folder must not hand on (docs/report.md). */
#ifndef SOTTO_APP_REPORT_PAGE_PAGE_H
#define SOTTO_APP_REPORT_PAGE_PAGE_H

#include "sotto/ledger.h"

enum { PAGE_MOST_RUNS = 12, PAGE_PATH = 1200 };

typedef struct page_ask {
  const char *const *runs; /* run folders, 1 to PAGE_MOST_RUNS */
  size_t run_count;
  const char *out;   /* the file; NULL: report.html in the run folder, its owner-only/, or here */
  bool owner;        /* one run: include what follows from its true labels, its edges and the ledger */
  bool ledger;       /* also compare the statements with the ledger, if it is found */
  const char *data;  /* owner: the run's dataset; NULL: the run's own path */
  const char *files; /* head elements that link a server's style; NULL: the style is in the page */
} page_ask;

/* Writes the page; `path` (PAGE_PATH bytes) gets its name. Errors: NOT_FOUND (no statement in a folder),
 * CORRUPT (an edited statement or file), UNSUPPORTED (a statement of another version), PARSE, INVALID (the
 * owner's page of several runs), IO, NOMEM. If an owner's page lacks a part, such as predictions, the page
 * gives the reason. */
sotto_status page_write(char *path, const page_ask *ask, sotto_error *err);
/* Writes the page of one run that may be handed on, into its folder, from the files there. */
sotto_status page_write_run(const char *folder, sotto_error *err);
/* The text of that page, from malloc; `files` as in page_ask. Errors: as of page_write. */
sotto_status page_text_run(char **out, const char *folder, const char *files, sotto_error *err);
/* The page of an open ledger, which was verified on opening. Errors: IO, NOMEM, and those of reading the
 * ledger. */
sotto_status page_write_ledger(sotto_ledger *ledger, const char *path, sotto_error *err);

#endif
