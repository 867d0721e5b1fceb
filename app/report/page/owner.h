/* Parts of a page for the run's owner only: figures that follow from true labels and edges, attacks, the
 * ledger. */
#ifndef SOTTO_APP_REPORT_PAGE_OWNER_H
#define SOTTO_APP_REPORT_PAGE_OWNER_H

#include "html.h"
#include "load.h"
#include "sotto/ledger.h"
#include "sotto/nn.h"

enum { PAGE_DEGREES = 12 }; /* bins of degrees: 0, 1, 2-3, 4-7, ... */

typedef struct page_answers {
  bool there;
  char why[600]; /* reason, if not there */
  sotto_confusion confusion;
  sotto_calibration calibration;
  uint64_t nodes_of[PAGE_DEGREES], right_of[PAGE_DEGREES]; /* by degree */
} page_answers;

/* Predicts the test part of `data` (NULL: the run's own path) with the run's model. If that is impossible,
 * `why` gives the reason. Errors: NOMEM, INTERRUPTED. */
sotto_status page_answers_get(page_answers *out, const page_run *run, const char *folder, const char *data,
                              sotto_error *err);
void page_quality(page *p, const page_answers *answers);

/* Attacks and audits in owner-only/audit.json. */
void page_audits(page *p, const json_t *audit);

/* Epsilon of the run and of its account, with the budget; nothing without a ledger that can be opened.
 * Errors: those of sotto_report_account_key, NOMEM. */
sotto_status page_account_budget(page *p, const page_run *run, const char *folder, sotto_error *err);

/* Spending over time of the account that paid for the run. A ledger that cannot be opened is reported on
 * the page. */
sotto_status page_account(page *p, const page_run *run, const char *folder, sotto_error *err);

#endif
